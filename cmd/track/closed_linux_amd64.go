package main

import (
	"io"
	"os"
	"syscall"
)

// outputAtEntry is what the system said of standard output before Go's runtime began: a negative error number if it was
// closed. The runtime opens /dev/null in its place, where answers would be lost without an error.
var outputAtEntry int64

func entry()

var _ = entry // the linker uses it

// standardOutput returns standard output. If it was closed, writing to it is an error.
func standardOutput() io.Writer {
	if outputAtEntry == -int64(syscall.EBADF) {
		_ = os.Stdout.Close()
	}
	return os.Stdout
}
