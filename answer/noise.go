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

// NoiseQuestion asks how often decisions would find a difference between identical configurations.
type NoiseQuestion struct {
	Of         Selector
	Seeds      []track.SeedRange // none for all
	Confidence *float64          // nil for the default
	Rules      scoring.GateRules // replace those of the spec
	Base       *float64          // of the degradation threshold; nil for the spec's
	Margin     float64
	Sizes      []int // numbers of seeds to try, next to the recorded one; none for a default
	Resamples  int
	DrawSeed   *uint64 // of the resampling; nil for 1
}

// maxResamples bounds the work of one question.
const maxResamples = 100_000

func (q *NoiseQuestion) Params() param.List {
	q.Resamples = 1000
	return slices.Concat(
		param.List{scenarioParam(&q.Of, "resample the seeds of this scenario"), seedsParam(&q.Seeds), confidenceParam(&q.Confidence)},
		rulesParams(&q.Rules),
		param.List{
			baseParam(&q.Base), marginParam(&q.Margin),
			{Name: "sizes", Unit: "N,N,…", Value: param.Parsed(&q.Sizes, parseSizes, formatPlan),
				Help: "try these numbers of seeds, `N,N,…`, next to the recorded one (default: 3,5,10,20,30,50,100,200)"},
			{Name: "resamples", Unit: "N", Help: "draw `N` pairs of samples at each size", Value: param.Whole(&q.Resamples, 1)},
			{Name: "draw-seed", Unit: "SEED", Help: "draw with this `SEED` (default: 1)", Value: param.Seed(&q.DrawSeed)},
		})
}

func parseSizes(text string) ([]int, error) {
	var sizes []int
	for word := range strings.SplitSeq(text, ",") {
		n, err := strconv.Atoi(strings.TrimSpace(word))
		if err != nil || n < 2 || n > maxResamples {
			return nil, fmt.Errorf("%s: %q is not a number of seeds from 2 to %d", text, word, maxResamples)
		}
		sizes = append(sizes, n)
	}
	return sizes, nil
}

// Check returns an error if a parameter is out of its range.
func (q *NoiseQuestion) Check() error {
	if q.Resamples > maxResamples {
		return &param.Error{Param: "resamples", Message: fmt.Sprintf("%d: must be at most %d", q.Resamples, maxResamples)}
	}
	for _, err := range []error{checkBase(q.Base), checkMargin(q.Margin), checkRules(q.Rules), checkConfidence(q.Confidence)} {
		if err != nil {
			return err
		}
	}
	return nil
}

// Noise is an A/A check of the seeds of one configuration.
type Noise struct {
	Side
	Spec        SpecRef           `json:"spec"`
	Rules       scoring.GateRules `json:"rules"` // of the gate
	Base        float64           `json:"max_degradation_base"`
	Margin      float64           `json:"margin"`
	Confidence  float64           `json:"confidence"`
	NFailed     int               `json:"n_failed"` // seeds without a score, which are drawn like the others
	MaxFlipRate float64           `json:"max_flip_rate"`
	verdict.Noise
}

func (a Noise) Lead() []Sentence {
	texts := []string{
		a.Side.String(),
		fmt.Sprintf("spec version %d, %s, %d without a score, %s", a.Spec.Version, format.Counted(a.NSeeds, "seed"), a.NFailed, a.Method),
		"gate: " + a.Rules.String(),
		fmt.Sprintf("improvement check: base %v, margin %v", a.Base, a.Margin),
	}
	var lead []Sentence
	for i, text := range texts {
		lead = append(lead, Sentence{Kind: Heading, Text: text, Joined: i > 0})
	}
	return append(lead, a.Side.Newest.note(a.Side)...)
}

