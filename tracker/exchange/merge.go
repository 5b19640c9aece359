package exchange

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"track"
	"track/answer"
	"track/store"
	"track/tracker/lineages"
)

// MergeOptions say which parts of another database are merged; without names, all of it.
type MergeOptions struct {
	Scenarios []string // with their seeds, specs, baselines and sweeps
	Lineages  []string // with their versions and executions
	DryRun    bool     // find out what would come, and store nothing
	Page      int      // seeds or executions in a transaction; 0 for as many as other processes can wait for

	Conflict func(Conflict) // is called for each conflict; may be nil
	Progress func(done int) // may be nil
}

func (o MergeOptions) isNarrowed() bool { return len(o.Scenarios)+len(o.Lineages) > 0 }

// Merge records again what another database holds: its records as they are, with their judgements and ledgers. What
// is here stays. Merging the same again changes nothing, and after an interruption the same merge continues.
func Merge(ctx context.Context, to, from *store.Store, o MergeOptions) (r answer.MergeCounts, err error) {
	if o.Conflict == nil {
		o.Conflict = func(Conflict) {}
	}
	if o.Progress == nil {
		o.Progress = func(int) {}
	}
	m := merge{Door: NewDoor(to, Owner, nil, o.DryRun), options: o, path: from.Path()}
	err = from.Snapshot(ctx, func(from *store.Reader) error {
		m.from = from
		return m.run(ctx)
	})
	r = m.counts
	var here *hereError
	if errors.As(err, &here) {
		err = here.error
	} else {
		err = store.ReadError(m.path, err)
	}
	return r, m.sync(err)
}

// merge is a merge as it goes on.
type merge struct {
	*Door
	options MergeOptions
	path    string
	from    *store.Reader
}

func (m *merge) run(ctx context.Context) error {
	if err := checkSpecs(ctx, m.from); err != nil {
		return fmt.Errorf("%s: %w", m.path, err)
	}
	if !m.options.isNarrowed() { // a part is only taken for a bundle, whose names were admitted when they were recorded
		if err := m.from.CheckNames(ctx, m.store.Reader); err != nil {
			return err
		}
	}
	scenarios, err := m.from.ScenarioRecords(ctx)
	if err != nil {
		return err
	}
	records, err := m.from.LineageRecords(ctx)
	if err != nil {
		return err
	}
	if m.options.isNarrowed() {
		if scenarios, err = choose(scenarios, m.options.Scenarios, "scenario", m.path, func(s store.ScenarioRecord) string { return s.Name }); err != nil {
			return err
		}
		if records, err = choose(records, m.options.Lineages, "lineage", m.path, func(l store.LineageRecord) string { return l.Name }); err != nil {
			return err
		}
	}
	for _, step := range []func() error{
		func() error { return m.tombstones(ctx) },
		func() error { return m.ledgers(ctx, records) },
		func() error { return m.definitions(ctx, scenarios, records) },
		func() error { return m.seeds(ctx, scenarios) },
		func() error { return m.order(ctx, scenarios) },
		func() error { return m.executions(ctx, records) },
		func() error { return m.completeLineages(ctx) },
	} {
		if err := step(); err != nil {
			return err
		}
	}
	return nil
}

// choose keeps what the names name. A name of nothing is an error.
func choose[T any](all []T, names []string, what, path string, nameOf func(T) string) (chosen []T, err error) {
	missing := slices.Clone(names)
	for _, x := range all {
		if name := nameOf(x); slices.Contains(names, name) {
			chosen = append(chosen, x)
			missing = slices.DeleteFunc(missing, func(m string) bool { return m == name })
		}
	}
	if len(missing) > 0 {
		slices.Sort(missing)
		return nil, fmt.Errorf("%s %s in %s: %w", what, strings.Join(missing, ", "), path, track.ErrNotFound)
	}
	return chosen, nil
}

