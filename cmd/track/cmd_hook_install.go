package main

import (
	"errors"
	"fmt"
	"os"
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
	project, user, dryRun bool
}

func (o *hookInstallOptions) scopeFlags() []cli.Flag {
	return []cli.Flag{
		&cli.BoolFlag{Name: "project", Usage: "change .claude/settings.json of this folder; this is the default", Destination: &o.project},
		&cli.BoolFlag{Name: "user", Usage: "change .claude/settings.json of the home folder, for all projects", Destination: &o.user},
		&cli.BoolFlag{Name: "dry-run", Usage: "show what would change, and change nothing", Destination: &o.dryRun},
	}
}

func (p *program) hookInstallCommand() *cli.Command {
	var o hookInstallOptions
	return &cli.Command{
		Name:      "install",
		Usage:     "make an agent call track for each event",
		UsageText: "track hook install claude-code [--project|--user] [--lineage L] [--version V] [--dry-run]",
		Description: `Adds track to the hooks in the settings of Claude Code and changes nothing else in the file. Shows the change, and keeps a
copy of the original next to the file. Installing again changes nothing.

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
		Usage:     "remove track from the hooks of an agent",
		UsageText: "track hook uninstall claude-code [--project|--user] [--dry-run]",
		Description: `Removes what track hook install added to the settings, and nothing else.

Example:
   track hook uninstall claude-code --user`,
		Flags: o.scopeFlags(),
		Action: func(c *cli.Context) error {
			if err := o.check("uninstall", c.Args().Slice()); err != nil {
				return err
			}
			return p.editSettings(o, claudesettings.Restore)
		},
	}
}

func (o *hookInstallOptions) check(verb string, args []string) error {
	switch {
	case len(args) != 1:
		return usage("track hook %s needs the name of an agent: claude-code", verb)
	case args[0] != "claude-code":
		return usage("track hook %s: unknown agent %q: use claude-code", verb, args[0])
	case o.project && o.user:
		return usage("--project and --user: give one of them")
	}
	return nil
}

// settingsPath returns the file of settings of this folder, or of the user.
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

// hookShellCommand returns the shell command with which Claude Code calls this program.
func hookShellCommand(o hookOptions) (string, error) {
	program, err := os.Executable()
	if err != nil {
		return "", fmt.Errorf("find the program itself: %w", err)
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

// editSettings changes a file of settings, and shows how.
func (p *program) editSettings(o hookInstallOptions, edit func(text, backup []byte) ([]byte, error)) error {
	path, err := p.settingsPath(o.user)
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
	a := answer.HookSettings{Agent: "claude-code", File: change.File, DryRun: o.dryRun, Diff: difference, Changed: difference != ""}
	if a.Changed && !o.dryRun {
		if err := change.Write(); err != nil {
			return err
		}
		a.Backup = change.Backup
	}
	return p.writeAnswer(a)
}
