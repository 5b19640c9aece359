package answer

import (
	"encoding/json"
	"time"

	"track"
	"track/answer/param"
	"track/evolution"
)

// DecideQuestion asks to decide a mutation.
type DecideQuestion struct {
	Mutation   string
	Lineage    string           // empty for the only lineage that has the mutation
	Policy     evolution.Policy // nil for the policy of the lineage
	ExpectHead string           // the active version; empty for any
	IfOpen     bool             // answer the decision that accepted or rejected the mutation, if there is one
	Scale      *float64         // points that one unit of score counts as; nil for what the lineage says
	PCGState   []byte           // of the caller's own generator; nil for the keyed draw
	DryRun     bool
	At         time.Time // zero for now
}

func (q *DecideQuestion) Params() param.List {
	return append(ofMutation(&q.Mutation, &q.Lineage),
		policyParam("policy", "decide by this policy instead of the lineage's", &q.Policy),
		param.Param{Name: "expect-head", Unit: "VERSION", Help: "refuse unless this `VERSION` is active", Value: param.Text(&q.ExpectHead)},
		param.Param{Name: "if-open", Help: "decide only if no decision accepted or rejected the mutation yet; else print that one, even if there is new evidence", Value: param.Switch(&q.IfOpen)},
		param.Param{Name: "scale", Unit: "POINTS", Help: "count one unit of an unbounded score as so many `POINTS` of the policy's parameters", Value: param.OptionalFloat(&q.Scale)},
		param.Param{Name: "pcg-state", Unit: "HEX", Help: "draw with your own generator, math/rand/v2's PCG, whose state is these 20 bytes in `HEX`", Value: param.Hex(&q.PCGState, 20)},
		param.Param{Name: "dry-run", Help: "decide, and record nothing", Value: param.Switch(&q.DryRun)},
		atParam(&q.At),
	)
}

// Decision is a decision on a mutation.
type Decision struct {
	ID           string                `json:"decision"` // "d-" and the beginning of the hash
	Number       int                   `json:"number"`   // of its entry in the ledger
	Lineage      string                `json:"lineage"`
	Mutation     string                `json:"mutation"`
	Child        string                `json:"child"`
	Parent       string                `json:"parent"` // the version that the child was compared with
	Operator     string                `json:"operator"`
	Attempt      int                   `json:"attempt"`  // from 0
	Repeated     bool                  `json:"repeated"` // there was no new evidence: it is an earlier decision
	DryRun       bool                  `json:"dry_run"`  // nothing was recorded
	State        evolution.State       `json:"state"`
	Accepted     bool                  `json:"accepted"`
	Label        evolution.Label       `json:"label"`
	Policy       string                `json:"policy"`
	PolicyParams json.RawMessage       `json:"policy_params"`
	Overridden   bool                  `json:"policy_overridden"`
	Score        evolution.ScoreUse    `json:"score"`
	Scale        *evolution.Scale      `json:"scale,omitempty"` // of the scores; none for 0 to 100
	OldScore     *float64              `json:"old_score"`
	NewScore     *float64              `json:"new_score"`
	Delta        *float64              `json:"delta"`
	CI           *evolution.Interval   `json:"ci"`
	PImprove     *evolution.PImprove   `json:"p_improve"`
	Fitness      *float64              `json:"fitness"`
	Rule         []evolution.Statistic `json:"rule"`
	NChild       int                   `json:"n_child"`
	NParent      int                   `json:"n_parent"`
	NPairs       int                   `json:"n_pairs"`
	Measured     *evolution.Measured   `json:"measured"` // after an acceptance; null without a list of tasks
	Failures     evolution.FailureRule `json:"failures"` // how failed trials count; empty for worst
	FailedChild  int                   `json:"failed_child"`
	FailedParent int                   `json:"failed_parent"`
	UsedChild    []evolution.Use       `json:"used_child"`
	UsedParent   []evolution.Use       `json:"used_parent"`
	Draw         Draw                  `json:"draw"`
	HeadBefore   string                `json:"head_before"`
	HeadAfter    string                `json:"head_after"`
	HeadNow      string                `json:"head_now"` // the active version when the question was asked
	Need         *MissingEvidence      `json:"need"`
	Noise        *evolution.Noise      `json:"noise"`
	Warnings     []DecisionWarning     `json:"warnings"`
	DecidedAt    time.Time             `json:"decided_at"`
	Hash         string                `json:"hash"`
}

// Draw is a draw with the probability that it decided against.
type Draw struct {
	Algorithm   string        `json:"algorithm"`
	Seed        string        `json:"seed"`
	Key         DrawKey       `json:"key"`
	Raw         evolution.Raw `json:"raw"`
	U           float64       `json:"u"`
	P           *float64      `json:"p"`
	Used        bool          `json:"used"` // another number would have led elsewhere
	StateBefore string        `json:"state_before,omitempty"`
	StateAfter  string        `json:"state_after,omitempty"`
}

// DrawKey is what a draw follows from, besides the seed.
type DrawKey struct {
	Lineage  string `json:"lineage"`
	Mutation string `json:"mutation"`
	Attempt  int    `json:"attempt"`
	Label    string `json:"label"`
}

// DecisionWarning is a reason to trust a decision less.
type DecisionWarning struct {
	Code    evolution.Warning `json:"code"`
	Message string            `json:"message"`
	Hint    *track.Hint       `json:"hint,omitempty"` // what to do about it
}

// MissingEvidence is the evidence that is missing.
type MissingEvidence struct {
	N       int            `json:"n"`
	Child   int            `json:"child"`
	Parent  int            `json:"parent"`
	Pairs   int            `json:"pairs"`
	Measure bool           `json:"measure"` // the policy accepts, and the gain is to be measured
	Trials  []PlannedTrial `json:"trials"`
}

// PlannedTrial is a trial that a policy still needs.
type PlannedTrial struct {
	Side    string `json:"side"` // child or parent
	Version string `json:"version"`
	Key     string `json:"key"` // task or seed; empty for any task
}

func (a Decision) Conclusion() Conclusion {
	switch a.State {
	case evolution.Accept:
		return Accepted
	case evolution.Reject:
		return Rejected
	}
	return NeedsEvidence
}

func (a Decision) Lead() []Sentence {
	var lead []Sentence
	if a.DryRun && !a.Repeated {
		lead = append(lead, Sentence{Kind: Note, Text: "dry run, nothing recorded"})
	}
	return append(lead, a.sentences(len(lead) > 0, false)...)
}

func (a Decision) Tables() []Table { return []Table{decisionsTable([]Decision{a})} }

// decisionsTable returns decisions as rows, for programs.
func decisionsTable(list []Decision) Table {
	t := Table{Name: "decisions", ForPrograms: true, Columns: columns(
		"number", "decision", "mutation", "attempt", "state", "label", "policy", "score_from", "delta", "ci_estimate", "ci_n", "ci_lo", "ci_hi", "n_child", "n_parent", "u", "p", "head_after")}
	for _, d := range list {
		var estimate, n, lo, hi any
		if d.CI != nil {
			lo, hi = d.CI.Lo, d.CI.Hi
		}
		if d.CI != nil && d.CI.N > 0 { // ledgers of "decide/1" have no n
			estimate, n = d.CI.Estimate, d.CI.N
		}
		t.Rows = append(t.Rows, []any{
			d.Number, d.ID, d.Mutation, d.Attempt, string(d.State), string(d.Label), d.Policy, string(d.Score.From), d.Delta, estimate, n, lo, hi, d.NChild, d.NParent, d.Draw.U, d.Draw.P, d.HeadAfter,
		})
	}
	return t
}
