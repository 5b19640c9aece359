package track

import (
	"fmt"
	"strings"
)

// FieldError says what is wrong with one field of an input, and where the input stands.
type FieldError struct {
	File    string // empty where there is none
	Line    int    // from 1; 0 where the input has no lines
	Field   string // path such as values.unemployment; empty where the whole is meant
	Message string
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

// Validate says what is wrong with a seed that is to be recorded.
func (s Seed) Validate() *FieldError {
	if err := CheckScenarioName(s.Scenario); err != nil {
		return &FieldError{Field: "scenario", Message: err.Error()}
	}
	optional := [...]struct{ field, text string }{
		{"configuration.label", s.Configuration.Label},
		{"configuration.commit", s.Configuration.Revision.Commit},
		{"configuration.diff_hash", s.Configuration.Revision.DiffHash},
	}
	for _, o := range optional {
		if o.text == "" {
			continue
		}
		if err := CheckName(o.text); err != nil {
			return &FieldError{Field: o.field, Message: err.Error()}
		}
	}
	if err := checkMetricNames(s.Values); err != nil {
		return &FieldError{Field: "values", Message: "the name of a metric " + err.Error()}
	}
	seen := map[string]bool{}
	for _, series := range s.Series {
		if err := CheckName(series.Name); err != nil {
			return &FieldError{Field: "series", Message: "the name of a series " + err.Error()}
		}
		if seen[series.Name] {
			return &FieldError{Field: "series." + series.Name, Message: "stands there twice"}
		}
		seen[series.Name] = true
	}
	if s.Outcome == OutcomeOK && len(s.Values) == 0 && len(s.Series) == 0 {
		return &FieldError{Field: "values", Message: `empty: a seed that ran well measured something; set the outcome if it did not`}
	}
	return nil
}

// checkMetricNames says what is wrong with the first of the names, in their order, that is no name.
func checkMetricNames(values map[string]float64) (problem error) {
	first := ""
	for name := range values {
		if err := CheckName(name); err != nil && (problem == nil || name < first) {
			first, problem = name, err
		}
	}
	return problem
}
