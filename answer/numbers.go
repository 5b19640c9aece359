package answer

import (
	"fmt"
	"slices"

	"track/evolution"
	"track/scoring/format"
)

// Numbers writes the scores of a lineage, which are as they were recorded, and its gains: differences of scores,
// intervals and standard deviations of them, all in points, of which more are better (see [evolution.Scale.Gain]).
type Numbers struct{ Scale *evolution.Scale }

// Score writes a number of the scale: with two decimals on the scale of a rubric, else with what is significant.
func (n Numbers) Score(x float64) string {
	if n.Scale == nil {
		return format.Fixed(x, 2)
	}
	return format.Significant(x)
}

// Gain writes a gain with its sign.
func (n Numbers) Gain(points float64) string { return format.WithSign(n.Score)(points) }

// gainWithUnit writes a gain with its sign and its unit.
func (n Numbers) gainWithUnit(points float64) string {
	if n.hasPoints() {
		return n.Gain(points) + " points"
	}
	return n.Gain(points)
}

// hasPoints reports whether a point is something else than one unit of score.
func (n Numbers) hasPoints() bool {
	return n.Scale != nil && n.Scale.Points != 0 && n.Scale.Points != 1
}

// Units says which unit and direction scores and gains have; empty on the scale of a rubric, where both are points and
// more is better.
func (n Numbers) Units() string {
	if n.Scale == nil {
		return ""
	}
	return n.scoreUnit() + " " + n.gainUnit()
}

func (n Numbers) scoreUnit() string {
	if n.Scale.Minimize {
		return "Scores are as recorded, and less is better."
	}
	return "Scores are as recorded, and more is better."
}

func (n Numbers) gainUnit() string {
	text := "Differences, their intervals and standard deviations are in units of score"
	if n.hasPoints() {
		text = fmt.Sprintf("Differences, their intervals and standard deviations are in points: one unit of score is %v points", n.Scale.Points)
	}
	if n.Scale.Minimize {
		return text + ". A difference above 0 is an improvement."
	}
	return text + "."
}

// notes returns the notes of a table, and after them the units of its numbers, if they are not those of a rubric.
func (n Numbers) notes(notes []Sentence, unit func(Numbers) string) []Sentence {
	if n.Scale == nil {
		return notes
	}
	return append(slices.Clip(notes), Sentence{Kind: Note, Text: unit(n)})
}

// gainCell returns a cell with a gain; nothing if there is none.
func (n Numbers) gainCell(x *float64) any { return optionalCell(x, n.Gain) }
