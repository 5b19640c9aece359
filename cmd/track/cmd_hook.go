package main

import (
	"cmp"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/urfave/cli/v2"

	"track"
	"track/reports/escape"
	"track/store"
	"track/tracker/live"
)

func (p *program) hookCommand() *cli.Command {
	return &cli.Command{
		Name:  "hook",
		Usage: "record what an agent does while it works",
		Subcommands: []*cli.Command{
			p.hookClaudeCodeCommand(),
			p.hookInstallCommand(),
			p.hookUninstallCommand(),
			p.hookStatusCommand(),
		},
	}
}

type hookOptions struct{ lineage, version string }

func (o *hookOptions) flags() []cli.Flag {
	return []cli.Flag{
		&cli.StringFlag{Name: "lineage", Usage: "record in the lineage `NAME`; else TRACK_LINEAGE, else the name of the project folder", Destination: &o.lineage},
		&cli.StringFlag{Name: "version", Usage: "record as the version `NAME` of the prompt; else TRACK_VERSION, else none", Destination: &o.version},
	}
}

func (p *program) hookClaudeCodeCommand() *cli.Command {
	var o hookOptions
	return p.admitting(&cli.Command{
		Name:      "claude-code",
		Usage:     "record one payload of a hook of Claude Code",
		UsageText: "track hook claude-code [--lineage L] [--version V] < PAYLOAD",
		Description: `Claude Code calls this command for each event, once it is installed with track hook install claude-code. It prints nothing on
standard output and always exits 0. Errors are written to hook.log next to the database; track hook status shows them.
If TRACK_SERVER names a server, an execution is sent to it once it is final.

Example:
   track hook claude-code --lineage mine < payload.json`,
		Flags: o.flags(),
		Action: func(c *cli.Context) error {
			if c.NArg() > 0 {
				return usage("track hook claude-code takes no argument: the payload comes on standard input")
			}
			client, err := p.client()
			if err != nil {
				return err
			}
			h := p.hook(o)
			if client == nil {
				h.Take(context.WithoutCancel(c.Context), p.in)
				return nil
			}
			return p.hookForServer(context.WithoutCancel(c.Context), h, client)
		},
	})
}

// isHookCall reports whether an agent waits for this command line: an exit code other than 0 would interrupt it.
func isHookCall(args []string) bool {
	return len(args) > 2 && args[1] == "hook" && args[2] == "claude-code"
}

// hook returns what takes the payloads of hooks, set up by flags and environment.
func (p *program) hook(o hookOptions) *live.Hook {
	h := &live.Hook{
		Lineage: cmp.Or(o.lineage, p.getenv("TRACK_LINEAGE")), Version: cmp.Or(o.version, p.getenv("TRACK_VERSION")), Task: p.getenv("TRACK_TASK"),
		Project: p.getenv("CLAUDE_PROJECT_DIR"), Database: cmp.Or(p.shared.db, p.getenv("TRACK_DB")), Now: p.now, Texts: p.texts(),
	}
	h.Problem = func(folder, event string, err error) { p.logHook(h, folder, event, err) }
	return h
}

// logHook writes what went wrong to the log beside the database; to standard error if that is impossible.
func (p *program) logHook(h *live.Hook, folder, event string, problem error) {
	message := event + ": " + strings.TrimPrefix(problem.Error(), "track: ")
	for _, hint := range track.Hints(problem) {
		message += "; hint: " + shellHint(hint)
	}
	message = p.withoutSecrets(message)
	path, err := h.FindDatabase("")
	if folder == "" && err == nil {
		folder, _ = store.Folder(path) // without one, it goes to standard error
	}
	if folder != "" && store.IsServer(path) {
		_ = os.MkdirAll(folder, 0o700)
	}
	if folder == "" || live.Log(filepath.Join(folder, live.LogFile)).Add(p.now(), message) != nil {
		fmt.Fprintln(p.err, "track: hook: "+escape.Line(message))
	}
}
