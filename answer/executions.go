package answer

import (
	"fmt"
	"iter"
	"maps"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/go-json-experiment/json"

	"track"
	"track/answer/param"
	"track/evolution"
	"track/scoring/format"
	"track/scoring/rubric"
	"track/scoring/stats"
)

// ExecutionsQuestion asks which executions are recorded.
type ExecutionsQuestion struct {
	Of       LineageSelector // empty for all lineages
	Task     string
	Status   track.ExecutionStatus
	Grade    string
	MinScore *float64
	MaxScore *float64
	Since    Since
	Page     Page
}

func (q *ExecutionsQuestion) Params() param.List {
	return append(param.List{
		{Name: "lineage", Arg: true, Unit: "LINEAGE[@VERSION]", Help: "list only executions of this lineage", Value: lineageSelectorValue(&q.Of)},
		{Name: "task", Unit: "TASK", Help: "list only executions of this `TASK`", Value: param.Text(&q.Task)},
		{Name: "status", Help: "list only executions with this status", Enum: executionStatuses(), Value: executionStatus(&q.Status)},
		{Name: "grade", Help: "list only executions with this grade", Enum: []string{"A+", "A", "B", "C", "D", "F"}, Value: grade(&q.Grade)},
		{Name: "min-score", Unit: "X", Help: "list only executions with a score of at least `X`", Value: param.OptionalFloat(&q.MinScore)},
		{Name: "max-score", Unit: "X", Help: "list only executions with a score of at most `X`", Value: param.OptionalFloat(&q.MaxScore)},
		{Name: "since", Unit: "TIME", Help: "list only executions that started since `TIME`: 2026-01-02, 2026-01-02T15:04:05Z, or 24h for the last day", Value: &q.Since},
	}, q.Page.Params(50)...)
}

func executionStatuses() []string {
	return []string{string(track.ExecutionOK), string(track.ExecutionTimeout), string(track.ExecutionError), string(track.ExecutionInvalid)}
}

func executionStatus(to *track.ExecutionStatus) param.Value {
	return param.Parsed(to, track.ParseExecutionStatus, func(s track.ExecutionStatus) string { return string(s) })
}

func grade(to *string) param.Value {
	return param.Parsed(to, func(text string) (string, error) { return strings.ToUpper(text), nil }, func(s string) string { return s })
}

// Executions are recorded executions, the newest first.
type Executions struct {
	List[track.RecordedExecution] `json:",embed"`
}

func (Executions) Lead() []Sentence { return nil }

func (a Executions) Tables() []Table {
	t := Table{Name: "executions", Empty: "no executions match", Columns: columns(
		"id", "lineage", "version", "task", "status", "score", "grade", "rubric", "calls", "failed", "unknown", "duration", "cost", "prices", "at",
	).drop("prices", "unknown", "cost", "rubric", "duration", "at", "calls", "failed", "task", "lineage").wrap("task")}
	text := scoreFormat(a.scores())
	for _, e := range a.Items {
		t.Rows = append(t.Rows, []any{
			e.ID, e.Lineage, e.Version, Cell{Shorten(e.Task), e.Task}, string(e.Status), optionalCell(e.Score, text), e.Grade, e.Rubric,
			e.NCalls, e.NFailed, e.NUnknown, duration(e.Duration, 100*time.Millisecond), optionalCell(e.CostUSD, format.Four), e.Priced, timeCell(e.At()),
		})
	}
	if a.Next != "" {
		t.Notes = []Sentence{{Kind: Note, Text: fmt.Sprintf("the newest %d; a larger limit lists more", len(a.Items))}}
	}
	return []Table{t}
}

func (a Executions) scores() iter.Seq[float64] {
	return func(yield func(float64) bool) {
		for _, e := range a.Items {
			if e.Score != nil && !yield(*e.Score) {
				return
			}
		}
	}
}

