package rubric

import (
	"errors"
	"math"

	"track/scoring/stats"
)

// Trial is a scored execution of a task of which it is known whether it succeeded.
type Trial struct {
	Task       string // empty where it is not known
	Version    string // of the agent: trials of one task under different versions are not repetitions
	Success    bool
	Score      float64             // 0..100
	Components map[string]*float64 // 0..1; nil where not measured
}

// Separation says how well a score, or a component of it, separates successes from failures.
type Separation struct {
	Name     string    `json:"name"`
	NSuccess int       `json:"n_success"`    // successes that have the number
	NFailure int       `json:"n_failure"`    // failures that have it
	Success  float64   `json:"mean_success"` // mean of the number over successes; NaN if there are none
	Failure  float64   `json:"mean_failure"` // mean over failures; NaN if there are none
	AUC      stats.AUC `json:"auc"`          // its value is NaN unless both groups have the number
}

// Check says how well scores agree with a ground-truth label, and how noisy they are.
type Check struct {
	NTrials           int          `json:"n_trials"`
	NSuccess          int          `json:"n_success"`
	Separations       []Separation `json:"separations"`         // the score first, then the components in the order of the rubric
	NTasks            int          `json:"n_tasks"`             // tasks with at least two trials of one version, counted for each version
	NPairs            int          `json:"n_pairs"`             // pairs of trials of one task under one version
	WithinSD          float64      `json:"within_sd"`           // pooled standard deviation of the score within a task; NaN if no task has two trials
	BetweenSD         float64      `json:"between_sd"`          // standard deviation of the mean scores of those tasks; NaN below two
	MeanAbsDifference float64      `json:"mean_abs_difference"` // of two trials of one task; NaN if none has two
}

// CheckTruth compares scores with a ground-truth label: how well they and their components separate successes, and
// how much two trials of one task differ, which is noise.
func CheckTruth(r Rubric, trials []Trial, confidence float64) (Check, error) {
	c := Check{NTrials: len(trials)}
	for _, t := range trials {
		if t.Success {
			c.NSuccess++
		}
	}
	names := []string{"score"}
	for _, part := range r.Parts {
		names = append(names, part.Name)
	}
	for _, name := range names {
		s, err := separation(name, trials, confidence)
		if err != nil {
			return c, err
		}
		c.Separations = append(c.Separations, s)
	}
	c.addNoise(trials)
	return c, nil
}

func separation(name string, trials []Trial, confidence float64) (Separation, error) {
	s := Separation{Name: name, Success: math.NaN(), Failure: math.NaN()}
	var success, failure []float64
	for _, t := range trials {
		x := t.Score
		if name != "score" {
			value := t.Components[name]
			if value == nil {
				continue
			}
			x = *value
		}
		if t.Success {
			success = append(success, x)
		} else {
			failure = append(failure, x)
		}
	}
	s.NSuccess, s.NFailure = len(success), len(failure)
	if len(success) > 0 {
		s.Success = plainMean(success)
	}
	if len(failure) > 0 {
		s.Failure = plainMean(failure)
	}
	var err error
	s.AUC, err = stats.NewAUC(success, failure, confidence)
	if errors.Is(err, stats.ErrEmpty) {
		none := stats.Interval{Lo: math.NaN(), Hi: math.NaN(), Confidence: confidence, Method: stats.MethodDeLong}
		s.AUC, err = stats.AUC{NPositive: len(success), NNegative: len(failure), Value: math.NaN(), Interval: none}, nil
	}
	return s, err
}

// addNoise compares the trials of each task with each other.
func (c *Check) addNoise(trials []Trial) {
	c.WithinSD, c.BetweenSD, c.MeanAbsDifference = math.NaN(), math.NaN(), math.NaN()
	type group struct{ version, task string }
	byTask, order := map[group][]float64{}, []group{}
	for _, t := range trials {
		if t.Task == "" {
			continue
		}
		at := group{t.Version, t.Task}
		if _, known := byTask[at]; !known {
			order = append(order, at)
		}
		byTask[at] = append(byTask[at], t.Score)
	}
	squares, freedom, absolute := 0.0, 0, 0.0
	var means []float64
	for _, at := range order {
		scores := byTask[at]
		if len(scores) < 2 {
			continue
		}
		c.NTasks++
		mean := plainMean(scores)
		means = append(means, mean)
		for i, x := range scores {
			squares += float64((x - mean) * (x - mean))
			for _, y := range scores[i+1:] {
				absolute += math.Abs(x - y)
				c.NPairs++
			}
		}
		freedom += len(scores) - 1
	}
	if c.NTasks == 0 {
		return
	}
	c.WithinSD, c.MeanAbsDifference = math.Sqrt(squares/float64(freedom)), absolute/float64(c.NPairs)
	if sd, err := stats.NewSD(means, 0.95); err == nil {
		c.BetweenSD = sd.SD
	}
}

func plainMean(xs []float64) float64 {
	sum := 0.0
	for _, x := range xs {
		sum += x
	}
	return sum / float64(len(xs))
}
