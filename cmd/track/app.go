package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/urfave/cli/v2"

	"track"
	"track/answer"
	"track/internal/near"
	"track/internal/provenance"
	"track/store"
)

// app returns the program with the command of that name alone; with all commands if none has the name, and without
// any for --version.
func (p *program) app(command string) *cli.App {
	app := &cli.App{
		Name:  "track",
		Usage: "record seeds of simulations and executions of agents, and judge what they show",
		Description: `Start with:
   track init
   track spec add growth_plus.yaml
   python simulate.py --seed 7 | track record seed --scenario growth_plus --seed 7 -
   track stability growth_plus`,
		UsageText:                 "track COMMAND [FLAGS] [ARGUMENTS]",
		Version:                   provenance.Version(version),
		Reader:                    p.in,
		Writer:                    p.out,
		ErrWriter:                 p.err,
		HideHelpCommand:           true,
		DisableSliceFlagSeparator: true,
		ExitErrHandler:            func(*cli.Context, error) {},
		OnUsageError:              p.onUsageError,
		Action:                    p.group,
	}
	if command == "--version" || command == "-v" {
		return app // needs no command
	}
	groups := p.commandGroups()
	if app.Commands = buildCommands(groups, command); len(app.Commands) > 1 {
		app.CustomAppHelpTemplate = helpTemplate(groups, app.Commands)
	}
	p.prepare(app.Commands)
	return app
}

// defaultText is none for a number that nobody means unless it is given.
func defaultText(text string, value float64) string {
	if text == "" && value == 0 {
		return "none"
	}
	return text
}

// prepare gives every command what all of them share.
func (p *program) prepare(commands []*cli.Command) {
	for _, c := range commands {
		c.OnUsageError = p.onUsageError
		c.HideHelpCommand = true
		if len(c.Subcommands) > 0 {
			p.prepare(c.Subcommands)
			if c.Action == nil {
				c.Action = p.group
				continue
			}
		}
		c.Flags = append(c.Flags, p.sharedFlags()...)
		for _, flag := range c.Flags {
			switch flag := flag.(type) {
			case *cli.BoolFlag:
				flag.DisableDefaultText = true
			case *cli.IntFlag:
				flag.DefaultText = defaultText(flag.DefaultText, float64(flag.Value))
			case *cli.Float64Flag:
				flag.DefaultText = defaultText(flag.DefaultText, flag.Value)
			}
		}
		action := c.Action
		c.Action = func(c *cli.Context) error {
			p.command = c.Command.HelpName
			if !formatKnown(p.shared.format) {
				return usage("--format %s: use table, json, jsonl, csv or md", p.shared.format)
			}
			if c.IsSet("db") && p.shared.db == "" {
				return usage("--db is empty: name a file, or leave the flag out")
			}
			if c.IsSet("spec") && c.Generic("spec") == nil && c.Int("spec") < 1 {
				return usage("--spec %d: versions are numbered from 1", c.Int("spec"))
			}
			if c.IsSet("seeds") && c.Generic("seeds") == nil && c.String("seeds") == "" {
				return usage("--seeds is empty: name seeds as in 0..99,200, or leave the flag out for all")
			}
			if store.IsServer(c.String("output")) {
				return usage("--output %s: a server is no file; bring records into its database with track merge", store.WithoutPassword(c.String("output")))
			}
			if err := p.shared.screen.check(c.IsSet("width")); err != nil {
				return err
			}
			return p.paged(func() error { return action(c) })
		}
	}
}

// group is the action of a command that has subcommands: it gets what is none of them.
func (p *program) group(c *cli.Context) error {
	p.command = c.Command.HelpName
	if c.NArg() == 0 {
		if c.Command.Name == "track" || c.Command.Name == "" {
			return cli.ShowAppHelp(c)
		}
		c.App.Writer = c.App.ErrWriter
		_ = cli.ShowSubcommandHelp(c)
		return usage("%s needs one of its commands: %s", c.Command.HelpName, strings.Join(commandNames(c.Command.Subcommands), ", "))
	}
	commands := c.Command.Subcommands
	if len(commands) == 0 {
		commands = c.App.Commands
	}
	if nearest := near.Nearest(c.Args().First(), commandNames(commands)); nearest != "" {
		return track.WithHint(usage("unknown command %q", c.Args().First()), track.Hint{Text: fmt.Sprintf("did you mean %q?", nearest)})
	}
	err := usage("unknown command %q: %s has %s", c.Args().First(), c.Command.HelpName, strings.Join(commandNames(commands), ", "))
	if len(c.Command.Subcommands) > 0 && p.isCommand(c.Args().First()) {
		return track.WithHint(err, track.Hint{Text: fmt.Sprintf("%s is a command of its own: track %s --help", c.Args().First(), c.Args().First())})
	}
	return err
}

// isCommand reports whether a word is a command that belongs to no other.
func (p *program) isCommand(word string) bool {
	return slices.ContainsFunc(p.commandGroups(), func(g commandGroup) bool {
		return slices.ContainsFunc(g.commands, func(entry commandEntry) bool { return entry.name == word })
	})
}

func commandNames(commands []*cli.Command) (list []string) {
	for _, c := range commands {
		list = append(list, c.Name)
	}
	return list
}

