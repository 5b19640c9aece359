package answer

import (
	"fmt"
	"time"

	"track"
	"track/answer/param"
	"track/scoring"
)

// SeedsQuestion asks which seeds are recorded.
type SeedsQuestion struct {
	Of        Selector // empty for all scenarios
	Label     string
	Outcome   track.Outcome
	Status    scoring.Status
	MinScore  *float64
	MaxScore  *float64
	Since     Since
	Withdrawn bool
	Page      Page
}

func (q *SeedsQuestion) Params() param.List {
	return append(param.List{
		{Name: "scenario", Arg: true, Unit: "SCENARIO[@CONFIGURATION]", Help: "list only seeds of this scenario", Value: selectorValue(&q.Of)},
		{Name: "label", Unit: "LABEL", Help: "list only seeds of configurations with this `LABEL`", Value: param.Name(&q.Label)},
		{Name: "outcome", Help: "list only seeds with this outcome", Enum: param.Outcomes(), Value: param.Outcome(&q.Outcome)},
		{Name: "status", Help: "list only seeds with this status", Enum: param.Statuses(), Value: param.Status(&q.Status)},
		{Name: "min-score", Unit: "X", Help: "list only seeds with a total score of at least `X`", Value: param.OptionalFloat(&q.MinScore)},
		{Name: "max-score", Unit: "X", Help: "list only seeds with a total score of at most `X`", Value: param.OptionalFloat(&q.MaxScore)},
		{Name: "since", Unit: "TIME", Help: "list only seeds recorded since `TIME`: 2026-01-02, 2026-01-02T15:04:05Z, or 24h for the last day", Value: &q.Since},
		{Name: "withdrawn", Help: "list seeds that were withdrawn, and why, in place of those that count", Value: param.Switch(&q.Withdrawn)},
	}, q.Page.Params(50)...)
}

// Seeds are recorded seeds, the newest first.
type Seeds struct {
	List[track.RecordedSeed] `json:",embed"`
	Annotated                []AnnotatedConfiguration `json:"annotated,omitempty"` // configurations of these seeds that have tags or notes
}

// AnnotatedConfiguration is a configuration that has tags or notes.
type AnnotatedConfiguration struct {
	Scenario      string `json:"scenario"`
	Configuration string `json:"configuration"` // hash
	Annotations   `json:",embed"`
}

// annotationsOf returns the tags and the notes of the configuration of a seed.
func (a Seeds) annotationsOf(s track.RecordedSeed) (found Annotations) {
	for _, c := range a.Annotated {
		if c.Scenario == s.Scenario && c.Configuration == s.Configuration.Hash {
			return c.Annotations
		}
	}
	return found
}

func (Seeds) Lead() []Sentence { return nil }

func (a Seeds) Tables() []Table {
	t := Table{Name: "seeds", Empty: "no seeds match", Columns: Columns{
		{Name: "scenario"}, {Name: "seed"}, {Name: "label"}, {Name: "configuration"}, {Name: "outcome"}, {Name: "status"}, {Name: "score"},
		{Name: "pass"}, {Name: "warn"}, {Name: "fail"}, {Name: "spec"}, {Name: "recorded"},
	}.drop("recorded", "spec", "warn", "label", "pass", "fail", "configuration")}
	annotated := len(a.Annotated) > 0
	if annotated {
		t.Columns = append(t.Columns, Columns{{Name: "tags"}, {Name: "notes"}}.drop("notes", "tags").wrap("tags")...)
	}
	withdrawn := len(a.Items) > 0 && a.Items[0].Withdrawn != nil
	if withdrawn {
		t.Columns = append(t.Columns, Column{Name: "withdrawn"}, Column{Name: "reason"})
	}
	for _, s := range a.Items {
		version := any(nil)
		if s.SpecVersion > 0 {
			version = s.SpecVersion
		}
		t.Rows = append(t.Rows, []any{
			s.Scenario, s.Number, s.Configuration.Label, hashCell(s.Configuration.Hash), string(s.Outcome), string(s.Status), s.TotalScore,
			s.NPass, s.NWarn, s.NFail, version, timeCell(s.RecordedAt),
		})
		if last := &t.Rows[len(t.Rows)-1]; annotated {
			of := a.annotationsOf(s)
			*last = append(*last, of.TagText(), len(of.Notes))
		}
		if last := &t.Rows[len(t.Rows)-1]; withdrawn && s.Withdrawn != nil {
			*last = append(*last, timeCell(s.Withdrawn.At), s.Withdrawn.Reason)
		} else if withdrawn {
			*last = append(*last, nil, nil)
		}
	}
	if a.Next != "" {
		t.Notes = []Sentence{{Kind: Note, Text: fmt.Sprintf("the newest %d; a larger limit lists more", len(a.Items))}}
	}
	return []Table{t}
}

// Since is the time from which on something is listed: a time, or a span before now.
type Since struct {
	Time time.Time
	Ago  time.Duration // before now, if Time is zero
}

// From returns the time itself; the zero time if everything is listed.
func (s Since) From(now time.Time) time.Time {
	if s.Time.IsZero() && s.Ago != 0 {
		return now.Add(-s.Ago)
	}
	return s.Time
}

// Set reads a date, a time, or a duration before now.
func (s *Since) Set(text string) error {
	if ago, err := time.ParseDuration(text); err == nil {
		*s = Since{Ago: ago}
		return nil
	}
	for _, layout := range []string{time.RFC3339Nano, time.DateOnly} {
		if t, err := time.Parse(layout, text); err == nil {
			*s = Since{Time: t}
			return nil
		}
	}
	return fmt.Errorf("%q is neither a time such as 2026-01-02T15:04:05Z nor a duration such as 24h", text)
}

// String writes what [Since.Set] reads.
func (s *Since) String() string {
	switch {
	case s == nil || *s == Since{}:
		return ""
	case s.Time.IsZero():
		return s.Ago.String()
	}
	return s.Time.UTC().Format(time.RFC3339Nano)
}

func (s *Since) Type() string { return "string" }
