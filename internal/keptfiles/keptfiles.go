// Package keptfiles finds the small files of a run that are recorded with its seed, and writes them back.
package keptfiles

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"track"
	"track/internal/sizes"
)

// The limits of a run unless its user says otherwise. They are of bytes before compression.
const (
	largestFile  sizes.Size = 1 << 20
	largestRun   sizes.Size = 8 << 20 // of all files together
	mostFiles               = 16
	mostLeftOut             = 16 // files whose names are recorded though their contents are not
	wildcardsSet            = `*?[\`
)

// Rules say which files of a run are kept.
type Rules struct {
	Patterns []string   // relative to the folder of the run, or absolute
	Largest  sizes.Size // file that is kept; 1 MiB if zero
	// RefuseName returns why a name must not be recorded; nil for any name.
	RefuseName func(name string) error
}

// Kept is what was found of a run.
type Kept struct {
	Artifacts []track.Artifact // by name, those that were left out included
	Unmatched []string         // patterns that no file matches
	NUnnamed  int              // files that are left out without a trace, because of their names or their number
}

// CheckPattern returns why a text cannot be a pattern.
func CheckPattern(pattern string) error {
	if pattern == "" {
		return errors.New("is empty")
	}
	if _, err := path.Match(filepath.ToSlash(pattern), ""); err != nil {
		return fmt.Errorf("%q is no pattern: %w", pattern, err)
	}
	return nil
}

// CheckLargest returns why a size cannot be the limit of a file.
func CheckLargest(size sizes.Size) error {
	if size < 0 || size > track.MaxArtifactBytes {
		return fmt.Errorf("%s: files of up to %s can be kept", size, sizes.Size(track.MaxArtifactBytes))
	}
	return nil
}

// Find returns the files that the rules keep of a run in a folder. An error is about the folder or a pattern; whatever
// is wrong with a file only leaves it out.
func (r Rules) Find(dir string) (k Kept, err error) {
	found := map[string]found{}
	for _, pattern := range r.Patterns {
		if err := CheckPattern(pattern); err != nil {
			return k, err
		}
		n, err := match(dir, pattern, found)
		if err != nil {
			return k, err
		}
		if n == 0 {
			k.Unmatched = append(k.Unmatched, pattern)
		}
	}
	names := make([]string, 0, len(found))
	for name := range found {
		names = append(names, name)
	}
	slices.Sort(names)
	r.read(&k, names, found)
	return k, nil
}

// found is a file by the folder that its path is relative to.
type found struct{ base, path string }

// match adds the files that a pattern matches by their names, and returns how many there are. Folders do not count.
func match(dir, pattern string, list map[string]found) (n int, err error) {
	base, rest := split(dir, pattern)
	root, err := os.OpenRoot(base)
	if errors.Is(err, fs.ErrNotExist) && base != dir {
		return 0, nil
	}
	if err != nil {
		return 0, err
	}
	defer func() { _ = root.Close() }()
	matches := []string{rest}
	if strings.ContainsAny(rest, wildcardsSet) {
		if matches, err = fs.Glob(root.FS(), rest); err != nil {
			return 0, err
		}
	}
	for _, name := range matches {
		info, err := root.Lstat(name)
		if err != nil || info.IsDir() {
			continue
		}
		if info.Mode()&fs.ModeSymlink != 0 {
			if target, err := root.Stat(name); err == nil && target.IsDir() {
				continue
			}
		}
		list[name] = found{base, name}
		n++
	}
	return n, nil
}

// split returns the folder that a pattern is searched in, and the pattern within it. A pattern that leads out of dir is
// searched in the folder that it names before its first wildcard.
func split(dir, pattern string) (base, rest string) {
	pattern = filepath.ToSlash(pattern)
	clean := path.Clean(pattern)
	if !filepath.IsAbs(pattern) && clean != ".." && !strings.HasPrefix(clean, "../") {
		return dir, clean
	}
	if !filepath.IsAbs(pattern) {
		clean = path.Join(filepath.ToSlash(dir), clean)
	}
	words := strings.Split(clean, "/")
	n := slices.IndexFunc(words, func(w string) bool { return strings.ContainsAny(w, wildcardsSet) })
	if n < 0 {
		n = len(words) - 1
	}
	return filepath.FromSlash(cmp.Or(strings.Join(words[:n], "/"), "/")), strings.Join(words[n:], "/")
}

// read reads the files with these names within the limits.
func (r Rules) read(k *Kept, names []string, list map[string]found) {
	largest := cmp.Or(r.Largest, largestFile)
	left, nKept, nLeftOut := max(largest, largestRun), 0, 0
	for _, name := range names {
		if track.CheckArtifactName(name) != nil || r.RefuseName != nil && r.RefuseName(name) != nil {
			k.NUnnamed++
			continue
		}
		a := track.Artifact{Name: name, LeftOut: fmt.Sprintf("a run keeps %d files", mostFiles)}
		if nKept < mostFiles {
			a.Content, a.LeftOut = readFile(list[name], largest, left)
		}
		if a.LeftOut == "" {
			nKept++
			left -= sizes.Size(len(a.Content))
		} else if nLeftOut++; nLeftOut > mostLeftOut {
			k.NUnnamed++
			continue
		}
		k.Artifacts = append(k.Artifacts, a)
	}
}

// readFile returns the content of a file, or why it is left out.
func readFile(f found, largest, left sizes.Size) (content, leftOut string) {
	root, err := os.OpenRoot(f.base)
	if err != nil {
		return "", "its folder cannot be read"
	}
	defer func() { _ = root.Close() }()
	info, err := root.Stat(f.path)
	switch {
	case err != nil:
		return "", "it cannot be read, or is a link that leads out of the folder of the run"
	case !info.Mode().IsRegular():
		return "", "it is not a regular file"
	case sizes.Size(info.Size()) > largest:
		return "", fmt.Sprintf("it has %d bytes; a file of up to %d is kept", info.Size(), int64(largest))
	case sizes.Size(info.Size()) > left:
		return "", fmt.Sprintf("it has %d bytes, and with those before it more than the files of a run may have together", info.Size())
	}
	file, err := root.Open(f.path)
	if err != nil {
		return "", "it cannot be read"
	}
	defer func() { _ = file.Close() }()
	data, err := io.ReadAll(io.LimitReader(file, int64(min(largest, left))+1))
	switch {
	case err != nil:
		return "", "it cannot be read"
	case sizes.Size(len(data)) > min(largest, left):
		return "", "it grew while it was read"
	}
	return string(data), ""
}
