package main

import (
	"crypto/rand"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"syscall"

	"track"
)

// stagedFiles stand beside their places, until all of them are written.
type stagedFiles struct {
	files   []stagedFile
	folders []string // that were made for them
}

// stagedFile is a file by the name that people know and where it is to stand, which is elsewhere for a link.
type stagedFile struct{ path, place, temporary string }

// mkdir makes a folder, unless it is there; the one around it has to be.
func (s *stagedFiles) mkdir(folder string) error {
	err := os.Mkdir(folder, 0o755)
	if err == nil {
		s.folders = append(s.folders, folder)
		return nil
	}
	if there, statErr := os.Stat(folder); statErr == nil && there.IsDir() {
		return nil
	}
	return fileProblem(folder, err)
}

// add writes a report and its pictures beside their places; the pictures come first, so that no report shows some that are not there. The
// folder of pictures is made, that of the report has to be there.
func (s *stagedFiles) add(report []reportFile) error {
	for i, f := range slices.Backward(report) {
		if i > 0 {
			if err := s.mkdir(filepath.Dir(f.path)); err != nil {
				return err
			}
		}
		if err := s.write(f); err != nil {
			return fileProblem(f.path, err)
		}
	}
	return nil
}

// write writes a file under a name that no other process has.
func (s *stagedFiles) write(f reportFile) (err error) {
	place := throughLinks(f.path)
	temporary := filepath.Join(filepath.Dir(place), ".track-"+rand.Text())
	file, err := os.OpenFile(temporary, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o666)
	if err != nil {
		return err
	}
	s.files = append(s.files, stagedFile{f.path, place, temporary})
	_, err = file.Write(f.data)
	return errors.Join(err, file.Close())
}

// throughLinks is where a file stands that may be a link, also where nothing stands there yet.
func throughLinks(path string) string {
	const most = 40 // as Linux has it
	for range most {
		to, err := os.Readlink(path)
		if err != nil {
			return path
		}
		if !filepath.IsAbs(to) {
			to = filepath.Dir(path) + string(filepath.Separator) + to
		}
		path = to
	}
	return path
}

// place puts the files where they belong, in the order in which they were added.
func (s *stagedFiles) place() error {
	for len(s.files) > 0 {
		f := s.files[0]
		if err := os.Rename(f.temporary, f.place); err != nil {
			if there, statErr := os.Stat(f.place); statErr == nil && there.IsDir() {
				return &namedError{f.path + ": a folder stands there", track.ErrInvalid}
			}
			return fileProblem(f.path, err)
		}
		s.files = s.files[1:]
	}
	s.folders = nil
	return nil
}

// discard takes away what was not put in place.
func (s *stagedFiles) discard() {
	for _, f := range s.files {
		_ = os.Remove(f.temporary)
	}
	for _, folder := range slices.Backward(s.folders) {
		_ = os.Remove(folder) // unless something is in it
	}
}

// fileProblem tells of a file by its own name, and not by that under which it is written.
func fileProblem(path string, err error) error {
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return &namedError{filepath.Dir(path) + ": no such folder; make it first", track.ErrNotFound}
	case errors.Is(err, fs.ErrPermission):
		return &namedError{path + ": permission denied", track.ErrInvalid}
	case errors.Is(err, syscall.ENOTDIR), errors.Is(err, fs.ErrExist):
		return &namedError{path + ": a file stands where a folder is to be", track.ErrInvalid}
	}
	var failed *fs.PathError
	var moved *os.LinkError
	switch {
	case errors.As(err, &failed):
		err = failed.Err
	case errors.As(err, &moved):
		err = moved.Err
	}
	return fmt.Errorf("%s: %w", path, err)
}

// namedError says in its own words what is one of the kinds of errors.
type namedError struct {
	text string
	kind error
}

func (e *namedError) Error() string { return e.text }
func (e *namedError) Unwrap() error { return e.kind }
