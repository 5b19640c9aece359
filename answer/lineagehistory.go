package answer

import (
	"cmp"
	"fmt"
	"iter"
	"maps"
	"slices"
	"strings"
	"time"

	"track"
	"track/answer/param"
	"track/evolution"
	"track/reports/chart"
	"track/scoring/format"
	"track/scoring/rubric"
	"track/scoring/stats"
	"track/scoring/verdict"
)

// LineageHistoryQuestion asks how the scores of an agent changed over its versions.
type LineageHistoryQuestion struct {
	Lineage   string
	Rubric    string // empty for the scores that decide in the lineage
	Component string // whose values are shown; empty for the score
	Limit     int    // the newest so many versions
	Next      int    // executions of the version whose mean is predicted; 0 for as many as the newest one has
}

func (q *LineageHistoryQuestion) Params() param.List {
	q.Limit = 20
	return param.List{
		namedLineage(&q.Lineage),
		{Name: "rubric", Help: "use the scores under this rubric", Enum: append(rubric.Names(), track.RubricOwn), Value: param.Text(&q.Rubric)},
		{Name: "component", Unit: "NAME", Help: "show this component of the score: its `NAME`", Value: param.Text(&q.Component)},
		{Name: "limit", Unit: "N", Help: "show the newest `N` versions", Value: param.Whole(&q.Limit, 1)},
		{Name: "next", Unit: "N", Help: "predict the mean of `N` executions of the next version (default: as many as the newest one has)", Value: param.Whole(&q.Next, 1)},
	}
}

func (q *LineageHistoryQuestion) Check() error {
	if q.Limit > MaxPage {
		return &param.Error{Param: "limit", Message: fmt.Sprintf("%d: must be at most %d", q.Limit, MaxPage)}
	}
	return nil
}

// LineageHistory is the scores of the newest versions of a lineage.
type LineageHistory struct {
	Lineage    string `json:"lineage"`
	Rubric     string `json:"rubric,omitempty"` // that was asked for; empty for the scores that decide
	ScoreBasis `json:",embed"`
	OtherKinds []KindOfScore         `json:"other_kinds,omitempty"` // active scores that are left out, since most are of the kind in score_from
	Component  string                `json:"component,omitempty"`   // that was asked for; empty for the score
	NOlder     int                   `json:"n_older_versions"`      // before the first of Entries
	Entries    []LineageHistoryEntry `json:"entries"`               // in the order of their first executions
	Analysis   verdict.History       `json:"analysis"`              // of the means of Entries; every version with scores counts as accepted
}

// KindOfScore is how many scores a rubric, a judge or the caller gave.
type KindOfScore struct {
	Kind string `json:"kind"`
	N    int    `json:"n"`
}

// LineageHistoryEntry is one version in the history of a lineage.
type LineageHistoryEntry struct {
	Version     string                 `json:"version"`
	First       time.Time              `json:"first"` // start of the first execution
	Last        time.Time              `json:"last"`  // start of the last execution
	NExecutions int                    `json:"n_executions"`
	NFailed     int                    `json:"n_failed"`
	NHoldout    int                    `json:"n_holdout"`             // of holdout tasks, which count in no score unless a rubric was asked for
	Mean        verdict.Estimate       `json:"mean_of_scored_trials"` // of the scores
	SD          verdict.Estimate       `json:"sd"`                    // sample standard deviation of the scores
	Fitness     *float64               `json:"fitness"`               // null if no execution has a score
	Grade       rubric.Grade           `json:"grade"`                 // empty if no execution has a score
	EffectiveN  *float64               `json:"effective_n"`           // of the fitness
	Change      *verdict.HistoryChange `json:"change"`                // of the mean, from the last entry that has one
	Warnings    []stats.Warning        `json:"warnings"`
}

// Len returns the number of entries; an answer in lines has one for each.
func (a LineageHistory) Len() int { return len(a.Entries) }

// Item returns entry i.
func (a LineageHistory) Item(i int) any { return a.Entries[i] }

// NextPage returns the empty string: a history is one page.
func (a LineageHistory) NextPage() string { return "" }

func (a LineageHistory) Lead() []Sentence {
	what := a.scoreText()
	if a.Rubric != "" {
		what = "score under " + a.Rubric
	}
	if a.Component != "" {
		what = a.Component
	}
	text := fmt.Sprintf("%s; mean over executions of the %s with its 95%% %s, change to the line above with Welch's interval", a.Lineage, what,
		strings.TrimSpace(format.Methods(a.MeanIntervals())+" interval"))
	if a.NOlder > 0 {
		text += fmt.Sprintf("; %s not shown", format.Counted(a.NOlder, "older version"))
	}
	lead := []Sentence{{Kind: Heading, Text: text}}
	lead = append(lead, leftOutKinds(a.OtherKinds)...)
	if n := a.nHoldout(); n > 0 {
		lead = append(lead, Sentence{Kind: Note, Joined: true, Text: leftOutHoldout(n)})
	}
	return lead
}

