package seeds

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"time"

	"track"
	"track/internal/admission"
	"track/spec"
	"track/store"
)

// PrepareRecorded prepares a seed of another database. Its digest stays, whatever is masked: it names the measurement
// in both.
func PrepareRecorded(seed track.Seed, record track.SeedRecord, rules *admission.Rules) (Prepared, error) {
	if len(record.Pruned) == 0 && seed.Digest() != record.Digest {
		return Prepared{}, &track.FieldError{Field: "recorded.digest", Message: "differs from what the line says: it was changed"}
	}
	artifacts := slices.Clone(seed.Artifacts)
	p, err := Prepare(seed, rules)
	p.ID, p.RecordedAt, p.digest, p.Artifacts = record.ID, record.At, record.Digest, artifacts // a content in which something is masked is left out when it is stored
	return p, err
}

// RecordWhole stores a seed of another database in a transaction, with what that database knows of it. Of two records
// of one measurement, the earlier one counts. A seed that was superseded on one side is superseded. It is judged under
// the specs that it was judged under there, as far as they are here.
func (r *Recorder) RecordWhole(ctx context.Context, tx *store.Tx, p Prepared, there track.SeedRecord) (result RecordResult, err error) {
	w := wholeRecord{Recorder: r, ctx: ctx, tx: tx, seed: p, there: there}
	same, err := tx.SeedOfID(there.ID)
	switch {
	case err != nil:
		return result, err
	case same != nil && same.Digest == p.digest:
		return RecordResult{Disposition: track.Duplicate}, w.complete(*same)
	case same != nil:
		return RecordResult{Disposition: track.Conflict, Problem: &track.FieldError{Message: "another seed here has its id"}}, nil
	case !there.SupersededAt.IsZero():
		return w.addAside(there.SupersededAt, time.Time{})
	}
	withdrawn, here, err := tx.Withdrawal(p.Seed, p.digest)
	if err != nil {
		return result, err
	}
	if withdrawn != nil && here == nil {
		return w.addAside(withdrawn.At, withdrawn.At)
	}
	if here == nil {
		if here, err = tx.SeedInPlace(p.Seed); err != nil {
			return result, err
		}
	}
	switch {
	case here == nil:
		return w.add(track.Recorded)
	case here.Digest == p.digest:
		return RecordResult{Disposition: track.Duplicate}, w.complete(*here)
	}
	return w.replace(*here)
}

// wholeRecord is a seed of another database as it is recorded.
type wholeRecord struct {
	*Recorder
	ctx   context.Context
	tx    *store.Tx
	seed  Prepared
	there track.SeedRecord
}

// replace decides between two measurements of one seed. What was superseded on one side stays superseded; two that
// superseded each other are a conflict.
func (w wholeRecord) replace(here store.SeedHere) (RecordResult, error) {
	supersededHere, err := w.tx.WasSuperseded(w.seed.Seed, w.seed.digest)
	if err != nil {
		return RecordResult{}, err
	}
	switch supersededThere := slices.Contains(w.there.Replaces, here.Digest); {
	case supersededHere && !supersededThere:
		return RecordResult{Disposition: track.Duplicate}, nil
	case supersededHere || !supersededThere:
		return conflict(w.ctx, w.tx, here.Row, w.seed.Seed)
	}
	if err := w.tx.SupersedeAt(here.Row, w.there.At); err != nil {
		return RecordResult{}, err
	}
	return w.add(track.Replaced)
}

func (w wholeRecord) add(d track.Disposition) (RecordResult, error) {
	row, existing, err := w.tx.AddSeed(w.seed.Seed, w.seed.digest)
	if err == nil && existing != nil {
		err = fmt.Errorf("seed %s is recorded meanwhile", w.seed.Number)
	}
	if err != nil {
		return RecordResult{}, err
	}
	return w.addParts(d, row)
}

// addAside adds a seed that does not count.
func (w wholeRecord) addAside(supersededAt, withdrawnAt time.Time) (RecordResult, error) {
	row, err := w.tx.AddRecordedSeed(w.seed.Seed, w.seed.digest, supersededAt, withdrawnAt)
	if err != nil {
		return RecordResult{}, err
	}
	return w.addParts(track.Recorded, row)
}