// duration returns a cell with a duration, rounded for people and in seconds for data; nil if it is unknown.
func duration(d *time.Duration, round time.Duration) any {
	if d == nil {
		return nil
	}
	return Cell{d.Round(round).String(), d.Seconds()}
}

// scoreFormat returns how to write scores that stand together, their means, intervals and differences: those of a
// rubric with two decimals, and with four if all are so near 0 that two would say little.
func scoreFormat(scores iter.Seq[float64]) func(float64) string {
	for x := range scores {
		if math.Abs(x) >= 10 {
			return twoDecimals
		}
	}
	return format.Four
}

// scoreText writes a score that stands alone.
func scoreText(x float64) string { return scoreFormat(slices.Values([]float64{x}))(x) }

func twoDecimals(x float64) string { return format.Fixed(x, 2) }

// ExecutionQuestion asks for one execution in full.
type ExecutionQuestion struct {
	ID     string // or a beginning that no other id shares
	Rubric string // whose components are shown; empty for the active one
	Output bool   // with the final text
	Trace  bool   // the conversation
	All    bool   // its long texts are not folded
	Grep   string // only its texts with this in them; empty for all
}

func (q *ExecutionQuestion) Check() error {
	for name, given := range map[string]bool{"all": q.All, "grep": q.Grep != ""} {
		if given && !q.Trace {
			return &param.Error{Param: name, Message: "is for a trace: ask for that too"}
		}
	}
	return nil
}

func (q *ExecutionQuestion) Params() param.List {
	return param.List{
		{Name: "id", Arg: true, Required: true, Unit: "ID", Help: "show the execution with this id, or with an id that begins so", Value: param.Text(&q.ID)},
		{Name: "rubric", Help: "show the components under this rubric", Enum: append(rubric.Names(), track.RubricOwn), Value: param.Text(&q.Rubric)},
		{Name: "output", Help: "show the final text", Value: param.Switch(&q.Output)},
		{Name: "trace", Help: "show the conversation: prompt, calls with their inputs, errors and outputs, and answer", Value: param.Switch(&q.Trace)},
		{Name: "grep", Unit: "TEXT", Help: "show only the texts of the trace that contain `TEXT`, in whatever case", Value: param.Text(&q.Grep)},
		{Name: "all", Help: "show the texts of the trace as a whole", Value: param.Switch(&q.All)},
	}
}

// Execution is an execution with its calls and its scores under every rubric.
type Execution struct {
	track.RecordedExecution `json:",embed"`
	ComponentsUnder         string `json:"components_under"` // the rubric whose components are shown
	WithOutput              bool   `json:"with_output"`      // the final text was asked for
	Trace                   *Trace `json:"trace,omitempty"`  // nil if it was not asked for; it has the texts of the calls then
}

func (a Execution) Lead() []Sentence {
	lead := []Sentence{{Kind: Heading, Text: a.heading()}, {Kind: Note, Joined: true, Text: a.times()}}
	if a.Open {
		lead = append(lead, Sentence{Kind: Note, Joined: true, Text: "the source ended within it: importing the source again may complete it"})
	}
	if !a.ForgottenAt.IsZero() {
		lead = append(lead, Sentence{Kind: Note, Joined: true, Text: "its texts were removed " + timeText(a.ForgottenAt)})
	}
	for _, name := range slices.Sorted(maps.Keys(a.Truths)) {
		lead = append(lead, Sentence{Kind: Note, Joined: true, Text: fmt.Sprintf("ground-truth label: %s %v", name, a.Truths[name])})
	}
	return append(lead, a.scoreSentences()...)
}

func (a Execution) heading() string {
	text := fmt.Sprintf("execution %s of %s", a.ID, lineageVersion(a.Lineage, a.Version))
	for _, part := range []struct{ name, text string }{
		{"task", a.Task}, {"type", a.TaskType}, {"complexity", string(a.Complexity)}, {"model", a.Model}, {"session", a.Session}, {"source", a.Source},
	} {
		if part.text != "" {
			text += fmt.Sprintf(", %s %s", part.name, part.text)
		}
	}
	if a.Trial > 0 {
		text += fmt.Sprintf(", trial %d", a.Trial)
	}
	return text
}

