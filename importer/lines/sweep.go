package lines

import (
	"fmt"
	"math"
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"track"
)

// run is how the command ended that made a seed.
type run struct {
	Sweep    string   `json:"sweep"`
	Attempts int      `json:"attempts"`
	ExitCode *int     `json:"exit_code,omitempty"`
	Signal   string   `json:"signal,omitempty"`
	Stderr   string   `json:"stderr,omitempty"`
	CPU      *float64 `json:"cpu_s,omitempty"`
	MaxRSS   *int64   `json:"rss_bytes,omitempty"`
}

func (r *run) run() (*track.Run, *track.FieldError) {
	if r == nil {
		return nil, nil
	}
	switch {
	case r.Sweep == "":
		return nil, &track.FieldError{Field: "run.sweep", Message: "missing"}
	case r.Attempts < 1:
		return nil, &track.FieldError{Field: "run.attempts", Message: fmt.Sprintf("%d is not a number from 1", r.Attempts)}
	}
	run := track.Run{Sweep: r.Sweep, Attempts: r.Attempts, ExitCode: r.ExitCode, Signal: r.Signal, Stderr: r.Stderr, MaxRSS: r.MaxRSS}
	if r.CPU != nil {
		if !(*r.CPU >= 0 && *r.CPU < 1e10) {
			return nil, &track.FieldError{Field: "run.cpu_s", Message: fmt.Sprintf("%v is not a number of seconds from 0", *r.CPU)}
		}
		cpu := time.Duration(math.Round(*r.CPU*1e6)) * time.Microsecond
		run.CPU = &cpu
	}
	return &run, nil
}

// sweepLine is a line of kind sweep. A second one of the same id says how it ended.
type sweepLine struct {
	Kind        string            `json:"kind"`
	V           int               `json:"v,omitzero"`
	ID          string            `json:"id"`
	Scenario    string            `json:"scenario"`
	Plan        jsontext.Value    `json:"plan"`
	Shard       int               `json:"shard,omitempty"`
	NShards     int               `json:"n_shards,omitempty"`
	Environment track.Environment `json:"environment,omitempty"`
	Changes     string            `json:"changes,omitempty"`
	Libraries   string            `json:"libraries,omitempty"`
	StartedAt   string            `json:"started_at"`
	EndedAt     string            `json:"ended_at,omitempty"`
	Ending      track.SweepEnding `json:"ending,omitempty"`
	CodeChanged bool              `json:"code_changed,omitzero"`
	Planned     []plannedLine     `json:"planned"`
	Spec        jsontext.Value    `json:"spec,omitzero"`
}

type plannedLine struct {
	Configuration configuration `json:"configuration"`
	Seeds         string        `json:"seeds"`
}

// parseSweep reads a line of kind sweep.
func parseSweep(text []byte) (s track.Sweep, failure *track.FieldError) {
	var l sweepLine
	if failure := decode(text, &l); failure != nil {
		return s, failure.Shorten()
	}
	if newer := checkVersion(l.V); newer != nil {
		return s, newer
	}
	wrong := func(field, format string, args ...any) (track.Sweep, *track.FieldError) {
		return s, (&track.FieldError{Field: field, Message: fmt.Sprintf(format, args...)}).Shorten()
	}
	if l.ID == "" || len(l.ID) > 26 {
		return wrong("id", "%q is not the id of a sweep", l.ID)
	}
	if err := track.CheckScenarioName(l.Scenario); err != nil {
		return wrong("scenario", "%v", err)
	}
	if l.Plan.Kind() != '{' {
		return wrong("plan", "missing")
	}
	switch l.Ending {
	case "", track.SweepFinished, track.SweepDecided, track.SweepUndecided, track.SweepInterrupted:
	default:
		return wrong("ending", "unknown ending %q", l.Ending)
	}
	s = track.Sweep{
		ID: l.ID, Scenario: l.Scenario, Plan: string(l.Plan), Shard: l.Shard, NShards: l.NShards, Environment: l.Environment, Changes: l.Changes, Libraries: l.Libraries, Ending: l.Ending, CodeChanged: l.CodeChanged,
		Spec: string(l.Spec),
	}
	var err error
	for _, at := range []struct {
		field, text string
		to          *time.Time
	}{{"started_at", l.StartedAt, &s.StartedAt}, {"ended_at", l.EndedAt, &s.EndedAt}} {
		if at.text == "" && at.field == "ended_at" {
			continue
		}
		if *at.to, err = time.Parse(time.RFC3339Nano, at.text); err != nil {
			return wrong(at.field, "%q is not a time such as 2026-01-02T15:04:05Z", at.text)
		}
	}
	for i, p := range l.Planned {
		field := fmt.Sprintf("planned.%d.", i)
		var ranges []track.SeedRange
		var err error
		if p.Seeds != "" { // the sweep ended before its first seed
			ranges, err = track.ParseSeedRanges(p.Seeds)
		}
		if err != nil {
			return wrong(field+"seeds", "%v", err)
		}
		c, err := p.Configuration.configuration()
		if err != nil {
			return wrong(field+"configuration.params", "%v", err)
		}
		s.Planned = append(s.Planned, track.PlannedSeeds{Configuration: c, Seeds: track.NewSeedRanges(ranges...)})
	}
	return s, nil
}

func (c configuration) configuration() (track.Configuration, error) {
	made := track.Configuration{Label: c.Label, Revision: track.Revision{Commit: c.Commit, Dirty: c.Dirty, DiffHash: c.DiffHash, FilesHash: c.FilesHash, Unknown: c.Unknown}}
	if len(c.Params) == 0 || c.Params.Kind() == 'n' {
		return made, nil
	}
	var err error
	made.Params, err = track.NewParams(c.Params)
	return made, err
}

func lineOf(c track.Configuration) configuration {
	line := configuration{Label: c.Label, Commit: c.Revision.Commit, Dirty: c.Revision.Dirty, DiffHash: c.Revision.DiffHash, FilesHash: c.Revision.FilesHash, Unknown: c.Revision.Unknown}
	if c.Params != "" {
		line.Params = c.Params.JSON()
	}
	return line
}
