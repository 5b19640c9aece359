package answer_test

import (
	"strings"
	"testing"

	"track"
	"track/answer"
)

// Each request stands at one step: at the first call that it asked for, with the requests before that asked for none.
func TestTraceUses(t *testing.T) {
	n := func(i int64) *int64 { return &i }
	used := func(in, cached, out int64) *track.Tokens {
		return &track.Tokens{Input: n(in), CacheRead: n(cached), Output: n(out)}
	}
	said := "done"
	e := track.RecordedExecution{
		Requests: []track.ModelRequest{{Tokens: used(1345, 11000, 321)}, {Tokens: used(1, 0, 2)}, {Model: "small", Tokens: used(10, 0, 20)}, {}, {Tokens: &track.Tokens{Output: n(7), Reasoning: n(3)}}},
		Calls:    []track.RecordedCall{{Tool: "a", Request: 1}, {Tool: "b", Request: 1}, {Tool: "c"}, {Tool: "d", Request: 3}, {Tool: "e", Request: 1}, {Tool: "f", Request: 4}},
		Tokens:   used(1356, 11000, 349),
	}
	for name, tt := range map[string]struct {
		answer string
		want   []string
		notes  string
	}{
		"answered": {said, []string{
			"request 1: in 12,345 (cache 11,000), out 321", "same request as call 1", "", "requests 2 to 3, model small: in 11, out 22", "same request as call 1",
			"request 4: tokens not known", "request 5: out 7 (reasoning 3)",
		}, "what 1 of 5 requests used is not known"},
		"no answer": {"", []string{
			"request 1: in 12,345 (cache 11,000), out 321", "same request as call 1", "", "requests 2 to 3, model small: in 11, out 22", "same request as call 1",
			"request 4: tokens not known",
		}, "what 1 of 5 requests used is not known; after the last call: request 5: out 7 (reasoning 3)"},
	} {
		t.Run(name, func(t *testing.T) {
			if e.Output = nil; tt.answer != "" {
				e.Output = track.NewRecordedText(tt.answer, true)
			}
			a := answer.Execution{RecordedExecution: e}
			a.ShowTrace(answer.ExecutionQuestion{Trace: true})
			index := a.Trace.UseIndex()
			var got []string
			for _, p := range a.Trace.Parts {
				got = append(got, index.Words(p))
			}
			if strings.Join(got, "\n") != strings.Join(tt.want, "\n") {
				t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(tt.want, "\n"))
			}
			if notes := strings.Join(a.RequestNotes(), "; "); notes != tt.notes {
				t.Errorf("notes %q, want %q", notes, tt.notes)
			}
			all := int64(0)
			for _, u := range a.Trace.Uses {
				all += u.All()
			}
			if all != 12345+321+3+30+7 {
				t.Errorf("%d tokens at all steps", all)
			}
		})
	}
	e.Requests = e.Requests[:3]
	e.Calls = nil
	want := "the total of the source is not the sum of its requests: output 349, by request 343"
	if notes := (answer.Execution{RecordedExecution: e}).RequestNotes(); len(notes) != 1 || notes[0] != want {
		t.Errorf("notes %q, want %q", notes, want)
	}
}
