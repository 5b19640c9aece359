package inspect

import (
	"archive/zip"
	"errors"
	"fmt"
	"io"
	"iter"
	"path"
	"strings"

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
