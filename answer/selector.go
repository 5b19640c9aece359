package answer

import (
	"fmt"
	"strings"

	"track"

	"track/answer/param"
)

// Selector names the seeds of a scenario under a configuration: SCENARIO or SCENARIO@CONFIGURATION, the latter a label or a prefix of a
// hash.
type Selector struct {
	Scenario      string
	Configuration string // empty for the most recent one
}

// ParseSelector reads SCENARIO[@CONFIGURATION].
func ParseSelector(s string) (Selector, error) {
	scenario, configuration, given := strings.Cut(s, "@")
	if scenario == "" || given && configuration == "" {
		return Selector{}, fmt.Errorf("%w: %q is not SCENARIO or SCENARIO@CONFIGURATION", track.ErrInvalid, s)
	}
	return Selector{scenario, configuration}, nil
}

// String writes the selector as [ParseSelector] reads it.
func (s Selector) String() string {
	if s.Configuration == "" {
		return s.Scenario
	}
	return s.Scenario + "@" + s.Configuration
}

// Of returns a value that is a selector.
func Of(to *Selector) param.Value { return param.Parsed(to, ParseSelector, Selector.String) }
