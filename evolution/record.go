package evolution

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"time"
	"unicode/utf8"
)

// recordDomain keeps these hashes apart from all others.
const recordDomain = "track/decision/1\x00"

// Record is a decision with all that it followed from, and its place in the chain of its lineage.
type Record struct {
	Lineage   string          `json:"lineage"`
	Number    int             `json:"number"` // place in the chain, from 1
	Mutation  string          `json:"mutation"`
	Attempt   int             `json:"attempt"` // 0 for the first decision on the mutation
	DecidedAt time.Time       `json:"decided_at,omitzero"`
	Policy    string          `json:"policy"`
	Params    json.RawMessage `json:"params"` // canonical JSON
	Evidence  Evidence        `json:"evidence"`
	Draw      Draw            `json:"draw"`
	Decision  Decision        `json:"decision"`
	Prev      string          `json:"prev"` // hash of the record before; empty in the first
	Hash      string          `json:"hash"`
}

// NewRecord decides on a mutation and seals the decision as the record after prev; the zero Record where it is the first.
func NewRecord(prev Record, mutation string, p Policy, e Evidence, draw Draw, at time.Time) (Record, error) {
	d, err := Decide(p, e, draw)
	if err != nil {
		return Record{}, err
	}
	if draw.Mutation != mutation || prev.Hash != "" && draw.Lineage != prev.Lineage {
		return Record{}, fmt.Errorf("%w: drawn for mutation %q of lineage %q", ErrDraw, draw.Mutation, draw.Lineage)
	}
	params, err := Params(p)
	if err != nil {
		return Record{}, err
	}
	r := Record{
		Lineage: draw.Lineage, Number: prev.Number + 1, Mutation: mutation, Attempt: draw.Attempt, DecidedAt: at,
		Policy: p.Name(), Params: params, Evidence: e.sorted(), Draw: draw, Decision: d, Prev: prev.Hash,
	}
	r.Hash, err = r.ContentHash()
	return r, err
}

// ContentHash is what Hash must be: SHA-256("track/decision/1" 0x00 || the record without its hash as canonical JSON), in hexadecimal. Trials are
// in the order of [Evidence], times in UTC to the microsecond, as they are stored. The hash of the record before is part of the content, so that the chain
// cannot be cut or reordered.
func (r Record) ContentHash() (string, error) {
	for _, text := range [...]string{r.Lineage, r.Mutation, r.Draw.Lineage, r.Draw.Mutation, r.Draw.Label} {
		if !utf8.ValidString(text) {
			return "", fmt.Errorf("%q is not valid UTF-8", text)
		}
	}
	r.Evidence = r.Evidence.sorted()
	if !r.DecidedAt.IsZero() {
		r.DecidedAt = r.DecidedAt.UTC().Truncate(time.Microsecond)
	}
	if len(r.Params) == 0 {
		return "", errors.New("params: empty")
	}
	r.Hash = ""
	text, err := canonical(r)
	if err != nil {
		return "", err
	}
	sum := sha256.Sum256(append([]byte(recordDomain), text...))
	return hex.EncodeToString(sum[:]), nil
}
