package provenance

import (
	"bytes"
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"track"
	"track/internal/masking"
)

// Files are regular files that runs depend on, as they were when they were found.
type Files struct {
	files      []file
	unresolved []string
}

// file is a file with what its content was.
type file struct {
	name     string // relative to the working directory, or the last element of a path elsewhere
	path     string
	size     int64
	modified time.Time
	sum      [sha256.Size]byte
}

// filesFormat is hashed first, as [diffFormat] is.
const filesFormat = "track files 1"

const (
	mostFiles  = 100_000
	maskedFile = 4 << 20 // bytes: no source is longer
)

// FindFiles returns the files that runs of a command depend on: the regular files that words of the command name, alone
// or after a '=', the local files that these import, source or run, and those that match patterns. lines are the
// command as it is run with each set of parameters. A pattern that matches a folder means all files below it; one that
// matches nothing is an error. env has the variables of the command, as NAME=VALUE.
func FindFiles(ctx context.Context, lines [][]string, env, patterns []string) (Files, error) {
	f, err := newFinder()
	if err != nil {
		return Files{}, err
	}
	for _, entry := range slices.Concat(os.Environ(), env) {
		f.modulePath(entry)
	}
	for _, words := range lines {
		if program, err := exec.LookPath(words[0]); err == nil && isBelow(f.absolute(program), f.here) {
			f.add(f.absolute(program), "")
		}
		f.command(words, []string{f.here}, "")
	}
	for _, pattern := range patterns {
		if err := f.matching(ctx, pattern); err != nil {
			return Files{}, err
		}
	}
	found := Files{unresolved: slices.Compact(slices.Sorted(slices.Values(f.unresolved)))}
	for path := range f.paths {
		read, err := readFile(ctx, path)
		if err != nil {
			return Files{}, err
		}
		found.files = append(found.files, read)
	}
	slices.SortFunc(found.files, func(a, b file) int { return cmp.Or(strings.Compare(a.name, b.name), bytes.Compare(a.sum[:], b.sum[:])) })
	return found, nil
}

// Hash identifies the files by their names and contents: the lowercase hex SHA-256 that the package comment describes.
// Files that git tracks are left out if the revision of the origin, which was found after them, tells their state. It
// is empty if there are no others.
func (f *Files) Hash(ctx context.Context, origin Origin, patience Patience) (string, error) {
	if len(f.files) == 0 {
		return "", nil
	}
	committed, err := committedFiles(ctx, origin.tree, f.files, patience)
	if err != nil {
		return "", err
	}
	if name := f.Changed(ctx); name != "" {
		return "", fmt.Errorf("%w: %s changed while the revision was found; run the command again", track.ErrConflict, name)
	}
	return hashOfFiles(slices.DeleteFunc(slices.Clone(f.files), func(known file) bool { return committed[known.path] })), nil
}

// Names returns the names of the files.
func (f *Files) Names() (names []string) {
	for _, known := range f.files {
		names = append(names, known.name)
	}
	return names
}

// Unresolved returns what names a file that could not be found, as FILE: TEXT.
func (f *Files) Unresolved() []string { return f.unresolved }

// matching adds the regular files that a pattern names.
func (f *finder) matching(ctx context.Context, pattern string) error {
	found, err := filepath.Glob(pattern)
	if err != nil {
		return fmt.Errorf("%w: %q is no pattern: %w", track.ErrInvalid, pattern, err)
	}
	n := len(f.paths)
	for _, path := range found {
		err := filepath.WalkDir(path, func(path string, entry fs.DirEntry, err error) error {
			if err == nil {
				err = ctx.Err()
			}
			if err != nil {
				return err
			}
			if info, err := os.Stat(path); err == nil && info.Mode().IsRegular() {
				f.paths[f.absolute(path)] = true
			}
			if len(f.paths) > mostFiles {
				return fmt.Errorf("%w: more than %d files", track.ErrInvalid, mostFiles)
			}
			return nil
		})
		if err != nil {
			return fmt.Errorf("%s: %w", pattern, err)
		}
	}
	if len(f.paths) == n && len(found) == 0 {
		return fmt.Errorf("%w: no file matches %q", track.ErrNotFound, pattern)
	}
	return nil
}

