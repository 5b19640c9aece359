package rubric

import (
	"fmt"
	"strings"
)

// errorsDetail is what [OneMinusErrorRate] was computed from.
type errorsDetail struct {
	ErrorRate      float64   `json:"error_rate"` // min(1, errors/10)
	Errors         int       `json:"errors"`
	FailedCalls    int       `json:"failed_calls"`
	Retries        int       `json:"retries"`
	OutputPatterns int       `json:"output_patterns"` // lines of the final text that report an error
	Corrections    int       `json:"corrections"`
	Lines          []finding `json:"lines,omitempty"`       // the first such lines
	NotCounted     []string  `json:"not_counted,omitempty"` // what is not known, and so was not counted
}

// errorRate is 1 - min(1, errors/10). Errors are failed calls, retries, error patterns in the final text and
// corrections by the user. Without the calls it is not measured; of the others, what is not known is not counted, and
// named.
func (s *scorer) errorRate() Component {
	if s.e.CallsUnknown {
		return missing(OneMinusErrorRate, "the tool calls were not recorded")
	}
	d := errorsDetail{FailedCalls: s.count(failed), Retries: s.retries()}
	if n := s.count(undetermined); n > 0 {
		d.NotCounted = append(d.NotCounted, plural(n, "call")+" of unknown outcome")
	}
	if s.e.Output != nil {
		d.OutputPatterns, d.Lines = s.errorLines()
	} else {
		d.NotCounted = append(d.NotCounted, "errors in the final text")
	}
	if s.e.Corrections != nil {
		d.Corrections = max(0, *s.e.Corrections)
	} else {
		d.NotCounted = append(d.NotCounted, "corrections by the user")
	}
	d.Errors = d.FailedCalls + d.Retries + d.OutputPatterns + d.Corrections
	d.ErrorRate = min(1, float64(d.Errors)/10)
	reason := fmt.Sprintf("%s (%s, %s, %s in the final text, %s): error rate %s", plural(d.Errors, "error"),
		plural(d.FailedCalls, "failed call"), retried(d.Retries), plural(d.OutputPatterns, "pattern"),
		plural(d.Corrections, "correction"), number(d.ErrorRate))
	if len(d.NotCounted) > 0 {
		reason += "; not known: " + strings.Join(d.NotCounted, ", ")
	}
	return measured(OneMinusErrorRate, 1-d.ErrorRate, d, "%s", reason)
}

func retried(n int) string {
	if n == 1 {
		return "1 retry"
	}
	return fmt.Sprintf("%d retries", n)
}

// retries counts the calls of the same tool with identical canonical input right after that call failed.
func (s *scorer) retries() int {
	n := 0
	for i := 1; i < len(s.e.Calls); i++ {
		before, c := s.e.Calls[i-1], s.e.Calls[i]
		if s.verdicts[i-1].outcome == failed && c.Tool == before.Tool && c.InputDigest != "" && c.InputDigest == before.InputDigest {
			n++
		}
	}
	return n
}

// errorLines counts the lines of the final text that report an error: under rubric/1 those with a word of error
// anywhere, else those that begin like a crash.
func (s *scorer) errorLines() (n int, list []finding) {
	line := 0
	for text := range strings.Lines(s.text) {
		line++
		pattern := crash(text)
		if s.rubric.literal {
			pattern = findErrorWord(text)
		}
		if pattern == "" {
			continue
		}
		n++
		if len(list) < maxListed {
			list = append(list, finding{Kind: "error pattern", Line: line, Text: pattern})
		}
	}
	return n, list
}
