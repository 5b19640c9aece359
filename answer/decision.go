package answer

import (
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"track"
	"track/answer/param"
	"track/evolution"
	"track/scoring/format"
)

// DecideQuestion asks to decide a mutation.
type DecideQuestion struct {
	Mutation   string
	Lineage    string           // empty for the only lineage that has the mutation
	Policy     evolution.Policy // nil for the policy of the lineage
	ExpectHead string           // the active version; empty for any
	PCGState   []byte           // of the caller's own generator; nil for the keyed draw
	DryRun     bool
	At         time.Time // zero for now
}

// Params declares the parameters of the question.
func (q *DecideQuestion) Params() param.List {
	return append(ofMutation(&q.Mutation, &q.Lineage),
		policyParam("policy", "decide by this policy instead of the lineage's", &q.Policy),
		param.Param{Name: "expect-head", Unit: "VERSION", Help: "refuse unless this `VERSION` is active", Value: param.Text(&q.ExpectHead)},
		param.Param{Name: "pcg-state", Unit: "HEX", Help: "draw with your own generator, math/rand/v2's PCG, whose state is these 20 bytes in `HEX`", Value: param.Hex(&q.PCGState, 20)},
		param.Param{Name: "dry-run", Help: "decide, and record nothing", Value: param.Switch(&q.DryRun)},
		atParam(&q.At),
	)
}

// PlanQuestion asks which trials a policy needs before it decides a mutation.
type PlanQuestion struct {
	Mutation string
	Lineage  string           // empty for the only lineage that has the mutation
	Policy   evolution.Policy // nil for the policy of the lineage
}

// Params declares the parameters of the question.
func (q *PlanQuestion) Params() param.List {
	return append(ofMutation(&q.Mutation, &q.Lineage), policyParam("policy", "plan for this policy instead of the lineage's", &q.Policy))
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
	N        int            `json:"n"`
	Child    int            `json:"child"`
	Parent   int            `json:"parent"`
	Pairs    int            `json:"pairs"`
	Fresh    bool           `json:"fresh"`
	Expected int            `json:"expected"`
	Trials   []PlannedTrial `json:"trials"`
}

// PlannedTrial is a trial that a policy still needs.
type PlannedTrial struct {
	Side    string `json:"side"` // child or parent
	Version string `json:"version"`
	Key     string `json:"key"` // task or seed; empty for any task
}

// Conclusion implements [Concluding].
func (a Decision) Conclusion() Conclusion {
	switch a.State {
	case evolution.Accept:
		return Accepted
	case evolution.Reject:
		return Rejected
	}
	return NeedsEvidence
}

// Lead implements [Answer].
func (a Decision) Lead() []Sentence {
	var lead []Sentence
	if a.DryRun && !a.Repeated {
		lead = append(lead, Sentence{Kind: Note, Text: "dry run, nothing recorded"})
	}
	return append(lead, a.sentences(len(lead) > 0)...)
}

// sentences returns what people read of a decision, one paragraph.
func (a Decision) sentences(joined bool) []Sentence {
	state := map[evolution.State]string{evolution.Accept: "ACCEPTED", evolution.Reject: "REJECTED", evolution.Continue: "CONTINUE: more evidence is needed"}[a.State]
	lines := []Sentence{{Kind: Verdict, Text: fmt.Sprintf("%s  %s: %s of %s by %s", state, a.Mutation, a.Child, orNoVersion(a.Parent), operatorName(a.Operator)), Joined: joined}}
	add := func(text string) { lines = append(lines, Sentence{Kind: Note, Text: text, Joined: true}) }
	if a.Repeated {
		add("no new evidence: this was decided before")
	}
	add(a.scoreText())
	add(a.ruleText())
	if a.Draw.Used || a.State != evolution.Continue {
		add(a.drawText())
	}
	if a.Need != nil {
		plan := track.NewHint("list the trials", "mutation plan", a.Mutation)
		lines = append(lines, Sentence{Kind: Note, Text: a.Need.sentence(a.Child, a.Parent), Hint: &plan, Joined: true})
	}
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
	add(noiseText(a.Policy, a.Noise))
	for _, w := range a.Warnings {
		lines = append(lines, Sentence{Kind: Warning, Text: "warning: " + w.Message, Hint: w.Hint, Joined: true})
	}
	return lines
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
	text := fmt.Sprintf("%s: delta %s, from %s to %s", a.Policy, signed(*a.Delta), format.Fixed(*a.OldScore, 2), format.Fixed(*a.NewScore, 2))
	if i := a.CI; i != nil {
		text += fmt.Sprintf("; %s %s interval %s to %s", format.Confidence(i.Confidence), i.Method, signed(i.Lo), signed(i.Hi))
	}
	if a.PImprove != nil {
		text += fmt.Sprintf("; P(improvement) %s, the share of %s won", format.Fixed(a.PImprove.Value, 2), format.Counted(a.PImprove.N, "comparison"))
	}
	return text + "; " + n
}

