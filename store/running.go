package store

import (
	"context"
	"fmt"

	"track"
)

// Running are the claims of all processes at one time. What a process claims that is killed is not among them: on a file
// at once, on a server after its lease.
type Running struct{ places map[int64]bool }

// Running returns what processes have claimed now. It knows nothing of processes that record elsewhere first, and of
// files on systems without locks of bytes. A process that has claims itself must not ask: on a file, that ends them.
func (r *Reader) Running(ctx context.Context) (Running, error) {
	places, err := r.pool.engine.claimed(ctx, r)
	if err != nil {
		return Running{}, fmt.Errorf("claims: %w", explain(err))
	}
	running := Running{make(map[int64]bool, len(places))}
	for _, place := range places {
		running.places[place] = true
	}
	return running, nil
}

// HasSweep reports whether a process runs a sweep.
func (r Running) HasSweep(id string) bool { return r.places[sweepPlace(id)] }

// Seeds returns those of the seeds of a configuration that processes run.
func (r Running) Seeds(scenario, configuration string, seeds track.SeedRanges) (list []track.SeedNumber) {
	if len(r.places) == 0 {
		return nil
	}
	for number := range seeds.All() {
		if r.places[claimPlace(scenario, configuration, number)] {
			list = append(list, number)
		}
	}
	return list
}
