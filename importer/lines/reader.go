package lines

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"iter"
	"os"
	"path/filepath"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"track"
	"track/importer"
	"track/internal/sizes"
	"track/series"
)

// formatVersion is the version of the format that is read and written. A line that names none is of version 1.
const formatVersion = 1

// Record is what lines say: a fact, what another database recorded, or why a line is refused. What is nil is of another
// kind.
type Record struct {
	Line       int        // from 1: the last one, if there are several
	Seed       track.Seed // unless one of the others is set
	Execution  *track.Execution
	Sweep      *track.Sweep
	Annotation *track.Annotation
	Withdrawal *track.Withdrawal
	Lineage    *Lineage
	Err        *track.FieldError // nil for a good line

	// What another database recorded, which only the owner of a database brings.
	RecordedSeed      *track.SeedRecord     // of Seed
	RecordedExecution *track.WholeExecution // in place of what Execution says; that has only the lineage and the key
	Configuration     *Configuration
	Spec              *Spec
	Baseline          *Baseline
	Look              *Look
	Forgotten         *Forgotten
	Export            *Export
}

// IsSeed reports whether a good record is a seed.
func (r Record) IsSeed() bool { return r.Kind() == kindSeed }

// Kind returns the kind of a good record, as lines name it.
func (r Record) Kind() string {
	switch {
	case r.Execution != nil:
		return kindExecution
	case r.Sweep != nil:
		return kindSweep
	case r.Annotation != nil:
		return string(r.Annotation.Kind)
	case r.Withdrawal != nil:
		return kindWithdrawal
	case r.Lineage != nil:
		return kindLineage
	case r.Configuration != nil:
		return kindConfiguration
	case r.Spec != nil:
		return kindSpec
	case r.Baseline != nil:
		return kindBaseline
	case r.Look != nil:
		return kindLook
	case r.Forgotten != nil:
		return kindForgotten
	case r.Export != nil:
		return kindExport
	}
	return kindSeed
}

// Name names a good record for people, within its kind.
func (r Record) Name() string {
	switch {
	case r.Execution != nil:
		return r.Execution.Key + " of " + r.Execution.Lineage
	case r.Sweep != nil:
		return r.Sweep.ID
	case r.Annotation != nil:
		return r.Annotation.ID
	case r.Lineage != nil:
		return r.Lineage.Name
	case r.Spec != nil:
		return fmt.Sprintf("%s@%d", r.Spec.Scenario, r.Spec.Version)
	case r.Baseline != nil:
		return r.Baseline.ID + " of " + r.Baseline.Scenario
	case r.Configuration != nil:
		return track.ShortHash(r.Configuration.Configuration.Hash())
	case !r.IsSeed():
		return ""
	}
	name := r.Seed.Number.String() + " of " + r.Seed.Scenario + "@" + track.ShortHash(r.Seed.Configuration.Hash())
	if label := r.Seed.Configuration.Label; label != "" {
		name += " (" + label + ")"
	}
	return name
}

// IsRecorded reports whether a good record is what another database recorded.
func (r Record) IsRecorded() bool {
	switch r.Kind() {
	case kindSeed:
		return r.RecordedSeed != nil
	case kindExecution:
		return r.RecordedExecution != nil
	case kindConfiguration, kindSpec, kindBaseline, kindLook, kindForgotten, kindExport:
		return true
	}
	return false
}

// The kinds of lines.
const (
	kindSeed       = "seed"
	kindExecution  = "execution"
	kindSweep      = "sweep"
	kindNote       = string(track.AnnotationNote)
	kindTag        = string(track.AnnotationTag)
	kindWithdrawal = "withdrawal"
	kindLineage    = "lineage"
	kindVersion    = "version" // of the lineage before it
	kindEntry      = "entry"   // of the ledger of the lineage before it
	kindEnd        = "end"     // of the lineage before it

	kindConfiguration = "configuration"
	kindSpec          = "spec"
	kindBaseline      = "baseline"
	kindLook          = "look"
	kindForgotten     = "forgotten"
	kindExport        = "export"
)

// Read reads lines from r until its end. Bad lines are yielded as such and do not end the reading; an error of r does,
// and is yielded with its line. Blank lines are skipped. file names the source in errors.
func Read(file string, r io.Reader) iter.Seq2[Record, error] {
	return ReadWith(file, r, series.Options{Largest: sizes.Unpacked})
}

// ReadWith is [Read] for lines whose files of series are read in a certain way.
func ReadWith(file string, r io.Reader, o series.Options) iter.Seq2[Record, error] {
	p := &parser{file: file, options: o}
	if _, err := os.Stat(file); err == nil { // its paths are relative to it; those of a stream to the working directory
		p.dir = filepath.Dir(file)
	}
	return p.read(bufio.NewReaderSize(r, 1<<20))
}

