package answer

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"track"
	"track/answer/param"
	"track/scoring"
	"track/scoring/format"
	"track/scoring/verdict"
)

// GateQuestion asks whether configurations keep the rules of a gate.
type GateQuestion struct {
	Of       []Selector
	Rules    scoring.GateRules // they replace those of the spec
	Baseline *Selector         // of no_degradation; nil for the one that the spec or a pin names
	Anchor   *Selector         // a second baseline of no_degradation, which does not move; nil for none
	Base     *float64          // of the degradation threshold; nil for that of the spec
	Judging
}

func (q *GateQuestion) Params() param.List {
	return slices.Concat(
		param.List{{Name: "scenario", Arg: true, Required: true, Unit: "SCENARIO[@CONFIGURATION]", Help: "judge these configurations", Value: selectors(&q.Of)}},
		rulesParams(&q.Rules),
		param.List{
			{Name: "no-degradation", Help: "require that no metric loses more than base/weight against the baseline", Value: param.Switch(&q.Rules.NoDegradation)},
			{Name: "values", Unit: "RULE", Help: "warn of values that moved from the baseline (`RULE` report), or require that they did not (unchanged)",
				Value: param.Parsed(&q.Rules.Values, func(text string) (scoring.ValuesRule, error) { return scoring.ParseValuesRule(text), nil }, scoring.ValuesRule.Name)},
			{Name: "guard", Unit: "NAMES", Help: "let no_degradation judge these metrics and groups alone; `NAMES` separated by commas", Value: param.Parsed(&q.Rules.Guard, parseNames, formatNames)},
			{Name: "leave-out", Unit: "NAME=REASON", Help: "keep no_degradation from judging a metric or group, for the reason given, as `NAME=REASON`; several separated by ;",
				Value: param.Parsed(&q.Rules.LeaveOut, parseLeaveOut, formatLeaveOut)},
			{Name: "min-seeds", Unit: "N", Help: "decide nothing with fewer than `N` recorded seeds", Value: param.Whole(&q.Rules.MinSeeds, 0)},
			baselineParam(&q.Baseline, "compare with this `SCENARIO[@CONFIGURATION]` (default: the one that the spec names, or the pinned one)"),
			comparedParam("anchor", &q.Anchor, "require no-degradation against this fixed `SCENARIO[@CONFIGURATION]` too, such as a release: many small losses add up"),
			baseParam(&q.Base),
			{Name: "fail-on", Unit: "VERDICT", Help: "fail on this `VERDICT` and worse: warn, inconclusive or fail (default: inconclusive)",
				Value: param.Parsed(&q.Rules.FailOn, parseVerdicts, formatVerdicts)},
		},
		q.Judging.Params(),
	)
}

func parseNames(text string) (list []string, err error) {
	for name := range strings.SplitSeq(text, ",") {
		if name = strings.TrimSpace(name); name == "" {
			return nil, fmt.Errorf("%q: a name is empty", text)
		}
		list = append(list, name)
	}
	return list, nil
}

func formatNames(list []string) string { return strings.Join(list, ",") }

func parseLeaveOut(text string) (list []scoring.LeftOut, err error) {
	for item := range strings.SplitSeq(text, ";") {
		name, reason, _ := strings.Cut(item, "=")
		out := scoring.LeftOut{Name: strings.TrimSpace(name), Reason: strings.TrimSpace(reason)}
		if out.Name == "" || out.Reason == "" {
			return nil, fmt.Errorf("%q: needs a metric or group and the reason, as in NAME=REASON", item)
		}
		list = append(list, out)
	}
	return list, nil
}

func formatLeaveOut(list []scoring.LeftOut) string {
	items := make([]string, len(list))
	for i, out := range list {
		items[i] = out.Name + "=" + out.Reason
	}
	return strings.Join(items, ";")
}