// put puts a record, and reports its conflicts.
func (m *merge) put(ctx context.Context, record Record) error {
	answers, err := m.Put(ctx, record)
	for _, a := range answers {
		if a.Conflict != nil {
			m.options.Conflict(*a.Conflict)
		}
	}
	if err != nil {
		return &hereError{store.WriteError(m.path, err)}
	}
	return nil
}

// ledgers brings in ledgers, before the executions that their evidence came from.
func (m *merge) ledgers(ctx context.Context, records []store.LineageRecord) error {
	names, err := m.from.EvolvingNames(ctx)
	if err != nil {
		return err
	}
	for _, name := range names {
		if !slices.ContainsFunc(records, func(l store.LineageRecord) bool { return l.Name == name }) {
			continue
		}
		l, problem, err := m.ledger(ctx, name)
		if err != nil {
			return err
		}
		if problem != nil {
			m.options.Conflict(*problem)
		}
		m.counts.Lineages = append(m.counts.Lineages, l)
	}
	return nil
}

// definitions brings in what seeds and executions refer to.
func (m *merge) definitions(ctx context.Context, scenarios []store.ScenarioRecord, records []store.LineageRecord) error {
	names := map[string]bool{}
	for _, s := range scenarios {
		names[s.Name] = true
		if err := m.put(ctx, scenarioRecord{s}); err != nil {
			return err
		}
	}
	if err := m.withdrawals(ctx, names); err != nil {
		return err
	}
	sweeps, err := m.from.Sweeps(ctx, store.SweepFilter{})
	if err != nil {
		return err
	}
	for _, s := range slices.Backward(sweeps) { // the oldest first
		if names[s.Scenario] {
			if err := m.put(ctx, sweepRecord{s.Sweep}); err != nil {
				return err
			}
		}
	}
	pins, err := m.from.PinRecords(ctx)
	if err != nil {
		return err
	}
	for _, p := range pins {
		if names[p.Scenario] {
			if err := m.put(ctx, pinRecord{p}); err != nil {
				return err
			}
		}
	}
	if err := m.annotations(ctx, names); err != nil {
		return err
	}
	looks, err := m.from.LookRecords(ctx)
	if err != nil {
		return err
	}
	for _, l := range looks { // they are hashes that name no scenario: all of them come
		if err := m.put(ctx, lookRecord{l}); err != nil {
			return err
		}
	}
	evolving, err := m.from.EvolvingNames(ctx)
	if err != nil {
		return err
	}
	for _, record := range records {
		l, err := readLineage(ctx, m.from, record, slices.Contains(evolving, record.Name), m.store.Texts())
		if err == nil {
			err = m.put(ctx, l)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// order puts the configurations of scenarios in the order of their first seeds, as they are if one database records
// all seeds. It does so even if no seed is new, since the merge before may have been cut short.
func (m *merge) order(ctx context.Context, scenarios []store.ScenarioRecord) error {
	if m.dryRun {
		return nil
	}
	for _, s := range scenarios {
		order, err := m.store.PairOrder(ctx, s.Name)
		if err == nil && order != nil {
			err = m.store.UpdateRelaxed(ctx, func(tx *store.Tx) error {
				if order, err = tx.PairOrder(ctx, s.Name); err != nil || order == nil {
					return err
				}
				return tx.Reorder(*order)
			})
		}
		if err != nil {
			return &hereError{err}
		}
	}
	return nil
}

// completeLineages notes the trials that a ledger counts and that did not come along.
func (m *merge) completeLineages(ctx context.Context) error {
	if m.dryRun {
		return nil
	}
	for _, l := range m.counts.Lineages {
		if l.Conflict {
			continue
		}
		err := m.store.Update(ctx, func(tx *store.Tx) error { return lineages.CountTrialsElsewhere(ctx, tx, l.Lineage, false) })
		if err != nil {
			return &hereError{err}
		}
	}
	return nil
}

// hereError is an error of the database that records are put into, while another one is read.
type hereError struct{ error }

func (e *hereError) Unwrap() error { return e.error }
