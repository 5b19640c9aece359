package spool

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
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

// Contents counts what lies in a spool.
type Contents struct {
	Files, Open int // Open are those of Files that a process may still write
	Lines       int
	Bytes       int64 // of whole lines
}

// Count counts what lies in the files of a spool. A file that was moved out of the way meanwhile counts for nothing.
func Count(files []File) (c Contents, err error) {
	for _, f := range files {
		lines, size, err := countLines(f.Path)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return c, err
		}
		c.Files++
		c.Lines += lines
		c.Bytes += size
		if f.Open {
			c.Open++
		}
	}
	return c, nil
}

func countLines(path string) (n int, size int64, err error) {
	file, err := os.Open(path)
	if err != nil {
		return 0, 0, err
	}
	defer func() { _ = file.Close() }()
	text, size, _, err := Lines(file)
	if err != nil {
		return 0, 0, err
	}
	buffer := make([]byte, 64<<10)
	for {
		read, err := text.Read(buffer)
		n += bytes.Count(buffer[:read], []byte{'\n'})
		if errors.Is(err, io.EOF) {
			return n, size, nil
		}
		if err != nil {
			return n, size, err
		}
	}
}

// refusedFolder lies beside a spool. It has the lines that could not be recorded, each file with a text of the reasons
// beside it. In the spool, they would come again each time.
const refusedFolder = "refused"

// RefusedLine is a line of a spool that could not be recorded.
type RefusedLine struct {
	Text []byte // with its end
	Why  string
}

// RefusedFolder returns the folder of the lines of a spool that could not be recorded.
func RefusedFolder(dir string) string { return filepath.Join(filepath.Dir(dir), refusedFolder) }

// KeepRefused keeps lines of a file of the spool in dir that could not be recorded. Whoever does it again keeps the
// same.
func KeepRefused(dir string, f File, list []RefusedLine) error {
	folder := RefusedFolder(dir)
	if err := os.MkdirAll(folder, 0o700); err != nil {
		return err
	}
	var lines, reasons bytes.Buffer
	for i, l := range list {
		lines.Write(l.Text)
		fmt.Fprintf(&reasons, "line %d: %s\n", i+1, l.Why)
	}
	path := filepath.Join(folder, filepath.Base(f.Closed()))
	return errors.Join(ReplaceFile(reasonsPath(path), reasons.Bytes()), ReplaceFile(path, lines.Bytes()))
}

func reasonsPath(path string) string { return strings.TrimSuffix(path, filepath.Ext(path)) + ".txt" }

// ReplaceFile writes a file, which has its name once it is whole.
func ReplaceFile(path string, data []byte) error {
	file, err := os.CreateTemp(filepath.Dir(path), "."+filepath.Base(path)+".*")
	if err != nil {
		return err
	}
	_, err = file.Write(data)
	if err = errors.Join(err, file.Close()); err != nil {
		return errors.Join(err, os.Remove(file.Name()))
	}
	return os.Rename(file.Name(), path)
}

// RetryRefused moves the lines of the spool in dir that could not be recorded into w, a new file of the spool. Somebody
// may have corrected them, or changed what they were refused for.
func RetryRefused(dir string, w *Writer) (err error) {
	defer func() { err = errors.Join(err, w.Close()) }()
	files, err := Files(RefusedFolder(dir))
	if err != nil {
		return err
	}
	for _, f := range files {
		text, err := os.ReadFile(f.Path)
		if err != nil {
			return err
		}
		if text = bytes.TrimSpace(text); len(text) > 0 {
			if err := w.Add(append(text, '\n')); err != nil {
				return err
			}
		}
	}
	for _, f := range files {
		_ = os.Remove(reasonsPath(f.Path))
		if err := os.Remove(f.Path); err != nil {
			return err
		}
	}
	return nil
}
