package main

import (
	"bytes"
	"context"
	"crypto/rand"
	"path/filepath"
	"strings"

	"github.com/urfave/cli/v2"

	"track/ask"
	"track/internal/reportfiles"
	"track/remote"
	"track/store"
	"track/tracker/seeds"
)

func (p *program) reportCommand() *cli.Command {
	return &cli.Command{
		Name:  "report",
		Usage: "write a report as Markdown or HTML, or check one",
		Subcommands: []*cli.Command{
			documentCommand(p, ask.StabilityReport(), true, commandHelp{complete: p.completeScenarios, examples: `
track report stability growth_plus -o stability.md
track report stability growth_plus@theta-14 -o stability.html
track report stability growth_plus --check stability.md
track report stability growth_plus --template pull-request.md.tmpl -o comment.md`}),
			documentCommand(p, ask.ImprovementReport(), true, commandHelp{complete: p.completeScenarios, examples: `
track report improvement buffer_stock --baseline growth_plus -o improvement.md
track report improvement growth_plus@theta-14 --baseline growth_plus@v1 --check improvement.md
track report improvement growth_plus@theta-14 --baseline growth_plus@v1 --template pull-request.md.tmpl`}),
			documentCommand(p, ask.ScenarioReport(), true, commandHelp{complete: p.completeScenarios, examples: `
track report scenario growth_plus -o growth_plus.md
track report scenario growth_plus -o growth_plus.html --limit 50
track report scenario growth_plus --template pull-request.md.tmpl -o comment.md`}),
			documentCommand(p, ask.ParamsReport(), false, commandHelp{complete: p.completeScenarios, examples: `
track report params growth -o params.md
track report params growth --metric unemployment_rate_mean --label grid -o params.html
track report params growth --check params.md`}),
			documentCommand(p, ask.LineageReport(), true, commandHelp{complete: p.completeLineages, examples: `
track report lineage sepa -o lineage.md
track report lineage sepa -o lineage.html
track report lineage sepa --check lineage.md
track report lineage sepa --template lineage-note.md.tmpl`}),
			p.reportIndexCommand(),
		},
	}
}

// documentCommand returns the command that writes or checks a report.
func documentCommand[Q any](p *program, def ask.Report[Q], templates bool, text commandHelp) *cli.Command {
	var q Q
	var to reportOptions
	bound := bindParams(def.Name, def.Params(&q), nil)
	flags := to.fileFlags()
	if templates {
		flags = to.flags()
	}
	return &cli.Command{
		Name: strings.TrimPrefix(def.Name, "report "), Usage: def.Help, UsageText: bound.usageText(), Description: text.description(def.About),
		BashComplete: text.complete, Flags: append(bound.flags(), flags...),
		Action: func(c *cli.Context) error {
			if err := bound.set(c); err != nil {
				return err
			}
			if err := bound.usageError(def.Check(&q)); err != nil {
				return err
			}
			if err := to.validate(p.shared.format); err != nil {
				return err
			}
			return bound.usageError(writeReportOf(c.Context, p, def, q, to))
		},
	}
}

// recordLooks records interim analyses (looks). If one cannot be recorded, its decision stands, and a notice says so.
func (p *program) recordLooks(ctx context.Context, st *store.Store, looks []store.Look) {
	if err := seeds.RecordLooks(ctx, st, looks, rand.Reader); err != nil {
		p.notice("this look is not recorded, so later ones will not count it: %v", err)
	}
}

// writeReportOf writes or checks a report, of the database or as a server writes it. A report that is written is an
// interim analysis, like the command whose answer it shows; a check is not.
func writeReportOf[Q any](ctx context.Context, p *program, def ask.Report[Q], q Q, to reportOptions) error {
	template, err := to.readTemplate()
	if err != nil {
		return err
	}
	client, err := p.clientForReport(to)
	if err != nil {
		return err
	}
	if client != nil {
		return fetchReport(ctx, p, client, def, q, to)
	}
	st, err := p.open(ctx)
	if err != nil {
		return err
	}
	defer func() { _ = st.Close() }()
	var d templateData
	err = untilInterrupted(ctx, func() (err error) {
		d, err = composeFor(ctx, st, def, q, template != nil)
		return err
	})
	if err != nil {
		return err
	}
	var files []reportfiles.File
	if template != nil {
		files, err = to.fill(ctx, template, d)
	} else {
		files, err = makeReport(d.Document, to)
	}
	if err != nil {
		return err
	}
	if to.check == "" {
		p.recordLooks(ctx, st, d.Looks)
	}
	return p.writeReport(files, to)
}

// composeFor makes a document, with the answers that a template needs, from one state of the database.
func composeFor[Q any](ctx context.Context, st *store.Store, def ask.Report[Q], q Q, answers bool) (d templateData, err error) {
	d.kind = strings.TrimPrefix(def.Name, "report ")
	err = st.Snapshot(ctx, func(r *store.Reader) (err error) {
		if d.Composed, err = def.Compose(ctx, r, q); err == nil && answers {
			d.answer, d.gate, err = d.Answers(ctx, r)
		}
		return err
	})
	return d, err
}

// clientForReport returns the client of the server that the user names; nil if a database is to be used. A server sends
// one file, and fills no template.
func (p *program) clientForReport(to reportOptions) (*remote.Client, error) {
	client, err := p.client()
	isOneFile := to.toStandardOutput() || filepath.Ext(to.output) == ".html" && !to.png
	if client == nil || err != nil || isOneFile && to.check == "" && to.template == "" {
		return client, err
	}
	return nil, usage("%s is a server, which gives Markdown on standard output or -o FILE.html; anything else works on a database: name one with --db", client.Address())
}

// fetchReport writes a report as a server sends it.
func fetchReport[Q any](ctx context.Context, p *program, client *remote.Client, def ask.Report[Q], q Q, to reportOptions) error {
	p.pushFirst(ctx, client)
	media := ask.Markdown
	if !to.toStandardOutput() {
		media = ask.HTML
	}
	var report bytes.Buffer
	if err := untilInterrupted(ctx, func() error { return def.Write(ctx, client.Source(), q, media, &report) }); err != nil {
		return err
	}
	return p.writeReport([]reportfiles.File{{Path: to.target(), Data: report.Bytes()}}, to)
}
