package rubric

import (
	"math"
	"testing"
	"time"
)

func ptr[T any](v T) *T { return &v }

func named(t testing.TB, name string) Rubric {
	t.Helper()
	r, err := ByName(name)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// ok and failing are calls that end so under every rubric.
func ok(tool string) Call { return Call{Tool: tool, Exit: ptr(0)} }

func failing(tool, digest string) Call {
	return Call{Tool: tool, Exit: ptr(2), InputDigest: digest}
}

// text is an execution of which only the final text is known, beside that there were no calls.
func textExecution(taskType, output string) Execution {
	return Execution{TaskType: taskType, Complexity: medium, Output: &output, Truncated: ptr(false)}
}

// component returns a component or part, which must be there and say why.
func component(t testing.TB, s Score, name string) Component {
	t.Helper()
	c, found := s.component(name)
	if !found {
		t.Fatalf("no component %s", name)
	}
	if c.Reason == "" {
		t.Errorf("%s gives no reason", name)
	}
	return c
}

// value of a component; NaN where it has none.
func value(t testing.TB, s Score, name string) float64 {
	t.Helper()
	if c := component(t, s, name); c.Value != nil {
		return *c.Value
	}
	return math.NaN()
}

func near(a, b float64) bool {
	return math.IsNaN(a) && math.IsNaN(b) || math.Abs(a-b) <= 1e-12
}

// thorough is an answer that has everything the rubric asks for.
const thorough = `# Result

The loop never ended because the parser read one token too far, so an empty list was never seen as empty. I changed the condition
and added a test for it.

- condition changed
- test added

` + "```go\nfunc main() {}\n```" + `

## Next steps

I recommend to run the whole suite once more.
`

// perfect is a coding task done in no time without a fault.
func perfect() Execution {
	e := textExecution(taskCoding, thorough)
	e.Calls, e.Duration, e.Corrections = []Call{ok("Bash")}, ptr(time.Duration(0)), ptr(0)
	return e
}

// component returns the component or part of a name.
func (s Score) component(name string) (Component, bool) { return find(s.Components, name) }

func find(list []Component, name string) (Component, bool) {
	for _, c := range list {
		if c.Name == name {
			return c, true
		}
		if below, ok := find(c.Parts, name); ok {
			return below, true
		}
	}
	return Component{}, false
}
