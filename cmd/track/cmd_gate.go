package main

import (
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/urfave/cli/v2"

	"track/answer"
	"track/ask"
	"track/reports"
	"track/reports/document"
	"track/reports/render"
)

func (p *program) gateCommand() *cli.Command {
	var files gateFiles
	command := customCommand(p, ask.Gate(), commandHelp{examples: `
track gate growth_plus --min-pass-rate 0.95
track gate baseline growth_plus --stable --no-degradation --junit gate.xml --md gate.md
track gate growth_plus --min-score 0.8 --plan 10,20,30 --fail-on warn`}, func(c *cli.Context, a answer.Gate) error {
		lacking, err := p.lacking(c.Context)
		if err != nil {
			return err
		}
		a.Lack(lacking, "on this machine, and not on the server", "track push; track push --retry for what the server refused")
		if err := p.writeGate(a, files); err != nil {
			return err
		}
		return conclude(a.Conclusion())
	})
	command.Description += "\n\nIf GITHUB_STEP_SUMMARY is set, appends the Markdown to that file."
	command.Flags = append(command.Flags, files.flags()...)
	command.Before = func(*cli.Context) error { return files.check() }
	return command
}

// gateFiles are files that a gate is written to besides standard output.
type gateFiles struct{ json, junit, markdown, badge string }

func (f *gateFiles) flags() []cli.Flag {
	return []cli.Flag{
		&cli.StringFlag{Name: "json", Usage: "write the verdict to `FILE` as JSON too", Destination: &f.json},
		&cli.StringFlag{Name: "junit", Usage: "write the verdict to `FILE` as JUnit XML too", Destination: &f.junit},
		&cli.StringFlag{Name: "md", Usage: "write the verdict to `FILE` as Markdown too", Destination: &f.markdown},
		&cli.StringFlag{Name: "badge", Usage: "write a shields.io endpoint to `FILE` too", Destination: &f.badge},
	}
}

// check refuses two reports in one file.
func (f *gateFiles) check() error {
	seen := map[string]bool{}
	for _, path := range []string{f.json, f.junit, f.markdown, f.badge} {
		if path != "" && path != "-" && seen[path] {
			return usage("%s is named for two reports: one would overwrite the other", path)
		}
		seen[path] = true
	}
	return nil
}

// writeGate writes a gate wherever it was asked for; first to standard output, so that a file that cannot be written
// does not cost the answer.
func (p *program) writeGate(a answer.Gate, files gateFiles) error {
	write := func(w io.Writer) error { return render.Write(w, a, p.renderOptions()) }
	markdown := func(w io.Writer) error { return reports.GateDocument(a).Markdown(w, document.MarkdownOptions{}) }
	if p.shared.format == string(render.Markdown) {
		write = markdown
	}
	errs := []error{write(p.out)}
	for _, output := range []struct {
		path  string
		write func(io.Writer) error
	}{
		{files.json, func(w io.Writer) error { return render.Write(w, a, render.Options{Format: render.JSON}) }},
		{files.junit, func(w io.Writer) error { return reports.GateJUnit(w, a.Gate) }},
		{files.markdown, markdown},
		{files.badge, func(w io.Writer) error { return render.WriteJSON(w, reports.GateBadge(a.Gate)) }},
	} {
		if output.path != "" {
			errs = append(errs, p.writeOutput(output.path, output.write))
		}
	}
	if path := p.getenv("GITHUB_STEP_SUMMARY"); path != "" {
		if err := appendTo(path, markdown); err != nil {
			errs = append(errs, fmt.Errorf("GITHUB_STEP_SUMMARY: %w", err))
		}
	}
	return errors.Join(errs...)
}

// appendTo writes to the end of a file.
func appendTo(path string, write func(io.Writer) error) error {
	file, err := os.OpenFile(path, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o666)
	if err != nil {
		return err
	}
	return errors.Join(write(file), file.Close())
}
