package batch

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"iter"
	"os"
	"path/filepath"

	"github.com/go-json-experiment/json/jsontext"

	"track"
	"track/importer"
	"track/importer/jsonl"
)

// Record is a line of a batch: a seed, an execution, a sweep that seeds were run by, or what is wrong with the line.
type Record struct {
	Line      int // from 1
	Seed      track.Seed
	Execution *track.Execution  // nil for a seed
	Sweep     *track.Sweep      // nil for a seed
	Err       *track.FieldError // nil for a good line
}

// Read reads JSON lines from r until its end. Bad lines are yielded as such and do not end the reading; an error of r does,
// and is yielded with the line it struck. Blank lines are skipped. file stands in the errors.
func Read(file string, r io.Reader) iter.Seq2[Record, error] {
	dir := "" // a stream names files from where track runs, a file from where it lies
	if _, err := os.Stat(file); err == nil {
		dir = filepath.Dir(file)
	}
	return func(yield func(Record, error) bool) {
		reader := bufio.NewReaderSize(r, 1<<20)
		for number := 1; ; number++ {
			text, tooLong, err := importer.ReadLine(reader)
			if err != nil && !errors.Is(err, io.EOF) {
				yield(Record{Line: number}, fmt.Errorf("read %s: %w", file, err))
				return
			}
			if number == 1 {
				text = bytes.TrimPrefix(text, []byte("\xef\xbb\xbf"))
			}
			if len(bytes.TrimSpace(text)) > 0 || tooLong {
				if !yield(parseRecord(file, dir, number, text, tooLong), nil) {
					return
				}
			}
			if err != nil {
				return
			}
		}
	}
}

func parseRecord(file, dir string, number int, text []byte, tooLong bool) Record {
	record := Record{Line: number}
	if tooLong {
		record.Err = &track.FieldError{Message: fmt.Sprintf("the line is longer than %d MiB", importer.LongestRecord>>20)}
	} else {
		record.parse(text, dir)
	}
	if record.Err != nil {
		record.Err.File, record.Err.Line = file, number
	}
	return record
}

// parse reads a line of any kind. Seeds come first: a good one is read once.
func (r *Record) parse(text []byte, dir string) {
	if r.Seed, r.Err = parseLine(text, dir); r.Err == nil {
		return
	}
	switch kindOf(text) {
	case "execution":
	case "sweep":
		r.Seed = track.Seed{}
		sweep, failure := parseSweep(text)
		if r.Err = failure; failure == nil {
			r.Sweep = &sweep
		}
		return
	default:
		return
	}
	r.Seed = track.Seed{}
	execution, failure := jsonl.ParseLine(text)
	if r.Err = failure; failure == nil {
		r.Execution = &execution
	}
}

// kindOf returns the kind of a line, as far as it can be read; the empty string where it says none.
func kindOf(text []byte) string {
	decoder := jsontext.NewDecoder(bytes.NewReader(text), jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true))
	if token, err := decoder.ReadToken(); err != nil || token.Kind() != '{' {
		return ""
	}
	for {
		name, err := decoder.ReadToken()
		if err != nil || name.Kind() != '"' {
			return ""
		}
		if name.String() == "kind" {
			value, err := decoder.ReadToken()
			if err != nil || value.Kind() != '"' {
				return ""
			}
			return value.String()
		}
		if decoder.SkipValue() != nil {
			return ""
		}
	}
}
