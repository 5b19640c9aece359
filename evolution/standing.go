package evolution

import (
	"errors"
	"maps"
	"slices"
)

// Standing is a version with its fitness.
type Standing struct {
	Version string   `json:"version"`
	Number  int      `json:"number"` // in the order of creation
	Score   *float64 `json:"score"`  // its fitness; nil if no trial counts
	// Against compares it with the active version; nil if they were tried on different tasks. Versions are ranked by
	// it, since a fitness over other tasks says little: see [Compare].
	Against *Comparison `json:"against"`
}

// Comparison compares two versions. Scores are in points, of which more are better.
type Comparison struct {
	Score float64 `json:"score"` // mean over the tasks or seeds that both were tried on
	Other float64 `json:"other"` // of the other version, on the same ones
	Tasks int     `json:"tasks"` // how many; 0 if one version has no trial on a task: then the two fitnesses are compared
}

// Gain is how much better the version is than the other one.
func (c Comparison) Gain() float64 { return round9(c.Score - c.Other) }

// Compare compares two versions, from all their trials, on the tasks or seeds that both were tried on, each with the
// same weight. Nil is returned if they have none in common, or one has no trial.
func Compare(trials, other []Trial, scale *Scale, failures FailureRule) (*Comparison, error) {
	s, err := newSides(Evidence{Child: trials, Parent: other, Scale: scale, Failures: failures})
	if errors.Is(err, ErrMixedScores) {
		return nil, nil
	}
	if err != nil || len(s.child.trials) == 0 || len(s.parent.trials) == 0 {
		return nil, err
	}
	own, others := TaskMeans(s.child.trials), TaskMeans(s.parent.trials)
	if len(own) == 0 || len(others) == 0 {
		return compareFitness(s)
	}
	c := Comparison{}
	for _, task := range slices.Sorted(maps.Keys(own)) {
		if mean, both := others[task]; both {
			c.Score, c.Other, c.Tasks = c.Score+own[task].Mean(), c.Other+mean.Mean(), c.Tasks+1
		}
	}
	if c.Tasks == 0 {
		return nil, nil
	}
	c.Score, c.Other = round9(c.Score/float64(c.Tasks)), round9(c.Other/float64(c.Tasks))
	return &c, nil
}

// compareFitness compares versions that were not tried on tasks.
func compareFitness(s sides) (*Comparison, error) {
	own, err := fitness(s.child.trials, false)
	if err != nil {
		return nil, err
	}
	other, err := fitness(s.parent.trials, false)
	return &Comparison{Score: own.Value, Other: other.Value}, err
}

// Best returns the best version, the oldest of equal ones: by what they gain over the active version, or by fitness if
// the active one has no trial. ok is false if none can be compared.
func Best(list []Standing) (best Standing, ok bool) {
	value := func(s Standing) *float64 { return s.Score }
	if slices.ContainsFunc(list, func(s Standing) bool { return s.Against != nil }) {
		value = func(s Standing) *float64 {
			if s.Against == nil {
				return nil
			}
			gain := s.Against.Gain()
			return &gain
		}
	}
	var most float64
	for _, s := range list {
		v := value(s)
		if v == nil || *v != *v {
			continue
		}
		if !ok || *v > most || *v == most && s.Number < best.Number {
			best, most, ok = s, *v, true
		}
	}
	return best, ok
}
