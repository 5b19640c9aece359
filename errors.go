package track

import "errors"

// The kinds of failure that callers tell apart. Errors of this project wrap one of them, or are internal.
var (
	ErrNotFound  = errors.New("not found")
	ErrInvalid   = errors.New("invalid input")
	ErrConflict  = errors.New("conflict")
	ErrAmbiguous = errors.New("ambiguous")
	ErrDatabase  = errors.New("unusable database")
)
