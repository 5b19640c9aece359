package seeds

import (
	"context"
	"fmt"

	"track/scoring"
	"track/spec"
	"track/store"
)

// AddedSpec says what became of a spec that was handed over.
type AddedSpec struct {
	store.Spec
	Added  bool // false where the scenario has a version with the same content
	Scored int  // seeds that had waited for the scenario's first spec and were judged now
}

// AddSpec stores a spec as the next version of its scenario, unless the scenario has it. Seeds that were recorded before the
// scenario had any spec are judged under it; those judged under an earlier version are left as they are (see [Rescore]).
func AddSpec(ctx context.Context, st *store.Store, s scoring.Spec) (added AddedSpec, err error) {
	record := store.Spec{Scenario: s.Scenario, Title: s.Title, Document: spec.Canonical(s), Hash: spec.Hash(s)}
	metrics := SpecMetrics(s)
	err = st.Update(ctx, func(tx *store.Tx) error {
		added.Spec, added.Added, err = tx.AddSpec(record, metrics)
		return err
	})
	if err != nil || added.Version != 1 {
		return added, err
	}
	rescored, err := Rescore(ctx, st, s.Scenario, 1, RescoreOptions{})
	added.Scored = rescored.Scored
	return added, err
}

// LoadSpec returns a version of a scenario's spec, the newest for version 0, as it is stored and decoded.
func LoadSpec(ctx context.Context, st *store.Reader, scenario string, version int) (store.Spec, scoring.Spec, error) {
	stored, err := st.Spec(ctx, scenario, version)
	if err != nil {
		return stored, scoring.Spec{}, err
	}
	decoded, err := spec.Decode(stored.Document)
	if err != nil {
		err = fmt.Errorf("spec %s@%d: %w", scenario, stored.Version, err)
	}
	return stored, decoded, err
}

// SpecMetrics returns what is stored of the metrics of a spec.
func SpecMetrics(s scoring.Spec) []store.SpecMetric {
	metrics := make([]store.SpecMetric, len(s.Metrics))
	for i, m := range s.Metrics {
		metrics[i] = store.SpecMetric{Name: m.Name, Type: string(m.Target.Type()), Group: m.Group, Weight: m.Weight, Computed: m.From != nil}
	}
	return metrics
}
