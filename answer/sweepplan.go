package answer

import (
	"fmt"
	"slices"
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"track"
	"track/answer/param"
)

// SweepSettings say what a sweep runs.
type SweepSettings struct {
	Scenario      string
	Seeds         string // ranges; the last may be open, as in 100..
	MaxSeeds      int
	Design        *string  // one configuration a row, as CSV or JSON lines; nil for one without parameters
	Params        []string // KEY=VALUE,VALUE,…
	Label         string
	Commit        string // instead of the revision of the code that is there
	Timeout       time.Duration
	LimitCPU      time.Duration
	LimitMemory   string // such as 512MiB
	Retries       int
	CollapsedExit int
	RepeatShare   float64
	Series        []string // patterns
	KeepFiles     []string // patterns
	MaxFileSize   string   // such as 4MiB
	Env           []string // KEY=VALUE
	LibrariesFrom string
	Depends       []string // patterns of files
	Command       []string
}

// params declares the parameters.
func (q *SweepSettings) params() param.List {
	return append(param.List{
		commandParam(&q.Command),
		{Name: "scenario", Required: true, Unit: "NAME", Help: "record in the scenario `NAME`", Value: param.Parsed(&q.Scenario, checkedScenario, plainText)},
		{Name: "seeds", Unit: "0..99", Help: "plan these seeds, as in `0..99`,200", Value: param.Text(&q.Seeds)},
		{Name: "max-seeds", Unit: "N", Help: "plan only the first `N` of them; without seeds, plan 0..N-1", Value: param.Whole(&q.MaxSeeds, 1)},
		{Name: "design", Unit: "FILE", Help: "run these configurations, one a row: CSV whose header names the parameters, or JSON lines",
			FileHelp: "run the configurations in `FILE`, one a row: CSV whose header names the parameters, or JSON lines", Value: param.Content(&q.Design)},
		{Name: "param", Unit: "KEY=VALUE", Help: "set a parameter to `KEY=VALUE`, again for more; VALUE,VALUE,… make one configuration each", Value: param.Texts(&q.Params)},
		{Name: "label", Unit: "NAME", Help: "label the configuration `NAME`, for people", Value: param.Parsed(&q.Label, checkedName, plainText)},
		{Name: "commit", Unit: "ID", Help: "record the revision `ID` of the code instead of the working directory's", Value: param.Parsed(&q.Commit, checkedName, plainText)},
		{Name: "retries", Unit: "N", Help: "run a failed seed up to `N` times more before it is recorded as failed", Value: param.Whole(&q.Retries, 0)},
		{Name: "repeat-check", Unit: "SHARE", Help: "run this `SHARE` of the seeds again at the end, and compare", Value: param.Float(&q.RepeatShare)},
		{Name: "depends", Unit: "PATTERN", Help: "make files that match `PATTERN` part of the configuration, as files are that the command names and that these import; again for more", Value: param.Texts(&q.Depends)},
		{Name: "keep-file", Unit: "PATTERN", Help: "keep small files in {out} that match `PATTERN` with each seed, whatever its outcome, again for more; {seed} is filled in", Value: param.Texts(&q.KeepFiles)},
		{Name: "max-file-size", Unit: "SIZE", Help: "keep such files of up to `SIZE` (default: 1MiB)", Value: param.Text(&q.MaxFileSize)},
		{Name: "env-cmd", Unit: "COMMAND", Help: "keep what the shell `COMMAND` prints, which lists what the results depend on, such as \"pip freeze\"", Value: param.Text(&q.LibrariesFrom)},
	}, q.runParams()...)
}

// runParams declares the parameters that a single run of the command has, too.
func (q *SweepSettings) runParams() param.List {
	return param.List{
		{Name: "timeout", Unit: "TIME", Help: "end a run that takes longer than `TIME`, such as 90s or 5m, and record it as timeout", Value: param.Duration(&q.Timeout)},
		{Name: "limit-cpu", Unit: "TIME", Help: "end a run of which a process uses more than `TIME` of processor time, in whole seconds, and record it as timeout", Value: param.Duration(&q.LimitCPU)},
		{Name: "limit-memory", Unit: "SIZE", Help: "let no process of a run have more than `SIZE` of memory of its own, such as 512MiB", Value: param.Text(&q.LimitMemory)},
		{Name: "collapsed-exit", Unit: "CODE", Help: "take the exit `CODE` of the command to mean that the simulation collapsed", Value: param.Whole(&q.CollapsedExit, 1)},
		{Name: "series", Unit: "PATTERN", Help: "record files in {out} that match `PATTERN` as series, again for more (default: series.*, series_*, *.series.* and series/*)", Value: param.Texts(&q.Series)},
		{Name: "env", Unit: "KEY=VALUE", Help: "set `KEY=VALUE` for the command, or pass the variable KEY on, again for more; recorded with the environment", Value: param.Texts(&q.Env)},
	}
}

