package spool

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/oklog/ulid/v2"
)

// KeptFile is a file that was moved out of the way.
type KeptFile struct {
	Path string
	At   time.Time // when it was moved
}

// Kept lists the files of a spool that were moved out of the way, the last one first.
func Kept(dir string) (list []KeptFile, err error) {
	files, err := Files(filepath.Join(dir, doneFolder))
	for _, f := range files {
		info, err := os.Stat(f.Path)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return nil, err
		}
		list = append(list, KeptFile{f.Path, info.ModTime()})
	}
	slices.SortFunc(list, func(a, b KeptFile) int { return cmp.Or(b.At.Compare(a.At), strings.Compare(b.Path, a.Path)) })
	return list, err
}

// BringBack moves the file to where it was.
func (k KeptFile) BringBack() error {
	back := filepath.Join(filepath.Dir(filepath.Dir(k.Path)), filepath.Base(k.Path))
	if _, err := os.Lstat(back); !errors.Is(err, fs.ErrNotExist) {
		return err // another process has brought it back
	}
	return os.Rename(k.Path, back)
}

// Lines counts the whole lines of the file.
func (k KeptFile) Lines() (int, error) {
	n, _, err := countLines(k.Path)
	return n, err
}

// ID returns the ULID of the file at path for a server: the time is that of the ULID that the name begins with, and the
// rest a hash of the name. A name without a ULID may be that of another file later: it has no ID.
func ID(path string) (id string, ok bool) {
	name := strings.TrimSuffix(filepath.Base(File{Path: path}.Closed()), suffix)
	begin, _, _ := strings.Cut(name, "-")
	named, err := ulid.ParseStrict(strings.ToUpper(begin))
	if err != nil {
		return "", false
	}
	hash := sha256.Sum256([]byte(name))
	if err := named.SetEntropy(bytes.Clone(hash[:10])); err != nil {
		return "", false
	}
	return named.String(), true
}

// IDOf returns the ULID for a server of lines that are in no file: a hash of them.
func IDOf(lines []byte) string {
	hash := sha256.Sum256(lines)
	return ulid.ULID(hash[:16]).String()
}
