//go:build !unix

package store

import "time"

// noClaims marks nothing: two processes may do the same work, and the second result is a duplicate.
type noClaims struct{}

// openClaims implements [engine].
func (sqliteFile) openClaims(time.Duration) (claims, error) { return noClaims{}, nil }

func (noClaims) take(int64) (bool, error) { return true, nil }

func (noClaims) release(int64) error { return nil }

func (noClaims) hasLapsed(int64) (bool, error) { return false, nil }

func (noClaims) close() error { return nil }
