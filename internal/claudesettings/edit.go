package claudesettings

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
)

// Change is a change of a file of settings.
type Change struct {
	File   string // the file itself, not a link to it
	Backup string // where the text before will be kept; empty if there was no file, or an earlier backup holds it
	Before []byte
	After  []byte
}

// Plan computes a change of a file of settings, and writes nothing. change gets the text of the file, and the backups
// of it, the first one first.
func Plan(path string, change func(text []byte, backups [][]byte) ([]byte, error)) (c Change, err error) {
	if target, err := filepath.EvalSymlinks(path); err == nil { // the link stays one
		path = target
	}
	c.File = path
	isThere := true
	if c.Before, err = os.ReadFile(path); errors.Is(err, fs.ErrNotExist) {
		isThere = false
	} else if err != nil {
		return c, err
	}
	backups, free, err := readBackups(path)
	if err != nil {
		return c, err
	}
	if c.After, err = change(c.Before, backups); err != nil {
		return c, fmt.Errorf("%s: %w", path, err)
	}
	if isThere && !isKept(c.Before, backups) {
		c.Backup = free
	}
	return c, nil
}

// readBackups returns the backups of a file, and the name of the next one.
func readBackups(path string) (texts [][]byte, free string, err error) {
	for n := 1; ; n++ {
		name := path + backupSuffix
		if n > 1 {
			name = fmt.Sprintf("%s%s-%d", path, backupSuffix, n)
		}
		text, err := os.ReadFile(name)
		if errors.Is(err, fs.ErrNotExist) {
			return texts, name, nil
		}
		if err != nil {
			return nil, "", err
		}
		texts = append(texts, text)
	}
}

// isKept says whether a backup holds a text, or all of it but the hooks of track; it may be that nothing else is there.
func isKept(text []byte, backups [][]byte) bool {
	without, err := Restore(text, backups)
	if err == nil && string(bytes.TrimSpace(without)) == "{}" {
		return true
	}
	return slices.ContainsFunc(backups, func(backup []byte) bool {
		return bytes.Equal(backup, text) || err == nil && bytes.Equal(backup, without)
	})
}

const backupSuffix = ".track-backup"

// Restore returns settings without the hooks of track. If those hooks are all that distinguishes the text from a
// backup, it returns the backup. Otherwise the last one tells which lists and objects were empty before, and stay.
func Restore(text []byte, backups [][]byte) ([]byte, error) {
	commands, err := Commands(text)
	if err != nil {
		return nil, err
	}
	var before []byte
	for _, backup := range backups {
		had, err := Commands(backup)
		if err != nil || len(had) > 0 {
			continue
		}
		before = backup
		if list := commands[events[0]]; len(list) == 1 {
			if again, err := Install(backup, list[0]); err == nil && bytes.Equal(again, text) {
				return backup, nil
			}
		}
	}
	without, _, err := uninstall(text, before)
	return without, err
}

// Write keeps the text before as a backup, and then replaces the file in one step.
func (c Change) Write() error {
	mode := fs.FileMode(0o644)
	if info, err := os.Stat(c.File); err == nil {
		mode = info.Mode().Perm()
	}
	if err := os.MkdirAll(filepath.Dir(c.File), 0o755); err != nil {
		return err
	}
	if c.Backup != "" {
		if err := newFile(c.Backup, c.Before, mode); err != nil {
			return err
		}
	}
	return replaceFile(c.File, c.After, mode)
}

// newFile writes a file that is not there. One that has come to be there stays what it is.
func newFile(path string, text []byte, mode fs.FileMode) error {
	file, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, mode)
	if err != nil {
		return err
	}
	_, err = file.Write(text)
	if err = errors.Join(err, file.Sync(), file.Close()); err != nil {
		_ = os.Remove(path)
	}
	return err
}

func replaceFile(path string, text []byte, mode fs.FileMode) error {
	file, err := os.CreateTemp(filepath.Dir(path), filepath.Base(path)+".*.tmp")
	if err != nil {
		return err
	}
	_, err = file.Write(text)
	if err = errors.Join(err, file.Chmod(mode), file.Sync(), file.Close()); err == nil {
		err = os.Rename(file.Name(), path)
	}
	if err != nil {
		_ = os.Remove(file.Name())
	}
	return err
}
