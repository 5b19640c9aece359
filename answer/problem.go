package answer

import (
	"errors"

	"track"
	"track/answer/param"
)

// ProblemKind is the kind of a [Problem].
type ProblemKind string

// The kinds of problems.
const (
	Invalid   ProblemKind = "invalid"
	NotFound  ProblemKind = "not_found"
	Conflict  ProblemKind = "conflict"
	Ambiguous ProblemKind = "ambiguous"
	Different ProblemKind = "differs" // something that was done again gives another result
	Damaged   ProblemKind = "damaged"
	Database  ProblemKind = "database"
	Internal  ProblemKind = "internal"
)

// Problem is why there is no answer, as data: an error that a server sends and that its client returns again.
type Problem struct {
	Kind    ProblemKind  `json:"kind"`
	Message string       `json:"message"`
	Param   string       `json:"param,omitempty"` // the parameter of the question that is wrong
	File    string       `json:"file,omitempty"`
	Line    int          `json:"line,omitzero"` // from 1
	Field   string       `json:"field,omitempty"`
	Hints   []track.Hint `json:"hints,omitempty"` // ways out
}

// problemKinds returns the error that stands for each kind, the more special ones first.
func problemKinds() []struct {
	kind ProblemKind
	err  error
} {
	return []struct {
		kind ProblemKind
		err  error
	}{
		{Different, track.ErrDiffers}, {Ambiguous, track.ErrAmbiguous}, {Conflict, track.ErrConflict}, {NotFound, track.ErrNotFound},
		{Damaged, track.ErrDamaged}, {Database, track.ErrDatabase}, {Invalid, track.ErrInvalid},
	}
}

// ProblemOf returns an error as data.
func ProblemOf(err error) Problem {
	p := Problem{Kind: Internal, Message: err.Error(), Hints: track.Hints(err)}
	for _, k := range problemKinds() {
		if errors.Is(err, k.err) {
			p.Kind = k.kind
			break
		}
	}
	if wrong := (*param.Error)(nil); errors.As(err, &wrong) && err.Error() == wrong.Error() {
		p.Param, p.Message = wrong.Param, wrong.Message
		if p.Kind == Internal {
			p.Kind = Invalid
		}
	} else if wrong := (*track.FieldError)(nil); errors.As(err, &wrong) && err.Error() == wrong.Error() {
		p.File, p.Line, p.Field, p.Message = wrong.File, wrong.Line, wrong.Field, wrong.Message
	}
	return p
}

// Err returns the error again: it reads alike, is of the same kind, and has the same ways out.
func (p Problem) Err() error {
	err := error(&problemError{p.Message, p.cause()})
	switch {
	case p.Param != "":
		err = &param.Error{Param: p.Param, Message: p.Message, Cause: p.cause()}
	case p.File != "" || p.Line != 0 || p.Field != "":
		err = &track.FieldError{File: p.File, Line: p.Line, Field: p.Field, Message: p.Message}
	}
	for _, hint := range p.Hints {
		err = track.WithHint(err, hint)
	}
	return err
}

// cause returns the error that stands for the kind; nil for an internal one.
func (p Problem) cause() error {
	for _, k := range problemKinds() {
		if k.kind == p.Kind {
			return k.err
		}
	}
	return nil
}

type problemError struct {
	message string
	cause   error
}

func (e *problemError) Error() string { return e.message }

// Unwrap returns what stands for the kind of the problem.
func (e *problemError) Unwrap() error { return e.cause }
