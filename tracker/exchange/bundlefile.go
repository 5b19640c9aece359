package exchange

import (
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"time"

	"track"
	"track/answer"
	"track/importer"
	"track/store"
)

// ExportBundle writes what is chosen of a database as one file, compressed if its name ends in .gz. It replaces a file only if force is set and
// the file is a database of track.
func ExportBundle(ctx context.Context, st *store.Store, file string, force bool, o MergeOptions) (a answer.BundleContents, err error) {
	if err := checkTarget(file, force); err != nil {
		return a, err
	}
	dir, err := os.MkdirTemp(filepath.Dir(file), ".track-bundle-")
	if err != nil {
		return a, err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	made := filepath.Join(dir, store.DefaultFile)
	contents, err := WriteBundle(ctx, st, made, o)
	if err != nil {
		return a, err
	}
	if strings.HasSuffix(file, ".gz") {
		if err := compressFile(made, made+".gz"); err != nil {
			return a, err
		}
		made += ".gz"
	}
	if err := checkTarget(file, force); err != nil { // again: making it takes time
		return a, err
	}
	return bundleContents(file, contents), os.Rename(made, file)
}

func bundleContents(file string, c store.Contents) answer.BundleContents {
	a := answer.BundleContents{
		File: file, Scenarios: c.Scenarios, Specs: c.Specs, Seeds: c.Seeds, Superseded: c.Superseded, Series: c.Series, Sweeps: c.Sweeps,
		Lineages: c.Lineages, Entries: c.Entries, Executions: c.Executions,
	}
	if first, last := c.Times(); !first.IsZero() {
		a.First, a.Last = first.Format(time.RFC3339Nano), last.Format(time.RFC3339Nano)
	}
	return a
}

// checkTarget refuses what a bundle must not be written over: with force everything but a database of track that nobody has open.
func checkTarget(file string, force bool) error {
	info, err := os.Lstat(file)
	if errors.Is(err, os.ErrNotExist) {
		if _, err := os.Stat(filepath.Dir(file)); err != nil {
			return fmt.Errorf("the folder of -o %s: %w", file, fileError(err))
		}
		return nil
	}
	if err != nil {
		return err
	}
	if info.IsDir() {
		return fmt.Errorf("%w: %s is a folder", track.ErrConflict, file)
	}
	ours, err := isBundle(file)
	if err != nil {
		return err
	}
	switch {
	case !ours:
		err := fmt.Errorf("%w: %s exists, and is no database of track", track.ErrConflict, file)
		return track.WithHint(err, track.Hint{Text: "name another file: not even --force replaces this one"})
	case !force:
		return track.WithHint(fmt.Errorf("%w: %s already exists", track.ErrConflict, file), track.Hint{Text: "--force replaces it, or name another file"})
	}
	for _, end := range []string{"-wal", "-journal"} { // SQLite would apply it to the new file
		if _, err := os.Lstat(file + end); err == nil {
			err := fmt.Errorf("%w: %s is in use: %s%s belongs to it", track.ErrConflict, file, file, end)
			return track.WithHint(err, track.Hint{Text: "name another file, or end what has it open"})
		}
	}
	return nil
}

// isBundle reports whether a file is a database of track, as it is or compressed.
func isBundle(file string) (bool, error) {
	if info, err := os.Stat(file); err != nil || !info.Mode().IsRegular() {
		return false, nil // a link to nowhere, a device
	}
	in, err := os.Open(file)
	if err != nil {
		return false, err
	}
	defer func() { _ = in.Close() }()
	unzipped, err := importer.Decompress(in)
	if err != nil {
		return false, nil
	}
	head, _ := unzipped.Peek(store.HeadSize) // a shorter file is none
	return store.IsDatabase(head), nil
}

// fileError returns an error of the file system, as that of something that was not found if that is what it says.
func fileError(err error) error {
	if errors.Is(err, os.ErrNotExist) {
		return fmt.Errorf("%w: %w", track.ErrNotFound, err)
	}
	return err
}

func compressFile(from, to string) error {
	return writeFileOf(from, to, func(out *os.File, in io.Reader) error {
		w := gzip.NewWriter(out)
		_, err := io.Copy(w, in)
		return errors.Join(err, w.Close(), out.Sync())
	})
}

func copyFile(from, to string) error {
	return writeFileOf(from, to, func(out *os.File, in io.Reader) error {
		_, err := io.Copy(out, in)
		return err
	})
}

// writeFileOf makes one file of another.
func writeFileOf(from, to string, write func(out *os.File, in io.Reader) error) (err error) {
	in, err := os.Open(from)
	if err != nil {
		return err
	}
	defer func() { _ = in.Close() }()
	out, err := os.Create(to)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, out.Close()) }()
	return write(out, in)
}

