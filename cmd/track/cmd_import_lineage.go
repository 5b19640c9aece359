package main

import (
	"bufio"
	"context"
	"crypto/rand"
	"fmt"
	"time"

	"track"
	"track/importer"
	"track/importer/openevolve"
	"track/importer/shinka"
	"track/scoring/format"
	"track/store"
	"track/tracker/exchange"
)

// The formats of import that hold lineages, and not logs.
const (
	formatLineage    = "lineage"    // what track export lineage wrote
	formatBundle     = "bundle"     // what track export bundle wrote
	formatOpenEvolve = "openevolve" // runs of other evolvers
	formatShinka     = "shinka"
)

// scales are what scores of other evolvers are multiplied by where --scale says nothing.
var scales = map[string]float64{formatOpenEvolve: 100, formatShinka: 1}

// importLineage records what track export lineage wrote.
func (p *program) importLineage(ctx context.Context, paths []string, o importOptions) error {
	if len(paths) != 1 {
		return usage("track import lineage takes one FILE, - for standard input")
	}
	if o.lineage != "" || o.version != "" || o.since != "" || o.keepText || o.dryRun || o.programsOnly() {
		return usage("track import lineage takes no flag: the file says all")
	}
	in, err := p.openInput("file", paths[0])
	if err != nil {
		return err
	}
	defer func() { _ = in.Close() }()
	a, err := exchange.ReadLineage(ctx, inputName(paths[0]), in, func() (*store.Store, error) { return p.openOrCreate(ctx) })
	if err != nil {
		return err
	}
	return p.writeAnswer(a)
}

func (o importOptions) programsOnly() bool {
	return o.inferParents || o.keepSecrets || o.scale != nil || o.seed != "" || o.at != ""
}

// importPrograms records a run of another evolver.
func (p *program) importPrograms(ctx context.Context, format string, paths []string, o importOptions) error {
	if len(paths) != 1 {
		return usage("track import %s takes one PATH: a run is one", format)
	}
	if o.lineage == "" {
		return usage("track import %s needs --lineage NAME", format)
	}
	if o.version != "" || o.since != "" || o.keepText {
		return usage("--version, --since and --keep-text are for logs of executions, not for %s", format)
	}
	options := exchange.ProgramsOptions{Lineage: o.lineage, Source: format, Scale: scales[format], KeepSecrets: o.keepSecrets, DryRun: o.dryRun}
	if o.scale != nil {
		options.Scale = *o.scale
	}
	if o.seed != "" {
		seed, err := track.ParseSeedNumber(o.seed)
		if err != nil {
			return usage("--seed %v", err)
		}
		options.Seed = (*uint64)(&seed)
	}
	var err error
	if options.At, err = parseAt(o.at); err != nil {
		return err
	}
	read := openevolve.Read
	if format == formatShinka {
		read = shinka.Read
	}
	run, err := read(paths[0], importer.ProgramOptions{InferParents: o.inferParents})
	if err != nil {
		return fmt.Errorf("import: %w", err)
	}
	for _, skip := range run.Skips {
		fmt.Fprintln(p.err, printable(skip.String()))
	}
	st, err := p.openOrCreate(ctx)
	if err != nil {
		return err
	}
	defer func() { _ = st.Close() }()
	summary, err := exchange.ImportPrograms(ctx, st, run, options, bufio.NewReader(rand.Reader))
	if err != nil {
		return fmt.Errorf("import: %w", err)
	}
	if err := p.writeAnswer(summary.Answer(run, options)); err != nil {
		return err
	}
	return programsVerdict(run, summary)
}

func programsVerdict(run importer.Run, s exchange.ProgramsSummary) error {
	switch {
	case run.LeftOut > 0:
		err := fmt.Errorf("import: %w: %s left out", track.ErrInvalid, format.Counted(run.LeftOut, "damaged part"))
		return track.WithHint(err, track.Hint{Text: "everything whole is recorded; importing again adds only what is new"})
	case len(s.Conflicts) > 0:
		err := fmt.Errorf("import: %w: %s recorded with other content before", track.ErrConflict, format.Counted(len(s.Conflicts), "program"))
		return track.WithHint(err, track.Hint{Text: "the run was changed since, or read with other options; what is recorded stands"})
	}
	return nil
}

func parseAt(text string) (time.Time, error) {
	if text == "" {
		return time.Time{}, nil
	}
	at, err := time.Parse(time.RFC3339Nano, text)
	if err != nil {
		return at, usage("--at: %q is not a time such as 2026-01-02T15:04:05Z", text)
	}
	return at, nil
}
