package lines

import (
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"track"
	"track/internal/jsonio"
)

// writtenSeed is a line of kind seed as it is written.
type writtenSeed struct {
	Kind          string               `json:"kind"`
	Scenario      string               `json:"scenario"`
	Seed          track.SeedNumber     `json:"seed"`
	Values        map[string]float64   `json:"values,omitempty"`
	Configuration configuration        `json:"configuration"`
	Outcome       track.Outcome        `json:"outcome"`
	Message       string               `json:"message,omitempty"`
	StartedAt     string               `json:"started_at,omitempty"`
	Duration      *float64             `json:"duration_s,omitempty"`
	Environment   track.Environment    `json:"environment,omitempty"`
	Series        map[string][]float64 `json:"series,omitempty"`
	Artifacts     []artifact           `json:"artifacts,omitempty"`
	Run           *run                 `json:"run,omitempty"`
}

// AppendSeed appends a seed as a line of a batch, which [Read] reads as the same seed.
func AppendSeed(b []byte, seed track.Seed) ([]byte, error) {
	l := writtenSeed{
		Kind: "seed", Scenario: seed.Scenario, Seed: seed.Number, Values: seed.Values, Configuration: lineOf(seed.Configuration), Outcome: seed.Outcome,
		Message: seed.Message, StartedAt: timeText(seed.StartedAt), Environment: seed.Environment, Artifacts: linesOf(seed.Artifacts),
	}
	if seed.Duration != nil {
		seconds := seed.Duration.Seconds()
		l.Duration = &seconds
	}
	for _, s := range seed.Series {
		if l.Series == nil {
			l.Series = map[string][]float64{}
		}
		l.Series[s.Name] = s.Values
	}
	if r := seed.Run; r != nil {
		l.Run = &run{Sweep: r.Sweep, Attempts: r.Attempts, ExitCode: r.ExitCode, Signal: r.Signal, Stderr: r.Stderr, MaxRSS: r.MaxRSS}
		if r.CPU != nil {
			seconds := r.CPU.Seconds()
			l.Run.CPU = &seconds
		}
	}
	return appendLine(b, l)
}

// AppendSweep appends a sweep as a line of a batch.
func AppendSweep(b []byte, s track.Sweep) ([]byte, error) {
	l := sweepLine{
		Kind: "sweep", ID: s.ID, Scenario: s.Scenario, Plan: jsontext.Value(s.Plan), Shard: s.Shard, NShards: s.NShards, Environment: s.Environment, Changes: s.Changes,
		Libraries: s.Libraries, StartedAt: timeText(s.StartedAt), EndedAt: timeText(s.EndedAt), Ending: s.Ending, CodeChanged: s.CodeChanged, Planned: []plannedLine{},
	}
	if s.Spec != "" {
		l.Spec = jsontext.Value(s.Spec)
	}
	for _, p := range s.Planned {
		l.Planned = append(l.Planned, plannedLine{lineOf(p.Configuration), p.Seeds.String()})
	}
	return appendLine(b, l)
}

// AppendAnnotation appends a note or a tag as a line of a batch.
func AppendAnnotation(b []byte, a track.Annotation) ([]byte, error) {
	l := annotationLine{
		Kind: a.Kind, ID: a.ID, Scenario: a.Scenario, Configuration: lineOf(a.Configuration), Removed: a.Removed, Text: a.Text, Actor: a.Actor, At: timeText(a.At),
	}
	switch {
	case a.Kind == track.AnnotationTag:
		l.Tag = a.Subject
	case a.Removed:
		l.Note = a.Subject
	}
	return appendLine(b, l)
}

func appendLine(b []byte, line any) ([]byte, error) {
	text, err := json.Marshal(line, json.WithMarshalers(jsonio.NonFinite()), json.Deterministic(true), jsontext.AllowInvalidUTF8(true))
	return append(append(b, text...), '\n'), err
}

func timeText(t time.Time) string {
	if t.IsZero() {
		return ""
	}
	return t.UTC().Format(time.RFC3339Nano)
}
