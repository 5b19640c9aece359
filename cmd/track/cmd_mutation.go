package main

import (
	"context"
	"fmt"
	"math"
	"strings"

	"github.com/urfave/cli/v2"

	"track/evolution"
	"track/scoring/format"
	"track/store"
	"track/tracker/lineages"
)

func (p *program) mutationCommand() *cli.Command {
	return &cli.Command{
		Name:  "mutation",
		Usage: "propose, decide and list mutations",
		Subcommands: []*cli.Command{
			p.mutationProposeCommand(), p.mutationNextCommand(), p.mutationPlanCommand(), p.mutationDecideCommand(),
			p.mutationListCommand(), p.mutationShowCommand(), p.mutationDiffCommand(), p.mutationWithdrawCommand(),
		},
	}
}

// lineageFlag names the lineage of a mutation, where its id alone does not say it.
func lineageFlag(lineage *string) cli.Flag {
	return &cli.StringFlag{Name: "lineage", Usage: "`NAME` of the lineage, where several have a mutation of that name", Destination: lineage}
}

// lineageOfMutation is the lineage that is named, or the one that has the mutation.
func lineageOfMutation(ctx context.Context, st *store.Reader, lineage, mutation string) (string, error) {
	if lineage != "" {
		return lineage, nil
	}
	return st.MutationLineage(ctx, mutation)
}

type mutationDocument struct {
	Lineage    string                  `json:"lineage"`
	Mutation   string                  `json:"mutation"`
	Number     int                     `json:"number"`
	State      evolution.MutationState `json:"state"`
	Parents    []string                `json:"parents"`
	Child      string                  `json:"child"`
	Operator   string                  `json:"operator"`
	Risk       evolution.Risk          `json:"risk"`
	NDecisions int                     `json:"n_decisions"`
	Delta      *float64                `json:"delta"` // of the last decision
	CostUSD    *float64                `json:"cost_usd"`
	Note       string                  `json:"note"`
	Source     string                  `json:"source,omitempty"`
	ProposedAt string                  `json:"proposed_at"`
}

func newMutationDocument(lineage string, m store.Mutation) mutationDocument {
	return mutationDocument{
		Lineage: lineage, Mutation: m.Key, Number: m.Number, State: m.State, Parents: notNil(m.Parents), Child: m.Child, Operator: m.Operator, Risk: m.Risk,
		NDecisions: m.NAttempts, Delta: m.Delta, CostUSD: m.CostUSD, Note: m.Note, Source: m.Source, ProposedAt: timeText(m.ProposedAt),
	}
}

func mutationsGrid() grid {
	return grid{columns: []string{"#", "mutation", "parents", "child", "operator", "risk", "state", "decisions", "delta", "proposed"}}
}

func (d mutationDocument) cells(m store.Mutation) []any {
	return []any{
		d.Number, d.Mutation, strings.Join(d.Parents, " "), d.Child, d.Operator, string(d.Risk), string(d.State), d.NDecisions, signedCell(d.Delta),
		shown{people(m.ProposedAt), d.ProposedAt},
	}
}

// signedCell shows a difference of scores; nothing where there is none.
func signedCell(x *float64) any {
	if x == nil {
		return nil
	}
	return shown{signed(*x), *x}
}

// signed writes a difference of scores with its sign and two decimals.
func signed(x float64) string {
	if x >= 0 {
		return "+" + format.Fixed(x, 2)
	}
	return format.Fixed(x, 2)
}

