package answer

import (
	"fmt"
	"slices"
	"strings"

	"track/answer/param"
	"track/evolution"
	"track/scoring/format"
	"track/scoring/verdict"
)

// The objectives of the versions of a lineage that have names of their own. Others are "truth:NAME" and "task:NAME".
const (
	ObjectiveScore    = "score"
	ObjectiveCost     = "cost"     // of an execution, in USD
	ObjectiveTokens   = "tokens"   // of an execution, in and out
	ObjectiveDuration = "duration" // of an execution, in seconds
	ObjectiveTruth    = "truth:"   // what is known to be true of the executions, by its name
	ObjectiveTask     = "task:"    // the score of a task, by its name
)

// FrontQuestion asks which versions of a lineage are on the Pareto front of two objectives.
type FrontQuestion struct {
	Lineage  string
	X, Y     string   // empty to choose what is recorded
	Minimize []string // more objectives of which less is better
}

func (q *FrontQuestion) Params() param.List {
	return param.List{
		ofLineage(&q.Lineage),
		{Name: "x", Unit: "OBJECTIVE", Help: "compare by this `OBJECTIVE`: score, cost, tokens, duration, truth:NAME or task:NAME (default: the one with the most values; tasks only if nothing else is recorded)", Value: param.Text(&q.X)},
		{Name: "y", Unit: "OBJECTIVE", Help: "compare by this `OBJECTIVE` too (default: score)", Value: param.Text(&q.Y)},
		{Name: "minimize", Unit: "OBJECTIVE", Help: "less of this `OBJECTIVE` is better, as of cost, tokens and duration", Value: param.Texts(&q.Minimize)},
	}
}

// Objective is what versions are compared by.
type Objective struct {
	Name      string `json:"name"`
	Minimize  bool   `json:"minimize"`   // less is better
	Assumed   bool   `json:"assumed"`    // nothing declares which is better: more, unless minimize names it
	NVersions int    `json:"n_versions"` // that have a value
	NValues   int    `json:"n_values"`   // of all versions
}

// FrontVersion is a version with both of its means.
type FrontVersion struct {
	Version string                  `json:"version"`
	State   evolution.MutationState `json:"state,omitempty"` // of the mutation that made it
	Root    bool                    `json:"root"`            // the lineage began with it
	Active  bool                    `json:"active"`
	Front   bool                    `json:"front"` // no other version is at least as good in both means and better in one
	X       verdict.Estimate        `json:"x"`
	Y       verdict.Estimate        `json:"y"`
}

// LineageFront is the versions of a lineage by two objectives: those on the front first, then by the second objective,
// the best first.
type LineageFront struct {
	Lineage            string           `json:"lineage"`
	X                  Objective        `json:"x"`
	Chosen             string           `json:"chosen,omitempty"` // why the objectives are compared that were not asked for
	Y                  Objective        `json:"y"`
	Objectives         []Objective      `json:"objectives"`      // that at least two versions have
	Scale              *evolution.Scale `json:"scale,omitempty"` // of the scores; none for 0 to 100
	NWithout           int              `json:"n_without"`       // versions without one of the two
	List[FrontVersion] `json:",embed"`
}

// Number returns how the values of an objective are written.
func (a LineageFront) Number(o Objective) func(float64) string {
	if o.Name == ObjectiveScore || strings.HasPrefix(o.Name, ObjectiveTask) {
		return Numbers{a.Scale}.Score
	}
	return format.Significant
}

// Label returns the name of an objective, with its unit and its direction.
func (o Objective) Label() string {
	text := o.Name
	switch o.Name {
	case ObjectiveCost:
		text = "cost (USD)"
	case ObjectiveDuration:
		text = "duration (s)"
	}
	return text + ", " + o.amount() + " is better"
}

func (o Objective) amount() string {
	if o.Minimize {
		return "less"
	}
	return "more"
}

// Directions says of both objectives whether more or less is better, and whether anybody declared it.
func (a LineageFront) Directions() (list []Sentence) {
	for _, o := range []Objective{a.X, a.Y} {
		text := o.amount() + " " + o.Name + " is better"
		if o.Assumed {
			text += ", unless minimize names it"
		}
		list = append(list, Sentence{Kind: Note, Joined: true, Text: text})
	}
	return list
}

