package main

import (
	"context"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/urfave/cli/v2"

	"track/evolution"
	"track/scoring/format"
	"track/tracker/lineages"
)

type decideOptions struct {
	lineage, policy, expectHead, pcgState, at string
	dryRun                                    bool
}

func (p *program) mutationDecideCommand() *cli.Command {
	var o decideOptions
	return &cli.Command{
		Name:      "decide",
		Usage:     "accept or reject a mutation, by the policy, from the evidence that there is",
		UsageText: "track mutation decide M [--lineage L] [--policy P] [--dry-run] [--expect-head V]",
		Description: `The exit code is 0 where the mutation is accepted, 10 where it is rejected, 11 where the policy needs more evidence. The decision is
recorded with its evidence, its policy and its draw: track replay makes it again. Without new evidence the same decision is returned; with
new evidence, or another --policy, it is a further attempt, numbered, and visible as such. The child of an accepted mutation is in force from
then on, unless its parent no longer was. --expect-head refuses, with exit code 14, where another version is in force than you think.

Examples:
   track mutation decide m-3f0c9a5be1d27788
   track mutation decide m-3f0c9a5be1d27788 --policy confirm --dry-run --format json`,
		Flags: []cli.Flag{
			lineageFlag(&o.lineage),
			&cli.StringFlag{Name: "policy", Usage: "`NAME`, NAME,param=number or @FILE in place of the lineage's", Destination: &o.policy},
			&cli.StringFlag{Name: "expect-head", Usage: "refuse unless this `VERSION` is in force", Destination: &o.expectHead},
			&cli.StringFlag{Name: "pcg-state", Usage: "draw with your own generator, math/rand/v2's PCG: its state, 20 bytes in `HEX`", Destination: &o.pcgState},
			&cli.BoolFlag{Name: "dry-run", Usage: "decide, and record nothing", Destination: &o.dryRun},
			atFlag(&o.at),
		},
		Action: func(c *cli.Context) error {
			if c.NArg() != 1 {
				return usage("track mutation decide takes M, the id of a mutation")
			}
			for _, flag := range []string{"expect-head", "policy", "lineage", "pcg-state"} {
				if c.IsSet(flag) && c.String(flag) == "" { // a variable of a script that was never set
					return usage("--%s is empty", flag)
				}
			}
			return p.decide(c.Context, c.Args().First(), o)
		},
	}
}

func (o decideOptions) parse() (options lineages.DecideOptions, err error) {
	options = lineages.DecideOptions{ExpectHead: o.expectHead, DryRun: o.dryRun}
	if options.At, err = parseAt(o.at); err != nil {
		return options, err
	}
	if o.pcgState != "" {
		if options.PCGState, err = hex.DecodeString(o.pcgState); err != nil || len(options.PCGState) != 20 {
			return options, usage("--pcg-state %s: want 20 bytes in hexadecimal, what MarshalBinary of math/rand/v2's PCG gives", o.pcgState)
		}
	}
	if o.policy != "" {
		options.Policy, err = parsePolicy(o.policy)
	}
	return options, err
}

func (p *program) decide(ctx context.Context, mutation string, o decideOptions) error {
	options, err := o.parse()
	if err != nil {
		return err
	}
	open := p.openForUpdate
	if o.dryRun {
		open = p.open
	}
	st, err := open(ctx)
	if err != nil {
		return err
	}
	defer func() { _ = st.Close() }()
	lineage, err := lineageOfMutation(ctx, st.Reader, o.lineage, mutation)
	if err != nil {
		return err
	}
	r, err := lineages.Decide(ctx, st, lineage, mutation, options)
	if err != nil {
		return err
	}
	d, rows := newDecisionDocument(r), decisionsGrid()
	d.DryRun = o.dryRun
	rows.cells = [][]any{d.cells()}
	text := decisionText(r)
	if o.dryRun && !r.Repeated {
		text = "dry run, nothing recorded\n" + text
	}
	if err := p.write(view{document: d, rows: rows, page: []any{text}}); err != nil {
		return err
	}
	switch d.State {
	case evolution.Accept:
		return nil
	case evolution.Reject:
		return verdictExit(exitRejected)
	}
	return verdictExit(exitContinue)
}

