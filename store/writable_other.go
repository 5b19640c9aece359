//go:build !unix

package store

import "os"

// links returns how many names a file has. It is not known here.
func links(os.FileInfo) uint64 { return 1 }

// writable assumes the common case; SQLite's own error says otherwise.
func writable(string) bool { return true }

// writableByAll reports whether every user may create files in dir. It is not known here.
func writableByAll(string) bool { return false }