func (a Execution) times() string {
	text := "recorded " + timeText(a.RecordedAt)
	if !a.StartedAt.IsZero() {
		text += ", started " + timeText(a.StartedAt)
	}
	if a.Duration != nil {
		text += ", took " + a.Duration.String()
	}
	return text
}

func (a Execution) scoreSentences() []Sentence {
	if a.Score == nil {
		list := []Sentence{{Kind: Note, Text: fmt.Sprintf("status %s: no score", a.Status)}}
		if a.Message != "" {
			list = append(list, Sentence{Kind: Note, Joined: true, Text: Shorten(a.Message)})
		}
		return list
	}
	text := gradedScore(*a.Score, a.Grade)
	if a.Grade != "" {
		text += fmt.Sprintf(" (%s)", rubric.Grade(a.Grade).Action())
	}
	text += " by " + a.Rubric
	for _, s := range a.Scores {
		if !s.Active && s.Score != nil {
			text += fmt.Sprintf("; %s under %s", scoreText(*s.Score), s.Rubric)
		}
	}
	counts := callsText(a.NCalls, a.NFailed, a.NUnknown) + ", " + format.Counted(a.Corrections, "correction")
	return []Sentence{{Kind: Note, Text: text}, {Kind: Note, Joined: true, Text: counts}}
}

func (a Execution) Tables() []Table {
	if a.Trace != nil {
		return []Table{a.traceTable()}
	}
	var tables []Table
	if t := a.components(); len(t.Rows) > 0 {
		tables = append(tables, t)
	}
	calls := a.calls()
	if a.WithOutput {
		calls.Notes = a.finalText()
	}
	return append(tables, calls)
}

// components returns the table of the components under the rubric that is shown.
func (a Execution) components() Table {
	i := slices.IndexFunc(a.Scores, func(s track.RecordedScore) bool { return s.Rubric == a.ComponentsUnder })
	if i < 0 {
		return Table{}
	}
	var score rubric.Score
	if err := json.Unmarshal(a.Scores[i].Detail, &score); err == nil && len(score.Components) > 0 {
		t := componentTable(score.Components)
		t.Title = "components under " + a.ComponentsUnder
		return t
	}
	t := Table{Name: "components", Title: "components under " + a.ComponentsUnder, Columns: columns("component", "value")}
	for _, c := range a.Scores[i].Components { // the reasons were removed with the texts
		t.Rows = append(t.Rows, []any{c.Name, c.Value})
	}
	return t
}

func (a Execution) calls() Table {
	t := Table{Name: "calls", Title: "tool calls", Main: true, HiddenIfEmpty: true, Columns: columns("call", "tool", "exit", "result", "input", "output", "duration").drop("input", "output", "duration")}
	for i, c := range a.Calls {
		var exit, output any
		if c.Exit != nil {
			exit = *c.Exit
		}
		if c.Output != nil {
			output = byteSize(c.Output.Bytes, c.Output.WholeBytes)
		}
		t.Rows = append(t.Rows, []any{i + 1, c.Tool, exit, callResult(c), byteSize(c.Input.Bytes, 0), output, duration(c.Duration, time.Nanosecond)})
	}
	return t
}

func (a Execution) finalText() []Sentence {
	switch {
	case a.Output == nil:
		return []Sentence{{Kind: Note, Text: "final text: not known"}}
	case a.Output.Text == nil:
		return []Sentence{{Kind: Note, Text: "final text: not kept"}}
	}
	return []Sentence{{Kind: Note, Text: "final text\n" + *a.Output.Text}}
}

func callResult(c track.RecordedCall) string {
	switch {
	case c.Rejected:
		return "rejected by the user"
	case c.Error != "":
		return Shorten("error: " + c.Error)
	case !c.Answered:
		return "no result"
	case c.Exit != nil && *c.Exit != 0:
		return fmt.Sprintf("exit %d", *c.Exit)
	case c.Exit == nil:
		return "answered"
	}
	return "ok"
}

