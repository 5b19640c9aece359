package lines

import (
	"fmt"
	"io"

	"track"
	"track/importer"
)

// ReadLineage reads what [WriteLineage] wrote, and nothing else; file names the source in errors. It does not replay.
func ReadLineage(file string, r io.Reader) (x Lineage, err error) {
	unzipped, err := importer.Decompress(r)
	if err != nil {
		return x, fmt.Errorf("read %s: %w", file, err)
	}
	if head, _ := unzipped.Peek(2); string(head) == "{\n" {
		return x, &track.FieldError{File: file, Line: 1, Message: "is a JSON document of several lines, such as a manifest: import the lines that it was made from, and replay with the manifest to check them"}
	}
	found := false
	for record, err := range Read(file, unzipped) {
		switch {
		case err != nil:
			return x, err
		case found:
			return x, &track.FieldError{File: file, Line: record.Line, Field: "kind", Message: "comes after the end"}
		case record.Err != nil:
			return x, record.Err
		case record.Lineage == nil:
			return x, &track.FieldError{File: file, Line: record.Line, Field: "kind", Message: fmt.Sprintf("%q: an export begins with a line of kind lineage", record.Kind())}
		}
		x, found = *record.Lineage, true
	}
	if !found {
		return x, &track.FieldError{File: file, Message: cutOff}
	}
	return x, nil
}
