package rubric

import (
	"encoding/json"
	"math"
	"slices"
	"strings"
	"testing"
	"time"
)

// TestWorkedExamples are those of the reference, section 2. It gives two decimals.
func TestWorkedExamples(t *testing.T) {
	nineOfTen := Execution{Calls: append(slices.Repeat([]Call{ok("Read")}, 9), failing("Bash", ""))}
	minute := Execution{Complexity: medium, Duration: ptr(60 * time.Second), Calls: slices.Repeat([]Call{ok("Read")}, 15)}
	eightTools := Execution{Complexity: medium, Calls: slices.Repeat([]Call{ok("Read")}, 8)}
	twoAndRetry := Execution{Calls: []Call{failing("Bash", "a"), failing("Bash", "a"), ok("Read")}}
	for _, c := range []struct {
		name      string
		e         Execution
		component string
		want      float64
	}{
		{"9 of 10 calls succeed", nineOfTen, toolSuccessRate, 0.90},
		{"60 s of 120 s; the 15 calls do not count", minute, Efficiency, 0.50},
		{"8 of 15 tools", eightTools, Efficiency, 0.47},
		{"2 tool failures + 1 retry: error rate 0.30", twoAndRetry, OneMinusErrorRate, 0.70},
	} {
		for _, name := range Names() {
			s := named(t, name).Score(c.e, Options{})
			if got := value(t, s, c.component); math.Round(100*got)/100 != c.want {
				t.Errorf("%s under %s: %s is %v, want %v", c.name, name, c.component, got, c.want)
			}
		}
	}
	s := named(t, V2).Score(twoAndRetry, Options{})
	d := component(t, s, OneMinusErrorRate).Detail.(errorsDetail)
	if d.FailedCalls != 2 || d.Retries != 1 || !near(d.ErrorRate, 0.3) {
		t.Errorf("counted %+v", d)
	}
	s = named(t, V2).Score(minute, Options{})
	if d := component(t, s, Efficiency).Detail.(efficiencyDetail); d.Used != "time" {
		t.Errorf("efficiency says that it used %q", d.Used)
	}
}

// TestPerfect: both rubrics reach 100 in a coding task. In others rubric/1 ends at 96.25: 0.25·0.5·0.3 = 3.75 % are
// for code.
func TestPerfect(t *testing.T) {
	prose := perfect()
	prose.TaskType = "analysis"
	for _, c := range []struct {
		rubric string
		e      Execution
		want   float64
	}{{v1, perfect(), 100}, {V2, perfect(), 100}, {v1, prose, 96.25}, {V2, prose, 100}} {
		s := named(t, c.rubric).Score(c.e, Options{})
		if !s.Defined || s.Value != c.want || s.Grade != gradeAPlus || s.Rubric != c.rubric {
			out, _ := json.MarshalIndent(s, "", " ")
			t.Errorf("%s, %s: %v, want %v\n%s", c.rubric, c.e.TaskType, s.Value, c.want, out)
		}
	}
}

// TestFormula: 0.35·0.5 + 0.25·((1 + 1)/2) + 0.20·0.25 + 0.15·0.9 + 0.05·1 = 0.66.
func TestFormula(t *testing.T) {
	e := perfect()
	e.Calls = []Call{ok("Bash"), failing("Bash", "")}
	e.Duration = ptr(90 * time.Second)
	for _, name := range Names() {
		if s := named(t, name).Score(e, Options{}); s.Value != 66 || s.NCalls != 2 || s.NFailed != 1 || s.Grade != gradeC {
			t.Errorf("%s: %v %s, %d of %d calls failed", name, s.Value, s.Grade, s.NFailed, s.NCalls)
		}
	}
}

// TestNoCalls: 0/0 has no value. Rubric/2 scores the rest: (0.25 + 0.20 + 0.15 + 0.05)/0.65 = 1. Rubric/1 has a sum
// with a hole.
func TestNoCalls(t *testing.T) {
	e := perfect()
	e.Calls = nil
	s := named(t, V2).Score(e, Options{})
	if c := component(t, s, toolSuccessRate); c.Value != nil || c.Weight != 0 || !strings.Contains(c.Reason, "renormalised") {
		t.Errorf("%+v", c)
	}
	if c := component(t, s, OutputQuality); !near(c.Weight, 0.25/0.65) {
		t.Errorf("output quality weighs %v", c.Weight)
	}
	if !s.Defined || s.Value != 100 {
		t.Errorf("scored %v", s.Value)
	}
	s = named(t, v1).Score(e, Options{})
	if c := component(t, s, toolSuccessRate); c.Value != nil || !strings.Contains(c.Reason, "rubric/1") {
		t.Errorf("%+v", c)
	}
	if s.Defined || s.Grade != noGrade {
		t.Errorf("rubric/1 gives %v for 0/0", s.Value)
	}
	if out, err := json.Marshal(s); err != nil || !strings.Contains(string(out), `"value":null`) {
		t.Errorf("%v %s", err, out)
	}
}

// TestNothingKnown: no component has a value, each says why, and there is no score.
func TestNothingKnown(t *testing.T) {
	for _, name := range Names() {
		s := named(t, name).Score(Execution{CallsUnknown: true}, Options{})
		if s.Defined || len(s.Components) != 5 {
			t.Errorf("%s: %+v", name, s)
		}
		for _, c := range s.Components {
			if c.Value != nil || c.Reason == "" || c.Weight != 0 {
				t.Errorf("%s: %+v", name, c)
			}
		}
		if !slices.Contains(s.Warnings, warnNoOutput) {
			t.Errorf("%s warns of %v", name, s.Warnings)
		}
	}
}

