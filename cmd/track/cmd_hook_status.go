package main

import (
	"github.com/urfave/cli/v2"

	"track/store"
	"track/tracker/live"
)

func (p *program) hookStatusCommand() *cli.Command {
	return &cli.Command{
		Name:      "status",
		Usage:     "show whether events arrive from hooks",
		UsageText: "track hook status [FLAGS]",
		Description: `Shows where hooks are installed, how many events of each name arrived and when, what is in progress, and which errors occurred.

Example:
   track hook status`,
		Action: func(c *cli.Context) error {
			if c.NArg() > 0 {
				return usage("track hook status takes no argument")
			}
			st, err := p.openHooks(c.Context)
			if isNotFound(err) && p.shared.db == "" {
				return p.writeHookStatus(c, nil)
			}
			if err != nil {
				return err
			}
			defer func() { _ = st.Close() }()
			return p.writeHookStatus(c, st)
		},
	}
}

func (p *program) writeHookStatus(c *cli.Context, st *store.Store) error {
	var settings []string // of this folder and of the user
	for _, o := range []hookInstallOptions{{}, {local: true}, {user: true}} {
		if path, err := p.settingsPath(o); err == nil {
			settings = append(settings, path)
		}
	}
	a, err := live.Status(c.Context, st, settings)
	if err != nil {
		return err
	}
	return p.writeAnswer(a)
}
