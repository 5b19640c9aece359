package exchange

import (
	"fmt"
	"strings"

	"track"
	"track/evolution"
	"track/scoring/format"
)

// settings returns those of a lineage that is new. Unless the caller says what makes scores 0 to 100, they are taken as
// they are.
func (w *programsWriter) settings() evolution.Settings {
	s := evolution.DefaultSettings()
	if w.options.Scale == nil {
		scale := evolution.Scale{}
		if w.options.unit {
			lo, hi := 0.0, 1.0
			scale = evolution.Scale{Lo: &lo, Hi: &hi, Points: 100}
		}
		scale.Minimize = w.options.Minimize
		s = s.WithScale(scale)
	}
	return s
}

// score returns a score of the source as it is recorded.
func (w *programsWriter) score(score float64) float64 {
	if w.options.Scale != nil {
		score *= *w.options.Scale
	}
	return score
}

// checkScores returns an error that names the scores that the lineage cannot have.
func (w *programsWriter) checkScores() error {
	const named = 20
	if w.Settings.Scale != nil {
		return nil
	}
	var offenders []string
	n, scored := 0, 0
	check := func(file string, line int, what string, score *float64) {
		if score == nil {
			return
		}
		scored++
		if value := w.score(*score); value >= 0 && value <= 100 {
			return
		}
		if n++; n <= named {
			where := &track.FieldError{File: file, Line: line, Field: what, Message: fmt.Sprint(*score)}
			offenders = append(offenders, where.Error())
		}
	}
	for _, p := range w.run.Programs {
		check(p.File, p.Line, "score of "+p.ID, p.Score)
		for _, t := range p.Trials {
			check(p.File, p.Line, "score of "+p.ID+" on "+t.Task, t.Score)
		}
	}
	if n == 0 {
		return nil
	}
	if more := n - len(offenders); more > 0 {
		offenders = append(offenders, fmt.Sprintf("and %d more", more))
	}
	times := ""
	if w.options.Scale != nil {
		times = fmt.Sprintf(" times %v", *w.options.Scale)
	}
	err := fmt.Errorf("%w: %d of %s%s not from 0 to 100: %s", track.ErrInvalid, n, format.Counted(scored, "score"), times, strings.Join(offenders, "; "))
	if w.options.Scale != nil {
		return track.WithHint(err, track.Hint{Text: "take scores as they are: leave the scale out, or name the number that makes all of them 0 to 100", Args: []track.HintArg{{Name: "scale", Value: "NUMBER"}}})
	}
	return track.WithHint(err, track.NewHint("let the scores of this lineage be any numbers", "lineage set", w.Name, "scale=unbounded"))
}
