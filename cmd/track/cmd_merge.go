package main

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/urfave/cli/v2"

	"track"
	"track/scoring/format"
	"track/store"
	"track/tracker/exchange"
	"track/tracker/seeds"
)

func (p *program) mergeCommand() *cli.Command {
	var dryRun bool
	return &cli.Command{
		Name:      "merge",
		Usage:     "bring in what other databases hold",
		UsageText: "track merge OTHER.db... [--dry-run]",
		Description: `Everything comes: specs, seeds with their values, judgements and series, those that others replaced, baselines, looks, sweeps, lineages
with their ledgers, executions. The other files are only read, also while somebody records into them; what they recorded since the
merge began is left for the next one. Merging the same again does nothing, the order does not matter, and after an interruption the
same command continues. A file that cannot be merged is named and left out, and the others come; the exit code is that of the worst.

What stands here stays. Where another database holds something else in its place, that is a conflict: it is named and left out, all the
rest comes, and the exit code is 14. Of a seed that both recorded alike, the record that was first counts.

Examples:
   track merge shard-*.db
   track merge ~/laptop/.track/track.db --dry-run --format json`,
		Flags: []cli.Flag{&cli.BoolFlag{Name: "dry-run", Usage: "say what would come, and record nothing", Destination: &dryRun}},
		Action: func(c *cli.Context) error {
			if c.NArg() == 0 {
				return usage("track merge takes at least one OTHER.db")
			}
			return p.merge(c.Context, c.Args().Slice(), dryRun)
		},
	}
}

type mergeConflict struct {
	Kind          string `json:"kind"`
	Scenario      string `json:"scenario,omitzero"`
	Lineage       string `json:"lineage,omitzero"`
	Name          string `json:"name,omitzero"`
	Label         string `json:"label,omitzero"`
	Configuration string `json:"configuration,omitzero"`
	Reason        string `json:"reason"`
}

// mergeDocument says what became of one file.
type mergeDocument struct {
	File           string                   `json:"file"`
	State          string                   `json:"state"`
	Error          string                   `json:"error,omitzero"`
	Scenarios      exchange.Count           `json:"scenarios"`
	Specs          exchange.Count           `json:"specs"`
	Configurations exchange.Count           `json:"configurations"`
	Seeds          exchange.Count           `json:"seeds"`
	Baselines      exchange.Count           `json:"baselines"`
	Looks          exchange.Count           `json:"looks"`
	Sweeps         exchange.Count           `json:"sweeps"`
	Repetitions    exchange.Count           `json:"repetitions"`
	Versions       exchange.Count           `json:"versions"`
	Executions     exchange.Count           `json:"executions"`
	Lineages       []exchange.MergedLineage `json:"lineages"`
	Superseded     int                      `json:"superseded"`
	Completed      int                      `json:"completed"`
	Forgotten      int                      `json:"forgotten"`
	Assessments    int                      `json:"assessments"`
	Scores         int                      `json:"scores"`
	Unjudged       map[string]int           `json:"unjudged"`
	NConflicts     int                      `json:"n_conflicts"`
	Conflicts      []mergeConflict          `json:"conflicts"`

	failed error
}

func newMergeDocument(file string) *mergeDocument {
	return &mergeDocument{File: file, Lineages: []exchange.MergedLineage{}, Conflicts: []mergeConflict{}, Unjudged: map[string]int{}}
}

func (d *mergeDocument) fail(state string, err error) {
	d.State, d.Error, d.failed = state, err.Error(), err
}

// records is how many seeds, executions and entries of ledgers came.
func (d *mergeDocument) records() int { return d.Seeds.Recorded + d.Executions.Recorded + d.entries() }

func (d *mergeDocument) add(c exchange.Conflict) {
	m := mergeConflict{Kind: string(c.Kind), Name: c.Name, Label: c.Label, Configuration: c.Configuration, Reason: c.Describe()}
	switch c.Kind {
	case exchange.KindSeed, exchange.KindSpec:
		m.Scenario = c.Scenario
	default:
		m.Lineage = c.Scenario
	}
	d.Conflicts = append(d.Conflicts, m)
}

func (d *mergeDocument) count(r exchange.MergeReport) {
	d.Scenarios, d.Specs, d.Configurations, d.Seeds = r.Scenarios, r.Specs, r.Configurations, r.Seeds
	d.Baselines, d.Looks, d.Sweeps, d.Repetitions = r.Baselines, r.Looks, r.Sweeps, r.Repetitions
	d.Versions, d.Executions = r.Versions, r.Executions
	d.Superseded, d.Completed, d.Forgotten, d.Assessments, d.Scores = r.Superseded, r.Replaced, r.Forgotten, r.Assessments, r.Scores
	d.Lineages = append(d.Lineages, r.Lineages...)
	maps.Copy(d.Unjudged, r.Unjudged)
	d.NConflicts = r.Conflicts()
}

