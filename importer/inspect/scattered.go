package inspect

import (
	"archive/zip"
	"bufio"
	"bytes"
	"compress/flate"
	"encoding/binary"
	"hash/crc32"
	"io"

	"track/importer"
)

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
