package main

import (
	"context"
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"

	"github.com/urfave/cli/v2"

	"track"
	"track/evolution"
	"track/importer/lines"
	"track/scoring/format"
	"track/store"
	"track/tracker/lineages"
)

type replayOptions struct {
	lineage, decision, counterfactual, manifest string
	strict                                      bool
}

func (p *program) replayCommand() *cli.Command {
	var o replayOptions
	return &cli.Command{
		Name:      "replay",
		Usage:     "make every decision again from its evidence, and compare",
		UsageText: "track replay [--lineage L] [--decision D] [--strict] [--counterfactual P]",
		Description: `Every draw, decision, choice of an operator, rollback and head is computed again from what the ledger holds, and compared; so are the
hashes by which the entries hang together, and the mutations and versions stored beside them. Differences are named, and the exit code is 13.
--strict compares the evidence with the executions and seeds that are recorded now, which a rescore may have changed since.
--decision shows one decision beside the replay of its ledger. --counterfactual tells, decision by decision, what another policy would have done with the
evidence that there is: each on its own, since under another policy other versions and other evidence would have followed.

Examples:
   track replay
   track replay --lineage sepa --strict
   track replay --lineage sepa --counterfactual confirm`,
		Flags: []cli.Flag{
			&cli.StringFlag{Name: "lineage", Usage: "`NAME` of the lineage; else all", Destination: &o.lineage},
			&cli.StringFlag{Name: "decision", Usage: "only this: its `ID`, as in d-0123456789abcdef, or its number in the ledger", Destination: &o.decision},
			&cli.BoolFlag{Name: "strict", Usage: "also compare the evidence with what is recorded now", Destination: &o.strict},
			&cli.StringFlag{Name: "manifest", Usage: "`FILE` of track export lineage --format manifest: find what was cut off or written anew since", Destination: &o.manifest},
			&cli.StringFlag{Name: "counterfactual", Usage: "what `POLICY` would have done: NAME, NAME,param=number or @FILE", Destination: &o.counterfactual},
		},
		Action: func(c *cli.Context) error {
			if c.NArg() > 0 {
				return usage("track replay takes no argument: --lineage and --decision say what to replay")
			}
			return p.replay(c.Context, o)
		},
	}
}

type replayDocument struct {
	Lineage        string                 `json:"lineage"`
	OK             bool                   `json:"ok"`
	Entries        int                    `json:"entries"`
	Decisions      int                    `json:"decisions"`
	Verified       int                    `json:"verified"`
	Head           string                 `json:"head"`
	End            evolution.Head         `json:"end"`
	StrictTrials   *int                   `json:"strict_trials"` // compared; null unless --strict
	Differences    []evolution.Difference `json:"differences"`
	Counterfactual []alternativeDocument  `json:"counterfactual,omitzero"` // only where it was asked for
}

type alternativeDocument struct {
	Number   int              `json:"number"`
	Decision string           `json:"decision"`
	Mutation string           `json:"mutation"`
	Attempt  int              `json:"attempt"`
	Was      evolution.State  `json:"was"`
	Would    evolution.State  `json:"would"` // empty where the policy cannot decide at all
	Label    evolution.Label  `json:"label"`
	Delta    *float64         `json:"delta"`
	Same     bool             `json:"same"`
	Need     *evolution.Need  `json:"need"`
	Problem  string           `json:"problem,omitempty"`
	Noise    *evolution.Noise `json:"noise"`
	P        float64          `json:"p"`
}

func (p *program) replay(ctx context.Context, o replayOptions) error {
	if o.decision != "" && (o.counterfactual != "" || o.manifest != "") {
		return usage("--decision replays one decision: --counterfactual and --manifest are for whole ledgers")
	}
	var policy evolution.Policy
	if o.counterfactual != "" {
		var err error
		if policy, err = parsePolicy(o.counterfactual); err != nil {
			return err
		}
	}
	var manifest *lines.Manifest
	if o.manifest != "" {
		m, err := readManifest(&o)
		if err != nil {
			return err
		}
		manifest = &m
	}
	st, err := p.open(ctx)
	if err != nil {
		return err
	}
	defer func() { _ = st.Close() }()
	if o.decision != "" {
		return p.replayDecision(ctx, st.Reader, o)
	}
	names := []string{o.lineage}
	if o.lineage == "" {
		if names, err = st.EvolvingNames(ctx); err != nil {
			return err
		}
		if len(names) == 0 {
			_, err := evolving(ctx, st.Reader, "")
			return err
		}
	}
	documents, v, differences := []replayDocument{}, view{lines: []any{}, rows: grid{columns: []string{"lineage", "entries", "decisions", "verified", "differences", "head"}}}, 0
	for _, name := range names {
		d, page, err := replayLineage(ctx, st.Reader, name, o.strict, policy, manifest)
		if err != nil {
			return err
		}
		differences += len(d.Differences)
		documents, v.lines, v.page = append(documents, d), append(v.lines, d), append(v.page, page...)
		if policy != nil {
			v.rows = v.rows.with(alternativesGrid(d))
			continue
		}
		v.rows.cells = append(v.rows.cells, []any{d.Lineage, d.Entries, d.Decisions, d.Verified, len(d.Differences), d.Head})
	}
	v.document = documents
	if o.lineage != "" {
		v.document = documents[0]
	}
	if err := p.write(v); err != nil {
		return err
	}
	if differences > 0 {
		return mismatch(differences)
	}
	return nil
}

