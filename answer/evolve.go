package answer

import (
	"fmt"
	"math"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"track"
	"track/answer/param"
	"track/evolution"
	"track/scoring/design"
	"track/scoring/format"
	"track/scoring/stats"
	"track/scoring/verdict"
)

// EvolveSettings say what evolves a lineage, and when it ends.
type EvolveSettings struct {
	Lineage     string // empty for the only one
	Propose     string // line of shell
	Evaluate    string // line of shell
	Tasks       *string
	Measured    int // tasks that an accepted child is measured on; 0 for all
	Parallel    int
	Timeout     time.Duration // of each run of a command
	Retries     int           // runs of propose after one that made no child
	MaxFailures int           // trials without a score, one after the other
	Budget      evolution.Budget
	Until       evolution.Until
}

func (q *EvolveSettings) Params() param.List {
	q.Parallel, q.Retries, q.MaxFailures = 1, 2, 10
	return param.List{
		{Name: "lineage", Unit: "NAME", Help: "choose the lineage by its `NAME`; not needed if there is only one", Value: param.Text(&q.Lineage)},
		{Name: "propose", Required: true, Unit: "COMMAND", Help: "make a child of a version by this shell `COMMAND`", Value: param.Text(&q.Propose)},
		{Name: "evaluate", Required: true, Unit: "COMMAND", Help: "run one trial of a version by this shell `COMMAND`", Value: param.Text(&q.Evaluate)},
		{Name: "tasks", Unit: "FILE", Help: "pair the trials by these tasks, one a line: a name, or a JSON object with a task",
			FileHelp: "pair the trials by the tasks in `FILE`, one a line: a name, or a JSON object with a task", Value: param.Content(&q.Tasks)},
		{Name: "measure", Unit: "N", Help: "measure an accepted child on the first `N` tasks instead of all", Value: param.Whole(&q.Measured, 1)},
		{Name: "parallel", Unit: "N", Help: "run `N` trials at a time", Value: param.Whole(&q.Parallel, 1)},
		{Name: "timeout", Unit: "TIME", Help: "end a command that takes longer than `TIME`, such as 90s or 5m; such a trial has failed", Value: param.Duration(&q.Timeout)},
		{Name: "retries", Unit: "N", Help: "run the propose command up to `N` times more if it makes no new child", Value: param.Whole(&q.Retries, 0)},
		{Name: "max-failures", Unit: "N", Help: "end after `N` trials in a row without a score", Value: param.Whole(&q.MaxFailures, 1)},
		{Name: "max-trials", Unit: "N", Help: "end when `N` trials are recorded, before or now", Value: param.Whole(&q.Budget.Trials, 1)},
		{Name: "max-mutations", Unit: "N", Help: "propose no more when the lineage has `N` mutations, and decide the last one", Value: param.Whole(&q.Budget.Mutations, 1)},
		{Name: "max-tokens", Unit: "N", Help: "end when the trials, before or now, have taken `N` input and output tokens", Value: param.Whole(&q.Budget.Tokens, 1)},
		{Name: "max-cost", Unit: "USD", Help: "end when trials and proposals, before or now, have cost so many `USD`", Value: param.OptionalFloat(&q.Budget.CostUSD)},
		{Name: "until", Unit: "RULE", Help: "end by this `RULE`: score>=95 of the active version (score<=0.1 if less is better), or accepted=3 mutations",
			Value: param.Parsed(&q.Until, evolution.ParseUntil, evolution.Until.String)},
		{Name: "max-time", Unit: "TIME", Help: "end this run after `TIME`, such as 90s, 5m or 2h", Value: param.Duration(&q.Budget.Time)},
	}
}

// EvolveEnding says why a loop ended.
type EvolveEnding string

// The endings.
const (
	EvolveReached     EvolveEnding = "reached"     // the rule to end is
	EvolveBudget      EvolveEnding = "budget"      // a bound is reached
	EvolveStopped     EvolveEnding = "stopped"     // the lineage is frozen, or stable
	EvolveHeld        EvolveEnding = "held"        // a daily limit holds until a later time
	EvolveFailed      EvolveEnding = "failed"      // the commands fail
	EvolveInterrupted EvolveEnding = "interrupted" // by the user
)

// Evolved says what became of a loop.
type Evolved struct {
	Lineage    string             `json:"lineage"`
	Ending     EvolveEnding       `json:"ending"`
	Reason     string             `json:"reason"`
	Rule       string             `json:"rule,omitempty"` // to end by, such as score>=95
	Until      time.Time          `json:"until,omitzero"` // when a daily limit ends
	HeadBefore string             `json:"head_before"`
	Head       string             `json:"head"`
	Fitness    *float64           `json:"fitness"`         // of the active version
	Scale      *evolution.Scale   `json:"scale,omitempty"` // of the scores; none for 0 to 100
	NTrials    int                `json:"n_trials"`        // that this loop recorded
	NFailed    int                `json:"n_failed"`        // of these
	NProposed  int                `json:"n_proposed"`
	NRefused   int                `json:"n_refused"` // of these
	NAccepted  int                `json:"n_accepted"`
	NRejected  int                `json:"n_rejected"`
	NContinued int                `json:"n_continued"` // decisions that asked for more trials
	NRollbacks int                `json:"n_rollbacks"`
	Undecided  string             `json:"undecided,omitempty"` // mutation that the next loop decides first
	Spent      evolution.Spending `json:"spent"`               // by all loops of the lineage so far
}

