package spool

import (
	"bytes"
	"errors"
	"io"
	"io/fs"
	"os"
)

// Contents counts what lies in a spool.
type Contents struct {
	Files, Open int // Open are those of Files that a process may still write
	Lines       int
	Bytes       int64 // of whole lines
}

// Count counts what lies in the files of a spool. A file that was moved out of the way meanwhile counts for nothing.
func Count(files []File) (c Contents, err error) {
	for _, f := range files {
		lines, size, err := countLines(f.Path)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return c, err
		}
		c.Files++
		c.Lines += lines
		c.Bytes += size
		if f.Open {
			c.Open++
		}
	}
	return c, nil
}

func countLines(path string) (n int, size int64, err error) {
	file, err := os.Open(path)
	if err != nil {
		return 0, 0, err
	}
	defer func() { _ = file.Close() }()
	text, size, _, err := Lines(file)
	if err != nil {
		return 0, 0, err
	}
	buffer := make([]byte, 64<<10)
	for {
		read, err := text.Read(buffer)
		n += bytes.Count(buffer[:read], []byte{'\n'})
		if errors.Is(err, io.EOF) {
			return n, size, nil
		}
		if err != nil {
			return n, size, err
		}
	}
}
