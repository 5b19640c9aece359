package answer

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"time"

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
