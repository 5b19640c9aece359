package inspect

import (
	"errors"
	"fmt"
	"io"
	"iter"

	"regexp"
	"track"
	"track/importer"
)

// A sample begins like this, so that reading goes on behind a damaged one.
var beginning = regexp.MustCompile(`\{\s{0,100}"id"\s{0,20}:\s{0,20}(?:"[^"]{0,200}"|-?\d{1,20})\s{0,20},\s{0,100}"epoch"\s{0,20}:`)

// Read reads a log that is one JSON document. file stands in items and errors. For a zip, use [ReadZip].
func Read(file string, r io.Reader) iter.Seq2[importer.Item, error] {
	return func(yield func(importer.Item, error) bool) {
		reader, err := importer.Open(importer.Inspect, file, r)
		if err != nil {
			yield(importer.Item{}, err)
			return
		}
		if magic, _ := reader.Peek(4); string(magic) == headSignature {
			err := &track.FieldError{File: file, Message: "a zip cannot be read as a stream"}
			yield(importer.Item{File: file}, track.WithHint(err, track.Hint{Text: "name the file, instead of handing over what it holds"}))
			return
		}
		d := document{file: file, scanner: importer.NewScanner(reader), yield: yield}
		if err := d.read(); err != nil && !d.stopped {
			yield(importer.Item{File: file}, fmt.Errorf("read %s: %w", file, err))
		}
	}
}

// document is a log that is being read.
type document struct {
	file    string
	scanner *importer.Scanner
	yield   func(importer.Item, error) bool
	stopped bool
	header  header
}

// read goes through the members of the document. Where it is damaged outside of samples, it goes on at the next sample.
func (d *document) read() error {
	if _, err := d.scanner.Next(); errors.Is(err, io.EOF) {
		return nil
	}
	switch err := d.scanner.Members(d.member); {
	case errors.Is(err, importer.ErrNoObject):
		return d.recover()
	case importer.IsCutOff(err):
		d.pass(importer.Skipf(d.scanner.Line, "the log is cut off"))
		return nil
	default:
		return err
	}
}

var errStopped = errors.New("nobody reads on")

func (d *document) member(name string) error {
	switch name {
	case "samples":
		if isArray, err := d.scanner.Take('['); err != nil || isArray {
			if err == nil {
				err = d.samples()
			}
			if err == nil && d.stopped {
				err = errStopped
			}
			return err
		}
	case "eval":
		raw, _, err := d.scanner.Value(true)
		if err == nil && importer.Unmarshal(raw, &d.header) != nil {
			err = importer.ErrNoObject
		}
		return err
	}
	return d.scanner.Skip()
}

func (d *document) samples() error {
	return d.scanner.Elements(beginning, func(raw []byte, line int) (bool, error) {
		items, err := decodeSample(d.header, raw, line)
		return err != nil || d.pass(items...), err
	}, func(line int, reason string) bool { return d.pass(d.scanner.Damage(line, reason)) })
}

// recover goes on at the next sample.
func (d *document) recover() error {
	if !d.pass(importer.Skipf(d.scanner.Line, "damaged: what stands here is %s", "not a member of a log")) {
		return nil
	}
	if found, err := d.scanner.Seek(beginning); !found || err != nil {
		return err
	}
	return d.samples()
}

func (d *document) pass(items ...importer.Item) bool {
	for _, item := range items {
		if d.stopped = d.stopped || !d.yield(item.In(d.file), nil); d.stopped {
			return false
		}
	}
	return true
}
