package main

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

	"github.com/urfave/cli/v2"

	"track"
	"track/answer"
	"track/importer"
	"track/store"
	"track/tracker/exchange"
)

func (p *program) exportBundleCommand() *cli.Command {
	var file string
	var force bool
	return &cli.Command{
		Name:      "bundle",
		Usage:     "write scenarios and lineages with all that belongs to them as one file",
		UsageText: "track export bundle [--scenario S]... [--lineage L]... -o FILE",
		Description: `The file is a database of track with a copy of what is named, or of everything: track import bundle FILE records it in another
database, and every command reads it with --db FILE. Scenarios come with specs, seeds, series, baselines and sweeps, lineages with
versions, ledgers and executions. With a name that ends in .gz it is compressed, and has to be imported to be read. A file that is
there already is refused; --force replaces it where it is a bundle or another database of track.

Examples:
   track export bundle -o all.db.gz
   track export bundle --scenario growth_plus --lineage sepa -o paper.db`,
		Flags: []cli.Flag{
			&cli.StringFlag{Name: "output", Aliases: []string{"o"}, Usage: "`FILE` to write", Destination: &file},
			&cli.BoolFlag{Name: "force", Usage: "replace FILE, where it is a database of track", Destination: &force},
			&cli.StringSliceFlag{Name: "scenario", Usage: "`NAME` of a scenario; may be repeated"},
			&cli.StringSliceFlag{Name: "lineage", Usage: "`NAME` of a lineage; may be repeated"},
		},
		Action: func(c *cli.Context) error {
			if c.NArg() > 0 {
				return usage("track export bundle takes no argument: name what to export with --scenario and --lineage")
			}
			if file == "" || file == "-" {
				return usage("track export bundle needs -o FILE")
			}
			return p.exportBundle(c.Context, file, force, c.StringSlice("scenario"), c.StringSlice("lineage"))
		},
	}
}

func (p *program) exportBundle(ctx context.Context, file string, force bool, scenarios, lineages []string) (err error) {
	st, err := p.open(ctx)
	if err != nil {
		return err
	}
	defer func() { _ = st.Close() }()
	if source, err := os.Stat(st.Path()); err == nil {
		if target, err := os.Stat(file); err == nil && os.SameFile(source, target) {
			return usage("-o %s: this is the database itself", file)
		}
	}
	if err := checkBundleTarget(file, force); err != nil {
		return fmt.Errorf("export bundle: %w", err)
	}
	dir, err := os.MkdirTemp(filepath.Dir(file), ".track-bundle-")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	made := filepath.Join(dir, store.DefaultFile)
	contents, err := exchange.WriteBundle(ctx, st, made, exchange.MergeOptions{Scenarios: scenarios, Lineages: lineages})
	if err != nil {
		return fmt.Errorf("export bundle: %w", err)
	}
	if strings.HasSuffix(file, ".gz") {
		if err := compress(made, made+".gz"); err != nil {
			return err
		}
		made += ".gz"
	}
	if err := checkBundleTarget(file, force); err != nil { // again: making it takes time
		return fmt.Errorf("export bundle: %w", err)
	}
	if err := os.Rename(made, file); err != nil {
		return err
	}
	return p.writeAnswer(bundleContents(file, contents))
}

// checkBundleTarget refuses what a bundle must not be written over: with force everything but a database of track that nobody has open.
func checkBundleTarget(file string, force bool) error {
	info, err := os.Lstat(file)
	if errors.Is(err, os.ErrNotExist) {
		if _, err := os.Stat(filepath.Dir(file)); err != nil {
			return fmt.Errorf("the folder of -o %s: %w", file, notFound(err))
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
		return track.WithHint(fmt.Errorf("%w: %s is there, and is no database of track", track.ErrConflict, file), track.Hint{Text: "name another file: not even --force replaces this one"})
	case !force:
		return track.WithHint(fmt.Errorf("%w: %s is there already", track.ErrConflict, file), track.Hint{Text: "--force replaces it, or name another file"})
	}
	for _, end := range []string{"-wal", "-journal"} { // SQLite would apply it to the new file
		if _, err := os.Lstat(file + end); err == nil {
			return track.WithHint(fmt.Errorf("%w: %s is in use: %s%s belongs to it", track.ErrConflict, file, file, end), track.Hint{Text: "name another file, or end what has it open"})
		}
	}
	return nil
}

// isBundle says whether a file is a database of track, as it is or compressed.
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

func compress(from, to string) error {
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

// importBundle records what track export bundle wrote: all of it, or where the file is damaged nothing.
func (p *program) importBundle(ctx context.Context, paths []string, o importOptions) error {
	if len(paths) != 1 {
		return usage("track import bundle takes one FILE, - for standard input")
	}
	if o.lineage != "" || o.version != "" || o.since != "" || o.keepText || o.programsOnly() {
		return usage("track import bundle takes no flag but --dry-run: the file says all")
	}
	dir, err := os.MkdirTemp("", "track-bundle-")
	if err != nil {
		return err
	}
	defer func() { _ = os.RemoveAll(dir) }()
	path, err := p.unpack(paths[0], dir)
	if err != nil {
		return fmt.Errorf("import %s: %w", inputName(paths[0]), err)
	}
	if path, err = p.upToDate(ctx, path, dir); err != nil {
		return p.bundleError(paths[0], path, err)
	}
	contents, err := exchange.CheckBundle(ctx, path)
	if err != nil {
		return p.bundleError(paths[0], path, err)
	}
	p.notice("%s", bundleContents(inputName(paths[0]), contents).Text())
	st, done, err := p.openForMerge(ctx, o.dryRun)
	if err != nil {
		return err
	}
	defer done()
	merged, err := exchange.MergeFile(ctx, st, path, p.filesOptions(o.dryRun))
	if err != nil {
		return p.bundleError(paths[0], path, err)
	}
	merged.File = inputName(paths[0])
	a := answer.Merged{DryRun: o.dryRun, Files: []answer.MergedFile{merged}}
	if err := p.writeAnswer(a); err != nil {
		return err
	}
	return exchange.ConflictError("import bundle", a)
}

// bundleError names the file that the user named, and not the copy of it.
func (p *program) bundleError(named, path string, err error) error {
	if named == path {
		return fmt.Errorf("import bundle: %w", err)
	}
	renamed := errors.New(strings.ReplaceAll(err.Error(), path, inputName(named)))
	return &renamedError{renamed, err}
}

type renamedError struct {
	shown error
	error
}

func (e *renamedError) Error() string { return "import bundle: " + e.shown.Error() }

func (e *renamedError) Unwrap() error { return e.error }

// upToDate returns a copy of a bundle that an earlier track wrote, with the schema of this one; another is returned as it is.
func (p *program) upToDate(ctx context.Context, path, dir string) (string, error) {
	older, err := store.IsOlder(ctx, path)
	if err != nil || !older {
		return path, nil // checked later
	}
	migrated := filepath.Join(dir, "migrated.db")
	if err := copyFile(path, migrated); err != nil {
		return path, err
	}
	_, err = store.Migrate(ctx, migrated, p.now())
	return migrated, err
}

// unpack returns where the bundle lies as it is: a compressed one, or one that comes from standard input, is copied to dir.
func (p *program) unpack(file, dir string) (path string, err error) {
	in := p.in
	if file != "-" {
		opened, err := os.Open(file)
		if err != nil {
			return "", notFound(err)
		}
		defer func() { _ = opened.Close() }()
		magic := make([]byte, 2)
		if _, err := io.ReadFull(opened, magic); err != nil || magic[0] != 0x1f || magic[1] != 0x8b {
			return file, nil
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
