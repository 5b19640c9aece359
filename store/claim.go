package store

import (
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"strings"

	"track"
)

// Claims mark the seeds and the steps of lineages that a process is running, so that others leave them to it. A claim
// ends with its process, and is no promise: whoever finds a seed claimed looks later whether it was recorded.
type Claims struct{ claims }

// Claims opens the claims on the database.
func (s *Store) Claims() (Claims, error) {
	c, err := s.pool.engine.openClaims()
	if err != nil {
		return Claims{}, fmt.Errorf("claims: %w", s.pool.engine.openError(err))
	}
	return Claims{c}, nil
}

// Take claims a seed unless another process has it.
func (c Claims) Take(scenario, configuration string, number track.SeedNumber) (bool, error) {
	return c.take(claimPlace(scenario, configuration, number))
}

// Release gives a seed back.
func (c Claims) Release(scenario, configuration string, number track.SeedNumber) error {
	return c.release(claimPlace(scenario, configuration, number))
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

func placeOf(words ...string) int64 {
	hash := sha256.Sum256([]byte(strings.Join(words, "\x00")))
	return int64(binary.BigEndian.Uint64(hash[:8]) >> 2)
}
