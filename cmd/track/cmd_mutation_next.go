package main

import (
	"context"
	"fmt"
	"strconv"
	"strings"

	"github.com/urfave/cli/v2"

	"track/evolution"
	"track/scoring/format"
	"track/tracker/lineages"
)

func (p *program) mutationNextCommand() *cli.Command {
	var at string
	var dryRun, shell bool
	return &cli.Command{
		Name:      "next",
		Usage:     "what to do with a lineage now, and why",
		UsageText: "track mutation next L [--dry-run] [--shell]",
		Description: `The action is one of

   run       the trials that a policy wants before it decides a mutation
   decide    a mutation that has its evidence
   mutate    propose a child of the version in force, by the operator that was drawn
   wait      run the version in force some more times, or wait until a limit of the day lets the next mutation through
   rollback  a trigger applies
   stop      frozen, or stable: nothing to gain

Whether to mutate, and by which operator, is drawn once, and recorded: asked again, it answers the same until something happens.
--shell prints it as variables of a shell, quoted: action, version (to run next, or to mutate), task, executions, mutation,
operator, until and reason.

Examples:
   track mutation next sepa --format json
   eval "$(track mutation next sepa --shell)" && echo "$action: $reason"`,
		BashComplete: p.completeLineages,
		Flags: []cli.Flag{
			&cli.BoolFlag{Name: "dry-run", Usage: "draw and record nothing", Destination: &dryRun},
			&cli.BoolFlag{Name: "shell", Usage: "print variables for the eval of a shell", Destination: &shell},
			atFlag(&at),
		},
		Action: func(c *cli.Context) error {
			if c.NArg() > 1 {
				return usage("track mutation next takes one LINEAGE")
			}
			if shell && p.shared.format != "table" {
				return usage("--shell and --format: one of them says how to print it")
			}
			return p.next(c.Context, c.Args().First(), dryRun, shell, at)
		},
	}
}

type nextDocument struct {
	Lineage    string                   `json:"lineage"`
	Action     lineages.Action          `json:"action"`
	Reason     string                   `json:"reason"`
	Hold       evolution.Hold           `json:"hold,omitempty"`
	Head       string                   `json:"head"`
	Version    string                   `json:"version,omitempty"` // to run next, or to mutate
	Task       string                   `json:"task,omitempty"`    // to run it on, or the seed; empty for any
	Executions int                      `json:"executions"`        // to wait for, or to run
	Until      string                   `json:"until,omitempty"`   // not before
	Mutation   string                   `json:"mutation,omitempty"`
	Operator   string                   `json:"operator,omitempty"`
	Risk       evolution.Risk           `json:"risk,omitempty"`
	Trials     []lineages.PlannedTrial  `json:"trials"`
	Rollback   *evolution.Rollback      `json:"rollback"`
	Draws      []drawDocument           `json:"draws"`
	Considered *evolution.Consideration `json:"considered"`
	Command    string                   `json:"command"` // to go on with; empty for none
}

func (p *program) next(ctx context.Context, lineage string, dryRun, shell bool, atText string) error {
	at, err := parseAt(atText)
	if err != nil {
		return err
	}
	open := p.openForUpdate
	if dryRun {
		open = p.open
	}
	st, err := open(ctx)
	if err != nil {
		return err
	}
	defer func() { _ = st.Close() }()
	if lineage, err = evolving(ctx, st.Reader, lineage); err != nil {
		return err
	}
	step, err := lineages.Next(ctx, st, lineage, dryRun, at)
	if err != nil {
		return err
	}
	d := newNextDocument(lineage, step)
	if shell {
		return p.writeNextShell(d)
	}
	return p.write(view{
		document: d,
		rows: grid{
			columns: []string{"lineage", "action", "version", "task", "executions", "mutation", "operator", "until", "reason"},
			cells:   [][]any{{d.Lineage, string(d.Action), d.Version, d.Task, d.Executions, d.Mutation, d.Operator, d.Until, d.Reason}},
		},
		page: nextPage(d),
	})
}

// writeNextShell writes what to do as variables of a shell.
func (p *program) writeNextShell(d nextDocument) error {
	for _, variable := range [][2]string{
		{"action", string(d.Action)}, {"version", d.Version}, {"task", d.Task}, {"executions", strconv.Itoa(d.Executions)}, {"mutation", d.Mutation},
		{"operator", d.Operator}, {"until", d.Until}, {"reason", d.Reason},
	} {
		if _, err := fmt.Fprintf(p.out, "%s=%s\n", variable[0], shellQuoted(variable[1])); err != nil {
			return err
		}
	}
	return nil
}

// shellQuoted is a word that every shell reads as the text.
func shellQuoted(text string) string { return "'" + strings.ReplaceAll(text, "'", `'\''`) + "'" }

