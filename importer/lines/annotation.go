package lines

import (
	"fmt"
	"strings"
	"time"

	"track"
)

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
