//go:build !linux

package store

// writeMode returns the mode of the connection that writes.
func writeMode() string { return "mode=rw" }
