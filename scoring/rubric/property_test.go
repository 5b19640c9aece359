package rubric

import (
	"bytes"
	"encoding/json"
	"math"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"track/internal/property"
)

// Generators.

var snippets = rapid.SampledFrom([]string{
	"# Title\n", "## Next steps\n", "- item one\n", "1. first\n", "- [ ] open\n", "> quoted\n", "```go\nx := 1\n```\n", "```json\n{\n```\n", "```\n", "    code\n",
	"Let me look at it.\n", "I can't do that.\n", "Why?\n", "It failed because the file was not there, and so nothing could be read from it.\n", "All tests pass.\n",
	"panic: no\n", "YOUR_API_KEY\n", "\n", "Tôi đề xuất chạy lại.\n", "error\n",
})

var outputs = rapid.OneOf(rapid.String(), rapid.Map(rapid.SliceOf(snippets), func(list []string) string { return strings.Join(list, "") }))

// optional draws a pointer to a value, or nil.
func optional[T any](g *rapid.Generator[T]) *rapid.Generator[*T] { return rapid.Ptr(g, true) }

var calls = rapid.Custom(func(t *rapid.T) Call {
	return Call{
		Tool: rapid.SampledFrom([]string{"Bash", "Read", "grep"}).Draw(t, "tool"), Exit: optional(rapid.IntRange(-1, 2)).Draw(t, "exit"),
		IsError: optional(rapid.Bool()).Draw(t, "is error"), Error: rapid.SampledFrom([]string{"", "", "no"}).Draw(t, "error"),
		Answered: rapid.Bool().Draw(t, "answered"), Output: optional(outputs).Draw(t, "output"),
		InputDigest: rapid.SampledFrom([]string{"", "a", "b"}).Draw(t, "digest"),
		Command:     rapid.SampledFrom([]string{"", "go test", "grep x y", "ls && rg x", "("}).Draw(t, "command"),
	}
})

var executions = rapid.Custom(func(t *rapid.T) Execution {
	e := Execution{
		TaskType:     rapid.SampledFrom([]string{"", "coding", "analysis"}).Draw(t, "type"),
		Complexity:   rapid.SampledFrom([]Complexity{"", simple, medium, complex, "odd"}).Draw(t, "complexity"),
		Calls:        rapid.SliceOfN(calls, 0, 12).Draw(t, "calls"),
		CallsUnknown: rapid.IntRange(0, 9).Draw(t, "unknown") == 0,
		Output:       optional(outputs).Draw(t, "output"),
		Truncated:    optional(rapid.Bool()).Draw(t, "truncated"),
		Corrections:  optional(rapid.IntRange(-1, 12)).Draw(t, "corrections"),
	}
	if e.CallsUnknown {
		e.Calls = nil
	}
	if seconds := optional(rapid.Float64Range(-1, 400)).Draw(t, "seconds"); seconds != nil {
		e.Duration = ptr(time.Duration(*seconds * float64(time.Second)))
	}
	if rapid.Bool().Draw(t, "file") {
		e.Files = []File{{Name: "a.py", Content: rapid.String().Draw(t, "content")}}
	}
	return e
})

// Properties.

// TestScoreProperties: a score is in 0..100 and has a grade, or has no value; every component has a reason, and a
// value in 0..1 or none; the weights of those with a value sum to 1; twice the same execution gives twice the same
// bytes.
func TestScoreProperties(t *testing.T) {
	property.Check(t, func(t *rapid.T) {
		e := executions.Draw(t, "execution")
		for _, name := range Names() {
			r, err := ByName(name)
			if err != nil {
				t.Fatal(err)
			}
			s := r.Score(e, Options{})
			if !(s.Value >= 0 && s.Value <= 100) || s.Defined != (s.Grade != noGrade) {
				t.Fatalf("%s: %v, defined %v, grade %q", name, s.Value, s.Defined, s.Grade)
			}
			if s.Value != math.Round(s.Value*100)/100 {
				t.Fatalf("%v is not rounded to two decimals", s.Value)
			}
			checkComponents(t, s.Components, s.Defined)
			first, err := json.Marshal(s)
			if err != nil {
				t.Fatal(err)
			}
			second, err := json.Marshal(r.Score(e, Options{}))
			if err != nil || !bytes.Equal(first, second) {
				t.Fatalf("%v\n%s\n%s", err, first, second)
			}
		}
	})
}

