package answer

import (
	"fmt"
	"math"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"track"
	"track/answer/param"
	"track/scoring/design"
	"track/scoring/format"
	"track/scoring/stats"
	"track/scoring/verdict"
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

// SeedsNeededQuestion asks how many seeds a paired comparison needs in order to detect an effect, or how many of one
// configuration show a pass rate, or bound its mean score to a width.
type SeedsNeededQuestion struct {
	Of       Selector
	Effect   float64   // difference of mean total scores, above 0; 0 if another plan is asked for
	PassRate float64   // to be shown at the rate that was observed; 0 if another plan is asked for
	Width    float64   // of the 95% interval of the mean score of seeds that ran; 0 if another plan is asked for
	Power    float64   // chance to detect it
	Alpha    float64   // chance to find one that does not exist
	Baseline *Selector // its pairs are the pilot; nil for the one that a pin or the spec names, if any
	Seeds    []track.SeedRange
}

func (q *SeedsNeededQuestion) Params() param.List {
	q.Power, q.Alpha = verdict.TargetPower, 0.05
	return param.List{
		scenarioParam(&q.Of, "plan from the seeds of this scenario"),
		{Name: "effect", Unit: "DIFFERENCE", Help: "detect this `DIFFERENCE` of mean total scores", Value: param.Float(&q.Effect)},
		{Name: "pass-rate", Unit: "SHARE", Help: "show that this `SHARE` of seeds passes, at the rate that was observed", Value: param.Float(&q.PassRate)},
		{Name: "interval-width", Unit: "WIDTH", Help: "make the interval of the mean score of seeds that ran at most `WIDTH` wide", Value: param.Float(&q.Width)},
		{Name: "power", Unit: "SHARE", Help: "detect it with this probability, a `SHARE`", Value: param.Float(&q.Power)},
		{Name: "alpha", Unit: "SHARE", Help: "accept this probability of a false detection, a `SHARE`", Value: param.Float(&q.Alpha)},
		baselineParam(&q.Baseline, "take the pairs with `SCENARIO[@CONFIGURATION]` as the pilot"),
		seedsParam(&q.Seeds),
	}
}

// Check returns an error if a parameter is out of its range.
func (q *SeedsNeededQuestion) Check() error {
	nPlans := 0
	for _, x := range []float64{q.Effect, q.PassRate, q.Width} {
		if x != 0 {
			nPlans++
		}
	}
	switch {
	case nPlans != 1:
		return &param.Error{Param: "effect", Message: "choose one of effect, pass-rate and interval-width"}
	case q.PassRate != 0 && !(q.PassRate > 0 && q.PassRate < 1):
		return &param.Error{Param: "pass-rate", Message: fmt.Sprintf("%v: must be above 0 and below 1", q.PassRate)}
	case q.Width != 0 && !(q.Width > 0 && q.Width < 1):
		return &param.Error{Param: "interval-width", Message: fmt.Sprintf("%v: must be above 0 and below 1", q.Width)}
	case q.PassRate+q.Width > 0 && q.Baseline != nil:
		return &param.Error{Param: "baseline", Message: "is for an effect: a pass rate and a width are of one configuration"}
	case q.Effect != 0 && !(q.Effect > 0 && q.Effect <= 1):
		return &param.Error{Param: "effect", Message: fmt.Sprintf("%v: must be above 0 and at most 1", q.Effect)}
	case !(q.Alpha > 0 && q.Alpha < 0.5):
		return &param.Error{Param: "alpha", Message: fmt.Sprintf("%v: must be between 0 and 0.5", q.Alpha)}
	case !(q.Power > q.Alpha && q.Power < 1):
		return &param.Error{Param: "power", Message: fmt.Sprintf("%v: must be between alpha and 1", q.Power)}
	}
	return nil
}

// SeedsNeeded says how many seeds a paired comparison needs.
type SeedsNeeded struct {
	Candidate Side              `json:"candidate"`
	Baseline  *Side             `json:"baseline"` // null if the pilot is one configuration
	Effect    float64           `json:"effect,omitzero"`
	PassRate  float64           `json:"pass_rate,omitzero"` // to be shown
	Observed  float64           `json:"observed_pass_rate,omitzero"`
	Width     float64           `json:"width,omitzero"`
	Power     float64           `json:"power"`
	Alpha     float64           `json:"alpha"`
	NPilot    int               `json:"n_pilot"`
	NFailed   int               `json:"n_failed"` // seeds without a score: left out of a pilot of one configuration; in a pair each scores 0
	SD        float64           `json:"sd"`       // of the differences of the pilot
	SDUpper   float64           `json:"sd_upper"` // 80% upper bound, which the plan takes
	Dz        float64           `json:"dz"`
	N         int               `json:"seeds_needed"`
	Reached   float64           `json:"power_reached"`
	Warnings  []verdict.Warning `json:"warnings"`
}

func (a SeedsNeeded) Lead() []Sentence {
	if a.Effect == 0 {
		return a.ofOne()
	}
	lead := []Sentence{
		{Kind: Heading, Text: fmt.Sprintf("%d seeds on each side detect a difference of %v with power %s (t interval confirmed by the exact test, two-sided, alpha %v)",
			a.N, a.Effect, format.Fixed(a.Reached, 3), a.Alpha)},
		{Kind: Note, Joined: true, Text: fmt.Sprintf("sd of the differences %s, its %s upper bound %s, so dz %s",
			format.Fixed(a.SD, 4), format.Confidence(stats.PilotUpper), format.Fixed(a.SDUpper, 4), format.Fixed(a.Dz, 3))},
	}
	for i, text := range a.pilotTexts() {
		lead = append(lead, Sentence{Kind: Note, Text: text, Joined: i > 0})
	}
	lead = append(lead, a.Candidate.Newest.note(a.Candidate)...)
	return append(lead, warningNotes(a.Warnings)...)
}

// ofOne says how many seeds of one configuration show its pass rate, or bound its mean score.
func (a SeedsNeeded) ofOne() []Sentence {
	pilot := fmt.Sprintf("pilot: %s: %s", a.Candidate, format.Counted(a.NPilot, "seed"))
	var lead []Sentence
	if a.PassRate > 0 {
		lead = append(lead, Sentence{Kind: Heading, Text: fmt.Sprintf("%d seeds show a pass rate of at least %s with power %v, if %s pass as in the pilot (Clopper–Pearson, one-sided, alpha %v)",
			a.N, format.Share(a.PassRate), a.Power, format.Share(math.Abs(a.Observed)), a.Alpha)})
	} else {
		lead = append(lead, Sentence{Kind: Heading, Text: fmt.Sprintf("%d seeds that run bound their mean score to an interval of at most %v (t, %s)", a.N, a.Width, format.Confidence(1-a.Alpha))},
			Sentence{Kind: Note, Joined: true, Text: fmt.Sprintf("sd of the scores %s, its %s upper bound %s", format.Fixed(a.SD, 4), format.Confidence(stats.PilotUpper), format.Fixed(a.SDUpper, 4))})
	}
	lead = append(lead, Sentence{Kind: Note, Text: pilot})
	lead = append(lead, a.Candidate.Newest.note(a.Candidate)...)
	return append(lead, warningNotes(a.Warnings)...)
}

// pilotTexts say what the plan is made from.
func (a SeedsNeeded) pilotTexts() []string {
	if a.Baseline == nil {
		text := fmt.Sprintf("pilot: %s: scores of %s, as if candidate and baseline were independent (correlated pairs need fewer)",
			a.Candidate, format.Counted(a.NPilot, "seed"))
		if a.NFailed > 0 {
			text += fmt.Sprintf("; %d without a score are left out", a.NFailed)
		}
		return []string{text}
	}
	texts := []string{fmt.Sprintf("pilot: %s of", format.Counted(a.NPilot, "pair")), "  " + a.Candidate.String(), "  " + a.Baseline.String()}
	if a.NFailed > 0 {
		texts = append(texts, fmt.Sprintf("  %s counted with score 0", format.Counted(a.NFailed, "failed seed")))
	}
	return texts
}

// given returns a cell for what was asked for; nil for what was not.
func given(x float64) any {
	if x == 0 {
		return nil
	}
	return x
}

func (a SeedsNeeded) Tables() []Table {
	return []Table{{Name: "plan", ForPrograms: true,
		Columns: columns("effect", "pass_rate", "width", "power", "alpha", "n_pilot", "sd", "sd_upper", "dz", "seeds_needed", "power_reached"),
		Rows:    [][]any{{given(a.Effect), given(a.PassRate), given(a.Width), a.Power, a.Alpha, a.NPilot, a.SD, a.SDUpper, a.Dz, a.N, a.Reached}},
	}}
}
