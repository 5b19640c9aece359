package track

import (
	"fmt"
	"time"
	"unicode/utf8"
)

// Version is a version of an agent's prompt, of a lineage. An unknown field is the zero value, or nil if zero means
// something else.
type Version struct {
	Lineage           string
	Name              string
	Parent            string   // version that it was made of
	Operator          string   // what made it of its parent
	Content           *string  // the prompt
	Masking           int      // version of the rules that masked the content; 0 if it is not masked yet
	Status            string   // in the words of the source
	Note              string   // for people
	Source            string   // name of the format that it was read from
	SourceScore       *float64 // as the source recorded it, in its own units; no score of a rubric
	SourceParentScore *float64 // of the parent when this version was made
	CreatedAt         time.Time
	RecordedAt        time.Time // when a database recorded it first; zero unless it is read from one
}

// Validate returns the first error in a version, or nil if it can be recorded.
func (v Version) Validate() *FieldError {
	for _, required := range [...]namedText{{"lineage", v.Lineage}, {"version", v.Name}} {
		if err := CheckName(required.text); err != nil {
			return &FieldError{Field: required.field, Message: err.Error()}
		}
	}
	if err := checkOptionalNames(namedText{"parent", v.Parent}, namedText{"operator", v.Operator}, namedText{"status", v.Status}, namedText{"source", v.Source}); err != nil {
		return err
	}
	if v.Parent == v.Name {
		return &FieldError{Field: "parent", Message: fmt.Sprintf("%s cannot be its own parent", v.Name)}
	}
	content := ""
	if v.Content != nil {
		content = *v.Content
	}
	for _, t := range [...]namedText{{"content", content}, {"note", v.Note}} {
		if !utf8.ValidString(t.text) {
			return &FieldError{Field: t.field, Message: "is not valid UTF-8"}
		}
	}
	for _, n := range [...]struct {
		field string
		score *float64
	}{{"score", v.SourceScore}, {"parent_score", v.SourceParentScore}} {
		if n.score != nil && !isFinite(*n.score) {
			return &FieldError{Field: n.field, Message: fmt.Sprintf("%v is not finite", *n.score)}
		}
	}
	return nil
}