// checkComponents holds for the terms of a sum, defined where the sum is, and for what they are made of.
func checkComponents(t *rapid.T, list []Component, defined bool) {
	sum := 0.0
	for _, c := range list {
		if c.Reason == "" {
			t.Fatalf("%s gives no reason", c.Name)
		}
		if c.Value != nil && !(*c.Value >= 0 && *c.Value <= 1) {
			t.Fatalf("%s is %v", c.Name, *c.Value)
		}
		if c.Value == nil && c.Weight != 0 {
			t.Fatalf("%s has no value and the weight %v", c.Name, c.Weight)
		}
		sum += c.Weight
		if len(c.Parts) > 0 {
			checkComponents(t, c.Parts, c.Value != nil)
		}
	}
	if defined && !near(sum, 1) || !defined && sum != 0 {
		t.Fatalf("the weights of %s and its siblings sum to %v", list[0].Name, sum)
	}
}

// TestMoreSuccessesNeverCost: where a failed call succeeds instead, the score does not fall.
func TestMoreSuccessesNeverCost(t *testing.T) {
	property.Check(t, func(t *rapid.T) {
		e := executions.Draw(t, "execution")
		if len(e.Calls) == 0 {
			t.Skip("no calls")
		}
		i := rapid.IntRange(0, len(e.Calls)-1).Draw(t, "call")
		better := e
		better.Calls = append([]Call{}, e.Calls...)
		better.Calls[i].Exit, better.Calls[i].IsError, better.Calls[i].Error, better.Calls[i].Output = ptr(0), nil, "", nil
		for _, name := range Names() {
			r, err := ByName(name)
			if err != nil {
				t.Fatal(err)
			}
			if outcome := r.judge(e.Calls[i]).outcome; outcome != failed {
				continue
			}
			before, after := r.Score(e, Options{}), r.Score(better, Options{})
			if before.Defined && (!after.Defined || after.Value < before.Value) {
				t.Fatalf("%s: %v, and %v with one more success", name, before.Value, after.Value)
			}
		}
	})
}

// TestUnrelatedTextChangesNothing: without a final text, what is only about it does not count.
func TestUnrelatedTextChangesNothing(t *testing.T) {
	property.Check(t, func(t *rapid.T) {
		e := executions.Draw(t, "execution")
		e.Output = nil
		r, err := ByName(V2)
		if err != nil {
			t.Fatal(err)
		}
		s := r.Score(e, Options{})
		e.TaskType, e.Format, e.Files, e.Truncated = "other", nil, nil, nil
		if other := r.Score(e, Options{}); other.Value != s.Value || other.Defined != s.Defined {
			t.Fatalf("%v and %v: without a text, nothing about it counts", s.Value, other.Value)
		}
	})
}

// TestFitnessProperties: the fitness lies among the used scores, and every scored execution is in exactly one place.
func TestFitnessProperties(t *testing.T) {
	property.Check(t, func(t *rapid.T) {
		values := rapid.SliceOfN(rapid.Map(rapid.IntRange(0, 10000), func(n int) float64 { return float64(n) / 100 }), 1, 40).Draw(t, "scores")
		f, err := Fitness(scored(values...), FitnessOptions{})
		if err != nil {
			t.Fatal(err)
		}
		lowest, highest := 100.0, 0.0
		for _, u := range f.Used {
			lowest, highest = min(lowest, u.Value), max(highest, u.Value)
		}
		if f.Value < lowest-1e-9 || f.Value > highest+1e-9 {
			t.Fatalf("%v is not in [%v, %v]", f.Value, lowest, highest)
		}
		cut := len(values) / 10
		if len(f.TrimmedWorst) != cut || len(f.TrimmedBest) != cut || len(f.Used) != min(5, len(values)-2*cut) ||
			len(f.Used)+2*cut+len(f.TooOld) != len(values) {
			t.Fatalf("%+v", f)
		}
		if f.EffectiveN > float64(len(f.Used))+1e-9 || f.EffectiveN < 1 {
			t.Fatalf("effective n %v of %d", f.EffectiveN, len(f.Used))
		}
	})
}
