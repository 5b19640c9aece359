package answer

import (
	"fmt"
	"strings"

	"track"
	"track/answer/param"
	"track/scoring"
	"track/scoring/format"
)

// RescoreQuestion asks to score the stored values of a scenario under another version of its spec.
type RescoreQuestion struct {
	Scenario  string
	Spec      int // version to score under; 0 for the newest
	ValuesWin bool
	DryRun    bool
}

func (q *RescoreQuestion) Params() param.List {
	return param.List{
		{Name: "scenario", Arg: true, Required: true, Unit: "SCENARIO", Help: "score the seeds of this scenario", Value: param.Name(&q.Scenario)},
		{Name: "spec", Unit: "VERSION", Help: "score under this `VERSION` of the spec (default: the newest)", Value: param.Whole(&q.Spec, 1)},
		{Name: "values-win", Help: "keep given values that the series contradict", Value: param.Switch(&q.ValuesWin)},
		{Name: "dry-run", Help: "list the statuses that would change, and record nothing", Value: param.Switch(&q.DryRun)},
	}
}

func (q *RescoreQuestion) Check() error {
	if name, _, found := strings.Cut(q.Scenario, "@"); found {
		return &param.Error{Param: "scenario", Message: fmt.Sprintf("%s is a configuration, and the seeds of all configurations are scored again: give %s alone", q.Scenario, name)}
	}
	return nil
}

// Flip is a metric of a seed whose status differs from the one under the version that the seed was last scored under.
type Flip struct {
	Seed          track.SeedNumber `json:"seed"`
	Label         string           `json:"label,omitempty"`
	Configuration string           `json:"configuration"` // hash
	Metric        string           `json:"metric"`
	FromVersion   int              `json:"from_version"`
	From          scoring.Status   `json:"from"`
	To            scoring.Status   `json:"to"`
}

// Rescored says what scoring under a version of a spec changed.
type Rescored struct {
	Scenario string `json:"scenario"`
	Version  int    `json:"version"`
	DryRun   bool   `json:"dry_run"`
	NSeeds   int    `json:"n_seeds"`         // that ran well
	NScored  int    `json:"n_scored"`        // now; in a dry run, seeds that would be scored
	NBefore  int    `json:"n_scored_before"` // under this version, and so left alone
	NFlips   int    `json:"n_flips"`

	List[Flip] `json:",embed"`
}

func (a Rescored) Lead() []Sentence {
	verb := "scored"
	if a.DryRun {
		verb = "would be scored"
	}
	return []Sentence{{Kind: Heading, Text: fmt.Sprintf("%s: %s %s under version %d, %d had been scored before; %s",
		a.Scenario, format.Counted(a.NScored, "seed"), verb, a.Version, a.NBefore, a.changesText())}}
}

func (a Rescored) changesText() string {
	if a.NFlips == 1 {
		return "1 status changes"
	}
	return fmt.Sprintf("%d statuses change", a.NFlips)
}

func (a Rescored) Tables() []Table {
	t := Table{Name: "flips", HiddenIfEmpty: true, Shown: 50, Columns: Columns{
		{Name: "seed"}, {Name: "label"}, {Name: "configuration"}, {Name: "metric"}, {Name: "from_version", Head: "from version"}, {Name: "from"}, {Name: "to"},
	}.drop("label", "from_version", "configuration")}
	for _, f := range a.Items {
		t.Rows = append(t.Rows, []any{f.Seed, f.Label, hashCell(f.Configuration), f.Metric, f.FromVersion, string(f.From), string(f.To)})
	}
	return []Table{t}
}
