package track

import (
	"context"
	"errors"
	"fmt"
	"runtime/debug"
	"slices"
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

// Hint is a way out of an error, or a next step, as data. Each face writes it in its own language: the command line as
// a command for the shell, an API as JSON.
type Hint struct {
	Do   string    `json:"do,omitempty"`   // the question or command, such as "spec show"; empty if it is the one that failed, or Text says it all
	Args []HintArg `json:"args,omitempty"` // what Do is applied to, in order; without Do, what to add to the request that failed
	Text string    `json:"text"`           // what it achieves, beginning with a verb: "list the recorded seeds"
}

// HintArg is one argument of a [Hint].
type HintArg struct {
	Name  string `json:"name,omitempty"` // the name of the parameter; empty for a positional argument
	Value string `json:"value"`          // empty for a switch that is turned on
}

// NewHint returns a hint to do something on the positional arguments: NewHint("list the recorded seeds", "seeds",
// scenario).
func NewHint(text, do string, on ...string) Hint {
	h := Hint{Do: do, Text: text}
	for _, value := range on {
		h.Args = append(h.Args, HintArg{Value: value})
	}
	return h
}

// With returns the hint with a named parameter; an empty value is a switch.
func (h Hint) With(name, value string) Hint {
	h.Args = append(slices.Clone(h.Args), HintArg{name, value})
	return h
}

// String writes the hint for tests and logs. It is not shell text.
func (h Hint) String() string {
	if h.Do == "" && len(h.Args) == 0 {
		return h.Text
	}
	words := slices.DeleteFunc([]string{h.Do}, func(do string) bool { return do == "" })
	for _, a := range h.Args {
		switch {
		case a.Name == "":
			words = append(words, a.Value)
		case a.Value == "":
			words = append(words, a.Name)
		default:
			words = append(words, a.Name+"="+a.Value)
		}
	}
	return h.Text + ": " + strings.Join(words, " ")
}

// WithHint adds a way out to an error; it does not change what the error is or says.
func WithHint(err error, hint Hint) error { return &hinted{err, hint} }

// Hints returns the ways out that were added to err, the outermost last.
func Hints(err error) []Hint {
	var hints []Hint
	for h := (*hinted)(nil); errors.As(err, &h); err = h.error {
		hints = append([]Hint{h.hint}, hints...)
	}
	if field := (*FieldError)(nil); errors.As(err, &field) && field.Hint != nil {
		hints = append([]Hint{*field.Hint}, hints...)
	}
	return hints
}

type hinted struct {
	error
	hint Hint
}

func (h *hinted) Unwrap() error { return h.error }

type progressKey struct{}

// Progress is told how far a computation is that takes long. Calls do not overlap; the last one has done = total.
type Progress func(done, total int)

// WithProgress returns a context in which computations that take long report their progress.
func WithProgress(ctx context.Context, report Progress) context.Context {
	return context.WithValue(ctx, progressKey{}, report)
}

// ProgressOf returns what progress is reported to; a function that does nothing if nobody asked.
func ProgressOf(ctx context.Context) Progress {
	if report, ok := ctx.Value(progressKey{}).(Progress); ok {
		return report
	}
	return func(int, int) {}
}