func newNextDocument(lineage string, s lineages.NextStep) nextDocument {
	d := nextDocument{
		Lineage: lineage, Action: s.Action, Reason: s.Reason, Hold: s.Hold, Head: s.Head, Executions: s.Executions, Until: timeText(s.Until), Mutation: s.Mutation,
		Operator: s.Operator.Name, Risk: s.Operator.Risk, Trials: notNil(s.Trials), Rollback: s.Rollback, Draws: []drawDocument{}, Considered: s.Considered,
	}
	if c := s.Considered; c != nil {
		d.Draws = append(d.Draws, newDrawDocument(c.Draw, nil, c.Permission.DrawUsed))
		if c.Operator != nil {
			d.Draws = append(d.Draws, newDrawDocument(*c.Operator, nil, c.Choice.DrawUsed))
		}
	}
	if s.Action == lineages.ActionWait || s.Action == lineages.ActionMutate {
		d.Version = s.Head
	}
	if len(s.Trials) > 0 {
		d.Version, d.Task = s.Trials[0].Version, s.Trials[0].Key
	}
	switch s.Action {
	case lineages.ActionDecide:
		d.Command = "track mutation decide --lineage " + lineage + " " + s.Mutation
	case lineages.ActionRun:
		d.Command = "track mutation plan --lineage " + lineage + " " + s.Mutation
	case lineages.ActionMutate:
		d.Command = fmt.Sprintf("track mutation propose --lineage %s --parent %s --operator %s --child FILE", lineage, s.Head, s.Operator.Name)
	case lineages.ActionRollback:
		d.Command = "track rollback " + lineage + " --if-triggered"
	}
	return d
}

func nextPage(d nextDocument) []any {
	text := string(d.Action)
	switch {
	case d.Until != "":
		text += " until " + d.Until
	case d.Action == lineages.ActionWait:
		text += " for " + format.Counted(d.Executions, "execution") + " of " + orNone(d.Head)
	case d.Action == lineages.ActionRun:
		text += " " + format.Counted(d.Executions, "trial") + " for " + d.Mutation
	case d.Action == lineages.ActionMutate:
		text += fmt.Sprintf(" %s by %s (%s)", d.Head, d.Operator, d.Risk)
	case d.Mutation != "":
		text += " " + d.Mutation
	case d.Hold != "":
		text += ": " + string(d.Hold)
	}
	text += "\n" + d.Reason
	if d.Command != "" {
		text += "\n" + d.Command
	}
	page := []any{text}
	if len(d.Trials) > 0 {
		page = append(page, trialsGrid(d.Trials))
	}
	return page
}

// trialsGrid shows trials that are wanted, those of any task together.
func trialsGrid(trials []lineages.PlannedTrial) grid {
	g := grid{columns: []string{"side", "version", "task or seed", "n"}}
	for i := 0; i < len(trials); {
		n := 1
		for i+n < len(trials) && trials[i] == trials[i+n] {
			n++
		}
		key := trials[i].Key
		if key == "" {
			key = "any"
		}
		g.cells = append(g.cells, []any{trials[i].Side, trials[i].Version, key, n})
		i += n
	}
	return g
}

func (p *program) mutationPlanCommand() *cli.Command {
	var lineage, policy string
	return &cli.Command{
		Name:      "plan",
		Usage:     "which trials a policy still wants before it decides",
		UsageText: "track mutation plan M [--lineage L] [--policy P]",
		Description: `It records nothing. Trials whose partner, on the same task or seed, is there already come first. Where the policy would decide already, it
says what.

Example:
   track mutation plan m-3f0c9a5be1d27788 --format csv`,
		Flags: []cli.Flag{lineageFlag(&lineage), &cli.StringFlag{Name: "policy", Usage: "`NAME`, NAME,param=number or @FILE in place of the lineage's", Destination: &policy}},
		Action: func(c *cli.Context) error {
			if c.NArg() != 1 {
				return usage("track mutation plan takes M, the id of a mutation")
			}
			return p.plan(c.Context, lineage, c.Args().First(), policy)
		},
	}
}

type planDocument struct {
	Lineage  string           `json:"lineage"`
	Mutation string           `json:"mutation"`
	State    evolution.State  `json:"state"` // continue; else what would be decided now
	Need     *needDocument    `json:"need"`
	Decision decisionDocument `json:"decision"` // as it would be made now
}

func (p *program) plan(ctx context.Context, lineage, mutation, policyText string) error {
	options := decideOptions{policy: policyText}
	parsed, err := options.parse()
	if err != nil {
		return err
	}
	st, err := p.open(ctx)
	if err != nil {
		return err
	}
	defer func() { _ = st.Close() }()
	if lineage, err = lineageOfMutation(ctx, st.Reader, lineage, mutation); err != nil {
		return err
	}
	plan, err := lineages.PlanMutation(ctx, st, lineage, mutation, parsed.Policy)
	if err != nil {
		return err
	}
	decision := newDecisionDocument(plan.DecideResult)
	decision.DryRun = true
	d := planDocument{lineage, mutation, decision.State, decision.Need, decision}
	rows := grid{columns: []string{"side", "version", "key"}}
	for _, t := range plan.Trials {
		rows.cells = append(rows.cells, []any{t.Side, t.Version, t.Key})
	}
	var page []any
	if d.Need == nil {
		page = []any{fmt.Sprintf("%s has its evidence: %s would %s it\ntrack mutation decide --lineage %s %s", mutation, decision.Policy, d.State, lineage, mutation)}
	} else {
		page = []any{strings.TrimSuffix(needLine(plan.DecideResult), ": track mutation plan "+mutation), trialsGrid(plan.Trials)}
	}
	return p.write(view{document: d, rows: rows, page: page})
}
