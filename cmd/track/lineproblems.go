package main

import (
	"fmt"

	"track"
	"track/reports/escape"
	"track/scoring/format"
	"track/tracker/exchange"
)

// problemsNamed is how many problems of a source people are told of.
const problemsNamed = 50

// lineProblems tells people of the first problems in the lines of a source, and counts the others.
type lineProblems struct {
	*program
	source string // empty if it is clear
	named  int
	others int
}

// add takes a problem of a batch. One that repeats an earlier one is not told again.
func (l *lineProblems) add(problem exchange.BatchProblem) {
	if problem.Repeated {
		l.others++
		return
	}
	l.tell(&track.FieldError{File: l.source, Line: problem.Line, Field: problem.Field, Message: problem.Message, Hint: problem.Hint})
}

func (l *lineProblems) tell(problem *track.FieldError) {
	if l.named == problemsNamed {
		l.others++
		return
	}
	l.named++
	l.tellFailure(problem)
}

// end says how many problems were not told.
func (l *lineProblems) end() {
	if l.others == 0 {
		return
	}
	text := fmt.Sprintf("and %s; --format json names them", format.Counted(l.others, "more problem"))
	if l.source != "" {
		text = l.source + ": " + text
	}
	fmt.Fprintln(l.err, escape.Line(text))
}
