package answer

import (
	"fmt"
	"iter"
	"strings"

	"track"
	"track/answer/param"
	"track/evolution"
	"track/scoring/format"
	"track/scoring/rubric"
	"track/scoring/stats"
)

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
