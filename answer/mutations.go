package answer

import (
	"fmt"
	"strings"
	"time"

	"track"
	"track/answer/param"
	"track/evolution"
	"track/scoring/format"
	"track/scoring/stats"
)

// Mutation is a mutation and its state.
type Mutation struct {
	Lineage    string                  `json:"lineage"`
	ID         string                  `json:"mutation"`
	Number     int                     `json:"number"` // in the order of the proposals, from 1
	State      evolution.MutationState `json:"state"`
	Parents    []string                `json:"parents"` // the one that the child is compared with first
	Child      string                  `json:"child"`
	Operator   string                  `json:"operator"`
	Risk       evolution.Risk          `json:"risk"`
	NDecisions int                     `json:"n_decisions"`
	Delta      *float64                `json:"delta"` // of the last decision
	CostUSD    *float64                `json:"cost_usd"`
	Note       string                  `json:"note"`
	Source     string                  `json:"source,omitempty"`
	ProposedAt time.Time               `json:"proposed_at"`
}

// mutationsTable returns mutations as rows, with deltas on a scale.
func mutationsTable(numbers Numbers, list ...Mutation) Table {
	t := Table{Name: "mutations", Columns: Columns{
		{Name: "number", Head: "#"}, {Name: "mutation"}, {Name: "parents"}, {Name: "child"}, {Name: "operator"}, {Name: "risk"}, {Name: "state"},
		{Name: "n_decisions", Head: "decisions"}, {Name: "delta"}, {Name: "proposed_at", Head: "proposed"},
	}.drop("risk", "n_decisions", "proposed_at", "parents", "operator")}
	for _, m := range list {
		t.Rows = append(t.Rows, []any{
			m.Number, m.ID, strings.Join(m.Parents, " "), m.Child, m.Operator, string(m.Risk), string(m.State), m.NDecisions, numbers.gainCell(m.Delta), timeCell(m.ProposedAt),
		})
	}
	return t
}

// MutationsQuestion asks for the mutations of a lineage.
type MutationsQuestion struct {
	Lineage string // empty for the only one
	State   evolution.MutationState
	Page    Page
}

func (q *MutationsQuestion) Params() param.List {
	return append(param.List{
		ofLineage(&q.Lineage),
		{Name: "state", Help: "list only mutations in this state", Enum: mutationStates(), Value: param.Parsed(&q.State, func(text string) (evolution.MutationState, error) {
			return evolution.MutationState(text), nil
		}, func(s evolution.MutationState) string { return string(s) })},
	}, q.Page.Params(50)...)
}

func mutationStates() (names []string) {
	for _, s := range []evolution.MutationState{
		evolution.MutationProposed, evolution.MutationContinued, evolution.MutationAccepted, evolution.MutationRejected, evolution.MutationRefused, evolution.MutationWithdrawn,
	} {
		names = append(names, string(s))
	}
	return names
}

// Mutations are mutations of a lineage, the newest first.
type Mutations struct {
	Lineage        string           `json:"lineage"`
	Scale          *evolution.Scale `json:"scale,omitempty"` // of the scores; none for 0 to 100
	List[Mutation] `json:",embed"`
}

func (Mutations) Lead() []Sentence { return nil }

func (a Mutations) Tables() []Table {
	numbers := Numbers{a.Scale}
	t := mutationsTable(numbers, a.Items...)
	t.Empty = fmt.Sprintf("lineage %s has no such mutation", a.Lineage)
	if a.Next != "" {
		t.Notes = []Sentence{{Kind: Note, Text: fmt.Sprintf("the newest %d; a larger limit lists more", len(a.Items))}}
	}
	if len(a.Items) > 0 {
		t.Notes = numbers.notes(t.Notes, Numbers.gainUnit)
	}
	return []Table{t}
}

// MutationQuestion asks for a mutation.
type MutationQuestion struct {
	Mutation string
	Lineage  string // empty for the only lineage that has the mutation
}

func (q *MutationQuestion) Params() param.List { return ofMutation(&q.Mutation, &q.Lineage) }

// MutationDetail is a mutation with everything in the ledger about it.
type MutationDetail struct {
	Mutation  `json:",embed"`
	Scale     *evolution.Scale     `json:"scale,omitempty"` // of the scores; none for 0 to 100
	Refusals  []evolution.Refusal  `json:"refusals"`
	Origin    *evolution.Origin    `json:"origin,omitempty"`    // what another evolver says of it
	Withdrawn string               `json:"withdrawn,omitempty"` // why
	Tasks     *evolution.TaskOrder `json:"tasks,omitempty"`     // the order in which both sides try the tasks; none if they are unknown
	Decisions []Decision           `json:"decisions"`
}

func (a MutationDetail) Lead() []Sentence { return nil }

func (a MutationDetail) Tables() []Table {
	numbers := Numbers{a.Scale}
	t := mutationsTable(numbers, a.Mutation)
	add := func(text string) { t.Notes = append(t.Notes, Sentence{Kind: Note, Text: text}) }
	if a.Note != "" {
		add("note: " + a.Note)
	}
	if a.Origin != nil {
		addOrigin(*a.Origin, add)
	}
	for _, r := range a.Refusals {
		add(fmt.Sprintf("refused: %s: %s", r.Code, r.Reason))
	}
	if a.Withdrawn != "" {
		add("withdrawn: " + a.Withdrawn)
	}
	for _, d := range a.Decisions {
		t.Notes = append(t.Notes, d.sentences(false, true)...)
	}
	if len(a.Decisions) == 0 && a.State.Open() {
		hint := track.NewHint("decide it", "mutation decide", a.ID)
		t.Notes = append(t.Notes, Sentence{Kind: Note, Text: "not decided yet", Hint: &hint})
	}
	t.Notes = numbers.notes(t.Notes, Numbers.Units)
	decisions := decisionsTable(a.Decisions)
	decisions.Main = true
	return []Table{t, decisions}
}

