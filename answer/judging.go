package answer

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"track"
	"track/answer/param"
	"track/scoring"
	"track/scoring/format"
	"track/scoring/rubric"
	"track/scoring/stats"
	"track/scoring/verdict"
)

// Judging says what a decision is made of, how sure it must be, and how several decisions on growing evidence stay
// valid.
type Judging struct {
	Seeds      []track.SeedRange // none for all
	Confidence *float64          // of intervals and bounds; nil for the default
	Plan       []int             // numbers of seeds or pairs at which one decides; the first plan of a question counts
	Anytime    bool              // use methods that stay valid however often one decides
}

func (j *Judging) Params() param.List {
	return param.List{
		seedsParam(&j.Seeds),
		confidenceParam(&j.Confidence),
		{Name: "plan", Unit: "N,N,…", Value: param.Parsed(&j.Plan, parsePlan, formatPlan),
			Help: "decide at these numbers of seeds only, `N,N,…`, at a level that keeps alpha over all of them; the first plan of a comparison is kept"},
		{Name: "anytime", Help: "decide by methods that stay valid however often one looks", Value: param.Switch(&j.Anytime)},
	}
}

func confidenceParam(to **float64) param.Param {
	return param.Param{Name: "confidence", Unit: "C", Help: "set the confidence `C` of intervals and bounds; 1 - C is the level of tests (default: 0.95)",
		Value: param.OptionalFloat(to)}
}

func (j Judging) Check() error {
	if j.Anytime && len(j.Plan) > 0 {
		return &param.Error{Param: "plan", Message: "cannot be combined with anytime: one of them makes several decisions valid"}
	}
	return checkConfidence(j.Confidence)
}

// CheckLooks returns an error if a comparison at one of the numbers of a plan could never decide.
func CheckLooks(plan []int, confidence *float64) error {
	if err := verdict.CheckLooks(plan, ConfidenceOr(confidence)); err != nil {
		return &param.Error{Param: "plan", Message: err.Error()}
	}
	return nil
}

func checkConfidence(c *float64) error {
	if c != nil && !(*c >= 0.5 && *c < 1) {
		return &param.Error{Param: "confidence", Message: fmt.Sprintf("%v: must be at least 0.5 and below 1, such as 0.95", *c)}
	}
	return nil
}

// ConfidenceOr returns a confidence, or the default if it is nil.
func ConfidenceOr(c *float64) float64 {
	if c == nil {
		return scoring.DefaultConfidence
	}
	return *c
}

func parsePlan(text string) ([]int, error) {
	var plan []int
	for word := range strings.SplitSeq(text, ",") {
		n, err := strconv.Atoi(strings.TrimSpace(word))
		if err != nil {
			return nil, fmt.Errorf("%s: %q is not a number of seeds; write it as in 8,10,20,30", text, word)
		}
		plan = append(plan, n)
	}
	if err := verdict.CheckPlan(plan); err != nil {
		return nil, fmt.Errorf("%s: %w", text, err)
	}
	return plan, nil
}

func formatPlan(plan []int) string {
	words := make([]string, len(plan))
	for i, n := range plan {
		words[i] = strconv.Itoa(n)
	}
	return strings.Join(words, ",")
}

// baselineParam declares what a candidate is compared with; nil for the baseline of the spec or the pinned one.
func baselineParam(to **Selector, help string) param.Param {
	return comparedParam("baseline", to, help)
}

// comparedParam declares a configuration to compare with; nil for none.
func comparedParam(name string, to **Selector, help string) param.Param {
	return param.Param{Name: name, Unit: "SCENARIO[@CONFIGURATION]", Help: help, Value: param.Parsed(to,
		func(text string) (*Selector, error) {
			s, err := ParseSelector(text)
			return &s, err
		}, func(s *Selector) string {
			if s == nil {
				return ""
			}
			return s.String()
		})}
}

// baseParam declares how much a metric may lose.
func baseParam(to **float64) param.Param {
	return param.Param{Name: "base", Unit: "BASE", Help: "let a metric lose at most `BASE`/weight (default: the spec's, or 0.25)", Value: param.OptionalFloat(to)}
}

func checkBase(base *float64) error {
	if base != nil && !(*base >= 0 && *base <= math.MaxFloat64) {
		return &param.Error{Param: "base", Message: fmt.Sprintf("%v: must be a finite number of at least 0", *base)}
	}
	return nil
}

// marginParam declares the smallest difference of total scores that matters.
func marginParam(to *float64) param.Param {
	return param.Param{Name: "margin", Unit: "MARGIN", Help: "ignore differences of total scores up to `MARGIN`", Value: param.Float(to)}
}

func checkMargin(margin float64) error {
	if !(margin >= 0 && margin <= 1) {
		return &param.Error{Param: "margin", Message: fmt.Sprintf("%v: scores lie in 0 to 1", margin)}
	}
	return nil
}

// rulesParams declares the rules of a gate about seeds.
func rulesParams(r *scoring.GateRules) param.List {
	return param.List{
		{Name: "min-pass-rate", Unit: "SHARE", Help: "require the lower bound of the pass rate to reach `SHARE`", Value: param.OptionalFloat(&r.MinPassRate)},
		{Name: "stable", Help: "require the configuration to be stable", Value: param.Switch(&r.Stable)},
		{Name: "max-std", Unit: "SD", Help: "require the sample sd of the total scores to be shown to be at most `SD`", Value: param.OptionalFloat(&r.MaxStd)},
		{Name: "min-score", Unit: "SCORE", Help: "require the mean total score to be shown to be at least `SCORE`", Value: param.OptionalFloat(&r.MinScore)},
		{Name: "bound", Unit: "BOUND", Help: "show the mean total score by this `BOUND`: t, or distribution-free, which assumes nothing about the scores",
			Value: param.Parsed(&r.Bound, parseBound, scoring.Bound.Name)},
	}
}