func (d *mergeDocument) entries() (added int) {
	for _, l := range d.Lineages {
		added += l.Entries
	}
	return added
}

// conflictsNamed is how many conflicts of a file people are told of.
const conflictsNamed = 20

func (c mergeConflict) text() string {
	what := c.Kind + " " + c.Name
	switch c.Kind {
	case "seed":
		what = "seed " + c.Name + " of " + c.Scenario + "@" + seeds.ShortHash(c.Configuration)
		if c.Label != "" {
			what += " (" + c.Label + ")"
		}
	case "spec":
		what = "spec " + c.Scenario + "@" + c.Name
	case "version":
		what = "version " + c.Name + " of lineage " + c.Lineage
	case "lineage":
		what = "lineage " + c.Lineage
	case "execution":
		what = "execution " + c.Name + " of lineage " + c.Lineage
	}
	return what + ": " + c.Reason
}

// The states of a file that was to be merged.
const (
	stateMerged  = "merged"
	stateRead    = "read" // in a dry run
	stateInPart  = "in part"
	stateRefused = "refused"
	stateUntried = "not tried"
)

// merge brings in all files that can be: one that cannot does not keep out the others.
func (p *program) merge(ctx context.Context, files []string, dryRun bool) error {
	var documents []*mergeDocument
	target, good := p.mergeTarget(), 0
	for _, file := range files {
		d := newMergeDocument(file)
		if err := store.CheckOther(ctx, target, file); err != nil {
			d.fail(stateRefused, err)
		} else {
			good++
		}
		documents = append(documents, d)
	}
	if good > 0 {
		st, done, err := p.openForMerge(ctx, dryRun)
		if err != nil {
			return err
		}
		defer done()
		p.mergeFiles(ctx, st, documents, dryRun)
	}
	if err := p.write(mergeView(documents, dryRun)); err != nil {
		return err
	}
	return worst(documents)
}

// mergeTarget is where the database is, or would be made.
func (p *program) mergeTarget() string {
	path, err := p.databasePath()
	if err != nil {
		return filepath.Join(store.DefaultDir, store.DefaultFile)
	}
	return path
}

func (p *program) mergeFiles(ctx context.Context, st *store.Store, documents []*mergeDocument, dryRun bool) {
	stopped := false
	for i, d := range documents {
		switch {
		case d.failed != nil:
			continue
		case stopped:
			d.State = stateUntried
			continue
		}
		d, err := p.mergeFile(ctx, st, d.File, exchange.MergeOptions{DryRun: dryRun})
		documents[i] = d
		if err == nil {
			continue
		}
		d.fail(stateRefused, err)
		if d.records() > 0 && !dryRun {
			d.State = stateInPart
		}
		stopped = !errors.Is(err, track.ErrInvalid) && !errors.Is(err, track.ErrNotFound) // it is not the file's fault
	}
}

// worst is the error of a merge: the exit code is that of the worst file, the text and the hints are those of all.
func worst(documents []*mergeDocument) error {
	var failures []error
	for _, d := range documents {
		if d.failed != nil {
			failures = append(failures, fmt.Errorf("merge %s: %w", d.File, d.failed))
		}
	}
	if conflicts := mergeVerdict("merge", documents); conflicts != nil {
		failures = append(failures, conflicts)
	}
	if len(failures) < 2 {
		return errors.Join(failures...)
	}
	badness := []int{exitNotFound, exitConflict, exitInvalid, exitInternal, exitInterrupted}
	w := &worstError{error: failures[0]}
	var lines []string
	var hints []track.Hint
	for _, err := range failures {
		lines = append(lines, err.Error())
		for _, hint := range track.Hints(err) {
			if !containsHint(hints, hint) {
				hints = append(hints, hint)
			}
		}
		if slices.Index(badness, exitCode(err)) > slices.Index(badness, exitCode(w.error)) {
			w.error = err
		}
	}
	own := track.Hints(w.error)
	w.text = strings.Join(lines, "\n")
	var err error = w
	for _, hint := range hints {
		if !containsHint(own, hint) {
			err = track.WithHint(err, hint)
		}
	}
	return err
}

// worstError is one of several errors, and tells all.
type worstError struct {
	error
	text string
}

func (e *worstError) Error() string { return e.text }

func (e *worstError) Unwrap() error { return e.error }

