package store

import (
	"crypto/sha256"
	"encoding/binary"
	"fmt"

	"track"
)

// Claims mark the seeds that a process is running, so that other sweeps of the same database leave them to it. A claim
// ends with its process, and is no promise: whoever finds a seed claimed looks later whether it was recorded.
type Claims struct{ *claims }

// Claims opens the claims on the database, in a file next to it.
func (s *Store) Claims() (Claims, error) {
	c, err := openClaims(s.path + ".running")
	if err != nil {
		return Claims{}, fmt.Errorf("claims: %w", openError(s.path, err))
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

// Close gives all back.
func (c Claims) Close() error { return c.close() }

func claimPlace(scenario, configuration string, number track.SeedNumber) int64 {
	hash := sha256.Sum256([]byte(scenario + "\x00" + configuration + "\x00" + number.String()))
	return int64(binary.BigEndian.Uint64(hash[:8]) >> 2)
}