func parseVerdicts(text string) (list []scoring.Verdict, err error) {
	for word := range strings.SplitSeq(text, ",") {
		word = strings.TrimSpace(word)
		v := scoring.Verdict(strings.ToUpper(word))
		if v != scoring.VerdictWarn && v != scoring.VerdictInconclusive && v != scoring.VerdictFail {
			v = scoring.Verdict(word) // the rules refuse it as it was given
		}
		list = append(list, v)
	}
	return list, nil
}

func formatVerdicts(list []scoring.Verdict) string {
	words := make([]string, len(list))
	for i, v := range list {
		words[i] = strings.ToLower(string(v))
	}
	return strings.Join(words, ",")
}

func (q *GateQuestion) Check() error {
	if name := repeated(q.Of); name != "" {
		return &param.Error{Param: "scenario", Message: name + " is named twice"}
	}
	if err := checkRules(q.Rules); err != nil {
		return err
	}
	if err := checkBase(q.Base); err != nil {
		return err
	}
	return q.Judging.Check()
}

// Gate is the verdict on configurations, judged together by the rules of a gate.
type Gate struct {
	verdict.Gate
	Newest     []Side `json:"newest_of,omitempty"`      // configurations that were chosen as the newest of several revisions
	Unrecorded string `json:"unrecorded_look,omitzero"` // why this interim analysis could not be recorded; empty if it was
}

// Conclusion is the worst verdict that the rules fail on.
func (a Gate) Conclusion() Conclusion {
	var failing []scoring.Verdict
	for _, s := range a.Scenarios {
		if s.Failing {
			failing = append(failing, s.Verdict)
		}
	}
	switch {
	case len(failing) == 0:
		return Passed
	case scoring.WorstVerdict(failing...) == scoring.VerdictInconclusive:
		return Inconclusive
	}
	return Failed
}

func (Gate) FitsLogs() {}

func (a Gate) Lead() (lead []Sentence) {
	isOne := len(a.Scenarios) == 1 && a.Scenarios[0].Verdict == a.Verdict
	if isOne {
		lead = append(lead, Sentence{Kind: Verdict, Verdict: a.Verdict, Text: gatedText(a.Scenarios[0])})
	} else {
		lead = append(lead, Sentence{Kind: Verdict, Verdict: a.Verdict, Text: format.Counted(len(a.Scenarios), "scenario")})
	}
	lead = append(lead, a.why()...)
	if !isOne {
		for i, s := range a.Scenarios {
			lead = append(lead, Sentence{Kind: Verdict, Verdict: s.Verdict, Text: gatedText(s), Joined: i > 0})
		}
	}
	for _, text := range a.Unattainable() {
		lead = append(lead, Sentence{Kind: Note, Text: "cannot be met: " + text})
	}
	for _, s := range a.Scenarios {
		if text := s.LeftOutText(); text != "" {
			lead = append(lead, Sentence{Kind: Note, Text: s.Name + ": " + text})
		}
	}
	for _, side := range a.Newest {
		lead = append(lead, side.Newest.note(side)...)
	}
	return append(lead, unrecordedLook(a.Unrecorded)...)
}

// why says what decided on the worst scenario, and what to do next.
func (a Gate) why() []Sentence {
	var worst verdict.ScenarioOutcome
	for _, s := range a.Scenarios {
		if s.Verdict == a.Verdict && (worst.Scenario == "" || s.Failing && !worst.Failing) {
			worst = s
		}
	}
	var deciding []verdict.Outcome // the rules about seeds first
	for _, ofMetrics := range []bool{false, true} {
		for _, o := range worst.Outcomes {
			if o.Verdict == worst.Verdict && (o.Metric != "") == ofMetrics {
				deciding = append(deciding, o)
			}
		}
	}
	if len(deciding) == 0 {
		return nil
	}
	if worst.Verdict == scoring.VerdictPass {
		hint := track.NewHint("make it the baseline of later gates", "baseline", "set", selectorOf(worst)).With("reason", "TEXT")
		return []Sentence{{Kind: Reason, Text: "each rule is shown to hold: " + worst.Rules.String()}, {Kind: Need, Hint: &hint}}
	}
	text := deciding[0].Rule
	if deciding[0].Metric != "" {
		text += ", " + deciding[0].Metric
	}
	if len(a.Scenarios) > 1 {
		text = worst.Name + ", " + text
	}
	text += ": " + deciding[0].Message
	if more := len(deciding) - 1; more > 0 {
		text += fmt.Sprintf(" (and %d more)", more)
	}
	return []Sentence{{Kind: Reason, Text: text}, nextOf(worst, deciding)}
}

