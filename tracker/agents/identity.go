package agents

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	"track"
	"track/internal/admission"
	"track/store"
)

// Better rules mask the texts of an execution in another way, and so change its digest. Its structure stays: what of
// it is no text. Two records of one structure that were masked by different rules are the same execution if no text
// that can be compared contradicts that.

// digests returns what identifies an execution, its ID left out: a digest of all that is known of it, and a digest of
// all but its texts. What is stored alike has the same digests.
func digests(e track.Execution) (all, structure [sha256.Size]byte, err error) {
	e.ID, e.Requests = "", nil // what a request used is a measurement: a source may say it one day and not the other
	if e.Priced != "" {        // another table of prices is no other execution
		e.CostUSD, e.Priced = nil, ""
	}
	e.StartedAt, e.Duration = storedTime(e.StartedAt), storedDuration(e.Duration)
	if len(e.Truths) == 0 {
		e.Truths = nil
	}
	if e.Tokens != nil && *e.Tokens == (track.Tokens{}) {
		e.Tokens = nil
	}
	e.Calls = slices.Clone(e.Calls)
	for i, c := range e.Calls {
		e.Calls[i].StartedAt, e.Calls[i].Duration, e.Calls[i].Request = storedTime(c.StartedAt), storedDuration(c.Duration), 0
	}
	if all, err = digest(e); err != nil {
		return all, structure, err
	}
	e.EachText(textless{})
	structure, err = digest(e)
	return all, structure, err
}

func digest(e track.Execution) ([sha256.Size]byte, error) {
	document, err := json.Marshal(e)
	if err != nil {
		return [sha256.Size]byte{}, fmt.Errorf("digest: %w", err)
	}
	return sha256.Sum256(document), nil
}

// textless leaves of each free text of a fact only that it is there.
type textless struct{}

func (textless) Name(_, _ string)  {}
func (textless) Names(_, _ string) {}

func (textless) Free(_ string, text *string) {
	if *text != "" {
		*text = "x"
	}
}

func (t textless) Setting(field, _ string, text *string)   { t.Free(field, text) }
func (t textless) Document(field string, document *string) { t.Free(field, document) }

// contentKeyPrefix begins the keys that are made of what an execution says.
const contentKeyPrefix = "sha256:"

// IsContentKey reports whether a key was made of what an execution says.
func IsContentKey(key string) bool { return strings.HasPrefix(key, contentKeyPrefix) }

// contentKey returns the key of an execution that has none: half of it is its structure.
func (p Prepared) contentKey() string {
	const half = sha256.Size / 2
	return contentKeyPrefix + hex.EncodeToString(p.Structure[:half]) + hex.EncodeToString(p.Digest[:half])
}

// find returns what is recorded of an execution; nil if there is nothing. unknown is the number of texts that cannot be
// compared, because they are not kept and were masked by other rules.
func (r *Recorder) find(ctx context.Context, reads *store.Reader, p Prepared) (existing *store.ExistingExecution, unknown int, err error) {
	existing, err = reads.FindExecution(ctx, p.ExecutionRecord)
	switch {
	case err != nil:
		return nil, 0, err
	case existing == nil && p.hasContentKey:
		return r.findAlike(ctx, reads, p)
	case existing == nil || existing.Same || !existing.SameStructure || existing.Masking == p.Masking:
		return existing, 0, nil
	}
	recorded, err := reads.ExecutionByRow(ctx, existing.Row())
	if err != nil {
		return nil, 0, err
	}
	existing.Same, unknown = Alike(store.RecordOf(recorded), p.withTexts(), r.options.Texts)
	return existing, unknown, nil
}

// findAlike finds an execution whose key was made of its content when other rules masked it.
func (r *Recorder) findAlike(ctx context.Context, reads *store.Reader, p Prepared) (*store.ExistingExecution, int, error) {
	prefix := contentKeyPrefix + hex.EncodeToString(p.Structure[:sha256.Size/2])
	rows, err := reads.ExecutionsAlike(ctx, p.ExecutionRecord, prefix)
	for _, row := range rows {
		recorded, err := reads.ExecutionByRow(ctx, row)
		if err != nil {
			return nil, 0, err
		}
		alike, unknown := Alike(store.RecordOf(recorded), p.withTexts(), r.options.Texts)
		if !alike {
			continue
		}
		record := p.ExecutionRecord
		record.Key = recorded.Key
		existing, err := reads.FindExecution(ctx, record)
		if existing != nil {
			existing.Same = true
		}
		return existing, unknown, err
	}
	return nil, 0, err
}

// withTexts returns the record with all its texts, whatever will be kept of them.
func (p Prepared) withTexts() store.ExecutionRecord {
	p.keepTexts(true)
	return p.ExecutionRecord
}

// Alike reports whether two records of one structure, masked by different rules, can be of the same execution. unknown
// is the number of texts that cannot be compared.
func Alike(a, b store.ExecutionRecord, rules *admission.Rules) (alike bool, unknown int) {
	if len(a.Calls) != len(b.Calls) || len(a.Inputs) != len(b.Inputs) || len(a.Outputs) != len(b.Outputs) {
		return false, 0
	}
	c := comparison{rules: rules, alike: true}
	c.texts(&a.Message, &b.Message)
	c.recorded(a.Prompt, b.Prompt)
	c.recorded(a.Output, b.Output)
	for i := range a.Calls {
		c.texts(&a.Calls[i].Error, &b.Calls[i].Error)
		c.recorded(&a.Inputs[i], &b.Inputs[i])
		c.recorded(a.Outputs[i], b.Outputs[i])
	}
	return c.alike, c.unknown
}

// comparison compares the texts of two records.
type comparison struct {
	rules   *admission.Rules
	alike   bool
	unknown int
}

func (c *comparison) texts(a, b *string) {
	if (*a == "") != (*b == "") || *a == store.Forgotten || *b == store.Forgotten { // one was forgotten
		c.unknown++
		return
	}
	c.alike = c.alike && c.rules.Alike(*a, *b)
}

func (c *comparison) recorded(a, b *track.RecordedText) {
	switch {
	case a == nil || b == nil: // which is structure
	case a.Digest == b.Digest:
	case a.Text != nil && b.Text != nil:
		c.texts(a.Text, b.Text)
	default:
		c.unknown++
	}
}

// storedTime is a time as the database gives it back.
func storedTime(t time.Time) time.Time { return t.UTC().Truncate(time.Microsecond) }

func storedDuration(d *time.Duration) *time.Duration {
	if d == nil {
		return nil
	}
	whole := d.Truncate(time.Microsecond)
	return &whole
}
