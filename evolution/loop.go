package evolution

import (
	"fmt"
	"time"
)

// LoopSettings say when a lineage mutates. They are versioned with the lineage.
type LoopSettings struct {
	Interval       int      `json:"interval"`           // executions from one consideration to the next
	MutationRate   float64  `json:"mutation_rate"`      // probability to mutate when it is considered, by a draw
	Keep           int      `json:"keep"`               // versions that stay active, see [Retain]
	MaxPerDay      int      `json:"max_per_day"`        // mutations in any 24 hours
	MaxHighPerDay  int      `json:"max_high_per_day"`   // of them, of high risk
	MinBetween     int      `json:"min_between"`        // executions from one mutation to the next
	Cooldown       int      `json:"cooldown"`           // executions after a rollback
	StableScores   int      `json:"stable_scores"`      // fewest scores that can be stable
	StableMean     float64  `json:"stable_mean"`        // stable above
	StableVariance float64  `json:"stable_variance"`    // stable below
	Frozen         bool     `json:"frozen"`             // by hand
	Forbidden      []string `json:"forbidden_patterns"` // of children, see [LoopSettings.CheckChild]
	MaxGrowth      float64  `json:"max_growth"`         // times the length of its parent that a child may have; 0 for any
	GrowthFloor    int      `json:"growth_floor"`       // characters that a child may have, whatever its parent has
	MaxLength      int      `json:"max_length"`         // characters that a child may have; 0 for any
}

// defaultLoopSettings returns the settings of a lineage that has none of its own.
func defaultLoopSettings() LoopSettings {
	return LoopSettings{
		Interval: 3, MutationRate: 0.8, Keep: 5, MaxPerDay: 10, MaxHighPerDay: 2, MinBetween: 3, Cooldown: 5,
		StableScores: 3, StableMean: 85, StableVariance: 5, Forbidden: defaultForbidden(), MaxGrowth: 2, GrowthFloor: 8000,
	}
}

// validate returns an error for the first setting outside its domain.
func (s LoopSettings) validate() error {
	for _, c := range []struct {
		name string
		ok   bool
		want string
	}{
		{"interval", s.Interval >= 1, "at least 1"},
		{"mutation_rate", s.MutationRate >= 0 && s.MutationRate <= 1, "from 0 to 1"},
		{"keep", s.Keep >= 1, "at least 1"},
		{"max_per_day", s.MaxPerDay >= 0, "at least 0"},
		{"max_high_per_day", s.MaxHighPerDay >= 0, "at least 0"},
		{"min_between", s.MinBetween >= 0, "at least 0"},
		{"cooldown", s.Cooldown >= 0, "at least 0"},
		{"stable_scores", s.StableScores >= 1, "at least 1"},
		{"stable_mean", finite(s.StableMean) != nil, "a number"},
		{"max_growth", s.MaxGrowth == 0 || s.MaxGrowth >= 1 && finite(s.MaxGrowth) != nil, "at least 1, or off"},
		{"growth_floor", s.GrowthFloor >= 0, "at least 0"},
		{"max_length", s.MaxLength >= 0, "at least 1, or off"},
		{"stable_variance", finite(s.StableVariance) != nil, "a number"},
	} {
		if !c.ok {
			return fmt.Errorf("loop settings: %s: want %s", c.name, c.want)
		}
	}
	_, err := compile(s.Forbidden)
	return err
}

// PastMutation is a mutation that was made, for the limits of a day.
type PastMutation struct {
	At   time.Time `json:"at"`
	Risk Risk      `json:"risk"`
}

// LoopState is where a lineage stands. Counts are of executions, -1 if the event they count from never happened.
type LoopState struct {
	SinceConsidered int            `json:"since_considered"`
	SinceMutation   int            `json:"since_mutation"`
	SinceRollback   int            `json:"since_rollback"`
	Scores          []float64      `json:"scores"` // of the active version, oldest first
	Mutations       []PastMutation `json:"mutations"`
}

// Hold is a reason not to mutate.
type Hold string

