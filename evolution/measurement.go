package evolution

import (
	"errors"
	"fmt"
	"slices"
)

// Measurement is a run of both sides on all tasks, side by side, after the policy has accepted the child and before it
// becomes active. It takes no part in the decision, so that the gain that it measures is not chosen for being large.
type Measurement struct {
	Tasks  []string `json:"tasks"`   // to be run once on each side, in this order
	Held   []string `json:"holdout"` // those of them that never decide, in this order
	Child  []Trial  `json:"child"`
	Parent []Trial  `json:"parent"`
}

// Gain is how much better the child is than its parent, as measured after the decision. A nil Interval says that the
// differences do not vary, or that there are fewer than two.
type Gain struct {
	Mean         float64   `json:"mean_over_tasks"` // points per task
	Interval     *Interval `json:"interval"`
	N            int       `json:"n"` // tasks
	FailedChild  int       `json:"failed_child"`
	FailedParent int       `json:"failed_parent"`
}

// Measured is what a [Measurement] found.
type Measured struct {
	Gain    Gain  `json:"gain"`    // on the tasks that decide
	Holdout *Gain `json:"holdout"` // on those that never decide; nil without any
	// Shortfall is an interval of how much smaller the gain on the holdout tasks is; nil if it is unknown.
	Shortfall *Interval `json:"shortfall"`
}

// Overfits reports whether the gain on the holdout tasks is shown to be smaller than on the others.
func (m *Measured) Overfits() bool { return m != nil && m.Shortfall.IsAbove() }

// Missing returns the tasks that are still to be run for the child and for the parent.
func (m *Measurement) Missing() (child, parent []string) {
	return missingTasks(m.Tasks, m.Child), missingTasks(m.Tasks, m.Parent)
}

func missingTasks(tasks []string, trials []Trial) []string {
	missing := []string{}
	for _, task := range tasks {
		if !slices.ContainsFunc(trials, func(t Trial) bool { return t.Key == task }) {
			missing = append(missing, task)
		}
	}
	return missing
}

func (m *Measurement) sorted() *Measurement {
	if m == nil {
		return nil
	}
	return &Measurement{Tasks: m.Tasks, Held: m.Held, Child: sortedTrials(m.Child), Parent: sortedTrials(m.Parent)}
}

func (m *Measurement) validate() error {
	seen := map[string]bool{}
	for _, task := range m.Tasks {
		if task == "" || seen[task] {
			return fmt.Errorf("%w: measurement: task %q is empty or duplicated", ErrEvidence, task)
		}
		seen[task] = true
	}
	for _, task := range m.Held {
		if !seen[task] {
			return fmt.Errorf("%w: measurement: holdout task %q is not among the tasks", ErrEvidence, task)
		}
	}
	if len(m.Tasks) == len(m.Held) {
		return fmt.Errorf("%w: measurement: no task decides", ErrEvidence)
	}
	return nil
}

// measureGain compares both sides on all tasks. The trials have scores: failures count as the worst one.
func measureGain(m *Measurement, child, parent []Trial) (*Measured, error) {
	split := func(trials []Trial) (deciding, held []Trial) {
		for _, t := range trials {
			if slices.Contains(m.Held, t.Key) {
				held = append(held, t)
			} else {
				deciding = append(deciding, t)
			}
		}
		return deciding, held
	}
	childDeciding, childHeld := split(child)
	parentDeciding, parentHeld := split(parent)
	deciding, held := pairUp(childDeciding, parentDeciding), pairUp(childHeld, parentHeld)
	if deciding.n() == 0 {
		return nil, errors.New("no task was measured on both sides")
	}
	measured := &Measured{Gain: deciding.gain()}
	if held.n() > 0 {
		gain := held.gain()
		measured.Holdout = &gain
		measured.Shortfall = shortfall(measured.Gain.Mean-gain.Mean, deciding.spread(), held.spread())
	}
	return measured, nil
}

func (p pairing) gain() Gain {
	s := newSample(scores(p.child), scores(p.parent))
	g := Gain{Mean: s.mean, Interval: pairedInterval(s, 0), N: s.n}
	for i := range p.child {
		if p.child[i].Failed != "" {
			g.FailedChild++
		}
		if p.parent[i].Failed != "" {
			g.FailedParent++
		}
	}
	return g
}

// shortfall returns Welch's interval of the difference of two gains. Gains that do not vary at all differ by exactly
// that: the evaluator has no noise.
func shortfall(difference float64, deciding, held spread) *Interval {
	if min(deciding.n, held.n) > 1 && deciding.sd == 0 && held.sd == 0 {
		return &Interval{Lo: difference, Hi: difference, Confidence: Confidence, Method: "no variance", Estimate: difference, N: deciding.n + held.n}
	}
	return welchInterval(difference, deciding, held)
}

// spread describes the variance of the mean of the differences.
func (p pairing) spread() spread {
	s := newSample(scores(p.child), scores(p.parent))
	return spread{sd: s.sd, counted: float64(s.n), n: s.n}
}
