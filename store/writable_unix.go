//go:build unix

package store

import (
	"os"
	"syscall"
)

// writable reports whether this process may create files in dir.
func writable(dir string) bool {
	const writeAndSearch = 0x2 | 0x1
	return syscall.Access(dir, writeAndSearch) == nil
}

// links returns how many names a file has.
func links(info os.FileInfo) uint64 {
	if stat, ok := info.Sys().(*syscall.Stat_t); ok {
		return uint64(stat.Nlink) //nolint:unconvert // its type differs between systems
	}
	return 1
}

// writableByAll reports whether every user may create files in dir.
func writableByAll(dir string) bool {
	const byOthers = 0o002
	info, err := os.Stat(dir)
	return err == nil && info.Mode().Perm()&byOthers != 0
}
