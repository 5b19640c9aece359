package reports_test

import (
	"math"
	"slices"
	"strings"
	"testing"

	"track"
	"track/answer"
	"track/reports"
	"track/reports/document"
	"track/scoring"
	"track/scoring/verdict"
)

// A target of which every value from 0 to 1 is within.
func withinUnit(name string) scoring.Metric {
	return scoring.Metric{Name: name, Weight: 1, Target: scoring.Range{Max: 1}}
}

// stabilityOf is what a report tells of seeds with these total scores and one metric; NaN stands for a crash.
func stabilityOf(scores ...float64) answer.StabilityReport {
	spec := scoring.Spec{Scenario: "s", Metrics: []scoring.Metric{withinUnit("a")}}
	var assessments []scoring.Assessment
	d := answer.StabilityReport{Side: answer.Side{Scenario: "s", Configuration: track.RecordedConfiguration{Hash: strings.Repeat("0123456789abcdef", 4)}}}
	for i, score := range scores {
		seed := answer.SeedStatuses{Number: track.SeedNumber(i), Outcome: track.OutcomeError, Score: math.NaN()}
		a := scoring.Assessment{}
		if score == score {
			a = scoring.Assess(spec, map[string]float64{"a": score})
			seed = answer.SeedStatuses{Number: seed.Number, Outcome: track.OutcomeOK, Scored: true, Passed: a.NFail == 0, Score: a.TotalScore, Statuses: []scoring.PackedStatus{scoring.Pack(a.Results[0].Status)}}
		}
		if !seed.Passed {
			d.Stability.FailingSeeds = append(d.Stability.FailingSeeds, track.FailingSeed{Number: seed.Number, Outcome: seed.Outcome, Reason: "boom"})
		}
		assessments, d.Seeds = append(assessments, a), append(d.Seeds, seed)
	}
	d.Spec = answer.SpecVersion{ScenarioSpec: answer.ScenarioSpec{Scenario: "s", SpecRef: answer.SpecRef{Version: 1, Hash: strings.Repeat("f", 64)}}, Declared: spec}
	d.Stability.Stability = scoring.Aggregate(spec, assessments)
	d.Stability.Judgement = verdict.Judge(d.Stability.Stability, verdict.Coverage{}, scoring.DefaultConfidence)
	return d
}

// texts are all texts of a document, one on a line.
func texts(blocks []document.Block) string {
	var b strings.Builder
	add := func(texts ...document.Text) {
		for _, text := range texts {
			for _, span := range text {
				b.WriteString(span.Text)
			}
			b.WriteByte('\n')
		}
	}
	for _, block := range blocks {
		switch block := block.(type) {
		case document.Heading:
			add(document.T(block.Text))
		case document.Paragraph:
			add(block.Text)
		case document.List:
			add(block.Items...)
		case document.Table:
			for _, row := range block.Rows {
				add(slices.Concat(row...))
			}
		case document.Picture:
			add(document.T(block.Alt))
		case document.Code:
			add(document.T(block.Text))
		case document.Details:
			add(block.Summary)
			b.WriteString(texts(block.Blocks))
		case document.Note:
			b.WriteString(texts(block.Blocks))
		}
	}
	return b.String()
}

// headings are the sections of a document.
func headings(d document.Document) (list []string) {
	for _, b := range d.Blocks {
		if h, ok := b.(document.Heading); ok {
			list = append(list, h.Text)
		}
	}
	return list
}

func TestStabilitySections(t *testing.T) {
	d := reports.Stability(stabilityOf(0.1, 0.2, math.NaN(), 0.4, math.NaN(), math.NaN()))
	want := []string{
		"Gate", "Metrics, the worst first", "Metric by seed", "Scores over seeds", "Failing seeds (3 of 6)", "What changed since the previous configuration",
		"Warnings", "Provenance", "How to reproduce",
	}
	if got := headings(d); !slices.Equal(got, want) {
		t.Errorf("sections %q, want %q", got, want)
	}
	text := texts(d.Blocks)
	for _, want := range []string{
		"Configuration s@0123456789. 6 seeds (0..5), judged under spec version 1 with 1 metric.",
		"2, 4, 5errorboom-", // which failed alike
		"3 of 6 seeds have no score, count as not passed, with score 0, and are left out of the score of seeds that ran.",
		"Status of 1 metric in 6 seeds: PASS 3, WARN 0, FAIL 0; 3 failed seeds.",
		"Total scores of 3 seeds; 3 failed seeds without a score; score of seeds that ran 0.8667",
		"track report stability s@0123456789 --spec 1 -o report.md\n",
		"the revision of the code is not recorded; no parameters are recorded.",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("the report does not say %q:\n%s", want, text)
		}
	}
}

