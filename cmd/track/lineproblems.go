package main

import (
	"fmt"
	"slices"
	"strconv"

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
	told   []track.FieldError
	again  []int // how many later lines have the same problem, for each of these
	others int
}

// add takes a problem of a batch. One that repeats an earlier one with the same way out is counted with it.
func (l *lineProblems) add(problem exchange.BatchProblem) {
	if problem.Repeated {
		l.others++
		return
	}
	l.tell(&track.FieldError{File: l.source, Line: problem.Line, Field: problem.Field, Message: problem.Message, Hint: problem.Hint})
}

func (l *lineProblems) tell(problem *track.FieldError) {
	same := func(told track.FieldError) bool {
		return problem.Hint != nil && told.Field == problem.Field && told.Message == problem.Message
	}
	if i := slices.IndexFunc(l.told, same); i >= 0 {
		l.again[i]++
		return
	}
	if len(l.told) == problemsNamed {
		l.others++
		return
	}
	l.told, l.again = append(l.told, *problem), append(l.again, 0)
	l.tellFailure(problem)
}

// end says how many problems were not told.
func (l *lineProblems) end() {
	for i, n := range l.again {
		if n > 0 {
			l.summarize(format.Counted(n, "more line") + " with the problem of line " + strconv.Itoa(l.told[i].Line))
		}
	}
	if l.others > 0 {
		l.summarize(format.Counted(l.others, "more problem"))
	}
}

func (l *lineProblems) summarize(more string) {
	text := fmt.Sprintf("and %s; --format json names them", more)
	if l.source != "" {
		text = l.source + ": " + text
	}
	fmt.Fprintln(l.err, escape.Line(text))
}
