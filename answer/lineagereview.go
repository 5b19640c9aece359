package answer

import (
	"fmt"
	"strings"
	"time"

	"track/evolution"
	"track/scoring/format"
	"track/scoring/stats"
)

// LineageReview says how far a lineage has come, what speaks against trusting that, and what identifies it.
type LineageReview struct {
	Lineage      string                          `json:"lineage"`
	Subject      string                          `json:"subject"` // agent, or scenario:NAME
	Head         string                          `json:"head"`    // the active version; empty for none
	Root         string                          `json:"root"`    // the first active version
	Scale        *evolution.Scale                `json:"scale,omitempty"`
	Score        CountedScore                    `json:"score"` // of the active version
	Gain         *ReviewedGain                   `json:"gain"`  // of the active version over the root; null if it is the root
	Policy       string                          `json:"policy"`
	Settings     int                             `json:"settings"` // version of the settings
	States       map[evolution.MutationState]int `json:"mutations"`
	Entries      int                             `json:"entries"`
	Decided      int                             `json:"decisions"`
	Verified     int                             `json:"verified"`      // decisions that replay
	Compared     int                             `json:"n_compared"`    // trials of evidence that were compared with what is recorded now, including NMissing
	NMissing     int                             `json:"n_missing"`     // trials of evidence that are not recorded here
	NDifferences int                             `json:"n_differences"` // between the ledger, its tables, and the evidence
	Alerts       []Alert                         `json:"alerts"`
	Holdout      []HoldoutGain                   `json:"holdout"`
	NHeld        int                             `json:"n_held"` // trials of holdout tasks, which never decide
	Totals       LineageTotals                   `json:"totals"`
	MutationsUSD float64                         `json:"cost_of_mutations_usd"`
	NPriced      int                             `json:"n_priced"` // mutations whose cost is known
	Seed         string                          `json:"seed"`     // of all draws
	Algorithms   []string                        `json:"draw_algorithms"`
	End          evolution.Head                  `json:"end"`
	SHA256       string                          `json:"sha256"` // of the export of the lineage, in hexadecimal
	Schema       int                             `json:"schema"` // version of the database's schema
}

// CountedScore is the mean of the scores of a version that count.
type CountedScore struct {
	Mean             *stats.Mean `json:"mean_of_trials"` // null if there are none
	Failed           int         `json:"n_failed"`
	Chosen           bool        `json:"chosen"` // the scores served to choose the version, so they tend to be too high
	Fresh            bool        `json:"fresh"`  // of trials after the version was chosen
	FailuresExcluded bool        `json:"failures_excluded"`
}

// ReviewedGain is a gain of one version over another; unknown without a VersionGain.
type ReviewedGain struct {
	*evolution.VersionGain
	Chosen    bool `json:"chosen"`      // with trials that the version was chosen by
	Rollbacks int  `json:"n_rollbacks"` // between the trials of the two
}

// Alert is a reason to look closer, with what it is about.
type Alert struct {
	What  string   `json:"what"`
	Cases []string `json:"cases"`
}

// HoldoutGain compares what a version gained over the root on the tasks that decide, and on holdout tasks.
type HoldoutGain struct {
	Version  string             `json:"version"`
	Active   bool               `json:"active"`
	Deciding evolution.TaskGain `json:"deciding"`
	Held     evolution.TaskGain `json:"held"`
	Gap      *stats.Interval    `json:"gap"` // of the difference of both, by Welch's method; null if one has fewer than two tasks
}

// LineageTotals are sums over the executions of a lineage, or over the seeds of a scenario.
type LineageTotals struct {
	Executions   int     `json:"n"`
	Failed       int     `json:"n_failed"`
	CostUSD      float64 `json:"cost_usd"`
	NCost        int     `json:"n_cost"` // executions whose cost is known
	TokensInput  int64   `json:"tokens_input"`
	TokensOutput int64   `json:"tokens_output"`
	NTokens      int     `json:"n_tokens"`
	Seconds      float64 `json:"seconds"`
	NSeconds     int     `json:"n_seconds"`
}

