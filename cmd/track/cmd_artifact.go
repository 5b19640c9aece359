package main

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"unicode/utf8"

	"github.com/urfave/cli/v2"

	"track"
	"track/answer"
	"track/ask"
	"track/internal/reportfiles"
)

func (p *program) artifactCommand() *cli.Command {
	return &cli.Command{
		Name:  "artifact",
		Usage: "list and write the files that were kept of seeds",
		Subcommands: []*cli.Command{
			questionCommand(p, ask.Artifacts(), commandHelp{examples: `
track artifact list growth_plus
track artifact list growth_plus@theta-14 --seed 7 --format json`}),
			p.artifactGetCommand(),
		},
	}
}

type artifactGetOptions struct {
	of           answer.Selector
	number       track.SeedNumber
	name, output string
	force        bool
}

func (p *program) artifactGetCommand() *cli.Command {
	var o artifactGetOptions
	seed, all := "", false
	return &cli.Command{
		Name:      "get",
		Usage:     "write a file of a seed, or all of them",
		UsageText: "track artifact get SCENARIO[@CONFIGURATION] --seed N NAME|--all [-o FILE|DIR|-] [FLAGS]",
		Description: `Writes a file as it is stored: in text, secrets are masked. Without -o, a file goes to standard output; bytes that are not text do not go
to a terminal. A file that exists is not replaced, unless --force is given. With --all, names like -rf, .ssh and ~ get an underscore before them.

Examples:
   track artifact get growth_plus --seed 7 run.log
   track artifact get growth_plus@theta-14 --seed 7 plot.png -o plot.png
   track artifact get growth_plus --seed 7 --all -o seed7`,
		BashComplete: p.completeScenarios,
		Flags: []cli.Flag{
			&cli.StringFlag{Name: "seed", Usage: "write files of this seed, a whole `NUMBER`", Destination: &seed},
			&cli.BoolFlag{Name: "all", Usage: "write all files of the seed, under their names in the folder of --output", Destination: &all},
			&cli.StringFlag{Name: "output", Aliases: []string{"o"}, Usage: "write to `FILE`; - is standard output", Destination: &o.output},
			&cli.BoolFlag{Name: "force", Usage: "replace files that exist", Destination: &o.force},
		},
		Action: func(c *cli.Context) (err error) {
			words := c.Args().Slice()
			switch {
			case all && len(words) != 1, !all && len(words) != 2:
				return usage("track artifact get takes a SCENARIO[@CONFIGURATION], and the NAME of a file or --all")
			case seed == "":
				return usage("track artifact get needs --seed NUMBER")
			case all && (o.output == "" || o.output == "-"):
				return usage("--all needs -o DIR, the folder to write into")
			}
			if o.of, err = answer.ParseSelector(words[0]); err != nil {
				return usage("%v", err)
			}
			if o.number, err = track.ParseSeedNumber(seed); err != nil {
				return usage("--seed: %v", err)
			}
			if !all {
				if o.name = words[1]; o.name == "" {
					return usage("the NAME of the file is empty")
				}
			}
			return p.getArtifacts(c.Context, o)
		},
	}
}

func (p *program) getArtifacts(ctx context.Context, o artifactGetOptions) error {
	from, release, err := p.sourceForFiles(ctx)
	if err != nil {
		return err
	}
	defer release()
	contents := map[string]*bytes.Buffer{}
	a, err := ask.ArtifactFiles().Ask(ctx, from, answer.ArtifactFilesQuestion{Of: o.of, Seed: o.number, Name: o.name}, func(name string) (io.Writer, error) {
		contents[name] = &bytes.Buffer{}
		return contents[name], nil
	})
	if err != nil {
		return err
	}
	if o.name != "" && (o.output == "" || o.output == "-") {
		if text := a.Ambiguity(); text != "" {
			p.notice("%s", text)
		}
		return p.printArtifact(o.name, contents[o.name].Bytes())
	}
	var written []reportfiles.File
	for i, f := range a.Items {
		content, isKept := contents[f.Name]
		if !isKept {
			continue
		}
		path, err := o.target(f.Name)
		if err != nil {
			return err
		}
		if safe := safeArtifactName(f.Name); o.name == "" && safe != f.Name {
			p.notice("%s is written as %s: other programs take such a name for an option, a hidden file or a home folder", f.Name, safe)
		}
		a.Items[i].File = path
		written = append(written, reportfiles.File{Path: path, Data: content.Bytes()})
	}
	if err := o.write(written); err != nil {
		return err
	}
	return p.writeAnswer(a)
}

// printArtifact writes a file to standard output.
func (p *program) printArtifact(name string, content []byte) error {
	if isTerminal(p.out) && !utf8.Valid(content) {
		err := fmt.Errorf("%w: %s is not text, and would garble the terminal", track.ErrInvalid, name)
		return track.WithHint(err, track.Hint{Text: "write it to a file"}.With("output", "FILE"))
	}
	_, err := p.text().Write(content)
	return err
}

// safeArtifactName returns the name that a file is written under. Different names stay different.
func safeArtifactName(name string) string {
	parts := strings.Split(name, "/")
	for i, part := range parts {
		if first := strings.TrimLeft(part, "_"); first != "" && strings.ContainsAny(first[:1], ".-~") {
			parts[i] = "_" + part
		}
	}
	return strings.Join(parts, "/")
}

// target returns the path that a file is written to, which must not exist unless it is to be replaced.
func (o artifactGetOptions) target(name string) (string, error) {
	path := o.output
	if o.name == "" {
		local, err := filepath.Localize(safeArtifactName(name))
		if err != nil {
			return "", fmt.Errorf("%w: file %s: its name is no path on this system", track.ErrInvalid, name)
		}
		path = filepath.Join(o.output, local)
	}
	_, err := os.Lstat(path)
	switch {
	case err == nil && !o.force:
		err = fmt.Errorf("%w: %s exists", track.ErrConflict, path)
		return "", track.WithHint(err, track.Hint{Text: "replace it"}.With("force", ""))
	case err != nil && !os.IsNotExist(err):
		return "", err
	}
	return path, nil
}

// write writes files, each of them whole or not at all. The folders of all files are made below the one that the user
// names.
func (o artifactGetOptions) write(files []reportfiles.File) error {
	if o.name != "" {
		return reportfiles.Replace(files)
	}
	if err := os.MkdirAll(o.output, 0o755); err != nil {
		return err
	}
	root, err := os.OpenRoot(o.output)
	if err != nil {
		return err
	}
	defer func() { _ = root.Close() }()
	for _, f := range files { // a link in the folder must not lead elsewhere
		within, err := filepath.Rel(o.output, f.Path)
		if err == nil {
			err = root.MkdirAll(filepath.Dir(within), fs.FileMode(0o755))
		}
		if err != nil {
			return err
		}
	}
	return reportfiles.Replace(files)
}
