package main

import (
	"math"
	"math/rand/v2"
	"strconv"

	"track/evolution"
)

// world is where mutations are tried. A score is truth + noise·(√share·task + √(1-share)·rest): both sides share what
// a task adds where they do the same task, so that pairs see only the rest.
type world struct {
	noise  float64 // sd of one score
	share  float64 // of its variance that the task makes up
	start  float64 // true score of the first version
	budget int     // trials of both sides together
	// A mutation improves with probability pGood, by |N(0, good²)|, harms with pBad, by |N(0, bad²)|, and else changes
	// nothing.
	pGood, good, pBad, bad float64
}

func (w world) effect(r *rand.Rand) float64 {
	switch u := r.Float64(); {
	case u < w.pGood:
		return w.good * math.Abs(r.NormFloat64())
	case u < w.pGood+w.pBad:
		return -w.bad * math.Abs(r.NormFloat64())
	}
	return 0
}

// lab makes trials and counts them.
type lab struct {
	world
	random *rand.Rand
	made   int
	tasks  int
}

// trial scores one execution on a task that adds so much. Its id says when it was made.
func (l *lab) trial(truth, task float64, key string) evolution.Trial {
	l.made++
	score := truth + l.noise*(math.Sqrt(l.share)*task+math.Sqrt(1-l.share)*l.random.NormFloat64())
	score = min(100, max(0, score))
	return evolution.Trial{ID: strconv.Itoa(100_000_000 + l.made), Key: key, Score: &score}
}

// alone makes n trials on tasks that the other side does not do.
func (l *lab) alone(truth float64, n int) []evolution.Trial {
	list := make([]evolution.Trial, n)
	for i := range list {
		list[i] = l.trial(truth, l.random.NormFloat64(), "")
	}
	return list
}

// pairs makes n trials of both sides on the same new tasks.
func (l *lab) pairs(child, parent float64, n int) (mine, theirs []evolution.Trial) {
	for range n {
		l.tasks++
		task, key := l.random.NormFloat64(), "task "+strconv.Itoa(l.tasks)
		mine = append(mine, l.trial(child, task, key))
		theirs = append(theirs, l.trial(parent, task, key))
	}
	return mine, theirs
}

// draw is a new draw for a decision.
func (l *lab) draw() evolution.Draw {
	return evolution.NewDraw(evolution.DrawKey{Seed: l.random.Uint64(), Label: evolution.LabelExplore})
}