// The spread of one seed is not 0 but unknown.
func TestOneSeedHasNoSpread(t *testing.T) {
	text := texts(reports.Stability(stabilityOf(0.5)).Blocks)
	for _, no := range []string{"std 0", "± 0"} {
		if strings.Contains(text, no) {
			t.Errorf("the report says %q of one seed:\n%s", no, text)
		}
	}
}

// Of very many seeds the report stays short, and says what it leaves out.
func TestManySeeds(t *testing.T) {
	scores := make([]float64, 20_000)
	for i := range scores {
		if scores[i] = float64(i) / 20_000; i%2 == 0 {
			scores[i] = math.NaN()
		}
	}
	data := stabilityOf(scores...)
	for i := range data.Stability.FailingSeeds {
		data.Stability.FailingSeeds[i].Reason = strings.Repeat("x", i%1000) // no two alike
	}
	text := texts(reports.Stability(data).Blocks)
	if len(text) > 200_000 {
		t.Errorf("%d bytes", len(text))
	}
	for _, want := range []string{"500 seeds, the lowest score first; 9500 higher ones are left out", "280 more, the worst first; 7000 seeds left out"} {
		if !strings.Contains(text, want) {
			t.Errorf("the report does not say %q:\n%s", want, text)
		}
	}
}

func TestImprovementSections(t *testing.T) {
	spec := scoring.Spec{Scenario: "s", Metrics: []scoring.Metric{withinUnit("a"), withinUnit("b")}}
	side := func(from, to int, a float64) (seeds []verdict.JudgedSeed) {
		for i := from; i < to; i++ {
			x := a + float64(i)/1000
			seeds = append(seeds, verdict.JudgedSeed{Number: uint64(i), Passed: true, Total: x, Scores: []float64{x, 0.5}})
		}
		return seeds
	}
	candidate, baseline := side(0, 9, 0.2), side(1, 10, 0.8)
	candidate[3] = verdict.JudgedSeed{Number: 3, Failed: "timeout"}
	candidate[5], baseline[4] = verdict.JudgedSeed{Number: 5, Failed: "oom"}, verdict.JudgedSeed{Number: 5, Failed: "oom"}
	i, err := verdict.Compare(spec, candidate, baseline, verdict.Options{Confidence: 0.95, Base: 0.25})
	if err != nil {
		t.Fatal(err)
	}
	d := reports.Improvement(answer.ImprovementReport{
		Improvement: answer.Improvement{
			Candidate: answer.Side{Scenario: "s", Configuration: track.RecordedConfiguration{Hash: "c0ffee", Configuration: track.Configuration{Label: "new"}}},
			Baseline:  answer.Side{Scenario: "s", Configuration: track.RecordedConfiguration{Hash: "ba5e"}},
			Spec:      answer.ScenarioSpec{Scenario: "s", SpecRef: answer.SpecRef{Version: 3}}, Improvement: i,
		},
		CandidateSeeds: candidate, BaselineSeeds: baseline,
		Parameters: []answer.ParameterChange{{Name: "theta", After: "14"}}, Ranges: "0..9",
	})
	want := []string{
		"What the verdict rests on", "Metrics degraded by the point comparison (1 of 2)", "Change of each metric", "Total score by seed", "The other metrics (1 of 2), the worst first", "Unmatched seeds (2)",
		"What differs", "Warnings", "Provenance", "Candidate", "Baseline", "How to reproduce",
	}
	if got := headings(d); !slices.Equal(got, want) {
		t.Errorf("sections %q, want %q", got, want)
	}
	text := texts(d.Blocks)
	for _, want := range []string{
		"FAIL: the candidate is worse (8 pairs).",
		"Only on the side of the candidate, and left out: 1 (0).", "Only on the side of the baseline, and left out: 1 (9).", "Matched: 8 pairs, 80.0% of the seeds of both sides together.",
		"1 paired seed without a score on one side, 1 on both; the missing score counts as 0:\n3candidatetimeout\n5candidateoom\n5baselineoom\n",
		"30.8030no score-0.8030\n", "5no scoreno score+0.0000\n",
		"the candidate is higher in 0, lower in 7, equal in 1; a seed without a score counts as 0: candidate 2, baseline 1.\n",
		"parameter thetanot set14\n", "label" + "not setnew\n",
		"track improvement s@c0ffee --baseline s@ba5e --spec 3 --base 0.25 --seeds 0..9\n",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("the report does not say %q:\n%s", want, text)
		}
	}
	if d.Title != "Improvement of s: new (theta=14) over ba5e" {
		t.Error(d.Title)
	}
}

