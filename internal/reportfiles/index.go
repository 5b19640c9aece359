package reportfiles

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"

	"track"
	"track/reports"
	"track/reports/document"
)

// Index is an index with its pages while it is made. Each page is staged, or compared with the file that exists, and
// then let go.
type Index struct {
	path     string
	png      bool
	check    bool
	previous []byte // the index that exists; nil for none
	names    []string
	taken    map[string]bool
	staged   Staged
	outdated []string
}

// NewIndex prepares an index: to be written, or to be checked.
func NewIndex(path string, png, check bool) (*Index, error) {
	x := &Index{path: path, png: png, check: check, taken: map[string]bool{strings.ToLower(filepath.Base(path)): true}}
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

// Pages returns the names of the pages that were added.
func (x *Index) Pages() []string { return x.names }

// AddPage makes a page of a report, and returns its name.
func (x *Index) AddPage(kind, name, rest string, d document.Document) (page string, err error) {
	page = x.name(kind, name, rest)
	files, err := Render(reports.PartOf(filepath.Base(x.path), d), filepath.Join(filepath.Dir(x.path), page), x.png)
	if err != nil {
		return "", err
	}
	x.names = append(x.names, page)
	return page, x.put(files)
}

// AddIndex makes the index itself. It is an error if the index leads to anything but its pages.
func (x *Index) AddIndex(d document.Document) error {
	for _, href := range d.Links() {
		if !slices.Contains(x.names, href) {
			return fmt.Errorf("the index leads to %q, which is not one of its pages", href)
		}
	}
	files, err := Render(d, x.path, x.png)
	if err != nil {
		return err
	}
	return x.put(files)
}

// put stages a page after its pictures, or notes how they differ from the files that exist.
func (x *Index) put(files []File) error {
	if !x.check {
		if err := x.checkOwner(files[0]); err != nil {
			return err
		}
		return x.staged.Add(files)
	}
	for _, f := range slices.Backward(files) {
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

// name returns the name of the page of a report. It is the same each time and differs from those of other reports,
// even if the file system ignores case, and it has no characters with a meaning for a shell, a browser or a file
// system. A hash stands for what is changed.
func (x *Index) name(kind, name, rest string) string {
	const most = 80
	safe := strings.Map(func(r rune) rune {
		switch {
		case 'A' <= r && r <= 'Z':
			return r + 'a' - 'A'
		case 'a' <= r && r <= 'z', '0' <= r && r <= '9', r == '_', r == '-', r == '.':
			return r
		}
		return '-'
	}, name)
	safe = safe[:min(most, len(safe))]
	sum := sha256.Sum256([]byte(kind + "\x00" + name + "\x00" + rest))
	hash := hex.EncodeToString(sum[:])
	for digits := 0; ; digits += 10 {
		page := kind + "-" + safe + rest
		if digits == 0 && safe != name {
			continue
		}
		if digits > 0 {
			page += "~" + hash[:min(digits, len(hash))]
		}
		if page += filepath.Ext(x.path); !x.taken[page] {
			x.taken[page] = true
			return page
		}
	}
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
