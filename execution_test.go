package track_test

import (
	"errors"
	"math"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"track"
)

func pointer[T any](x T) *T { return &x }

func TestParseExecutionKinds(t *testing.T) {
	for _, s := range []string{"ok", "timeout", "error", "invalid"} {
		if status, err := track.ParseExecutionStatus(s); string(status) != s || err != nil {
			t.Errorf("%q: %q, %v", s, status, err)
		}
	}
	if status, err := track.ParseExecutionStatus(""); status != track.ExecutionOK || err != nil {
		t.Errorf("no status: %q, %v", status, err)
	}
	if _, err := track.ParseExecutionStatus("collapsed"); err == nil {
		t.Error("a status of seeds was taken")
	}
	for _, s := range []string{"", "simple", "medium", "complex"} {
		if c, err := track.ParseComplexity(s); string(c) != s || err != nil {
			t.Errorf("%q: %q, %v", s, c, err)
		}
	}
	if _, err := track.ParseComplexity("hard"); err == nil {
		t.Error("an unknown complexity was taken")
	}
}

func TestValidateExecution(t *testing.T) {
	good := func() track.Execution {
		return track.Execution{
			Key: "k", Source: "jsonl", Lineage: "sepa", Version: "v002", Task: "t-17", TaskType: "coding", Complexity: track.ComplexityMedium,
			Status: track.ExecutionOK, Output: pointer("done"), Tokens: &track.Tokens{Input: pointer(int64(0))}, Duration: pointer(time.Minute),
			Calls:    []track.ToolCall{{Key: "c1", Tool: "Bash", Answered: true, Exit: pointer(1)}, {Tool: "Read"}, {Tool: "Read"}},
			Requests: []track.ModelRequest{{Model: "m", Tokens: &track.Tokens{Output: pointer(int64(1))}}, {}},
			Score:    pointer(-3.5), CostUSD: pointer(0.0), Truths: map[string]float64{"reward": 1}, Files: []track.WrittenFile{{Name: "a.go"}},
		}
	}
	if err := good().Validate(); err != nil {
		t.Fatal(err)
	}
	if err := (track.Execution{Status: track.ExecutionInvalid}).Validate(); err != nil {
		t.Errorf("an execution of which only the status is known: %v", err)
	}
	for _, tt := range []struct {
		change func(*track.Execution)
		want   string
	}{
		{func(e *track.Execution) { e.Key = " k" }, `key: " k" begins or ends with white space`},
		{func(e *track.Execution) { e.Version = "v\n1" }, `version: "v\n1" contains a control character: U+000A at byte 2`},
		{func(e *track.Execution) { e.Status = "" }, "status: is empty: use ok, timeout, error or invalid"},
		{func(e *track.Execution) { e.Status = "done" }, `status: unknown status "done": use ok, timeout, error or invalid`},
		{func(e *track.Execution) { e.Complexity = "hard" }, `complexity: unknown complexity "hard": use simple, medium or complex`},
		{func(e *track.Execution) { e.Message = "\xff" }, "message: is not valid UTF-8"},
		{func(e *track.Execution) { e.Output = pointer("\xff") }, "output: is not valid UTF-8"},
		{func(e *track.Execution) { e.Trial = -1 }, "trial: -1 is negative"},
		{func(e *track.Execution) { e.Corrections = -1 }, "corrections: -1 is negative"},
		{func(e *track.Execution) { e.Duration = pointer(-time.Second) }, "duration_s: -1s is negative"},
		{func(e *track.Execution) { e.CostUSD = pointer(math.NaN()) }, "cost_usd: NaN must not be negative or infinite"},
		{func(e *track.Execution) { e.CostUSD = pointer(-0.01) }, "cost_usd: -0.01 must not be negative or infinite"},
		{func(e *track.Execution) { e.Score = pointer(math.NaN()) }, "score: NaN is not a score: leave it out and set the status"},
		{func(e *track.Execution) { e.Truths[""] = 1 }, "truths: the name of a truth is empty"},
		{func(e *track.Execution) { e.Truths["b"] = math.Inf(1) }, "truths.b: +Inf is not finite: leave it out"},
		{func(e *track.Execution) { e.Tokens.Reasoning = pointer(int64(-5)) }, "tokens.reasoning: -5 is negative"},
		{func(e *track.Execution) { e.Requests[0].Tokens.Output = pointer(int64(-5)) }, "requests.0.tokens.output: -5 is negative"},
		{func(e *track.Execution) { e.Requests[1].Model = " m" }, `requests.1.model: " m" begins or ends with white space`},
		{func(e *track.Execution) { e.Calls[1].Request = 3 }, "calls.1.request: 3 is not the number of a request: there are 2, counted from 1"},
		{func(e *track.Execution) { e.Calls[1].Request = -1 }, "calls.1.request: -1 is not the number of a request: there are 2, counted from 1"},
		{func(e *track.Execution) { e.Calls[1].Tool = "" }, "calls.1.tool: is empty"},
		{func(e *track.Execution) { e.Calls[1].Key = "c1" }, `calls.1.key: "c1" is that of an earlier call`},
		{func(e *track.Execution) { e.Calls[2].Output = pointer("\xff") }, "calls.2.output: is not valid UTF-8"},
		{func(e *track.Execution) { e.Calls[2].Duration = pointer(-time.Second) }, "calls.2.duration_s: -1s is negative"},
		{func(e *track.Execution) { e.Calls[2].Exit = pointer(0) }, "calls.2.exit: a call without a result has no exit status"},
		{func(e *track.Execution) { e.Files = append(e.Files, e.Files[0]) }, "files.a.go: is duplicated"},
		{func(e *track.Execution) { e.Files[0].Name = "" }, `files: "" is not a valid file name`},
	} {
		execution := good()
		tt.change(&execution)
		err := execution.Validate()
		if err == nil || err.Error() != tt.want || !errors.Is(err, track.ErrInvalid) {
			t.Errorf("got %v, want %s", err, tt.want)
		}
	}
}

