package importer

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"iter"
	"regexp"
)

// Document is where in a source of JSON documents a reader is.
type Document struct {
	*Scanner
	file    string
	yield   func(Item, error) bool
	stopped bool
	begin   int64 // offset of the document that is read
	element int64 // offset of the element that is in use; 0 outside of one
}

// errStopped ends reading where nobody wants more items.
var errStopped = errors.New("nobody reads on")

// ReadDocuments reads the JSON documents of r, one behind the other, with a function that reads the next. Behind a
// damaged one it goes on where marker says that another begins.
func ReadDocuments(format, file string, r io.Reader, marker *regexp.Regexp, read func(*Document) error) iter.Seq2[Item, error] {
	return func(yield func(Item, error) bool) {
		reader, err := Open(format, file, r)
		if err != nil {
			yield(Item{}, err)
			return
		}
		d := &Document{Scanner: NewScanner(reader), file: file, yield: yield}
		if err := d.all(marker, read); err != nil && !errors.Is(err, errStopped) {
			yield(Item{File: file}, fmt.Errorf("read %s: %w", file, err))
		}
	}
}

// ReadDocument reads one document that is in memory, and that begins on a line.
func ReadDocument(raw []byte, line int, read func(*Document) error) (items []Item, err error) {
	d := &Document{Scanner: NewScanner(bufio.NewReader(bytes.NewReader(raw))), yield: func(item Item, _ error) bool {
		items = append(items, item)
		return true
	}}
	d.Line = line
	return items, d.orSkip(read(d))
}

func (d *Document) all(marker *regexp.Regexp, read func(*Document) error) error {
	for {
		_, err := d.Next()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err == nil {
			d.begin = d.offset
			err = d.orSkip(read(d))
		}
		if err == nil {
			continue
		}
		if !errors.Is(err, ErrNoObject) {
			return err
		}
		d.damaged = d.offset
		if err := d.Pass(d.Damage(d.Line, "damaged: no document continues here")); err != nil {
			return err
		}
		if found, err := d.Seek(marker); !found || err != nil {
			return err
		}
	}
}

// orSkip makes a skip of a document that is cut off.
func (d *Document) orSkip(err error) error {
	if IsCutOff(err) {
		return d.Pass(Skipf(d.Line, "the document is cut off"))
	}
	return err
}

// Pass hands items on. Its error ends reading.
func (d *Document) Pass(items ...Item) error {
	for _, item := range items {
		d.place(item.Skip)
		if d.stopped = d.stopped || !d.yield(item.In(d.file), nil); d.stopped {
			return errStopped
		}
	}
	return nil
}

// place says where in the source damage is that an element or a whole document has.
func (d *Document) place(damage *Skip) {
	if damage == nil {
		return
	}
	if damage.Offset += d.element; damage.Offset == 0 {
		damage.Offset = d.begin
	}
}

// Array hands the elements of an array of objects to use, and goes on behind damaged ones where marker says. It passes
// any other value.
func (d *Document) Array(marker *regexp.Regexp, use func(raw []byte, line int) error) error {
	if isArray, err := d.Take('['); err != nil {
		return err
	} else if !isArray {
		return d.Skip()
	}
	err := d.Elements(marker, func(raw []byte, line int) (bool, error) {
		d.element = d.offset - int64(len(raw))
		err := use(raw, line)
		if d.element = 0; d.stopped {
			return false, nil
		}
		return true, err
	}, func(line int, reason string) bool { return d.Pass(d.Damage(line, reason)) == nil })
	if err == nil && d.stopped {
		err = errStopped
	}
	return err
}

// HasLines reports whether a source has JSON on each line, and is no document on many lines, or on one long line.
func HasLines(reader *bufio.Reader) bool {
	head, err := reader.Peek(headSize)
	head = bytes.TrimLeft(bytes.TrimPrefix(head, []byte("\xef\xbb\xbf")), " \t\r\n")
	line, _, found := bytes.Cut(head, []byte("\n"))
	return (found || err != nil) && len(bytes.TrimSpace(line)) > 1
}
