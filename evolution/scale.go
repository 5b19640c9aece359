package evolution

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
)

// Scale says that scores are not from 0 to 100. A nil *Scale is that of a rubric, from 0 to 100.
type Scale struct {
	Lo       *float64 `json:"lo,omitempty"` // the lowest score; nil, with Hi, if scores may be any numbers
	Hi       *float64 `json:"hi,omitempty"` // the highest score
	Minimize bool     `json:"minimize"`     // less is better
	// Points is how many points of a rubric one unit of score counts as. The parameters of most policies are points; if
	// it is 0, only a policy without them decides.
	Points float64 `json:"points"`
}

// BoundedScale returns the scale of scores from lo to hi, on which the whole range is 100 points.
func BoundedScale(lo, hi float64) (*Scale, error) {
	s := &Scale{Lo: &lo, Hi: &hi, Points: 100 / (hi - lo)}
	return s, s.validate()
}

func (s *Scale) validate() error {
	switch {
	case s == nil:
		return nil
	case !(s.Points >= 0 && s.Points <= math.MaxFloat64):
		return fmt.Errorf("points: %v is not a number above 0", s.Points)
	case (s.Lo == nil) != (s.Hi == nil):
		return errors.New("scale: has one end: give both or none")
	case s.Lo != nil && !(*s.Hi > *s.Lo && *s.Hi-*s.Lo <= math.MaxFloat64):
		return fmt.Errorf("scale: from %v to %v is no range", *s.Lo, *s.Hi)
	}
	return nil
}

// Ends returns the lowest and the highest score; ok is false if scores may be any numbers.
func (s *Scale) Ends() (lo, hi float64, ok bool) {
	switch {
	case s == nil:
		return 0, 100, true
	case s.Lo == nil || s.Hi == nil:
		return 0, 0, false
	}
	return *s.Lo, *s.Hi, true
}

// worst returns what a failed trial counts as, in points: the worst end of the scale. Without one it is as far below
// the worst of the scores as the best is above it, or as 0 is from it if that is further, so that a failure is never as
// good as a bad score.
func (s *Scale) worst(gains []float64) float64 {
	lo, hi, bounded := s.Ends()
	switch {
	case bounded && s != nil && s.Minimize:
		return s.Gain(hi)
	case bounded:
		return s.Gain(lo)
	case len(gains) == 0:
		return 0
	}
	least := slices.Min(gains)
	return least - max(slices.Max(gains)-least, math.Abs(least))
}

// factor is what a score is multiplied by before it is judged.
func (s *Scale) factor() float64 {
	if s == nil {
		return 1
	}
	factor := s.Points
	if factor == 0 {
		factor = 1
	}
	if s.Minimize {
		return -factor
	}
	return factor
}

// Gain returns a score in points, of which more are better.
func (s *Scale) Gain(score float64) float64 { return float64(score * s.factor()) }

// Score returns the score of a number of points: the reverse of [Scale.Gain].
func (s *Scale) Score(gain float64) float64 { return gain / s.factor() }

// check reports why a value cannot be a score.
func (s *Scale) check(score float64) error {
	lo, hi, bounded := s.Ends()
	switch {
	case bounded && !(score >= lo && score <= hi): // NaN too
		return fmt.Errorf("score: %v is not between %v and %v", score, lo, hi)
	case finite(s.Gain(score)) == nil:
		return fmt.Errorf("score: %v is not a finite number", score)
	}
	return nil
}

// ErrUnitScores is wrapped if no score is above 1 on a scale from 0 to 100.
var ErrUnitScores = errors.New("no score is above 1, and the scale is 0 to 100")

// checkRange refuses scores that are all from 0 to 1 on a scale of 0 to 100: a fall from 0.9 to 0.2 would count as less
// than a point. Scores that are all 0 are as they are.
func (s *Scale) checkRange(scores []float64) error {
	if s != nil || len(scores) == 0 {
		return nil
	}
	if most := slices.Max(scores); most > 0 && most <= 1 {
		return fmt.Errorf("%w: %w", ErrEvidence, ErrUnitScores)
	}
	return nil
}

// PointsError is the error of a decision by a policy with parameters in points, on scores of another scale.
type PointsError struct {
	Policy string
	Params []string // that are points
}

func (e *PointsError) Error() string {
	return fmt.Sprintf("policy %s: %s in points of a rubric (0 to 100), and the scores have another scale: one unit is not said to be how many points",
		e.Policy, strings.Join(e.Params, ", "))
}

// CheckPoints returns a [PointsError] if the scale does not say what a point is, and the policy needs to know.
func (s *Scale) CheckPoints(p Policy) error {
	if s == nil || s.Points > 0 {
		return nil
	}
	if params := pointParams(p); len(params) > 0 {
		return &PointsError{p.Name(), params}
	}
	return nil
}

// pointParams returns the parameters of a policy that are differences of scores, in points.
func pointParams(p Policy) []string {
	switch p := p.(type) {
	case Threshold:
		return []string{"significant", "marginal", "explore"}
	case Greedy:
		if p.Eps == 0 {
			return nil
		}
		return []string{"eps"}
	case Confirm:
		return []string{"effect"}
	}
	return nil
}

// inScale returns a decision whose scores are in the units of the scale again. Differences stay points.
func (d Decision) inScale(s *Scale) Decision {
	if s == nil {
		return d
	}
	for _, value := range []**float64{&d.OldScore, &d.NewScore, &d.Fitness} {
		if *value != nil {
			score := round9(s.Score(**value))
			*value = &score
		}
	}
	for _, used := range [][]Use{d.UsedChild, d.UsedParent} {
		for i := range used {
			used[i].Score = s.Score(used[i].Score)
		}
	}
	return d
}