// openForMerge opens the target; a dry run without one compares with an empty one.
func (p *program) openForMerge(ctx context.Context, dryRun bool) (st *store.Store, done func(), err error) {
	if !dryRun {
		st, err = p.openOrCreate(ctx)
	} else if st, err = p.open(ctx); errors.Is(err, track.ErrNotFound) {
		dir, err := os.MkdirTemp("", "track-merge-")
		if err != nil {
			return nil, nil, err
		}
		path := filepath.Join(dir, store.DefaultFile)
		if _, err = store.Init(ctx, path); err == nil {
			st, err = store.Open(ctx, path, p.now)
		}
		if err != nil {
			return nil, nil, errors.Join(err, os.RemoveAll(dir))
		}
		return st, func() { _ = errors.Join(st.Close(), os.RemoveAll(dir)) }, nil
	}
	if err != nil {
		return nil, nil, err
	}
	return st, func() { _ = st.Close() }, nil
}

func (p *program) mergeFile(ctx context.Context, st *store.Store, file string, o exchange.MergeOptions) (*mergeDocument, error) {
	d := newMergeDocument(file)
	d.State = stateMerged
	if o.DryRun {
		d.State = stateRead
	}
	other, err := store.OpenOther(ctx, file, p.now)
	if err != nil {
		return d, err
	}
	defer func() { _ = other.Close() }()
	bar := p.newProgress("merging", "records", 0)
	o.Conflict, o.Progress = d.add, bar.update
	r, err := exchange.Merge(ctx, st, other, o)
	bar.clear()
	if errors.Is(err, context.Canceled) {
		err = track.WithHint(err, track.Hint{Text: "run the same command again: it continues"})
	}
	d.count(r)
	return d, err
}

func mergeView(documents []*mergeDocument, dryRun bool) view {
	v := view{
		document: map[string]any{"dry_run": dryRun, "files": documents},
		rows: grid{columns: []string{
			"file", "seeds", "known", "conflicts", "executions", "known executions", "conflicting executions", "entries", "conflicts in all", "state",
		}},
	}
	people := grid{columns: []string{
		"file", "seeds", "seeds known", "seed conflicts", "executions", "executions known", "execution conflicts", "ledger entries", "state",
	}}
	for _, d := range documents {
		v.lines = append(v.lines, d)
		cells := []any{d.File, d.Seeds.Recorded, d.Seeds.Known, d.Seeds.Conflicts, d.Executions.Recorded, d.Executions.Known, d.Executions.Conflicts, d.entries()}
		people.cells = append(people.cells, append(slices.Clone(cells), d.State))
		v.rows.cells = append(v.rows.cells, append(cells, d.NConflicts, d.State))
	}
	if dryRun {
		v.page = append(v.page, "dry run, nothing recorded; each file as if it were the only one")
	}
	v.page = append(v.page, people)
	for _, d := range documents {
		for _, line := range d.remarks() {
			v.page = append(v.page, line)
		}
	}
	return v
}

// remarks are what people should know of a file beyond its counts.
func (d *mergeDocument) remarks() (lines []string) {
	for i, c := range d.Conflicts {
		if i == conflictsNamed {
			lines = append(lines, fmt.Sprintf("%s: and %d more conflicts; --format json names them all", d.File, len(d.Conflicts)-conflictsNamed))
			break
		}
		lines = append(lines, d.File+": conflict: "+c.text())
	}
	for _, what := range []struct {
		n    int
		text string
	}{
		{d.Superseded, "superseded, as there"}, {d.Completed, "completed: what is there had come further"}, {d.Forgotten, "forgotten, as there"},
	} {
		if what.n > 0 {
			lines = append(lines, fmt.Sprintf("%s: %d %s", d.File, what.n, what.text))
		}
	}
	for _, scenario := range slices.Sorted(maps.Keys(d.Unjudged)) {
		lines = append(lines, fmt.Sprintf("%s: %s of %s not judged under the newest spec: track rescore %s judges", d.File, format.Counted(d.Unjudged[scenario], "seed"), scenario, scenario))
	}
	return lines
}

func mergeVerdict(verb string, documents []*mergeDocument) error {
	n, kinds := 0, map[string]bool{}
	for _, d := range documents {
		n += d.NConflicts
		for _, c := range d.Conflicts {
			kinds[c.Kind] = true
		}
	}
	if n == 0 {
		return nil
	}
	err := fmt.Errorf("%s: %w: %s left out; what is here stays, all the rest is merged", verb, track.ErrConflict, format.Counted(n, "record"))
	if verb == "merge" {
		err = track.WithHint(err, track.Hint{Text: "nothing of this is recorded: track merge --dry-run with the same files lists it again"})
	}
	for _, hint := range []struct{ kind, text string }{
		{"seed", "of a seed, one measurement can count: look at both with track show seed, there with --db OTHER; track record seed --replace puts another in place"},
		{"spec", "of a scenario, one list of specs can count: add what is missing with track spec add, and track rescore judges all seeds under it"},
		{"lineage", "one name, two histories: merge that file into another database with --db, and compare"},
	} {
		if kinds[hint.kind] {
			err = track.WithHint(err, track.Hint{Text: hint.text})
		}
	}
	return err
}
