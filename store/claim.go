package store

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"strings"
	"time"

	"track"
)

// Claims mark the seeds and the steps of lineages that a process is running, so that others leave them to it. A claim
// ends with its process, and is no promise: whoever finds a seed claimed looks later whether it was recorded.
type Claims struct{ claims }

// SetLease sets how long the claims on a server hold after their process was last heard of. It must be called before
// [Store.Claims].
func (s *Store) SetLease(lease time.Duration) { s.lease = lease }

// Lease returns how long the claims on a server hold after their process was last heard of.
func (s *Store) Lease() time.Duration { return s.lease }

// Claims opens the claims on the database.
func (s *Store) Claims() (Claims, error) {
	c, err := s.pool.engine.openClaims(s.lease)
	if err != nil {
		return Claims{}, fmt.Errorf("claims: %w", s.pool.engine.openError(err))
	}
	return Claims{c}, nil
}

// Take claims a seed unless another process has it.
func (c Claims) Take(scenario, configuration string, number track.SeedNumber) (bool, error) {
	return c.take(claimPlace(scenario, configuration, number))
}

// HasLapsed reports whether another process may have run a seed since this one took it: it was stopped for so long that
// others took it for gone.
func (c Claims) HasLapsed(scenario, configuration string, number track.SeedNumber) (bool, error) {
	return c.hasLapsed(claimPlace(scenario, configuration, number))
}

// Release gives a seed back.
func (c Claims) Release(scenario, configuration string, number track.SeedNumber) error {
	return c.release(claimPlace(scenario, configuration, number))
}

// TakeSweep claims a sweep, as long as this process runs it.
func (c Claims) TakeSweep(id string) error {
	_, err := c.take(sweepPlace(id))
	return err
}

// TakeStep claims a step of a lineage, such as a trial, unless another process has it.
func (c Claims) TakeStep(lineage, step string) (bool, error) {
	return c.take(placeOf("step", lineage, step))
}

// ReleaseStep gives a step back.
func (c Claims) ReleaseStep(lineage, step string) error {
	return c.release(placeOf("step", lineage, step))
}

// Close gives all back.
func (c Claims) Close() error { return c.close() }

func claimPlace(scenario, configuration string, number track.SeedNumber) int64 {
	return placeOf(scenario, configuration, number.String())
}

func sweepPlace(id string) int64 { return placeOf("sweep", id) }

func placeOf(words ...string) int64 {
	hash := sha256.Sum256([]byte(strings.Join(words, "\x00")))
	return int64(binary.BigEndian.Uint64(hash[:8]) >> 2)
}

// Running are the claims of all processes at one time. What a process claims that is killed is not among them: on a
// file at once, on a server after its lease.
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
