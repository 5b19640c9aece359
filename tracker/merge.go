package tracker

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"track"
	"track/evolution"
	"track/spec"
	"track/store"
	"track/tracker/lineages"
	"track/tracker/seeds"
)

// MergeOptions say how another database is brought in.
type MergeOptions struct {
	store.MergeOptions
	Whole    bool                // in one transaction, for a target that nobody else waits for
	Conflict func(MergeConflict) // hears of each conflict; may be nil
	Progress func(done int)      // may be nil
}

// MergeConflict is what stands here and there, and differs. What is here stays.
type MergeConflict struct {
	store.MergeConflict
	Differences []seeds.Difference // of a seed, the first
	NMore       int                // further differences
}

// differencesNamed is how many values of a seed in conflict are named.
const differencesNamed = 3

// MergedLineage says what became of the ledger of a lineage.
type MergedLineage struct {
	Lineage  string
	Entries  int // added
	Known    int
	Conflict bool
}

// MergeReport says what became of what another database holds.
type MergeReport struct {
	store.MergeCounts
	Lineages []MergedLineage
}

// Conflicts counts what was left out because something else stands in its place.
func (r MergeReport) Conflicts() int {
	n := r.Specs.Conflicts + r.Seeds.Conflicts + r.Versions.Conflicts + r.Executions.Conflicts
	for _, l := range r.Lineages {
		if l.Conflict {
			n++
		}
	}
	return n
}

// Merge brings in what the database at path holds. What is here stays; merging the same again does nothing, and where it ended early it
// continues.
func Merge(ctx context.Context, st *store.Store, path string, o MergeOptions) (r MergeReport, err error) {
	m, err := st.NewMerger(ctx, path, o.MergeOptions)
	if err != nil {
		return r, err
	}
	defer func() { err = errors.Join(m.Blame(context.WithoutCancel(ctx), err), m.Close()) }()
	if o.Conflict == nil {
		o.Conflict = func(MergeConflict) {}
	}
	if o.Progress == nil {
		o.Progress = func(int) {}
	}
	m.Observe(func(c store.MergeConflict) { o.Conflict(mergeConflict(c)) }, o.Progress)
	other, err := store.Open(ctx, path, st.Now)
	if err != nil {
		return r, err
	}
	defer func() { err = errors.Join(err, other.Close()) }()
	if err := checkSpecs(ctx, other.Reader); err != nil {
		return r, fmt.Errorf("%s: %w", path, err)
	}
	if r.Lineages, err = mergeLineages(ctx, st, other, o); err != nil {
		return r, err
	}
	work := func() error { return mergeRecords(ctx, m) }
	if o.Whole {
		err = m.Whole(ctx, work)
	} else {
		err = work()
	}
	r.MergeCounts = m.Counts()
	if err == nil && !o.DryRun {
		err = reckonMerged(ctx, st, r.Lineages)
	}
	return r, errors.Join(err, m.Sync())
}

// reckonMerged notes the trials that a ledger counts and that did not come along, for want of their scenario or because others stand in their place.
func reckonMerged(ctx context.Context, st *store.Store, merged []MergedLineage) error {
	for _, l := range merged {
		if l.Conflict {
			continue
		}
		err := st.Update(ctx, func(tx *store.Tx) error {
			return lineages.CountTrialsElsewhere(ctx, tx, tx.Reader, l.Lineage, false)
		})
		if err != nil {
			return err
		}
	}
	return nil
}

func mergeRecords(ctx context.Context, m *store.Merger) error {
	if err := m.Definitions(ctx, describeSpec); err != nil {
		return err
	}
	if err := m.Seeds(ctx); err != nil {
		return err
	}
	return m.Executions(ctx)
}

func mergeConflict(c store.MergeConflict) MergeConflict {
	merged := MergeConflict{MergeConflict: c}
	if c.Kind != "seed" {
		return merged
	}
	all := seeds.Differences(c.Here.Values, c.There.Values)
	n := min(len(all), differencesNamed)
	merged.Differences, merged.NMore = all[:n:n], len(all)-n
	return merged
}

// Describe says what differs.
func (c MergeConflict) Describe() string {
	if c.Kind != "seed" || c.Reason != "" {
		return c.Reason
	}
	r := seeds.RecordResult{Outcome: c.Here.Outcome, Differences: c.Differences}
	text := r.DescribeConflict(c.There.Outcome)
	if c.NMore > 0 {
		text += fmt.Sprintf("; and %d more values", c.NMore)
	}
	return text
}