// BundleSource is where a bundle comes from.
type BundleSource struct {
	Name   string    // for people
	Path   string    // of the file; empty for Stream
	Stream io.Reader // nil for a file
}

// ImportBundle merges a bundle into the database that open opens. It checks all of the bundle before: one that is damaged changes nothing. found is
// called with what the bundle holds.
func ImportBundle(ctx context.Context, from BundleSource, open func() (st *store.Store, done func(), err error), now time.Time, o FilesOptions, found func(answer.BundleContents)) (a answer.Merged, err error) {
	dir, err := os.MkdirTemp("", "track-bundle-")
	if err != nil {
		return a, err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	path, err := from.unpack(dir)
	if err != nil {
		return a, fmt.Errorf("import %s: %w", from.Name, err)
	}
	if path, err = migrateCopy(ctx, path, dir, now); err != nil {
		return a, from.named(path, err)
	}
	contents, err := CheckBundle(ctx, path)
	if err != nil {
		return a, from.named(path, err)
	}
	found(bundleContents(from.Name, contents))
	st, done, err := open()
	if err != nil {
		return a, err
	}
	defer done()
	merged, err := MergeFile(ctx, st, path, o)
	if err != nil {
		return a, from.named(path, err)
	}
	merged.File = from.Name
	return answer.Merged{DryRun: o.DryRun, Files: []answer.MergedFile{merged}}, nil
}

// named returns an error that names the file as the user does, and not the copy of it at path.
func (s BundleSource) named(path string, err error) error {
	if s.Path == path {
		return fmt.Errorf("import bundle: %w", err)
	}
	return &renamedError{strings.ReplaceAll(err.Error(), path, s.Name), err}
}

// renamedError is an error in other words.
type renamedError struct {
	text string
	error
}

func (e *renamedError) Error() string { return "import bundle: " + e.text }

func (e *renamedError) Unwrap() error { return e.error }

// migrateCopy returns the path of a copy of a bundle that an earlier track wrote, with the schema of this one; another bundle stays where it is.
func migrateCopy(ctx context.Context, path, dir string, now time.Time) (string, error) {
	older, err := store.IsOlder(ctx, path)
	if err != nil || !older {
		return path, nil // checked later
	}
	migrated := filepath.Join(dir, "migrated.db")
	if err := copyFile(path, migrated); err != nil {
		return path, err
	}
	_, err = store.Migrate(ctx, migrated, now)
	return migrated, err
}

// unpack returns the path of the bundle as a database: one that is compressed, or comes as a stream, is copied to dir.
func (s BundleSource) unpack(dir string) (path string, err error) {
	in := s.Stream
	if in == nil {
		opened, err := os.Open(s.Path)
		if err != nil {
			return "", fileError(err)
		}
		defer func() { _ = opened.Close() }()
		magic := make([]byte, 2)
		if _, err := io.ReadFull(opened, magic); err != nil || magic[0] != 0x1f || magic[1] != 0x8b {
			return s.Path, nil
		}
		if _, err := opened.Seek(0, io.SeekStart); err != nil {
			return "", err
		}
		in = opened
	}
	unzipped, err := importer.Decompress(in)
	if err != nil {
		return "", fmt.Errorf("%w: %w", track.ErrInvalid, err)
	}
	path = filepath.Join(dir, store.DefaultFile)
	out, err := os.Create(path)
	if err != nil {
		return "", err
	}
	defer func() { err = errors.Join(err, out.Close()) }()
	if _, err := io.Copy(out, unzipped); err != nil {
		return "", track.WithHint(fmt.Errorf("%w: %w", track.ErrInvalid, err), track.Hint{Text: "the file is cut off or damaged; nothing was recorded"})
	}
	return path, nil
}
