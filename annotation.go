package track

import (
	"fmt"
	"strings"
	"time"
)

// AnnotationKind says what is attached to a configuration.
type AnnotationKind string

// The kinds.
const (
	AnnotationNote AnnotationKind = "note" // a text; a configuration can have several
	AnnotationTag  AnnotationKind = "tag"  // a name
)

// Annotation adds a note or a tag to a configuration of a scenario, or removes one. Of several that are about the same
// note or tag, the one with the latest time counts; of equal times, the one with the larger ID. So databases that hold
// the same annotations agree, in whatever order they were merged.
type Annotation struct {
	ID            string // ULID
	Kind          AnnotationKind
	Removed       bool
	Scenario      string
	Configuration Configuration
	Subject       string // the tag, or the ID that the note was added with
	Text          string // of a note that is added, or why something was removed
	Actor         string
	At            time.Time
}

// EachText implements [Fact].
func (a *Annotation) EachText(v TextVisitor) {
	v.Name("scenario", a.Scenario)
	a.Configuration.EachText(v)
	v.Name(string(a.Kind), a.Subject)
	v.Free("text", &a.Text)
	v.Name("actor", a.Actor)
}

// maxNote is the largest number of bytes of a note.
const maxNote = 16 << 10

// Check returns why the annotation cannot be recorded; nil if it can.
func (a *Annotation) Check() *FieldError {
	wrong := func(field, format string, args ...any) *FieldError {
		return (&FieldError{Field: field, Message: fmt.Sprintf(format, args...)}).Shorten()
	}
	if err := CheckScenarioName(a.Scenario); err != nil {
		return wrong("scenario", "%v", err)
	}
	if err := CheckName(a.Subject); err != nil {
		return wrong(string(a.Kind), "%v", err)
	}
	switch {
	case a.Kind != AnnotationNote && a.Kind != AnnotationTag:
		return wrong("kind", "unknown kind %q", a.Kind)
	case a.Kind == AnnotationNote && !a.Removed && strings.TrimSpace(a.Text) == "":
		return wrong("text", "is empty")
	case len(a.Text) > maxNote:
		return wrong("text", "is %d bytes long; at most %d are allowed", len(a.Text), maxNote)
	}
	return nil
}