// repeats reports whether a version has two values of one of the objectives shown.
func (a LineageFront) repeats(o Objective) bool {
	return slices.ContainsFunc(a.Items, func(v FrontVersion) bool { return o.Name == a.X.Name && v.X.N > 1 || o.Name == a.Y.Name && v.Y.N > 1 })
}

// NFront returns the number of versions on the front.
func (a LineageFront) NFront() (n int) {
	for _, v := range a.Items {
		if v.Front {
			n++
		}
	}
	return n
}

func (a LineageFront) Lead() []Sentence {
	lead := a.About()
	var others []string
	for _, o := range a.Objectives {
		if o.Name != a.X.Name && o.Name != a.Y.Name {
			others = append(others, o.Name)
		}
	}
	if len(others) > 0 {
		lead = append(lead, Sentence{Kind: Note, Joined: true, Text: "other objectives: " + shortList(others)})
	}
	return lead
}

// About returns the lead without the names of other objectives, for a page that links to them.
func (a LineageFront) About() []Sentence {
	if len(a.Objectives) < 2 {
		return []Sentence{{Kind: Heading, Text: "front of " + a.Lineage}, {Kind: Note, Text: "A front needs two objectives that differ between versions. Scores, costs, tokens, durations, ground truth and tasks can be objectives."}}
	}
	n := a.NFront()
	lead := []Sentence{
		{Kind: Heading, Text: fmt.Sprintf("front of %s: %s against %s", a.Lineage, a.Y.Name, a.X.Name)},
		{Kind: Note, Joined: true, Text: fmt.Sprintf("%d of %s %s on the Pareto front: no other version is at least as good in both means and better in one", n, format.Counted(len(a.Items), "version"), format.Verb(n, "is", "are"))},
	}
	if a.Chosen != "" {
		lead = append(lead, Sentence{Kind: Note, Joined: true, Text: a.Chosen})
	}
	for _, o := range []Objective{a.X, a.Y} {
		if len(a.Items) > 0 && !a.repeats(o) {
			lead = append(lead, Sentence{Kind: Note, Joined: true, Text: "no version has two values of " + o.Name + ", so it has no interval"})
		}
	}
	lead = append(lead, a.Directions()...)
	if a.NWithout > 0 {
		lead = append(lead, Sentence{Kind: Note, Joined: true, Text: fmt.Sprintf("%s left out: without one of the two", format.Counted(a.NWithout, "version"))})
	}
	return lead
}

func (a LineageFront) Tables() []Table {
	t := Table{Name: "front", Empty: "no version has two objectives", Columns: Columns{
		{Name: "version"}, {Name: "front"}, {Name: "state"},
		{Name: "x", Head: a.X.Name}, {Name: "x_lo", For: ForData}, {Name: "x_hi", For: ForData}, {Name: "x_interval", Head: "95% interval", For: ForPeople}, {Name: "x_n", Head: "n"},
		{Name: "y", Head: a.Y.Name}, {Name: "y_lo", For: ForData}, {Name: "y_hi", For: ForData}, {Name: "y_interval", Head: "95% interval", For: ForPeople}, {Name: "y_n", Head: "n"},
		{Name: "active", For: ForData}, {Name: "root", For: ForData},
	}.drop("x_n", "y_n", "state", "x_interval", "y_interval")}
	x, y := a.Number(a.X), a.Number(a.Y)
	for _, v := range a.Items {
		row := []any{v.Version, marked(v.Front, "front"), v.stateText()}
		row = slices.Concat(row, axisCells(v.X, x), axisCells(v.Y, y), []any{v.Active, v.Root})
		t.Rows = append(t.Rows, row)
	}
	return []Table{t}
}

func axisCells(e verdict.Estimate, text func(float64) string) []any {
	return []any{estimated(e, text), defined(e.Interval.Lo), defined(e.Interval.Hi), intervalCell(e.Interval, text), e.N}
}

// stateText says what became of the version.
func (v FrontVersion) stateText() string {
	text := string(v.State)
	if v.Root {
		text = "root"
	}
	if v.Active {
		text = strings.TrimPrefix(text+", active", ", ")
	}
	return text
}
