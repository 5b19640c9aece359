package reportfiles

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

// Staged are files that are written next to their places, until all of them are complete.
type Staged struct {
	files   []stagedFile
	folders []string // that were made for them
}

// stagedFile has the path that the user gave, and the place of the file, which differs for a symbolic link.
type stagedFile struct{ path, place, temporary string }

// Mkdir makes a folder unless it exists. Its parent must exist.
func (s *Staged) Mkdir(folder string) error {
	err := os.Mkdir(folder, 0o755)
	if err == nil {
		s.folders = append(s.folders, folder)
		return nil
	}
	if there, statErr := os.Stat(folder); statErr == nil && there.IsDir() {
		return nil
	}
	return problem(folder, err)
}

// Add writes a report and its pictures next to their places. The pictures come first, so that no report refers to
// missing ones. The folder of the pictures is made; the folder of the report must exist.
func (s *Staged) Add(report []File) error {
	for i, f := range slices.Backward(report) {
		if i > 0 {
			if err := s.Mkdir(filepath.Dir(f.Path)); err != nil {
				return err
			}
		}
		if err := s.write(f); err != nil {
			return problem(f.Path, err)
		}
	}
	return nil
}

// write writes a file under a name that no other process has.
func (s *Staged) write(f File) (err error) {
	place := throughLinks(f.Path)
	temporary := filepath.Join(filepath.Dir(place), ".track-"+rand.Text())
	file, err := os.OpenFile(temporary, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o666)
	if err != nil {
		return err
	}
	s.files = append(s.files, stagedFile{f.Path, place, temporary})
	_, err = file.Write(f.Data)
	return errors.Join(err, file.Close())
}

// throughLinks returns the place of a file that may be a symbolic link, also if the link leads to nothing yet.
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

// Place puts the files in place, in the order in which they were added.
func (s *Staged) Place() error {
	for len(s.files) > 0 {
		f := s.files[0]
		if err := os.Rename(f.temporary, f.place); err != nil {
			if there, statErr := os.Stat(f.place); statErr == nil && there.IsDir() {
				return &namedError{f.path + ": is a folder, not a file", track.ErrInvalid}
			}
			return problem(f.path, err)
		}
		s.files = s.files[1:]
	}
	s.folders = nil
	return nil
}

// Discard removes what was not put in place.
func (s *Staged) Discard() {
	for _, f := range s.files {
		_ = os.Remove(f.temporary)
	}
	for _, folder := range slices.Backward(s.folders) {
		_ = os.Remove(folder) // unless something is in it
	}
}

// problem describes an error on a file by the file's own name, not by its temporary one.
func problem(path string, err error) error {
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return &namedError{filepath.Dir(path) + ": no such folder; make it first", track.ErrNotFound}
	case errors.Is(err, fs.ErrPermission):
		return &namedError{path + ": permission denied", track.ErrInvalid}
	case errors.Is(err, syscall.ENOTDIR), errors.Is(err, fs.ErrExist):
		return &namedError{path + ": is a file, not a folder", track.ErrInvalid}
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

// namedError is an error of a kind, in its own words.
type namedError struct {
	text string
	kind error
}

func (e *namedError) Error() string { return e.text }
func (e *namedError) Unwrap() error { return e.kind }

// Replace writes files next to their places and then puts them in place.
func Replace(files []File) error {
	var staged Staged
	defer staged.Discard()
	if err := staged.Add(files); err != nil {
		return err
	}
	return staged.Place()
}
