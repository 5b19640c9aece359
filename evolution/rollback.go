package evolution

import (
	"fmt"

	"track/scoring/format"
)

// Trigger is the reason why a lineage went back to an earlier version.
type Trigger string

// The triggers, in the order in which they are checked; [TriggerHand] is a person's choice.
const (
	TriggerDrops     Trigger = "consecutive_drops"
	TriggerBelowBest Trigger = "below_best"
	TriggerErrorRate Trigger = "error_rate"
	TriggerHand      Trigger = "by_hand"
)

// RollbackRules are the limits of the triggers.
type RollbackRules struct {
	Drops         int     `json:"drops"`          // score drops in a row: back to the best
	BestShare     float64 `json:"best_share"`     // score below this share of the best: back to the best
	ErrorRate     float64 `json:"error_rate"`     // error rate above: back to the previous version,
	PreviousShare float64 `json:"previous_share"` // or to the best, if the previous version scored below this share of the active one
}

// defaultRollbackRules returns the rules of a lineage that has none of its own.
func defaultRollbackRules() RollbackRules {
	return RollbackRules{Drops: 2, BestShare: 0.7, ErrorRate: 0.5, PreviousShare: 0.8}
}

// validate returns an error for the first limit outside its domain.
func (r RollbackRules) validate() error {
	for _, c := range []struct {
		name string
		ok   bool
		want string
	}{
		{"drops", r.Drops >= 0, "at least 0, which turns the trigger off"},
		{"best_share", r.BestShare >= 0 && r.BestShare <= 1, "from 0, which turns the trigger off, to 1"},
		{"error_rate", r.ErrorRate >= 0 && r.ErrorRate <= 1, "from 0 to 1, which turns the trigger off"},
		{"previous_share", r.PreviousShare >= 0 && r.PreviousShare <= 1, "from 0 to 1"},
	} {
		if !c.ok {
			return fmt.Errorf("rollback rules: %s: want %s", c.name, c.want)
		}
	}
	return nil
}

// RollbackState is the input of the triggers.
type RollbackState struct {
	InForce   Standing   `json:"in_force"`
	Previous  *Standing  `json:"previous"` // the version that was active before; nil for none
	Versions  []Standing `json:"versions"`
	Steps     []Step     `json:"steps"`      // from one active version to the next since the last rollback, oldest first
	ErrorRate *float64   `json:"error_rate"` // nil if it was not measured
}

// Step compares a version with the one that was active before it.
type Step struct {
	From    string      `json:"from"`
	To      string      `json:"to"`
	Against *Comparison `json:"against"` // nil if they were tried on different tasks
}

// Rollback is a return to an earlier version. It starts the count of drops again and the cooldown.
type Rollback struct {
	Trigger Trigger `json:"trigger"`
	From    string  `json:"from"`
	To      string  `json:"to"`
	// FromScore and ToScore are means over the tasks that both were tried on; without common ones, the fitness of each.
	FromScore *float64 `json:"from_score"`
	ToScore   *float64 `json:"to_score"`
	Tasks     int      `json:"tasks"` // that both were tried on
	Reason    string   `json:"reason"`
}

// Check returns the rollback of the first trigger that applies and has another version to go back to; nil for none.
func (r RollbackRules) Check(s RollbackState) *Rollback {
	best, ok := Best(s.Versions)
	if !ok {
		best = s.InForce
	}
	if n := countDrops(s.Steps); r.Drops > 0 && n >= r.Drops {
		if b := back(TriggerDrops, s.InForce, best, fmt.Sprintf("%d score drops in a row", n)); b != nil {
			return b
		}
	}
	if of := best.Against; of != nil && isBelowShare(of.Other, of.Score, r.BestShare) {
		if b := back(TriggerBelowBest, s.InForce, best, belowBest(*of, r.BestShare)); b != nil {
			return b
		}
	}
	if s.ErrorRate == nil || !(*s.ErrorRate > r.ErrorRate) {
		return nil
	}
	return back(TriggerErrorRate, s.InForce, r.afterErrors(s, best), fmt.Sprintf("error rate %.2f is above %v", *s.ErrorRate, r.ErrorRate))
}

// isBelowShare reports whether a score is below a share of another one. Only scores above 0 have shares.
func isBelowShare(score, of, share float64) bool {
	return of > 0 && score < float64(share*of) && share > 0
}

// belowBest says how far the active version is below the best one, which holds on any scale.
func belowBest(best Comparison, share float64) string {
	text := fmt.Sprintf("score is %.4g of the best, below %v", best.Other/best.Score, share)
	if best.Tasks > 0 {
		text += ", on " + format.Counted(best.Tasks, "common task")
	}
	return text
}

// afterErrors returns the previous version; or the best, if there is no previous one or it scored much less than the
// active one.
func (r RollbackRules) afterErrors(s RollbackState, best Standing) Standing {
	if s.Previous == nil {
		return best
	}
	if of := s.Previous.Against; of != nil && isBelowShare(of.Score, of.Other, r.PreviousShare) {
		return best
	}
	return *s.Previous
}

// RollbackByHand goes back to a named version, with a reason.
func RollbackByHand(from, to Standing, reason string) (*Rollback, error) {
	switch {
	case reason == "":
		return nil, fmt.Errorf("rollback of %s: a reason is required", from.Version)
	case from.Version == to.Version:
		return nil, fmt.Errorf("rollback: %s is already active", to.Version)
	}
	return back(TriggerHand, from, to, reason), nil
}

// back returns nil if the version is already active.
func back(t Trigger, from, to Standing, reason string) *Rollback {
	if from.Version == to.Version {
		return nil
	}
	r := &Rollback{Trigger: t, From: from.Version, To: to.Version, FromScore: from.Score, ToScore: to.Score, Reason: reason}
	if c := to.Against; c != nil {
		r.FromScore, r.ToScore, r.Tasks = &c.Other, &c.Score, c.Tasks
	}
	return r
}

// countDrops counts how many steps in a row, up to the last one, went to a worse version.
func countDrops(steps []Step) int {
	n := 0
	for i := len(steps) - 1; i >= 0 && steps[i].Against != nil && steps[i].Against.Gain() < 0; i-- {
		n++
	}
	return n
}
