package main

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"

	"github.com/urfave/cli/v2"

	"track"
	"track/internal/claudesettings"
	"track/reports"
)

type hookInstallOptions struct {
	hookOptions
	project, user, dryRun bool
}

func (o *hookInstallOptions) scopeFlags() []cli.Flag {
	return []cli.Flag{
		&cli.BoolFlag{Name: "project", Usage: "in .claude/settings.json here, which is where it goes without --user", Destination: &o.project},
		&cli.BoolFlag{Name: "user", Usage: "in .claude/settings.json of the home folder, for all projects", Destination: &o.user},
		&cli.BoolFlag{Name: "dry-run", Usage: "show what would change and change nothing", Destination: &o.dryRun},
	}
}

func (p *program) hookInstallCommand() *cli.Command {
	var o hookInstallOptions
	return &cli.Command{
		Name:      "install",
		Usage:     "have an agent call track for each event",
		UsageText: "track hook install claude-code [--project|--user] [--lineage L] [--version V] [--dry-run]",
		Description: `Adds track to the hooks in the settings of Claude Code and changes nothing else in the file. The change is shown, and the file as
it was is kept beside it. Doing it again changes nothing.

Examples:
   track hook install claude-code --dry-run
   track hook install claude-code --user --lineage mine`,
		Flags: append(o.scopeFlags(), o.flags()...),
		Action: func(c *cli.Context) error {
			if err := o.check("install", c.Args().Slice()); err != nil {
				return err
			}
			command, err := hookShellCommand(o.hookOptions)
			if err != nil {
				return err
			}
			return p.editSettings(o, func(text, _ []byte) ([]byte, error) { return claudesettings.Install(text, command) })
		},
	}
}

func (p *program) hookUninstallCommand() *cli.Command {
	var o hookInstallOptions
	return &cli.Command{
		Name:      "uninstall",
		Usage:     "take track out of the hooks of an agent",
		UsageText: "track hook uninstall claude-code [--project|--user] [--dry-run]",
		Description: `Takes out what track hook install put into the settings, and nothing else.

Example:
   track hook uninstall claude-code --user`,
		Flags: o.scopeFlags(),
		Action: func(c *cli.Context) error {
			if err := o.check("uninstall", c.Args().Slice()); err != nil {
				return err
			}
			return p.editSettings(o, uninstallHooks)
		},
	}
}

// uninstallHooks takes the hooks of track out of settings. Where they are all that sets them apart from the backup, it is the backup
// that is put back: empty objects would else lose the white space within.
func uninstallHooks(text, backup []byte) ([]byte, error) {
	commands, err := claudesettings.Commands(text)
	if err != nil {
		return nil, err
	}
	if list := commands[claudesettings.Events[0]]; backup != nil && len(list) == 1 {
		had, err := claudesettings.Commands(backup)
		again, installErr := claudesettings.Install(backup, list[0])
		if err == nil && installErr == nil && len(had) == 0 && bytes.Equal(again, text) {
			return backup, nil
		}
	}
	without, _, err := claudesettings.Uninstall(text)
	return without, err
}

func (o *hookInstallOptions) check(verb string, args []string) error {
	switch {
	case len(args) != 1:
		return usage("track hook %s needs the name of an agent: claude-code", verb)
	case args[0] != "claude-code":
		return usage("track hook %s: unknown agent %q: track knows the hooks of claude-code", verb, args[0])
	case o.project && o.user:
		return usage("--project and --user: the hooks of one of them are changed at a time")
	}
	return nil
}

// settingsPath is the file that the flags mean.
func (p *program) settingsPath(user bool) (string, error) {
	file := filepath.Join(".claude", "settings.json")
	if !user {
		return file, nil
	}
	if dir := p.getenv("CLAUDE_CONFIG_DIR"); dir != "" {
		return filepath.Join(dir, "settings.json"), nil
	}
	home := p.getenv("HOME")
	if home == "" {
		var err error
		if home, err = os.UserHomeDir(); err != nil {
			return "", err
		}
	}
	return filepath.Join(home, file), nil
}

