package answer

import (
	"fmt"
	"time"

	"track"
	"track/answer/param"
	"track/evolution"
	"track/scoring/format"
	"track/scoring/stats"
)

// LedgerDraw is a draw in a ledger with what came of it.
type LedgerDraw struct {
	Number  int `json:"number"` // of the entry in the ledger
	Draw    `json:",embed"`
	Outcome string    `json:"outcome"`
	At      time.Time `json:"at"`
}

// Draws are the draws of a lineage, in the order in which they were made.
type Draws struct {
	Lineage          string `json:"lineage"`
	List[LedgerDraw] `json:",embed"`
}

func (Draws) Lead() []Sentence { return nil }

func (a Draws) Tables() []Table {
	t := Table{Name: "draws", Empty: "lineage " + a.Lineage + " has drawn nothing yet", Columns: Columns{
		{Name: "number", Head: "#"}, {Name: "mutation", Head: "for"}, {Name: "label"}, {Name: "attempt"}, {Name: "seed"}, {Name: "raw"}, {Name: "u"}, {Name: "p"},
		{Name: "used"}, {Name: "outcome"}, {Name: "algorithm"},
	}.drop("algorithm", "raw", "attempt", "seed", "label")}
	for _, d := range a.Items {
		t.Rows = append(t.Rows, []any{
			d.Number, d.Key.Mutation, d.Key.Label, d.Key.Attempt, d.Seed, d.Raw.String(), Cell{fmt.Sprintf("%.6f", d.U), d.U}, d.comparedP(), d.Used, d.Outcome, d.Algorithm,
		})
	}
	return []Table{t}
}

// comparedP returns the probability that decided together with the draw; nil if the draw decided nothing.
func (d LedgerDraw) comparedP() any {
	if !d.Used || d.P == nil {
		return nil
	}
	return *d.P
}

// OperatorsQuestion asks how the operators of a lineage did.
type OperatorsQuestion struct {
	Lineage string // empty for the only one
	Suggest bool
}

func (q *OperatorsQuestion) Params() param.List {
	return param.List{ofLineage(&q.Lineage), {Name: "suggest", Help: "also suggest which operator to use now", Value: param.Switch(&q.Suggest)}}
}

// Estimate is a number that was estimated, with its interval.
type Estimate struct {
	Value  float64     `json:"value"`
	N      int         `json:"n"`
	CI     *[2]float64 `json:"ci"` // null if it is not defined
	Method string      `json:"method"`
}

// NewEstimate returns an estimate with an interval.
func NewEstimate(value float64, n int, i stats.Interval) *Estimate {
	e := Estimate{Value: value, N: n, Method: i.Method}
	if i.Defined() {
		e.CI = &[2]float64{i.Lo, i.Hi}
	}
	return &e
}

// ends returns the interval for people; nil if there is none.
func (e *Estimate) ends(text func(float64) string) any {
	if e == nil || e.CI == nil {
		return nil
	}
	return text(e.CI[0]) + " to " + text(e.CI[1])
}

// cell returns a cell with the value; nothing if there is none.
func (e *Estimate) cell(text func(float64) string) any {
	if e == nil {
		return nil
	}
	return numberCell(e.Value, text)
}

// Operator says how an operator did in its lineage.
type Operator struct {
	Operator     string         `json:"operator"`
	Risk         evolution.Risk `json:"risk"`
	Listed       bool           `json:"listed"`   // in the active settings
	Proposed     int            `json:"proposed"` // the sum of the five below
	Accepted     int            `json:"accepted"`
	Rejected     int            `json:"rejected"`
	Refused      int            `json:"refused"`
	Withdrawn    int            `json:"withdrawn"`   // here, or because their source rejected them
	Open         int            `json:"open"`        // still to be decided
	AcceptRate   *Estimate      `json:"accept_rate"` // of those accepted or rejected
	Delta        *Estimate      `json:"mean_delta"`  // of the last decisions
	CostUSD      *float64       `json:"cost_usd"`
	NCost        int            `json:"n_cost"` // mutations whose cost is known
	Gain         float64        `json:"gain"`   // points: the sum of the deltas of accepted mutations
	CostPerPoint *float64       `json:"cost_per_point"`
	RolledBack   int            `json:"rolled_back"` // accepted, and left by a rollback later
	Weight       float64        `json:"weight"`      // in the draw of an operator; 0 if it is not listed
}

// SuggestedOperator is the operator that the next consideration would draw.
type SuggestedOperator struct {
	Operator string         `json:"operator"`
	Risk     evolution.Risk `json:"risk"`
	Reason   string         `json:"reason"`
	Pending  bool           `json:"pending"` // it was drawn already, and nothing was proposed since
	Weights  []float64      `json:"weights"`
	Draw     Draw           `json:"draw"`
}

// Operators are the operators of a lineage: those of its settings in their order, then others by name.
type Operators struct {
	Lineage    string             `json:"lineage"`
	Scale      *evolution.Scale   `json:"scale,omitempty"` // of the scores; none for 0 to 100
	Operators  []Operator         `json:"operators"`
	Suggestion *SuggestedOperator `json:"suggestion"`
}

func (Operators) Lead() []Sentence { return nil }

func (a Operators) Tables() []Table {
	t := Table{Name: "operators", Columns: Columns{
		{Name: "operator"}, {Name: "risk"}, {Name: "proposed"}, {Name: "accepted"}, {Name: "rejected"}, {Name: "refused"}, {Name: "withdrawn"}, {Name: "open", Head: "undecided"},
		{Name: "rate"}, {Name: "interval"},
		{Name: "mean_delta", Head: "mean delta"}, {Name: "interval_of_delta", Head: "interval of delta"}, {Name: "cost_per_point", Head: "cost/point"},
		{Name: "rolled_back", Head: "rolled back"}, {Name: "weight"},
	}.drop("cost_per_point", "rolled_back", "interval_of_delta", "weight", "risk", "interval", "mean_delta", "refused", "withdrawn", "open", "rejected")}
	numbers := Numbers{a.Scale}
	for _, o := range a.Operators {
		t.Rows = append(t.Rows, []any{
			o.Operator, string(o.Risk), o.Proposed, o.Accepted, o.Rejected, o.Refused, o.Withdrawn, o.Open, o.AcceptRate.cell(format.Percent), o.AcceptRate.ends(format.Percent),
			o.Delta.cell(numbers.Gain), o.Delta.ends(numbers.Gain), o.CostPerPoint, o.RolledBack, numberCell(o.Weight, twoDecimals),
		})
	}
	if s := a.Suggestion; s != nil {
		text := fmt.Sprintf("use %s (%s): %s", s.Operator, s.Risk, s.Reason)
		if s.Draw.Used {
			text += fmt.Sprintf(", drew %.4f", s.Draw.U)
		}
		t.Notes = []Sentence{{Kind: Note, Text: text}}
		if s.Pending {
			hint := track.NewHint("propose a child by it", "mutation propose").With("lineage", a.Lineage).With("child", "FILE")
			t.Notes = append(t.Notes, Sentence{Kind: Note, Text: "already drawn", Hint: &hint, Joined: true})
		}
	}
	t.Notes = numbers.notes(t.Notes, Numbers.gainUnit)
	return []Table{t}
}