func (p *program) mutationListCommand() *cli.Command {
	var lineage, state string
	var limit int
	return &cli.Command{
		Name:      "list",
		Usage:     "list the mutations of a lineage, the newest first",
		UsageText: "track mutation list [LINEAGE] [--state STATE] [--limit N]",
		Description: `Examples:
   track mutation list sepa --state rejected
   track mutation list sepa --limit 0 --format csv`,
		BashComplete: p.completeLineages,
		Flags: []cli.Flag{
			&cli.StringFlag{Name: "lineage", Usage: "`NAME` of the lineage", Destination: &lineage},
			&cli.StringFlag{Name: "state", Usage: "only those that are proposed, continue, accepted, rejected, refused or withdrawn: a `STATE`", Destination: &state},
			&cli.IntFlag{Name: "limit", Value: 50, Usage: "at most `N`, the newest; 0 for all", Destination: &limit},
		},
		Action: func(c *cli.Context) error {
			if c.NArg() > 1 || c.NArg() == 1 && lineage != "" {
				return usage("track mutation list takes one LINEAGE")
			}
			if limit < 0 {
				return usage("--limit %d: it must be at least 0", limit)
			}
			if !mutationStateKnown(state) {
				return usage("--state %s: use proposed, continue, accepted, rejected, refused or withdrawn", state)
			}
			return p.listMutations(c.Context, lineage+c.Args().First(), evolution.MutationState(state), limit)
		},
	}
}

func mutationStateKnown(state string) bool {
	switch evolution.MutationState(state) {
	case "", evolution.MutationProposed, evolution.MutationContinued, evolution.MutationAccepted, evolution.MutationRejected, evolution.MutationRefused, evolution.MutationWithdrawn:
		return true
	}
	return false
}

func (p *program) listMutations(ctx context.Context, lineage string, state evolution.MutationState, limit int) error {
	st, err := p.open(ctx)
	if err != nil {
		return err
	}
	defer func() { _ = st.Close() }()
	if lineage, err = evolving(ctx, st.Reader, lineage); err != nil {
		return err
	}
	l, err := st.Evolving(ctx, lineage)
	if err != nil {
		return err
	}
	filter := store.MutationFilter{State: state, Newest: limit + 1}
	if limit == 0 {
		filter.Newest = math.MaxInt
	}
	list, err := st.Mutations(ctx, l, filter)
	if err != nil {
		return err
	}
	more := limit > 0 && len(list) > limit
	if more {
		list = list[:limit]
	}
	documents, v := []mutationDocument{}, view{lines: []any{}, rows: mutationsGrid()}
	for _, m := range list {
		d := newMutationDocument(lineage, m)
		documents, v.lines = append(documents, d), append(v.lines, d)
		v.rows.cells = append(v.rows.cells, d.cells(m))
	}
	v.document, v.page = documents, []any{v.rows}
	if len(list) == 0 {
		v.page = []any{fmt.Sprintf("lineage %s has no such mutation", lineage)}
	}
	if more {
		p.notice("the newest %d of more: --limit 0 lists all", limit)
	}
	return p.write(v)
}

func (p *program) mutationShowCommand() *cli.Command {
	var lineage string
	return &cli.Command{
		Name:      "show",
		Usage:     "a mutation with all decisions on it",
		UsageText: "track mutation show M [--lineage L]",
		Description: `Example:
   track mutation show m-3f0c9a5be1d27788`,
		Flags: []cli.Flag{lineageFlag(&lineage)},
		Action: func(c *cli.Context) error {
			if c.NArg() != 1 {
				return usage("track mutation show takes M, the id of a mutation")
			}
			st, err := p.open(c.Context)
			if err != nil {
				return err
			}
			defer func() { _ = st.Close() }()
			return p.showMutation(c.Context, st.Reader, lineage, c.Args().First())
		},
	}
}

type mutationDetail struct {
	mutationDocument
	Refusals  []evolution.Refusal `json:"refusals"`
	Inferred  bool                `json:"inferred"`            // a parent was inferred, and not recorded by its source
	Withdrawn string              `json:"withdrawn,omitempty"` // why
	Decisions []decisionDocument  `json:"decisions"`
}