// readManifest reads the manifest that a ledger is compared with, which also says of which lineage it is.
func readManifest(o *replayOptions) (m lines.Manifest, err error) {
	text, err := os.ReadFile(o.manifest)
	if err != nil {
		return m, notFound(err)
	}
	if m, err = lines.ReadManifest(o.manifest, text); err != nil {
		return m, err
	}
	if o.lineage != "" && o.lineage != m.Lineage {
		return m, usage("--manifest %s is of lineage %s, not of %s", o.manifest, m.Lineage, o.lineage)
	}
	o.lineage = m.Lineage
	return m, nil
}

func newReplayDocument(r lineages.ReplayReport) replayDocument {
	return replayDocument{
		Lineage: r.Lineage, OK: len(r.Differences) == 0, Entries: r.Entries, Decisions: r.Decisions, Verified: r.Verified, Head: r.Head, End: r.End,
		Differences: notNil(r.Differences),
	}
}

func replayLineage(ctx context.Context, st *store.Reader, name string, strict bool, policy evolution.Policy, manifest *lines.Manifest) (d replayDocument, page []any, err error) {
	r, err := lineages.Replay(ctx, st, name, lineages.ReplayOptions{Strict: strict, Counterfactual: policy})
	if err != nil {
		return d, nil, err
	}
	if manifest != nil {
		cut, err := lineages.CheckEnd(ctx, st, name, manifest.End)
		if err != nil {
			return d, nil, err
		}
		if cut != nil {
			r.Differences = append(r.Differences, *cut)
		}
	}
	d = newReplayDocument(r)
	text := fmt.Sprintf("%s: %d/%d decisions verified, %s of the ledger, %s in force", name, r.Verified, r.Decisions, entriesText(r.Entries), orNone(r.Head))
	if strict {
		d.StrictTrials = &r.NStrict
		text += fmt.Sprintf("\n%s of evidence compared with what is recorded now", format.Counted(r.NStrict, "trial"))
	}
	page = []any{text + differencesText(r.Differences)}
	if policy != nil {
		d.Counterfactual = counterfactual(r.Alternatives)
		if len(d.Counterfactual) > 0 {
			page = append(page, counterfactualGrid(d.Counterfactual, policy.Name()))
		}
		page = append(page, summary(d.Counterfactual, policy.Name()))
	}
	return d, page, nil
}

// differencesText has a line for each of the first differences.
func differencesText(list []evolution.Difference) (text string) {
	const most = 50
	for _, difference := range list[:min(most, len(list))] {
		text += "\n" + differenceText(difference)
	}
	if more := len(list) - most; more > 0 {
		text += fmt.Sprintf("\nand %d more: --format json lists all", more)
	}
	return text
}

// alternativesGrid has a row for each decision of a lineage, for programs.
func alternativesGrid(d replayDocument) grid {
	g := grid{columns: []string{"lineage", "number", "decision", "mutation", "attempt", "was", "would", "label", "delta", "need_child", "need_parent", "problem"}}
	for _, a := range d.Counterfactual {
		var child, parent any
		if a.Need != nil {
			child, parent = a.Need.Child, a.Need.Parent
		}
		g.cells = append(g.cells, []any{d.Lineage, a.Number, a.Decision, a.Mutation, a.Attempt, string(a.Was), string(a.Would), string(a.Label), a.Delta, child, parent, a.Problem})
	}
	return g
}

// with puts the rows of another grid, of the same columns, below those that are there.
func (g grid) with(other grid) grid {
	other.cells = append(g.cells, other.cells...)
	return other
}

func entriesText(n int) string {
	if n == 1 {
		return "1 entry"
	}
	return strconv.Itoa(n) + " entries"
}

func differenceText(d evolution.Difference) string {
	text := d.String()
	if d.Number == 0 { // of what is stored beside the ledger
		text = string(d.Kind)
		if d.Mutation != "" {
			text += " " + d.Mutation
		}
		text += fmt.Sprintf(": %s: stored %s, replayed %s", d.Field, d.Stored, d.Replayed)
	}
	const longest = 300
	if len(text) > longest {
		text = strings.ToValidUTF8(text[:longest], "") + "…"
	}
	return text
}

