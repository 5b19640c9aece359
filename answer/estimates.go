package answer

import (
	"fmt"
	"math"
	"slices"

	"track/scoring/format"
	"track/scoring/stats"
	"track/scoring/verdict"
)

// EstimateRow is an aggregate of the seeds of a configuration with what a reader needs in order to trust it.
type EstimateRow struct {
	Name     string
	Exact    float64 // NaN if there is none
	Value    string  // Exact for people; empty if there is none
	Lo, Hi   float64 // NaN if there is no interval
	Interval string  // Lo and Hi for people; empty if there is no interval
	N        int
	Method   string
}

// EstimateRows returns the aggregates of a configuration: pass rate, mean, standard deviation and combined score. The
// combined score has no interval for people: the box of its factors is too wide to say anything.
func EstimateRows(e verdict.Estimates) []EstimateRow {
	rate := newEstimateRow("pass rate", e.PassRate, format.Share, "; "+format.CountedOf(e.NPassed, e.NSeeds, "seed")+" passed")
	scores := []EstimateRow{newEstimateRow("score", e.Score, format.Four, "")}
	if e.NScored < e.NSeeds {
		scores = []EstimateRow{newEstimateRow("score", e.Score, format.Four, "; failed seeds count as 0"), newEstimateRow("score of seeds that ran", e.OfRan, format.Four, "")}
	}
	sd := newEstimateRow("sd of scores", e.SD, format.Four, "; sample sd")
	combined := newEstimateRow("combined", e.Combined, format.Four, "")
	combined.dropInterval("mean × pass rate × (1 − population sd)")
	return slices.Concat([]EstimateRow{rate}, scores, []EstimateRow{sd, combined})
}

func newEstimateRow(name string, e verdict.Estimate, text func(float64) string, note string) EstimateRow {
	r := EstimateRow{
		Name: name, Exact: e.Value, Lo: e.Interval.Lo, Hi: e.Interval.Hi, Interval: format.Interval(e.Interval, text), N: e.N,
		Method: intervalMethod(e) + note,
	}
	if e.N == 0 {
		r.Exact = math.NaN()
	}
	if !math.IsNaN(r.Exact) {
		r.Value = text(r.Exact)
	}
	return r
}

func (r *EstimateRow) dropInterval(method string) {
	r.Lo, r.Hi, r.Interval, r.Method = math.NaN(), math.NaN(), "", method
}

// intervalMethod says how the interval of an estimate was made, what it assumes, and whether it was cut.
func intervalMethod(e verdict.Estimate) string {
	text := methodText(e.Interval.Method)
	if !e.Interval.Defined() {
		return text
	}
	if condition := e.Assumption.Condition(); condition != "" {
		text += ", if " + condition
	}
	if e.Interval.Cut {
		text += "; cut to what is possible"
	}
	return text
}

// methodText is the name of a method for people.
func methodText(method string) string {
	switch method {
	case stats.MethodMarkov, stats.MethodRange:
		return format.Method(method) + ": too few or equal scores"
	}
	return format.Method(method)
}

// beyond says that an interval leaves what is possible, from lo to 1; empty if it does not.
func beyond(i stats.Interval, lo float64, what string) string {
	if !i.Defined() || lo <= i.Lo && i.Hi <= 1 {
		return ""
	}
	return fmt.Sprintf(", extends beyond %v to 1, the range of a %s", lo, what)
}

// estimatesTable shows the aggregates of a configuration, each with its interval, n and method.
func estimatesTable(e verdict.Estimates) Table {
	t := Table{Name: "estimates", Columns: Columns{
		{Name: "name", Head: " "}, {Name: "estimate"}, {Name: "lo", For: ForData}, {Name: "hi", For: ForData},
		{Name: "interval", Head: format.Confidence(e.Score.Interval.Confidence) + " interval", For: ForPeople}, {Name: "n"}, {Name: "method", For: ForData},
	}}
	for _, r := range EstimateRows(e) {
		var value, interval any
		if r.Value != "" {
			value = Cell{r.Value, r.Exact}
		}
		if r.Interval != "" {
			interval = r.Interval
		}
		t.Rows = append(t.Rows, []any{r.Name, value, defined(r.Lo), defined(r.Hi), interval, r.N, r.Method})
		t.Notes = append(t.Notes, Sentence{Kind: Note, Text: r.Name + ": " + r.Method, Joined: true})
	}
	return t
}

// warningNotes returns the warnings as numbered notes of a table.
func warningNotes(list []verdict.Warning) []Sentence {
	var notes []Sentence
	for i, w := range list {
		notes = append(notes, Sentence{Kind: Warning, Text: fmt.Sprintf("[%d] %s", i+1, w.Message)})
	}
	return notes
}

// leadOf returns the sentences of a verdict.
func leadOf(f verdict.Finding, text string) []Sentence {
	lead := []Sentence{{Kind: Verdict, Text: text, Verdict: f.Verdict}}
	for _, reason := range f.Reasons {
		lead = append(lead, Sentence{Kind: Reason, Text: reason})
	}
	for _, need := range f.Needs {
		lead = append(lead, Sentence{Kind: Need, Text: need})
	}
	return lead
}
