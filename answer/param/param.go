// Package param declares the parameters of questions, once for every face: flags, parameters of addresses, and
// schemas follow from it.
package param

import (
	"flag"
	"fmt"
	"net/url"
	"slices"
	"strings"

	"track"
)

// Param is one parameter of a question. Flags of the command line, parameters of addresses and schemas all follow
// from it.
type Param struct {
	Name     string // in kebab-case: min-score
	Arg      bool   // the command line takes it as an argument, in the order of declaration, and not as a flag
	Required bool   // there is no answer without it
	Unit     string // what stands for its value in help: N, SCENARIO[@CONFIGURATION]
	Help     string // begins with a verb
	FileHelp string // says instead of Help what a face that reads files takes: the name of one with the value; empty if it takes the value too
	Enum     []string
	Local    bool // for the command line alone
	Value    Value
}

// Value is where a parameter is kept. String returns its canonical text, which is empty for nothing.
type Value interface {
	flag.Value
	// Type returns the type in a JSON Schema: string, integer, number or boolean; "array" for one that may be repeated.
	Type() string
}

// List holds the parameters of a question.
type List []Param

// Error says what is wrong with a parameter of a question.
type Error struct {
	Param, Message string
	Cause          error // what Message was made of; nil if the parameter itself is wrong
}

func (e *Error) Error() string { return e.Param + ": " + e.Message }

// Unwrap returns the cause; [track.ErrInvalid] without one.
func (e *Error) Unwrap() error {
	if e.Cause == nil {
		return track.ErrInvalid
	}
	return e.Cause
}

// Find returns the parameter of that name.
func (ps List) Find(name string) (Param, bool) {
	i := slices.IndexFunc(ps, func(p Param) bool { return p.Name == name })
	if i < 0 {
		return Param{}, false
	}
	return ps[i], true
}

// Set puts values into the parameters. It returns a [Error] for an unknown name, a value that does not fit, a
// parameter that is given twice but cannot be repeated, and a required one that is missing.
func (ps List) Set(in url.Values) error {
	names := make([]string, 0, len(in))
	for name := range in {
		names = append(names, name)
	}
	slices.Sort(names)
	for _, name := range names {
		p, ok := ps.Find(name)
		if !ok || p.Local {
			return &Error{Param: name, Message: "there is no such parameter"}
		}
		if len(in[name]) > 1 && p.Value.Type() != "array" {
			return &Error{Param: name, Message: "given more than once"}
		}
		for _, text := range in[name] {
			if err := p.Set(text); err != nil {
				return err
			}
		}
	}
	for _, p := range ps {
		if p.Required && !in.Has(p.Name) {
			return &Error{Param: p.Name, Message: "missing"}
		}
	}
	return nil
}

// Set puts text into the parameter, and returns a [Error] if it does not fit.
func (p Param) Set(text string) error {
	if i := slices.IndexFunc(p.Enum, func(name string) bool { return strings.EqualFold(name, text) }); i >= 0 {
		text = p.Enum[i]
	} else if len(p.Enum) > 0 {
		return &Error{Param: p.Name, Message: fmt.Sprintf("%q is not one of %s", text, strings.Join(p.Enum, ", "))}
	}
	if err := p.Value.Set(text); err != nil {
		return &Error{p.Name, err.Error(), err}
	}
	return nil
}

// Encode returns the values that were given, for [List.Set] elsewhere. It returns an [Error] if one is only for the
// command line.
func (ps List) Encode() (url.Values, error) {
	out := url.Values{}
	for _, p := range ps {
		texts := p.Texts()
		switch {
		case len(texts) == 0:
		case p.Local:
			return nil, &Error{Param: p.Name, Message: "a server does not take it"}
		default:
			out[p.Name] = texts
		}
	}
	return out, nil
}

// Texts returns the values that were given.
func (p Param) Texts() []string {
	if list, ok := p.Value.(interface{ Texts() []string }); ok {
		return list.Texts()
	}
	if text := p.Value.String(); text != "" {
		return []string{text}
	}
	return nil
}