func TestSumOfRequests(t *testing.T) {
	n := func(i int64) *int64 { return &i }
	request := func(in, out *int64) track.ModelRequest {
		return track.ModelRequest{Tokens: &track.Tokens{Input: in, Output: out}}
	}
	for _, tt := range []struct {
		requests []track.ModelRequest
		in, out  *int64
	}{
		{nil, nil, nil},
		{[]track.ModelRequest{{}}, nil, nil},
		{[]track.ModelRequest{request(n(1), n(2)), request(n(3), nil)}, n(4), nil}, // a count that is unknown of one is unknown of all
		{[]track.ModelRequest{request(n(1), n(2)), {}}, nil, nil},
		{[]track.ModelRequest{request(n(math.MaxInt64), n(0)), request(n(1), n(0))}, nil, n(0)},
	} {
		got := track.SumOfRequests(tt.requests)
		if tt.in == nil && tt.out == nil {
			if got != nil {
				t.Errorf("%+v: %+v, want nothing", tt.requests, got)
			}
			continue
		}
		if diff := cmp.Diff(&track.Tokens{Input: tt.in, Output: tt.out}, got); diff != "" {
			t.Errorf("%+v (-want +got):\n%s", tt.requests, diff)
		}
	}
}

func TestToolCallFailed(t *testing.T) {
	for _, tt := range []struct {
		call track.ToolCall
		want bool
	}{
		{track.ToolCall{Answered: true}, false},
		{track.ToolCall{Answered: true, Exit: pointer(0)}, false},
		{track.ToolCall{Answered: true, Exit: pointer(1)}, true},
		{track.ToolCall{Answered: true, Error: "no such file"}, true},
		{track.ToolCall{Answered: true, Rejected: true}, true},
		{track.ToolCall{}, false}, // unknown
		{track.ToolCall{Error: "no result when the agent stopped"}, true},
	} {
		if got := tt.call.Failed(); got != tt.want {
			t.Errorf("%+v: failed %v", tt.call, got)
		}
		if got := tt.call.Unknown(); got != (!tt.call.Answered && !tt.want) {
			t.Errorf("%+v: unknown %v", tt.call, got)
		}
	}
}
