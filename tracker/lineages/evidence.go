package lineages

import (
	"context"
	"errors"
	"fmt"
	"math"

	"track"
	"track/evolution"
	"track/store"
)

// compareEvidence compares the evidence of decisions with what is recorded now.
func compareEvidence(ctx context.Context, r *store.Reader, evolving store.Evolving, report *ReplayReport) error {
	byMeasure := evidenceReader{reader: r, trials: map[string]recorded{}}
	l := Lineage{Evolving: evolving, Settings: report.Settings}
	index := map[string]int{}
	for i, m := range report.Mutations {
		index[m.Mutation] = i
	}
	for _, e := range report.Events {
		switch body := e.Body.(type) {
		case evolution.Creation:
			l.Settings = body.Settings
		case evolution.SettingsChange:
			l.Settings = body.Settings
		case evolution.Record:
			i, exists := index[e.Mutation]
			if !exists || len(report.Mutations[i].Parents) == 0 {
				continue // the replay has named it
			}
			m := report.Mutations[i]
			trials, err := byMeasure.of(ctx, l)
			if err != nil {
				return err
			}
			if err := report.compareDecision(trials, e.Entry, body, m.Child.Label, m.Parents[0].Label); err != nil {
				return err
			}
		}
	}
	return nil
}

// compareExecutions names the executions of the lineage, and their scores, that differ from their checksums.
func compareExecutions(ctx context.Context, r *store.Reader, evolving store.Evolving, report *ReplayReport) error {
	_, err := r.CheckExecutions(ctx, evolving.ID, func(d store.Damage) {
		report.differs(evolution.Kind(d.Table), "", d.Record, differsFromChecksum, asRecorded)
	})
	return err
}

// evidenceReader reads the trials of all versions of a lineage once for all settings that choose the same trials and
// scores.
type evidenceReader struct {
	reader *store.Reader
	trials map[string]recorded
}

func (c evidenceReader) of(ctx context.Context, l Lineage) (recorded, error) {
	measure := l.measure()
	trials, found := c.trials[measure]
	if !found {
		var err error
		if trials, err = loadTrials(ctx, c.reader, l); err != nil {
			return trials, err
		}
		c.trials[measure] = trials
	}
	return trials, nil
}

// compareDecision compares the evidence of one decision.
func (r *ReplayReport) compareDecision(trials recorded, e evolution.Entry, record evolution.Record, child, parent string) error {
	sides, err := trials.sides(child, parent)
	if errors.Is(err, track.ErrNotFound) || errors.Is(err, track.ErrInvalid) { // nothing to compare with
		r.Differences = append(r.Differences, evolution.Difference{
			Number: e.Number, Kind: e.Kind, Mutation: e.Mutation, Attempt: record.Attempt, Field: "evidence", Stored: "recorded", Replayed: err.Error(), Missing: true,
		})
		return nil
	}
	if err == nil {
		r.compareSide(e, "child", record.Evidence.Child, sides[0].Trials)
		r.compareSide(e, "parent", record.Evidence.Parent, sides[1].Trials)
		if m := record.Evidence.Measurement; m != nil {
			r.compareSide(e, "measurement.child", m.Child, sides[0].Measured[measuredSide(record.Mutation, SideChild)])
			r.compareSide(e, "measurement.parent", m.Parent, sides[1].Measured[measuredSide(record.Mutation, SideParent)])
		}
	}
	return err
}

func (r *ReplayReport) compareSide(e evolution.Entry, side string, then, now []evolution.Trial) {
	recorded := make(map[string]evolution.Trial, len(now))
	for _, t := range now {
		recorded[t.ID] = t
	}
	for _, t := range then {
		r.NStrict++
		is, there := recorded[t.ID]
		d := evolution.Difference{Number: e.Number, Kind: e.Kind, Mutation: e.Mutation, Field: fmt.Sprintf("evidence.%s[%s]", side, t.ID), Stored: trialText(t), Replayed: notRecorded}
		if e.Attempt != nil {
			d.Attempt = *e.Attempt
		}
		if d.Missing = !there; there {
			d.Replayed = trialText(is)
		}
		if d.Stored != d.Replayed {
			r.Differences = append(r.Differences, d)
		}
	}
}

// trialText is all that counts of a trial.
func trialText(t evolution.Trial) string {
	score := numberText(t.Score)
	if t.Score != nil && *t.Score == 0 && math.Signbit(*t.Score) {
		score = "0"
	}
	return fmt.Sprintf("key %q, at %s, score %s %s, failed %q", t.Key, microsText(t.At), score, t.Under, t.Failed)
}
