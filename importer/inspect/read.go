package inspect

import (
	"archive/zip"
	"errors"
	"fmt"
	"io"
	"iter"
	"path"
	"strings"

	"track"
	"track/importer"
)

// ReadZip reads a log that is a zip (.eval) of so many bytes. file stands in items and errors.
func ReadZip(file string, r io.ReaderAt, size int64) iter.Seq2[importer.Item, error] {
	return func(yield func(importer.Item, error) bool) {
		if size == 0 {
			return
		}
		d := document{file: file, yield: yield}
		head := make([]byte, 4096)
		n, err := r.ReadAt(head, 0)
		if err != nil && !errors.Is(err, io.EOF) {
			yield(importer.Item{File: file}, fmt.Errorf("read %s: %w", file, err))
			return
		}
		if err := importer.Refuse(importer.Inspect, file, head[:n]); err != nil {
			yield(importer.Item{}, err)
			return
		}
		archive, err := zip.NewReader(r, size)
		if err != nil {
			d.pass(importer.Skipf(0, "the directory of the zip is missing or damaged (%v): `zip -FF` makes one of the samples that are whole", err))
			return
		}
		d.archive(archive)
	}
}

// archive reads the members that the directory of the zip names: the header first, whose members come last.
func (d *document) archive(archive *zip.Reader) {
	for _, name := range []string{"header.json", "_journal/start.json"} {
		if raw, err := readMember(archive, name); err == nil && d.useHeader(raw) {
			break
		}
	}
	for _, member := range archive.File {
		if !isSample(member.Name) {
			continue
		}
		r, err := member.Open()
		if err != nil {
			d.skip(member.Name, err)
		} else {
			d.sample(member.Name, r)
			_ = r.Close() // it was read
		}
		if d.stopped {
			return
		}
	}
}

func isSample(name string) bool {
	return path.Dir(name) == "samples" && strings.HasSuffix(name, ".json")
}

func readMember(archive *zip.Reader, name string) ([]byte, error) {
	r, err := archive.Open(name)
	if err != nil {
		return nil, err
	}
	defer r.Close()
	return readAll(r)
}

func readAll(r io.Reader) ([]byte, error) {
	raw, err := io.ReadAll(io.LimitReader(r, importer.LongestRecord+1))
	if err == nil && len(raw) > importer.LongestRecord {
		err = fmt.Errorf("longer than %d MiB", importer.LongestRecord>>20)
	}
	return raw, err
}

// useHeader takes what header.json, or at the start of the run the journal, tells of all samples.
func (d *document) useHeader(raw []byte) bool {
	var h struct {
		Eval header `json:"eval"`
	}
	if importer.Unmarshal(raw, &h) != nil {
		return false
	}
	d.header = h.Eval
	return true
}

// sample reads one member.
func (d *document) sample(name string, r io.Reader) {
	raw, err := readAll(r)
	if err != nil {
		d.skip(name, err)
		return
	}
	items, err := decodeSample(d.header, raw, 0)
	if err != nil {
		d.skip(name, err)
		return
	}
	for i := range items {
		items[i].File = d.file
	}
	d.pass(items...)
}

func (d *document) skip(name string, err error) {
	d.pass(importer.Skipf(0, "%s: %v", importer.Name(name), err))
}

// Read reads a log that is one JSON document. file stands in items and errors. For a zip, use [ReadZip].
func Read(file string, r io.Reader) iter.Seq2[importer.Item, error] {
	return func(yield func(importer.Item, error) bool) {
		reader, err := importer.Open(importer.Inspect, file, r)
		if err != nil {
			yield(importer.Item{}, err)
			return
		}
		if magic, _ := reader.Peek(4); string(magic) == "PK\x03\x04" {
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

// read goes through the members of the document. Nothing is read behind damage.
func (d *document) read() error {
	if _, err := d.scanner.Next(); errors.Is(err, io.EOF) {
		return nil
	}
	switch err := d.scanner.Members(d.member); {
	case errors.Is(err, importer.ErrNoObject):
		d.pass(importer.Skipf(d.scanner.Line, "damaged: what stands here is not a member of a log"))
		return nil
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
	return d.scanner.Elements(func(raw []byte, line int) (bool, error) {
		items, err := decodeSample(d.header, raw, line)
		return err != nil || d.pass(items...), err
	}, func(line int, reason string) bool { return d.pass(d.scanner.Damage(line, reason)) })
}

func (d *document) pass(items ...importer.Item) bool {
	for _, item := range items {
		if d.stopped = d.stopped || !d.yield(item.In(d.file), nil); d.stopped {
			return false
		}
	}
	return true
}
