//go:build !unix

package store

// claims are not known here: two processes may do the same work, and the second result is a duplicate.
type claims struct{}

func openClaims(string) (*claims, error) { return &claims{}, nil }

func (*claims) take(int64) (bool, error) { return true, nil }

func (*claims) release(int64) error { return nil }

func (*claims) close() error { return nil }
