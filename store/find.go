package store

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"track"
)

// Folder returns the folder of what is kept beside a database, such as the records that wait for it: that of the file, or
// one of the user's own for a database on a server.
func Folder(name string) (string, error) {
	if !IsServer(name) {
		return filepath.Dir(name), nil
	}
	settings, err := os.UserConfigDir()
	if err != nil {
		return "", err
	}
	hash := sha256.Sum256([]byte(WithoutPassword(name)))
	return filepath.Join(settings, "track", "servers", hex.EncodeToString(hash[:8])), nil
}

// Find looks for the database of dir: in its .track folder, or in the closest parent folder that has one. It returns an
// error wrapping [track.ErrNotFound] if there is none. A .track folder that cannot be read ends the search with an
// error: its database is the one that is meant, not one in a folder above. A folder above to which everybody can write,
// such as /tmp, is passed over: anybody could have put a database there.
func Find(dir string) (string, error) {
	start := dir
	for {
		path := filepath.Join(dir, DefaultDir, DefaultFile)
		switch found, err := exists(path); {
		case dir != start && writableByAll(dir):
		case err != nil:
			return "", unreadable(path, err)
		case found:
			return path, nil
		}
		parent := filepath.Dir(dir)
		if parent == dir {
			err := fmt.Errorf("no %s in %s or above: %w", filepath.Join(DefaultDir, DefaultFile), start, track.ErrNotFound)
			return "", track.WithHint(track.WithHint(err, track.NewHint("create one here", "init")), otherDatabase("name another"))
		}
		dir = parent
	}
}

// exists reports whether there is a database at path. A link that leads nowhere is an error.
func exists(path string) (bool, error) {
	_, err := os.Stat(path)
	if !errors.Is(err, fs.ErrNotExist) {
		return err == nil, err
	}
	for _, name := range []string{path, filepath.Dir(path)} {
		if info, linkErr := os.Lstat(name); linkErr == nil && info.Mode()&fs.ModeSymlink != 0 {
			if _, err := os.Stat(name); err != nil {
				return false, fmt.Errorf("%s is a link to a file that does not exist", name)
			}
		}
	}
	return false, nil
}

// unreadable returns the error of a database, or a folder .track, that ends the search.
func unreadable(path string, err error) error {
	if failure := (*fs.PathError)(nil); errors.As(err, &failure) {
		err = failure.Err // it names the file once more
	}
	return track.WithHint(fmt.Errorf("open %s: %w: it cannot be read, and no folder above is searched instead: %w", path, track.ErrDatabase, err),
		otherDatabase("make it readable, remove it, or name another file"))
}
