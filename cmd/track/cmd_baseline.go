package main

import (
	"context"
	"crypto/rand"
	"fmt"
	"os"
	"os/user"

	"github.com/urfave/cli/v2"

	"track"
	"track/answer"
	"track/store"
	"track/tracker/seeds"
)

func (p *program) baselineCommand() *cli.Command {
	return &cli.Command{
		Name:  "baseline",
		Usage: "pin the configuration that others are compared with",
		Subcommands: []*cli.Command{
			p.baselineSetCommand(), p.baselineShowCommand(), p.baselineListCommand(), p.baselineUnsetCommand(),
		},
	}
}

func (p *program) baselineSetCommand() *cli.Command {
	reason := ""
	return &cli.Command{
		Name:      "set",
		Usage:     "pin a configuration of a scenario",
		UsageText: "track baseline set SCENARIO[@CONFIGURATION] --reason TEXT",
		Description: `Without a configuration, the one recorded to last is pinned. The pin is recorded with who, when, why, and what it replaced.

Example:
   track baseline set growth_plus@v0.10.2 --reason "release 0.10.2"`,
		BashComplete: p.completeScenarios,
		Flags:        []cli.Flag{&cli.StringFlag{Name: "reason", Usage: "why, for those who ask later: `TEXT`", Destination: &reason}},
		Action: func(c *cli.Context) error {
			if c.NArg() != 1 {
				return usage("track baseline set takes one SCENARIO[@CONFIGURATION]")
			}
			sel, err := answer.ParseSelector(c.Args().First())
			if err != nil {
				return usage("%v", err)
			}
			return p.changeBaseline(c.Context, reason, func(st *store.Store) (store.Baseline, string, error) {
				pin, changed, err := seeds.PinBaseline(c.Context, st, sel, reason, actor(), rand.Reader)
				if err == nil && !changed {
					return pin, "is pinned already, since " + people(pin.SetAt), nil
				}
				return pin, "is pinned", err
			})
		},
	}
}

func (p *program) baselineUnsetCommand() *cli.Command {
	reason := ""
	return &cli.Command{
		Name:      "unset",
		Usage:     "take the pin of a scenario away",
		UsageText: "track baseline unset SCENARIO --reason TEXT",
		Description: `The pins that were set before stay in the record.

Example:
   track baseline unset growth_plus --reason "the model was recalibrated"`,
		BashComplete: p.completeScenarios,
		Flags:        []cli.Flag{&cli.StringFlag{Name: "reason", Usage: "why, for those who ask later: `TEXT`", Destination: &reason}},
		Action: func(c *cli.Context) error {
			if c.NArg() != 1 {
				return usage("track baseline unset takes one SCENARIO")
			}
			return p.changeBaseline(c.Context, reason, func(st *store.Store) (store.Baseline, string, error) {
				pin, err := seeds.UnpinBaseline(c.Context, st, c.Args().First(), reason, actor(), rand.Reader)
				return pin, "has no baseline any more", err
			})
		},
	}
}

// actor names who changes something: the user at this host.
func actor() string {
	name := "unknown"
	if u, err := user.Current(); err == nil {
		name = u.Username
	}
	if host, err := os.Hostname(); err == nil {
		name += "@" + host
	}
	return name
}

func (p *program) changeBaseline(ctx context.Context, reason string, change func(*store.Store) (store.Baseline, string, error)) error {
	if reason == "" {
		return usage("--reason is missing: say why, for those who ask later")
	}
	st, err := p.openForUpdate(ctx)
	if err != nil {
		return err
	}
	defer func() { _ = st.Close() }()
	pin, what, err := change(st)
	if err != nil {
		return err
	}
	text := pin.Scenario
	if pin.Configuration != nil {
		text += "@" + describe(*pin.Configuration)
	}
	text += " " + what
	if pin.Replaced != "" {
		text += ", in the place of " + seeds.ShortHash(pin.Replaced)
	}
	v := baselinesView([]store.Baseline{pin})
	v.document, v.lines, v.page = newBaselineDocument(pin), nil, []any{text}
	return p.write(v)
}