func (a LineageReview) Lead() []Sentence {
	numbers := Numbers{a.Scale}
	text := "no version is active"
	if a.Head != "" {
		text = a.Head + " is active: " + a.Score.text(numbers)
		if a.Gain != nil {
			text += "; gain over the root " + a.Root + ": " + a.Gain.Text(numbers)
		}
	}
	total := 0
	var states []string
	for _, state := range mutationStates() {
		if n := a.States[evolution.MutationState(state)]; n > 0 {
			total += n
			states = append(states, fmt.Sprintf("%d %s", n, map[string]string{"continue": "waiting for evidence", "proposed": "not decided"}[state]+stateWord(state)))
		}
	}
	mutations := format.Counted(total, "mutation")
	if total > 0 {
		mutations += ": " + strings.Join(states, ", ")
	}
	lead := []Sentence{{Kind: Heading, Text: text}, {Kind: Note, Text: fmt.Sprintf("%s; policy %s; %s", a.replayText(), a.Policy, mutations)}}
	if units := numbers.Units(); units != "" {
		lead = append(lead, Sentence{Kind: Note, Text: units})
	}
	return lead
}

// stateWord returns a state that is its own word.
func stateWord(state string) string {
	if state == string(evolution.MutationContinued) || state == string(evolution.MutationProposed) {
		return ""
	}
	return state
}

// replayText says what was replayed, what the evidence was compared with, and whether anything differs.
func (a LineageReview) replayText() string {
	text := fmt.Sprintf("Replay: %d/%d decisions verified, %s of the ledger", a.Verified, a.Decided, entries(a.Entries))
	switch {
	case a.Compared > 0:
		text += ", " + format.Counted(a.Compared, "trial") + " of evidence compared with the recorded trials"
	case a.Decided > 0:
		text += ", evidence not compared with recorded trials"
	}
	if a.NMissing > 0 {
		text += fmt.Sprintf(", %d of them not recorded here", a.NMissing)
	}
	if a.NDifferences > 0 {
		return text + ", " + format.Counted(a.NDifferences, "difference")
	}
	return text + ", no difference"
}

func (s CountedScore) text(numbers Numbers) string {
	switch {
	case s.Mean == nil && s.Failed > 0:
		return "no score, " + format.Counted(s.Failed, "trial") + " failed"
	case s.Mean == nil:
		return "no score yet"
	}
	text := fmt.Sprintf("mean score %s (no interval, n = %d)", numbers.Score(s.Mean.Mean), s.Mean.N)
	if i := s.Mean.Interval; i.Defined() {
		text = fmt.Sprintf("mean score %s (95%% t interval %s, n = %d)", numbers.Score(s.Mean.Mean), format.Interval(i, numbers.Score), s.Mean.N)
	}
	switch {
	case s.Chosen:
		text += ", from the trials it was chosen by, so the mean tends to be too high"
	case s.Fresh:
		text += ", from trials after it was chosen"
	}
	if s.Failed > 0 && s.FailuresExcluded {
		text += fmt.Sprintf(", %d failed and are left out, as set", s.Failed)
	} else if s.Failed > 0 {
		text += fmt.Sprintf(", %d failed and count as the worst score", s.Failed)
	}
	return text
}

// Text says how much a gain is, how sure it is, and what it follows from.
func (g ReviewedGain) Text(numbers Numbers) string {
	if g.VersionGain == nil {
		return "unknown, because they share no task, or one has no score"
	}
	detail := "no interval"
	if i := g.Interval; i != nil {
		detail = fmt.Sprintf("95%% %s interval %s", g.Method, format.Interval(*i, numbers.Gain))
	}
	if g.Tasks > 0 {
		detail += ", on " + format.Counted(g.Tasks, "common task")
	} else {
		detail += fmt.Sprintf(", n = %d and %d", g.N, g.NOther)
	}
	if g.Chosen {
		detail += ", with trials it was chosen by"
	}
	text := fmt.Sprintf("%s (%s)", numbers.Gain(g.Mean), detail)
	if g.Rollbacks > 0 {
		text += fmt.Sprintf(", with %s between their trials: part of the difference may be due to other changes", format.Counted(g.Rollbacks, "rollback"))
	}
	return text
}

func (a LineageReview) Tables() []Table {
	return []Table{a.alertsTable(), a.holdoutTable()}
}

