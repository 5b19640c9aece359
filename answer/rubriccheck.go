package answer

import (
	"fmt"
	"math"
	"slices"

	"track/answer/param"
	"track/scoring/format"
	"track/scoring/rubric"
	"track/scoring/stats"
)

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