func counterfactual(alternatives []lineages.Alternative) []alternativeDocument {
	list := make([]alternativeDocument, len(alternatives))
	for i, a := range alternatives {
		list[i] = alternativeDocument{
			Number: a.Entry.Number, Decision: a.Entry.ID(), Mutation: a.Record.Mutation, Attempt: a.Record.Attempt, Was: a.Record.Decision.State, Would: a.Decision.State,
			Label: a.Decision.Label, Delta: a.Decision.Delta, Same: a.Same, Need: a.Decision.Need, Noise: a.Decision.Noise, P: a.Decision.P,
		}
		if a.Err != nil {
			list[i].Problem = a.Err.Error()
		}
	}
	return list
}

func counterfactualGrid(list []alternativeDocument, policy string) grid {
	g := grid{title: "what " + policy + " would have done with the evidence there is", columns: []string{"#", "mutation", "attempt", "was", "would", "label", "delta", "needs"}}
	for _, d := range list {
		var needs any
		if d.Need != nil {
			needs = d.Need.Child + d.Need.Parent
		}
		if d.Problem != "" {
			needs = d.Problem
		}
		g.cells = append(g.cells, []any{d.Number, d.Mutation, d.Attempt, string(d.Was), string(d.Would), string(d.Label), signedCell(d.Delta), needs})
	}
	return g
}

func summary(list []alternativeDocument, policy string) string {
	if len(list) == 0 {
		return "no decision yet: nothing that " + policy + " would have done otherwise"
	}
	same, accepted, would, needs, unknown := 0, 0, 0, 0, 0
	for _, a := range list {
		if a.Problem != "" {
			unknown++
		}
		if a.Same {
			same++
		}
		if a.Was == evolution.Accept {
			accepted++
		}
		if a.Would == evolution.Accept {
			would++
		}
		if a.Would == evolution.Continue {
			needs++
		}
	}
	text := fmt.Sprintf("accepted %d of %d; %s would have accepted %d, asked for more evidence in %d, and done the same in %d", accepted, len(list), policy, would, needs, same)
	if unknown > 0 {
		text += fmt.Sprintf("; of %d it cannot be told", unknown)
	}
	return text
}

// decisionReplay is a decision in JSON, with the replay of the ledger that it stands in.
type decisionReplay struct {
	Decision    *decisionDocument      `json:"decision"` // null where the ledger differs and no longer has it
	OK          bool                   `json:"ok"`       // of the whole ledger
	Evidence    *evolution.Evidence    `json:"evidence"`
	Problem     string                 `json:"problem,omitempty"` // why there is no decision, or not its evidence
	Differences []evolution.Difference `json:"differences"`
}

// replayDecision shows one decision with what the replay of its ledger finds, what is of the decision first.
func (p *program) replayDecision(ctx context.Context, st *store.Reader, o replayOptions) error {
	lineage, err := evolving(ctx, st, o.lineage)
	if err != nil {
		return err
	}
	r, err := lineages.ReplayDecision(ctx, st, lineage, o.decision, o.strict)
	if err != nil {
		return err
	}
	all := r.Replay.Differences
	document, rows, text := decisionReplay{OK: len(all) == 0, Differences: notNil(all)}, decisionsGrid(), "decision "+o.decision+" of lineage "+lineage
	if r.Number > 0 {
		d := newDecisionDocument(r.DecideResult)
		document.Decision, document.Evidence = &d, &r.Record.Evidence
		rows.cells, text = [][]any{d.cells()}, decisionText(r.DecideResult)
		if len(r.Own) == 0 && r.Problem == nil {
			text += "\nreplayed: the same"
		}
	}
	if r.Problem != nil {
		document.Problem = r.Problem.Error()
		text += "\ncannot be replayed: " + document.Problem
	}
	text += differencesText(r.Own)
	others := slices.DeleteFunc(slices.Clone(all), func(d evolution.Difference) bool { return slices.Contains(r.Own, d) })
	if len(others) > 0 {
		text += "\nelsewhere in the ledger:" + differencesText(others)
	}
	if err := p.write(view{document: document, rows: rows, page: []any{text}}); err != nil {
		return err
	}
	if len(all) > 0 {
		return mismatch(len(all))
	}
	return nil
}

// mismatch ends a replay that found differences.
func mismatch(n int) error {
	return track.WithHint(fmt.Errorf("%w: %s", lineages.ErrReplay, format.Counted(n, "difference")), track.Hint{Text: "restore the database from a copy, or import a track export lineage of before, and replay that"})
}
