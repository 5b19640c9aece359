package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/urfave/cli/v2"

	"track"
	"track/answer"
	"track/answer/param"
	"track/ask"
	"track/store"
	"track/tracker/exchange"
	"track/tracker/integrity"
)

func (p *program) initCommand() *cli.Command {
	return &cli.Command{
		Name:      "init",
		Usage:     "create the database of this folder",
		UsageText: "track init [--db FILE]",
		Description: `Creates .track/track.db in the working directory. Commands find it from every folder below. If --db or TRACK_DB names
a file, its folder must exist.

Examples:
   track init
   track init --db /data/growth.db`,
		Action: p.withoutArguments(func(c *cli.Context) error {
			path, err := p.namedDatabase()
			if path == "" {
				path = filepath.Join(store.DefaultDir, store.DefaultFile)
			} else {
				err = folderExists(path)
			}
			if err != nil {
				return err
			}
			created, err := store.Init(c.Context, path)
			if err != nil {
				return err
			}
			return p.writeAnswer(answer.DatabaseCreated{Database: store.WithoutPassword(path), Created: created})
		}),
	}
}

func (p *program) migrateCommand() *cli.Command {
	return &cli.Command{
		Name:      "migrate",
		Usage:     "bring the schema of the database up to date, after a backup",
		UsageText: "track migrate [--db FILE]",
		Description: `Example:
   track migrate`,
		Action: p.withoutArguments(func(c *cli.Context) error {
			path, err := p.databasePath()
			if err != nil {
				return err
			}
			isOlder, err := store.IsOlder(c.Context, path)
			if err != nil {
				isOlder = false // migrating says what is wrong
			}
			backup, err := store.Migrate(c.Context, path, p.now())
			if err != nil {
				return err
			}
			return p.writeAnswer(answer.DatabaseMigrated{Database: store.WithoutPassword(path), Changed: isOlder || backup != "", Backup: backup})
		}),
	}
}

// folderExists returns an error if the folder of a file does not exist: a wrong path must not become a new folder.
func folderExists(file string) error {
	dir := filepath.Dir(file)
	if store.IsServer(file) {
		return nil
	}
	if _, err := os.Stat(dir); errors.Is(err, os.ErrNotExist) {
		return track.WithHint(fmt.Errorf("init: folder %s: %w", dir, track.ErrNotFound), track.Hint{Text: "make it first, or name a file in another folder"})
	}
	return nil
}

// withoutArguments refuses arguments to a command that takes none.
func (p *program) withoutArguments(action cli.ActionFunc) cli.ActionFunc {
	return func(c *cli.Context) error {
		if c.NArg() > 0 {
			return usage("%s takes no argument", c.Command.HelpName)
		}
		return action(c)
	}
}

func (p *program) backupCommand() *cli.Command {
	return &cli.Command{
		Name:      "backup",
		Usage:     "write a copy of the database while others use it",
		UsageText: "track backup FILE",
		Description: `The copy is one state of the database, and on the disk when the command ends. A damaged database is refused. Others may record meanwhile. FILE must not exist; it
appears only once it is whole. Every command reads it with --db FILE. Lines that wait in a spool are not part of it.

To restore it, move the damaged database away and write the copy to its place.

Examples:
   track backup /mnt/backup/growth-2026-11-22.db
   track backup .track/track.db --db /mnt/backup/growth-2026-11-22.db`,
		Action: func(c *cli.Context) error {
			if c.NArg() != 1 || c.Args().First() == "" || c.Args().First() == "-" {
				return usage("track backup takes one FILE to write to")
			}
			return p.backup(c.Context, c.Args().First())
		},
	}
}

func (p *program) backup(ctx context.Context, file string) error {
	began := p.now()
	st, err := p.open(ctx)
	if err != nil {
		return err
	}
	defer func() { _ = st.Close() }()
	p.records()
	p.noticeSpool(st.Path())
	if err := p.checkSource(ctx, st); err != nil {
		return err
	}
	b, err := st.BackUp(ctx, file)
	if err != nil && ctx.Err() != nil {
		return interruption("backup " + file + ": interrupted; nothing was written")
	}
	if err != nil {
		return err
	}
	return p.writeAnswer(answer.DatabaseBackedUp{
		Database: st.Path(), File: file, Bytes: b.Bytes, Seeds: b.Seeds, Executions: b.Executions, Duration: p.now().Sub(began).Seconds(),
	})
}

// checkSource refuses a damaged database: its copy would take the place of an older one that is sound.
func (p *program) checkSource(ctx context.Context, st *store.Store) error {
	if store.IsServer(st.Path()) { // refused with a hint to its own tool
		return nil
	}
	bar := p.newProgress("checking", "records", 0)
	checked, err := integrity.Check(ctx, st, bar.update)
	bar.clear()
	if err != nil || checked.Err() == nil {
		return err
	}
	err = fmt.Errorf("backup of %s: %w", st.Path(), checked.Err())
	return track.WithHint(err, track.NewHint("see all that is damaged", "check", st.Path()))
}

func (p *program) checkCommand() *cli.Command {
	return &cli.Command{
		Name:      "check",
		Usage:     "find out whether a database is damaged",
		UsageText: "track check [DB]",
		Description: `Compares every seed with the digest of its values, every assessment with its results, every text, configuration and series with its
hash, and every ledger with its replay. Looks for rows that refer to nothing, and lets SQLite check its pages and compare its indexes with
their tables. Says which records are damaged and what can be saved. Lists tables and views that track did not make. Only reads. A server checks its own database, for a
token with the scope admin, one check at a time.` + exitCodes([]answer.Conclusion{answer.Done, answer.FoundDamage}) + `

Examples:
   track check
   track check copy.db --format json`,
		Action: func(c *cli.Context) error {
			if c.NArg() > 1 {
				return usage("track check takes at most one DB")
			}
			return p.check(c.Context, c.Args().First())
		},
	}
}

