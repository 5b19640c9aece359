package spool

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

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

// KeepRefused keeps lines of a file of the spool in dir that could not be recorded. Whoever does it again keeps the same.
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
