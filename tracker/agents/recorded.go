package agents

import (
	"cmp"
	"context"
	"fmt"

	"track"
	"track/store"
)

// AddRecorded stores an execution of another database within a transaction. Of two records of one execution, the one
// that has come further counts, with the ID and the time of the one that was recorded first. Truths and scores of both
// count, and what was forgotten in one of them is forgotten.
func (r *Recorder) AddRecorded(ctx context.Context, tx *store.Tx, e track.WholeExecution) (Result, error) {
	p := Prepared{ExecutionRecord: store.RecordOf(e), hasContentKey: IsContentKey(e.Key)}
	existing, unknown, err := r.find(ctx, tx.Reader, p)
	if err != nil {
		return Result{}, err
	}
	if existing == nil {
		if _, err := tx.Execution(ctx, p.ID); err == nil {
			return Result{Disposition: track.Conflict, Problem: &track.FieldError{Message: "another execution here has its id"}}, nil
		}
		if _, err = tx.AddExecution(p.ExecutionRecord); err == nil && !e.ForgottenAt.IsZero() {
			err = tx.ForgetAt(p.ID, e.ForgottenAt)
		}
		return Result{Disposition: track.Recorded}, err
	}
	result := Result{Disposition: p.against(*existing), ID: existing.ULID, NUnknown: unknown}
	isEarlier := cmp.Or(p.RecordedAt.Compare(existing.RecordedAt), cmp.Compare(p.ID, existing.ULID)) < 0
	forgottenAt := existing.ForgottenAt
	if forgottenAt.IsZero() || !e.ForgottenAt.IsZero() && e.ForgottenAt.Before(forgottenAt) {
		forgottenAt = e.ForgottenAt
	}
	switch result.Disposition {
	case track.Conflict:
		result.Problem = &track.FieldError{Message: "the record here differs: it is " + existing.ULID}
		return result, nil
	case track.Replaced:
		here, err := tx.ExecutionByRow(ctx, existing.Row())
		if err != nil {
			return result, err
		}
		p.Truths = merged(p.Truths, here.Truths)
		if !isEarlier {
			p.ID, p.RecordedAt = existing.ULID, existing.RecordedAt
		}
		if err := tx.ReplaceExecution(*existing, p.ExecutionRecord); err != nil {
			return result, fmt.Errorf("replace execution %s: %w", existing.ULID, err)
		}
		existing.ULID = p.ID
	default:
		if err := tx.AddRecordedParts(*existing, p.ExecutionRecord); err != nil {
			return result, err
		}
		if isEarlier {
			if err := tx.TakeEarlierExecution(*existing, p.ID, p.RecordedAt); err != nil {
				return result, err
			}
			existing.ULID = p.ID
		}
	}
	if !forgottenAt.Equal(existing.ForgottenAt) {
		err = tx.ForgetAt(existing.ULID, forgottenAt)
	}
	return result, err
}

// against says what becomes of an execution of another database if another is recorded under its identity.
func (p Prepared) against(existing store.ExistingExecution) track.Disposition {
	switch {
	case existing.Same && existing.Open == p.Open && p.Masking > existing.Masking && !existing.HasDigest(p.Digest):
		return track.Replaced // better rules masked it
	case existing.Same && existing.Open == p.Open:
		return track.Duplicate
	case !existing.Open && !p.Open:
		return track.Conflict
	case existing.Open && (!p.Open || p.further(existing) > 0):
		return track.Replaced
	}
	return track.Duplicate
}

func merged(a, b map[string]float64) map[string]float64 {
	all := map[string]float64{}
	for _, part := range []map[string]float64{a, b} {
		for name, value := range part {
			all[name] = value
		}
	}
	return all
}
