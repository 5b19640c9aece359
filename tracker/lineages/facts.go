package lineages

import (
	"context"

	"track/evolution"
	"track/store"
)

// Facts are all that a report of a lineage is made of.
type Facts struct {
	Lineage   Lineage
	Entries   []evolution.Entry
	Replay    ReplayReport
	Versions  []VersionFacts // in the order in which they came into being
	Operators []OperatorReport
	Totals    store.LineageTotals
}

// VersionFacts are a version with its content and its trials.
type VersionFacts struct {
	VersionEntry
	Content *string
	Trials  VersionTrials
}

// LoadFacts collects, from one state of the database, what is known of a lineage.
func LoadFacts(ctx context.Context, st *store.Reader, name string) (f Facts, err error) {
	err = st.Snapshot(ctx, func(st *store.Reader) error {
		if f.Lineage, err = Load(ctx, st, name); err != nil {
			return err
		}
		if f.Entries, err = st.Entries(ctx, f.Lineage.Evolving, store.EntryFilter{}); err != nil {
			return err
		}
		if f.Replay, err = Replay(ctx, st, name, ReplayOptions{Strict: true}); err != nil {
			return err
		}
		if f.Operators, err = f.Lineage.operatorReports(ctx, st); err != nil {
			return err
		}
		if f.Versions, err = f.Lineage.versionFacts(ctx, st); err != nil {
			return err
		}
		if scenario := f.Lineage.Scenario(); scenario != "" {
			f.Totals, err = st.ScenarioTotals(ctx, scenario)
		} else {
			f.Totals, err = st.ExecutionTotals(ctx, f.Lineage.Evolving)
		}
		return err
	})
	return f, err
}

func (l Lineage) versionFacts(ctx context.Context, st *store.Reader) ([]VersionFacts, error) {
	entries, err := l.versionEntries(ctx, st, true)
	if err != nil {
		return nil, err
	}
	names := make([]string, len(entries))
	for i, v := range entries {
		names[len(entries)-1-i] = v.Name
	}
	trials, err := l.trialsOf(ctx, st, names)
	if err != nil {
		return nil, err
	}
	facts := make([]VersionFacts, len(entries))
	for i, v := range entries { // the newest first
		content, err := st.Content(ctx, l.Name, v.Name)
		if err != nil {
			return nil, err
		}
		facts[len(entries)-1-i] = VersionFacts{v, content, trials[v.Name]}
	}
	return facts, nil
}