// hookShellCommand is how Claude Code, which hands it to a shell, calls this program.
func hookShellCommand(o hookOptions) (string, error) {
	program, err := os.Executable()
	if err != nil {
		return "", fmt.Errorf("where track itself is: %w", err)
	}
	words := []string{shellQuote(program), "hook", "claude-code"}
	if o.lineage != "" {
		words = append(words, "--lineage", shellQuote(o.lineage))
	}
	if o.version != "" {
		words = append(words, "--version", shellQuote(o.version))
	}
	return strings.Join(words, " "), nil
}

func shellQuote(word string) string {
	if runtime.GOOS == "windows" {
		return `"` + word + `"`
	}
	return "'" + strings.ReplaceAll(word, "'", `'\''`) + "'"
}

type settingsDocument struct {
	Agent   string `json:"agent"`
	File    string `json:"file"`
	Changed bool   `json:"changed"` // or would be, in a dry run
	DryRun  bool   `json:"dry_run"`
	Backup  string `json:"backup,omitempty"`
	Diff    string `json:"diff"`
}

// editSettings changes a file of settings, and shows how. change gets the backup too, nil where there is none.
func (p *program) editSettings(o hookInstallOptions, change func(text, backup []byte) ([]byte, error)) error {
	path, err := p.settingsPath(o.user)
	if err != nil {
		return err
	}
	if target, err := filepath.EvalSymlinks(path); err == nil { // the link stays one
		path = target
	}
	text, err := os.ReadFile(path)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	missing := err != nil
	backupPath := path + ".track-backup"
	backup, err := os.ReadFile(backupPath)
	if err != nil {
		backup = nil
	}
	changed, err := change(text, backup)
	if err != nil {
		return track.WithHint(fmt.Errorf("%w: %s: %w", track.ErrInvalid, path, err), track.Hint{Text: "nothing was changed; the file has to be plain JSON, without comments"})
	}
	difference, _, _ := reports.Diff(path, string(text), path, string(changed))
	d := settingsDocument{Agent: "claude-code", File: path, DryRun: o.dryRun, Diff: difference}
	d.Changed = d.Diff != ""
	if d.Changed && !o.dryRun {
		if !missing {
			d.Backup = backupPath
		}
		if err := writeSettings(path, d.Backup, text, changed); err != nil {
			return err
		}
	}
	return p.write(settingsView(d))
}

func settingsView(d settingsDocument) view {
	v := view{document: d, rows: grid{columns: []string{"file", "changed", "backup"}, cells: [][]any{{d.File, d.Changed, d.Backup}}}}
	said := "changed " + d.File
	switch {
	case !d.Changed:
		v.page = []any{d.File + " is as it has to be; there was nothing to do"}
		return v
	case d.DryRun:
		said = d.File + " would change; this was a dry run"
	case d.Backup != "":
		said += "; as it was, it is kept as " + d.Backup
	}
	v.page = []any{strings.TrimSuffix(d.Diff, "\n"), said}
	return v
}

// writeSettings keeps the old text as a backup, and then puts the new one in its place at once.
func writeSettings(path, backup string, old, text []byte) (err error) {
	mode := fs.FileMode(0o644)
	if info, err := os.Stat(path); err == nil {
		mode = info.Mode().Perm()
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return err
	}
	if backup != "" {
		if err := replaceFile(backup, old, mode); err != nil {
			return err
		}
	}
	return replaceFile(path, text, mode)
}

func replaceFile(path string, text []byte, mode fs.FileMode) error {
	file, err := os.CreateTemp(filepath.Dir(path), filepath.Base(path)+".*.tmp")
	if err != nil {
		return err
	}
	_, err = file.Write(text)
	if err = errors.Join(err, file.Chmod(mode), file.Sync(), file.Close()); err == nil {
		err = os.Rename(file.Name(), path)
	}
	if err != nil {
		_ = os.Remove(file.Name())
	}
	return err
}
