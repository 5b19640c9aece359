package evolution

import (
	"fmt"
	"math"
	"strings"
)

// Scale says that scores are not from 0 to 100, but any numbers. A nil *Scale is that of a rubric, from 0 to 100.
type Scale struct {
	Minimize bool `json:"minimize"` // less is better
	// Points is how many points of a rubric one unit of score counts as. The parameters of most policies are points; if
	// it is 0, only a policy without them decides.
	Points float64 `json:"points"`
}

func (s *Scale) validate() error {
	if s != nil && !(s.Points >= 0 && s.Points <= math.MaxFloat64) {
		return fmt.Errorf("points: %v is not a number above 0", s.Points)
	}
	return nil
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
	switch {
	case s == nil && !(score >= 0 && score <= 100): // NaN too
		return fmt.Errorf("score: %v is not between 0 and 100", score)
	case finite(s.Gain(score)) == nil:
		return fmt.Errorf("score: %v is not a finite number", score)
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
	case Threshold, Bands:
		return []string{"significant", "marginal", "explore"}
	case Strict:
		if p.Eps == 0 {
			return nil
		}
		return []string{"eps"}
	case POI, Confirm:
		return []string{"tau"}
	case SPRT:
		return []string{"d0", "d1"}
	case CS:
		return []string{"margin"}
	case Anneal:
		return []string{"t0"}
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
