package lines

import (
	"bytes"
	"fmt"
	"math"
	"strings"
	"sync"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"track"
	"track/importer"
	"track/internal/jsonio"
)

type recordedExecutionLine struct {
	Kind     string               `json:"kind"`
	V        int                  `json:"v,omitzero"`
	Recorded track.WholeExecution `json:"recorded"`
}

// Configuration says when a configuration was recorded first.
type Configuration struct {
	Configuration track.Configuration
	At            time.Time
}

type configurationLine struct {
	Kind          string        `json:"kind"`
	V             int           `json:"v,omitzero"`
	Configuration configuration `json:"configuration"`
	At            time.Time     `json:"at"`
}

// Spec is a version of the spec of a scenario.
type Spec struct {
	Scenario string         `json:"scenario"`
	Version  int            `json:"version"`
	Title    string         `json:"title,omitempty"`
	Document jsontext.Value `json:"document"`
	At       time.Time      `json:"at"`
}

// Baseline is the pin of a configuration, or the removal of one.
type Baseline struct {
	ID            string
	Scenario      string
	Configuration *track.Configuration // nil for a removal
	Previous      string               // id of the pin that it replaced
	Reason, Actor string
	At            time.Time
}

type baselineLine struct {
	Kind          string         `json:"kind"`
	V             int            `json:"v,omitzero"`
	ID            string         `json:"id"`
	Scenario      string         `json:"scenario"`
	Configuration *configuration `json:"configuration,omitempty"`
	Previous      string         `json:"previous,omitempty"`
	Reason        string         `json:"reason,omitempty"`
	Actor         string         `json:"actor,omitempty"`
	At            time.Time      `json:"at"`
}

// Look is an interim analysis.
type Look struct {
	ID       string           `json:"id"`
	Of       string           `json:"of"`
	Question track.TextDigest `json:"question"`
	Evidence track.TextDigest `json:"evidence"`
	N        int              `json:"n"`
	Plan     []int            `json:"plan,omitempty"`
	Anytime  bool             `json:"anytime,omitzero"`
	Verdict  string           `json:"verdict"`
	At       time.Time        `json:"at"`
}

// Forgotten says that the texts of an execution were forgotten.
type Forgotten struct {
	ID       string           `json:"id"` // of the execution
	Digest   track.TextDigest `json:"digest"`
	Identity track.TextDigest `json:"identity"`
	Reason   string           `json:"reason,omitempty"`
	At       time.Time        `json:"at"`
}

// Export is the first line of an export, and its last one, which says how many lines stand between them.
type Export struct {
	Lines int `json:"lines,omitzero"`
}

// ownerLine is a line of a kind whose fields are those of T.
type ownerLine[T any] struct {
	Kind  string `json:"kind"`
	V     int    `json:"v,omitzero"`
	Value T      `json:",embed"`
}

// parseOwned reads a line of a kind that only the owner of a database brings. known is false for other kinds.
func parseOwned(r *Record, kind string, text []byte) (known bool) {
	switch kind {
	case kindConfiguration:
		var l configurationLine
		if r.Err = decodeOwned(text, &l, &l.V); r.Err == nil {
			r.Configuration = &Configuration{At: l.At}
			r.Configuration.Configuration, r.Err = configurationOf(l.Configuration)
		}
	case kindSpec:
		r.Spec, r.Err = parseOwner[Spec](text)
	case kindLook:
		r.Look, r.Err = parseOwner[Look](text)
	case kindExport:
		r.Export, r.Err = parseOwner[Export](text)
	case kindForgotten:
		r.Forgotten, r.Err = parseOwner[Forgotten](text)
	case kindBaseline:
		var l baselineLine
		if r.Err = decodeOwned(text, &l, &l.V); r.Err != nil {
			break
		}
		r.Baseline = &Baseline{ID: l.ID, Scenario: l.Scenario, Previous: l.Previous, Reason: l.Reason, Actor: l.Actor, At: l.At}
		if l.Configuration != nil {
			var c track.Configuration
			c, r.Err = configurationOf(*l.Configuration)
			r.Baseline.Configuration = &c
		}
	case kindExecution:
		if !bytes.Contains(text, []byte(`"recorded"`)) {
			return false
		}
		var l recordedExecutionLine
		if r.Err = decodeOwned(text, &l, &l.V); r.Err != nil {
			return false // a common line with this word in it
		}
		r.Execution, r.RecordedExecution = &track.Execution{Lineage: l.Recorded.Lineage, Key: l.Recorded.Key}, &l.Recorded
	default:
		return false
	}
	return true
}

func parseOwner[T any](text []byte) (*T, *track.FieldError) {
	var l ownerLine[T]
	problem := decodeOwned(text, &l, &l.V)
	return &l.Value, problem
}

// decodeOwned reads a line that [Append] wrote.
func decodeOwned(text []byte, line any, version *int) *track.FieldError {
	if err := json.Unmarshal(text, line, json.RejectUnknownMembers(true), json.WithUnmarshalers(recordedNumbers())); err != nil {
		if newer := versionError(text); newer != nil {
			return newer
		}
		return jsonio.FieldError(err).Shorten()
	}
	return checkVersion(*version)
}

func configurationOf(c configuration) (track.Configuration, *track.FieldError) {
	made, err := c.configuration()
	if err != nil {
		return made, (&track.FieldError{Field: "configuration.params", Message: err.Error()}).Shorten()
	}
	return made, nil
}