// decisionDocument is a decision in JSON.
type decisionDocument struct {
	Decision     string                     `json:"decision"` // null in a dry run
	Number       int                        `json:"number"`   // of its entry in the ledger
	Lineage      string                     `json:"lineage"`
	Mutation     string                     `json:"mutation"`
	Attempt      int                        `json:"attempt"`  // from 0
	Repeated     bool                       `json:"repeated"` // there was no new evidence: it had been made before
	DryRun       bool                       `json:"dry_run"`
	State        evolution.State            `json:"state"`
	Accepted     bool                       `json:"accepted"`
	Label        evolution.Label            `json:"label"`
	Policy       string                     `json:"policy"`
	PolicyParams json.RawMessage            `json:"policy_params"`
	Overridden   bool                       `json:"policy_overridden"`
	OldScore     *float64                   `json:"old_score"`
	NewScore     *float64                   `json:"new_score"`
	Delta        *float64                   `json:"delta"`
	CI           *evolution.Interval        `json:"ci"`
	PImprove     *evolution.PImprove        `json:"p_improve"`
	Fitness      *float64                   `json:"fitness"`
	Rule         []evolution.Statistic      `json:"rule"`
	NChild       int                        `json:"n_child"`
	NParent      int                        `json:"n_parent"`
	NPairs       int                        `json:"n_pairs"`
	FailedChild  int                        `json:"failed_child"`
	FailedParent int                        `json:"failed_parent"`
	UsedChild    []evolution.Use            `json:"used_child"`
	UsedParent   []evolution.Use            `json:"used_parent"`
	Draw         drawDocument               `json:"draw"`
	HeadBefore   string                     `json:"head_before"`
	HeadAfter    string                     `json:"head_after"`
	Need         *needDocument              `json:"need"`
	Noise        *evolution.Noise           `json:"noise"`
	Warnings     []lineages.DecisionWarning `json:"warnings"`
	DecidedAt    string                     `json:"decided_at"`
	Hash         string                     `json:"hash"`
}

// drawDocument is a draw in JSON, with the probability that it decided against.
type drawDocument struct {
	Algorithm   string          `json:"algorithm"`
	Seed        string          `json:"seed"`
	Key         drawKeyDocument `json:"key"`
	Raw         evolution.Raw   `json:"raw"`
	U           float64         `json:"u"`
	P           *float64        `json:"p"`
	Used        bool            `json:"used"` // another number would have led elsewhere
	StateBefore string          `json:"state_before,omitempty"`
	StateAfter  string          `json:"state_after,omitempty"`
}

type drawKeyDocument struct {
	Lineage  string `json:"lineage"`
	Mutation string `json:"mutation"`
	Attempt  int    `json:"attempt"`
	Label    string `json:"label"`
}

func newDrawDocument(d evolution.Draw, p *float64, used bool) drawDocument {
	return drawDocument{
		Algorithm: d.Algorithm, Seed: fmt.Sprint(d.Seed), Key: drawKeyDocument{d.Lineage, d.Mutation, d.Attempt, d.Label}, Raw: d.Raw, U: d.U, P: p, Used: used,
		StateBefore: d.StateBefore, StateAfter: d.StateAfter,
	}
}

// needDocument is the evidence that is missing.
type needDocument struct {
	N        int                     `json:"n"`
	Child    int                     `json:"child"`
	Parent   int                     `json:"parent"`
	Pairs    int                     `json:"pairs"`
	Fresh    bool                    `json:"fresh"`
	Expected int                     `json:"expected"`
	Trials   []lineages.PlannedTrial `json:"trials"`
}

func newDecisionDocument(r lineages.DecideResult) decisionDocument {
	d := r.Record.Decision
	doc := decisionDocument{
		Number: r.Number, Lineage: r.Entry.Lineage, Mutation: r.Record.Mutation, Attempt: r.Record.Attempt, Repeated: r.Repeated, State: d.State, Accepted: d.Accepted,
		Label: d.Label, Policy: r.Record.Policy, PolicyParams: r.Record.Params, Overridden: r.Record.Override, OldScore: d.OldScore, NewScore: d.NewScore,
		Delta: d.Delta, CI: d.Interval, PImprove: d.PImprove, Fitness: d.Fitness, Rule: d.Rule, NChild: d.NChild, NParent: d.NParent, NPairs: d.NPairs,
		FailedChild: d.FailedChild, FailedParent: d.FailedParent, UsedChild: d.UsedChild, UsedParent: d.UsedParent,
		Draw: newDrawDocument(r.Record.Draw, &d.P, d.DrawUsed), HeadBefore: r.HeadBefore, HeadAfter: r.HeadAfter, Noise: d.Noise, Warnings: notNil(r.Warnings),
		DecidedAt: timeText(r.Entry.At), Hash: r.Hash, Decision: r.ID(),
	}
	if need := d.Need; need != nil {
		doc.Need = &needDocument{need.Child + need.Parent, need.Child, need.Parent, need.Pairs, need.Fresh, need.Expected, notNil(r.Planned())}
	}
	return doc
}

func decisionsGrid() grid {
	return grid{columns: []string{"#", "decision", "mutation", "attempt", "state", "label", "policy", "delta", "interval", "n child", "n parent", "u", "p", "head"}}
}

func (d decisionDocument) cells() []any {
	var interval any
	if d.CI != nil {
		interval = signed(d.CI.Lo) + " to " + signed(d.CI.Hi)
	}
	return []any{
		d.Number, d.Decision, d.Mutation, d.Attempt, string(d.State), string(d.Label), d.Policy, signedCell(d.Delta), interval, d.NChild, d.NParent, d.Draw.U, d.Draw.P, d.HeadAfter,
	}
}

