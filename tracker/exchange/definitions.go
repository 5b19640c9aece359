package exchange

import (
	"context"
	"fmt"
	"slices"

	"track"
	"track/store"
	"track/tracker/seeds"
)

// scenarioRecord is a scenario with all versions of its spec.
type scenarioRecord struct{ store.ScenarioRecord }

// sweepRecord is a sweep of another database.
type sweepRecord struct{ track.Sweep }

// pinRecord is the pin of a baseline, or the removal of one.
type pinRecord struct{ store.PinRecord }

// lookRecord is an interim analysis.
type lookRecord struct{ store.Look }

func (scenarioRecord) needs() Rights { return BringFacts }
func (sweepRecord) needs() Rights    { return BringFacts }
func (pinRecord) needs() Rights      { return bringPins }
func (lookRecord) needs() Rights     { return bringJudgements }

func (scenarioRecord) isKnown() bool { return false }
func (sweepRecord) isKnown() bool    { return false }
func (pinRecord) isKnown() bool      { return false }
func (lookRecord) isKnown() bool     { return false }

// settle adds the versions of a spec that continue the list here. If both sides added versions, the list here stays.
func (s scenarioRecord) settle(ctx context.Context, d *Door, r *store.Reader, tx *store.Tx) (answers []Answer, err error) {
	here, known, err := r.ScenarioSpecs(ctx, s.Name)
	if err != nil {
		return nil, err
	}
	answers = append(answers, answerFor(kindScenario, known))
	continues := true // what is here is the beginning of what is there
	for i, hash := range here {
		continues = continues && i < len(s.Specs) && s.Specs[i].Hash == hash
	}
	hashes := slices.Clone(here)
	var carried []store.Spec
	for _, version := range s.Specs {
		switch {
		case slices.Contains(here, version.Hash):
			answers = append(answers, answerFor(kindSpec, true))
			carried = append(carried, version)
		case !continues:
			answers = append(answers, Answer{Kind: kindSpec, Outcome: conflicting, Conflict: &Conflict{
				Kind: kindSpec, Scenario: s.Name, Name: fmt.Sprint(version.Version),
				Reason: "both sides added a version after the last one that they share; its judgements are left out",
			}})
		default:
			answers = append(answers, answerFor(kindSpec, false))
			carried, hashes = append(carried, version), append(hashes, version.Hash)
		}
	}
	d.specs[s.Name] = hashes
	if tx == nil {
		return answers, nil
	}
	return answers, s.write(tx, carried)
}

// write stores a scenario and versions of its spec.
func (s scenarioRecord) write(tx *store.Tx, versions []store.Spec) error {
	if err := tx.CarryScenario(s.ScenarioRecord); err != nil {
		return err
	}
	for _, version := range versions {
		metrics, err := seeds.StoredMetrics(version)
		if err == nil {
			err = tx.CarrySpec(version, metrics)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// checkSpecs compares specs with their hashes.
func checkSpecs(ctx context.Context, r *store.Reader) error {
	list, err := r.Specs(ctx)
	if err != nil {
		return err
	}
	for _, stored := range list {
		if _, err := seeds.StoredMetrics(stored); err != nil {
			return err
		}
	}
	return nil
}

func (s sweepRecord) settle(ctx context.Context, d *Door, r *store.Reader, tx *store.Tx) ([]Answer, error) {
	for _, p := range s.Planned {
		if err := d.countConfiguration(ctx, r, p.Configuration.Hash()); err != nil {
			return nil, err
		}
	}
	known, err := r.HasSweep(ctx, s.ID)
	if err == nil && tx != nil {
		err = tx.CarrySweep(s.Sweep)
	}
	return []Answer{answerFor(kindSweep, known)}, err
}

func (p pinRecord) settle(ctx context.Context, d *Door, r *store.Reader, tx *store.Tx) ([]Answer, error) {
	if p.Configuration != nil {
		if err := d.countConfiguration(ctx, r, p.Configuration.Hash); err != nil {
			return nil, err
		}
	}
	known, err := r.HasPin(ctx, p.ULID)
	if err == nil && tx != nil {
		err = tx.CarryPin(p.PinRecord)
	}
	return []Answer{answerFor(kindPin, known)}, err
}

func (l lookRecord) settle(ctx context.Context, _ *Door, r *store.Reader, tx *store.Tx) ([]Answer, error) {
	known, err := r.HasLook(ctx, l.Look)
	if err == nil && tx != nil {
		err = tx.CarryLook(l.Look)
	}
	return []Answer{answerFor(kindLook, known)}, err
}