// componentTable returns a table of components with their parts, which are indented for people.
func componentTable(list []rubric.Component) Table {
	t := Table{Name: "components", Columns: columns("component", "value", "weight", "reason").drop("weight").wrap("reason")}
	var add func(list []rubric.Component, indent string)
	add = func(list []rubric.Component, indent string) {
		for _, c := range list {
			t.Rows = append(t.Rows, []any{Cell{indent + c.Name, c.Name}, c.Value, c.Weight, c.Reason})
			add(c.Parts, indent+"  ")
		}
	}
	add(list, "")
	return t
}

// FitnessQuestion asks for the fitness of a version of a lineage.
type FitnessQuestion struct {
	Of     LineageSelector // of the active version if it names none, or else of the version that was executed last
	Rubric string          // empty for the scores that decide in the lineage
	Cut    *float64        // share of the scores that is dropped at each end; nil for a tenth
}

func (q *FitnessQuestion) Params() param.List {
	return param.List{
		{Name: "lineage", Arg: true, Required: true, Unit: "LINEAGE[@VERSION]", Help: "aggregate the executions of this version", Value: lineageSelectorValue(&q.Of)},
		{Name: "rubric", Help: "use the scores under this rubric", Enum: append(rubric.Names(), track.RubricOwn), Value: param.Text(&q.Rubric)},
		{Name: "cut", Unit: "SHARE", Help: "drop this `SHARE` of the scores at each end; 0.1 if not given", Value: param.OptionalFloat(&q.Cut)},
	}
}

func (q *FitnessQuestion) Check() error {
	if q.Cut != nil && !(*q.Cut >= 0 && *q.Cut < 0.5) {
		return &param.Error{Param: "cut", Message: fmt.Sprintf("%v: must be at least 0 and below 0.5", *q.Cut)}
	}
	return nil
}

// Fitness is the fitness of a version of a lineage.
type Fitness struct {
	Lineage              string `json:"lineage"`
	Version              string `json:"version"`
	ScoreBasis           `json:",embed"`
	OtherKinds           []KindOfScore `json:"other_kinds,omitempty"` // active scores that are left out, since most are of the kind in score_from
	rubric.FitnessResult `json:",embed"`
	NExecutions          int     `json:"n_executions"`
	NFailed              int     `json:"n_failed"`       // did not succeed, and so have no score
	NHoldout             int     `json:"n_holdout"`      // of holdout tasks, which count in no score unless a rubric was asked for
	NOwn                 int     `json:"n_own"`          // scores used that are the caller's own
	NUndated             int     `json:"n_undated"`      // executions used whose start is unknown
	MeasuredShare        float64 `json:"measured_share"` // mean share of the rubric's weight that could be measured; 1 for the caller's own scores
}

// enoughMeasured is the share of the rubric's weight below which a grade calls for no action.
const enoughMeasured = 0.5

func (a Fitness) Lead() []Sentence {
	action := a.Grade.Action()
	if a.MeasuredShare < enoughMeasured {
		action = "too little of the rubric was measured to act on it"
	}
	heading := fmt.Sprintf("%s@%s  fitness %s", a.Lineage, a.Version, scoreText(a.Value))
	if a.Grade != "" {
		heading += fmt.Sprintf(", grade %s: %s", a.Grade, action)
	}
	scores := a.scoreText() + "s"
	if a.Rubric != "" && a.ScoreFrom == "" {
		scores = "scores under " + a.Rubric
	}
	lead := []Sentence{
		{Kind: Heading, Text: heading},
		{Kind: Note, Joined: true, Text: fmt.Sprintf("%s: %d of %d executions scored, %d failed", scores, a.N, a.NExecutions, a.NFailed)},
		{Kind: Note, Joined: true, Text: a.meanText()},
		{Kind: Note, Joined: true, Text: a.leftOutText()},
	}
	lead = append(lead, leftOutKinds(a.OtherKinds)...)
	if a.NHoldout > 0 {
		lead = append(lead, Sentence{Kind: Note, Joined: true, Text: leftOutHoldout(a.NHoldout)})
	}
	return lead
}

