package remote

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"track/answer"
	"track/internal/spool"
)

// keptFor is how long files are kept that the server has.
const keptFor = 7 * 24 * time.Hour

// epochFile lies next to the spool of a server, and has the epoch of its database.
const epochFile = "epoch"

// position is how far a file of a spool is sent. It lies next to a file that stays. If it is missing, the file is sent
// from its start, and the server leaves out what it has.
type position struct {
	Bytes   int64 `json:"bytes"`
	Lines   int64 `json:"lines"`
	Refused bool  `json:"refused"` // the server did not record all of them
}

func positionPath(path string) string {
	return strings.TrimSuffix(path, filepath.Ext(path)) + ".position"
}

// positionOf reads the position of the file at path; zero if there is none that can be read.
func positionOf(path string) (p position) {
	file, err := os.Open(positionPath(path))
	if err != nil {
		return position{}
	}
	defer func() { _ = file.Close() }()
	if err := answer.Decode(file, &p); err != nil || p.Bytes < 0 || p.Lines < 0 {
		return position{}
	}
	return p
}

// keep writes the position of the file at path down. It has its name once it is whole.
func (p position) keep(path string) error {
	if p == positionOf(path) {
		return nil
	}
	var text bytes.Buffer
	if err := answer.Encode(&text, p); err != nil {
		return err
	}
	return spool.ReplaceFile(positionPath(path), text.Bytes())
}

// lineAt returns the position behind n lines of a text.
func lineAt(text io.ReaderAt, n int64) (p position, err error) {
	const most = 1 << 62
	reader := bufio.NewReader(io.NewSectionReader(text, 0, most))
	for p.Lines < n {
		part, err := reader.ReadSlice('\n')
		p.Bytes += int64(len(part))
		switch {
		case err == nil:
			p.Lines++
		case !errors.Is(err, bufio.ErrBufferFull):
			return p, fmt.Errorf("the server has %d lines of a spool with %d: %w", n, p.Lines, err)
		}
	}
	return p, nil
}

// keepSent moves a file that the server has out of the way, where it is kept for a while. One that was sent without its
// position has one there, so that nobody asks the server for it. One that its process writes to after all comes back.
func keepSent(f spool.File, done sentFile) error {
	moved, err := f.Done()
	if removal := os.Remove(positionPath(f.Closed())); !errors.Is(removal, fs.ErrNotExist) {
		err = errors.Join(err, removal)
	}
	if err != nil || moved == "" {
		return err
	}
	info, err := os.Stat(moved)
	if err != nil {
		return err
	}
	now := time.Now()
	if info.Size() > done.size {
		return spool.KeptFile{Path: moved, At: now}.BringBack()
	}
	if done.plain {
		if err := done.position.keep(moved); err != nil {
			return err
		}
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

// recover brings files back into the spool that the server had acknowledged and has lost, and returns how many. It asks
// for the file that was acknowledged last: a server that has it has those before it, unless its epoch is another one.
func (p *Pusher) recover(ctx context.Context, attempts int) (n int, err error) {
	kept, err := keptFiles(p.dir)
	if err != nil {
		return 0, err
	}
	var epoch string
	for _, k := range kept {
		if !hasPosition(k) {
			continue
		}
		isThere, found, err := p.hasKept(ctx, k, attempts)
		if errors.As(err, new(notThere)) { // the server is older
			p.unchecked = false
			return 0, nil
		}
		if err != nil {
			return 0, err
		}
		epoch = found
		if isThere && keepEpoch(p.dir, epoch) {
			p.unchecked = false
			return 0, nil
		}
		break
	}
	if epoch == "" {
		p.unchecked = false
		return 0, nil
	}
	for _, k := range kept {
		isThere, err := false, error(nil)
		if hasPosition(k) {
			isThere, _, err = p.hasKept(ctx, k, attempts)
		}
		if err == nil && !isThere {
			err = bringBack(k)
			n++
		}
		if err != nil {
			return n, err
		}
	}
	setEpoch(p.dir, epoch)
	p.unchecked = false
	return n, nil
}

// hasPosition reports whether a server has a position for a file that was sent.
func hasPosition(k spool.KeptFile) bool {
	_, ok := spool.ID(k.Path)
	_, err := os.Lstat(positionPath(k.Path))
	return ok && errors.Is(err, fs.ErrNotExist)
}

// hasKept reports whether the server has all lines of a file, and returns its epoch.
func (p *Pusher) hasKept(ctx context.Context, k spool.KeptFile, attempts int) (isThere bool, epoch string, err error) {
	lines, err := k.Lines()
	if err != nil {
		return false, "", err
	}
	id, _ := spool.ID(k.Path)
	there, err := p.client.spoolPosition(ctx, id, attempts)
	return there.Through >= int64(lines), there.ServerEpoch, err
}

func bringBack(k spool.KeptFile) error {
	err := k.BringBack()
	if removal := os.Remove(positionPath(k.Path)); !errors.Is(removal, fs.ErrNotExist) {
		err = errors.Join(err, removal)
	}
	return err
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
			continue
		}
		for _, path := range []string{k.Path, positionPath(k.Path)} {
			if err := os.Remove(path); err != nil && !errors.Is(err, fs.ErrNotExist) {
				return nil, err
			}
		}
	}
	return list, nil
}

// addPositions adds what is known of the positions in a spool.
func (s *Spool) addPositions() error {
	files, err := spool.Files(s.Dir)
	if err != nil {
		return err
	}
	for _, f := range files {
		s.Acknowledged += int(positionOf(f.Closed()).Lines)
	}
	kept, err := spool.Kept(s.Dir)
	if err != nil {
		return err
	}
	s.Kept, s.Epoch = len(kept), epochOf(s.Dir)
	if files, err = spool.Files(spool.RefusedFolder(s.Dir)); err != nil {
		return err
	}
	refused, err := spool.Count(files)
	s.Refused = refused.Lines
	return err
}
