package rubric

import "math"

// Grade is a band of scores.
type Grade string

// The grades, from best to worst.
const (
	GradeAPlus Grade = "A+" // 90 to 100
	GradeA     Grade = "A"  // 80 to below 90
	GradeB     Grade = "B"  // 70 to below 80
	GradeC     Grade = "C"  // 60 to below 70
	GradeD     Grade = "D"  // 50 to below 60
	GradeF     Grade = "F"  // below 50
	NoGrade    Grade = ""   // of what has no score
)

// GradeOf returns the band of a score from 0 to 100; [NoGrade] for NaN.
func GradeOf(score float64) Grade {
	switch {
	case math.IsNaN(score):
		return NoGrade
	case score >= 90:
		return GradeAPlus
	case score >= 80:
		return GradeA
	case score >= 70:
		return GradeB
	case score >= 60:
		return GradeC
	case score >= 50:
		return GradeD
	}
	return GradeF
}

// Action is what a grade calls for.
func (g Grade) Action() string {
	switch g {
	case GradeAPlus:
		return "rare mutation needed"
	case GradeA:
		return "minor improvements"
	case GradeB:
		return "room for improvement"
	case GradeC:
		return "mutation recommended"
	case GradeD:
		return "mutation required"
	case GradeF:
		return "consider rollback"
	}
	return "no score, no action"
}
