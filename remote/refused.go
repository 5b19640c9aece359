package remote

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"track/answer"
	"track/internal/spool"
)

// refusedFolder lies beside the spool of a server. It has the lines that the server refused, each file with a text of
// the reasons beside it. They would hold up whatever is recorded later.
const refusedFolder = "refused"

// refusedLine is a line that a server did not record.
type refusedLine struct {
	text []byte // with its end
	why  string
}

// refusedLines returns the lines of a text that an answer does not count as recorded.
func refusedLines(text []byte, sent answer.RecordedLines) (list []refusedLine) {
	if len(sent.Errors) == 0 {
		return nil
	}
	lines, problems := bytes.SplitAfter(text, []byte{'\n'}), slices.Clone(sent.Errors)
	for _, line := range sent.Unlisted {
		problems = append(problems, answer.LineProblem{Line: line, Message: "the server gave the reasons of earlier lines alone: correct these, and send again"})
	}
	for _, p := range problems {
		if p.Line >= 1 && p.Line <= len(lines) {
			list = append(list, refusedLine{lines[p.Line-1], strings.TrimPrefix(p.Field+": "+p.Message, ": ")})
		}
	}
	return list
}

// RefusedFolder returns the folder of the lines that the server of a spool refused.
func RefusedFolder(dir string) string { return filepath.Join(filepath.Dir(dir), refusedFolder) }

// keepRefused keeps the lines of a file that the server refused. Whoever sends the file again keeps the same.
func keepRefused(dir string, f spool.File, list []refusedLine) error {
	folder := RefusedFolder(dir)
	if err := os.MkdirAll(folder, 0o700); err != nil {
		return err
	}
	var lines, reasons bytes.Buffer
	for i, l := range list {
		lines.Write(l.text)
		fmt.Fprintf(&reasons, "line %d: %s\n", i+1, l.why)
	}
	path := filepath.Join(folder, filepath.Base(f.Closed()))
	return errors.Join(replaceFile(reasonsPath(path), reasons.Bytes()), replaceFile(path, lines.Bytes()))
}

func reasonsPath(path string) string { return strings.TrimSuffix(path, filepath.Ext(path)) + ".txt" }

// replaceFile writes a file, which has its name once it is whole.
func replaceFile(path string, data []byte) error {
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

// RetryRefused moves the lines that the server of the spool in dir refused into w, a new file of the spool. Somebody
// may have corrected them, or changed what the server goes by.
func RetryRefused(dir string, w *spool.Writer) (err error) {
	defer func() { err = errors.Join(err, w.Close()) }()
	files, err := spool.Files(RefusedFolder(dir))
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