// nextOf is what would change a verdict, or where to look.
func nextOf(s verdict.ScenarioOutcome, deciding []verdict.Outcome) Sentence {
	for _, o := range deciding {
		if o.Need != "" {
			return Sentence{Kind: Need, Text: o.Need}
		}
	}
	hint := track.NewHint("look at its seeds and metrics", "stability", selectorOf(s))
	if s.Improvement != nil {
		baseline, _, _ := strings.Cut(s.Baseline, " ")
		hint = track.NewHint("look at what changed", "improvement", selectorOf(s)).With("baseline", baseline)
	}
	return Sentence{Kind: Need, Hint: &hint}
}

func selectorOf(s verdict.ScenarioOutcome) string {
	if s.Configuration == "" {
		name, _, _ := strings.Cut(s.Name, " ") // of the anchor too
		return name
	}
	return s.Scenario + "@" + track.ShortHash(s.Configuration)
}

// gatedText says what was judged, by which rules.
func gatedText(s verdict.ScenarioOutcome) string {
	text := judgedText(s.Name, s.Scenario, s.Configuration, s.Label, s.Revision)
	counted := format.Counted(s.Estimates.NSeeds, "seed")
	if s.NUnscored > 0 {
		counted += fmt.Sprintf(" scored of %d recorded", s.NUnscored)
	}
	text += ", " + counted + "; rules: " + s.Rules.String()
	if !s.Failing && s.Verdict == scoring.VerdictInconclusive {
		text += "; not a failure, because the rules fail on FAIL alone"
	}
	return text
}

// Tables implements [Answer]. People see the rules about seeds, the losses of metrics, and what else metrics have that
// did not pass.
func (a Gate) Tables() []Table {
	rules := Table{Name: "rules", Columns: Columns{
		{Name: "verdict"}, a.scenarioColumn(), {Name: "rule"}, {Name: "measured"}, {Name: "limit"}, {Name: "margin"}, {Name: "n"}, {Name: "p"},
	}.drop("n", "margin", "p")}
	losses := Table{Name: "losses", HiddenIfEmpty: true, Shown: 40, Columns: Columns{
		{Name: "verdict"}, a.scenarioColumn(), {Name: "metric"}, {Name: "delta"}, {Name: "loss", Head: "mean loss"}, {Name: "may_lose", Head: "may lose"}, {Name: "n"}, {Name: "p"},
	}.drop("n", "p")}
	others := Table{Name: "remarks", HiddenIfEmpty: true, Shown: 40, Columns: Columns{
		{Name: "verdict"}, a.scenarioColumn(), {Name: "rule"}, {Name: "metric"}, {Name: "found"},
	}.wrap("found")}
	var bounded []verdict.Outcome
	for _, s := range a.Scenarios {
		for _, o := range s.Outcomes {
			p, _ := o.ShownP()
			switch {
			case o.Metric == "":
				measured := measuredCells(s.Measured, o.Rule)
				rules.Rows = append(rules.Rows, slices.Concat([]any{string(o.Verdict), s.Name, o.Rule}, measured[:], []any{o.N, optionalCell(p, format.PValue)}))
				rules.Notes = append(rules.Notes, a.foundNote(s, o, len(rules.Notes) > 0))
			case o.Verdict == scoring.VerdictPass:
			case o.Rule == verdict.RuleNoDegradation && o.Interval.Method != "":
				losses.Rows = append(losses.Rows, []any{
					string(o.Verdict), s.Name, o.Metric, Cell{format.WithSign(format.Four)(*o.Observed), *o.Observed}, lossCell(o), Cell{format.Four(-*o.Limit), -*o.Limit},
					o.N, optionalCell(p, format.PValue),
				})
				bounded = append(bounded, o)
			default:
				others.Rows = append(others.Rows, []any{string(o.Verdict), s.Name, o.Rule, o.Metric, foundText(o)})
			}
		}
	}
	slices.SortStableFunc(rules.Rows, compareVerdicts)
	slices.SortStableFunc(losses.Rows, compareVerdicts)
	slices.SortStableFunc(others.Rows, compareVerdicts)
	rules.Notes = append(rules.Notes, a.correctionNotes()...)
	losses.Title = fmt.Sprintf("metrics not shown to keep to their threshold (%d), the worst first", len(losses.Rows))
	losses.Notes = boundsText(bounded)
	others.Title = fmt.Sprintf("metrics with a remark (%d), the worst first", len(others.Rows))
	outcomes := a.outcomesTable()
	outcomes.Notes = append(a.needs(), warningNotes(a.warnings())...)
	return []Table{rules, losses, others, outcomes}
}

