package main

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/urfave/cli/v2"

	"track"
	"track/evolution"
	"track/store"
	"track/tracker/lineages"
)

func (p *program) lineageCommand() *cli.Command {
	return &cli.Command{
		Name:  "lineage",
		Usage: "the lineages of what is evolved: heads, settings, ledgers",
		Subcommands: []*cli.Command{
			p.lineageNewCommand(), p.lineageListCommand(), p.lineageShowCommand(), p.lineageHeadCommand(), p.lineageSetCommand(),
			p.freezeCommand("freeze", "stop mutating a lineage", true), p.freezeCommand("unfreeze", "let a lineage mutate again", false),
		},
	}
}

// atFlag is for a loop that keeps its own clock.
func atFlag(at *string) cli.Flag {
	return &cli.StringFlag{Name: "at", Usage: "`TIME` at which it happens, such as 2026-01-02T15:04:05Z; else now", Destination: at}
}

func parseAt(text string) (time.Time, error) {
	if text == "" {
		return time.Time{}, nil
	}
	at, err := time.Parse(time.RFC3339Nano, text)
	if err != nil {
		return at, usage("--at: %q is not a time such as 2026-01-02T15:04:05Z", text)
	}
	return at, nil
}

// evolving is the lineage that is named, or the only one that has a ledger.
func evolving(ctx context.Context, st *store.Reader, name string) (string, error) {
	if name != "" {
		return name, nil
	}
	names, err := st.EvolvingNames(ctx)
	if err != nil {
		return "", err
	}
	switch len(names) {
	case 0:
		return "", track.WithHint(fmt.Errorf("lineage with a ledger: %w", track.ErrNotFound), track.Hint{Text: "track lineage new NAME --root FILE begins one"})
	case 1:
		return names[0], nil
	}
	return "", usage("name the lineage: there are %s", strings.Join(names, ", "))
}

// readLineage opens the database for a command on one lineage, which its argument names, or which is the only one.
func (p *program) readLineage(c *cli.Context, read func(st *store.Reader, lineage string) error) error {
	if c.NArg() > 1 {
		return usage("%s takes one LINEAGE", c.Command.HelpName)
	}
	st, err := p.open(c.Context)
	if err != nil {
		return err
	}
	defer func() { _ = st.Close() }()
	lineage, err := evolving(c.Context, st.Reader, c.Args().First())
	if err != nil {
		return err
	}
	return read(st.Reader, lineage)
}

func (p *program) lineageListCommand() *cli.Command {
	return &cli.Command{
		Name:      "list",
		Usage:     "list the lineages",
		UsageText: "track lineage list",
		Description: `A lineage comes into being with its first execution, or with track lineage new, which gives it a ledger.

Example:
   track lineage list --format json`,
		Action: func(c *cli.Context) error {
			if c.NArg() != 0 {
				return usage("track lineage list takes no argument")
			}
			st, err := p.open(c.Context)
			if err != nil {
				return err
			}
			defer func() { _ = st.Close() }()
			names, err := st.Lineages(c.Context)
			if err != nil {
				return err
			}
			return p.listLineages(c.Context, st.Reader, names)
		},
	}
}

type lineageDocument struct {
	Lineage     string `json:"lineage"`
	NVersions   int    `json:"n_versions"`
	NExecutions int    `json:"n_executions"`
	KeepText    bool   `json:"keep_text"`
	Last        string `json:"last,omitempty"`
	Subject     string `json:"subject,omitempty"` // of one that has a ledger
	Head        string `json:"head,omitempty"`
	NMutations  int    `json:"n_mutations,omitzero"`
}

func (p *program) listLineages(ctx context.Context, st *store.Reader, names []string) error {
	documents := []lineageDocument{}
	v := view{lines: []any{}, rows: grid{columns: []string{"lineage", "versions", "executions", "keeps text", "last", "head", "mutations"}}}
	for _, name := range names {
		d, last, err := lineageOverview(ctx, st, name)
		if err != nil {
			return err
		}
		documents = append(documents, d)
		v.lines = append(v.lines, d)
		var head, mutations any
		if d.Subject != "" {
			head, mutations = d.Head, d.NMutations
		}
		v.rows.cells = append(v.rows.cells, []any{d.Lineage, d.NVersions, d.NExecutions, d.KeepText, last, head, mutations})
	}
	v.document, v.page = documents, []any{v.rows}
	if len(names) == 0 {
		v.page = []any{"there is no lineage yet: track lineage new, track record execution or track import makes one"}
	}
	return p.write(v)
}

