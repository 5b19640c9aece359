package claudesettings

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// Change is a change of a file of settings.
type Change struct {
	File   string // the file itself, not a link to it
	Backup string // where the text before is kept; empty if there was no file
	Before []byte
	After  []byte
}

// Plan computes a change of a file of settings, and writes nothing. change gets the text of the file, and that of the
// backup, nil if there is none.
func Plan(path string, change func(text, backup []byte) ([]byte, error)) (c Change, err error) {
	if target, err := filepath.EvalSymlinks(path); err == nil { // the link stays one
		path = target
	}
	c.File = path
	if c.Before, err = os.ReadFile(path); err == nil {
		c.Backup = path + backupSuffix
	} else if !errors.Is(err, fs.ErrNotExist) {
		return c, err
	}
	backup, err := os.ReadFile(path + backupSuffix)
	if err != nil {
		backup = nil
	}
	if c.After, err = change(c.Before, backup); err != nil {
		return c, fmt.Errorf("%s: %w", path, err)
	}
	return c, nil
}

const backupSuffix = ".track-backup"

// Restore returns settings without the hooks of track. If those hooks are all that distinguishes the text from the
// backup, it returns the backup: taking them out would lose white space within empty objects.
func Restore(text, backup []byte) ([]byte, error) {
	commands, err := Commands(text)
	if err != nil {
		return nil, err
	}
	if list := commands[events[0]]; backup != nil && len(list) == 1 {
		had, err := Commands(backup)
		again, installErr := Install(backup, list[0])
		if err == nil && installErr == nil && len(had) == 0 && bytes.Equal(again, text) {
			return backup, nil
		}
	}
	without, _, err := uninstall(text)
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
		if err := replaceFile(c.Backup, c.Before, mode); err != nil {
			return err
		}
	}
	return replaceFile(c.File, c.After, mode)
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
