package atif_test

import (
	"strings"
	"testing"

	"track/importer/atif"
	"track/importer/importertest"
)

// Results may stand in later steps, with the id of their call or without, and ids may be those of a step. A call that
// has none is of unknown outcome, and has not failed.
func TestResultsInLaterSteps(t *testing.T) {
	const head = `{"schema_version":"ATIF-v1.4","session_id":"s","agent":{"name":"a","version":"1"},"final_metrics":{},"steps":[`
	call := func(id string) string { return `{"tool_call_id":"` + id + `","function_name":"f","arguments":{}}` }
	step := func(calls ...string) string {
		return `{"step_id":1,"source":"agent","message":"","tool_calls":[` + strings.Join(calls, ",") + `]}`
	}
	results := func(list ...string) string {
		return `{"step_id":2,"source":"system","message":"","observation":{"results":[` + strings.Join(list, ",") + `]}}`
	}
	ok, failed := `"content":"ok"}`, `"content":"no","is_error":true}`
	named := func(id, rest string) string { return `{"source_call_id":"` + id + `",` + rest }
	for name, tt := range map[string]struct{ steps, want string }{
		"by their ids":          {step(call("a"), call("b")) + "," + results(named("b", failed), named("a", ok)), "ok, failed"},
		"without ids":           {step(call("a"), call("b")) + "," + results("{"+ok, "{"+failed), "ok, failed"},
		"in steps of their own": {step(call("a"), call("b")) + "," + results("{"+ok) + "," + results("{"+failed), "ok, failed"},
		"of ids used twice":     {step(call("a")) + "," + results(named("a", ok)) + "," + step(call("a")) + "," + results(named("a", failed)), "ok, failed"},
		"of one of two":         {step(call("a"), call("b")) + "," + results(named("a", ok)), "ok, unknown"},
		"of none":               {step(call("a")), "unknown"},
	} {
		items, err := importertest.ReadBytes(t, atif.Read, []byte(head+tt.steps+"]}"))
		executions := importertest.Executions(items)
		if err != nil || len(executions) != 1 {
			t.Fatal(name, err, len(executions))
		}
		var got []string
		for _, c := range executions[0].Calls {
			switch {
			case c.Failed():
				got = append(got, "failed")
			case c.Unknown():
				got = append(got, "unknown")
			default:
				got = append(got, *c.Output)
			}
		}
		if text := strings.Join(got, ", "); text != tt.want {
			t.Errorf("%s: %s, want %s", name, text, tt.want)
		}
	}
}