// onUsageError explains what the library says of flags, in which each begins with one dash.
func (p *program) onUsageError(c *cli.Context, err error, _ bool) error {
	p.command = c.Command.HelpName
	if name, ok := strings.CutPrefix(err.Error(), "flag needs an argument: -"); ok {
		return usage("--%s needs a value", strings.TrimPrefix(name, "-"))
	}
	name, isUnknown := strings.CutPrefix(err.Error(), "flag provided but not defined: -")
	if !isUnknown {
		return usage("%v", err)
	}
	name = strings.TrimPrefix(name, "-")
	err = usage("unknown flag --%s", name)
	if formatKnown(name) {
		return track.WithHint(err, track.Hint{Text: "did you mean --format " + name + "?"})
	}
	if nearest := near.Nearest(name, flagNames(c.Command.Flags)); nearest != "" {
		return track.WithHint(err, track.Hint{Text: "did you mean --" + nearest + "?"})
	}
	return err
}

func flagNames(flags []cli.Flag) (list []string) {
	for _, flag := range flags {
		list = append(list, flag.Names()...)
	}
	return list
}

// open opens the database for reading.
func (p *program) open(ctx context.Context) (*store.Store, error) {
	path, err := p.databasePath()
	if err != nil {
		return nil, err
	}
	st, err := store.Open(ctx, path, p.now)
	if err == nil {
		st.Admit(p.texts()) // a dry run says what would be refused
	}
	return st, p.orNearest(path, err)
}

// openForUpdate opens the database for writing, which must exist.
func (p *program) openForUpdate(ctx context.Context) (*store.Store, error) {
	path, err := p.databasePath()
	if err != nil {
		return nil, err
	}
	p.records()
	st, err := p.openPath(ctx, path)
	return st, p.orNearest(path, err)
}

// openOrCreate opens the database for writing, and creates it in the working directory, with a notice, where there is
// none.
func (p *program) openOrCreate(ctx context.Context) (*store.Store, error) {
	path, err := p.databasePath()
	if errors.Is(err, track.ErrNotFound) {
		path, err = filepath.Join(store.DefaultDir, store.DefaultFile), nil
	}
	if err != nil {
		return nil, err
	}
	p.records()
	if store.IsServer(path) {
		st, err := p.openPath(ctx, path)
		if !errors.Is(err, track.ErrNotFound) {
			return st, err
		}
	} else if _, err := os.Stat(path); !errors.Is(err, os.ErrNotExist) {
		return p.openPath(ctx, path)
	}
	created, err := store.Init(ctx, path)
	if err != nil {
		return nil, err
	}
	if created { // in --quiet too: in the wrong folder this is how results get lost
		fmt.Fprintf(p.err, "track: created the database %s\n", store.WithoutPassword(path))
	}
	return p.openPath(ctx, path)
}

func (p *program) openPath(ctx context.Context, path string) (*store.Store, error) {
	lease, err := p.lease()
	if err != nil {
		return nil, err
	}
	st, err := store.OpenForUpdate(ctx, path, p.now)
	if err == nil {
		st.Admit(p.texts())
		if lease > 0 {
			st.SetLease(lease)
		}
	}
	return st, err
}

// lease returns how long claims on a server hold after their process was last heard of; 0 for the usual time.
func (p *program) lease() (time.Duration, error) {
	const least, most = 100 * time.Millisecond, time.Hour
	text := p.getenv("TRACK_LEASE")
	if text == "" {
		return 0, nil
	}
	lease, err := time.ParseDuration(text)
	if err != nil || lease < least || lease > most {
		return 0, usage("TRACK_LEASE %q: must be a time from 100ms to 1h, such as 30s", text)
	}
	return lease, nil
}

// databasePath is where the database is, or is to be where the user names it.
func (p *program) databasePath() (string, error) {
	if address, err := p.serverAddress(); err != nil {
		return "", err
	} else if address != "" {
		return "", usage("%s works on a database, and %s names the server %s: name a database with --db", p.command, p.serverName(), address)
	}
	return p.ownDatabase()
}

// ownDatabase is the database that the user names, or the one that is found, whether a server is named or not.
func (p *program) ownDatabase() (string, error) {
	if path, err := p.namedDatabase(); path != "" || err != nil {
		return path, err
	}
	dir, err := os.Getwd()
	if err != nil {
		return "", err
	}
	return store.Find(dir)
}

// namedDatabase returns the database that the user names; empty if it is to be found.
func (p *program) namedDatabase() (string, error) {
	if p.shared.db != "" {
		return p.shared.db, nil
	}
	path, set := p.lookup("TRACK_DB")
	if set && path == "" {
		return "", usage("TRACK_DB is empty: name a file in it, or unset it")
	}
	return path, nil
}

func (p *program) getenv(name string) string {
	if value, isSet := p.lookup(name); isSet {
		return value
	}
	return ""
}

// notice tells a person something on standard error that is no part of the answer.
func (p *program) notice(format string, args ...any) {
	if !p.shared.quiet {
		fmt.Fprintln(p.err, "track: "+fmt.Sprintf(format, args...))
	}
}

// noticeSentence tells a person a sentence of an answer that is no part of what is written to standard output.
func (p *program) noticeSentence(s answer.Sentence) {
	if !p.shared.quiet {
		p.warn(s)
	}
}

// warn writes a sentence to standard error, in --quiet too.
func (p *program) warn(s answer.Sentence) {
	text := s.Text
	if s.Hint != nil {
		text = strings.TrimPrefix(text+"; "+shellHint(*s.Hint), "; ")
	}
	fmt.Fprintln(p.err, "track: "+text)
}