func (p *program) showMutation(ctx context.Context, st *store.Reader, lineage, id string) error {
	story, err := mutationStory(ctx, st, lineage, id)
	if err != nil {
		return err
	}
	d := mutationDetail{
		mutationDocument: newMutationDocument(story.Lineage, story.Mutation), Refusals: notNil(story.Refusals), Inferred: story.Inferred, Withdrawn: story.Withdrawn, Decisions: []decisionDocument{},
	}
	m := mutationsGrid()
	m.cells = [][]any{d.cells(story.Mutation)}
	page := []any{m}
	if d.Note != "" {
		page = append(page, "note: "+d.Note)
	}
	if d.Inferred {
		page = append(page, "a parent was inferred: its source has lost it, or does not tell it")
	}
	for _, r := range d.Refusals {
		page = append(page, fmt.Sprintf("refused: %s: %s", r.Code, r.Reason))
	}
	if d.Withdrawn != "" {
		page = append(page, "withdrawn: "+d.Withdrawn)
	}
	rows := decisionsGrid()
	for _, decided := range story.Decisions {
		decision := newDecisionDocument(decided)
		d.Decisions = append(d.Decisions, decision)
		rows.cells = append(rows.cells, decision.cells())
		page = append(page, decisionText(decided))
	}
	if len(story.Decisions) == 0 && d.State.Open() {
		page = append(page, "not decided yet: track mutation decide "+d.Mutation)
	}
	return p.write(view{document: d, rows: rows, page: page})
}

func mutationStory(ctx context.Context, st *store.Reader, lineage, id string) (lineages.MutationHistory, error) {
	lineage, err := lineageOfMutation(ctx, st, lineage, id)
	if err != nil {
		return lineages.MutationHistory{}, err
	}
	return lineages.LoadMutation(ctx, st, lineage, id)
}

func (p *program) mutationDiffCommand() *cli.Command {
	var lineage string
	return &cli.Command{
		Name:      "diff",
		Usage:     "what a mutation changes",
		UsageText: "track mutation diff M [--lineage L]",
		Description: `The difference of the child and the parent that it is compared with.

Example:
   track mutation diff m-3f0c9a5be1d27788`,
		Flags: []cli.Flag{lineageFlag(&lineage)},
		Action: func(c *cli.Context) error {
			if c.NArg() != 1 {
				return usage("track mutation diff takes M, the id of a mutation")
			}
			st, err := p.open(c.Context)
			if err != nil {
				return err
			}
			defer func() { _ = st.Close() }()
			story, err := mutationStory(c.Context, st.Reader, lineage, c.Args().First())
			if err != nil {
				return err
			}
			if len(story.Mutation.Parents) == 0 {
				return p.writeDiff(c.Context, st.Reader, story.Lineage, "", story.Mutation.Child)
			}
			return p.writeDiff(c.Context, st.Reader, story.Lineage, story.Mutation.Parents[0], story.Mutation.Child)
		},
	}
}

func (p *program) mutationWithdrawCommand() *cli.Command {
	var lineage, reason, at string
	return &cli.Command{
		Name:      "withdraw",
		Usage:     "take a mutation back that is not accepted",
		UsageText: "track mutation withdraw M --reason TEXT [--lineage L]",
		Description: `It stays in the ledger, with the reason, and is not decided any more.

Example:
   track mutation withdraw m-3f0c9a5be1d27788 --reason "asks for a tool that is gone"`,
		Flags: []cli.Flag{lineageFlag(&lineage), &cli.StringFlag{Name: "reason", Usage: "`TEXT` for the ledger", Destination: &reason}, atFlag(&at)},
		Action: func(c *cli.Context) error {
			if c.NArg() != 1 || reason == "" {
				return usage("track mutation withdraw takes M, the id of a mutation, and --reason TEXT")
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
			name, err := lineageOfMutation(c.Context, st.Reader, lineage, c.Args().First())
			if err != nil {
				return err
			}
			m, err := lineages.Withdraw(c.Context, st, name, c.Args().First(), reason, when)
			if err != nil {
				return err
			}
			d, rows := newMutationDocument(name, m), mutationsGrid()
			rows.cells = [][]any{d.cells(m)}
			return p.write(view{document: d, rows: rows, page: []any{m.Key + " is withdrawn"}})
		},
	}
}
