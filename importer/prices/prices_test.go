package prices

import (
	"math"
	"testing"

	"track"
)

func count(n int64) *int64 { return &n }

func TestApply(t *testing.T) {
	table := &Table{Date: "2026-01-31", Models: []Price{
		{Model: "a", Input: 1, Output: 10, CacheRead: new(float64), LongestPrompt: 2_000_000}, {Model: "b-*", Input: 2, Output: 20}, {Model: "b-9", Input: 3, Output: 30},
	}}
	million := &track.Tokens{Input: count(1e6), Output: count(1e6)}
	for name, tt := range map[string]struct {
		e    track.Execution
		want float64 // NaN if unknown
	}{
		"the name":                  {track.Execution{Model: "a", Tokens: million}, 11},
		"with a date":               {track.Execution{Model: "a-20260131", Tokens: million}, 11},
		"with a date and dashes":    {track.Execution{Model: "a-2026-01-31", Tokens: million}, 11},
		"of a provider":             {track.Execution{Model: "p/q/a", Tokens: million}, 11},
		"another that begins alike": {track.Execution{Model: "a-pro", Tokens: million}, math.NaN()},
		"by a prefix":               {track.Execution{Model: "b-1", Tokens: million}, 22},
		"by the longest name":       {track.Execution{Model: "b-9", Tokens: million}, 33},
		"no such model":             {track.Execution{Model: "c", Tokens: million}, math.NaN()},
		"no tokens":                 {track.Execution{Model: "a"}, math.NaN()},
		"output unknown":            {track.Execution{Model: "a", Tokens: &track.Tokens{Input: count(1)}}, math.NaN()},
		"a cache without a price":   {track.Execution{Model: "b-1", Tokens: &track.Tokens{Input: count(1), Output: count(1), CacheRead: count(1)}}, math.NaN()},
		"a cache that costs nothing": {
			track.Execution{Model: "a", Tokens: &track.Tokens{Input: count(1e6), Output: count(1e6), CacheRead: count(5)}}, 11,
		},
		"a prompt that is too long": {track.Execution{Model: "a", Tokens: &track.Tokens{Input: count(2_000_001), Output: count(1)}}, math.NaN()},
		"requests of two models": {
			track.Execution{Model: "a", Tokens: &track.Tokens{Input: count(2e6), Output: count(2e6)}, Requests: []track.ModelRequest{{Tokens: million}, {Model: "b-1", Tokens: million}}}, 33,
		},
		"two models, and who used what is unknown": {
			track.Execution{Model: "a", Tokens: &track.Tokens{Input: count(2e6), Output: count(2e6)}, Requests: []track.ModelRequest{{Tokens: million}, {Model: "b-1"}}}, math.NaN(),
		},
	} {
		known := table.Apply(&tt.e)
		switch {
		case known != !math.IsNaN(tt.want), known != (tt.e.CostUSD != nil), known != (tt.e.Priced == "2026-01-31"):
			t.Errorf("%s: known %v, cost %v, priced %q, want %v", name, known, tt.e.CostUSD, tt.e.Priced, tt.want)
		case known && math.Abs(*tt.e.CostUSD-tt.want) > 1e-9:
			t.Errorf("%s: %v, want %v", name, *tt.e.CostUSD, tt.want)
		}
	}
	given := track.Execution{Model: "a", Tokens: million, CostUSD: new(float64)}
	if table.Apply(&given); *given.CostUSD != 0 || given.Priced != "" {
		t.Errorf("a cost of the source became %v, priced %q", *given.CostUSD, given.Priced)
	}
}

func TestBuiltin(t *testing.T) {
	table := Builtin()
	if p := table.find("claude-opus-4-5-20251101"); p == nil || p.Input != 5 || p.Output != 25 || *p.CacheRead != 0.5 || *p.CacheWrite != 6.25 {
		t.Errorf("%+v", p)
	}
	if p := table.find("gpt-5-pro"); p != nil {
		t.Errorf("gpt-5-pro has the price of %s", p.Model)
	}
	if table.Source == "" {
		t.Error("the table has no source")
	}
}

func TestParse(t *testing.T) {
	for text, want := range map[string]string{
		`{}`:                    `p: date: "" is not a date such as 2026-01-31`,
		`{"date":"2026-01-31"}`: "",
		`{"date":"2026-01-31","models":[{"input":1}]}`:                            "p: models.0.model: missing",
		`{"date":"2026-01-31","models":[{"model":"a","input":-1}]}`:               "p: models.0.input: -1 is not a price",
		`{"date":"2026-01-31","models":[{"model":"a","prompt":1}]}`:               "p: models.0.prompt: unknown field",
		`{"date":"2026-01-31","models":[{"model":"a","input":1,"output":"two"}]}`: "p: models.0.output: must be a number, not a string",
	} {
		_, err := Parse("p", []byte(text))
		if got := errorText(err); got != want {
			t.Errorf("%s: %q, want %q", text, got, want)
		}
	}
}

func errorText(err error) string {
	if err == nil {
		return ""
	}
	return err.Error()
}