// decisionText tells a decision to people.
func decisionText(r lineages.DecideResult) string {
	d, record := r.Record.Decision, r.Record
	state := map[evolution.State]string{evolution.Accept: "ACCEPTED", evolution.Reject: "REJECTED", evolution.Continue: "CONTINUE: more evidence is needed"}[d.State]
	lines := []string{fmt.Sprintf("%s  %s: %s of %s by %s", state, record.Mutation, r.Mutation.Child, orNone(r.Parent), operatorText(r.Mutation.Operator))}
	if r.Repeated {
		lines[0] += "\nno new evidence: this was decided before"
	}
	lines = append(lines, scoreLine(record))
	lines = append(lines, ruleLine(d))
	if d.DrawUsed || d.State != evolution.Continue {
		lines = append(lines, drawLine(record))
	}
	if need := d.Need; need != nil {
		lines = append(lines, needLine(r))
	}
	switch {
	case r.HeadBefore == r.HeadAfter:
		lines = append(lines, fmt.Sprintf("in force: %s, as before", orNone(r.HeadAfter)))
	case r.DryRun:
		lines = append(lines, fmt.Sprintf("in force: %s; recorded, the decision would put %s in force", orNone(r.Now), r.HeadAfter))
	default:
		lines = append(lines, fmt.Sprintf("in force: %s, before %s", r.HeadAfter, orNone(r.HeadBefore)))
	}
	if r.Now != r.HeadAfter && !r.DryRun {
		lines = append(lines, "now in force: "+orNone(r.Now))
	}
	lines = append(lines, noiseLine(record))
	for _, w := range r.Warnings {
		lines = append(lines, "warning: "+w.Message)
	}
	return strings.Join(lines, "\n")
}

func scoreLine(r evolution.Record) string {
	d := r.Decision
	n := fmt.Sprintf("n %d and %d", d.NChild, d.NParent)
	if d.FailedChild+d.FailedParent > 0 {
		n += fmt.Sprintf(" (%d and %d failed)", d.FailedChild, d.FailedParent)
	}
	if d.NPairs > 0 {
		n += ", " + format.Counted(d.NPairs, "pair")
	}
	if d.Delta == nil {
		return fmt.Sprintf("%s: %s, child and parent", r.Policy, n)
	}
	text := fmt.Sprintf("%s: delta %s, from %s to %s", r.Policy, signed(*d.Delta), format.Fixed(*d.OldScore, 2), format.Fixed(*d.NewScore, 2))
	if i := d.Interval; i != nil {
		text += fmt.Sprintf("; %s %s interval %s to %s", confidencePercent(i.Confidence), i.Method, signed(i.Lo), signed(i.Hi))
	}
	if d.PImprove != nil {
		text += fmt.Sprintf("; P(improvement) %s, the share of %d comparisons won", format.Fixed(d.PImprove.Value, 2), d.PImprove.N)
	}
	return text + "; " + n
}

// ruleLine says what the policy compared with which limits.
func ruleLine(d evolution.Decision) string {
	parts := []string{strings.ReplaceAll(string(d.Label), "_", " ")}
	for _, s := range d.Rule {
		text := s.Name + " "
		if s.Value == nil {
			text += "undefined"
		} else {
			text += format.Fixed(*s.Value, 4)
		}
		if s.Accept != nil {
			text += ", accept at " + format.Fixed(*s.Accept, 4)
		}
		if s.Reject != nil {
			text += ", reject at " + format.Fixed(*s.Reject, 4)
		}
		parts = append(parts, text)
	}
	return strings.Join(parts, "; ")
}

func drawLine(r evolution.Record) string {
	d := r.Decision
	if !d.DrawUsed {
		return fmt.Sprintf("drew %.4f, which changes nothing here", r.Draw.U)
	}
	return fmt.Sprintf("accepts where the draw is below %s: drew %.4f", format.Fixed(d.P, 4), r.Draw.U)
}

func needLine(r lineages.DecideResult) string {
	need := r.Record.Decision.Need
	text := "wants " + r.Wanted()
	if need.Pairs > 0 {
		text += ", in " + format.Counted(need.Pairs, "pair") + " of the same task or seed"
	}
	if need.Fresh {
		text += ", made from now on"
	}
	return text + ": track mutation plan " + r.Record.Mutation
}

// noiseLine says what a decision of this policy is worth at this noise.
func noiseLine(r evolution.Record) string {
	n := r.Decision.Noise
	if n == nil || n.SD == nil {
		return "noise: not known: no version has two scores yet"
	}
	text := fmt.Sprintf("noise: sd %s per score", format.Fixed(*n.SD, 2))
	if n.FalseAccept != nil {
		text += fmt.Sprintf("; at it %s accepts %s of mutations that change nothing (%s)", r.Policy, format.Percent(*n.FalseAccept), n.Method)
	}
	if less := n.ServesFalseAccept != nil && n.FalseAccept != nil && *n.ServesFalseAccept > *n.FalseAccept; n.Serves != r.Policy && less {
		return text + fmt.Sprintf("; at so little noise %s is cheaper, and accepts %s", n.Serves, format.Percent(*n.ServesFalseAccept))
	}
	if n.Serves != r.Policy {
		text += "; " + n.Serves + " would serve"
		if n.ServesFalseAccept != nil {
			text += ": " + format.Percent(*n.ServesFalseAccept)
		}
	}
	return text
}
