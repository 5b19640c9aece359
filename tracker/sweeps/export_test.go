package sweeps

import (
	"context"

	"track"
	"track/tracker/seeds"
)

// What the tests in sweeps_test see besides the exported names.

var ParsePrecision = parsePrecision

const (
	PrecisionPassWidth = precisionPassWidth
	PrecisionSE        = precisionSE
	PrecisionWidth     = precisionWidth
)

// Observed lets a test see when a sweep records seeds and when it waits for the disk, and let the latter fail.
func (s *Sweeper) Observed(onRecord func([]track.Seed), onSync func() error) {
	s.records = observedRecords{s.records, onRecord, onSync}
}

type observedRecords struct {
	records
	onRecord func([]track.Seed)
	onSync   func() error
}

func (o observedRecords) record(ctx context.Context, list []track.Seed) ([]track.Seed, []seeds.RecordResult, error) {
	o.onRecord(list)
	return o.records.record(ctx, list)
}

func (o observedRecords) Sync() error {
	if err := o.records.Sync(); err != nil {
		return err
	}
	return o.onSync()
}