// recordedNumbers reads numbers and durations as [writtenNumbers] writes them.
var recordedNumbers = sync.OnceValue(func() *json.Unmarshalers {
	return json.JoinUnmarshalers(jsonio.Numbers(), json.UnmarshalFromFunc(func(dec *jsontext.Decoder, d *time.Duration) error {
		var seconds float64
		if err := json.UnmarshalDecode(dec, &seconds); err != nil {
			return err
		}
		read := importer.Seconds(seconds)
		if read == nil {
			return fmt.Errorf("%v is not a number of seconds from 0 to a hundred years", seconds)
		}
		*d = *read
		return nil
	}))
})

var writtenNumbers = sync.OnceValue(func() *json.Marshalers {
	return json.JoinMarshalers(jsonio.NonFinite(), json.MarshalToFunc(func(enc *jsontext.Encoder, d time.Duration) error {
		return enc.WriteToken(jsontext.Float(d.Seconds()))
	}))
})

// annotationLine is a line of kind note or tag.
type annotationLine struct {
	Kind          track.AnnotationKind `json:"kind"`
	V             int                  `json:"v,omitzero"`
	ID            string               `json:"id"`
	Scenario      string               `json:"scenario"`
	Configuration configuration        `json:"configuration"`
	Tag           string               `json:"tag,omitempty"`
	Note          string               `json:"note,omitempty"` // that is removed
	Removed       bool                 `json:"removed,omitzero"`
	Text          string               `json:"text,omitempty"`
	Actor         string               `json:"actor,omitempty"`
	At            string               `json:"at"`
}

// parseAnnotation reads a line of kind note or tag.
func parseAnnotation(text []byte) (a track.Annotation, failure *track.FieldError) {
	var l annotationLine
	if failure := decode(text, &l); failure != nil {
		return a, failure.Shorten()
	}
	if newer := checkVersion(l.V); newer != nil {
		return a, newer
	}
	wrong := func(field, format string, args ...any) (track.Annotation, *track.FieldError) {
		return a, (&track.FieldError{Field: field, Message: fmt.Sprintf(format, args...)}).Shorten()
	}
	if len(l.ID) != 26 || strings.Trim(l.ID, "0123456789ABCDEFGHJKMNPQRSTVWXYZ") != "" {
		return wrong("id", "%q is not a ULID", l.ID)
	}
	a = track.Annotation{ID: l.ID, Kind: l.Kind, Removed: l.Removed, Scenario: l.Scenario, Subject: l.Tag, Text: l.Text, Actor: l.Actor}
	switch isNote := l.Kind == track.AnnotationNote; {
	case isNote && l.Tag != "":
		return wrong("tag", "a line of kind note has none")
	case !isNote && l.Note != "" || isNote && !l.Removed && l.Note != "":
		return wrong("note", "only a line that removes a note names it")
	case isNote && l.Removed:
		a.Subject = l.Note
	case isNote:
		a.Subject = l.ID
	}
	var err error
	if a.At, err = time.Parse(time.RFC3339Nano, l.At); err != nil {
		return wrong("at", "%q is not a time such as 2026-01-02T15:04:05Z", l.At)
	}
	if a.Configuration, err = l.Configuration.configuration(); err != nil {
		return wrong("configuration.params", "%v", err)
	}
	return a, a.Check()
}

// withdrawalLine is a line of kind withdrawal: something was withdrawn or restored.
type withdrawalLine struct {
	Kind          string                 `json:"kind"`
	V             int                    `json:"v,omitzero"`
	ID            string                 `json:"id"`
	Subject       track.WithdrawnKind    `json:"subject"`
	Action        track.WithdrawalAction `json:"action"`
	Scenario      string                 `json:"scenario"`
	Configuration string                 `json:"configuration,omitempty"` // hash
	Seed          *seedNumber            `json:"seed,omitempty"`
	Digest        string                 `json:"digest,omitempty"`
	Sweep         string                 `json:"sweep,omitempty"`
	Reason        string                 `json:"reason"`
	Actor         string                 `json:"actor,omitempty"`
	At            string                 `json:"at"`
}

// parseWithdrawal reads a line of kind withdrawal.
func parseWithdrawal(text []byte) (w track.Withdrawal, failure *track.FieldError) {
	var l withdrawalLine
	if failure := decode(text, &l); failure != nil {
		return w, failure.Shorten()
	}
	if newer := checkVersion(l.V); newer != nil {
		return w, newer
	}
	w = track.Withdrawal{
		ID: l.ID, Kind: l.Subject, Action: l.Action, Scenario: l.Scenario, Configuration: l.Configuration, Digest: l.Digest, Sweep: l.Sweep, Reason: l.Reason, Actor: l.Actor,
	}
	if l.Seed != nil && l.Seed.given {
		w.Seed = &l.Seed.number
	}
	var err error
	if w.At, err = time.Parse(time.RFC3339Nano, l.At); err != nil {
		return w, (&track.FieldError{Field: "at", Message: fmt.Sprintf("%q is not a time such as 2026-01-02T15:04:05Z", l.At)}).Shorten()
	}
	return w, w.Check()
}

// AppendWithdrawal appends a withdrawal or a restoration as a line of a batch.
func AppendWithdrawal(b []byte, w track.Withdrawal) ([]byte, error) {
	l := withdrawalLine{
		Kind: kindWithdrawal, ID: w.ID, Subject: w.Kind, Action: w.Action, Scenario: w.Scenario, Configuration: w.Configuration, Digest: w.Digest, Sweep: w.Sweep,
		Reason: w.Reason, Actor: w.Actor, At: timeText(w.At),
	}
	if w.Seed != nil {
		l.Seed = &seedNumber{number: *w.Seed, given: true}
	}
	return appendLine(b, l)
}

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
