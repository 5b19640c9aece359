package provenance

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
)

const (
	maxPointerFile = 64 << 10 // bytes of a file that holds one path or one ref
	maxPackedRefs  = 64 << 20 // bytes of packed-refs that are searched from end to end
)

var (
	errDamaged  = errors.New("damaged repository")
	errTooLarge = errors.New("too large")
	errFolder   = errors.New("a folder")
	errNotAFile = errors.New("not a regular file")
)

// repository is where git keeps the files of one work tree.
type repository struct {
	root   string // the work tree: the folder that holds .git
	own    string // what belongs to this work tree alone, HEAD above all
	common string // what all work trees share; the same as own unless this is a linked work tree
}

// findRepository walks up from dir, as git does, by physical paths.
func findRepository(dir string) (repository, error) {
	start, err := filepath.Abs(dir)
	if err != nil {
		return repository{}, err
	}
	if start, err = filepath.EvalSymlinks(start); err != nil {
		return repository{}, err
	}
	if info, err := os.Stat(start); err != nil {
		return repository{}, err
	} else if !info.IsDir() {
		return repository{}, fmt.Errorf("%s is not a folder", start)
	}
	for folder := start; ; {
		repo, found, err := openRepository(folder)
		if found || err != nil {
			return repo, err
		}
		parent := filepath.Dir(folder)
		if parent == folder {
			return repository{}, fmt.Errorf("%s: %w", start, ErrNoRepository)
		}
		folder = parent
	}
}

// openRepository looks for .git in folder itself. Like git it overlooks a folder of that name that is no repository, and
// refuses a file of that name that leads to none.
func openRepository(folder string) (repo repository, found bool, err error) {
	dotGit := filepath.Join(folder, ".git")
	info, err := os.Stat(dotGit)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return repository{}, false, nil
	case err != nil:
		return repository{}, false, fmt.Errorf("%w: %w", errDamaged, err)
	case info.IsDir():
		repo, err = newRepository(folder, dotGit)
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return repository{}, false, fmt.Errorf("%w: %w", errDamaged, err)
		}
		return repo, err == nil, nil
	case !info.Mode().IsRegular():
		return repository{}, false, nil
	}

	content, err := readRegular(dotGit, maxPointerFile)
	if err != nil {
		return repository{}, false, fmt.Errorf("%w: %w", errDamaged, err)
	}
	target, ok := parseGitFile(content)
	if !ok {
		return repository{}, false, fmt.Errorf("%w: %s does not say `gitdir: PATH`", errDamaged, dotGit)
	}
	if repo, err = newRepository(folder, resolveFrom(folder, target)); err != nil {
		return repository{}, false, fmt.Errorf(
			"%w: %s leads to no repository: %w; `git worktree repair` or `git submodule update` may help", errDamaged, dotGit, err)
	}
	return repo, true, nil
}

// newRepository checks what git checks: HEAD, objects and refs are there.
func newRepository(root, gitDir string) (repository, error) {
	repo := repository{root: root, own: gitDir, common: gitDir}
	if _, err := os.Lstat(filepath.Join(gitDir, "HEAD")); err != nil {
		return repository{}, err
	}
	content, err := readRegular(filepath.Join(gitDir, "commondir"), maxPointerFile)
	switch {
	case err == nil:
		repo.common = resolveFrom(gitDir, parsePath(content))
	case !errors.Is(err, fs.ErrNotExist):
		return repository{}, err
	}
	for _, name := range []string{"objects", "refs"} {
		if _, err := os.Stat(filepath.Join(repo.common, name)); err != nil {
			return repository{}, err
		}
	}
	return repo, nil
}

// parseGitFile reads a .git that is a file, as linked work trees and submodules have it.
func parseGitFile(content []byte) (path string, ok bool) {
	rest, ok := bytes.CutPrefix(content, []byte("gitdir: "))
	path = parsePath(rest)
	return path, ok && path != ""
}

func parsePath(content []byte) string { return string(bytes.TrimRight(content, "\r\n")) }

func resolveFrom(folder, path string) string {
	if filepath.IsAbs(path) {
		return filepath.Clean(path)
	}
	return filepath.Join(folder, path)
}

// readRegular reads a whole regular file of at most limit bytes.
func readRegular(path string, limit int64) ([]byte, error) {
	f, size, err := openRegular(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return readPart(f, 0, size, limit)
}

// openRegular opens a regular file and returns its size. It cannot hang on a pipe or a device of that name.
func openRegular(path string) (*os.File, int64, error) {
	f, err := os.OpenFile(path, os.O_RDONLY|openWithoutWaiting, 0)
	if err != nil {
		return nil, 0, err
	}
	info, err := f.Stat()
	switch {
	case err != nil:
	case info.IsDir():
		err = fmt.Errorf("%s: %w", path, errFolder)
	case !info.Mode().IsRegular():
		err = fmt.Errorf("%s: %w", path, errNotAFile)
	default:
		return f, info.Size(), nil
	}
	f.Close()
	return nil, 0, err
}

// readPart reads the bytes from start to end, or to the end of a file that has become shorter.
func readPart(f *os.File, start, end, limit int64) ([]byte, error) {
	if end-start > limit {
		return nil, fmt.Errorf("%s: %w", f.Name(), errTooLarge)
	}
	content := make([]byte, end-start)
	n, err := f.ReadAt(content, start)
	if err != nil && err != io.EOF {
		return nil, err
	}
	return content[:n], nil
}