func lineageOverview(ctx context.Context, st *store.Reader, name string) (d lineageDocument, last any, err error) {
	d.Lineage = name
	if d.KeepText, err = st.KeepsText(ctx, name); err != nil {
		return d, nil, err
	}
	versions, err := st.VersionStates(ctx, name)
	if err != nil {
		return d, nil, err
	}
	executed, err := st.Versions(ctx, name)
	if err != nil && !isNotFound(err) {
		return d, nil, err
	}
	d.NVersions = len(versions)
	for _, version := range executed {
		if version.Version == "" {
			d.NVersions++
		}
		d.NExecutions += version.NExecutions
		if text := timeText(version.Last); text > d.Last {
			d.Last, last = text, shown{people(version.Last), text}
		}
	}
	l, err := st.Evolving(ctx, name)
	if isNotFound(err) {
		return d, last, nil
	}
	d.Subject, d.Head = l.Subject, l.Head
	if err == nil {
		d.NMutations, err = st.NMutations(ctx, l)
	}
	return d, last, err
}

func (p *program) lineageHeadCommand() *cli.Command {
	return &cli.Command{
		Name:      "head",
		Usage:     "print the version in force",
		UsageText: "track lineage head NAME",
		Description: `Prints its name alone, for scripts: VERSION=$(track lineage head sepa). With --format json also since when, and by what.

Example:
   track version export sepa@$(track lineage head sepa) > prompt.md`,
		BashComplete: p.completeLineages,
		Action: func(c *cli.Context) error {
			if c.NArg() != 1 {
				return usage("track lineage head takes NAME")
			}
			st, err := p.open(c.Context)
			if err != nil {
				return err
			}
			defer func() { _ = st.Close() }()
			l, err := st.Evolving(c.Context, c.Args().First())
			if err != nil {
				return err
			}
			if l.Head == "" {
				return track.WithHint(fmt.Errorf("head of lineage %s: %w: no version is in force", l.Name, track.ErrNotFound), track.Hint{Text: "track rollback " + l.Name + " --to VERSION puts one in force"})
			}
			return p.writeHead(c.Context, st.Reader, l)
		},
	}
}

func (p *program) writeHead(ctx context.Context, st *store.Reader, l store.Evolving) error {
	v, err := st.VersionState(ctx, l.Name, l.Head)
	if err != nil {
		return err
	}
	moves, err := st.Entries(ctx, l, store.EntryFilter{Moved: true, Newest: 1})
	if err != nil {
		return err
	}
	d := map[string]any{"lineage": l.Name, "head": l.Head, "content_sha256": v.ContentID}
	for _, e := range moves {
		d["since"], d["by"], d["mutation"] = timeText(e.At), e.Kind, e.Mutation
	}
	return p.write(view{document: d, rows: grid{columns: []string{"lineage", "head"}, cells: [][]any{{l.Name, l.Head}}}, page: []any{l.Head}})
}

func (p *program) lineageSetCommand() *cli.Command {
	var reason, at string
	return &cli.Command{
		Name:      "set",
		Usage:     "change settings of a lineage",
		UsageText: "track lineage set NAME KEY=VALUE...",
		Description: `keep_text=on keeps inputs and outputs of the calls recorded from now on, masked; keep_text=off, which is how a lineage begins, keeps
their digests and sizes. The other keys are those that track lineage show lists; each change is an entry of the ledger, and decisions name
the settings they were made under. policy=NAME, policy=NAME,param=number or policy=@FILE; operators=@FILE; forbidden=@FILE with one
pattern a line; rubric=rubric/2 or own, empty for the scores in force.

Examples:
   track lineage set sepa keep_text=on
   track lineage set sepa policy=confirm,n1=3,n2=8 interval=5 --reason "noise of 9 points"`,
		BashComplete: p.completeLineages,
		Flags: []cli.Flag{
			&cli.StringFlag{Name: "reason", Usage: "`TEXT` for the ledger", Destination: &reason},
			atFlag(&at),
		},
		Action: func(c *cli.Context) error {
			if c.NArg() < 2 {
				return usage("track lineage set takes NAME and KEY=VALUE")
			}
			name := c.Args().First()
			if err := track.CheckName(name); err != nil {
				return usage("NAME %v", err)
			}
			when, err := parseAt(at)
			if err != nil {
				return err
			}
			keep, rest, err := splitSettings(c.Args().Tail())
			if err != nil {
				return err
			}
			return p.setLineage(c.Context, name, keep, rest, reason, when)
		},
	}
}

