package exchange

import (
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
	"track/internal/sizes"
	"track/store"
)

// BundleSource is where a bundle comes from.
type BundleSource struct {
	Name   string    // for people
	Path   string    // of the file; empty for Stream
	Stream io.Reader // nil for a file
	// Largest is what a compressed bundle may hold.
	Largest sizes.Size
}

// ImportBundle merges a bundle into the database that open opens. It checks all of the bundle before: one that is
// damaged changes nothing. found is called with what the bundle holds.
func ImportBundle(ctx context.Context, from BundleSource, open func() (st *store.Store, done func(), err error), now time.Time, o FilesOptions, found func(answer.BundleContents)) (a answer.Merged, err error) {
	dir, err := os.MkdirTemp("", "track-bundle-")
	if err != nil {
		return a, diskError(os.TempDir(), err)
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	path, err := from.unpack(dir)
	if err != nil {
		return a, fmt.Errorf("import %s: %w", from.Name, diskError(dir, err))
	}
	if path, err = migrateCopy(ctx, path, dir, now); err != nil {
		return a, from.named(path, err)
	}
	contents, err := checkBundle(ctx, path, o)
	if err != nil {
		return a, from.named(path, err)
	}
	bundle := bundleContents(contents)
	bundle.File = from.Name
	found(bundle)
	st, done, err := open()
	if err != nil {
		return a, err
	}
	defer done()
	o.checked = true
	merged, err := mergeFile(ctx, st, path, o)
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

// migrateCopy returns the path of a migrated copy of a bundle with an older schema. It returns the path of any other
// bundle unchanged.
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
	_, err = io.Copy(out, s.Largest.Reader(unzipped))
	switch {
	case errors.Is(err, sizes.ErrTooLarge), isDiskFull(err):
		return "", err
	case err != nil:
		return "", track.WithHint(fmt.Errorf("%w: %w", track.ErrInvalid, err), track.Hint{Text: "the file is cut off or damaged; nothing was recorded"})
	}
	return path, nil
}
