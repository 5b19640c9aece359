package remote

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"track/internal/spool"
)

// What lies beside the spool of a server.
const (
	addressFile = "address"
	failureFile = "failure"
	epochFile   = "epoch" // of the database of the server
)

// KeepAddress writes down whose records lie in a spool. If it cannot, the spool is one of a server that is not known.
func KeepAddress(spoolDir, address string) {
	path := filepath.Join(filepath.Dir(spoolDir), addressFile)
	if _, err := os.Lstat(path); err != nil {
		_ = os.WriteFile(path, []byte(strings.TrimSuffix(address, "/")+"\n"), 0o600)
	}
}

// Spool is a folder of records that wait for a server.
type Spool struct {
	Dir      string
	Address  string // empty if it is not known
	Failure  string // why the last sending failed; empty if it did not, or if nothing was sent yet
	FailedAt time.Time

	Kept    int // files that the server has
	Refused int // lines that the server refused
	Epoch   string
}

// Spools returns the spools of all servers, those of PostgreSQL among them.
func Spools() (list []Spool, err error) {
	some, err := SpoolDir("")
	if err != nil {
		return nil, err
	}
	dirs, err := filepath.Glob(filepath.Join(filepath.Dir(filepath.Dir(some)), "*", filepath.Base(some)))
	if err != nil {
		return nil, err
	}
	for _, dir := range dirs {
		s, err := SpoolIn(dir)
		if err != nil {
			return nil, err
		}
		list = append(list, s)
	}
	return list, nil
}

// SpoolIn describes the spool in a folder, which need not be there.
func SpoolIn(dir string) (s Spool, err error) {
	s.Dir = dir
	address, err := os.ReadFile(filepath.Join(filepath.Dir(dir), addressFile))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return s, err
	}
	s.Address = strings.TrimSpace(string(address))
	kept, err := spool.Kept(dir)
	if err != nil {
		return s, err
	}
	s.Kept, s.Epoch = len(kept), epochOf(dir)
	files, err := spool.Files(spool.RefusedFolder(dir))
	if err != nil {
		return s, err
	}
	refused, err := spool.Count(files)
	if err != nil {
		return s, err
	}
	s.Refused = refused.Lines
	path := filepath.Join(filepath.Dir(dir), failureFile)
	text, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return s, nil
	}
	if err != nil {
		return s, err
	}
	info, err := os.Stat(path)
	if err == nil {
		s.FailedAt = info.ModTime()
	}
	s.Failure = strings.TrimSpace(string(text))
	return s, nil
}

// keepOutcome writes down why the last sending of a spool failed, or that it did not. What cannot be written is not
// told: sending went as it went.
func keepOutcome(dir string, err error) {
	path := filepath.Join(filepath.Dir(dir), failureFile)
	text := ""
	switch {
	case errors.Is(err, context.Canceled):
		return // it was not tried to the end
	case errors.Is(err, context.DeadlineExceeded):
		text = "the server did not answer in the time that the command waits"
	case err != nil:
		text = err.Error()
	}
	if text == "" {
		_ = os.Remove(path)
		return
	}
	_ = os.WriteFile(path, []byte(text+"\n"), 0o600)
}

// keptFor is how long files are kept that the server has.
const keptFor = 7 * 24 * time.Hour

// keepSent moves a file of so many bytes that the server has out of the way, where it is kept for a while. One that its
// process writes to after all comes back.
func keepSent(f spool.File, size int64) error {
	moved, err := f.Done()
	if err != nil || moved == "" {
		return err
	}
	info, err := os.Stat(moved)
	if err != nil {
		return err
	}
	now := time.Now()
	if info.Size() > size {
		return spool.KeptFile{Path: moved, At: now}.BringBack()
	}
	return os.Chtimes(moved, now, now)
}

// keepEpoch writes down the epoch of a server of which none is known, and reports whether the known one is this.
func keepEpoch(dir, epoch string) bool {
	known := epochOf(dir)
	if known == "" {
		setEpoch(dir, epoch)
	}
	return known == "" || known == epoch
}

func epochOf(dir string) string {
	text, _ := os.ReadFile(filepath.Join(filepath.Dir(dir), epochFile)) // without one, nothing was sent yet
	return strings.TrimSpace(string(text))
}

// setEpoch writes an epoch down. If it cannot, positions alone tell what the server has lost.
func setEpoch(dir, epoch string) {
	_ = os.WriteFile(filepath.Join(filepath.Dir(dir), epochFile), []byte(epoch+"\n"), 0o600)
}

// Restore brings files back into the spool that the server had acknowledged and has lost, because it was restored from
// an older copy, and returns how many. It asks for the file that was acknowledged last: a server that has it has those
// before it, unless its epoch differs.
func (p *Pusher) Restore(ctx context.Context) (n int, err error) {
	kept, err := keptFiles(p.Dir)
	if err != nil {
		return 0, err
	}
	epoch := ""
	for _, k := range kept {
		id, ok := spool.ID(k.Path)
		if !ok {
			continue
		}
		lines, err := k.Lines()
		if err != nil {
			return n, err
		}
		there, err := p.Client.spoolPosition(ctx, id, p.Attempts)
		if err != nil {
			keepOutcome(p.Dir, err)
			return n, err
		}
		isThere := there.Through >= int64(lines)
		if epoch == "" && isThere && keepEpoch(p.Dir, there.ServerEpoch) {
			return 0, nil
		}
		epoch = there.ServerEpoch
		if !isThere {
			if err := k.BringBack(); err != nil {
				return n, err
			}
			n++
		}
	}
	if epoch != "" {
		setEpoch(p.Dir, epoch)
	}
	return n, nil
}

// keptFiles returns the files that the server has, the last one first, and removes those that are kept no longer.
func keptFiles(dir string) (list []spool.KeptFile, err error) {
	all, err := spool.Kept(dir)
	if err != nil {
		return nil, err
	}
	now := time.Now()
	for _, k := range all {
		if now.Sub(k.At) < keptFor {
			list = append(list, k)
		} else if err := os.Remove(k.Path); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return nil, err
		}
	}
	return list, nil
}

// Lacking counts, by scenario, the seeds in the files of a spool that its server does not have: those that wait, and those
// that it refused. If it does not tell how far a file is recorded, all seeds of the file count.
func (c *Client) Lacking(ctx context.Context, dir string) (n map[string]int, err error) {
	n = map[string]int{}
	waiting, err := spool.Files(dir)
	if err != nil {
		return nil, err
	}
	refused, err := spool.Files(spool.RefusedFolder(dir))
	if err != nil {
		return nil, err
	}
	for _, f := range waiting {
		if err := countSeeds(n, f, c.recordedLines(ctx, f)); err != nil {
			return nil, err
		}
	}
	for _, f := range refused {
		if err := countSeeds(n, f, 0); err != nil {
			return nil, err
		}
	}
	return n, nil
}

// recordedLines returns how many lines of a file the server has recorded, from its beginning; 0 if it does not say that.
func (c *Client) recordedLines(ctx context.Context, f spool.File) int64 {
	id, _ := spool.ID(f.Path)
	if id == "" {
		return 0
	}
	there, err := c.spoolPosition(ctx, id, 1)
	if err != nil || there.Refused > 0 {
		return 0
	}
	return there.Through
}

// countSeeds counts the seeds of a file behind its first lines.
func countSeeds(n map[string]int, f spool.File, behind int64) error {
	for record, err := range spool.Records(f.Path) {
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
		if err == nil && record.Err == nil && record.IsSeed() && int64(record.Line) > behind { // nobody knows what a bad line would be
			n[record.Seed.Scenario]++
		}
	}
	return nil
}