// splitSettings tells keep_text apart, which is no part of the ledger; nil where it is not there.
func splitSettings(assignments []string) (keep *bool, rest [][2]string, err error) {
	seen := map[string]bool{}
	for _, assignment := range assignments {
		key, value, ok := strings.Cut(assignment, "=")
		if !ok {
			return nil, nil, usage("%s is not KEY=VALUE", assignment)
		}
		if seen[key] {
			return nil, nil, usage("%s is duplicated", key)
		}
		seen[key] = true
		if key != "keep_text" {
			rest = append(rest, [2]string{key, value})
			continue
		}
		on, known := map[string]bool{"on": true, "off": false}[value]
		if !known {
			return nil, nil, usage("%s: use keep_text=on or keep_text=off", assignment)
		}
		keep = &on
	}
	return keep, rest, nil
}

func (p *program) setLineage(ctx context.Context, name string, keep *bool, rest [][2]string, reason string, at time.Time) error {
	edit := func(s *evolution.Settings) error {
		for _, assignment := range rest {
			if err := changeSetting(s, assignment[0], assignment[1]); err != nil {
				return err
			}
		}
		return nil
	}
	trial := evolution.DefaultSettings()
	if err := edit(&trial); err != nil { // before anything is written
		return err
	}
	if err := trial.Validate(); err != nil { // of each value by itself
		return usage("%v", err)
	}
	open := p.openForUpdate
	if len(rest) == 0 {
		open = p.openOrCreate
	}
	st, err := open(ctx)
	if err != nil {
		return err
	}
	defer func() { _ = st.Close() }()
	document, page := map[string]any{"lineage": name}, []string{}
	if len(rest) > 0 {
		l, changed, err := lineages.ChangeSettings(ctx, st, name, edit, reason, at)
		if err != nil {
			return err
		}
		document["settings"], document["changed"] = l.Settings, changed
		page = append(page, fmt.Sprintf("%s: settings, version %d", name, l.Settings.Number))
		if !changed {
			page = append(page, "nothing is other than before")
		}
	}
	if keep != nil {
		if err := st.Update(ctx, func(tx *store.Tx) error { return tx.SetKeepText(name, *keep) }); err != nil {
			return err
		}
		document["keep_text"] = *keep
		page = append(page, fmt.Sprintf("%s: keep_text is %s", name, map[bool]string{true: "on", false: "off"}[*keep]))
	}
	rows := grid{columns: []string{"lineage", "setting", "value"}}
	for _, assignment := range rest {
		rows.cells = append(rows.cells, []any{name, assignment[0], assignment[1]})
	}
	if keep != nil {
		rows.cells = append(rows.cells, []any{name, "keep_text", *keep})
	}
	return p.write(view{document: document, rows: rows, page: []any{strings.Join(page, "\n")}})
}

func (p *program) freezeCommand(verb, use string, frozen bool) *cli.Command {
	var reason, at string
	return &cli.Command{
		Name:      verb,
		Usage:     use,
		UsageText: "track lineage " + verb + " NAME [--reason TEXT]",
		Description: `A frozen lineage takes no proposal, and track mutation next says stop. What was proposed before can still be decided.

Example:
   track lineage ` + verb + ` sepa --reason "release week"`,
		BashComplete: p.completeLineages,
		Flags:        []cli.Flag{&cli.StringFlag{Name: "reason", Usage: "`TEXT` for the ledger", Destination: &reason}, atFlag(&at)},
		Action: func(c *cli.Context) error {
			if c.NArg() != 1 {
				return usage("track lineage %s takes NAME", verb)
			}
			when, err := parseAt(at)
			if err != nil {
				return err
			}
			st, err := p.openForUpdate(c.Context)
			if err != nil {
				return err
			}
			defer func() { _ = st.Close() }()
			name := c.Args().First()
			edit := func(s *evolution.Settings) error {
				s.Loop.Frozen = frozen
				return nil
			}
			_, changed, err := lineages.ChangeSettings(c.Context, st, name, edit, reason, when)
			if err != nil {
				return err
			}
			text := name + " is frozen"
			if !frozen {
				text = name + " is not frozen"
			}
			if !changed {
				text += ", as before"
			}
			return p.write(view{
				document: map[string]any{"lineage": name, "frozen": frozen, "changed": changed},
				rows:     grid{columns: []string{"lineage", "frozen"}, cells: [][]any{{name, frozen}}},
				page:     []any{text},
			})
		},
	}
}