func (a Noise) Tables() []Table {
	t := Table{Name: "sizes", Notes: a.notes(), Columns: Columns{
		{Name: "n"}, {Name: "gate_flips", Head: "gate flips"}, {Name: "gate_flips_interval", Head: "95% interval", For: ForPeople},
		{Name: "gate_verdict", Head: "most frequent verdict", For: ForPeople},
		{Name: "false_degraded", Head: "false degraded"}, {Name: "false_degraded_interval", Head: "95% interval", For: ForPeople},
		{Name: "false_decision", Head: "false verdict"}, {Name: "false_decision_interval", Head: "95% interval", For: ForPeople},
		{Name: "mean_abs_difference", Head: "|delta| of totals"}, {Name: "mean_largest_metric_loss", For: ForData},
	}.drop("mean_abs_difference", "false_decision_interval", "false_degraded_interval", "gate_flips_interval", "gate_verdict").wrap("gate_verdict")}
	for i, at := range a.At {
		n := strconv.Itoa(at.N)
		if i == a.Current {
			n += " *"
		}
		row := []any{Cell{n, at.N}}
		row = append(row, rateCells(at.GateFlips)...)
		row = append(row, mostFrequent(at.GateVerdicts))
		row = append(row, rateCells(&at.FalseDegraded)...)
		row = append(row, rateCells(&at.FalseDecision)...)
		t.Rows = append(t.Rows, append(row, at.MeanAbsDifference, at.LargestMetricDelta))
	}
	return []Table{t}
}

// rateCells returns a rate and its interval; nothing for nil.
func rateCells(r *verdict.Rate) []any {
	if r == nil {
		return []any{nil, nil}
	}
	return []any{numberCell(r.Rate, format.Share), intervalCell(r.Interval, format.Share)}
}

// mostFrequent names the verdict that a gate gives most often: a gate that never decides also never flips.
func mostFrequent(verdicts map[scoring.Verdict]int) any {
	total, most := 0, scoring.Verdict("")
	for _, v := range scoring.Verdicts() {
		total += verdicts[v]
		if most == "" || verdicts[v] > verdicts[most] {
			most = v
		}
	}
	if total == 0 {
		return nil
	}
	return fmt.Sprintf("%s %s", most, format.Share(float64(verdicts[most])/float64(total)))
}

func (a Noise) notes() []Sentence {
	var notes []Sentence
	for _, text := range []string{
		"* the recorded number of seeds",
		a.gateText(),
		a.steadyText("the improvement check falsely finds degraded metrics", a.SteadyCheck, func(at verdict.NoiseAt) *verdict.Rate { return &at.FalseDegraded }),
		fmt.Sprintf("the verdict on the total score is false in at most about %s of the cases at any n: that is its level", format.Share(1-a.Confidence)),
		"an interval holds the rates of 95% of the populations that these seeds could come from",
	} {
		notes = append(notes, Sentence{Kind: Note, Text: text, Joined: len(notes) > 0})
	}
	return append(notes, warningNotes(a.Warnings)...)
}

func (a Noise) gateText() string {
	if !a.HasGate() {
		return "the gate has no rule about seeds"
	}
	return a.steadyText("the gate flips", a.SteadyGate, func(at verdict.NoiseAt) *verdict.Rate { return at.GateFlips })
}

// steadyText says from how many seeds on a rate is shown to be small, or that the recorded seeds cannot say so.
func (a Noise) steadyText(what string, from *int, rate func(verdict.NoiseAt) *verdict.Rate) string {
	limit := format.Share(verdict.MaxFlipRate)
	if from != nil {
		return fmt.Sprintf("%s in at most %s of the cases from %d seeds on (upper end of the interval)", what, limit, *from)
	}
	text := fmt.Sprintf("%s: %s cannot say from how many seeds on that is in at most %s of the cases", what, format.Counted(a.NSeeds, "seed"), limit)
	if len(a.At) > 0 {
		if last := a.At[len(a.At)-1]; rate(last) != nil {
			text += fmt.Sprintf("; at n = %d it could be up to %s", last.N, format.Share(rate(last).Interval.Hi))
		}
		if a.Current < 0 || a.Current >= len(a.At) {
			return text
		}
		if need := rate(a.At[a.Current]); need != nil && need.NPilotNeeded > 0 {
			text += fmt.Sprintf("; about %d recorded seeds would say whether it is at n = %d", need.NPilotNeeded, a.At[a.Current].N)
		}
	}
	return text
}