// scenarioColumn names the scenario of a row; people read it above if there is one alone.
func (a Gate) scenarioColumn() Column {
	if len(a.Scenarios) == 1 {
		return Column{Name: "scenario", For: ForData}
	}
	return Column{Name: "scenario"}
}

// foundNote says in words what was found of a rule.
func (a Gate) foundNote(s verdict.ScenarioOutcome, o verdict.Outcome, joined bool) Sentence {
	text := o.Rule + ": " + foundText(o)
	if len(a.Scenarios) > 1 {
		text = s.Name + ", " + text
	}
	return Sentence{Kind: Note, Text: text, Joined: joined}
}

// correctionNotes say what the p of the tables are corrected for.
func (a Gate) correctionNotes() []Sentence {
	if a.NTests < 2 {
		return nil
	}
	return []Sentence{{Kind: Note, Text: fmt.Sprintf("p of a rule is corrected by Holm for %d tests, that of a metric by max-T before", a.NTests), Joined: true}}
}

func foundText(o verdict.Outcome) string {
	if o.Reason != "" {
		return o.Reason + ": " + o.Message
	}
	return o.Message
}

// lossCell is the bound of a mean loss: at least as much if a test refutes the rule, else at most.
func lossCell(o verdict.Outcome) Cell {
	if o.Verdict == scoring.VerdictFail {
		return Cell{"≥ " + format.Four(-o.Interval.Hi), -o.Interval.Hi}
	}
	return Cell{"≤ " + format.Four(-o.Interval.Lo), -o.Interval.Lo}
}

// boundsText says how the bounds of losses were made, each way once, and what they assume.
func boundsText(list []verdict.Outcome) []Sentence {
	counts := map[string]int{}
	var ways []string
	for _, o := range list {
		sign := "≤"
		if o.Verdict == scoring.VerdictFail {
			sign = "≥"
		}
		way := fmt.Sprintf("%s: %s, with %s", sign, verdict.MethodName(o.Interval.Method), format.Confidence(o.Interval.Confidence)+" confidence")
		if condition := o.Assumption.Condition(); condition != "" {
			way += ", assumes that " + condition
		}
		if counts[way]++; counts[way] == 1 {
			ways = append(ways, way)
		}
	}
	var notes []Sentence
	for i, way := range ways {
		notes = append(notes, Sentence{Kind: Note, Text: fmt.Sprintf("mean loss %s (%s)", way, format.Counted(counts[way], "metric")), Joined: i > 0})
	}
	return notes
}

// compareVerdicts puts rows that begin with a worse verdict first.
func compareVerdicts(a, b []any) int {
	rank := func(row []any) int { return slices.Index(scoring.Verdicts(), scoring.Verdict(row[0].(string))) }
	return rank(b) - rank(a)
}