func (p *program) check(ctx context.Context, path string) (err error) {
	if path == "" {
		client, err := p.client()
		if err != nil {
			return err
		}
		if client != nil {
			return untilInterrupted(ctx, func() error { return askAndWrite(ctx, p, ask.Check(), answer.CheckQuestion{}, "") })
		}
		if path, err = p.databasePath(); err != nil {
			return err
		}
	}
	bar := p.newProgress("checking", "records", 0)
	checked, err := integrity.CheckFile(ctx, path, p.now, bar.update)
	bar.clear()
	if err != nil {
		return err
	}
	return p.writeAnswer(checked)
}

func (p *program) mergeCommand() *cli.Command {
	var dryRun bool
	return p.admitting(&cli.Command{
		Name:      "merge",
		Usage:     "record what other databases hold",
		UsageText: "track merge FILE... [--dry-run]",
		Description: `FILE is another database, or what track export lines wrote of one, which may be compressed with gzip; - reads lines from standard
input. Everything is recorded: specs, seeds with their values, series and files, superseded seeds, baselines, interim analyses, sweeps,
lineages with their ledgers, executions, and which executions were forgotten. Seeds are judged under the specs that they were judged under
there. The files are only read, even while somebody records into them. Merging the same file again does nothing, and the order does not
matter. After an interruption, the same command continues. All files are checked before: if one of them cannot be merged, nothing is.

If both databases hold something else under one identity, the record here stays. The conflict is named and left out, the rest is merged,
and the exit code is 14. Of a seed that both recorded alike, the record that was made first counts.

Examples:
   track merge shard-*.db
   track merge paper.jsonl.gz --dry-run --format json`,
		Flags: []cli.Flag{
			&cli.BoolFlag{Name: "dry-run", Usage: "say what would be recorded, and record nothing", Destination: &dryRun}, p.maxSizeFlag(),
		},
		Action: func(c *cli.Context) error {
			if c.NArg() == 0 {
				return usage("track merge takes at least one FILE")
			}
			return p.merge(c.Context, c.Args().Slice(), dryRun)
		},
	})
}

// merge merges all files that can be merged.
func (p *program) merge(ctx context.Context, files []string, dryRun bool) error {
	open := func() (*store.Store, func(), error) { return p.openForMerge(ctx, dryRun) }
	merged, err := exchange.MergeFiles(ctx, p.mergeTarget(), open, files, exchange.MergeOptions{
		DryRun: dryRun, Stream: p.in, Largest: p.maxSize, Progress: func(verb string) (func(int), func()) {
			bar := p.newProgress(verb, "records", 0)
			return bar.update, bar.clear
		},
	})
	if len(merged.Files) > 0 {
		err = cmp.Or(p.writeAnswer(merged), err)
	}
	return err
}

// mergeTarget returns the path of the database, which may not exist yet.
func (p *program) mergeTarget() string {
	path, err := p.databasePath()
	if err != nil {
		return filepath.Join(store.DefaultDir, store.DefaultFile)
	}
	return path
}

// openForMerge opens the target; in a dry run a copy of it, or an empty database if there is none.
func (p *program) openForMerge(ctx context.Context, dryRun bool) (st *store.Store, done func(), err error) {
	if !dryRun {
		st, err = p.openOrCreate(ctx)
		return st, func() { _ = st.Close() }, err
	}
	dir, err := os.MkdirTemp("", "track-merge-")
	if err != nil {
		return nil, nil, err
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, os.RemoveAll(dir))
		}
	}()
	path := filepath.Join(dir, store.DefaultFile)
	switch st, err := p.open(ctx); {
	case errors.Is(err, track.ErrNotFound):
		if _, err := store.Init(ctx, path); err != nil {
			return nil, nil, err
		}
	case err != nil:
		return nil, nil, err
	default:
		_, err := st.BackUp(ctx, path)
		if err = errors.Join(err, st.Close()); err != nil {
			return nil, nil, fmt.Errorf("a dry run merges into a copy: %w", err)
		}
	}
	if st, err = store.OpenForUpdate(ctx, path, p.now); err != nil {
		return nil, nil, err
	}
	st.Admit(p.texts())
	return st, func() { _ = errors.Join(st.Close(), os.RemoveAll(dir)) }, nil
}

func (p *program) queryCommand() *cli.Command {
	def := ask.Query()
	declared := def.Params
	def.Params = func(q *answer.QueryQuestion) param.List {
		params := declared(q)
		params[0].Value = textOrInput{params[0].Value, p}
		return params
	}
	return questionCommand(p, def, commandHelp{examples: `
track query "SELECT scenario, label, count(*) AS n FROM v_seed GROUP BY scenario, label"
track query "SELECT seed, value FROM v_result WHERE scenario = 'growth_plus' AND newest AND metric = 'log_gdp_mean'" --format csv
track query - --limit 0 < question.sql`})
}

// textOrInput is a text that is read from standard input if it is given as a dash.
type textOrInput struct {
	param.Value
	program *program
}

func (v textOrInput) Set(text string) error {
	if text != "-" {
		return v.Value.Set(text)
	}
	input, err := v.program.readInput("file", text, 64<<20)
	if err != nil {
		return err
	}
	return v.Value.Set(string(input))
}
