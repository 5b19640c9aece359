//go:build !unix

package store

import "context"

// lockFile does nothing, because flock is missing: SQLite's own locks and busy_timeout keep writers apart, without
// fairness.
func lockFile(context.Context, string) (unlock func(), err error) { return func() {}, nil }
