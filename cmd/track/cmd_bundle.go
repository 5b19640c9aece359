package main

import (
	"context"
	"fmt"
	"io"
	"os"

	"github.com/urfave/cli/v2"

	"track/answer"
	"track/ask"
	"track/remote"
	"track/store"
	"track/tracker/exchange"
)

func (p *program) exportBundleCommand() *cli.Command {
	var file string
	var force bool
	return &cli.Command{
		Name:      "bundle",
		Usage:     "write scenarios and lineages, with all that belongs to them, as one file",
		UsageText: "track export bundle [--scenario S]... [--lineage L]... -o FILE",
		Description: `The file is a database of track that holds a copy of what is named, or of everything. track import bundle FILE records it in another
database; every command reads it with --db FILE. Scenarios come with specs, seeds, series, baselines and sweeps. Lineages come with
versions, ledgers and executions. If the name ends in .gz, the file is compressed, and must be imported to be read. An existing file is
refused; --force replaces it if it is a bundle or another database of track.

Examples:
   track export bundle -o all.db.gz
   track export bundle --scenario growth_plus --lineage sepa -o paper.db`,
		Flags: []cli.Flag{
			&cli.StringFlag{Name: "output", Aliases: []string{"o"}, Usage: "write to `FILE`", Destination: &file},
			&cli.BoolFlag{Name: "force", Usage: "replace FILE if it is a database of track", Destination: &force},
			&cli.StringSliceFlag{Name: "scenario", Usage: "include the scenario `NAME`; may be repeated"},
			&cli.StringSliceFlag{Name: "lineage", Usage: "include the lineage `NAME`; may be repeated"},
		},
		Action: func(c *cli.Context) error {
			if c.NArg() > 0 {
				return usage("track export bundle takes no argument: name what to export with --scenario and --lineage")
			}
			if file == "" || file == "-" {
				return usage("track export bundle needs -o FILE")
			}
			return p.exportBundle(c.Context, file, force, c.StringSlice("scenario"), c.StringSlice("lineage"))
		},
	}
}

func (p *program) exportBundle(ctx context.Context, file string, force bool, scenarios, lineages []string) (err error) {
	client, err := p.client()
	if err != nil {
		return err
	}
	if client != nil {
		return p.fetchBundle(ctx, client, file, force, answer.BundleQuestion{Scenarios: scenarios, Lineages: lineages})
	}
	st, err := p.open(ctx)
	if err != nil {
		return err
	}
	defer func() { _ = st.Close() }()
	if source, err := os.Stat(st.Path()); err == nil {
		if target, err := os.Stat(file); err == nil && os.SameFile(source, target) {
			return usage("-o %s: this is the database itself", file)
		}
	}
	a, err := exchange.ExportBundle(ctx, st, file, force, exchange.MergeOptions{Scenarios: scenarios, Lineages: lineages})
	if err != nil {
		return fmt.Errorf("export bundle: %w", err)
	}
	return p.writeAnswer(a)
}

// fetchBundle writes a bundle as a server sends it.
func (p *program) fetchBundle(ctx context.Context, client *remote.Client, file string, force bool, q answer.BundleQuestion) error {
	p.pushFirst(ctx, client)
	q.Gzip = exchange.IsCompressed(file)
	a, err := exchange.ReceiveBundle(file, force, func(out io.Writer) (answer.BundleContents, error) {
		return ask.ExportBundle().Ask(ctx, client.Source(), q, func(string) (io.Writer, error) { return out, nil })
	})
	if err != nil {
		return fmt.Errorf("export bundle: %w", err)
	}
	return p.writeAnswer(a)
}

// importBundle records what track export bundle wrote: all of it, or if the file is damaged nothing.
func (p *program) importBundle(ctx context.Context, paths []string, o importOptions) error {
	if len(paths) != 1 {
		return usage("track import bundle takes one FILE, - for standard input")
	}
	if o != (importOptions{dryRun: o.dryRun}) {
		return usage("track import bundle takes no flag but --dry-run and --max-size: the file says all")
	}
	source := exchange.BundleSource{Name: inputName(paths[0]), Path: paths[0], Largest: p.maxSize}
	if paths[0] == "-" {
		source.Path, source.Stream = "", p.in
	}
	open := func() (*store.Store, func(), error) { return p.openForMerge(ctx, o.dryRun) }
	merged, err := exchange.ImportBundle(ctx, source, open, p.now(), p.filesOptions(o.dryRun), func(found answer.BundleContents) { p.notice("%s", found.Text()) })
	if err != nil {
		return err
	}
	if err := p.writeAnswer(merged); err != nil {
		return err
	}
	return exchange.ConflictError("import bundle", merged)
}