func (a LineageReview) alertsTable() Table {
	const most = 10 // cases of one alert
	t := Table{Name: "alerts", Title: "Alerts", Columns: columns("alert", "case").wrap("alert", "case"),
		Empty: "No alert: the replay agrees, no accepted version scores better than the active one, no decision was overridden or repeated, and none was accepted within the noise."}
	for _, alert := range a.Alerts {
		what := alert.What
		for i, text := range alert.Cases {
			if i == most {
				t.Rows = append(t.Rows, []any{what, fmt.Sprintf("and %d more", len(alert.Cases)-most)})
				break
			}
			t.Rows = append(t.Rows, []any{what, text})
		}
	}
	return t
}

func (a LineageReview) holdoutTable() Table {
	numbers := Numbers{a.Scale}
	t := Table{Name: "holdout", Title: "Holdout tasks", HiddenIfEmpty: true, Columns: Columns{
		{Name: "version"}, {Name: "tasks", Head: "tasks that decide"}, {Name: "gain"}, {Name: "gain_interval", Head: "95% interval"}, {Name: "holdout_tasks", Head: "holdout tasks"},
		{Name: "holdout_gain", Head: "gain"}, {Name: "holdout_interval", Head: "95% interval"},
	}}
	cells := func(g evolution.TaskGain) []any {
		if g.Gain == nil {
			return []any{0, nil, nil}
		}
		return []any{g.NTasks, numbers.gainCell(&g.Gain.Mean), intervalCell(g.Gain.Interval, numbers.Gain)}
	}
	for _, g := range a.Holdout {
		t.Rows = append(t.Rows, append(append([]any{g.Version}, cells(g.Deciding)...), cells(g.Held)...))
		if text := g.text(numbers.Gain); g.Active && text != "" {
			t.Notes = append(t.Notes, Sentence{Kind: Note, Text: g.Version + ": " + text})
		}
	}
	if len(t.Rows) > 0 {
		t.Notes = append(t.Notes, Sentence{Kind: Note, Text: format.Counted(a.NHeld, "trial") + " of holdout tasks never decided. Gains are mean differences to the root, paired by task, with paired t intervals."})
	}
	return t
}

// text says what the two gains show together.
func (g HoldoutGain) text(change func(float64) string) string {
	decide, held := g.Deciding.Gain, g.Held.Gain
	switch {
	case decide == nil || held == nil:
		return ""
	case !decide.Interval.Defined() || decide.Interval.Lo <= 0:
		return "no gain is shown on the tasks that decide."
	case held.Interval.Defined() && held.Interval.Lo > 0:
		return "the gain shows on holdout tasks as well."
	case g.Gap != nil && g.Gap.Defined() && g.Gap.Lo > 0:
		return "overfitted: the gain on the tasks that decide does not show on holdout tasks, and is larger than theirs by " +
			change(decide.Mean-held.Mean) + " (95% Welch interval " + format.Interval(*g.Gap, change) + ")."
	}
	return "the gain on the tasks that decide is not shown on holdout tasks: run more of them."
}

// LineageFacts says what a lineage took, and what identifies it.
type LineageFacts LineageReview

// Lead implements [Answer].
func (LineageFacts) Lead() []Sentence { return nil }

// Tables implements [Answer].
func (a LineageFacts) Tables() []Table {
	t := Table{Name: "facts", Columns: Columns{{Name: "fact", Head: " "}, {Name: "value", Head: " ", Wrap: true}}}
	add := func(name, text string) { t.Rows = append(t.Rows, []any{name, text}) }
	unit := "executions"
	if a.Subject != evolution.SubjectAgent {
		unit = "seeds"
	}
	known := func(n int, text string) string {
		switch {
		case n == 0:
			return "not recorded"
		case n < a.Totals.Executions:
			return fmt.Sprintf("%s (known for %d of %d)", text, n, a.Totals.Executions)
		}
		return text
	}
	add(unit, fmt.Sprintf("%d, %d failed", a.Totals.Executions, a.Totals.Failed))
	add("time", known(a.Totals.NSeconds, time.Duration(a.Totals.Seconds*float64(time.Second)).Round(time.Millisecond).String()))
	add("tokens", known(a.Totals.NTokens, fmt.Sprintf("%d in, %d out", a.Totals.TokensInput, a.Totals.TokensOutput)))
	add("cost of the "+unit, known(a.Totals.NCost, fmt.Sprintf("%.4g USD", a.Totals.CostUSD)))
	if a.NPriced > 0 {
		add("cost of the mutations", fmt.Sprintf("%.4g USD (known for %d)", a.MutationsUSD, a.NPriced))
	}
	add("seed of all draws", a.Seed)
	add("algorithm of draws", format.OrDash(strings.Join(a.Algorithms, ", ")))
	add("end of the ledger", fmt.Sprintf("entry %d, %s", a.End.Number, a.End.Hash))
	add("SHA-256 of the export", a.SHA256)
	add("settings", fmt.Sprintf("version %d", a.Settings))
	add("schema of the database", fmt.Sprint(a.Schema))
	return []Table{t}
}

