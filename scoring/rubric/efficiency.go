package rubric

import (
	"fmt"
	"time"
)

// efficiencyDetail is what [Efficiency] was computed from.
type efficiencyDetail struct {
	Used       string     `json:"used"` // "time" (in seconds) or "tools" (a count)
	Actual     float64    `json:"actual"`
	Expected   float64    `json:"expected_maximum"`
	Complexity Complexity `json:"complexity"`
	Assumed    bool       `json:"assumed,omitempty"` // the execution names no complexity
}

// efficiency is 1 - actual/expected maximum, clamped to 0..1, of time where it is known, else of the number of tool
// calls.
func (s *scorer) efficiency() Component {
	complexity, assumed := s.e.Complexity, false
	if complexity == "" && s.o.Complexity != "" {
		complexity, assumed = s.o.Complexity, true
	}
	longest, most, ok := complexity.limits()
	if !ok {
		if complexity == "" {
			return missing(Efficiency, "the complexity of the task is not known, so nothing is expected")
		}
		return missing(Efficiency, fmt.Sprintf("complexity %q is none of simple, medium and complex", excerpt(string(complexity))))
	}
	d := efficiencyDetail{Complexity: complexity, Assumed: assumed}
	suffix := fmt.Sprintf("expected at most for a %s task", complexity)
	if assumed {
		suffix += " (assumed)"
	}
	switch duration := s.e.Duration; {
	case duration != nil && *duration >= 0:
		d.Used, d.Actual, d.Expected = "time", duration.Seconds(), longest.Seconds()
		return measured(Efficiency, 1-d.Actual/d.Expected, d, "time: %s of the %s %s", duration.Round(time.Millisecond), longest, suffix)
	case s.e.CallsUnknown:
		return missing(Efficiency, "neither the time nor the number of tool calls is known")
	}
	d.Used, d.Actual, d.Expected = "tools", float64(len(s.e.Calls)), float64(most)
	return measured(Efficiency, 1-d.Actual/d.Expected, d,
		"tools, as the time is not known: %s of the %d %s", plural(len(s.e.Calls), "call"), most, suffix)
}
