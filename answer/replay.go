package answer

import (
	"encoding/json"
	"fmt"
	"slices"

	"track"
	"track/answer/param"
	"track/evolution"
	"track/scoring/format"
)

// ReplayQuestion asks to compute the ledgers of lineages again.
type ReplayQuestion struct {
	Lineage        string           // empty for all
	Decision       string           // also show this decision: its id, a prefix of it, or its number in the ledger
	Strict         bool             // also compare the evidence with the executions and seeds that are recorded now
	Counterfactual evolution.Policy // also decide by this policy; nil for none
	Kept           KeptEnd          // an end of a ledger that somebody kept; zero for none
}

// KeptEnd is the end of a ledger as it was once.
type KeptEnd struct {
	Lineage string         `json:"lineage"`
	End     evolution.Head `json:"end"`
}

func (q *ReplayQuestion) Params() param.List {
	return param.List{
		{Name: "lineage", Unit: "NAME", Help: "replay only the lineage of this `NAME`", Value: param.Text(&q.Lineage)},
		{Name: "decision", Unit: "ID", Help: "show only this decision: its `ID`, as in d-0123456789abcdef, or its number in the ledger", Value: param.Text(&q.Decision)},
		{Name: "strict", Help: "also compare the evidence with what is recorded now", Value: param.Switch(&q.Strict)},
		{Name: "manifest", Unit: "FILE", Help: `also find what was truncated or rewritten since this end of a ledger: {"lineage": NAME, "end": END}`,
			FileHelp: "also find what was truncated or rewritten since the manifest in `FILE` was exported", Value: param.Parsed(&q.Kept, parseKeptEnd, KeptEnd.String)},
		policyParam("counterfactual", "also decide by this policy", &q.Counterfactual),
	}
}

func (q *ReplayQuestion) Check() error {
	switch {
	case q.Decision != "" && (q.Counterfactual != nil || q.Kept != KeptEnd{}):
		return &param.Error{Param: "decision", Message: "replays one decision; counterfactual and manifest are for whole ledgers"}
	case q.Kept.Lineage != "" && q.Lineage != "" && q.Lineage != q.Kept.Lineage:
		return &param.Error{Param: "manifest", Message: fmt.Sprintf("is of lineage %s, not of %s", q.Kept.Lineage, q.Lineage)}
	}
	return nil
}

func parseKeptEnd(text string) (k KeptEnd, err error) {
	err = decodeStrictly(text, &k)
	return k, err
}

// String writes what the parameter reads.
func (k KeptEnd) String() string {
	if k == (KeptEnd{}) {
		return ""
	}
	text, err := json.Marshal(k)
	if err != nil {
		return ""
	}
	return string(text)
}

// Replay is the replay of a lineage.
type Replay struct {
	Lineage      string                 `json:"lineage"`
	OK           bool                   `json:"ok"`
	Entries      int                    `json:"entries"`
	Decisions    int                    `json:"decisions"`
	Verified     int                    `json:"verified"`
	Head         string                 `json:"head"`
	Scale        *evolution.Scale       `json:"scale,omitempty"` // of the scores; none for 0 to 100
	End          evolution.Head         `json:"end"`
	StrictTrials *int                   `json:"strict_trials"` // compared; null unless strict
	Differences  []evolution.Difference `json:"differences"`
	// TrialsElsewhere counts the trials that the ledger counts and that were never recorded here, as after an import of
	// the lineage alone.
	TrialsElsewhere int           `json:"trials_elsewhere"`
	Counterfactual  []Alternative `json:"counterfactual,omitzero"` // of each decision, if a policy was given
	Policy          string        `json:"counterfactual_policy,omitempty"`
}

// Alternative is what another policy would have decided.
type Alternative struct {
	Number   int              `json:"number"`
	Decision string           `json:"decision"`
	Mutation string           `json:"mutation"`
	Attempt  int              `json:"attempt"`
	Was      evolution.State  `json:"was"`
	Would    evolution.State  `json:"would"` // empty if the policy cannot decide
	Label    evolution.Label  `json:"label"`
	Delta    *float64         `json:"delta"`
	Same     bool             `json:"same"`
	Need     *evolution.Need  `json:"need"`
	Problem  string           `json:"problem,omitempty"`
	Noise    *evolution.Noise `json:"noise"`
	P        float64          `json:"p"`
}

