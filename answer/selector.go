package answer

import (
	"fmt"
	"strings"

	"golang.org/x/text/unicode/norm"

	"track"
	"track/answer/param"
)

// Selector names the seeds of a scenario under a configuration: SCENARIO or SCENARIO@CONFIGURATION, the latter a label
// or a prefix of a hash.
type Selector struct {
	Scenario      string
	Configuration string // empty for the most recent one
}

// ParseSelector reads SCENARIO[@CONFIGURATION].
func ParseSelector(s string) (Selector, error) {
	scenario, configuration, given := strings.Cut(norm.NFC.String(s), "@")
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

// selectorValue returns a value that is a selector.
func selectorValue(to *Selector) param.Value { return param.Parsed(to, ParseSelector, Selector.String) }

// LineageSelector names the executions of a lineage, or of one of its versions: LINEAGE or LINEAGE@VERSION.
type LineageSelector struct {
	Lineage string
	Version *string // nil for none; the empty one is the version of executions that name none
}

// ParseLineageSelector reads LINEAGE[@VERSION].
func ParseLineageSelector(s string) (LineageSelector, error) {
	lineage, version, given := strings.Cut(s, "@")
	if lineage == "" {
		return LineageSelector{}, fmt.Errorf("%q is not LINEAGE or LINEAGE@VERSION", s)
	}
	if !given {
		return LineageSelector{Lineage: lineage}, nil
	}
	return LineageSelector{lineage, &version}, nil
}

// String writes the selector as [ParseLineageSelector] reads it.
func (s LineageSelector) String() string {
	if s.Version == nil {
		return s.Lineage
	}
	return s.Lineage + "@" + *s.Version
}

// lineageSelectorValue returns a value that is a selector of a lineage.
func lineageSelectorValue(to *LineageSelector) param.Value {
	return param.Parsed(to, ParseLineageSelector, LineageSelector.String)
}

// lineageVersion writes a lineage with its version, as a [LineageSelector] is written.
func lineageVersion(lineage, version string) string {
	if version == "" {
		return lineage
	}
	return lineage + "@" + version
}