// SweepRules end a sweep early, or drop configurations of a grid.
type SweepRules struct {
	Until    string // a rule of precision
	Decided  bool
	Looks    []int    // numbers of seeds
	Baseline Selector // of a comparison that is to be decided; empty for the gate
	Halving  string
}

func (r *SweepRules) Params() param.List {
	return param.List{
		{Name: "until", Unit: "RULE", Help: "end early by this `RULE`: se<0.01, width<0.05 (of the score) or pass_width<0.1", Value: param.Text(&r.Until)},
		{Name: "until-decided", Help: "end early when the gate of the spec, or the comparison with baseline, is decided", Value: param.Switch(&r.Decided)},
		{Name: "plan", Unit: "N,N,…", Help: "decide at these numbers of seeds only, `N,N,…`, at a level that keeps alpha over all of them", Value: param.Parsed(&r.Looks, parsePlan, formatPlan)},
		{Name: "baseline", Unit: "SCENARIO[@CONFIGURATION]", Help: "decide the comparison with `SCENARIO[@CONFIGURATION]`, with until-decided", Value: selectorValue(&r.Baseline)},
		{Name: "halving", Unit: "CONFIGURATIONS:SEEDS,…", Help: "halve successively: `CONFIGURATIONS:SEEDS,…`, as in 100:10,50:20,10:100, of seeds in total", Value: param.Text(&r.Halving)},
	}
}

func (r SweepRules) Check() error {
	wrong := func(name, text string) error { return &param.Error{Param: name, Message: text} }
	switch {
	case r.Until != "" && r.Decided:
		return wrong("until", "cannot be combined with until-decided: a sweep ends by one rule")
	case !r.Decided && len(r.Looks) > 0:
		return wrong("plan", "is for until-decided")
	case !r.Decided && r.Baseline != Selector{}:
		return wrong("baseline", "is for until-decided")
	case r.Halving != "" && (r.Until != "" || r.Decided):
		return wrong("halving", "cannot be combined with until or until-decided: it says itself how many seeds there are")
	case r.Baseline != Selector{}:
		return CheckLooks(r.Looks, nil)
	}
	return nil
}

// SweepPlanQuestion asks for a plan that other machines can run in parts.
type SweepPlanQuestion struct {
	SweepSettings
	Shards   int
	Revision track.Revision // of the code; the asker knows it
	Creator  string         // version of the program that asks
}

func (q *SweepPlanQuestion) Params() param.List {
	q.Shards = 1
	return append(q.params(), param.Param{Name: "shards", Unit: "N", Help: "cut the seeds into `N` parts", Value: param.Whole(&q.Shards, 1)})
}

// SweepParams declares the parameters of a sweep that is run at once.
func SweepParams(q *SweepSettings, r *SweepRules) param.List {
	return slices.Concat(q.params(), r.Params())
}

// SweepPlan is a plan, and what its author should know.
type SweepPlan struct {
	Plan        jsontext.Value `json:"plan"`
	WithoutSpec bool           `json:"without_spec"` // the scenario has no spec yet
	Secrets     []string       `json:"secrets"`      // variables of the command that look like secrets; the plan holds them
}

func (a SweepPlan) Lead() []Sentence {
	var list []Sentence
	if a.WithoutSpec {
		list = append(list, Sentence{Kind: Warning, Text: "no spec yet: the shards will be recorded, and scored when they are merged into a database with one"})
	}
	for _, name := range a.Secrets {
		list = append(list, Sentence{Kind: Warning, Text: fmt.Sprintf("the variable %s looks like a secret, and the plan holds it as it is, because the shards need it", name)})
	}
	return list
}

func (a SweepPlan) Tables() []Table {
	return []Table{{Name: "plan", Columns: columns("plan").wrap("plan"), Rows: [][]any{{string(a.Plan)}}}}
}

func commandParam(to *[]string) param.Param {
	return param.Param{Name: "command", Arg: true, Required: true, Unit: "COMMAND", Help: "run these words, with {seed} and other placeholders", Value: param.Texts(to)}
}

func plainText(s string) string { return s }

func checkedScenario(s string) (string, error) { return s, track.CheckScenarioName(s) }

func checkedName(s string) (string, error) { return s, track.CheckName(s) }
