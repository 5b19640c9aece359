package remote

import (
	"bufio"
	"errors"
	"io"
	"io/fs"
	"os"
	"slices"

	"track/importer/lines"
	"track/internal/spool"
)

// Lacking counts, by scenario, the seeds of a spool that its server does not have: those that wait, and those that it
// refused.
func Lacking(dir string) (n map[string]int, err error) {
	n = map[string]int{}
	waiting, err := spool.Files(dir)
	if err != nil {
		return nil, err
	}
	refused, err := spool.Files(spool.RefusedFolder(dir))
	if err != nil {
		return nil, err
	}
	for _, f := range slices.Concat(waiting, refused) {
		if err := countSeeds(n, f); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return nil, err
		}
	}
	return n, nil
}

// countSeeds counts the seeds in the lines of a file that were not sent.
func countSeeds(n map[string]int, f spool.File) error {
	file, err := os.Open(f.Path)
	if err != nil {
		return err
	}
	defer func() { _ = file.Close() }()
	text, size, _, err := spool.Lines(file)
	if err != nil {
		return err
	}
	sent := min(size, positionOf(f.Closed()).Bytes)
	for record, err := range lines.Read(f.Path, bufio.NewReader(io.NewSectionReader(text, sent, size-sent))) {
		if err != nil {
			return err
		}
		if record.Err == nil && record.IsSeed() { // nobody knows what a bad line would be
			n[record.Seed.Scenario]++
		}
	}
	return nil
}
