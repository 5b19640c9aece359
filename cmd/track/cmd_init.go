package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/urfave/cli/v2"

	"track"
	"track/answer"
	"track/store"
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