// Equal scores have no t interval: one from 0 to 0 would claim that other seeds give the same. What is known without an
// assumption is printed: the sd is at most 0.5, and the mean as Markov's inequality says.
func TestEqualScoresHaveNoTInterval(t *testing.T) {
	for _, tt := range []struct {
		scores []float64
		want   bool
	}{{[]float64{0.5, 0.5, 0.5, 0.5, 0.5, 0.5}, false}, {[]float64{0.5, 0.5, 0.5, 0.5, 0.5, 0.6}, true}} {
		for _, row := range answer.EstimateRows(stabilityOf(tt.scores...).Stability.Estimates) {
			if row.Name != "sd of scores" && row.Name != "mean score" {
				continue
			}
			if row.Interval == "" || row.Lo == row.Hi || strings.Contains(row.Method, "too few or equal scores") == tt.want {
				t.Errorf("%s of %v: %q by %q", row.Name, tt.scores, row.Interval, row.Method)
			}
		}
		alt := texts(reports.Stability(stabilityOf(tt.scores...)).Blocks)
		if strings.Contains(alt, "(95% t interval") != tt.want {
			t.Errorf("%v: %s", tt.scores, alt)
		}
	}
}

// A t interval does not know where scores end: it is cut, and that is said.
func TestIntervalsAreCutToWhatIsPossible(t *testing.T) {
	const metric, mean = "Intervals are cut to 0 to 1, the range of a score", "t, if the mean is about normal; cut to what is possible"
	for _, tt := range []struct {
		scores []float64
		want   bool
	}{{[]float64{5, 0.5, 0.5, 0.4, 0.5}, true}, {[]float64{0.8, 0.9, 0.8, 0.7, 0.9}, false}} {
		text := texts(reports.Stability(stabilityOf(tt.scores...)).Blocks)
		if strings.Contains(text, metric) != tt.want || strings.Contains(text, mean) != tt.want {
			t.Errorf("%v: want %v:\n%.2500s", tt.scores, tt.want, text)
		}
	}
}

// The column interval holds intervals only.
func TestDetectableEffectHasNoInterval(t *testing.T) {
	detectable, dz := 0.0175, 1.0
	i := verdict.Improvement{NPairs: 10, Total: &verdict.TotalDelta{Detectable: &detectable, DetectableDz: &dz}}
	for _, row := range answer.TotalRows(i) {
		if row.Name == "detectable effect" && (row.Detail != "" || !strings.Contains(row.Method, "1.00 sds (dz)")) {
			t.Errorf("%+v", row)
		}
	}
}

// The smallest p of n pairs is 2/2^n, with 10 metrics as with one: 0.0625 for 5 pairs, 0.0312 for 6.
func TestImprovementThatNothingCanDecide(t *testing.T) {
	for n, want := range map[int]string{5: "With 5 pairs, no change of a metric can be significant: the smallest possible p is 0.0625", 6: ""} {
		d := answer.ImprovementReport{Improvement: answer.Improvement{Improvement: verdict.Improvement{
			NPairs: n, Total: new(verdict.TotalDelta), Options: verdict.Options{Confidence: 0.95}, Metrics: make([]verdict.MetricDelta, 10),
		}}}
		for i := range d.Improvement.Metrics {
			d.Improvement.Metrics[i].Status = scoring.Pass
		}
		text := texts(reports.Improvement(d).Blocks)
		if want != "" && strings.Count(text, want) != 1 || want == "" && strings.Contains(text, "can be significant") {
			t.Errorf("%d pairs: want %q in\n%.3000s", n, want, text)
		}
	}
}

// The title has the label alone, unless others have it too; the parameters that differ among them come first.
func TestStabilityParameters(t *testing.T) {
	d := stabilityOf(0.5, 0.6)
	d.Configuration.Configuration = track.Configuration{Label: "theta-14", Params: `{"a":1,"theta":14}`}
	first := reports.Stability(d)
	if want := "Stability of s@0123456789 (theta-14)"; first.Title != want {
		t.Errorf("title %q, want %q", first.Title, want)
	}
	if text := texts(first.Blocks); !strings.Contains(text, "Parameters: a=1 theta=14.\n") {
		t.Errorf("the first configuration lacks its parameters:\n%.1000s", text)
	}
	d.Differing = []answer.Parameter{{Name: "theta", Value: "14"}}
	want := "Parameters that differ among the configurations of this label: theta=14. The others: a=1.\n"
	if text := texts(reports.Stability(d).Blocks); !strings.Contains(text, want) {
		t.Errorf("the report does not say %q:\n%.1000s", want, text)
	}
	if want := "Stability of s@0123456789 (theta-14, theta=14)"; reports.Stability(d).Title != want {
		t.Errorf("next to one of the same label the title is %q, want %q", reports.Stability(d).Title, want)
	}
}