func (a Evolved) Lead() []Sentence {
	ending := fmt.Sprintf("%s (%s)", a.Ending, a.Reason)
	if a.Ending == EvolveHeld {
		ending = fmt.Sprintf("stopped by a daily limit (%s)", a.Reason)
	}
	text := fmt.Sprintf("evolve %s: %s; %s, %d failed; %s proposed, %d refused; %d decided: %d accepted, %d rejected", a.Lineage, ending,
		format.Counted(a.NTrials, "trial"), a.NFailed, format.Counted(a.NProposed, "mutation"), a.NRefused, a.NAccepted+a.NRejected, a.NAccepted, a.NRejected)
	if a.NRollbacks > 0 {
		text += "; " + format.Counted(a.NRollbacks, "rollback")
	}
	active := "active: " + format.OrDash(a.Head)
	if a.Fitness != nil {
		active += ", fitness " + Numbers{a.Scale}.Score(*a.Fitness)
	}
	if a.HeadBefore != a.Head {
		active += "; before: " + format.OrDash(a.HeadBefore)
	}
	lead := []Sentence{{Kind: Heading, Text: text}, {Kind: Note, Text: active, Joined: true}}
	if !a.Until.IsZero() {
		lead = append(lead, Sentence{Kind: Note, Text: "can go on at " + timeText(a.Until), Joined: true})
	}
	if a.Undecided != "" {
		lead = append(lead, Sentence{Kind: Note, Text: "not yet decided: " + a.Undecided + "; the next run decides it first", Joined: true})
	}
	return lead
}

func (a Evolved) Tables() []Table {
	return []Table{{Name: "evolved", ForPrograms: true,
		Columns: columns("lineage", "ending", "reason", "head_before", "head", "fitness", "n_trials", "n_failed", "n_proposed", "n_refused", "n_accepted", "n_rejected", "n_rollbacks"),
		Rows:    [][]any{{a.Lineage, string(a.Ending), a.Reason, a.HeadBefore, a.Head, a.Fitness, a.NTrials, a.NFailed, a.NProposed, a.NRefused, a.NAccepted, a.NRejected, a.NRollbacks}}}}
}

func (a Evolved) Conclusion() Conclusion {
	if a.Ending == EvolveFailed {
		return Failed
	}
	return Done
}

// Notices returns what to do next.
func (a Evolved) Notices() []Sentence {
	var hint track.Hint
	switch a.Ending {
	case EvolveBudget:
		hint = track.Hint{Text: "the same command with a larger budget continues"}
	case EvolveHeld:
		hint = track.NewHint("the same command goes on when the limit ends; to lift the limit", "lineage set", a.Lineage, "max_per_day=1000", "max_high_per_day=1000")
	case EvolveFailed:
		hint = track.NewHint("show the newest trials", "executions", a.Lineage)
	default:
		return nil
	}
	return []Sentence{{Kind: Note, Hint: &hint}}
}

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

// PlanQuestion asks which trials a policy needs before it decides a mutation.
type PlanQuestion struct {
	Mutation string
	Lineage  string           // empty for the only lineage that has the mutation
	Policy   evolution.Policy // nil for the policy of the lineage
}

func (q *PlanQuestion) Params() param.List {
	return append(ofMutation(&q.Mutation, &q.Lineage), policyParam("policy", "plan for this policy instead of the lineage's", &q.Policy))
}

// Plan says which trials a policy needs before it decides a mutation.
type Plan struct {
	Lineage  string           `json:"lineage"`
	Mutation string           `json:"mutation"`
	State    evolution.State  `json:"state"` // continue; else what would be decided now
	Need     *MissingEvidence `json:"need"`
	Decision Decision         `json:"decision"` // as it would be made now
}

func (a Plan) Lead() []Sentence {
	if a.Need != nil {
		return []Sentence{{Kind: Heading, Text: a.Need.sentence(a.Decision.Policy, a.Decision.Child, a.Decision.Parent)}}
	}
	hint := track.NewHint("decide it", "mutation decide", a.Mutation).With("lineage", a.Lineage)
	return []Sentence{{Kind: Heading, Text: fmt.Sprintf("%s has enough evidence: %s would %s it", a.Mutation, a.Decision.Policy, a.State), Hint: &hint}}
}

func (a Plan) Tables() []Table {
	if a.Need == nil {
		return trialTables(nil)
	}
	return trialTables(a.Need.Trials)
}

// trialTables returns planned trials, for people those of any task together.
func trialTables(trials []PlannedTrial) []Table {
	people := Table{Name: "trials", HiddenIfEmpty: true, Columns: []Column{{Name: "side"}, {Name: "version"}, {Name: "key", Head: "task or seed"}, {Name: "n"}}}
	data := Table{Name: "trials", ForPrograms: true, Main: true, Columns: columns("side", "version", "key")}
	for i := 0; i < len(trials); {
		n := 1
		for i+n < len(trials) && trials[i] == trials[i+n] {
			n++
		}
		key := trials[i].Key
		if key == "" {
			key = "any"
		}
		people.Rows = append(people.Rows, []any{trials[i].Side, trials[i].Version, key, n})
		i += n
	}
	for _, t := range trials {
		data.Rows = append(data.Rows, []any{t.Side, t.Version, t.Key})
	}
	return []Table{people, data}
}
