package reportfiles

import (
	"bufio"
	"crypto/rand"
	"errors"
	"io/fs"
	"os"
	"path/filepath"

	"track"
)

// Unfinished is a file that is written next to its place, and put there once it is whole and on the disk.
type Unfinished struct {
	out   *bufio.Writer
	file  *os.File
	size  int64
	path  string // as the user gave it
	place string
	force bool
}

// Begin begins a file. Its folder must exist. Without force the file must not.
func Begin(path string, force bool) (*Unfinished, error) {
	place := throughLinks(path)
	if info, err := os.Stat(place); err == nil {
		switch {
		case info.IsDir():
			return nil, &namedError{path + ": is a folder, not a file", track.ErrInvalid}
		case !info.Mode().IsRegular():
			return nil, &namedError{path + ": is not a regular file", track.ErrInvalid}
		case !force:
			return nil, exists(path)
		}
	}
	file, err := os.OpenFile(filepath.Join(filepath.Dir(place), ".track-"+rand.Text()), os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o666)
	if err != nil {
		return nil, problem(path, err)
	}
	return &Unfinished{out: bufio.NewWriterSize(file, 1<<16), file: file, path: path, place: place, force: force}, nil
}

// Write implements [io.Writer].
func (u *Unfinished) Write(data []byte) (int, error) {
	n, err := u.out.Write(data)
	u.size += int64(n)
	return n, err
}

// Size returns how many bytes were written.
func (u *Unfinished) Size() int64 { return u.size }

func exists(path string) error {
	return track.WithHint(&namedError{path + ": already exists", track.ErrConflict}, track.Hint{Text: "name another one; a file is replaced with --force"})
}

// Place puts the file in its place.
func (u *Unfinished) Place() error {
	err := errors.Join(u.out.Flush(), u.file.Sync(), u.file.Close())
	if err == nil {
		err = u.move()
	}
	if err != nil {
		return err
	}
	return syncFolder(filepath.Dir(u.place))
}

func (u *Unfinished) move() error {
	if !u.force {
		err := os.Link(u.file.Name(), u.place) // which fails if there is a file meanwhile
		if err == nil || errors.Is(err, fs.ErrExist) {
			_ = os.Remove(u.file.Name())
		}
		switch {
		case err == nil:
			return nil
		case errors.Is(err, fs.ErrExist):
			return exists(u.path)
		}
	} // some file systems have no links
	if err := os.Rename(u.file.Name(), u.place); err != nil {
		return problem(u.path, err)
	}
	return nil
}

// Discard removes what was not put in its place.
func (u *Unfinished) Discard() {
	_ = u.file.Close()
	_ = os.Remove(u.file.Name())
}

// UnfinishedFolder is a folder that is filled next to its place.
type UnfinishedFolder struct{ path, place, temporary string }

// BeginFolder begins a folder, which must be empty or not exist. Its parent must exist.
func BeginFolder(path string) (*UnfinishedFolder, error) {
	f := &UnfinishedFolder{path: path, place: filepath.Clean(throughLinks(filepath.Clean(path)))}
	switch entries, err := os.ReadDir(f.place); {
	case len(entries) > 0:
		return nil, track.WithHint(&namedError{path + ": the folder is not empty", track.ErrConflict}, track.Hint{Text: "name a new or an empty folder"})
	case err != nil && !errors.Is(err, fs.ErrNotExist):
		return nil, problem(path, err)
	}
	f.temporary = filepath.Join(filepath.Dir(f.place), ".track-"+rand.Text())
	if err := os.Mkdir(f.temporary, 0o777); err != nil {
		return nil, problem(path, err)
	}
	return f, nil
}

// Begin begins a file within the folder, and makes its folder.
func (f *UnfinishedFolder) Begin(name string) (*Unfinished, error) {
	path := filepath.Join(f.temporary, name)
	if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
		return nil, problem(f.path, err)
	}
	return Begin(path, true)
}

// Place puts the folder in its place.
func (f *UnfinishedFolder) Place() error {
	if err := os.Remove(f.place); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return problem(f.path, err)
	}
	if err := os.Rename(f.temporary, f.place); err != nil {
		return problem(f.path, err)
	}
	return syncFolder(filepath.Dir(f.place))
}

// Discard removes what was not put in its place.
func (f *UnfinishedFolder) Discard() { _ = os.RemoveAll(f.temporary) }

func syncFolder(path string) error {
	folder, err := os.Open(path)
	if err != nil {
		return err
	}
	_ = folder.Sync() // not every system can
	return folder.Close()
}
