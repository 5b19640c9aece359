//go:build !linux || !amd64

package main

import (
	"io"
	"os"
)

// standardOutput returns standard output.
func standardOutput() io.Writer { return os.Stdout }
