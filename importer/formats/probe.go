package formats

import (
	"bytes"
	"fmt"
	"io"
	"iter"

	"track"
	"track/importer"
)

// mostProbed bounds the damaged parts that are read of a source until it counts as one of another format.
const mostProbed = 1000

// probe reads a source until something in it is of its format, and returns what is wrong with the first part if nothing
// is.
func probe(items iter.Seq2[importer.Item, error]) (problem error) {
	skipped := 0
	for item, err := range items {
		switch {
		case err != nil:
			if problem == nil {
				problem = err
			}
			return problem
		case item.Skip == nil:
			return nil
		case problem == nil:
			problem = &track.FieldError{Line: item.Line, Field: item.Skip.Field, Message: item.Skip.Reason}
		}
		if skipped++; skipped == mostProbed {
			break
		}
	}
	return problem
}

// nothingOf is the error of a file in which nothing is of the format that is named.
func nothingOf(format, path string, problem error) error {
	for _, f := range importer.Formats() {
		if f.Name == format {
			return &track.FieldError{File: path, Message: fmt.Sprintf("this is not %s: %v", f.Title, problem)}
		}
	}
	return problem
}

// CheckStream returns a stream as a source, or why it is none. It looks at the beginning; a short one is read as a
// whole.
func CheckStream(format, name string, r io.Reader) (Source, error) {
	unzipped, err := importer.Decompress(r)
	if err != nil {
		return Source{}, fmt.Errorf("read %s: %w", name, err)
	}
	const headSize = 64 << 10
	head, end := unzipped.Peek(headSize)
	source := Source{Path: name, Format: format, Files: 1, stream: unzipped}
	switch found := importer.Detect(name, head); {
	case len(head) == 0, found != "":
	case format == "":
		return source, unknown(name, "does not look like any log that track reads")
	case end != nil: // that is all
		if problem := probe(read(format, name, bytes.NewReader(head))); problem != nil {
			return source, nothingOf(format, name, problem)
		}
	}
	return source, nil
}