// needs says what would change the verdicts of the rules about seeds. Of one scenario, the first stands above.
func (a Gate) needs() (notes []Sentence) {
	above := ""
	if len(a.Scenarios) == 1 {
		for _, s := range a.why() {
			above = s.Text // the last one is the next step
		}
	}
	for _, s := range a.Scenarios {
		for _, o := range s.Outcomes {
			if o.Need != "" && o.Metric == "" && o.Need != above {
				notes = append(notes, Sentence{Kind: Need, Text: s.Name + ", " + o.Rule + ": " + o.Need})
			}
		}
	}
	return notes
}

func (a Gate) warnings() (list []verdict.Warning) {
	for _, s := range a.Scenarios {
		for _, w := range s.Warnings {
			list = append(list, verdict.Warning{Code: w.Code, Message: s.Name + ": " + w.Message})
		}
		for _, w := range s.ComparisonWarnings {
			list = append(list, verdict.Warning{Code: w.Code, Message: s.Name + ", against the baseline: " + w.Message})
		}
	}
	return list
}

// outcomesTable has every rule and metric of every scenario, for programs.
func (a Gate) outcomesTable() Table {
	t := Table{Name: "outcomes", Main: true, ForPrograms: true, Columns: columns(
		"scenario", "configuration", "rule", "metric", "verdict", "reason", "observed", "limit", "ci_lo", "ci_hi", "ci_method", "n", "p", "p_tests", "p_corrected", "n_needed", "assumption", "unseen_share", "assumed_loss", "message", "need")}
	for _, s := range a.Scenarios {
		for _, o := range s.Outcomes {
			var lo, hi, needed any
			if o.NNeeded > 0 {
				needed = o.NNeeded
			}
			if o.Interval.Method != "" {
				lo, hi = defined(o.Interval.Lo), defined(o.Interval.Hi)
			}
			t.Rows = append(t.Rows, []any{
				s.Scenario, s.Configuration, o.Rule, o.Metric, string(o.Verdict), o.Reason, o.Observed, o.Limit, lo, hi, o.Interval.Method,
				o.N, o.P, o.PTests, o.PCorrected, needed, string(o.Assumption), o.UnseenShare, o.AssumedLoss, o.Message, o.Need,
			})
		}
	}
	return t
}

// measuredTable shows what seeds measured next to the limits of rules.
func measuredTable() Table {
	return Table{Name: "rules", Title: "Rules", HiddenIfEmpty: true, Columns: Columns{
		{Name: "scenario"}, {Name: "rule"}, {Name: "met"}, {Name: "measured"}, {Name: "at_most", For: ForData}, {Name: "limit"}, {Name: "margin"}, {Name: "of", Head: "measured of"}, {Name: "n"},
	}.drop("n", "of")}
}

func measuredRow(scenario string, m verdict.Measured) []any {
	limit, met := any(Cell{limitText(m), m.Limit}), any("no")
	switch {
	case m.Value == nil && m.Of == verdict.MeasuredMetrics: // their number is not known
		limit, met = nil, nil
	case m.Value == nil:
		met = nil
	case m.Met:
		met = "yes"
	}
	return []any{scenario, m.Rule, met, optionalCell(m.Value, measuredText(m)), m.AtMost, limit, optionalCell(m.Margin, marginText(m)), m.Of, m.N}
}

// measuredText returns how a number that a rule measures is written.
func measuredText(m verdict.Measured) func(float64) string {
	switch m.Of {
	case verdict.MeasuredPassRate:
		return format.Share
	case verdict.MeasuredSeeds, verdict.MeasuredMetrics:
		return func(x float64) string { return strconv.FormatFloat(x, 'f', -1, 64) }
	}
	return format.Four
}

func limitText(m verdict.Measured) string {
	if m.AtMost {
		return "≤ " + measuredText(m)(m.Limit)
	}
	return "≥ " + measuredText(m)(m.Limit)
}

// marginText writes a margin with its sign; that of a share is in percentage points.
func marginText(m verdict.Measured) func(float64) string {
	if m.Of == verdict.MeasuredPassRate {
		return func(x float64) string { return strings.TrimSuffix(format.WithSign(format.Percent)(x), "%") + " points" }
	}
	return format.WithSign(measuredText(m))
}