// ScoreBasis names the scores of an answer about a lineage.
type ScoreBasis struct {
	// ScoreFrom is the kind of score that decides in the lineage, if no rubric was asked for.
	ScoreFrom evolution.ScoreSource `json:"score_from,omitempty"` // empty for the active scores, or if a rubric was asked for
}

// scoreText names the score; another one if a rubric was asked for.
func (b ScoreBasis) scoreText() string {
	if b.ScoreFrom == "" {
		return "active score"
	}
	return string(b.ScoreFrom) + " score"
}

// leftOutHoldout says how many executions are of holdout tasks.
func leftOutHoldout(n int) string {
	return fmt.Sprintf("left out %s of holdout tasks", format.Counted(n, "execution"))
}

func (a Fitness) leftOutText() string {
	if a.Measure == rubric.ByTask {
		return "none dropped, since the tasks differ"
	}
	return fmt.Sprintf("trimmed %d worst and %d best, left out %d older", len(a.TrimmedWorst), len(a.TrimmedBest), len(a.TooOld))
}

func (a Fitness) meanText() string {
	text := fmt.Sprintf("weighted mean of %d", len(a.Used))
	if a.Measure == rubric.ByTask {
		text = fmt.Sprintf("mean over %d tasks of the mean score of each, from %d executions", a.NTasks, len(a.Used))
	}
	text += ", effective n " + format.Fixed(a.EffectiveN, 2)
	i := a.Mean.Interval
	switch {
	case i.Defined() && a.Measure == rubric.ByTask:
		text += fmt.Sprintf("; 95%% t interval %s to %s", scoreText(i.Lo), scoreText(i.Hi))
	case i.Defined():
		text += fmt.Sprintf("; plain mean %s, 95%% t interval %s to %s", scoreText(a.Mean.Mean), scoreText(i.Lo), scoreText(i.Hi))
	}
	return text
}

func (a Fitness) values() iter.Seq[float64] {
	return func(yield func(float64) bool) {
		for _, u := range a.Used {
			if !yield(u.Value) {
				return
			}
		}
	}
}

func (a Fitness) Tables() []Table {
	used := Table{Name: "used", Title: "executions used", Main: true, Columns: columns("id", "started", "score", "weight").drop("started")}
	text := scoreFormat(a.values())
	for _, u := range a.Used {
		used.Rows = append(used.Rows, []any{u.ID, timeCell(u.At), numberCell(u.Value, text), u.Weight})
	}
	components := Table{Name: "components", Title: "components", HiddenIfEmpty: true, Columns: columns("component", "mean_of_measured", "n"), Notes: a.warnings()}
	for _, c := range a.Components {
		components.Rows = append(components.Rows, []any{c.Name, c.Mean, c.N})
	}
	return []Table{used, components}
}

func (a Fitness) warnings() (list []Sentence) {
	warn := func(text string, args ...any) {
		list = append(list, Sentence{Kind: Warning, Text: fmt.Sprintf(text, args...)})
	}
	if a.NUndated > 0 {
		warn("%s used %s no start time: they are ordered by the time of recording", format.CountedOf(a.NUndated, len(a.Used), "execution"), format.Verb(len(a.Used), "has", "have"))
	}
	if a.NFailed > 0 {
		warn("%s failed: no score, and not counted in the fitness", format.CountedOf(a.NFailed, a.NExecutions, "execution"))
	}
	if a.MeasuredShare < 0.995 {
		warn("%s of the rubric could be measured in the executions used, on average", format.Share(a.MeasuredShare))
	}
	for _, w := range a.Warnings {
		text := w.Message()
		if w == stats.WarnUntrimmed {
			text = "fewer than 10 scores: none is dropped"
		}
		warn("%s", text)
	}
	return list
}

