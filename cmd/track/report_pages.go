package main

import (
	"bytes"
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
	"track/scoring/format"
)

// indexPages are the pages of an index as they are made: each is written beside its place, or held against what is there, and then let go.
type indexPages struct {
	path   string // of the index
	png    bool
	check  bool
	before []byte // the index that is there; nil for none
	names  []string
	taken  map[string]bool
	staged stagedFiles
	wrong  []string // what is not as it would be written now
}

// newIndexPages prepares for the pages of an index; nil where it goes to standard output.
func newIndexPages(o reportOptions) (*indexPages, error) {
	if o.toStandardOutput() {
		return nil, nil
	}
	x := &indexPages{path: o.output, png: o.png, check: o.check != "", taken: map[string]bool{}}
	if x.check {
		x.path = o.check
	}
	x.taken[strings.ToLower(filepath.Base(x.path))] = true
	var err error
	switch x.before, err = os.ReadFile(x.path); {
	case err == nil:
	case !errors.Is(err, fs.ErrNotExist) && !errors.Is(err, syscall.ENOTDIR):
		return nil, fileProblem(x.path, err)
	case x.check:
		return x, nil // who asked is told that it is missing
	default:
		return x, x.staged.mkdir(filepath.Dir(x.path))
	}
	return x, nil
}

// add makes a page of a report, and returns its name; empty where there are no pages.
func (x *indexPages) add(kind, name, rest string, d document.Document) (page string, err error) {
	if x == nil {
		return "", nil
	}
	page = x.name(kind, name, rest)
	files, err := reportFiles(reports.PartOf(filepath.Base(x.path), d), filepath.Join(filepath.Dir(x.path), page), x.png)
	if err != nil {
		return "", err
	}
	x.names = append(x.names, page)
	return page, x.put(files)
}

// addIndex makes the index, which leads to pages that were made and nowhere else.
func (x *indexPages) addIndex(d document.Document) error {
	made := map[string]bool{}
	for _, name := range x.names {
		made[name] = true
	}
	for _, href := range d.Links() {
		if !made[href] {
			return fmt.Errorf("the index leads to %q, which is none of its pages", href)
		}
	}
	files, err := reportFiles(d, x.path, x.png)
	if err != nil {
		return err
	}
	return x.put(files)
}

// put writes a page beside its place, after its pictures, or says what is different.
func (x *indexPages) put(files []reportFile) error {
	if !x.check {
		if err := x.ofAnother(files[0]); err != nil {
			return err
		}
		return x.staged.add(files)
	}
	for _, f := range slices.Backward(files) {
		why, err := f.outdated()
		if err != nil {
			return err
		}
		if why != "" {
			x.wrong = append(x.wrong, why)
		}
	}
	return nil
}

// ofAnother refuses to take a page from another index that stands beside this one: the pages of both have the same names.
func (x *indexPages) ofAnother(page reportFile) error {
	there, err := os.ReadFile(page.path)
	if err != nil {
		return nil // what keeps it from being written is told then
	}
	other, err := url.PathUnescape(reports.IndexOf(there))
	if err != nil || other == "" || other == filepath.Base(x.path) || other != filepath.Base(other) {
		return nil
	}
	index := filepath.Join(filepath.Dir(x.path), other)
	if _, err := os.Lstat(index); err != nil {
		return nil
	}
	return track.WithHint(fmt.Errorf("report index %s: %s is a page of the index %s: %w", x.path, page.path, index, track.ErrConflict), track.Hint{Text: "a folder is for one index in each format; name another folder, or -o " + index})
}

// name is that of the page of a report: the same one each time, another one for each report, also where large and small letters are one, and
// such that it means nothing to a shell, a browser or a file system. What that takes away from a name, a hash of it stands for.
func (x *indexPages) name(kind, name, rest string) string {
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

// superfluous are the pages of the index that was there before which the new one does not lead to, and which are still there.
func (x *indexPages) superfluous() (paths []string) {
	for _, name := range reports.LinkedPages(x.before) {
		path := filepath.Join(filepath.Dir(x.path), name)
		if _, err := os.Lstat(path); err == nil && !slices.Contains(x.names, name) {
			paths = append(paths, path)
		}
	}
	return paths
}

func (x *indexPages) place() error { return x.staged.place() }

func (x *indexPages) discard() {
	if x != nil {
		x.staged.discard()
	}
}

// mostNamed files are named one by one.
const mostNamed = 10

// checkIndex exits 1 where the index or one of its pages is not what it would be now, and says which.
func (p *program) checkIndex(x *indexPages, index document.Document) error {
	if err := x.addIndex(index); err != nil {
		return err
	}
	left := x.superfluous()
	if len(x.wrong) == 0 {
		p.notice("%s is what the database says, and so are its %s", x.path, format.Counted(len(x.names), "report"))
		return nil
	}
	slices.Reverse(x.wrong) // the index first, and each page before its pictures
	lines := x.wrong[:min(mostNamed, len(x.wrong))]
	if more := len(x.wrong) - len(lines); more > 0 {
		lines = append(slices.Clone(lines), "and "+format.Counted(more, "file")+" more")
	}
	for _, path := range left {
		lines = append(lines, path+" is no longer part of the index")
	}
	return p.outdated("%s", strings.Join(lines, "\n"))
}

// nameSuperfluous says what earlier runs wrote and this one did not.
func (p *program) nameSuperfluous(x *indexPages) {
	left := x.superfluous()
	for i, path := range left {
		if i == mostNamed {
			p.notice("and %s more", format.Counted(len(left)-i, "file"))
			return
		}
		p.notice("%s is no longer part of the index; it and its pictures are left where they are", path)
	}
}

// outdated says what is wrong with a file; nothing where it is what it would be if it was written now.
func (f reportFile) outdated() (why string, err error) {
	data, err := os.ReadFile(f.path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return f.path + " is missing", nil
	case err != nil:
		return "", fileProblem(f.path, err)
	case !bytes.Equal(data, f.data):
		return f.path + " is not what the database says: " + firstDifference(data, f.data), nil
	}
	return "", nil
}
