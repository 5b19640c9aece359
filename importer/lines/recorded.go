package lines

import (
	"bytes"
	"fmt"
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
