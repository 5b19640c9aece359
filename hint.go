package track

import (
	"errors"
	"slices"
	"strings"
)

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