func (p *parser) read(reader *bufio.Reader) iter.Seq2[Record, error] {
	return func(yield func(Record, error) bool) {
		for {
			text, tooLong, err := importer.ReadLine(reader)
			p.number++
			if err != nil && !errors.Is(err, io.EOF) {
				yield(Record{Line: p.number}, fmt.Errorf("read %s: %w", p.file, err))
				return
			}
			if p.number == 1 {
				text = bytes.TrimPrefix(text, []byte("\xef\xbb\xbf"))
			}
			if len(bytes.TrimSpace(text)) > 0 || tooLong {
				record, whole := p.record(p.number, text, tooLong)
				if whole && !yield(record, nil) {
					return
				}
			}
			if err != nil {
				break
			}
		}
		if p.lineage != nil {
			yield(Record{Err: &track.FieldError{File: p.file, Message: cutOff}}, nil)
		}
	}
}

// noFolder stands for the folder of lines that may name no files.
const noFolder = "\x00"

// sentBuffer is for lines of a request, of which many are read at once.
const sentBuffer = 16 << 10

// ReadSent is [Read] for lines that somebody else sent: one that names a file is refused. A loop over
// the lines that ends early leaves the rest to the next loop.
func ReadSent(r io.Reader) iter.Seq2[Record, error] {
	buffer := sentBuffer
	if short, ok := r.(interface{ Len() int }); ok {
		buffer = min(buffer, short.Len()+1)
	}
	return (&parser{file: "lines", dir: noFolder, options: series.Options{Largest: sizes.Unpacked}}).read(bufio.NewReaderSize(r, buffer))
}

// cutOff says that a lineage has no last line.
const cutOff = "ends before its last line, of kind end: it was cut off, or is not an export of a lineage"

// parser makes records of lines.
type parser struct {
	file, dir string
	number    int            // of the line that was read last
	options   series.Options // of files of series
	lineage   *lineageReader // that the lines are part of; nil for none
	skipping  bool           // the rest of a lineage in which a line is wrong
}

// record returns the record that a line completes; whole is false if it is a part of one.
func (p *parser) record(number int, text []byte, tooLong bool) (record Record, whole bool) {
	record, whole = Record{Line: number}, true
	if tooLong {
		record.Err = &track.FieldError{Message: fmt.Sprintf("the line is longer than %d MiB", importer.LongestRecord>>20)}
	} else {
		whole = p.parse(&record, text)
	}
	if record.Err != nil {
		record.Err.File, record.Err.Line = p.file, number
	}
	return record, whole
}

// parse reads a line of any kind, and reports whether it completes a record.
func (p *parser) parse(r *Record, text []byte) (whole bool) {
	var recorded track.SeedRecord
	defer func() {
		if r.Err == nil && recorded.ID != "" {
			r.RecordedSeed = &recorded
		}
	}()
	from := outside{dir: p.dir, options: p.options, recorded: &recorded}
	kind := kindOf(text)
	isPart := kind == kindVersion || kind == kindEntry || kind == kindEnd
	switch {
	case p.lineage != nil || kind == kindLineage:
		return p.parseLineage(r, text)
	case parseOwned(r, kind, text):
	case isPart && p.skipping:
		return false
	case isPart:
		r.Err = &track.FieldError{Field: "kind", Message: fmt.Sprintf("%q: an export begins with a line of kind lineage", kind)}
	case kind == kindSweep:
		sweep, failure := parseSweep(text)
		if r.Err = failure; failure == nil {
			r.Sweep = &sweep
		}
	case kind == kindNote || kind == kindTag:
		annotation, failure := parseAnnotation(text)
		if r.Err = failure; failure == nil {
			r.Annotation = &annotation
		}
	case kind == kindWithdrawal:
		withdrawal, failure := parseWithdrawal(text)
		if r.Err = failure; failure == nil {
			r.Withdrawal = &withdrawal
		}
	case kind == kindExecution:
		execution, failure := parseExecution(text)
		if r.Err = failure; failure == nil {
			r.Execution = &execution
		}
	default:
		r.Seed, r.Err = parseSeed(text, from)
	}
	p.skipping = false
	return true
}

// parseLineage reads a line of a lineage. One that is wrong makes the whole lineage refused: half a ledger is none.
func (p *parser) parseLineage(r *Record, text []byte) (whole bool) {
	if p.lineage == nil {
		p.lineage, p.skipping = &lineageReader{}, false
	}
	r.Err = p.lineage.line(bytes.TrimSpace(text))
	switch {
	case r.Err != nil:
		p.lineage, p.skipping = nil, true
	case p.lineage.ended:
		r.Lineage, p.lineage = &p.lineage.Lineage, nil
	default:
		return false
	}
	return true
}

// checkVersion refuses a line of a format that a newer track writes.
func checkVersion(v int) *track.FieldError {
	if v <= formatVersion {
		return nil
	}
	return &track.FieldError{Field: "v", Message: fmt.Sprintf("%d: this track reads lines up to version %d; use a newer track", v, formatVersion)}
}

// versionError returns the error of a line that cannot be read, if it is of a newer format.
func versionError(text []byte) *track.FieldError {
	var l struct {
		V int `json:"v"`
	}
	if json.Unmarshal(text, &l) != nil {
		return nil
	}
	return checkVersion(l.V)
}

// kindOf returns the kind of a line, as far as it can be read; the empty string if it says none.
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
