package lines

import (
	"bytes"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"track"
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
	Recorded      *track.SeedRecord    `json:"recorded,omitempty"`
}

// Append appends a good record as one line, or a lineage as several, which [Read] reads as the same record.
func Append(b []byte, r Record) ([]byte, error) {
	switch {
	case r.RecordedExecution != nil:
		return appendLine(b, recordedExecutionLine{Kind: kindExecution, Recorded: *r.RecordedExecution})
	case r.Execution != nil:
		return AppendExecution(b, *r.Execution)
	case r.Sweep != nil:
		return AppendSweep(b, *r.Sweep)
	case r.Annotation != nil:
		return AppendAnnotation(b, *r.Annotation)
	case r.Withdrawal != nil:
		return AppendWithdrawal(b, *r.Withdrawal)
	case r.Lineage != nil:
		text := bytes.NewBuffer(b)
		err := WriteLineage(text, *r.Lineage)
		return text.Bytes(), err
	case r.Configuration != nil:
		return appendLine(b, configurationLine{Kind: kindConfiguration, Configuration: lineOf(r.Configuration.Configuration), At: r.Configuration.At})
	case r.Spec != nil:
		return appendLine(b, ownerLine[Spec]{Kind: kindSpec, Value: *r.Spec})
	case r.Look != nil:
		return appendLine(b, ownerLine[Look]{Kind: kindLook, Value: *r.Look})
	case r.Forgotten != nil:
		return appendLine(b, ownerLine[Forgotten]{Kind: kindForgotten, Value: *r.Forgotten})
	case r.Export != nil:
		return appendLine(b, ownerLine[Export]{Kind: kindExport, Value: *r.Export})
	case r.Baseline != nil:
		l := baselineLine{Kind: kindBaseline, ID: r.Baseline.ID, Scenario: r.Baseline.Scenario, Previous: r.Baseline.Previous, Reason: r.Baseline.Reason, Actor: r.Baseline.Actor, At: r.Baseline.At}
		if c := r.Baseline.Configuration; c != nil {
			written := lineOf(*c)
			l.Configuration = &written
		}
		return appendLine(b, l)
	}
	return appendSeed(b, r.Seed, r.RecordedSeed)
}

// AppendSeed appends a seed as a line of a batch, which [Read] reads as the same seed.
func AppendSeed(b []byte, seed track.Seed) ([]byte, error) { return appendSeed(b, seed, nil) }

func appendSeed(b []byte, seed track.Seed, recorded *track.SeedRecord) ([]byte, error) {
	l := writtenSeed{
		Kind: "seed", Scenario: seed.Scenario, Seed: seed.Number, Values: seed.Values, Configuration: lineOf(seed.Configuration), Outcome: seed.Outcome,
		Message: seed.Message, StartedAt: timeText(seed.StartedAt), Environment: seed.Environment, Artifacts: linesOf(seed.Artifacts),
		Recorded: recorded,
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
	text, err := json.Marshal(line, json.WithMarshalers(writtenNumbers()), json.Deterministic(true), jsontext.AllowInvalidUTF8(true))
	return append(append(b, text...), '\n'), err
}

func timeText(t time.Time) string {
	if t.IsZero() {
		return ""
	}
	return t.UTC().Format(time.RFC3339Nano)
}
