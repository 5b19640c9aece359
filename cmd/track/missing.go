package main

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"

	"track"
	"track/internal/near"
	"track/store"
)

// orNearest adds to the error of a database that does not exist which one was probably meant.
func (p *program) orNearest(path string, err error) error {
	if err == nil || store.IsServer(path) || !errors.Is(err, track.ErrNotFound) {
		return err
	}
	if nearest := nearestDatabase(path); nearest != "" {
		return track.WithHint(err, track.Hint{Text: "the nearest database is " + nearest})
	}
	return err
}

// nearestDatabase returns the database whose name is most like that of a file that does not exist: of those in its
// folder, or else the one that a command finds by itself; empty if there is none.
func nearestDatabase(path string) string {
	folder := filepath.Dir(path)
	entries, err := os.ReadDir(folder)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return ""
	}
	var names []string
	for _, entry := range entries {
		if name := entry.Name(); entry.Type().IsRegular() && filepath.Ext(name) == filepath.Ext(store.DefaultFile) {
			names = append(names, name)
		}
	}
	if name := near.Nearest(filepath.Base(path), names); name != "" {
		return filepath.Join(folder, name)
	}
	if len(names) == 1 {
		return filepath.Join(folder, names[0])
	}
	dir, err := os.Getwd()
	if err != nil {
		return ""
	}
	found, err := store.Find(dir)
	if err != nil {
		return ""
	}
	return found
}

// checkNamed returns an error if the user names a database that does not exist.
func (p *program) checkNamed() error {
	path, err := p.namedDatabase()
	if path == "" || err != nil || store.IsServer(path) {
		return err
	}
	if _, err := os.Stat(path); !errors.Is(err, fs.ErrNotExist) {
		return nil // what it is shows when it is opened
	}
	return p.orNearest(path, store.NotThere(path))
}