func (w wholeRecord) addParts(d track.Disposition, row int64) (result RecordResult, err error) {
	result.Disposition = d
	err = cmp.Or(w.tx.AddSeries(row, w.seed.series), w.tx.AddArtifacts(row, w.seed.Artifacts), w.tx.AddPruned(row, w.there.Pruned), w.tx.AddMissingRun(row, w.seed.Run))
	if err == nil {
		err = w.repeated(w.seed.ID)
	}
	if err != nil {
		return result, err
	}
	judged, err := w.judge(row, true)
	if err != nil || w.seed.Outcome != track.OutcomeOK || !w.there.SupersededAt.IsZero() {
		return result, err
	}
	newest, err := w.specFor(w.ctx, w.tx, w.seed.Scenario)
	result.IsUnjudged = newest != nil && !slices.Contains(judged, newest.Hash)
	return result, err
}

// complete adds to a seed here what the same seed elsewhere has.
func (w wholeRecord) complete(here store.SeedHere) error {
	id := here.ID
	if cmp.Or(w.there.At.Compare(here.RecordedAt), cmp.Compare(w.there.ID, here.ID)) < 0 {
		if err := w.tx.TakeEarlierSeed(here.Row, w.seed.Seed, w.seed.digest); err != nil {
			return err
		}
		id = w.there.ID
	}
	err := cmp.Or(w.tx.AddMissingRun(here.Row, w.seed.Run), w.tx.RestoreContents(w.seed.series, w.seed.Artifacts), w.repeated(id))
	if err == nil {
		_, err = w.judge(here.Row, false)
	}
	return err
}

// repeated adds the repetitions of the seed to the one with an ID.
func (w wholeRecord) repeated(id string) error {
	for _, r := range w.there.Repetitions {
		if err := w.tx.AddRepetition(id, r); err != nil {
			return err
		}
	}
	return nil
}

// judge judges the seed under the specs that it was judged under there, and returns the hashes of those that are here.
func (w wholeRecord) judge(row int64, isNew bool) (judged []string, err error) {
	for _, j := range w.there.Judged {
		active, err := w.specOf(j.Spec)
		if err != nil {
			return nil, err
		}
		if active == nil {
			continue
		}
		judged = append(judged, j.Spec)
		if !isNew {
			if known, err := w.tx.Assessed(w.ctx, []int64{row}, active.ID); err != nil || known[row] {
				if err != nil {
					return nil, err
				}
				continue
			}
		}
		computed := j.Computed
		if len(computed) == 0 && len(active.series) > 0 {
			computed, _ = active.decoded.Compute(w.seed.Values, w.seed.source(), true)
		}
		if err := addAssessment(w.tx, row, active.ID, assess(active.decoded, w.seed.Values, computed), computed); err != nil {
			return nil, err
		}
	}
	return judged, nil
}

// specOf returns the spec of a hash; nil if it is not here.
func (w wholeRecord) specOf(hash string) (*activeSpec, error) {
	key := w.seed.Scenario + "\x00" + hash
	if known, asked := w.current[key]; asked {
		return known, nil
	}
	list, err := w.tx.SpecHashes(w.ctx, w.seed.Scenario)
	if err != nil {
		return nil, err
	}
	w.current[key] = nil
	for i, s := range list {
		if s.Hash == hash {
			w.current[key], err = w.decoded(key, i+1)
		}
	}
	return w.current[key], err
}

// decoded returns a version of the spec of the seed, which it decodes once.
func (w wholeRecord) decoded(key string, version int) (*activeSpec, error) {
	if known := w.specs[key]; known != nil {
		return known, nil
	}
	stored, err := w.tx.Spec(w.ctx, w.seed.Scenario, version)
	if err != nil {
		return nil, err
	}
	active, err := newActiveSpec(stored)
	w.specs[key] = active
	return active, err
}

func newActiveSpec(stored store.Spec) (*activeSpec, error) {
	decoded, err := spec.Decode(stored.Document)
	if err != nil {
		return nil, fmt.Errorf("spec %s@%d: %w", stored.Scenario, stored.Version, err)
	}
	active := &activeSpec{Spec: stored, decoded: decoded, metrics: map[string]bool{}, series: decoded.Series()}
	for _, m := range decoded.Metrics {
		active.metrics[m.Name] = true
	}
	return active, nil
}
