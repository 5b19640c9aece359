package track

import (
	"errors"
	"fmt"
	"runtime/debug"
	"strings"
)

// The kinds of failure that callers distinguish. Errors of this project wrap one of them, or are internal.
var (
	ErrNotFound  = errors.New("not found")
	ErrInvalid   = errors.New("invalid input")
	ErrConflict  = errors.New("conflict")
	ErrAmbiguous = errors.New("ambiguous")
	ErrDatabase  = errors.New("unusable database")
	ErrDiffers   = errors.New("replay differs") // something that was done again gives another result
)

// ErrForbidden means that somebody may not do what they ask for. It is an [ErrInvalid].
var ErrForbidden error = forbiddenError{}

type forbiddenError struct{}

func (forbiddenError) Error() string { return "not allowed" }

func (forbiddenError) Unwrap() error { return ErrInvalid }

// ErrDamaged means that a database holds what track never writes. It is an [ErrDatabase].
var ErrDamaged error = damagedError{}

type damagedError struct{}

func (damagedError) Error() string { return "damaged database" }

func (damagedError) Unwrap() error { return ErrDatabase }

// PanicError is a panic that was caught.
type PanicError struct {
	Value any
	Stack string
}

func (e *PanicError) Error() string { return fmt.Sprint("internal error: ", e.Value) }

// CatchPanic sets err if the function that defers it panics.
func CatchPanic(err *error) {
	if value := recover(); value != nil {
		*err = &PanicError{value, string(debug.Stack())}
	}
}

// FieldError is an error in one field of an input.
type FieldError struct {
	File    string // empty if there is none
	Line    int    // from 1; 0 if the input has no lines
	Field   string // path such as values.unemployment; empty for the whole input
	Message string
	Hint    *Hint // the way out; nil for none
}

func (e *FieldError) Error() string {
	s := e.Message
	if e.Field != "" {
		s = e.Field + ": " + s
	}
	switch {
	case e.File != "" && e.Line > 0:
		return fmt.Sprintf("%s:%d: %s", e.File, e.Line, s)
	case e.File != "":
		return e.File + ": " + s
	case e.Line > 0:
		return fmt.Sprintf("line %d: %s", e.Line, s)
	}
	return s
}

// Unwrap makes every FieldError an [ErrInvalid].
func (e *FieldError) Unwrap() error { return ErrInvalid }

// Shorten shortens what an error quotes of its input, which may be megabytes long. It returns e, which may be nil.
func (e *FieldError) Shorten() *FieldError {
	const longestField, longestMessage = 200, 500
	if e != nil {
		e.Field, e.Message = shorten(e.Field, longestField), shorten(e.Message, longestMessage)
	}
	return e
}

func shorten(text string, longest int) string {
	if len(text) <= longest {
		return text
	}
	return strings.ToValidUTF8(text[:longest], "") + "…"
}