// TestPartlyKnown: what is not known is left out by name.
func TestPartlyKnown(t *testing.T) {
	r := named(t, V2)
	log := Execution{Calls: []Call{ok("Bash"), failing("Bash", "")}} // all that a log of tools knows
	s := r.Score(log, Options{})
	if got := value(t, s, toolSuccessRate); got != 0.5 {
		t.Errorf("tool success %v", got)
	}
	if !math.IsNaN(value(t, s, Efficiency)) { // no complexity, nothing expected
		t.Error("efficiency has a value")
	}
	d := component(t, s, OneMinusErrorRate).Detail.(errorsDetail)
	if d.Errors != 1 || len(d.NotCounted) != 2 {
		t.Errorf("%+v", d)
	}
	// (0.35·0.5 + 0.15·0.9)/0.5 = 0.62
	if s.Value != 62 {
		t.Errorf("score %v", s.Value)
	}
	s = r.Score(log, Options{Complexity: simple}) // 2 of 5
	if c := component(t, s, Efficiency); !near(*c.Value, 0.6) || !c.Detail.(efficiencyDetail).Assumed || !strings.Contains(c.Reason, "assumed") {
		t.Errorf("%+v", c)
	}
	log.Complexity = "huge"
	if c := component(t, r.Score(log, Options{}), Efficiency); c.Value != nil || !strings.Contains(c.Reason, `"huge"`) {
		t.Errorf("%+v", c)
	}
	log.Complexity, log.CallsUnknown, log.Calls = simple, true, nil
	if c := component(t, r.Score(log, Options{}), Efficiency); c.Value != nil {
		t.Errorf("%+v", c)
	}
}

func TestEfficiencyClamps(t *testing.T) {
	for _, c := range []struct {
		complexity Complexity
		seconds    float64
		calls      int // where there are no seconds
		want       float64
	}{
		{simple, 30, 0, 0},
		{simple, 15, 0, 0.5},
		{simple, 31, 0, 0},
		{medium, 0, 0, 1},
		{complex, 75, 0, 0.75},
		{simple, -1, 1, 0.8}, // a negative time is none
		{complex, -1, 31, 0},
	} {
		e := Execution{Complexity: c.complexity, Calls: slices.Repeat([]Call{ok("x")}, c.calls)}
		e.Duration = ptr(time.Duration(c.seconds * float64(time.Second)))
		if got := value(t, named(t, V2).Score(e, Options{}), Efficiency); !near(got, c.want) {
			t.Errorf("%+v: %v", c, got)
		}
	}
}

func TestErrorRate(t *testing.T) {
	bad := failing("Bash", "x")
	for _, c := range []struct {
		name string
		e    Execution
		want float64 // errors
	}{
		{"none", Execution{Corrections: ptr(0)}, 0},
		{"another input is no retry", Execution{Calls: []Call{bad, {Tool: "Bash", Exit: ptr(0), InputDigest: "y"}}}, 1},
		{"another tool is no retry", Execution{Calls: []Call{bad, {Tool: "Read", Exit: ptr(0), InputDigest: "x"}}}, 1},
		{"the same later is no retry", Execution{Calls: []Call{bad, ok("Read"), {Tool: "Bash", Exit: ptr(0), InputDigest: "x"}}}, 1},
		{"the same after a success is no retry", Execution{Calls: []Call{{Tool: "Bash", Exit: ptr(0), InputDigest: "x"}, bad}}, 1},
		{"two retries", Execution{Calls: []Call{bad, bad, {Tool: "Bash", Exit: ptr(0), InputDigest: "x"}}}, 4},
		{"unknown inputs are no retry", Execution{Calls: []Call{failing("Bash", ""), failing("Bash", "")}}, 2},
		{"corrections", Execution{Corrections: ptr(3)}, 3},
		{"crash in the final text", Execution{Output: ptr("It says:\n\n    panic: no\n")}, 1},
		{"at most 10", Execution{Corrections: ptr(11)}, 10},
	} {
		if got := value(t, named(t, V2).Score(c.e, Options{}), OneMinusErrorRate); !near(got, 1-c.want/10) {
			t.Errorf("%s: %v", c.name, got)
		}
	}
}

func TestGrades(t *testing.T) {
	for _, c := range []struct {
		score float64
		want  Grade
	}{
		{100, "A+"}, {90, "A+"}, {89.99, "A"}, {80, "A"}, {79.99, "B"}, {70, "B"}, {69.99, "C"}, {60, "C"}, {59.99, "D"}, {50, "D"}, {49.99, "F"}, {0, "F"},
		{math.NaN(), noGrade},
	} {
		got := GradeOf(c.score)
		if got != c.want || got.Action() == "" {
			t.Errorf("%v: %q, want %q", c.score, got, c.want)
		}
	}
	if gradeF.Action() != "consider rollback" || gradeAPlus.Action() != "rare mutation needed" {
		t.Error("the actions are not those of the reference")
	}
}

func TestByName(t *testing.T) {
	for _, name := range Names() {
		checkWeights(t, name, named(t, name).Parts)
	}
	if _, err := ByName("rubric/3"); err == nil || !strings.Contains(err.Error(), v1) || !strings.Contains(err.Error(), V2) {
		t.Errorf("the error does not list the rubrics: %v", err)
	}
}

func checkWeights(t *testing.T, name string, parts []Part) {
	t.Helper()
	if len(parts) == 0 {
		return
	}
	sum := 0.0
	for _, p := range parts {
		sum += p.Weight
		if p.Description == "" {
			t.Errorf("%s: %s is not described", name, p.Name)
		}
		checkWeights(t, p.Name, p.Parts)
	}
	if !near(sum, 1) {
		t.Errorf("%s: the weights sum to %v", name, sum)
	}
}