func parseBound(text string) (scoring.Bound, error) { return scoring.ParseBound(text), nil }

func checkRules(r scoring.GateRules) error {
	problems := r.Problems()
	if len(problems) == 0 {
		return nil
	}
	return &param.Error{Param: strings.ReplaceAll(problems[0].Field, "_", "-"), Message: problems[0].Message}
}

// selectors returns a value that names several configurations.
func selectors(to *[]Selector) param.Value { return param.Repeated(to, ParseSelector, Selector.String) }

// repeated returns a selector that is named twice; empty if none is.
func repeated(list []Selector) string {
	for i, s := range list {
		if slices.Contains(list[:i], s) {
			return s.String()
		}
	}
	return ""
}

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

// RubricCheckQuestion asks how well the scores of a rubric agree with a ground-truth label.
type RubricCheckQuestion struct {
	Lineage string
	Truth   string // the name of the label
	Rubric  string
	Success float64 // a label of at least this is a success
}

func (q *RubricCheckQuestion) Params() param.List {
	q.Rubric, q.Success = rubric.Default, 1
	return param.List{
		{Name: "lineage", Arg: true, Required: true, Unit: "LINEAGE", Help: "check the executions of this lineage", Value: param.Text(&q.Lineage)},
		{Name: "truth", Required: true, Unit: "NAME", Help: "compare with the ground-truth label `NAME` of the executions, such as reward", Value: param.Text(&q.Truth)},
		{Name: "rubric", Help: "check the scores under this rubric", Enum: rubric.Names(), Value: param.Text(&q.Rubric)},
		{Name: "success", Unit: "X", Help: "count a label of at least `X` as a success", Value: param.Float(&q.Success)},
	}
}

// RubricCheck says how well the scores of a rubric agree with a ground-truth label.
type RubricCheck struct {
	Lineage      string  `json:"lineage"`
	Truth        string  `json:"truth"`
	SuccessFrom  float64 `json:"success_from"`
	Rubric       string  `json:"rubric"`
	NUnscored    int     `json:"n_unscored"` // labelled executions without a score
	rubric.Check `json:",embed"`
}

func (a RubricCheck) Lead() []Sentence {
	text := fmt.Sprintf("%s under %s: %s with a score, %d successes (%s at least %v)",
		a.Lineage, a.Rubric, format.Counted(a.NTrials, "trial"), a.NSuccess, a.Truth, a.SuccessFrom)
	if a.NUnscored > 0 {
		text += fmt.Sprintf("; left out %s without a score", format.Counted(a.NUnscored, "trial"))
	}
	return []Sentence{{Kind: Heading, Text: text}}
}

func (a RubricCheck) Tables() []Table {
	t := Table{Name: "separations", Columns: Columns{
		{Name: "name", Head: " "}, {Name: "n_success", Head: "n success"}, {Name: "n_failure", Head: "n failure"},
		{Name: "mean_success", Head: "mean success"}, {Name: "mean_failure", Head: "mean failure"}, {Name: "auc", Head: "AUC"},
		{Name: "auc_lo", For: ForData}, {Name: "auc_hi", For: ForData},
		{Name: "interval", Head: "95% interval", For: ForPeople}, {Name: "separates", Head: "separates", For: ForPeople},
	}.drop("n_success", "n_failure", "mean_success", "mean_failure", "separates")}
	for _, s := range a.Separations {
		t.Rows = append(t.Rows, []any{
			s.Name, s.NSuccess, s.NFailure, defined(s.Success), defined(s.Failure), defined(s.AUC.Value), defined(s.AUC.Interval.Lo), defined(s.AUC.Interval.Hi),
			intervalCell(s.AUC.Interval, format.Four), separates(s),
		})
	}
	t.Notes = a.notes()
	return []Table{t}
}

func (a RubricCheck) notes() []Sentence {
	noise := Sentence{Kind: Note, Text: "noise: no task has two trials"}
	if a.NTasks > 0 {
		noise.Text = fmt.Sprintf("noise: two trials of one task differ by %s points on average (sd within a task %s, sd between the means of %s %s, %s)",
			format.Short(a.MeanAbsDifference), format.Short(a.WithinSD), format.Counted(a.NTasks, "task"), format.Short(a.BetweenSD), format.Counted(a.NPairs, "pair"))
	}
	for _, s := range a.Separations {
		if slices.Contains(s.AUC.Warnings, stats.WarnSmallN) {
			return []Sentence{noise, {Kind: Warning, Text: stats.WarnSmallN.Message() + " in a group"}}
		}
	}
	return []Sentence{noise}
}

// separates says in words what an AUC shows.
func separates(s rubric.Separation) string {
	switch i := s.AUC.Interval; {
	case math.IsNaN(s.AUC.Value):
		return "not measured in both groups"
	case !i.Defined():
		return "too few to say"
	case slices.Contains(s.AUC.Warnings, stats.WarnZeroVariance):
		return "undecided: the interval has no width"
	case i.Lo > 0.5:
		return "yes"
	case i.Hi < 0.5:
		return "in the wrong direction"
	}
	return "not shown"
}
