package answer

import (
	"track/answer/param"
	"track/scoring/rubric"
)

// RubricsQuestion asks which rubrics there are.
type RubricsQuestion struct{}

func (q *RubricsQuestion) Params() param.List { return nil }

// Rubrics are the rubrics that executions are scored under, the oldest first.
type Rubrics struct {
	Default string          `json:"default"` // the rubric whose score is active, unless the caller gives one
	Items   []rubric.Rubric `json:"items"`
}

func (Rubrics) Lead() []Sentence { return nil }

func (a Rubrics) Tables() []Table {
	t := Table{Name: "rubrics", Grouped: true, Columns: Columns{
		{Name: "heading", For: ForPeople}, {Name: "rubric", For: ForData}, {Name: "component"}, {Name: "weight"}, {Name: "description"},
	}.wrap("description")}
	for _, r := range a.Items {
		var add func(parts []rubric.Part, indent string)
		add = func(parts []rubric.Part, indent string) {
			for _, part := range parts {
				t.Rows = append(t.Rows, []any{r.Name + ": " + r.Description, r.Name, Cell{indent + part.Name, part.Name}, part.Weight, part.Description})
				add(part.Parts, indent+"  ")
			}
		}
		add(r.Parts, "")
	}
	return []Table{t}
}
