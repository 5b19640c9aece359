package inspect

import (
	"archive/zip"
	"bufio"
	"bytes"
	"compress/flate"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"iter"
	"path"
	"regexp"
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
		archive, err := zip.NewReader(r, size) // which an error leaves nil
		if err != nil || !pointsToSamples(archive) {
			d.scattered(r, size)
			return
		}
		d.archive(archive)
	}
}

// pointsToSamples says whether the directory of a zip names samples, and each stands where it says.
func pointsToSamples(archive *zip.Reader) bool {
	n := 0
	for _, member := range archive.File {
		if !isSample(member.Name) {
			continue
		}
		if _, err := member.DataOffset(); err != nil {
			return false
		}
		n++
	}
	return n > 0
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

// The head of a member in a zip, by the offset of its fields (APPNOTE.TXT, section 4.3.7).
const (
	headSignature = "PK\x03\x04"
	headSize      = 30
	headMethod    = 8
	headSum       = 14
	headPacked    = 18
	headName      = 26
	headExtra     = 28
)

// scattered reads a zip whose directory is missing: it looks for the heads of members, and takes those that are whole.
func (d *document) scattered(r io.ReaderAt, size int64) {
	if !d.pass(importer.Skipf(0, "the zip has no directory with samples: they are looked for one by one")) {
		return
	}
	for at := int64(0); at < size && !d.stopped; {
		at = findHead(r, at, size)
		if at < 0 {
			return
		}
		m, ok := readHead(r, at)
		if !ok {
			at++
			continue
		}
		raw, err := m.read(r, size)
		switch {
		case m.name == "_journal/start.json" && err == nil:
			d.useHeader(raw)
		case isSample(m.name) && err != nil:
			d.skip(m.name, err)
		case isSample(m.name):
			d.sample(m.name, bytes.NewReader(raw))
		}
		at += int64(len(headSignature))
	}
}

// findHead returns where the next head begins, from a place on; -1 where there is none.
func findHead(r io.ReaderAt, from, size int64) int64 {
	buffer := make([]byte, 64<<10)
	for at := from; at < size; at += int64(len(buffer) - len(headSignature) + 1) {
		n, err := r.ReadAt(buffer, at)
		if i := bytes.Index(buffer[:n], []byte(headSignature)); i >= 0 {
			return at + int64(i)
		}
		if err != nil {
			return -1
		}
	}
	return -1
}

// member is one of a zip, as its own head tells.
type member struct {
	name   string
	data   int64 // where it begins
	method uint16
	sum    uint32 // 0 where it stands behind the data
	packed uint32 // bytes; 0 where it stands behind the data
}

func readHead(r io.ReaderAt, at int64) (m member, ok bool) {
	head := make([]byte, headSize)
	if _, err := r.ReadAt(head, at); err != nil {
		return m, false
	}
	u16 := func(offset int) uint16 { return binary.LittleEndian.Uint16(head[offset:]) }
	name := make([]byte, u16(headName))
	if _, err := r.ReadAt(name, at+headSize); err != nil {
		return m, false
	}
	return member{
		name: string(name), data: at + headSize + int64(len(name)) + int64(u16(headExtra)), method: u16(headMethod),
		sum: binary.LittleEndian.Uint32(head[headSum:]), packed: binary.LittleEndian.Uint32(head[headPacked:]),
	}, true
}

// read unpacks a member, and checks it where its head has the sum.
func (m member) read(r io.ReaderAt, size int64) ([]byte, error) {
	var unpacked io.Reader
	section := io.NewSectionReader(r, m.data, max(0, size-m.data))
	switch m.method {
	case zip.Deflate:
		unpacked = flate.NewReader(bufio.NewReader(section))
	case zip.Store:
		unpacked = io.LimitReader(section, int64(m.packed))
	default:
		return nil, zip.ErrAlgorithm
	}
	raw, err := readAll(unpacked)
	if err == nil && m.sum != 0 && crc32.ChecksumIEEE(raw) != m.sum {
		err = zip.ErrChecksum
	}
	return raw, err
}