// leftOutKinds says which scores are left out because most are of another kind.
func leftOutKinds(others []KindOfScore) []Sentence {
	if len(others) == 0 {
		return nil
	}
	texts := make([]string, len(others))
	for i, k := range others {
		texts[i] = format.Counted(k.N, "score") + " under " + k.Kind
	}
	return []Sentence{{Kind: Warning, Joined: true, Text: "scores of different kinds are not averaged; left out " + shortList(texts)}}
}

func (a LineageHistory) nHoldout() (n int) {
	for _, e := range a.Entries {
		n += e.NHoldout
	}
	return n
}

// MeanIntervals returns the intervals of the means, the oldest version first.
func (a LineageHistory) MeanIntervals() (list []stats.Interval) {
	for _, e := range a.Entries {
		list = append(list, e.Mean.Interval)
	}
	return list
}

func (a LineageHistory) Tables() []Table {
	t := Table{Name: "history", Notes: a.notes(), Columns: Columns{
		{Name: "version"}, {Name: "first"}, {Name: "n_executions", Head: "executions"}, {Name: "n_failed", Head: "failed"}, {Name: "n"}, {Name: "mean_of_scored_trials", Head: "mean"},
		{Name: "lo", For: ForData}, {Name: "hi", For: ForData}, {Name: "interval", Head: "95% interval", For: ForPeople},
		{Name: "sd"}, {Name: "sd_interval", Head: "95% interval", For: ForPeople}, {Name: "fitness"}, {Name: "grade"}, {Name: "effective_n", Head: "effective n"},
		{Name: "change"}, {Name: "change_lo", For: ForData}, {Name: "change_hi", For: ForData}, {Name: "change_interval", Head: "95% interval", For: ForPeople},
	}.drop("sd_interval", "sd", "effective_n", "first", "n_executions", "n_failed", "fitness", "change_interval", "grade", "interval", "change")}
	text := scoreFormat(a.means())
	for _, e := range a.Entries {
		t.Rows = append(t.Rows, append([]any{
			e.Version, timeCell(e.First), e.NExecutions, e.NFailed, e.Mean.N, estimated(e.Mean, text),
			defined(e.Mean.Interval.Lo), defined(e.Mean.Interval.Hi), intervalCell(e.Mean.Interval, text),
			estimated(e.SD, text), intervalCell(e.SD.Interval, text), optionalCell(e.Fitness, text), string(e.Grade),
			optionalCell(e.EffectiveN, twoDecimals),
		}, changeCells(e.Change, text)...))
	}
	return []Table{t}
}

func (a LineageHistory) means() iter.Seq[float64] {
	return func(yield func(float64) bool) {
		for _, e := range a.Entries {
			if !yield(e.Mean.Value) {
				return
			}
		}
	}
}

// notes draw the means, and say what they let expect.
func (a LineageHistory) notes() []Sentence {
	notes := []Sentence{{Kind: Note, Text: "means, the oldest first: " + chart.Sparkline(slices.Collect(a.means()), 0)}}
	if a.Analysis.Prediction.Defined() {
		notes = append(notes, Sentence{Kind: Note, Joined: true, Text: predictionSentence(a.Analysis, "execution", "version", scoreFormat(a.means()))})
	}
	return append(notes, warningNotes(a.Analysis.Warnings)...)
}

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

// TreeVersion is a version in the tree of its lineage.
type TreeVersion struct {
	Number     int                     `json:"number"` // in the order in which versions were recorded, from 1
	Version    string                  `json:"version"`
	Parents    []string                `json:"parents"`             // the one that it is compared with first; none for a root
	Mutation   string                  `json:"mutation,omitempty"`  // that made it
	State      evolution.MutationState `json:"state,omitempty"`     // of that mutation
	Operator   string                  `json:"operator,omitempty"`  // of that mutation
	Generation *int                    `json:"generation,omitzero"` // according to another evolver
	Island     *int                    `json:"island,omitzero"`     // the same
	Place      VersionPlace            `json:"place,omitempty"`
	Root       bool                    `json:"root"`      // the lineage began with it
	OnPath     bool                    `json:"on_path"`   // it is active, or led from the root to the active version
	Unchanged  bool                    `json:"unchanged"` // its content is that of its first parent
	Fitness    *float64                `json:"fitness"`   // null if no trial has a score, or they cannot be aggregated
	N          int                     `json:"n"`         // trials with a score
	NFailed    int                     `json:"n_failed"`
	Delta      *float64                `json:"delta"` // of the last decision
	CreatedAt  time.Time               `json:"created_at"`
}

// stateText says what became of a version.
func (v TreeVersion) stateText() string {
	switch {
	case v.State != "":
		return string(v.State)
	case v.Root:
		return "root"
	}
	return ""
}

// LineageTree is all versions of a lineage, the oldest first, each with those that it was made from.
type LineageTree struct {
	Lineage           string           `json:"lineage"`
	Head              string           `json:"head"`            // the active version; empty for none
	Scale             *evolution.Scale `json:"scale,omitempty"` // of the scores; none for 0 to 100
	ScoreBasis        `json:",embed"`
	List[TreeVersion] `json:",embed"`
}