// ruleText says what the policy compared with which limits.
func (a Decision) ruleText() string {
	parts := []string{strings.ReplaceAll(string(a.Label), "_", " ")}
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

func (a Decision) drawText() string {
	if !a.Draw.Used || a.Draw.P == nil {
		return fmt.Sprintf("drew %.4f, which changes nothing here", a.Draw.U)
	}
	return fmt.Sprintf("accepts if the draw is below %s: drew %.4f", format.Fixed(*a.Draw.P, 4), a.Draw.U)
}

// sentence says how many trials the policy needs.
func (n MissingEvidence) sentence(child, parent string) string {
	text := "needs " + n.text(child, parent)
	if n.Pairs > 0 {
		text += ", in " + format.Counted(n.Pairs, "pair") + " of the same task or seed"
	}
	if n.Fresh {
		text += ", made from now on"
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

// noiseText says what a decision of a policy is worth at this noise.
func noiseText(policy string, n *evolution.Noise) string {
	if n == nil || n.SD == nil {
		return "noise: unknown, because no version has two scores yet"
	}
	text := fmt.Sprintf("noise: sd %s per score", format.Fixed(*n.SD, 2))
	if n.FalseAccept != nil {
		text += fmt.Sprintf("; at it %s accepts %s of mutations that change nothing (%s)", policy, format.Percent(*n.FalseAccept), n.Method)
	}
	if less := n.ServesFalseAccept != nil && n.FalseAccept != nil && *n.ServesFalseAccept > *n.FalseAccept; n.Serves != policy && less {
		return text + fmt.Sprintf("; at so little noise %s is cheaper, and accepts %s", n.Serves, format.Percent(*n.ServesFalseAccept))
	}
	if n.Serves != policy {
		text += "; " + n.Serves + " would serve"
		if n.ServesFalseAccept != nil {
			text += ": " + format.Percent(*n.ServesFalseAccept)
		}
	}
	return text
}

// Tables implements [Answer].
func (a Decision) Tables() []Table { return []Table{decisionsTable([]Decision{a})} }

// decisionsTable returns decisions as rows, for programs.
func decisionsTable(list []Decision) Table {
	t := Table{Name: "decisions", ForPrograms: true, Columns: Columns(
		"number", "decision", "mutation", "attempt", "state", "label", "policy", "delta", "ci_lo", "ci_hi", "n_child", "n_parent", "u", "p", "head_after")}
	for _, d := range list {
		var lo, hi any
		if d.CI != nil {
			lo, hi = d.CI.Lo, d.CI.Hi
		}
		t.Rows = append(t.Rows, []any{
			d.Number, d.ID, d.Mutation, d.Attempt, string(d.State), string(d.Label), d.Policy, d.Delta, lo, hi, d.NChild, d.NParent, d.Draw.U, d.Draw.P, d.HeadAfter,
		})
	}
	return t
}

// Plan says which trials a policy needs before it decides a mutation.
type Plan struct {
	Lineage  string           `json:"lineage"`
	Mutation string           `json:"mutation"`
	State    evolution.State  `json:"state"` // continue; else what would be decided now
	Need     *MissingEvidence `json:"need"`
	Decision Decision         `json:"decision"` // as it would be made now
}

// Lead implements [Answer].
func (a Plan) Lead() []Sentence {
	if a.Need != nil {
		return []Sentence{{Kind: Heading, Text: a.Need.sentence(a.Decision.Child, a.Decision.Parent)}}
	}
	hint := track.NewHint("decide it", "mutation decide", a.Mutation).With("lineage", a.Lineage)
	return []Sentence{{Kind: Heading, Text: fmt.Sprintf("%s has enough evidence: %s would %s it", a.Mutation, a.Decision.Policy, a.State), Hint: &hint}}
}

// Tables implements [Answer].
func (a Plan) Tables() []Table {
	if a.Need == nil {
		return trialTables(nil)
	}
	return trialTables(a.Need.Trials)
}

// trialTables returns planned trials, for people those of any task together.
func trialTables(trials []PlannedTrial) []Table {
	people := Table{Name: "trials", HiddenIfEmpty: true, Columns: []Column{{Name: "side"}, {Name: "version"}, {Name: "key", Head: "task or seed"}, {Name: "n"}}}
	data := Table{Name: "trials", ForPrograms: true, Main: true, Columns: Columns("side", "version", "key")}
	for i := 0; i < len(trials); {
		n := 1
		for i+n < len(trials) && trials[i] == trials[i+n] {
			n++
		}
		key := trials[i].Key
		if key == "" {
			key = "any"
		}
		people.Rows = append(people.Rows, []any{trials[i].Side, trials[i].Version, key, n})
		i += n
	}
	for _, t := range trials {
		data.Rows = append(data.Rows, []any{t.Side, t.Version, t.Key})
	}
	return []Table{people, data}
}