// committedFiles returns which of the files git tracks in a work tree; none if there is none. Files that git was told to
// overlook are not among them, since git status says nothing of them.
func committedFiles(ctx context.Context, tree workTree, files []file, patience Patience) (map[string]bool, error) {
	if tree == "" {
		return nil, nil
	}
	ctx, done := patience.begin(ctx)
	defer done()
	const most = 64 << 20
	tracked, cut, err := tree.git(ctx, most, "ls-files", "-z", "-v")
	if err != nil {
		return nil, fmt.Errorf("list the files of the commit: %w", err)
	}
	if cut {
		return nil, fmt.Errorf("list the files of the commit: their names take more than %d MiB", most>>20)
	}
	known := map[string]bool{}
	for entry := range bytes.SplitSeq(tracked, []byte{0}) {
		if tag, name, _ := strings.Cut(string(entry), " "); tag == "H" || tag == "M" { // others are overlooked
			known[name] = true
		}
	}
	committed := map[string]bool{}
	for _, f := range files {
		physical, err := filepath.EvalSymlinks(f.path)
		if err != nil {
			return nil, err
		}
		if name, err := filepath.Rel(string(tree), physical); err == nil && known[filepath.ToSlash(name)] {
			committed[f.path] = true
		}
	}
	return committed, nil
}

func readFile(ctx context.Context, path string) (f file, err error) {
	f = file{name: nameOf(path), path: path}
	opened, err := os.Open(path)
	if errors.Is(err, fs.ErrPermission) {
		err = fmt.Errorf("%w: %s: runs depend on it, and it cannot be read: %w", track.ErrInvalid, path, err)
		return f, track.WithHint(err, track.Hint{Text: "make it readable, or start it from a script that is"})
	}
	if err != nil {
		return f, err
	}
	defer opened.Close()
	info, err := opened.Stat()
	if err != nil {
		return f, err
	}
	f.size, f.modified = info.Size(), info.ModTime()
	f.sum, err = sumOf(contextReader{ctx, opened}, f.size)
	if err != nil {
		return f, fmt.Errorf("%s: %w", path, err)
	}
	return f, nil
}

// nameOf returns the path of a file below the working directory, which is the same on every machine that runs the
// command, or the name of one elsewhere.
func nameOf(path string) string {
	if here, err := os.Getwd(); err == nil && isBelow(path, here) {
		if relative, err := filepath.Rel(here, path); err == nil {
			return filepath.ToSlash(relative)
		}
	}
	return filepath.Base(path)
}

// sumOf returns the SHA-256 of a content. A text that may be a source is masked first: whoever knows the rest of it
// could else try short secrets until the hash fits.
func sumOf(r io.Reader, size int64) (sum [sha256.Size]byte, err error) {
	if size > maskedFile {
		h := sha256.New()
		_, err = io.Copy(h, r)
		return [sha256.Size]byte(h.Sum(nil)), err
	}
	content, err := io.ReadAll(r)
	if err != nil {
		return sum, err
	}
	if bytes.IndexByte(content, 0) < 0 {
		text, _ := masking.Mask(string(content))
		content = []byte(text)
	}
	return sha256.Sum256(content), nil
}

func hashOfFiles(files []file) string {
	if len(files) == 0 {
		return ""
	}
	h := sha256.New()
	text := func(s string) {
		_ = binary.Write(h, binary.BigEndian, uint64(len(s)))
		_, _ = io.WriteString(h, s)
	}
	text(filesFormat)
	for _, f := range files {
		text(f.name)
		text(string(f.sum[:]))
	}
	return hex.EncodeToString(h.Sum(nil))
}

// Changed returns the name of a file whose content is no longer what it was, or that is gone; empty if there is none.
// It reads a file only if its size or time has changed.
func (f *Files) Changed(ctx context.Context) string {
	for i := range f.files {
		known := &f.files[i]
		info, err := os.Stat(known.path)
		if err == nil && info.Size() == known.size && info.ModTime().Equal(known.modified) {
			continue
		}
		now, err := readFile(ctx, known.path)
		if err != nil || now.sum != known.sum {
			return known.name
		}
		*known = now
	}
	return ""
}
