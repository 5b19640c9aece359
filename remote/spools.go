package remote

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"
)

// Beside the spool of a server lie its address, which the name of the folder does not tell, and why the last sending
// failed.
const (
	addressFile = "address"
	failureFile = "failure"
)

// KeepAddress writes down whose records lie in a spool. If it cannot, the spool is one of a server that is not known.
func KeepAddress(spoolDir, address string) {
	path := filepath.Join(filepath.Dir(spoolDir), addressFile)
	if _, err := os.Lstat(path); err != nil {
		_ = os.WriteFile(path, []byte(strings.TrimSuffix(address, "/")+"\n"), 0o600)
	}
}

// Spool is a folder of records that wait for a server.
type Spool struct {
	Dir      string
	Address  string // empty if it is not known
	Failure  string // why the last sending failed; empty if it did not, or if nothing was sent yet
	FailedAt time.Time

	Acknowledged int // lines that wait in files of which the server has some
	Kept         int // files that the server has
	Refused      int // lines that the server refused
	Epoch        string
}

// Spools returns the spools of all servers, those of PostgreSQL among them.
func Spools() (list []Spool, err error) {
	some, err := SpoolDir("")
	if err != nil {
		return nil, err
	}
	dirs, err := filepath.Glob(filepath.Join(filepath.Dir(filepath.Dir(some)), "*", filepath.Base(some)))
	if err != nil {
		return nil, err
	}
	for _, dir := range dirs {
		s, err := SpoolIn(dir)
		if err != nil {
			return nil, err
		}
		list = append(list, s)
	}
	return list, nil
}

// SpoolIn describes the spool in a folder, which need not be there.
func SpoolIn(dir string) (s Spool, err error) {
	s.Dir = dir
	address, err := os.ReadFile(filepath.Join(filepath.Dir(dir), addressFile))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return s, err
	}
	s.Address = strings.TrimSpace(string(address))
	if err := s.addPositions(); err != nil {
		return s, err
	}
	path := filepath.Join(filepath.Dir(dir), failureFile)
	text, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return s, nil
	}
	if err != nil {
		return s, err
	}
	info, err := os.Stat(path)
	if err == nil {
		s.FailedAt = info.ModTime()
	}
	s.Failure = strings.TrimSpace(string(text))
	return s, nil
}

// keepOutcome writes down why the last sending of a spool failed, or that it did not. What cannot be written is not
// told: sending went as it went.
func keepOutcome(dir string, err error) {
	path := filepath.Join(filepath.Dir(dir), failureFile)
	text := ""
	switch {
	case errors.Is(err, context.Canceled):
		return // it was not tried to the end
	case errors.Is(err, context.DeadlineExceeded):
		text = "the server did not answer in the time that the command waits"
	case err != nil:
		text = err.Error()
	}
	if text == "" {
		_ = os.Remove(path)
		return
	}
	_ = os.WriteFile(path, []byte(text+"\n"), 0o600)
}