// checkSpecs compares specs with their hashes.
func checkSpecs(ctx context.Context, other *store.Reader) error {
	list, err := other.Specs(ctx)
	if err != nil {
		return err
	}
	for _, stored := range list {
		if _, err := describeSpec(stored); err != nil {
			return err
		}
	}
	return nil
}

// describeSpec says what the metrics of a stored spec are.
func describeSpec(stored store.Spec) ([]store.SpecMetric, error) {
	decoded, err := spec.Decode(stored.Document)
	if err == nil && (spec.Hash(decoded) != stored.Hash || decoded.Scenario != stored.Scenario) {
		err = errors.New("it is not what its hash says")
	}
	if err != nil {
		return nil, fmt.Errorf("%w: spec %s@%d: %w", track.ErrInvalid, stored.Scenario, stored.Version, err)
	}
	return seeds.SpecMetrics(decoded), nil
}

// mergeLineages brings in ledgers, before the executions that their evidence came from.
func mergeLineages(ctx context.Context, st, other *store.Store, o MergeOptions) (list []MergedLineage, err error) {
	names, err := other.EvolvingNames(ctx)
	if err != nil {
		return nil, err
	}
	narrowed := len(o.Scenarios)+len(o.Lineages) > 0
	for _, name := range names {
		if narrowed && !slices.Contains(o.Lineages, name) {
			continue
		}
		l, err := mergeLineage(ctx, st, other, name, o.DryRun)
		if errors.Is(err, track.ErrConflict) || errors.Is(err, lineages.ErrReplay) || errors.Is(err, track.ErrInvalid) {
			l, err = MergedLineage{Lineage: name, Conflict: true}, o.told(name, err)
		}
		if err != nil {
			return list, err
		}
		list = append(list, l)
	}
	return list, nil
}

func (o MergeOptions) told(lineage string, why error) error {
	o.Conflict(MergeConflict{MergeConflict: store.MergeConflict{Kind: "lineage", Scenario: lineage, Reason: why.Error()}})
	return nil
}

func mergeLineage(ctx context.Context, st, other *store.Store, name string, dryRun bool) (MergedLineage, error) {
	there, err := other.Evolving(ctx, name)
	if err != nil {
		return MergedLineage{}, err
	}
	here, err := st.Evolving(ctx, name)
	if err == nil && here.End == there.End && here.End.Number > 0 && here.TrialsElsewhere <= there.TrialsElsewhere {
		return MergedLineage{Lineage: name, Known: here.End.Number}, nil
	}
	if err != nil && !errors.Is(err, track.ErrNotFound) {
		return MergedLineage{}, err
	}
	x, err := lineages.Export(ctx, other.Reader, name)
	if err != nil {
		return MergedLineage{}, err
	}
	if dryRun {
		return foreseeLineage(ctx, st.Reader, here, x.Entries, x.End)
	}
	replayed, err := lineages.CheckExport(x)
	if err != nil {
		return MergedLineage{}, err
	}
	var r lineages.Imported
	err = st.Update(ctx, func(tx *store.Tx) error {
		reads := tx.Reader
		if r, err = lineages.Write(ctx, tx, reads, x, replayed); err != nil {
			return err
		}
		l, err := reads.Evolving(ctx, name)
		if err != nil {
			return err
		}
		if n := there.TrialsElsewhere; r.Created || n < l.TrialsElsewhere { // its trials come along
			return tx.SetTrialsElsewhere(l.ID, n)
		}
		return nil
	})
	return MergedLineage{Lineage: name, Entries: r.Entries, Known: r.Known}, err
}

// foreseeLineage says what importing a ledger would come to.
func foreseeLineage(ctx context.Context, st *store.Reader, here store.Evolving, there []evolution.Entry, end evolution.Head) (MergedLineage, error) {
	if len(there) == 0 {
		return MergedLineage{}, fmt.Errorf("%w: the lineage has no entry of a ledger", track.ErrInvalid)
	}
	l := MergedLineage{Lineage: there[0].Lineage}
	if replayed := evolution.ReplayLedger(there, end); len(replayed.Differences) > 0 {
		return l, fmt.Errorf("%w: %s", lineages.ErrReplay, replayed.Differences[0])
	}
	var entries []evolution.Entry
	if here.ID != 0 {
		var err error
		if entries, err = st.Entries(ctx, here, store.EntryFilter{}); err != nil {
			return l, err
		}
	}
	l.Known = min(len(entries), len(there))
	l.Entries = len(there) - l.Known
	return l, lineages.CheckSameHistory(l.Lineage, entries[:l.Known], there)
}
