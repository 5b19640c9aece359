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

// ExportBundle writes what is chosen of a database as one file, compressed if its name ends in .gz. It replaces a
// file only if force is set and the file is a database of track.
func ExportBundle(ctx context.Context, st *store.Store, file string, force bool, o MergeOptions) (answer.BundleContents, error) {
	return placeBundle(file, force, func(made string) (answer.BundleContents, error) {
		contents, err := WriteBundle(ctx, st, made, o)
		if err == nil && IsCompressed(file) {
			if err = compressFile(made, made+".gz"); err == nil {
				err = os.Rename(made+".gz", made)
			}
		}
		return bundleContents(contents), err
	})
}

// IsCompressed reports whether a bundle of that name is compressed.
func IsCompressed(file string) bool { return strings.HasSuffix(file, ".gz") }

// placeBundle makes a bundle next to its place, and puts it there once it is whole.
func placeBundle(file string, force bool, write func(made string) (answer.BundleContents, error)) (a answer.BundleContents, err error) {
	if err := checkTarget(file, force); err != nil {
		return a, err
	}
	dir, err := os.MkdirTemp(filepath.Dir(file), ".track-bundle-")
	if err != nil {
		return a, err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	made := filepath.Join(dir, store.DefaultFile)
	if a, err = write(made); err != nil {
		return a, err
	}
	a.File = file
	if err := checkTarget(file, force); err != nil { // again: making it takes time
		return a, err
	}
	return a, os.Rename(made, file)
}

// SendBundle writes what is chosen of a database as a file that create begins. It is made in a temporary folder before.
func SendBundle(ctx context.Context, st *store.Store, o MergeOptions, compress bool, create func(name string) (io.Writer, error)) (a answer.BundleContents, err error) {
	dir, err := os.MkdirTemp("", "track-bundle-")
	if err != nil {
		return a, err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	made := filepath.Join(dir, store.DefaultFile)
	contents, err := WriteBundle(ctx, st, made, o)
	if err != nil {
		return a, err
	}
	in, err := os.Open(made)
	if err != nil {
		return a, err
	}
	defer func() { _ = in.Close() }()
	name, send := "bundle.db", func(out io.Writer) error { _, err := io.Copy(out, in); return err }
	if compress {
		name, send = name+".gz", func(out io.Writer) error { return writeCompressed(out, in) }
	}
	out, err := create(name)
	if err == nil {
		err = send(out)
	}
	return bundleContents(contents), err
}

// ReceiveBundle writes a bundle that [SendBundle] sends as a file, as [ExportBundle] would.
func ReceiveBundle(file string, force bool, receive func(out io.Writer) (answer.BundleContents, error)) (answer.BundleContents, error) {
	return placeBundle(file, force, func(made string) (a answer.BundleContents, err error) {
		out, err := os.Create(made)
		if err != nil {
			return a, err
		}
		a, err = receive(out)
		return a, errors.Join(err, out.Sync(), out.Close())
	})
}

func bundleContents(c store.Contents) answer.BundleContents {
	a := answer.BundleContents{
		Scenarios: c.Scenarios, Specs: c.Specs, Seeds: c.Seeds, Superseded: c.Superseded, Series: c.Series, Sweeps: c.Sweeps,
		Lineages: c.Lineages, Entries: c.Entries, Executions: c.Executions,
	}
	if first, last := c.Times(); !first.IsZero() {
		a.First, a.Last = first.Format(time.RFC3339Nano), last.Format(time.RFC3339Nano)
	}
	return a
}

// checkTarget refuses what a bundle must not be written over: with force everything but a database of track that
// nobody has open.
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
		err := fmt.Errorf("%w: %s exists, and is not a database of track", track.ErrConflict, file)
		return track.WithHint(err, track.Hint{Text: "name another file: this one is never replaced"})
	case !force:
		return track.WithHint(fmt.Errorf("%w: %s already exists", track.ErrConflict, file), track.Hint{Text: "replace it, or name another file", Args: []track.HintArg{{Name: "force"}}})
	}
	for _, end := range []string{"-wal", "-journal"} { // SQLite would apply it to the new file
		if _, err := os.Lstat(file + end); err == nil {
			err := fmt.Errorf("%w: %s is in use: %s%s belongs to it", track.ErrConflict, file, file, end)
			return track.WithHint(err, track.Hint{Text: "name another file, or end the program that has it open"})
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

// fileError wraps an error of the file system, and [track.ErrNotFound] if a file does not exist.
func fileError(err error) error {
	if errors.Is(err, os.ErrNotExist) {
		return fmt.Errorf("%w: %w", track.ErrNotFound, err)
	}
	return err
}

func compressFile(from, to string) error {
	return writeFileOf(from, to, func(out *os.File, in io.Reader) error {
		return errors.Join(writeCompressed(out, in), out.Sync())
	})
}

func writeCompressed(out io.Writer, in io.Reader) error {
	w := gzip.NewWriter(out)
	_, err := io.Copy(w, in)
	return errors.Join(err, w.Close())
}

func copyFile(from, to string) error {
	return writeFileOf(from, to, func(out *os.File, in io.Reader) error {
		_, err := io.Copy(out, in)
		return err
	})
}

// writeFileOf writes one file from another.
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
