package reportfiles

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/url"
	"os"
	"path"
	"path/filepath"
	"slices"
	"syscall"

	"track"
	"track/reports"
	"track/reports/files"
)

// Index is an index with its pages while their files come. Each page is staged, or compared with the file that exists,
// and then let go.
type Index struct {
	path     string
	check    bool
	previous []byte // the index that exists; nil for none
	names    []string
	coming   []comingFile // a page with its pictures, or the index
	staged   Staged
	outdated []string
}

// comingFile is a file of which more may come.
type comingFile struct {
	path string
	data *bytes.Buffer
}

// NewIndex prepares an index: to be written, or to be checked.
func NewIndex(path string, check bool) (*Index, error) {
	x := &Index{path: path, check: check}
	var err error
	switch x.previous, err = os.ReadFile(path); {
	case err == nil:
		return x, nil
	case !errors.Is(err, fs.ErrNotExist) && !errors.Is(err, syscall.ENOTDIR):
		return nil, problem(path, err)
	case check:
		return x, nil
	}
	return x, x.staged.Mkdir(filepath.Dir(path))
}

// Exists reports whether there was an index before.
func (x *Index) Exists() bool { return x.previous != nil }

// Pages returns the names of the pages that have come.
func (x *Index) Pages() []string { return x.names }

// Create begins a file: a page, a picture of the page before it, or the index. The names are those of a server, so one
// that is anything else is an error.
func (x *Index) Create(name string) (io.Writer, error) {
	dir, base := path.Split(name)
	isPage := dir == "" && files.IsPage(base) && path.Ext(base) == filepath.Ext(x.path)
	switch {
	case dir == "" && base == filepath.Base(x.path), isPage && !slices.Contains(x.names, base):
		if err := x.Finish(); err != nil {
			return nil, err
		}
		if base != filepath.Base(x.path) {
			x.names = append(x.names, base)
		}
	case len(x.coming) == 0 || dir != files.Folder(filepath.Base(x.coming[0].path))+"/" || !isPicture(base):
		return nil, fmt.Errorf("%w: %q is not the name of a page of %s", track.ErrInvalid, name, x.path)
	}
	file := comingFile{filepath.Join(filepath.Dir(x.path), filepath.FromSlash(name)), &bytes.Buffer{}}
	if base == filepath.Base(x.path) {
		file.path = x.path // as the user gave it
	}
	x.coming = append(x.coming, file)
	return file.data, nil
}

// isPicture reports whether a file may be a picture of a report.
func isPicture(base string) bool {
	suffix := path.Ext(base)
	return base != suffix && suffix == ".svg"
}

// Finish stages the page that came last after its pictures, or notes how its files differ from those that exist.
func (x *Index) Finish() error {
	var list []File
	for _, f := range x.coming {
		list = append(list, File{f.path, f.data.Bytes()})
	}
	if x.coming = nil; len(list) == 0 {
		return nil
	}
	if !x.check {
		if err := x.checkOwner(list[0]); err != nil {
			return err
		}
		return x.staged.Add(list)
	}
	for _, f := range slices.Backward(list) {
		difference, err := f.Outdated()
		if err != nil {
			return err
		}
		if difference != "" {
			x.outdated = append(x.outdated, difference)
		}
	}
	return nil
}

// Outdated returns how files differ from what would be written now: the index first, and each page before its pictures.
func (x *Index) Outdated() []string {
	list := slices.Clone(x.outdated)
	slices.Reverse(list)
	return list
}

// Place puts all files in place, the index last.
func (x *Index) Place() error { return x.staged.Place() }

// Discard removes what was not put in place.
func (x *Index) Discard() { x.staged.Discard() }

// checkOwner refuses to take a page from another index in the same folder: the pages of both have the same names.
func (x *Index) checkOwner(page File) error {
	old, err := os.ReadFile(page.Path)
	if err != nil {
		return nil // writing it will report the problem
	}
	other, err := url.PathUnescape(reports.IndexOf(old))
	if err != nil || other == "" || other == filepath.Base(x.path) || other != filepath.Base(other) {
		return nil
	}
	index := filepath.Join(filepath.Dir(x.path), other)
	if _, err := os.Lstat(index); err != nil {
		return nil
	}
	return track.WithHint(fmt.Errorf("report index %s: %s is a page of the index %s: %w", x.path, page.Path, index, track.ErrConflict), track.Hint{Text: "a folder can hold one index of each format: choose another folder, or the path " + index})
}

// Superfluous returns the pages of the previous index that exist and that this one does not lead to.
func (x *Index) Superfluous() (paths []string) {
	for _, name := range reports.LinkedPages(x.previous) {
		path := filepath.Join(filepath.Dir(x.path), name)
		if _, err := os.Lstat(path); err == nil && !slices.Contains(x.names, name) {
			paths = append(paths, path)
		}
	}
	return paths
}