func (a LineageTree) Lead() []Sentence {
	states := map[string]int{}
	path, unchanged := 0, 0
	for _, v := range a.Items {
		states[v.stateText()]++
		if v.OnPath {
			path++
		}
		if v.Unchanged {
			unchanged++
		}
	}
	text := format.Counted(len(a.Items), "version")
	sep := ": "
	for _, state := range append(mutationStates(), "root", "") {
		if states[state] > 0 {
			text += fmt.Sprintf("%s%d %s", sep, states[state], cmp.Or(state, "without a mutation"))
			sep = ", "
		}
	}
	lead := []Sentence{{Kind: Heading, Text: "tree of " + a.Lineage}, {Kind: Note, Joined: true, Text: text}}
	if path > 0 {
		lead = append(lead, Sentence{Kind: Note, Joined: true, Text: fmt.Sprintf("path from the root to the active version %s: %s", a.Head, format.Counted(path, "version"))})
	}
	if unchanged > 0 {
		text := fmt.Sprintf("%s the content of %s parent", format.Counted(unchanged, "version")+" "+format.Verb(unchanged, "has", "have"), format.Verb(unchanged, "its", "their"))
		lead = append(lead, Sentence{Kind: Note, Joined: true, Text: text})
	}
	return lead
}

func (a LineageTree) Tables() []Table {
	numbers := Numbers{a.Scale}
	t := Table{Name: "versions", Empty: "lineage " + a.Lineage + " has no version yet", Columns: Columns{
		{Name: "number", Head: "#"}, {Name: "version"}, {Name: "state"}, {Name: "parents"}, {Name: "operator"}, {Name: "generation"}, {Name: "island"}, {Name: "fitness"}, {Name: "n"},
		{Name: "n_failed", Head: "failed"}, {Name: "delta"}, {Name: "place"}, {Name: "on_path", Head: "path"}, {Name: "unchanged"}, {Name: "mutation", For: ForData},
		{Name: "created_at", Head: "created", For: ForData},
	}.drop("unchanged", "n_failed", "generation", "island", "place", "n", "operator", "on_path", "parents")}
	for _, v := range a.Items {
		t.Rows = append(t.Rows, []any{
			v.Number, v.Version, v.stateText(), parentsText(v), v.Operator, whole(v.Generation), whole(v.Island), optionalCell(v.Fitness, numbers.Score), v.N,
			v.NFailed, numbers.gainCell(v.Delta), string(v.Place), marked(v.OnPath, "path"), marked(v.Unchanged, "unchanged"), v.Mutation, timeCell(v.CreatedAt),
		})
	}
	if len(a.Items) > 0 {
		text := "n counts all trials with a score"
		if a.ScoreFrom != "" {
			text = "n counts all trials with the " + a.scoreText()
		}
		text += ". The report of the lineage leaves out the trials that the active version was chosen by, if there are later ones."
		t.Notes = numbers.notes([]Sentence{{Kind: Note, Text: text}}, Numbers.Units)
	}
	generations := a.groups("generation", func(v TreeVersion) *int {
		if v.Root && v.Generation == nil {
			return new(int) // the run began with it
		}
		return v.Generation
	})
	if len(generations.Rows) < 2 {
		generations.Rows = nil
	}
	return []Table{t, generations, a.groups("island", func(v TreeVersion) *int { return v.Island })}
}

// groups returns what the versions of each generation, or of each island, reached. Versions without one are left out.
func (a LineageTree) groups(of string, by func(TreeVersion) *int) Table {
	groups := map[int][]TreeVersion{}
	for _, v := range a.Items {
		if key := by(v); key != nil {
			groups[*key] = append(groups[*key], v)
		}
	}
	numbers := Numbers{a.Scale}
	t := Table{Name: of + "s", Title: of + "s", HiddenIfEmpty: true}
	t.Columns = columns(of, "versions", "scored", "mean of fitness", "best fitness", "version", "migrants")
	for _, key := range slices.Sorted(maps.Keys(groups)) {
		var mean, best any
		var first TreeVersion // the best one
		scored, migrants, sum := 0, 0, 0.0
		for _, v := range groups[key] {
			if v.Operator == "migration" {
				migrants++
			}
			if v.Fitness == nil {
				continue
			}
			if scored++; first.Fitness == nil || a.Scale.Gain(*v.Fitness) > a.Scale.Gain(*first.Fitness) {
				first = v
			}
			sum += *v.Fitness
		}
		if scored > 0 {
			mean, best = numberCell(sum/float64(scored), numbers.Score), numberCell(*first.Fitness, numbers.Score)
		}
		t.Rows = append(t.Rows, []any{key, len(groups[key]), scored, mean, best, first.Version, migrants})
	}
	return t
}

func parentsText(v TreeVersion) Cell {
	names := strings.Join(v.Parents, " ")
	return Cell{names, names}
}

// whole returns a cell with a whole number; nothing if there is none.
func whole(n *int) any {
	if n == nil {
		return nil
	}
	return *n
}

// marked returns a cell that says a word to people if something is true, and nothing if it is not.
func marked(is bool, word string) Cell {
	if !is {
		word = ""
	}
	return Cell{word, is}
}
