package rubric

import "math"

// Grade is a band of scores.
type Grade string

// The grades, from best to worst.
const (
	gradeAPlus Grade = "A+" // 90 to 100
	gradeA     Grade = "A"  // 80 to below 90
	gradeB     Grade = "B"  // 70 to below 80
	gradeC     Grade = "C"  // 60 to below 70
	gradeD     Grade = "D"  // 50 to below 60
	gradeF     Grade = "F"  // below 50
	noGrade    Grade = ""   // of what has no score
)

// GradeOf returns the band of a score from 0 to 100; [noGrade] for NaN.
func GradeOf(score float64) Grade {
	switch {
	case math.IsNaN(score):
		return noGrade
	case score >= 90:
		return gradeAPlus
	case score >= 80:
		return gradeA
	case score >= 70:
		return gradeB
	case score >= 60:
		return gradeC
	case score >= 50:
		return gradeD
	}
	return gradeF
}

// Action is what a grade calls for.
func (g Grade) Action() string {
	switch g {
	case gradeAPlus:
		return "rare mutation needed"
	case gradeA:
		return "minor improvements"
	case gradeB:
		return "room for improvement"
	case gradeC:
		return "mutation recommended"
	case gradeD:
		return "mutation required"
	case gradeF:
		return "consider rollback"
	}
	return "no score, no action"
}
