package answer

import (
	"fmt"
	"iter"
	"slices"
	"strings"
	"time"

	"track"
	"track/answer/param"
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
