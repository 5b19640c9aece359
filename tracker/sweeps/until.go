package sweeps

import (
	"fmt"
	"iter"
	"math"
	"slices"
	"strconv"
	"strings"

	"track"
	"track/answer"
	"track/scoring"
	"track/scoring/format"
	"track/scoring/stats"
	"track/store"
)

// StopRule ends a configuration of a sweep before all planned seeds have run. It looks at the first n planned seeds in
// their order, never at those that happened to end first, and at numbers n that are fixed beforehand: so it ends at the
// same seed however many run at a time.
type StopRule struct {
	Precision *Precision       // nil if it ends when something is decided
	Baseline  *answer.Selector // the comparison with it is to be decided; nil for the gate
	Rules     scoring.GateRules
	Looks     []int // numbers of seeds to look at, by a plan; none for looks at any time
}

// Precision is how exact an estimate has to be.
type Precision struct {
	Of   string // one of the Precision constants
	Less float64
}

// What can be asked to be exact.
const (
	precisionSE        = "se"         // standard error of the mean total score
	precisionWidth     = "width"      // of its 95% t interval
	precisionPassWidth = "pass_width" // of the 95% Wilson interval of the pass rate
)

// minPrecise is the number of seeds from which an estimate of precision is worth something.
const minPrecise = 10

// parsePrecision reads se<0.01, width<0.05 or pass_width<0.1.
func parsePrecision(s string) (*Precision, error) {
	name, number, found := strings.Cut(s, "<")
	name = strings.TrimSpace(name)
	less, err := strconv.ParseFloat(strings.TrimSpace(number), 64)
	if !found || err != nil || !(less > 0 && less < math.Inf(1)) || !slices.Contains([]string{precisionSE, precisionWidth, precisionPassWidth}, name) {
		return nil, fmt.Errorf("%q is no rule: %s<0.01 is one for the standard error of the score, %s<0.05 for the width of its 95%% interval, and %s<0.1 for that of the pass rate",
			s, precisionSE, precisionWidth, precisionPassWidth)
	}
	return &Precision{name, less}, nil
}

// looks are the numbers of seeds after from and up to to at which the rule looks.
func (r *StopRule) looks(from, to int) iter.Seq[int] {
	if len(r.Looks) > 0 {
		return func(yield func(int) bool) {
			for _, n := range r.Looks {
				if from < n && n <= to && !yield(n) {
					return
				}
			}
		}
	}
	n := 5
	if r.Precision != nil {
		n = minPrecise
	}
	return func(yield func(int) bool) {
		for ; n <= to; n += max(1, n/20) { // where there are many seeds, one more tells little
			if n > from && !yield(n) {
				return
			}
		}
	}
}

// reached reports whether the estimate is precise enough. A seed without a score counts as 0 and as not passed: the
// survivors alone would look more precise than the sweep is. A spread of 0 says nothing about precision.
func (p *Precision) reached(rows []store.Seed, d *answer.SweepDecision) (bool, error) {
	rows = store.Distinct(rows)
	if len(rows) < 2 {
		d.Reason = fmt.Sprintf("%s is unknown: %s", p.Of, format.Counted(len(rows), "distinct seed"))
		return false, nil
	}
	scores := make([]float64, len(rows))
	passed, failed := 0, 0
	for i, row := range rows {
		switch {
		case math.IsNaN(row.TotalScore):
			failed++
			continue
		case row.NFail == 0:
			passed++
		}
		scores[i] = row.TotalScore
	}
	var got float64
	switch p.Of {
	case precisionPassWidth:
		rate, err := stats.Wilson(passed, len(rows), scoring.DefaultConfidence)
		if err != nil {
			return false, err
		}
		got = rate.Interval.Hi - rate.Interval.Lo
	default:
		interval, err := stats.TInterval(scores, scoring.DefaultConfidence)
		if err != nil || !interval.Defined() || interval.Hi == interval.Lo {
			d.Reason = fmt.Sprintf("%s is unknown: the scores of %s are equal", p.Of, format.Counted(len(rows), "seed"))
			return false, err
		}
		if got = interval.Hi - interval.Lo; p.Of == precisionSE {
			got = standardError(scores)
		}
	}
	d.Reason = p.reason(got, len(rows), failed)
	return got < p.Less, nil
}

// soFar says what the rule saw when it looked last, at the first of the planned seeds; empty if it did not look yet.
func (p *Precision) soFar(rows []store.Seed, planned track.SeedRanges) (string, error) {
	byNumber := make(map[track.SeedNumber]store.Seed, len(rows))
	for _, row := range rows {
		byNumber[row.Number] = row
	}
	var first []store.Seed
	for number := range planned.All() {
		row, isRecorded := byNumber[number]
		if !isRecorded {
			break
		}
		first = append(first, row)
	}
	var d answer.SweepDecision
	rule, last := StopRule{Precision: p}, 0
	for n := range rule.looks(0, len(first)) {
		last = n
	}
	if last == 0 {
		return "", nil
	}
	_, err := p.reached(first[:last], &d)
	return d.Reason, err
}

func (p *Precision) reason(got float64, seeds, failed int) string {
	relation := "less"
	if got >= p.Less {
		relation = "not less"
	}
	text := fmt.Sprintf("%s is %.3g, %s than %v, from %s", p.Of, got, relation, p.Less, format.Counted(seeds, "seed"))
	if failed > 0 {
		text += fmt.Sprintf(", %d of them failed and counted as 0", failed)
	}
	return text
}

func standardError(xs []float64) float64 {
	mean, sum := 0.0, 0.0
	for _, x := range xs {
		mean += x / float64(len(xs))
	}
	for _, x := range xs {
		sum += (x - mean) * (x - mean)
	}
	n := float64(len(xs))
	return math.Sqrt(sum / (n - 1) / n)
}