// Decisions are what was decided in a lineage, and what was refused and rolled back.
type Decisions struct {
	Lineage                string            `json:"lineage"`
	Scale                  *evolution.Scale  `json:"scale,omitempty"`
	List[ReviewedDecision] `json:",embed"`   // the newest first
	Refused                []RefusedMutation `json:"refused"` // the newest first
	Rollbacks              []LedgerRollback  `json:"rollbacks"`
}

// ReviewedDecision is a decision with its replay.
type ReviewedDecision struct {
	Decision
	MutationNumber int      `json:"mutation_number"`
	Parents        []string `json:"parents"`
	Replay         string   `json:"replay"`
}

// RefusedMutation is a mutation that was refused because of the content of its child, and never decided.
type RefusedMutation struct {
	Number   int                 `json:"number"`
	Mutation string              `json:"mutation"`
	Child    string              `json:"child"`
	Parent   string              `json:"parent"`
	Operator string              `json:"operator"`
	Refusals []evolution.Refusal `json:"refusals"`
}

// LedgerRollback is a rollback with its entry of the ledger.
type LedgerRollback struct {
	Number int       `json:"number"`
	At     time.Time `json:"at"`
	evolution.Rollback
}

func (a Decisions) Lead() []Sentence {
	kinds := map[string]int{}
	var order []string
	for _, d := range a.Items {
		kind := scoresText(d.Score)
		if kinds[kind]++; kinds[kind] == 1 {
			order = append(order, kind)
		}
	}
	lead := []Sentence{}
	for i, kind := range order {
		lead = append(lead, Sentence{Kind: Note, Text: fmt.Sprintf("%s (%s)", kind, format.Counted(kinds[kind], "decision")), Joined: i > 0})
	}
	return lead
}

