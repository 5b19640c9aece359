package track

import (
	"time"

	"track/scoring"
)

// SeedRecord is what a database knows of a seed beyond what was measured.
type SeedRecord struct {
	ID           string          `json:"id"`
	At           time.Time       `json:"at"`
	Digest       TextDigest      `json:"digest"` // of the seed as it was recorded
	SupersededAt time.Time       `json:"superseded_at,omitzero"`
	IsWithdrawn  bool            `json:"withdrawn,omitzero"`
	Replaces     []TextDigest    `json:"replaces,omitempty"` // digests of the superseded seeds of its place
	Judged       []Judgement     `json:"judged,omitempty"`
	Repetitions  []Repetition    `json:"repetitions,omitempty"`
	Pruned       []PrunedContent `json:"pruned,omitempty"`
}

// Judgement says that a seed was judged under a spec.
type Judgement struct {
	Spec     string                  `json:"spec"`               // its hash
	Computed []scoring.ComputedValue `json:"computed,omitempty"` // of a seed whose series were pruned
}

// PrunedContent is a series or a file of a seed whose content was deleted.
type PrunedContent struct {
	Series string     `json:"series,omitempty"` // its name
	File   string     `json:"file,omitempty"`   // its name
	Digest TextDigest `json:"digest"`
	N      int64      `json:"n"` // numbers or bytes
	At     time.Time  `json:"at"`
}

// WholeExecution is an execution as a database has it: texts that are not kept by their digests, and its scores.
type WholeExecution struct {
	RecordedExecution `json:",embed"`
	Digest            TextDigest `json:"digest"`    // of all that is recorded
	Structure         TextDigest `json:"structure"` // of all but the texts
	Masking           int        `json:"masking"`   // version of the rules that masked the texts
}
