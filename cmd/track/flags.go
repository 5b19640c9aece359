package main

import (
	"github.com/urfave/cli/v2"

	"track/tracker/names"
)

// sharedOptions are the flags that every command has.
type sharedOptions struct {
	db     string
	server string
	format string
	quiet  bool
	// safeCSV keeps text from being taken for a formula.
	safeCSV bool
	// secretNames says to record names that look like secrets.
	secretNames bool
	screen      screen
}

func (p *program) sharedFlags() []cli.Flag {
	return []cli.Flag{
		&cli.StringFlag{Name: "db", Usage: "use the database `FILE`; else TRACK_DB, else .track/track.db here or in a folder above", Destination: &p.shared.db},
		&cli.StringFlag{Name: "server", Usage: "ask the server at `URL`, or of this name in track remote; else TRACK_SERVER, unless a database is named", Destination: &p.shared.server},
		&cli.StringFlag{Name: "format", Usage: "write the answer in this `FORMAT`: table, json, jsonl, csv or md", Value: "table", Destination: &p.shared.format},
		&cli.BoolFlag{Name: "csv-safe", Usage: "write an apostrophe before text like =1+1 in CSV, so that no spreadsheet computes it", Destination: &p.shared.safeCSV},
		&cli.BoolFlag{Name: "wide", Usage: "show all columns of tables on one line each, even if the terminal is narrower", Destination: &p.shared.screen.wide},
		&cli.IntFlag{Name: "width", Usage: "lay out tables for `N` columns (default: the terminal's; any width in a file)", Destination: &p.shared.screen.width},
		&cli.BoolFlag{Name: "no-pager", Usage: "do not show long answers with TRACK_PAGER, PAGER or less", Destination: &p.shared.screen.noPager},
		&cli.BoolFlag{Name: "quiet", Aliases: []string{"q"}, Usage: "print no notices and no progress", Destination: &p.shared.quiet},
	}
}

// optional returns the number that a flag was given; nil if it was not given.
func optional(c *cli.Context, name string) *float64 {
	if !c.IsSet(name) {
		return nil
	}
	x := c.Float64(name)
	return &x
}

// maxSizeFlag says what a file may hold that is unpacked into the memory or onto the disk.
func (p *program) maxSizeFlag() cli.Flag {
	return &cli.GenericFlag{Name: "max-size", Usage: "read a file that holds up to `SIZE` when it is unpacked, such as 512MiB or 4GB", Value: &p.maxSize}
}

// newFlag goes on with a name that is not known although names like it are.
func newFlag(isNew *bool) cli.Flag {
	return &cli.BoolFlag{Name: "new", Usage: "take names that are not known although names like them are", Destination: isNew}
}

// newNames checks the names of what a command records.
func newNames(isNew bool) *names.Checker {
	if isNew {
		return nil
	}
	return names.New(names.Refuse)
}
