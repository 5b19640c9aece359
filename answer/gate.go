package answer

import (
	"fmt"
	"slices"
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
