//go:build !linux

package spool

// NetworkFileSystem is not known here: --spool says it.
func NetworkFileSystem(string) (string, error) { return "", nil }
