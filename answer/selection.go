package answer

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"golang.org/x/text/unicode/norm"

	"track"
	"track/answer/param"
)

// scenarioParam declares the argument SCENARIO[@CONFIGURATION].
func scenarioParam(to *Selector, help string) param.Param {
	return param.Param{Name: "scenario", Arg: true, Required: true, Unit: "SCENARIO[@CONFIGURATION]", Help: help, Value: selectorValue(to)}
}

// specParam declares the version of a spec; 0 for the newest.
func specParam(to *int, help string) param.Param {
	return param.Param{Name: "spec", Unit: "VERSION", Help: help + " (default: the newest)", Value: param.Whole(to, 1)}
}

// seedsParam declares the seeds that are used; none for all.
func seedsParam(to *[]track.SeedRange) param.Param {
	return param.Param{Name: "seeds", Unit: "SEEDS", Help: "use only these `SEEDS`, such as 0..99,200", Value: param.Seeds(to)}
}

// Side is one side of a comparison: the seeds of a scenario under one configuration.
type Side struct {
	Scenario      string                      `json:"scenario"`
	Configuration track.RecordedConfiguration `json:"configuration"`
	Annotations   `json:",embed"`
	Newest        *NewestOf `json:"newest_of,omitempty"` // missing unless the newest of several revisions was chosen
}

// NewestOf says that a configuration was chosen as the newest of several revisions of the code.
type NewestOf struct {
	NOthers       int       `json:"n_others"`       // other revisions, with the same parameters
	FirstRecorded time.Time `json:"first_recorded"` // when the chosen one was
}

// note says which revision was chosen; none if there was no choice.
func (n *NewestOf) note(side Side) []Sentence {
	if n == nil {
		return nil
	}
	text := fmt.Sprintf("%s is the newest of %d revisions of %s: %s, first recorded %s", side.Name(), n.NOthers+1, side.Scenario,
		side.Configuration.Revision, timeText(n.FirstRecorded))
	if side.Configuration.Revision == (track.Revision{}) {
		text = fmt.Sprintf("%s is the newest of %d configurations of %s with these parameters, first recorded %s; its revision is not recorded", side.Name(), n.NOthers+1, side.Scenario, timeText(n.FirstRecorded))
	}
	hint := track.NewHint("list them", "history", side.Scenario)
	return []Sentence{{Kind: Note, Text: text, Hint: &hint, Joined: true}}
}

// String names the side for people.
func (s Side) String() string { return s.Scenario + "@" + describe(s.Configuration) }

// Selector returns what selects the configuration for good: its label may name another one later.
func (s Side) Selector() string {
	return Selector{s.Scenario, track.ShortHash(s.Configuration.Hash)}.String()
}

// Name returns what people call the configuration: its label, or its short hash if it has none.
func (s Side) Name() string {
	if s.Configuration.Label != "" {
		return s.Configuration.Label
	}
	return track.ShortHash(s.Configuration.Hash)
}

// Parameter is one parameter of a configuration.
type Parameter struct {
	Name  string `json:"name"`
	Value string `json:"value"` // JSON
}

// Parameters returns the parameters of the configuration by name; none if they are not recorded.
func (s Side) Parameters() (list []Parameter) {
	var values map[string]json.RawMessage
	if s.Configuration.Params == "" || json.Unmarshal([]byte(s.Configuration.Params), &values) != nil {
		return nil
	}
	for _, name := range slices.Sorted(maps.Keys(values)) {
		list = append(list, Parameter{name, string(values[name])})
	}
	return list
}

// ScenarioSpec names a version of the spec of a scenario.
type ScenarioSpec struct {
	Scenario string `json:"scenario"`
	SpecRef
}

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