func (p *program) baselineShowCommand() *cli.Command {
	return &cli.Command{
		Name:      "show",
		Usage:     "show the baseline of a scenario, and those before it",
		UsageText: "track baseline show SCENARIO",
		Description: `The newest first: the first line is what holds.

Example:
   track baseline show growth_plus`,
		BashComplete: p.completeScenarios,
		Action: func(c *cli.Context) error {
			if c.NArg() != 1 {
				return usage("track baseline show takes one SCENARIO")
			}
			return p.listBaselines(c.Context, c.Args().First())
		},
	}
}

func (p *program) baselineListCommand() *cli.Command {
	return &cli.Command{
		Name:      "list",
		Usage:     "list the baselines of all scenarios",
		UsageText: "track baseline list",
		Description: `Only what is pinned now; track baseline show SCENARIO shows what was.

Example:
   track baseline list --format json`,
		Action: func(c *cli.Context) error {
			if c.NArg() != 0 {
				return usage("track baseline list takes no argument; track baseline show SCENARIO shows one")
			}
			return p.listBaselines(c.Context, "")
		},
	}
}

func (p *program) listBaselines(ctx context.Context, scenario string) error {
	st, err := p.open(ctx)
	if err != nil {
		return err
	}
	defer func() { _ = st.Close() }()
	list, err := st.Baselines(ctx, scenario)
	if err != nil {
		return err
	}
	if scenario != "" && len(list) == 0 {
		return track.WithHint(fmt.Errorf("scenario %s never had a baseline: %w", scenario, track.ErrNotFound), track.Hint{Text: "track baseline set " + scenario + "@CONFIGURATION --reason TEXT pins one"})

	}
	v := baselinesView(list)
	if len(list) == 0 {
		v.page = []any{"no baseline is pinned: track baseline set SCENARIO@CONFIGURATION --reason TEXT"}
	}
	return p.write(v)
}

type baselineDocument struct {
	Scenario      string                 `json:"scenario"`
	Configuration *configurationDocument `json:"configuration"` // null where the pin was taken away
	Replaced      string                 `json:"replaced"`
	Reason        string                 `json:"reason"`
	Actor         string                 `json:"actor"`
	SetAt         string                 `json:"set_at"`
}

func newBaselineDocument(b store.Baseline) baselineDocument {
	d := baselineDocument{Scenario: b.Scenario, Replaced: b.Replaced, Reason: b.Reason, Actor: b.Actor, SetAt: timeText(b.SetAt)}
	if b.Configuration != nil {
		c := newConfigurationDocument(b.Configuration.Hash, b.Configuration.Configuration)
		d.Configuration = &c
	}
	return d
}

func baselinesView(list []store.Baseline) view {
	documents := []baselineDocument{}
	v := view{lines: []any{}, rows: grid{columns: []string{"scenario", "configuration", "label", "revision", "replaced", "set", "by", "reason"}}}
	for _, b := range list {
		d := newBaselineDocument(b)
		documents = append(documents, d)
		v.lines = append(v.lines, d)
		var hash, label, revision any = "none", "", ""
		if b.Configuration != nil {
			hash, label, revision = shown{seeds.ShortHash(b.Configuration.Hash), b.Configuration.Hash}, b.Configuration.Label, b.Configuration.Revision.String()
		}
		var replaced any
		if b.Replaced != "" {
			replaced = shown{seeds.ShortHash(b.Replaced), b.Replaced}
		}
		v.rows.cells = append(v.rows.cells, []any{b.Scenario, hash, label, revision, replaced, shown{people(b.SetAt), d.SetAt}, b.Actor, b.Reason})
	}
	v.document, v.page = documents, []any{v.rows}
	return v
}
