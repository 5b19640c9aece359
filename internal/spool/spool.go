// Package spool keeps records as lines of a batch in files that are only appended to, one for each process, until
// they are recorded in a database. It needs no locks: not those of a network file system, which cannot be trusted,
// nor any other.
package spool

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"iter"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"track"
	"track/importer/lines"
)

// The endings of the names of spool files. One that is being written is named so until its process is done with it.
const (
	suffix     = ".jsonl"
	openSuffix = ".open" + suffix
	doneFolder = "ingested"
)

// Writer appends lines to a file of its own.
type Writer struct {
	file  *os.File
	final string // its name once it is closed
	base  string // that name without its ending, as it was at first
}

// Create makes a file in the folder dir, which it makes too. name tells it from those of all other processes.
func Create(dir, name string) (*Writer, error) {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return nil, fmt.Errorf("spool: %w", err)
	}
	path := filepath.Join(dir, name)
	file, err := os.OpenFile(path+openSuffix, os.O_CREATE|os.O_EXCL|os.O_APPEND|os.O_WRONLY, 0o644)
	if err != nil {
		return nil, fmt.Errorf("spool: %w", err)
	}
	return &Writer{file, path + suffix, path}, nil
}

// Append opens a file to go on with, or makes it. What its last writer left of an unfinished line was never
// acknowledged, and is taken away.
func Append(path string) (*Writer, error) {
	file, err := os.OpenFile(path, os.O_CREATE|os.O_RDWR|os.O_APPEND, 0o644)
	if err != nil {
		return nil, err
	}
	whole, err := wholeLines(file)
	if err == nil {
		err = file.Truncate(whole)
	}
	if err != nil {
		return nil, errors.Join(err, file.Close())
	}
	return &Writer{file, path, ""}, nil
}

// wholeLines is the number of bytes up to the end of the last line that has one.
func wholeLines(file *os.File) (int64, error) {
	info, err := file.Stat()
	if err != nil {
		return 0, err
	}
	buffer := make([]byte, 64<<10)
	for end := info.Size(); end > 0; {
		from := max(0, end-int64(len(buffer)))
		part := buffer[:end-from]
		if _, err := file.ReadAt(part, from); err != nil {
			return 0, err
		}
		if i := bytes.LastIndexByte(part, '\n'); i >= 0 {
			return from + int64(i) + 1, nil
		}
		end = from
	}
	return 0, nil
}

// Path is where the file will be once it is closed.
func (w *Writer) Path() string { return w.final }

// AddSweep keeps a sweep, or how one ended that is kept.
func (w *Writer) AddSweep(s track.Sweep) error {
	line, err := lines.AppendSweep(nil, s)
	if err != nil {
		return err
	}
	return w.Add(line)
}

// AddSeeds keeps seeds.
func (w *Writer) AddSeeds(seeds []track.Seed) (err error) {
	var text []byte
	for _, seed := range seeds {
		if text, err = lines.AppendSeed(text, seed); err != nil {
			return err
		}
	}
	return w.Add(text)
}

// Add appends whole lines by one write; they are safe once it returns.
func (w *Writer) Add(text []byte) error {
	if len(text) == 0 || text[len(text)-1] != '\n' {
		return errors.New("spool: a line that does not end")
	}
	if err := w.stay(); err != nil {
		return fmt.Errorf("spool: %w", err)
	}
	if _, err := w.file.Write(text); err != nil {
		return fmt.Errorf("spool: %w", err)
	}
	return w.file.Sync()
}

// stay goes on in another file where somebody took the one that is written for one that is done with, and moved it.
func (w *Writer) stay() error {
	path := w.file.Name()
	if path == w.final {
		return nil
	}
	if _, err := os.Lstat(path); !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	for n := 2; ; n++ {
		next := fmt.Sprintf("%s-%d", w.base, n)
		if _, err := os.Lstat(filepath.Join(filepath.Dir(path), doneFolder, filepath.Base(next)+suffix)); err == nil {
			continue // moved as well
		}
		file, err := os.OpenFile(next+openSuffix, os.O_CREATE|os.O_EXCL|os.O_APPEND|os.O_WRONLY, 0o644)
		if err != nil {
			return err
		}
		err = w.file.Close()
		w.file, w.final = file, next+suffix
		return err
	}
}

// Close gives the file its final name. One that nothing was added to is taken away.
func (w *Writer) Close() error {
	path := w.file.Name()
	info, err := w.file.Stat()
	if err = errors.Join(err, w.file.Close()); err != nil {
		return err
	}
	if info.Size() == 0 {
		return os.Remove(path)
	}
	if path == w.final {
		return nil
	}
	if err = os.Rename(path, w.final); errors.Is(err, fs.ErrNotExist) {
		return nil // somebody took it for one that is done with, and moved it
	}
	return err
}

// File is a file of a spool.
type File struct {
	Path string
	Open bool // its process writes to it, or ended without closing it
}

// Closed returns the path of the file once it is closed.
func (f File) Closed() string {
	if base, isOpen := strings.CutSuffix(f.Path, openSuffix); isOpen {
		return base + suffix
	}
	return f.Path
}

// Files lists the files of a spool in the order of their names; none where there is no such folder.
func Files(dir string) (files []File, err error) {
	entries, err := os.ReadDir(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	for _, entry := range entries {
		if name := entry.Name(); !entry.IsDir() && strings.HasSuffix(name, suffix) {
			files = append(files, File{filepath.Join(dir, name), strings.HasSuffix(name, openSuffix)})
		}
	}
	slices.SortFunc(files, func(a, b File) int { return strings.Compare(a.Path, b.Path) })
	return files, err
}

// Done moves a file that is recorded out of the way, into a folder within its own, and returns where it is now. One
// that another process moved meanwhile, or closed, is done with here: it is nowhere.
func (f File) Done() (moved string, err error) {
	dir := filepath.Join(filepath.Dir(f.Path), doneFolder)
	if err := os.Mkdir(dir, 0o755); err != nil && !errors.Is(err, fs.ErrExist) {
		return "", err
	}
	to := filepath.Join(dir, filepath.Base(f.Closed()))
	err = os.Rename(f.Path, to)
	if errors.Is(err, fs.ErrNotExist) {
		if _, gone := os.Lstat(f.Path); errors.Is(gone, fs.ErrNotExist) {
			return "", nil
		}
	}
	return to, err
}

// Records reads the records in the whole lines of the file at path.
func Records(path string) iter.Seq2[lines.Record, error] {
	return func(yield func(lines.Record, error) bool) {
		file, err := os.Open(path)
		if err != nil {
			yield(lines.Record{}, err)
			return
		}
		defer func() { _ = file.Close() }()
		text, _, _, err := Lines(file)
		if err != nil {
			yield(lines.Record{}, err)
			return
		}
		lines.Read(path, text)(yield)
	}
}

// Lines reads the whole lines of a file; what follows the last of them is still being written, or never was. Its size
// is left.
func Lines(file *os.File) (text *io.SectionReader, size, left int64, err error) {
	info, err := file.Stat()
	if err == nil && !info.Mode().IsRegular() {
		err = fmt.Errorf("%w: %s is not a regular file", track.ErrInvalid, file.Name())
	}
	if err != nil {
		return nil, 0, 0, err
	}
	whole, err := wholeLines(file)
	return io.NewSectionReader(file, 0, whole), whole, max(0, info.Size()-whole), err
}
