package answer

import (
	"track"
	"track/answer/param"
)

// scenarioParam declares the argument SCENARIO[@CONFIGURATION].
func scenarioParam(to *Selector, help string) param.Param {
	return param.Param{Name: "scenario", Arg: true, Required: true, Unit: "SCENARIO[@CONFIGURATION]", Help: help, Value: Of(to)}
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
}

// String names the side for people.
func (s Side) String() string { return s.Scenario + "@" + describe(s.Configuration) }

// ScenarioSpec names a version of the spec of a scenario.
type ScenarioSpec struct {
	Scenario string `json:"scenario"`
	SpecRef
}
