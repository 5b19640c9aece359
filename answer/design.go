package answer

import (
	"fmt"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"track"
	"track/answer/param"
	"track/scoring/design"
	"track/scoring/format"
)

// DesignQuestion asks for configurations that are spread over ranges of parameters.
type DesignQuestion struct {
	Method     design.Method
	Parameters []string // as [design.ParseParameter] reads them
	N          int
	Seed       *uint64 // nil for 1
}

func (q *DesignQuestion) Params() param.List {
	return param.List{
		{Name: "method", Arg: true, Required: true, Unit: "METHOD", Enum: design.Methods(), Help: "spread configurations by this method",
			Value: param.Parsed(&q.Method, func(s string) (design.Method, error) { return design.Method(s), nil }, func(m design.Method) string { return string(m) })},
		{Name: "param", Required: true, Unit: "NAME=LO:HI", Value: param.Texts(&q.Parameters),
			Help: "spread a parameter: `NAME=LO:HI`, LO:HI:int (whole numbers), LO:HI:log (evenly on a logarithmic scale), or VALUE,VALUE,…; again for more"},
		{Name: "n", Unit: "N", Help: "make `N` configurations; of a grid, N levels of each range", Value: param.Whole(&q.N, 1)},
		{Name: "seed", Unit: "SEED", Help: "draw with this `SEED` (default: 1)", Value: param.Seed(&q.Seed)},
	}
}

// Design is configurations that are spread over ranges of parameters.
type Design struct {
	design.Design
	Rows []track.Params `json:"rows"` // of Points
}

func (a Design) Lead() []Sentence {
	var lead []Sentence
	if a.NDuplicates > 0 {
		lead = append(lead, Sentence{Kind: Warning, Text: fmt.Sprintf("%d of %s equal earlier ones, because the parameters have few values; they are left out",
			a.NDuplicates, format.Counted(a.NDuplicates+len(a.Rows), "point"))})
	}
	if !a.IsBalanced() {
		lead = append(lead, Sentence{Kind: Note, Text: "a Sobol sequence fills all parts of the ranges equally when the number of points is a power of two"})
	}
	return lead
}

func (a Design) Tables() []Table {
	t := Table{Name: "design"}
	for _, p := range a.Parameters {
		t.Columns = append(t.Columns, Column{Name: p.Name})
	}
	for _, params := range a.Rows {
		values := ParamTexts(params)
		row := make([]any, len(t.Columns))
		for k, c := range t.Columns {
			row[k] = values[c.Name]
		}
		t.Rows = append(t.Rows, row)
	}
	return []Table{t}
}

// Len returns the number of configurations; in JSON lines each is one.
func (a Design) Len() int { return len(a.Rows) }

// Item returns configuration i.
func (a Design) Item(i int) any { return a.Rows[i] }

// NextPage returns the empty string: a design is one page.
func (a Design) NextPage() string { return "" }

// ParamValues returns the values of parameters by name. The name of a value in an object is its path with dots, as in
// opt.lr for {"opt": {"lr": 1}}.
func ParamValues(p track.Params) map[string]jsontext.Value {
	values := map[string]jsontext.Value{}
	addValues(values, "", p.JSON())
	return values
}

func addValues(values map[string]jsontext.Value, path string, object jsontext.Value) {
	var list map[string]jsontext.Value
	if json.Unmarshal(object, &list) != nil {
		return // the store has read it
	}
	for name, value := range list {
		if value.Kind() == '{' && len(value) > len("{}") {
			addValues(values, path+name+".", value)
		} else {
			values[path+name] = value
		}
	}
}

// ParamTexts returns parameters as text by name: strings without quotes, anything else as JSON.
func ParamTexts(p track.Params) map[string]string {
	values := ParamValues(p)
	texts := make(map[string]string, len(values))
	for name, value := range values {
		text := string(value)
		if value.Kind() == '"' && json.Unmarshal(value, &text) != nil {
			text = string(value)
		}
		texts[name] = text
	}
	return texts
}
