package importer

import (
	"bufio"
	"fmt"
	"io"

	"track/internal/gunzip"
)

const headSize = 64 << 10 // what Detect gets to see

// Decompress returns r, decompressed where it is gzip.
func Decompress(r io.Reader) (*bufio.Reader, error) {
	reader := bufio.NewReaderSize(r, 1<<20)
	if !gunzip.IsGzip(reader) {
		return reader, nil
	}
	unzipped, err := gunzip.NewReader(reader)
	if err != nil {
		return nil, err
	}
	return bufio.NewReaderSize(unzipped, 1<<20), nil
}

// Open decompresses r where it is gzip, and refuses what is clearly of another format than the one that is named.
func Open(format, file string, r io.Reader) (*bufio.Reader, error) {
	reader, err := Decompress(r)
	if err != nil {
		return nil, fmt.Errorf("read %s: %w", file, err)
	}
	head, _ := reader.Peek(headSize) // an error comes again with the first read
	if err := Refuse(format, file, head); err != nil {
		return nil, err
	}
	return reader, nil
}