func (a Decisions) Tables() []Table {
	numbers := Numbers{a.Scale}
	t := Table{Name: "decisions", Shown: 30, Empty: "there are no decisions yet", Columns: Columns{
		{Name: "number", Head: "mutation"}, {Name: "child"}, {Name: "verdict"}, {Name: "replay"}, {Name: "parents"}, {Name: "operator"}, {Name: "n"}, {Name: "scores"}, {Name: "delta"},
		{Name: "interval"}, {Name: "p_improve", Head: "P(improvement)"}, {Name: "label"}, {Name: "draw"}, {Name: "id"}, {Name: "entry"}, {Name: "hash"},
	}}
	for _, d := range a.Items {
		verdict := string(d.State)
		if d.Attempt > 0 {
			verdict += fmt.Sprintf(" (attempt %d)", d.Attempt)
		}
		var scores, won, draw, interval any
		if d.OldScore != nil && d.NewScore != nil {
			scores = numbers.Score(*d.OldScore) + " → " + numbers.Score(*d.NewScore)
		}
		if d.CI != nil {
			interval = d.basisText(numbers)
		}
		if p := d.PImprove; p != nil {
			won = fmt.Sprintf("%s: %d of %d, %d tied", format.Fixed(p.Value, 2), p.Wins, p.N, p.Ties)
		}
		if d.Draw.Used {
			draw = d.Draw.comparison()
		}
		t.Rows = append(t.Rows, []any{
			d.MutationNumber, d.Child, verdict, d.Replay, strings.Join(d.Parents, " "), d.Operator, fmt.Sprintf("%d, %d", d.NChild, d.NParent), scores, numbers.gainCell(d.Delta),
			interval, won, d.Label.Text(d.Policy, d.PolicyParams, d.CI.IsAbove()), draw, d.Mutation, d.Number, hashCell(d.Hash),
		})
	}
	if len(t.Rows) > 0 {
		t.Notes = []Sentence{{Kind: Note, Text: "The newest first. n counts the scores of child and parent, whose means are compared. Delta is the difference that the policy compared, and the interval is a 95% interval of the true difference. " +
			"P(improvement) is the share of comparisons that the child won; a tie counts half. A mutation is accepted by the draw if u < p; - says that the evidence alone decided. ✓ says that the replay gave the same decision."}}
	}
	refused := Table{Name: "refused", Title: "Refused because of the content", HiddenIfEmpty: true, Columns: columns("mutation", "child", "parent", "operator", "reason", "id").wrap("reason")}
	for _, m := range a.Refused {
		var reasons []string
		for _, r := range m.Refusals {
			reasons = append(reasons, r.Code+": "+r.Reason)
		}
		refused.Rows = append(refused.Rows, []any{m.Number, m.Child, m.Parent, m.Operator, strings.Join(reasons, "; "), m.Mutation})
	}
	rollbacks := Table{Name: "rollbacks", Title: "Rollbacks", HiddenIfEmpty: true, Columns: Columns{{Name: "entry"}, {Name: "from"}, {Name: "to"}, {Name: "trigger"}, {Name: "scores"}, {Name: "reason", Wrap: true}, {Name: "at"}}}
	for _, r := range a.Rollbacks {
		var scores any
		if r.FromScore != nil && r.ToScore != nil {
			scores = numbers.Score(a.Scale.Score(*r.FromScore)) + " → " + numbers.Score(a.Scale.Score(*r.ToScore))
		}
		rollbacks.Rows = append(rollbacks.Rows, []any{r.Number, r.From, r.To, string(r.Trigger), scores, r.Reason, timeCell(r.At)})
	}
	return []Table{t, refused, rollbacks}
}

// basisText writes the interval of a decision with its method, what it is around if that is not delta, and the pairs
// that it rests on.
func (a Decision) basisText(numbers Numbers) string {
	i := *a.CI
	text := fmt.Sprintf("%s to %s (%s", numbers.Gain(i.Lo), numbers.Gain(i.Hi), i.Method)
	if a.Delta != nil && i.N > 0 && numbers.Gain(i.Estimate) != numbers.Gain(*a.Delta) {
		text += " around " + numbers.Gain(i.Estimate)
	}
	if i.Method == "paired t" {
		text += ", " + format.Counted(i.N, "pair")
	}
	if i.LeftOut > 0 {
		text += ", " + format.Counted(i.LeftOut, "trial") + " left out"
	}
	return text + ")"
}

// DeltaText writes the difference that was compared with its interval.
func (a Decision) DeltaText(numbers Numbers) string {
	text := "-"
	if a.Delta != nil {
		text = numbers.Gain(*a.Delta)
	}
	if a.CI == nil {
		return text + ", no interval"
	}
	return text + ", 95% interval " + a.basisText(numbers)
}

// LineageNoise says how much the scores of one version vary, and what that makes of the active policy.
type LineageNoise struct {
	Facts  []string `json:"facts"`
	Moved  []string `json:"moved"`  // versions whose later trials have another level than their earlier ones
	Uneven []string `json:"uneven"` // versions whose sd is not that of all
}

func (a LineageNoise) Lead() (lead []Sentence) {
	const most = 10
	for i, text := range a.Facts {
		lead = append(lead, Sentence{Kind: Note, Text: text, Joined: i > 0})
	}
	for _, w := range []struct {
		what  string
		cases []string
	}{
		{"the level of a version moved over time, so means of different times do not compare", a.Moved}, {"the sds differ between versions, so the pooled sd is a rough estimate", a.Uneven},
	} {
		if len(w.cases) > 0 {
			text := w.what + ": " + strings.Join(w.cases[:min(most, len(w.cases))], "; ")
			if more := len(w.cases) - most; more > 0 {
				text += fmt.Sprintf("; and %d more", more)
			}
			lead = append(lead, Sentence{Kind: Warning, Text: text})
		}
	}
	return lead
}

func (LineageNoise) Tables() []Table { return nil }
