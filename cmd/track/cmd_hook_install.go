package main

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"

	"github.com/urfave/cli/v2"

	"track"
	"track/answer"
	"track/internal/claudesettings"
	"track/internal/textdiff"
)

type hookInstallOptions struct {
	hookOptions
	project, local, user, dryRun bool
}

func (o *hookInstallOptions) scopeFlags() []cli.Flag {
	return []cli.Flag{
		&cli.BoolFlag{Name: "project", Usage: "change .claude/settings.json of this folder, which people share; this is the default", Destination: &o.project},
		&cli.BoolFlag{Name: "local", Usage: "change .claude/settings.local.json of this folder, which people do not share", Destination: &o.local},
		&cli.BoolFlag{Name: "user", Usage: "change .claude/settings.json of the home folder, for all projects", Destination: &o.user},
		&cli.BoolFlag{Name: "dry-run", Usage: "show what would change, and change nothing", Destination: &o.dryRun},
	}
}

func (p *program) hookInstallCommand() *cli.Command {
	var o hookInstallOptions
	return &cli.Command{
		Name:      "install",
		Usage:     "make an agent call track for each event",
		UsageText: "track hook install claude-code [--project|--local|--user] [--lineage L] [--version V] [--dry-run]",
		Description: `Adds track to the hooks in the settings of Claude Code and changes nothing else in the file. Shows the change, and keeps a
copy of the original next to the file. Installing again changes nothing.

Settings of a project call track by its name, since others have it elsewhere. Those of --local and --user call it by its path.

Examples:
   track hook install claude-code --dry-run
   track hook install claude-code --local
   track hook install claude-code --user --lineage mine`,
		Flags: append(o.scopeFlags(), o.flags()...),
		Action: func(c *cli.Context) error {
			if err := o.check("install", c.Args().Slice()); err != nil {
				return err
			}
			command, notes, err := o.command()
			if err != nil {
				return err
			}
			return p.editSettings(o, notes, func(text []byte, _ [][]byte) ([]byte, error) { return claudesettings.Install(text, command) })
		},
	}
}

func (p *program) hookUninstallCommand() *cli.Command {
	var o hookInstallOptions
	return &cli.Command{
		Name:      "uninstall",
		Usage:     "remove track from the hooks of an agent",
		UsageText: "track hook uninstall claude-code [--project|--local|--user] [--dry-run]",
		Description: `Removes what track hook install added to the settings, and nothing else.

Example:
   track hook uninstall claude-code --user`,
		Flags: o.scopeFlags(),
		Action: func(c *cli.Context) error {
			if err := o.check("uninstall", c.Args().Slice()); err != nil {
				return err
			}
			return p.editSettings(o, nil, claudesettings.Restore)
		},
	}
}

func (o *hookInstallOptions) check(verb string, args []string) error {
	switch {
	case len(args) != 1:
		return usage("track hook %s needs the name of an agent: claude-code", verb)
	case args[0] != "claude-code":
		return usage("track hook %s: unknown agent %q: use claude-code", verb, args[0])
	case o.project && o.user, o.project && o.local, o.local && o.user:
		return usage("--project, --local and --user: give one of them")
	}
	return nil
}

// settingsPath returns the file of settings that the options choose.
func (p *program) settingsPath(o hookInstallOptions) (string, error) {
	switch {
	case o.local:
		return filepath.Join(".claude", "settings.local.json"), nil
	case !o.user:
		return filepath.Join(".claude", "settings.json"), nil
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
	return filepath.Join(home, ".claude", "settings.json"), nil
}

// command returns the shell command with which Claude Code calls track: by name in a file that people share, else by
// the path of this program. notes say why the name may not be found.
func (o *hookInstallOptions) command() (command string, notes []string, err error) {
	program, err := os.Executable()
	if err != nil {
		return "", nil, fmt.Errorf("find the program itself: %w", err)
	}
	word := shellQuote(program)
	if !o.user && !o.local {
		word = "track"
		if _, err := exec.LookPath(word); err != nil {
			notes = append(notes, "no track is on the PATH of this shell: put "+filepath.Dir(program)+" on the PATH of whoever runs Claude Code here, or use --local")
		}
	}
	words := []string{word, "hook", "claude-code"}
	if o.lineage != "" {
		words = append(words, "--lineage", shellQuote(o.lineage))
	}
	if o.version != "" {
		words = append(words, "--version", shellQuote(o.version))
	}
	return strings.Join(words, " "), notes, nil
}

func shellQuote(word string) string {
	if runtime.GOOS == "windows" {
		return `"` + word + `"`
	}
	return "'" + strings.ReplaceAll(word, "'", `'\''`) + "'"
}

// editSettings changes a file of settings, and shows how.
func (p *program) editSettings(o hookInstallOptions, notes []string, edit func(text []byte, backups [][]byte) ([]byte, error)) error {
	path, err := p.settingsPath(o)
	if err != nil {
		return err
	}
	change, err := claudesettings.Plan(path, edit)
	var syntax *claudesettings.SyntaxError
	if errors.As(err, &syntax) {
		return track.WithHint(fmt.Errorf("%w: %w", track.ErrInvalid, err), track.Hint{Text: "nothing was changed; the file must be plain JSON, without comments"})
	}
	if err != nil {
		return err
	}
	difference, _, _ := textdiff.Unified(change.File, string(change.Before), change.File, string(change.After))
	a := answer.HookSettings{Agent: "claude-code", File: change.File, DryRun: o.dryRun, Diff: difference, Changed: difference != "", Warnings: notes}
	if a.Changed && !o.dryRun {
		if err := change.Write(); err != nil {
			return err
		}
		a.Backup = change.Backup
	}
	return p.writeAnswer(a)
}
