package agents

import (
	"context"
	"errors"

	"track"
	"track/answer"
	"track/evolution"
	"track/store"
)

// deciding is how the executions of a lineage are scored: as for its decisions, or under a rubric that was asked for.
type deciding struct {
	rubric  string // of the scores, or another kind of score; empty for the active scores
	times   float64
	holdout *evolution.Holdout
	asked   bool // for the rubric: then all executions count
}

// loadDeciding returns how executions are scored. If no rubric is asked for, these are the scores that decide in the
// lineage; in a lineage without a ledger they are the active scores.
func loadDeciding(ctx context.Context, r *store.Reader, lineage, rubric string) (deciding, error) {
	d := deciding{rubric: rubric, times: 1, asked: rubric != ""}
	if d.asked {
		return d, nil
	}
	evolving, err := r.Evolving(ctx, lineage)
	if errors.Is(err, track.ErrNotFound) {
		return d, nil
	}
	if err != nil {
		return d, err
	}
	newest, err := r.NewestEntries(ctx, evolving, evolution.KindSettings, evolution.KindCreation)
	if err != nil {
		return d, err
	}
	var creation evolution.Creation
	change := evolution.SettingsChange{}
	if e, found := newest[evolution.KindSettings]; found {
		err = e.Decode(&change)
	} else if e, found := newest[evolution.KindCreation]; found {
		err = e.Decode(&creation)
		change.Settings = creation.Settings
	}
	d.rubric, d.times, d.holdout = string(change.Settings.ScoreFrom), change.Settings.Times(), change.Settings.Holdout
	return d, err
}

// trials returns the executions of a version with their components, the newest first. Holdout tasks and executions that
// may still go on have no score, as in decisions.
func (d deciding) trials(ctx context.Context, r *store.Reader, lineage, version string) (list []store.Trial, nHoldout int, err error) {
	list, err = versionTrials(ctx, r, lineage, version, d.rubric)
	for i := range list {
		t := &list[i]
		isHeld := !d.asked && (t.Holdout || d.holdout.Has(t.Task))
		if isHeld {
			nHoldout++
		}
		switch {
		case isHeld || t.Open && !d.asked:
			t.Score, t.Components = nil, nil
		case t.Score != nil && d.times != 1:
			score := *t.Score * d.times
			t.Score = &score
		}
	}
	return list, nHoldout, err
}

// basis names the scores of an answer.
func (d deciding) basis() answer.ScoreBasis {
	if d.asked {
		return answer.ScoreBasis{}
	}
	return answer.ScoreBasis{ScoreFrom: evolution.ScoreSource(d.rubric)}
}