// addOrigin adds what another evolver says of a mutation.
func addOrigin(o evolution.Origin, add func(text string)) {
	var parts []string
	for _, n := range [...]struct {
		name  string
		value *int
	}{{"generation", o.Generation}, {"iteration", o.Iteration}, {"island", o.Island}} {
		if n.value != nil {
			parts = append(parts, fmt.Sprintf("%s %d", n.name, *n.value))
		}
	}
	if o.Cell != "" {
		parts = append(parts, "cell "+o.Cell+" of the map of elites")
	}
	if len(parts) > 0 {
		add("origin: " + strings.Join(parts, ", "))
	}
	if o.Feedback != "" {
		add("feedback: " + o.Feedback)
	}
}

// ProposeQuestion asks to record a mutation.
type ProposeQuestion struct {
	Lineage     string // empty for the only one
	Child       *string
	Parents     []string // names of versions, the one to compare with first; none for the active version
	Operator    string   // empty for the one that was drawn last, or by_hand
	Risk        evolution.Risk
	Note        string
	CostUSD     *float64
	ID          string // empty for the one that follows from parents, child and operator
	KeepSecrets bool
	At          time.Time // zero for now
}

func (q *ProposeQuestion) Params() param.List {
	return param.List{
		{Name: "lineage", Unit: "NAME", Help: "choose the lineage by its `NAME`; not needed if there is only one", Value: param.Text(&q.Lineage)},
		{Name: "child", Required: true, Unit: "FILE", Help: "record this content; of a simulation, the JSON object of its parameters",
			FileHelp: "read the content from a `FILE`, - for standard input, or for a simulation give the JSON object itself", Value: param.Content(&q.Child)},
		{Name: "parent", Unit: "VERSION", Help: "name the `VERSION` that the child was made from; repeat it for a crossover", Value: param.Texts(&q.Parents)},
		{Name: "operator", Unit: "NAME", Help: "name the operator that made the child: a `NAME`", Value: param.Text(&q.Operator)},
		{Name: "risk", Unit: "RISK", Help: "set the `RISK`, instead of that of the operator: LOW, MEDIUM or HIGH", Value: param.Parsed(&q.Risk, func(text string) (evolution.Risk, error) {
			return evolution.Risk(strings.ToUpper(text)), nil
		}, func(r evolution.Risk) string { return string(r) })},
		{Name: "note", Unit: "TEXT", Help: "add a `TEXT` for people", Value: param.Text(&q.Note)},
		{Name: "cost", Unit: "USD", Help: "record the cost of making the child, in `USD`", Value: param.OptionalFloat(&q.CostUSD)},
		{Name: "id", Unit: "ID", Help: "name the mutation with an `ID` of your own", Value: param.Text(&q.ID)},
		{Name: "keep-secrets", Help: "record a child in which something looks like a secret", Value: param.Switch(&q.KeepSecrets)},
		atParam(&q.At),
	}
}

// Proposed is a mutation as it was proposed.
type Proposed struct {
	Mutation `json:",embed"`
	Known    bool                `json:"known"` // it was proposed before
	Refusals []evolution.Refusal `json:"refusals"`
	Warnings []ProposeWarning    `json:"warnings"`
}

// ProposeWarning is something about a proposal that its author may not have meant.
type ProposeWarning struct {
	Code    string `json:"code"`
	Message string `json:"message"`
}

func (a Proposed) Conclusion() Conclusion {
	if a.State == evolution.MutationRefused {
		return Rejected
	}
	return Done
}

func (a Proposed) Lead() []Sentence {
	lead := []Sentence{{Kind: Heading, Text: fmt.Sprintf("%s: %s of %s by %s (%s), %s",
		a.ID, a.Child, strings.Join(a.Parents, " and "), operatorName(a.Operator), a.Risk, a.State)}}
	add := func(text string) { lead = append(lead, Sentence{Kind: Note, Text: text, Joined: true}) }
	if a.Known {
		add("it was proposed before; nothing was changed")
	}
	for _, r := range a.Refusals {
		add(fmt.Sprintf("%s: %s", r.Code, r.Reason))
	}
	for _, w := range a.Warnings {
		lead = append(lead, Sentence{Kind: Warning, Text: "warning: " + w.Message, Joined: true})
	}
	return lead
}

func (a Proposed) Tables() []Table {
	t := mutationsTable(Numbers{}, a.Mutation)
	t.ForPrograms = true
	return []Table{t}
}

// WithdrawQuestion asks to take back a mutation.
type WithdrawQuestion struct {
	Mutation string
	Lineage  string // empty for the only lineage that has the mutation
	Reason   string
	At       time.Time // zero for now
}

func (q *WithdrawQuestion) Params() param.List {
	reason := reasonParam(&q.Reason)
	reason.Required = true
	return append(ofMutation(&q.Mutation, &q.Lineage), reason, atParam(&q.At))
}

// Withdrawn is a mutation that was taken back.
type Withdrawn struct {
	Mutation `json:",embed"`
}

func (a Withdrawn) Lead() []Sentence {
	return []Sentence{{Kind: Heading, Text: a.ID + " is withdrawn"}}
}

func (a Withdrawn) Tables() []Table {
	t := mutationsTable(Numbers{}, a.Mutation)
	t.ForPrograms = true
	return []Table{t}
}

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
