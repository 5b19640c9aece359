package answer

import (
	"fmt"
	"strings"
	"time"

	"track"
	"track/answer/param"
	"track/scoring"
	"track/scoring/format"
)

// SweptSeed is a seed that a sweep ran.
type SweptSeed struct {
	Kind          string            `json:"kind"` // seed, or repetition if the seed was recorded before and was run again to be compared
	Scenario      string            `json:"scenario"`
	Seed          track.SeedNumber  `json:"seed"`
	Configuration string            `json:"configuration"` // hash
	Outcome       track.Outcome     `json:"outcome"`
	Message       string            `json:"message,omitempty"`
	Disposition   track.Disposition `json:"disposition,omitempty"`
	Status        scoring.Status    `json:"status,omitempty"`
	TotalScore    *float64          `json:"total_score"`
	Duration      *time.Duration    `json:"duration_s"`
	Run           track.Run         `json:"run"` // without standard error, which is recorded with the seed
	Differences   []string          `json:"differences,omitempty"`
}

// RepeatSettings say which recorded seed to run again, and how.
type RepeatSettings struct {
	Of   Selector
	Seed track.SeedNumber
	SweepSettings
}

func (q *RepeatSettings) Params() param.List {
	return append(param.List{
		{Name: "scenario", Arg: true, Required: true, Unit: "SCENARIO[@CONFIGURATION]", Help: "run a seed of this scenario", Value: selectorValue(&q.Of)},
		seedParam(&q.Seed),
		commandParam(&q.Command),
	}, q.runParams()...)
}

// RepeatedSeed says whether a recorded seed gives the same when it is run again.
type RepeatedSeed struct {
	SweptSeed `json:",embed"`
	NValues   int `json:"n_values"`
	NSeries   int `json:"n_series"`
	// OtherCode says that the code is not the recorded one: the comparison is not recorded.
	OtherCode bool `json:"other_code"`
}

func (a RepeatedSeed) Lead() []Sentence {
	list := a.findings()
	if a.OtherCode {
		list = append(list, Sentence{Kind: Note, Joined: true, Text: "it ran other code than the recorded one: the comparison is not recorded"})
	}
	return list
}

func (a RepeatedSeed) findings() []Sentence {
	if len(a.Differences) == 0 {
		text := fmt.Sprintf("seed %s of %s gave the same again: outcome %s, %s, %d series", a.Seed, a.Scenario, a.Outcome, format.Counted(a.NValues, "value"), a.NSeries)
		return []Sentence{{Kind: Heading, Text: text}}
	}
	list := []Sentence{{Kind: Heading, Text: fmt.Sprintf("seed %s of %s gave something else: %s", a.Seed, a.Scenario, strings.Join(a.Differences, "; "))}}
	if a.Outcome != track.OutcomeOK {
		list = append(list, Sentence{Kind: Note, Joined: true, Text: a.Message})
	}
	return list
}

func (a RepeatedSeed) Tables() []Table {
	return []Table{{
		Name: "repetition", ForPrograms: true, Columns: columns("scenario", "seed", "same", "differences"),
		Rows: [][]any{{a.Scenario, a.Seed, len(a.Differences) == 0, strings.Join(a.Differences, "; ")}},
	}}
}

func (a RepeatedSeed) Conclusion() Conclusion {
	if len(a.Differences) > 0 {
		return Differs
	}
	return Done
}
