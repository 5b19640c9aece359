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

// WithHint adds a way out to an error; it does not change what the error is or says.
func WithHint(err error, hint string) error { return &hinted{err, hint} }

// Hints returns the ways out that were added to err, the outermost last.
func Hints(err error) []string {
	var hints []string
	for h := (*hinted)(nil); errors.As(err, &h); err = h.error {
		hints = append([]string{h.hint}, hints...)
	}
	return hints
}

type hinted struct {
	error
	hint string
}

func (h *hinted) Unwrap() error { return h.error }
