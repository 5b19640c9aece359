//go:build unix

package store

import "syscall"

// writable reports whether this process may create files in dir.
func writable(dir string) bool {
	const writeAndSearch = 0x2 | 0x1
	return syscall.Access(dir, writeAndSearch) == nil
}