// The holds, in the order in which they are checked. [holdNone] allows the mutation.
const (
	holdNone     Hold = ""
	HoldFrozen   Hold = "frozen"
	HoldCooldown Hold = "cooldown" // after a rollback
	HoldStable   Hold = "stable"   // nothing to gain
	HoldInterval Hold = "interval" // not yet considered again
	HoldBetween  Hold = "min_between"
	HoldDay      Hold = "max_per_day"
	HoldRate     Hold = "rate" // considered, and the draw said no
)

// Permission says whether a lineage may mutate now.
type Permission struct {
	Mutate   bool   `json:"mutate"`
	Hold     Hold   `json:"hold,omitempty"`
	Reason   string `json:"reason"`
	NoHigh   bool   `json:"no_high"`   // operators of high risk have reached their limit: leave them out ([WithoutRisk])
	DrawUsed bool   `json:"draw_used"` // the lineage was considered: SinceConsidered starts again
	// Until is when a limit of the day lets the next mutation through; zero for other holds.
	Until time.Time `json:"until,omitzero"`
}

// Operators returns the permitted operators of a list: without those of high risk if these have reached their limit.
func (p Permission) Operators(list []Operator) []Operator {
	if p.NoHigh {
		return WithoutRisk(list, High)
	}
	return list
}

// MayMutate returns whether to mutate now, and why. The label of the draw is [LabelMutate]; mutate iff u <
// mutation_rate.
func (s LoopSettings) MayMutate(state LoopState, now time.Time, draw Draw) (Permission, error) {
	if err := s.validate(); err != nil {
		return Permission{}, err
	}
	if err := verifyLabel(draw, LabelMutate); err != nil {
		return Permission{}, err
	}
	if hold, reason := s.hold(state); hold != holdNone {
		return Permission{Hold: hold, Reason: reason}, nil
	}
	recent, high := lastDay(state.Mutations, now)
	if len(recent) >= s.MaxPerDay {
		p := Permission{Hold: HoldDay, Reason: fmt.Sprintf("%d of %d mutations in 24 hours", len(recent), s.MaxPerDay)}
		if s.MaxPerDay > 0 {
			p.Until = recent[len(recent)-s.MaxPerDay].Add(day)
		}
		return p, nil
	}
	p := Permission{Mutate: draw.U < s.MutationRate, NoHigh: high >= s.MaxHighPerDay, DrawUsed: true}
	p.Reason = fmt.Sprintf("drew %.4f, mutates below %v", draw.U, s.MutationRate)
	if !p.Mutate {
		p.Hold = HoldRate
	}
	return p, nil
}

// hold returns the first reason not to mutate that needs neither clock nor draw.
func (s LoopSettings) hold(state LoopState) (Hold, string) {
	soon := func(since, want int) bool { return since >= 0 && since < want }
	count := func(since, want int, after string) string {
		return fmt.Sprintf("%d of %d executions since %s", since, want, after)
	}
	switch {
	case s.Frozen:
		return HoldFrozen, "frozen by hand"
	case soon(state.SinceRollback, s.Cooldown):
		return HoldCooldown, count(state.SinceRollback, s.Cooldown, "the rollback")
	case s.isStable(state.Scores):
		return HoldStable, fmt.Sprintf("mean above %v, variance below %v", s.StableMean, s.StableVariance)
	case soon(state.SinceConsidered, s.Interval):
		return HoldInterval, count(state.SinceConsidered, s.Interval, "mutation was considered")
	case soon(state.SinceMutation, s.MinBetween):
		return HoldBetween, count(state.SinceMutation, s.MinBetween, "the mutation")
	}
	return holdNone, ""
}

// stableWindow is the number of recent scores: as many as a fitness weights.
const stableWindow = len(fitnessWeights)

// isStable reports whether the last scores, at most five and at least StableScores, have a mean above StableMean and a
// population variance below StableVariance. Mutating then gains nothing.
func (s LoopSettings) isStable(scores []float64) bool {
	window := max(stableWindow, s.StableScores)
	recent := scores[max(0, len(scores)-window):]
	if len(recent) < s.StableScores {
		return false
	}
	sum := summarize(recent)
	variance := 0.0
	if sum.n > 1 {
		variance = sum.sd * sum.sd * float64(sum.n-1) / float64(sum.n)
	}
	return round9(sum.mean) > s.StableMean && round9(variance) < s.StableVariance
}