// DecisionReplay is one decision with what the replay of its ledger found.
type DecisionReplay struct {
	Asked    string                 `json:"asked"`    // as it was named
	Decision *Decision              `json:"decision"` // null if the ledger differs and no longer has it
	Evidence *evolution.Evidence    `json:"evidence"`
	Problem  string                 `json:"problem,omitempty"` // why there is no decision, or not its evidence
	Own      []evolution.Difference `json:"differences"`       // of this decision
}

// Replays are the replays of lineages, by name.
type Replays struct {
	List[Replay] `json:",embed"`
	Decision     *DecisionReplay `json:"decision,omitempty"` // if one was asked for
}

func (a Replays) Conclusion() Conclusion {
	if slices.ContainsFunc(a.Items, func(r Replay) bool { return !r.OK }) {
		return Differs
	}
	return Done
}

// Err returns what differs, with the way out; nil if nothing does.
func (a Replays) Err() error {
	differences, missing := 0, 0
	for _, r := range a.Items {
		n := len(r.missing())
		differences, missing = differences+len(r.Differences)-n, missing+n
	}
	var err error
	switch {
	case differences > 0:
		err = fmt.Errorf("%w: %s", track.ErrDiffers, format.Counted(differences, "difference"))
		if missing > 0 {
			err = fmt.Errorf("%w; %s", err, missingEvidence(missing))
		}
		err = track.WithHint(err, track.Hint{Text: "restore the database from a copy, or import an earlier export of the lineage into another database, and replay that"})
	case missing > 0:
		err = fmt.Errorf("%w: %s", track.ErrDiffers, missingEvidence(missing))
	}
	if missing > 0 {
		err = track.WithHint(track.WithHint(err, mergeHint()), track.NewHint("or merge what was exported there", "merge", "FILE"))
	}
	return err
}

// missing returns the differences that are evidence not recorded here.
func (a Replay) missing() []evolution.Difference {
	return slices.DeleteFunc(slices.Clone(a.Differences), func(d evolution.Difference) bool { return !d.Missing })
}

func missingEvidence(n int) string {
	if n == 1 {
		return "1 trial of the evidence is not recorded here"
	}
	return fmt.Sprintf("%d trials of the evidence are not recorded here", n)
}

func mergeHint() track.Hint {
	return track.NewHint("bring the executions from the database that they were recorded in", "merge", "OTHER.db")
}

func (a Replays) Tables() []Table {
	if a.Decision != nil {
		t := decisionsTable(nil)
		if d := a.Decision.Decision; d != nil {
			t = decisionsTable([]Decision{*d})
		}
		return []Table{t}
	}
	var tables []Table
	data := Table{Name: "alternatives", ForPrograms: true, Main: true, Columns: columns(
		"lineage", "number", "decision", "mutation", "attempt", "was", "would", "label", "delta", "need_child", "need_parent", "problem")}
	replays := Table{Name: "replays", ForPrograms: true, Columns: columns("lineage", "entries", "decisions", "verified", "differences", "head")}
	counterfactual := false
	for _, r := range a.Items {
		replays.Rows = append(replays.Rows, []any{r.Lineage, r.Entries, r.Decisions, r.Verified, len(r.Differences), r.Head})
		if r.Policy == "" {
			continue
		}
		counterfactual = true
		people := Table{
			Name: "alternatives", Title: "what " + r.Policy + " would have decided from the evidence of " + r.Lineage, HiddenIfEmpty: true,
			Columns: columns("#", "mutation", "attempt", "was", "would", "label", "delta", "needs").drop("attempt", "label", "needs").wrap("needs"),
		}
		for _, d := range r.Counterfactual {
			data.Rows = append(data.Rows, d.dataRow(r.Lineage))
			people.Rows = append(people.Rows, d.peopleRow(Numbers{r.Scale}))
		}
		people.Notes = Numbers{r.Scale}.notes(nil, Numbers.gainUnit)
		tables = append(tables, people)
	}
	if counterfactual {
		return append(tables, data)
	}
	return []Table{replays}
}

func (d Alternative) dataRow(lineage string) []any {
	var child, parent any
	if d.Need != nil {
		child, parent = d.Need.Child, d.Need.Parent
	}
	return []any{lineage, d.Number, d.Decision, d.Mutation, d.Attempt, string(d.Was), string(d.Would), string(d.Label), d.Delta, child, parent, d.Problem}
}

func (d Alternative) peopleRow(numbers Numbers) []any {
	var needs any
	if d.Need != nil {
		needs = d.Need.Child + d.Need.Parent
	}
	if d.Problem != "" {
		needs = d.Problem
	}
	return []any{d.Number, d.Mutation, d.Attempt, string(d.Was), string(d.Would), d.Label.Name(), numbers.gainCell(d.Delta), needs}
}
