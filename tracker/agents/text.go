package agents

import (
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"slices"
	"time"

	"track"
	"track/internal/masking"
)

// Masked takes the secrets out of every text of an execution, and says how many there were.
func Masked(e track.Execution) (track.Execution, int) {
	total := 0
	mask := func(s string) string {
		clean, n := masking.Mask(s)
		total += n
		return clean
	}
	maskPointer := func(s *string) *string {
		if s == nil {
			return nil
		}
		clean := mask(*s)
		return &clean
	}
	e.Task, e.Message, e.Output = mask(e.Task), mask(e.Message), maskPointer(e.Output)
	e.Session, e.Key, e.Model = mask(e.Session), mask(e.Key), mask(e.Model)
	calls := make([]track.ToolCall, len(e.Calls))
	for i, c := range e.Calls {
		c.Input, c.Command, c.Error, c.Output = mask(c.Input), mask(c.Command), mask(c.Error), maskPointer(c.Output)
		calls[i] = c
	}
	e.Calls = calls
	files := make([]track.WrittenFile, len(e.Files))
	for i, f := range e.Files {
		files[i] = track.WrittenFile{Name: mask(f.Name), Content: mask(f.Content)}
	}
	e.Files = files
	return e, total
}

// digestExecution identifies what is known of an execution, its id left out. What is stored alike has one digest.
func digestExecution(e track.Execution) ([sha256.Size]byte, error) {
	e.ID = ""
	e.StartedAt, e.Duration = storedTime(e.StartedAt), storedDuration(e.Duration)
	if len(e.Truths) == 0 {
		e.Truths = nil
	}
	if e.Tokens != nil && *e.Tokens == (track.Tokens{}) {
		e.Tokens = nil
	}
	e.Calls = slices.Clone(e.Calls)
	for i, c := range e.Calls {
		e.Calls[i].StartedAt, e.Calls[i].Duration = storedTime(c.StartedAt), storedDuration(c.Duration)
	}
	document, err := json.Marshal(e)
	if err != nil {
		return [sha256.Size]byte{}, fmt.Errorf("digest: %w", err)
	}
	return sha256.Sum256(document), nil
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

// keepTexts keeps the final output, which scoring again needs, and the texts of the calls where that was asked for.
func (p *Prepared) keepTexts(keep bool) {
	p.Output = storedText(p.Execution.Output, true)
	for _, c := range p.Calls {
		p.Inputs = append(p.Inputs, *storedText(&c.Input, keep))
		p.Outputs = append(p.Outputs, storedText(c.Output, keep))
	}
}

func storedText(text *string, keep bool) *track.RecordedText {
	if text == nil {
		return nil
	}
	stored := &track.RecordedText{Digest: sha256.Sum256([]byte(*text)), Bytes: len(*text)}
	if keep {
		stored.Text = text
	}
	return stored
}
