package answer

import (
	"encoding/json"
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"

	"track"
	"track/answer/param"
	"track/evolution"
	"track/scoring/format"
	"track/scoring/rubric"
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

// scoresText says which scores a decision was made from, what was left out, and what such scores are worth.
func scoresText(u evolution.ScoreUse) string {
	text := "scores: none yet"
	if u.From != "" {
		text = "scores: " + ScoreKindText(u.From)
	}
	if u.Times != 1 {
		text += fmt.Sprintf(", times %v", u.Times)
	}
	if n := u.WithoutChild + u.WithoutParent; n > 0 {
		text += fmt.Sprintf("; left out without one: %d of the child, %d of the parent", u.WithoutChild, u.WithoutParent)
	}
	if u.HoldoutChild+u.HoldoutParent > 0 {
		text += fmt.Sprintf("; not used, holdout: %d of the child, %d of the parent", u.HoldoutChild, u.HoldoutParent)
	}
	for _, a := range u.Agreement {
		text += "; " + AgreementText(a)
	}
	return text
}

// ScoreKindText names a kind of score to people. The kind of the scores of seeds is the hash of their spec.
func ScoreKindText(from evolution.ScoreSource) string {
	if _, err := evolution.ParseScoreSource(string(from)); err != nil {
		return "spec " + string(from)
	}
	if from == "own" {
		return "your own"
	}
	return string(from)
}

func AgreementText(a evolution.Agreement) string {
	text := fmt.Sprintf("AUC against %s %s", a.Truth, format.Fixed(a.AUC, 2))
	var parts []string
	if a.Lo != nil && a.Hi != nil {
		parts = append(parts, fmt.Sprintf("95%% interval %s to %s", format.Fixed(*a.Lo, 2), format.Fixed(*a.Hi, 2)))
	}
	parts = append(parts, fmt.Sprintf("n %d and %d", a.NSuccess, a.NFailure))
	return text + " (" + strings.Join(parts, ", ") + ")"
}

// sentences returns what people read of a decision, one paragraph. Of several warnings it has the first, unless all are
// wanted.
func (a Decision) sentences(joined, all bool) []Sentence {
	lines := []Sentence{a.sentence()}
	lines[0].Joined = joined
	add := func(text string) { lines = append(lines, Sentence{Kind: Note, Text: text, Joined: true}) }
	if a.Repeated {
		add("no new evidence: this was decided before")
	}
	add(a.scoreText())
	add(scoresText(a.Score))
	add(a.ruleText())
	switch {
	case a.HeadBefore == a.HeadAfter:
		add(fmt.Sprintf("active: %s, as before", orNoVersion(a.HeadAfter)))
	case a.DryRun:
		add(fmt.Sprintf("active: %s; recorded, the decision would make %s active", orNoVersion(a.HeadNow), a.HeadAfter))
	default:
		add(fmt.Sprintf("active: %s, before %s", a.HeadAfter, orNoVersion(a.HeadBefore)))
	}
	if a.HeadNow != a.HeadAfter && !a.DryRun {
		add("now active: " + orNoVersion(a.HeadNow))
	}
	add(NoiseText(a.Policy, a.Noise, Numbers{a.Scale}))
	return append(lines, a.warnings(all)...)
}

// Sentences returns all that people read of a decision, with all warnings.
func (a Decision) Sentences() []Sentence { return a.sentences(false, true) }

// Brief returns the sentence of a decision, and the warning that matters first.
func (a Decision) Brief() []Sentence { return append([]Sentence{a.sentence()}, a.warnings(false)...) }

// warnings returns all warnings, or the first one and how many more there are.
func (a Decision) warnings(all bool) (list []Sentence) {
	for _, w := range a.Warnings {
		list = append(list, Sentence{Kind: Warning, Text: "warning: " + w.Message, Hint: w.Hint, Joined: true})
	}
	if all || len(list) < 2 {
		return list
	}
	more := track.NewHint("show all", "mutation show", a.Mutation)
	return append(list[:1], Sentence{Kind: Note, Text: format.Counted(len(list)-1, "more warning"), Hint: &more, Joined: true})
}

// sentence says what became of the mutation: the verdict, the gain with its interval, the pairs, and the failures.
func (a Decision) sentence() Sentence {
	if a.Need != nil {
		plan := track.NewHint("list the trials", "mutation plan", a.Mutation)
		return Sentence{Kind: Verdict, Hint: &plan, Text: fmt.Sprintf("CONTINUE  %s: %s", a.Mutation, a.Need.sentence(a.Policy, a.Child, a.Parent))}
	}
	state := "REJECTED"
	if a.Accepted {
		state = "ACCEPTED"
	}
	text := fmt.Sprintf("%s  %s: %s%s; %s", state, a.Mutation, a.gainText(), a.reason(), a.failuresText())
	if a.Draw.Used {
		text += "; by the draw, " + a.Draw.comparison()
	}
	return Sentence{Kind: Verdict, Text: text}
}

// gainText says how much better the child is than its parent: as measured on all tasks, else as it was compared.
func (a Decision) gainText() string {
	if a.Measured != nil {
		g := a.Measured.Gain
		text := a.gains(g.Mean) + ", measured on " + format.Counted(g.N, "task")
		switch {
		case g.Interval != nil:
			text += fmt.Sprintf(" (%s)", a.intervalText(*g.Interval))
		case g.N > 1:
			text += " (each by as much, so no interval)"
		default:
			text += " (no interval)"
		}
		if h := a.Measured.Holdout; h != nil {
			text += fmt.Sprintf(", and %s on %s that never %s", Numbers{a.Scale}.Gain(h.Mean), format.Counted(h.N, "task"), agree(h.N, "decides", "decide"))
		}
		return text + ", after " + format.Counted(a.NPairs, "pair")
	}
	if a.Delta == nil {
		return fmt.Sprintf("%s of %s", a.Child, orNoVersion(a.Parent))
	}
	text := a.gains(*a.Delta)
	switch inFitness := a.Policy == (evolution.Threshold{}).Name(); {
	case inFitness && a.CI == nil:
		text += " in fitness"
	case a.CI != nil && a.CI.N > 0 && a.CI.Estimate != *a.Delta:
		text += fmt.Sprintf(" in fitness, %s in %s (%s)", Numbers{a.Scale}.Gain(a.CI.Estimate), format.Counted(a.CI.N, "pair"), a.intervalText(*a.CI))
	case a.CI != nil:
		text += fmt.Sprintf(" (%s)", a.intervalText(*a.CI))
	case a.NPairs > 0:
		text += " in " + format.Counted(a.NPairs, "pair")
	}
	return text
}

func (a Decision) gains(points float64) string {
	numbers := Numbers{a.Scale}
	verb, preposition := "gains", "over"
	if points < 0 {
		verb, preposition = "loses", "against"
	}
	text := fmt.Sprintf("%s %s %s", a.Child, verb, numbers.Score(math.Abs(points)))
	if a.Scale == nil || numbers.hasPoints() {
		text += " points"
	}
	return text + " " + preposition + " " + orNoVersion(a.Parent)
}

func (a Decision) intervalText(i evolution.Interval) string {
	numbers := Numbers{a.Scale}
	return fmt.Sprintf("%s %s interval %s to %s", format.Confidence(i.Confidence), i.Method, numbers.Gain(i.Lo), numbers.Gain(i.Hi))
}

// reason says why a child was rejected, where the gain does not.
func (a Decision) reason() string {
	if text := a.Label.Reason(); text != "" {
		return ": " + text
	}
	return ""
}

// failuresText says how many trials failed, and how they count.
func (a Decision) failuresText() string {
	if a.FailedChild+a.FailedParent == 0 {
		return "no trial failed"
	}
	text := fmt.Sprintf("%d of %s of %s and %d of %d of %s failed", a.FailedChild, format.Counted(a.trials(a.NChild, a.FailedChild), "trial"), a.Child,
		a.FailedParent, a.trials(a.NParent, a.FailedParent), orNoVersion(a.Parent))
	if a.Failures == evolution.FailuresExclude {
		return text + " and are left out"
	}
	return text + " and count as the worst score"
}

// trials returns how many trials there were, of which n count.
func (a Decision) trials(n, failed int) int {
	if a.Failures == evolution.FailuresExclude {
		return n + failed
	}
	return n
}

func agree(n int, one, many string) string {
	if n == 1 {
		return one
	}
	return many
}

func (a Decision) scoreText() string {
	n := fmt.Sprintf("n %d and %d", a.NChild, a.NParent)
	if a.FailedChild+a.FailedParent > 0 {
		n += fmt.Sprintf(" (%d and %d failed)", a.FailedChild, a.FailedParent)
	}
	if a.NPairs > 0 {
		n += ", " + format.Counted(a.NPairs, "pair")
	}
	if a.Delta == nil || a.OldScore == nil || a.NewScore == nil {
		return fmt.Sprintf("%s: %s, child and parent", a.Policy, n)
	}
	numbers := Numbers{a.Scale}
	text := fmt.Sprintf("%s: delta %s, from %s to %s", a.Policy, numbers.gainWithUnit(*a.Delta), numbers.Score(*a.OldScore), numbers.Score(*a.NewScore))
	if a.Scale != nil && a.Scale.Minimize {
		text += " (less is better)"
	}
	if i := a.CI; i != nil {
		text += "; "
		if i.N > 0 && i.Estimate != *a.Delta { // ledgers of "decide/1" have no n
			text += fmt.Sprintf("mean of %s %s, ", format.Counted(i.N, "pair"), numbers.Gain(i.Estimate))
		}
		text += fmt.Sprintf("%s %s interval %s to %s", format.Confidence(i.Confidence), i.Method, numbers.Gain(i.Lo), numbers.Gain(i.Hi))
		if i.LeftOut > 0 {
			text += fmt.Sprintf(", %s without a partner left out", format.Counted(i.LeftOut, "trial"))
		}
	}
	if a.PImprove != nil {
		text += "; " + wonText(*a.PImprove)
	}
	return text + "; " + n
}

// wonText says how many comparisons the child won, and what ties count.
func wonText(p evolution.PImprove) string {
	text := fmt.Sprintf("P(improvement) %s, %d of %s won", format.Fixed(p.Value, 2), p.Wins, format.Counted(p.N, "comparison"))
	if p.Ties > 0 {
		text += fmt.Sprintf(", %d tied; a tie counts half", p.Ties)
	}
	return text
}

// ruleText says what the policy compared with which limits.
func (a Decision) ruleText() string {
	parts := []string{a.Label.Text(a.Policy, a.PolicyParams, a.CI.IsAbove())}
	for _, s := range a.Rule {
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

// comparison returns the draw next to the probability that decided.
func (d Draw) comparison() string {
	if d.P == nil {
		return fmt.Sprintf("u = %.4f", d.U)
	}
	return DrawText(d.U, *d.P)
}

// DrawText compares a draw with the probability that it decided against.
func DrawText(u, p float64) string {
	sign := ">="
	if u < p {
		sign = "<"
	}
	return fmt.Sprintf("u = %.4f %s p = %s", u, sign, strconv.FormatFloat(p, 'g', 4, 64))
}

// sentence says how many trials the policy needs.
func (n MissingEvidence) sentence(policy, child, parent string) string {
	text := policy + " needs " + n.text(child, parent)
	if n.Measure {
		text = policy + " accepts " + child + "; to measure its gain on all tasks it needs " + n.text(child, parent)
	}
	if n.Pairs > 0 {
		text += ", in " + format.Counted(n.Pairs, "pair") + " of the same task or seed"
	}
	return text
}

func (n MissingEvidence) text(child, parent string) string {
	text := ""
	if n.Child > 0 {
		text = fmt.Sprintf("%d more of %s", n.Child, child)
	}
	if n.Parent > 0 && text != "" {
		return text + fmt.Sprintf(" and %d of %s", n.Parent, parent)
	}
	if n.Parent > 0 {
		return fmt.Sprintf("%d more of %s", n.Parent, parent)
	}
	return text
}

// NoiseText says what a decision of a policy is worth at this noise.
func NoiseText(policy string, n *evolution.Noise, numbers Numbers) string {
	if n == nil || n.SD == nil {
		return "noise: unknown, because no version has two scores yet"
	}
	text := fmt.Sprintf("noise: sd of scores within the two sides %s (n %d)", numbers.Score(*n.SD), n.N)
	if n.NPairs > 0 && n.SDPairs != nil {
		text += fmt.Sprintf(", sd of differences of pairs %s (%s)", numbers.Score(*n.SDPairs), format.Counted(n.NPairs, "pair"))
	}
	if n.FalseAccept != nil {
		text += fmt.Sprintf("; at it %s accepts %s of mutations that change nothing (%s", policy, format.Percent(*n.FalseAccept), n.Method)
		if i := n.FalseAcceptCI; i != nil {
			text += fmt.Sprintf("; %s interval %s to %s", format.Confidence(i.Confidence), format.Percent(i.Lo), format.Percent(i.Hi))
		}
		text += ")"
	}
	return text
}

// GradeChangesQuestion asks which executions of a lineage have another grade under a rubric.
type GradeChangesQuestion struct {
	Lineage string
	Rubric  string
}

func (q *GradeChangesQuestion) Params() param.List {
	return param.List{
		namedLineage(&q.Lineage),
		{Name: "rubric", Required: true, Unit: "RUBRIC", Help: "grade the executions under this `RUBRIC`", Enum: rubric.Names(), Value: param.Text(&q.Rubric)},
	}
}

// GradeChange is an execution whose grade under a rubric is not the one of its active score.
type GradeChange struct {
	ID        string   `json:"id"`
	Version   string   `json:"version"`
	Task      string   `json:"task"`
	From      *float64 `json:"from_score"` // active; null for no score
	FromGrade string   `json:"from_grade"`
	To        *float64 `json:"to_score"` // under the rubric
	ToGrade   string   `json:"to_grade"`
}

// GradeChanges are the executions of a lineage whose grade differs under a rubric, the oldest first.
type GradeChanges struct {
	Lineage     string `json:"lineage"`
	Rubric      string `json:"rubric"`
	NExecutions int    `json:"n_executions"` // that have a score under either

	List[GradeChange] `json:",embed"`
}

func (a GradeChanges) Lead() []Sentence {
	return []Sentence{{Kind: Heading, Text: fmt.Sprintf("%s: of %s with a score, %d have another grade under %s",
		a.Lineage, format.Counted(a.NExecutions, "execution"), len(a.Items), a.Rubric)}}
}

func (a GradeChanges) Tables() []Table {
	t := Table{Name: "changes", HiddenIfEmpty: true, Columns: Columns{
		{Name: "id"}, {Name: "version"}, {Name: "task"}, {Name: "from_score", Head: "active score"}, {Name: "from_grade", Head: "grade"},
		{Name: "to_score", Head: a.Rubric}, {Name: "to_grade", Head: "grade under it"},
	}.drop("task", "from_grade", "to_grade")}
	for _, c := range a.Items {
		t.Rows = append(t.Rows, []any{c.ID, c.Version, c.Task, optionalCell(c.From, twoDecimals), c.FromGrade, optionalCell(c.To, twoDecimals), c.ToGrade})
	}
	return []Table{t}
}

// RollbackQuestion asks to make an earlier version active: one of To, Best, Previous and IfTriggered says which.
type RollbackQuestion struct {
	Lineage     string // empty for the only one
	To          string // a version, also as LINEAGE@VERSION
	Best        bool
	Previous    bool
	IfTriggered bool
	Untested    bool // To may be a version that was never tried
	Reason      string
	At          time.Time // zero for now
}

func (q *RollbackQuestion) Params() param.List {
	return param.List{
		ofLineage(&q.Lineage),
		{Name: "to", Unit: "VERSION", Help: "go back to this `VERSION`", Value: param.Text(&q.To)},
		{Name: "best", Help: "go back to the version with the highest fitness of those that were ever active", Value: param.Switch(&q.Best)},
		{Name: "previous", Help: "go back to the version before the active one", Value: param.Switch(&q.Previous)},
		{Name: "if-triggered", Help: "go back as the first trigger that applies says, if any does", Value: param.Switch(&q.IfTriggered)},
		{Name: "untested", Help: "let the version be one that was never tried", Value: param.Switch(&q.Untested)},
		reasonParam(&q.Reason), atParam(&q.At),
	}
}

func (q *RollbackQuestion) Check() error {
	ways := 0
	for _, given := range []bool{q.To != "", q.Best, q.Previous, q.IfTriggered} {
		if given {
			ways++
		}
	}
	if q.Untested && q.To == "" {
		return &param.Error{Param: "untested", Message: "is for a version that to names"}
	}
	if ways != 1 {
		return &param.Error{Param: "to", Message: "give one of to, best, previous and if-triggered"}
	}
	return nil
}

// Rollback says what going back came to.
type Rollback struct {
	Lineage    string                   `json:"lineage"`
	RolledBack bool                     `json:"rolled_back"`     // false if no trigger applies
	Number     int                      `json:"number,omitzero"` // of its entry in the ledger
	Head       string                   `json:"head"`
	Event      *evolution.RollbackEvent `json:"event"`
	Hash       string                   `json:"hash,omitempty"`
	Warnings   []DecisionWarning        `json:"warnings"`
}

func (a Rollback) Lead() []Sentence {
	if a.Event == nil {
		return []Sentence{{Kind: Heading, Text: "no trigger applies; active: " + orNoVersion(a.Head)}}
	}
	lead := []Sentence{
		{Kind: Heading, Text: fmt.Sprintf("active: %s, before %s", a.Event.To, orNoVersion(a.Event.From))},
		{Kind: Note, Text: a.Event.Reason, Joined: true},
	}
	for _, w := range a.Warnings {
		lead = append(lead, Sentence{Kind: Warning, Text: "warning: " + w.Message, Hint: w.Hint, Joined: true})
	}
	return lead
}

func (a Rollback) Tables() []Table {
	trigger := ""
	if a.Event != nil {
		trigger = string(a.Event.Trigger)
	}
	return []Table{{Name: "rollback", ForPrograms: true, Columns: columns("lineage", "rolled_back", "trigger", "head"),
		Rows: [][]any{{a.Lineage, a.RolledBack, trigger, a.Head}}}}
}
