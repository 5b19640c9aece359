//go:build !unix

package store

// writable assumes the common case; SQLite's own error says otherwise.
func writable(string) bool { return true }
