package rubric

import (
	"encoding/json"
	"fmt"
	"strings"
)

// formatDetail is what [followsFormat] was computed from.
type formatDetail struct {
	Requirements []requirement `json:"requirements"`
}

// requirement is one thing that the format asks for.
type requirement struct {
	Asked string `json:"asked"`
	Met   bool   `json:"met"`
	Why   string `json:"why,omitempty"` // what is missing
	Line  int    `json:"line,omitempty"`
}

// followsFormat wants everything that the format asks for. Where there is none, nothing can be missed.
func (s *scorer) followsFormat() Component {
	var d formatDetail
	if f := s.e.Format; f != nil {
		d.Requirements = s.requirements(f)
	}
	if len(d.Requirements) == 0 {
		c := holds(followsFormat, true, nil, "vacuous: no format is given")
		c.Vacuous = true
		return c
	}
	missed := 0
	reason := ""
	for _, r := range d.Requirements {
		if !r.Met {
			if missed++; missed == 1 {
				reason = fmt.Sprintf("%s: %s", r.Asked, r.Why)
			}
		}
	}
	if missed == 0 {
		return holds(followsFormat, true, d, "%s met", plural(len(d.Requirements), "requirement"))
	}
	return holds(followsFormat, false, d, "%d of %s missed, the first: %s", missed, plural(len(d.Requirements), "requirement"), reason)
}

func (s *scorer) requirements(f *FormatSpec) []requirement {
	var list []requirement
	for _, heading := range f.RequiredHeadings {
		list = append(list, s.requireHeading(heading))
	}
	for _, pattern := range f.Patterns {
		r := requirement{Asked: "pattern " + excerpt(pattern.String())}
		if at := pattern.FindStringIndex(s.text); at != nil {
			r.Met, r.Line = true, 1+strings.Count(s.text[:at[0]], "\n")
		} else {
			r.Why = "matches nowhere"
		}
		list = append(list, r)
	}
	if f.Schema != nil {
		r := requirement{Asked: "JSON Schema"}
		r.Why, r.Line = s.schemaMismatch(f.Schema)
		r.Met = r.Why == ""
		list = append(list, r)
	}
	words := countWords(s.text)
	if f.MinWords != nil {
		r := requirement{Asked: fmt.Sprintf("at least %s", plural(*f.MinWords, "word")), Met: words >= *f.MinWords}
		if !r.Met {
			r.Why = fmt.Sprintf("there are %d", words)
		}
		list = append(list, r)
	}
	if f.MaxWords != nil {
		r := requirement{Asked: fmt.Sprintf("at most %s", plural(*f.MaxWords, "word")), Met: words <= *f.MaxWords}
		if !r.Met {
			r.Why = fmt.Sprintf("there are %d", words)
		}
		list = append(list, r)
	}
	return list
}

func (s *scorer) requireHeading(heading string) requirement {
	r := requirement{Asked: "heading " + excerpt(heading), Why: "no such heading"}
	for _, b := range s.doc.blocks {
		if b.Kind == headingBlock && b.plain == plain(heading) {
			return requirement{Asked: r.Asked, Met: true, Line: b.Line}
		}
	}
	return r
}

// schemaMismatch looks at the text as a whole where it is JSON, else at its first fenced block of JSON.
func (s *scorer) schemaMismatch(schema *Schema) (why string, line int) {
	var v any
	if json.Unmarshal([]byte(s.text), &v) == nil {
		return schema.mismatch("$", v), 1
	}
	for _, b := range s.doc.blocks {
		if b.Kind != codeBlock || !b.Fenced || canonicalLanguage(b.Language) != "json" {
			continue
		}
		if err := json.Unmarshal([]byte(b.Text), &v); err != nil {
			return "the JSON block is not valid: " + err.Error(), b.Line
		}
		return schema.mismatch("$", v), b.Line
	}
	return "neither is the text JSON, nor is there a block of JSON", 0
}
