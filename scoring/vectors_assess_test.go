package scoring

import (
	"encoding/json"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// measuredMetric is a metric of a specification together with the value that a seed measured.
type measuredMetric struct {
	Name       string
	CheckType  Type `json:"check_type"`
	Actual     jsonNumber
	Target     params
	Weight     *jsonNumber
	Threshold  jsonNumber
	Invert     bool
	TargetDesc string `json:"target_desc"`
}

func (m measuredMetric) metric() (metric Metric, missing string) {
	p := m.Target
	p.Threshold, p.Invert = &m.Threshold, m.Invert // the origin takes them from the arguments, never from the target
	target, missing := p.target(m.CheckType)
	metric = Metric{Name: m.Name, Weight: 1, Target: target, Format: FormatDefault, TargetDesc: m.TargetDesc}
	if m.Weight != nil {
		metric.Weight = float64(*m.Weight)
	}
	return metric, missing
}

// refused lists the cases whose spec track does not accept, with the field that the refusal names. The metric is
// empty where the spec itself is at fault.
var refused = map[string]struct{ metric, field string }{
	"evaluate_metric/h0023": {"m", "tolerance"}, // tolerance 0; the origin raises
	"evaluate_metric/h0024": {"m", "tolerance"}, // no tolerance; the origin raises
	"evaluate_metric/h0038": {"m", "max"},       // no max; the origin raises
	"validate/h0003":        {"", "metrics"},    // the only weight is 0; the origin raises
	"validate/h0004":        {"", "metrics"},    // no metrics; the origin raises
	"validate/h0006":        {"a", "weight"},    // weights -1 and 1; the origin raises, as they cancel
	"validate/h0007":        {"a", "weight"},    // weights -1 and 2; the origin gives 0.75 for scores of 1 and 0.875
	"validate/h0009":        {"a", "target"},    // target NaN; the origin gives a NaN total that passes
	"validate/h0011":        {"a", "tolerance"}, // tolerance 0; the origin raises
}

// verdict is the status and score of a metric.
type verdict struct {
	status Status
	score  float64
}

// departures lists the cases with a NaN or infinite value in which the origin does not say FAIL with score 0, as
// track does in every type.
var departures = map[string]struct {
	metric string
	origin verdict
}{
	// NaN is neither below a hard minimum nor above a hard maximum, and the origin softens the FAIL inside them to WARN.
	"evaluate_metric/h0017": {"m", verdict{Warn, 0}},
	"validate/h0010":        {"a", verdict{Warn, 0}},
	"validate/h0038":        {"m6", verdict{Warn, 0}},
	// +Inf is above every threshold.
	"evaluate_metric/h0063": {"m", verdict{Pass, 1}},
}

func checkEvaluateMetric(t *testing.T, v vector) {
	m := decode[measuredMetric](t, v.Args)
	m.Name = "m"
	if v.raises() {
		checkAssess(t, v.ID, []measuredMetric{m}, Assessment{})
		return
	}
	want := decode[struct {
		Status     Status
		Score      jsonNumber
		TargetDesc string `json:"target_desc"`
	}](t, v.Expected)
	checkAssess(t, v.ID, []measuredMetric{m}, count(Assessment{
		Results:    []Result{{Name: "m", Value: float64(m.Actual), Status: want.Status, Score: float64(want.Score)}},
		TotalScore: float64(want.Score), // the mean of one score
		Scored:     true,
	}))
	// A description that is given is shown as it is. Where none is given, the texts differ from the origin's on purpose:
	// its "range: [0.00, 0.00]" for [0.001, 0.002] says nothing.
	metric, _ := m.metric()
	if m.TargetDesc != "" && metric.Description() != want.TargetDesc {
		t.Errorf("description %q, want %q", metric.Description(), want.TargetDesc)
	}
}

func checkValidate(t *testing.T, v vector) {
	args := decode[struct{ Metrics []measuredMetric }](t, v.Args)
	if v.raises() {
		checkAssess(t, v.ID, args.Metrics, Assessment{})
		return
	}
	expected := decode[struct {
		Metrics []struct {
			Name   string
			Status Status
			Score  jsonNumber
		}
		TotalScore jsonNumber `json:"total_score"`
		NPass      int        `json:"n_pass"`
		NWarn      int        `json:"n_warn"`
		NFail      int        `json:"n_fail"`
		Passed     bool
	}](t, v.Expected)
	want := Assessment{
		TotalScore: float64(expected.TotalScore), Scored: true,
		NPass: expected.NPass, NWarn: expected.NWarn, NFail: expected.NFail,
	}
	for i, m := range expected.Metrics {
		want.Results = append(want.Results, Result{
			Name: m.Name, Value: float64(args.Metrics[i].Actual), Status: m.Status, Score: float64(m.Score),
		})
	}
	if want.Passed() != expected.Passed {
		t.Errorf("the origin says passed = %v with n_fail = %d", expected.Passed, expected.NFail)
	}
	checkAssess(t, v.ID, args.Metrics, want)
}

// checkAssess assesses the measured metrics as one seed. want is what the origin says.
func checkAssess(t *testing.T, id string, metrics []measuredMetric, want Assessment) {
	t.Helper()
	spec := Spec{Scenario: "vectors"}
	values := map[string]float64{}
	var problems []Problem
	for i, m := range metrics {
		metric, missing := m.metric()
		if missing != "" {
			field := FieldProblem{Field: missing, Message: "missing"}
			problems = append(problems, Problem{Metric: i, Name: m.Name, FieldProblem: field})
		}
		spec.Metrics = append(spec.Metrics, metric)
		values[m.Name] = float64(m.Actual)
	}
	problems = append(problems, spec.Problems()...)

	if refusal, ok := refused[id]; ok {
		if !slices.ContainsFunc(problems, func(p Problem) bool {
			return p.Name == refusal.metric && p.Field == refusal.field
		}) {
			t.Errorf("problems %v, want one with field %q of metric %q", problems, refusal.field, refusal.metric)
		}
		return
	}
	if len(problems) > 0 {
		t.Fatalf("the spec is refused: %v", problems)
	}
	want = depart(t, id, want)
	got := Assess(spec, values)
	if diff := cmp.Diff(want, got, approx); diff != "" {
		t.Errorf("Assess (-want +got):\n%s", diff)
	}
}

// depart turns what the origin says into what track says, which differs only in the cases listed in departures.
func depart(t *testing.T, id string, origin Assessment) Assessment {
	t.Helper()
	want := origin
	want.Results = slices.Clone(origin.Results)
	for i, r := range want.Results {
		want.Results[i].Reason = reason(r.Value)
		d, ok := departures[id]
		if !ok || d.metric != r.Name {
			continue
		}
		if got := (verdict{r.Status, r.Score}); got != d.origin {
			t.Errorf("the origin says %v for %s, and is listed with %v", got, r.Name, d.origin)
		}
		want.Results[i].Status, want.Results[i].Score = Fail, 0
		if len(want.Results) == 1 {
			want.TotalScore = 0 // the score of the only metric
		} // in the others the score was 0 before, and the total stays
		want = count(want)
	}
	return want
}

// TestDeparturesComplete derives from the vectors alone where the origin does not say FAIL with score 0 for a NaN or
// infinite value: the table names these cases and no others.
func TestDeparturesComplete(t *testing.T) {
	found := map[string]string{}
	for _, v := range readVectors(t) {
		var metrics []measuredMetric
		var verdicts []struct {
			Status Status
			Score  jsonNumber
		}
		switch {
		case v.raises():
			continue
		case v.Fn == "evaluate_metric":
			m := decode[measuredMetric](t, v.Args)
			m.Name = "m"
			metrics = append(metrics, m)
			if err := json.Unmarshal(slices.Concat([]byte("["), v.Expected, []byte("]")), &verdicts); err != nil {
				t.Fatal(err)
			}
		case v.Fn == "validate":
			metrics = decode[struct{ Metrics []measuredMetric }](t, v.Args).Metrics
			expected := decode[struct{ Metrics json.RawMessage }](t, v.Expected)
			if err := json.Unmarshal(expected.Metrics, &verdicts); err != nil {
				t.Fatal(err)
			}
		}
		for i, m := range metrics {
			if reason(float64(m.Actual)) != "" && (verdicts[i].Status != Fail || verdicts[i].Score != 0) {
				found[v.ID] = m.Name
			}
		}
	}
	listed := map[string]string{}
	for id, d := range departures {
		listed[id] = d.metric
	}
	if diff := cmp.Diff(listed, found); diff != "" {
		t.Errorf("departures (-listed +in the vectors):\n%s", diff)
	}
}