// ScoreSettings choose the scores that decide in a lineage, and the tasks that never do.
type ScoreSettings struct {
	ScoreFrom    *evolution.ScoreSource // nil for as before
	ScoreTimes   *float64               // nil for as before, or as the kind of score says
	Holdout      []string               // tasks that are added
	HoldoutShare *float64               // nil for as before
	NoHoldout    bool                   // no task is held out, but for those given here
}

func (s *ScoreSettings) params() param.List {
	return param.List{
		{Name: "score-from", Unit: "KIND", Help: "decide by this `KIND` of score: rubric, own, truth:NAME, component:NAME, judge:MODEL@HASH, or active",
			Value: param.Parsed(&s.ScoreFrom, parseScoreSource, scoreSourceText)},
		{Name: "score-times", Unit: "FACTOR", Help: "multiply truths or components by this `FACTOR`; on a scale of 0 to 100, 100 if not given", Value: param.OptionalFloat(&s.ScoreTimes)},
		{Name: "holdout", Unit: "TASK", Help: "never decide by this `TASK`, and report it apart; repeat it for several", Value: param.Texts(&s.Holdout)},
		{Name: "holdout-share", Unit: "SHARE", Help: "never decide by this `SHARE` of the tasks, which the hashes of their names choose", Value: param.OptionalFloat(&s.HoldoutShare)},
		{Name: "no-holdout", Help: "let all tasks decide that are not given here", Value: param.Switch(&s.NoHoldout)},
	}
}

func parseScoreSource(text string) (*evolution.ScoreSource, error) {
	source, err := evolution.ParseScoreSource(text)
	return &source, err
}

func scoreSourceText(s *evolution.ScoreSource) string {
	switch {
	case s == nil:
		return ""
	case *s == "":
		return "active"
	}
	return string(*s)
}

// isGiven reports whether something is to be changed.
func (s ScoreSettings) isGiven() bool {
	return s.ScoreFrom != nil || s.ScoreTimes != nil || len(s.Holdout) > 0 || s.HoldoutShare != nil || s.NoHoldout
}

// Change makes the changes in settings.
func (s ScoreSettings) Change(settings *evolution.Settings) {
	if s.ScoreFrom != nil && *s.ScoreFrom != settings.ScoreFrom {
		settings.ScoreFrom, settings.ScoreTimes = *s.ScoreFrom, nil
	}
	if s.ScoreTimes != nil {
		settings.ScoreTimes = s.ScoreTimes
	}
	if s.NoHoldout {
		settings.Holdout = nil
	}
	if len(s.Holdout) > 0 || s.HoldoutShare != nil {
		settings.Holdout = settings.Holdout.With(s.Holdout...)
	}
	if s.HoldoutShare != nil {
		settings.Holdout.Share = *s.HoldoutShare
	}
	if h := settings.Holdout; h != nil && len(h.Tasks) == 0 && h.Share == 0 {
		settings.Holdout = nil
	}
}

// scoreSettingRows returns which scores decide, as rows of settings.
func scoreSettingRows(s evolution.Settings) (rows [][]any) {
	from := string(s.ScoreFrom)
	if from == "" {
		from = "the active one"
	}
	if times := s.Times(); times != 1 {
		from += fmt.Sprintf(", times %v", times)
	}
	rows = append(rows, []any{"score_from", from})
	if s.Holdout != nil {
		rows = append(rows, []any{"holdout", holdoutText(*s.Holdout)})
	}
	return rows
}

func holdoutText(h evolution.Holdout) string {
	var parts []string
	if len(h.Tasks) > 0 {
		parts = append(parts, strings.Join(h.Tasks, ", "))
	}
	if h.Share > 0 {
		parts = append(parts, format.Percent(h.Share)+" of the tasks, by the hashes of their names")
	}
	return strings.Join(parts, "; ")
}
