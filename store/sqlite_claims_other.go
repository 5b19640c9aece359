//go:build !unix

package store

import (
	"context"
	"time"
)

// noClaims marks nothing: two processes may do the same work, and the second result is a duplicate.
type noClaims struct{}

// openClaims implements [engine].
func (sqliteFile) openClaims(time.Duration) (claims, error) { return noClaims{}, nil }

// claimed implements [engine].
func (sqliteFile) claimed(context.Context, *Reader) ([]int64, error) { return nil, nil }

func (noClaims) take(int64) (bool, error) { return true, nil }

func (noClaims) release(int64) error { return nil }

func (noClaims) hasLapsed(int64) (bool, error) { return false, nil }

func (noClaims) close() error { return nil }
