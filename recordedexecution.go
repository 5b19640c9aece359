package track

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"time"

	"github.com/go-json-experiment/json/jsontext"
)

// RecordedExecution is an execution as it is read back, with its active score. What a list does not need is left out
// there.
type RecordedExecution struct {
	ID          string          `json:"id"` // ULID
	Lineage     string          `json:"lineage"`
	Version     string          `json:"version"`
	Task        string          `json:"task"`
	TaskType    string          `json:"task_type"`
	Complexity  Complexity      `json:"complexity"`
	Trial       int             `json:"trial"`
	Session     string          `json:"session"`
	Status      ExecutionStatus `json:"status"`
	Message     string          `json:"message"`
	Rubric      string          `json:"rubric"` // of the active score; empty if there is none
	Score       *float64        `json:"score"`  // 0 to 100
	Grade       string          `json:"grade"`
	NCalls      int             `json:"n_calls"`
	NFailed     int             `json:"n_failed"`  // as the active rubric counts them, else as the source does
	NUnknown    int             `json:"n_unknown"` // calls of unknown outcome, counted alike
	Corrections int             `json:"corrections"`
	Truncated   bool            `json:"truncated"`
	Holdout     bool            `json:"holdout,omitempty"` // never used to decide
	Model       string          `json:"model"`
	Tokens      *Tokens         `json:"tokens"`
	CostUSD     *float64        `json:"cost_usd"`
	Priced      string          `json:"priced,omitzero"` // date of the table of prices that the cost was computed by; empty if the source gave it
	StartedAt   time.Time       `json:"started_at,omitzero"`
	Duration    *time.Duration  `json:"duration_s"` // in JSON, seconds
	RecordedAt  time.Time       `json:"recorded_at"`
	Source      string          `json:"source"`
	Key         string          `json:"key"`
	Open        bool            `json:"open"` // the source ended within it
	ForgottenAt time.Time       `json:"forgotten_at,omitzero"`

	Truths   map[string]float64 `json:"truths,omitempty"` // ground-truth labels
	Prompt   *RecordedText      `json:"prompt,omitempty"`
	Output   *RecordedText      `json:"output,omitempty"`
	Calls    []RecordedCall     `json:"calls,omitempty"`
	Requests []ModelRequest     `json:"requests,omitempty"` // to the model, by number from 1
	Scores   []RecordedScore    `json:"scores,omitempty"`   // under every rubric, by name
}

// At returns when the execution started; when it was recorded if the start is unknown.
func (e RecordedExecution) At() time.Time {
	if e.StartedAt.IsZero() {
		return e.RecordedAt
	}
	return e.StartedAt
}

// RecordedCall is a tool call as it is read back.
type RecordedCall struct {
	Key       string         `json:"key,omitempty"`
	Tool      string         `json:"tool"`
	Exit      *int           `json:"exit"`
	Error     string         `json:"error"`
	Answered  bool           `json:"answered"`
	Rejected  bool           `json:"rejected"`
	Input     RecordedText   `json:"input"`
	Output    *RecordedText  `json:"output"` // nil if unknown
	StartedAt time.Time      `json:"started_at,omitzero"`
	Duration  *time.Duration `json:"duration_s"`        // in JSON, seconds
	Request   int            `json:"request,omitempty"` // number of the request that asked for it, from 1; 0 if unknown
}

// RecordedText is a masked text: its digest, its size, and the text itself only if it is kept.
type RecordedText struct {
	Digest     TextDigest `json:"sha256"`
	Bytes      int        `json:"bytes"`
	WholeBytes int        `json:"whole_bytes,omitempty"` // of the text that this one is a part of; 0 if it is whole
	Text       *string    `json:"text"`                  // nil if it is not kept
}

// NewRecordedText returns a masked text as it is recorded; the text itself only if it is to be kept.
func NewRecordedText(text string, keep bool) *RecordedText {
	r := &RecordedText{Digest: sha256.Sum256([]byte(text)), Bytes: len(text)}
	if keep {
		r.Text = &text
	}
	return r
}

// TextDigest is the SHA-256 of a masked text, in hexadecimal in JSON.
type TextDigest [sha256.Size]byte

func (d TextDigest) String() string { return hex.EncodeToString(d[:]) }

// MarshalText writes the digest in hexadecimal.
func (d TextDigest) MarshalText() ([]byte, error) { return []byte(d.String()), nil }

// UnmarshalText reads a digest in hexadecimal.
func (d *TextDigest) UnmarshalText(text []byte) error {
	if n, err := hex.Decode(d[:], text[:min(len(text), 2*len(d))]); err != nil || n != len(d) || len(text) != 2*len(d) {
		return fmt.Errorf("%q is not a SHA-256 in hexadecimal", text)
	}
	return nil
}

// RecordedScore is the score of an execution under a rubric.
type RecordedScore struct {
	Rubric     string           `json:"rubric"`
	Active     bool             `json:"active"` // it counts: the caller's own score, else that of the default rubric
	Score      *float64         `json:"score"`  // 0 to 100; nil if it has none
	Grade      string           `json:"grade"`
	NFailed    int              `json:"n_failed"`
	NUnknown   int              `json:"n_unknown"`
	Components []ComponentValue `json:"components,omitempty"`
	Detail     jsontext.Value   `json:"detail"` // the components with reasons and counts
	ScoredAt   time.Time        `json:"scored_at"`
}

// ComponentValue is the value of a component of a score; nil if it could not be measured.
type ComponentValue struct {
	Name  string   `json:"name"`
	Value *float64 `json:"value"`
}
