package answer

import (
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"track"
	"track/answer/param"
	"track/internal/shell"
	"track/scoring"
	"track/scoring/format"
)

// SweepsQuestion asks which sweeps are recorded.
type SweepsQuestion struct {
	Scenario string // empty for all
	Page     Page
}

func (q *SweepsQuestion) Params() param.List {
	return append(param.List{
		{Name: "scenario", Arg: true, Unit: "SCENARIO", Help: "list only sweeps of this scenario", Value: param.Name(&q.Scenario)},
	}, q.Page.Params(0)...)
}

// RecordedSweep is a sweep as a list shows it.
type RecordedSweep struct {
	ID             string                 `json:"id"` // ULID
	Scenario       string                 `json:"scenario"`
	Command        []string               `json:"command"` // with placeholders
	Shard          int                    `json:"shard,omitzero"`
	NShards        int                    `json:"n_shards,omitzero"`
	StartedAt      time.Time              `json:"started_at"`
	EndedAt        time.Time              `json:"ended_at,omitzero"` // missing while it runs, and if it was killed
	Ending         track.SweepEnding      `json:"ending"`            // empty while it runs, and if it was killed
	IsRunning      bool                   `json:"running,omitzero"`  // a process of this database runs it now
	CodeChanged    bool                   `json:"code_changed"`      // while it ran, or it may have
	Withdrawn      *track.Withdrawal      `json:"withdrawn,omitempty"`
	NRuns          int                    `json:"n_runs"`      // seeds that it ran, also those that were withdrawn
	NFailed        int                    `json:"n_failed"`    // of these
	NWithdrawn     int                    `json:"n_withdrawn"` // of these, withdrawn later
	Configurations []PlannedConfiguration `json:"configurations"`
}

// PlannedConfiguration is a configuration with the seeds that a sweep planned for it.
type PlannedConfiguration struct {
	track.RecordedConfiguration `json:",embed"`

	Planned  string `json:"planned"` // ranges, as in 0..99,200
	NPlanned int    `json:"n_planned"`
}

// Sweeps are recorded sweeps, the newest first.
type Sweeps struct {
	List[RecordedSweep] `json:",embed"`
}

func (Sweeps) Lead() []Sentence { return nil }

func (a Sweeps) Tables() []Table { return []Table{sweepTable(a.Items)} }

func sweepTable(sweeps []RecordedSweep) Table {
	t := Table{Name: "sweeps", Empty: "no sweeps", Columns: columns("sweep", "scenario", "started", "configurations", "planned", "ran", "failed", "ending", "command").drop("started", "configurations", "planned", "scenario", "command").wrap("ending", "command")}
	for _, s := range sweeps {
		planned := 0
		for _, c := range s.Configurations {
			planned = max(planned, planned+c.NPlanned) // the sum may be too large for an int
		}
		t.Rows = append(t.Rows, []any{
			Cell{track.ShortID(s.ID), s.ID}, s.Scenario, timeCell(s.StartedAt), len(s.Configurations), planned, s.NRuns, s.NFailed, s.endingText(), commandText(s.Command),
		})
	}
	return t
}

// State says how the sweep ended, or what is known of one that has not. One without a process was killed, or records
// elsewhere first.
func (s RecordedSweep) State() string {
	switch {
	case s.Ending != "":
		return string(s.Ending)
	case s.IsRunning:
		return "running"
	}
	return "running, or killed"
}

func (s RecordedSweep) endingText() string {
	text := s.State()
	if s.CodeChanged {
		text += ", the code may have changed"
	}
	switch {
	case s.Withdrawn != nil:
		text += ", withdrawn: " + s.Withdrawn.Reason
	case s.NWithdrawn > 0:
		text += fmt.Sprintf(", %d of %s withdrawn", s.NWithdrawn, format.Counted(s.NRuns, "seed"))
	}
	if s.NShards > 0 {
		text += fmt.Sprintf(", shard %d of %d", s.Shard, s.NShards)
	}
	return text
}

// CommandLine returns the command as a shell reads it.
func (s RecordedSweep) CommandLine() string { return commandText(s.Command) }

// commandText writes the words of a command as a shell reads them. The braces of placeholders are not quoted.
func commandText(words []string) string {
	list := make([]string, len(words))
	for i, word := range words {
		bare := strings.NewReplacer("{", "", "}", "").Replace(word)
		if list[i] = word; bare == "" || shell.Word(bare) != bare {
			list[i] = shell.Word(word)
		}
	}
	return strings.Join(list, " ")
}

