package main

import (
	"fmt"
	"path/filepath"

	"github.com/urfave/cli/v2"

	"track/store"
)

func (p *program) initCommand() *cli.Command {
	return &cli.Command{
		Name:      "init",
		Usage:     "create the database of this folder",
		UsageText: "track init [--db FILE]",
		Description: `Creates .track/track.db in the working directory; commands find it from every folder below.

Examples:
   track init
   track init --db /data/growth.db`,
		Action: func(c *cli.Context) error {
			if c.NArg() > 0 {
				return usage("track init takes no argument; --db FILE names the database")
			}
			path := p.shared.db
			if path == "" {
				path = p.getenv("TRACK_DB")
			}
			if path == "" {
				path = filepath.Join(store.DefaultDir, store.DefaultFile)
			}
			created, err := store.Init(c.Context, path)
			if err != nil {
				return err
			}
			message := "created " + path
			if !created {
				message = path + " is there already"
			}
			document := struct {
				Database string `json:"database"`
				Created  bool   `json:"created"`
			}{path, created}
			return p.write(view{
				document: document,
				rows:     grid{columns: []string{"database", "created"}, cells: [][]any{{path, created}}},
				page:     []any{message},
			})
		},
	}
}

func (p *program) migrateCommand() *cli.Command {
	return &cli.Command{
		Name:      "migrate",
		Usage:     "bring the schema of the database up to date, after a backup",
		UsageText: "track migrate [--db FILE]",
		Description: `Example:
   track migrate`,
		Action: func(c *cli.Context) error {
			if c.NArg() > 0 {
				return usage("track migrate takes no argument; --db FILE names the database")
			}
			path, err := p.databasePath()
			if err != nil {
				return err
			}
			backup, err := store.Migrate(c.Context, path, p.now())
			if err != nil {
				return err
			}
			message := path + " is up to date; there was nothing to do"
			if backup != "" {
				message = fmt.Sprintf("%s is up to date; the old one is kept as %s", path, backup)
			}
			document := struct {
				Database string `json:"database"`
				Backup   string `json:"backup,omitempty"`
			}{path, backup}
			return p.write(view{
				document: document,
				rows:     grid{columns: []string{"database", "backup"}, cells: [][]any{{path, backup}}},
				page:     []any{message},
			})
		},
	}
}
