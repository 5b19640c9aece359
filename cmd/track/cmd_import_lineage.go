package main

import (
	"bufio"
	"context"
	"crypto/rand"
	"fmt"
	"strings"

	"track"
	"track/importer"
	"track/importer/lines"
	"track/importer/openevolve"
	"track/importer/shinka"
	"track/scoring/format"
	"track/tracker/exchange"
	"track/tracker/lineages"
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
	x, err := lines.ReadLineage(inputName(paths[0]), in)
	if err != nil {
		return err
	}
	st, err := p.openOrCreate(ctx)
	if err != nil {
		return err
	}
	defer func() { _ = st.Close() }()
	r, err := lineages.Import(ctx, st, x)
	if err != nil {
		return fmt.Errorf("import %s: %w", inputName(paths[0]), err)
	}
	text := fmt.Sprintf("%s: %s added, %d known; %s in force", r.Lineage, entriesText(r.Entries), r.Known, orNone(r.Head))
	return p.write(view{
		document: map[string]any{"lineage": r.Lineage, "created": r.Created, "entries": r.Entries, "known": r.Known, "head": r.Head, "end": r.End},
		rows:     grid{columns: []string{"lineage", "entries", "known", "head"}, cells: [][]any{{r.Lineage, r.Entries, r.Known, r.Head}}},
		page:     []any{text},
	})
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
	if err := p.write(programsView(run, summary, options)); err != nil {
		return err
	}
	return programsVerdict(run, summary)
}

type programsDocument struct {
	Lineage       string   `json:"lineage"`
	DryRun        bool     `json:"dry_run"`
	Created       bool     `json:"created"`
	Head          string   `json:"head"`
	Programs      int      `json:"programs"`
	Checkpoints   int      `json:"checkpoints"`
	Repeated      int      `json:"repeated"`  // in several checkpoints, as they were
	Differing     int      `json:"differing"` // in several checkpoints: the later counts
	Versions      int      `json:"versions"`
	Twins         int      `json:"twins"` // of a content that another program has: one version
	Mutations     int      `json:"mutations"`
	Executions    int      `json:"executions"`
	Failed        int      `json:"failed"`
	Duplicates    int      `json:"duplicates"`
	Conflicts     []string `json:"conflicts"`
	LostParents   []string `json:"lost_parents"`
	Inferred      int      `json:"inferred"`
	Ambiguous     int      `json:"ambiguous"`
	SecondUnknown int      `json:"second_parent_unknown"`
	Masked        int      `json:"n_masked"`
	Scale         float64  `json:"scale"`
	Best          []string `json:"best"`        // so called by the source
	BestFailed    []string `json:"best_failed"` // of them, those that failed
	LeftOut       int      `json:"left_out"`
	Skipped       []string `json:"skipped"`
}

func programsView(run importer.Run, s exchange.ProgramsSummary, o exchange.ProgramsOptions) view {
	d := programsDocument{
		Lineage: o.Lineage, DryRun: o.DryRun, Created: s.Created, Head: s.Head, Programs: len(run.Programs), Checkpoints: run.Checkpoints, Repeated: run.Repeated,
		Differing: run.Differing, Versions: s.Versions, Twins: s.Twins, Mutations: s.Mutations, Executions: s.Executions, Failed: s.Failed, Duplicates: s.Duplicates,
		Conflicts: notNil(s.Conflicts), LostParents: notNil(run.Lost), Inferred: run.Inferred, Ambiguous: run.Ambiguous, SecondUnknown: run.SecondUnknown,
		Masked: s.Masked, Scale: o.Scale, Best: notNil(s.Best), BestFailed: notNil(s.BestFailed), LeftOut: run.LeftOut, Skipped: []string{},
	}
	for _, skip := range run.Skips {
		d.Skipped = append(d.Skipped, skip.String())
	}
	lines := []string{fmt.Sprintf("%s: %s, %s, %s, %s (%d failed), %d recorded before", o.Lineage, format.Counted(d.Programs, "program"), format.Counted(d.Versions, "new version"),
		format.Counted(d.Mutations, "mutation"), format.Counted(d.Executions, "evaluation"), d.Failed, d.Duplicates)}
	if o.DryRun {
		lines[0] = "dry run, nothing recorded: " + lines[0]
	}
	tell := func(n int, format string, args ...any) {
		if n > 0 {
			lines = append(lines, fmt.Sprintf(format, args...))
		}
	}
	tell(d.Checkpoints, "%s, %d programs came again as they were, %d had changed", format.Counted(d.Checkpoints, "checkpoint"), d.Repeated, d.Differing)
	tell(d.Twins, "%s of a content that another has: one version, with an evaluation each", format.Counted(d.Twins, "program"))
	tell(len(d.LostParents), "%s that the source has lost: %s", format.Counted(len(d.LostParents), "parent"), shortList(d.LostParents))
	tell(d.Inferred, "%s inferred, and marked so", format.Counted(d.Inferred, "parent"))
	tell(d.Ambiguous, "%s without a parent, since one of several may be it: --infer-parents picks one", format.Counted(d.Ambiguous, "program"))
	tell(d.SecondUnknown, "%s whose second parent the source does not tell", format.Counted(d.SecondUnknown, "crossover"))
	tell(len(d.BestFailed), "the source calls best what failed: %s", shortList(d.BestFailed))
	tell(d.Masked, "%s masked", format.Counted(d.Masked, "secret"))
	tell(len(d.Conflicts), "recorded with other content before: %s", shortList(d.Conflicts))
	lines = append(lines, orNone(d.Head)+" in force: nothing was decided, for what the source did with a program it does not say")
	return view{
		document: d, page: []any{strings.Join(lines, "\n")},
		rows: grid{
			columns: []string{"lineage", "programs", "versions", "mutations", "executions", "failed", "duplicates", "lost_parents", "inferred", "twins"},
			cells:   [][]any{{d.Lineage, d.Programs, d.Versions, d.Mutations, d.Executions, d.Failed, d.Duplicates, len(d.LostParents), d.Inferred, d.Twins}},
		},
	}
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
