package provenance

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// workTree is the root of a work tree of git: the folder that holds .git.
type workTree string

// findWorkTree returns the nearest work tree at or above dir, by physical paths, as git does.
func findWorkTree(dir string) (workTree, error) {
	start, err := filepath.Abs(dir)
	if err != nil {
		return "", err
	}
	if start, err = filepath.EvalSymlinks(start); err != nil {
		return "", err
	}
	if info, err := os.Stat(start); err != nil {
		return "", err
	} else if !info.IsDir() {
		return "", fmt.Errorf("%s is not a folder", start)
	}
	for folder := start; ; {
		found, err := hasRepository(folder)
		if found || err != nil {
			return workTree(folder), err
		}
		parent := filepath.Dir(folder)
		if parent == folder {
			return "", fmt.Errorf("%s: %w", start, errNoRepository)
		}
		folder = parent
	}
}

// hasRepository reports whether folder holds .git: a file that leads to a repository, or a folder with a HEAD. Git
// checks more; what it refuses then is a failure of git, not another repository further up.
func hasRepository(folder string) (bool, error) {
	info, err := os.Stat(filepath.Join(folder, ".git"))
	if err == nil && info.IsDir() {
		_, err = os.Lstat(filepath.Join(folder, ".git", "HEAD"))
	}
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return false, nil
	case err != nil:
		return false, fmt.Errorf("unreadable repository: %w", err)
	}
	return info.IsDir() || info.Mode().IsRegular(), nil
}
