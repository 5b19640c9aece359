package lineages

import (
	"context"

	"track/evolution"
	"track/importer/lines"
	"track/store"
)

// Facts are what a report of a lineage is made of.
type Facts struct {
	Lineage   Lineage
	Entries   []evolution.Entry
	Replay    ReplayReport
	Versions  []VersionFacts // in the order in which they were recorded
	Operators []OperatorReport
	Totals    store.LineageTotals
	Export    lines.Lineage
}

// VersionFacts are a version with its content and its trials.
type VersionFacts struct {
	store.VersionState
	Trials VersionTrials
}

// LoadFacts collects what is known of a lineage, from one state of the database.
func LoadFacts(ctx context.Context, r *store.Reader, name string) (f Facts, err error) {
	err = r.Snapshot(ctx, func(r *store.Reader) error {
		s, err := loadStored(ctx, r, name)
		if err != nil {
			return err
		}
		f, err = factsOf(ctx, r, s)
		return err
	})
	return f, err
}

func factsOf(ctx context.Context, r *store.Reader, s stored) (f Facts, err error) {
	f.Entries, f.Replay = s.entries, replayStored(s)
	if f.Lineage, err = Load(ctx, r, s.Name); err != nil {
		return f, err
	}
	if err = compareEvidence(ctx, r, s.Evolving, &f.Replay); err != nil {
		return f, err
	}
	heads, err := r.HeadChanges(ctx, s.Evolving)
	if err != nil {
		return f, err
	}
	if f.Operators, err = operatorReports(f.Lineage, outcomesOf(s.mutations), heads); err != nil {
		return f, err
	}
	if f.Versions, err = versionFacts(ctx, r, f.Lineage, s.Versions); err != nil {
		return f, err
	}
	if f.Export, err = exportOf(ctx, r, s.Evolving, s.entries, s.Versions, f.Replay.Labels); err != nil {
		return f, err
	}
	if scenario := f.Lineage.scenario(); scenario != "" {
		f.Totals, err = r.ScenarioTotals(ctx, scenario)
	} else {
		f.Totals, err = r.ExecutionTotals(ctx, s.Evolving)
	}
	return f, err
}

func versionFacts(ctx context.Context, r *store.Reader, l Lineage, versions []store.VersionState) ([]VersionFacts, error) {
	trials, err := loadTrials(ctx, r, l, namesOf(versions)...)
	if err != nil {
		return nil, err
	}
	facts := make([]VersionFacts, len(versions))
	for i, v := range versions {
		own, err := trials.of(v.Name)
		if err != nil {
			return nil, err
		}
		facts[i] = VersionFacts{v, own}
	}
	return facts, nil
}