// measuredCells returns what was measured of a rule, its limit and the margin; nil if nothing is measured of it.
func measuredCells(list []verdict.Measured, rule string) (cells [3]any) {
	var texts [3][]string
	for _, m := range list {
		if m.Rule != rule || m.Value == nil {
			continue
		}
		for k, text := range []string{measuredText(m)(*m.Value), limitText(m), marginText(m)(*m.Margin)} {
			if k == 0 && len(texts[k]) > 0 { // a rule that measures two things
				text = m.Of + " " + text
			}
			texts[k] = append(texts[k], text)
		}
	}
	for k := range cells {
		if len(texts[k]) > 0 {
			cells[k] = strings.Join(texts[k], "; ")
		}
	}
	return cells
}

// GatePreview is what a gate would judge by which rules, without a verdict. So it is no interim analysis.
type GatePreview struct {
	Scenarios []PreviewedScenario `json:"scenarios"`
	Newest    []Side              `json:"newest_of,omitempty"` // configurations that were chosen as the newest of several revisions
}

// PreviewedScenario is what a gate would judge of one scenario. Problem says why there is nothing to judge: no_seeds,
// no_spec, not_assessed; empty if there is something.
type PreviewedScenario struct {
	Name          string            `json:"name"` // as it was asked for
	Scenario      string            `json:"scenario"`
	Configuration string            `json:"configuration"`
	Label         string            `json:"label"`
	Revision      string            `json:"revision"`
	Rules         scoring.GateRules `json:"rules"`
	Problem       string            `json:"problem,omitzero"`
	Estimates     verdict.Estimates `json:"estimates"`

	Measured []verdict.Measured `json:"measured"` // of each rule, next to its limit
}

func (a GatePreview) Lead() (lead []Sentence) {
	for _, s := range a.Scenarios {
		text := s.text()
		if s.Problem != "" {
			text += "; nothing to judge: " + s.Problem
		}
		lead = append(lead, Sentence{Kind: Heading, Text: text})
	}
	lead = append(lead, Sentence{Kind: Note, Text: "This is a preview: nothing is judged. A rule is met here if the seeds themselves keep its limit. The gate also asks how sure that is."})
	for _, side := range a.Newest {
		lead = append(lead, side.Newest.note(side)...)
	}
	return lead
}

// text says what would be judged.
func (s PreviewedScenario) text() string {
	return judgedText(s.Name, s.Scenario, s.Configuration, s.Label, s.Revision) + ", " + format.Counted(s.Estimates.NSeeds, "seed")
}

// judgedText names a configuration that a gate judges.
func judgedText(name, scenario, configuration, label, revision string) string {
	text := name
	if configuration != "" && name == scenario {
		text += "@" + track.ShortHash(configuration)
	}
	if label != "" {
		text += ", label " + label
	}
	if revision != "" && revision != "-" {
		text += ", revision " + revision
	}
	return text
}

func (a GatePreview) Tables() []Table {
	rules := measuredTable()
	t := Table{Name: "estimates", Title: "Estimates", Main: true}
	for _, s := range a.Scenarios {
		for _, m := range s.Measured {
			rules.Rows = append(rules.Rows, measuredRow(s.Name, m))
		}
		rules.Notes = append(rules.Notes, Sentence{Kind: Note, Text: s.Name + ": " + strings.Join(s.Rules.Settings(), ", ")})
		estimates := estimatesTable(s.Estimates)
		t.Columns = slices.Concat(Columns{{Name: "scenario"}}, estimates.Columns)
		for _, row := range estimates.Rows {
			t.Rows = append(t.Rows, slices.Concat([]any{s.Name}, row))
		}
	}
	for i := range t.Columns {
		if t.Columns[i].Name == "interval" { // scenarios may differ in their confidence
			t.Columns[i].Head = ""
		}
	}
	return []Table{rules, t}
}