// SweepQuestion asks for a sweep with its provenance.
type SweepQuestion struct{ ID string }

func (q *SweepQuestion) Params() param.List {
	return param.List{{Name: "sweep", Arg: true, Required: true, Unit: "SWEEP", Help: "show the sweep with this id, or whose id ends so", Value: param.Text(&q.ID)}}
}

// Sweep is a sweep with its provenance. Recognized secrets in its texts are masked.
type Sweep struct {
	RecordedSweep `json:",embed"`
	Environment   map[string]string `json:"environment,omitempty"`
	Plan          jsontext.Value    `json:"plan,omitempty"`
	Changes       string            `json:"changes,omitempty"`   // of the code since its commit, as a diff
	Libraries     string            `json:"libraries,omitempty"` // what the command printed that lists them
	Progress      SweepProgress     `json:"progress"`
}

func (Sweep) Lead() []Sentence { return nil }

func (a Sweep) Tables() []Table {
	facts := Table{Name: "facts", Columns: columns("what", "value").wrap("value"), Rows: [][]any{
		{"id", a.ID}, {"scenario", a.Scenario}, {"command", commandText(a.Command)}, {"started", timeCell(a.StartedAt)}, {"ended", timeCell(a.EndedAt)},
		{"ending", a.endingText()}, {"ran", a.NRuns}, {"failed", a.NFailed},
	}}
	for _, name := range slices.Sorted(maps.Keys(a.Environment)) {
		facts.Rows = append(facts.Rows, []any{name, a.Environment[name]})
	}
	configurations := Table{Name: "configurations", Title: "configurations", Columns: columns("configuration", "label", "parameters", "commit", "planned", "n_planned").drop("n_planned", "commit", "label", "parameters").wrap("parameters", "planned")}
	for _, c := range a.Configurations {
		configurations.Rows = append(configurations.Rows, []any{
			hashCell(c.Hash), c.Label, ParamsText(c.Params), revisionText(c.Revision), c.Planned, c.NPlanned,
		})
	}
	for _, part := range []struct{ title, text string }{{"changes of the code since its commit", a.Changes}, {"libraries", a.Libraries}} {
		if part.text != "" {
			size := fmt.Sprintf("%s: %s, %d lines; the JSON has them", part.title, format.Counted(len(part.text), "byte"), strings.Count(part.text, "\n"))
			configurations.Notes = append(configurations.Notes, Sentence{Kind: Note, Text: size})
		}
	}
	return []Table{facts, a.Progress.table(), configurations}
}

// ParamsText writes parameters for people: theta=14,name=x.
func ParamsText(p track.Params) string {
	return strings.NewReplacer(`{`, "", `}`, "", `"`, "", ":", "=").Replace(ShortParams(p))
}

// longString is a string of JSON whose end people need not read.
var longString = regexp.MustCompile(`"((?:[^"\\]|\\.){60})(?:[^"\\]|\\.)+"`)

// ShortParams returns parameters as JSON for people: long texts end in an ellipsis, and so does the whole.
func ShortParams(p track.Params) string {
	const longest = 400
	text := longString.ReplaceAllString(string(p.JSON()), `"$1…"`)
	if runes := []rune(text); len(runes) > longest {
		return string(runes[:longest]) + "…"
	}
	return text
}

func revisionText(r track.Revision) string {
	if r.Commit == "" && r.Unknown == "" {
		return "no commit"
	}
	return r.String()
}

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

// SweptSeed is a seed that a sweep ran.
type SweptSeed struct {
	Kind          string            `json:"kind"` // seed, or repetition if the seed was recorded before and was run again to be compared
	Scenario      string            `json:"scenario"`
	Seed          track.SeedNumber  `json:"seed"`
	Configuration string            `json:"configuration"` // hash
	Outcome       track.Outcome     `json:"outcome"`
	Message       string            `json:"message,omitempty"`
	Disposition   track.Disposition `json:"disposition,omitempty"`
	Status        scoring.Status    `json:"status,omitempty"`
	TotalScore    *float64          `json:"total_score"`
	Duration      *time.Duration    `json:"duration_s"`
	Run           track.Run         `json:"run"` // without standard error, which is recorded with the seed
	Differences   []string          `json:"differences,omitempty"`
}
