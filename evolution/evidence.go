package evolution

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"time"
	"unicode/utf8"
)

// ErrEvidence is wrapped by the errors of invalid evidence.
var ErrEvidence = errors.New("evidence")

// ErrMixedScores is wrapped, with [ErrEvidence], if scores under different rubrics or specs are compared.
var ErrMixedScores = errors.New("under")

// Trial is one execution of an agent version, or one seed of a scenario under a configuration.
type Trial struct {
	ID string `json:"id"` // unique in the evidence
	// Key is the task or the seed that pairs it with a trial of the other side; empty for none.
	Key string    `json:"key,omitempty"`
	At  time.Time `json:"at,omitzero"` // known of all or of none; microseconds count
	// Score is 0 to 100 (of a seed, 100 times its total score) unless the evidence has another scale. It is nil if the
	// trial failed, even if part of a score was measured before: a failed trial counts as the worst score.
	Score  *float64 `json:"score"`
	Failed string   `json:"failed,omitempty"` // why there is no score: timeout, crash, invalid, …
	// Under names the rubric or spec of the score. Scores under different ones are not compared.
	Under string `json:"under,omitempty"`
}

// Evidence is what a decision follows from, besides its policy and its draw. The order of the trials does not matter:
// they are sorted by time, then by id.
type Evidence struct {
	Child  []Trial `json:"child"`
	Parent []Trial `json:"parent"`
	// Since is when the mutation was proposed: trials of the parent from before are not made side by side with the
	// child's, so no pair with them confirms. Zero if any trial will do, as for seeds of a simulation.
	Since time.Time `json:"since,omitzero"`
	// Scale is nil if scores are from 0 to 100.
	Scale *Scale `json:"scale,omitempty"`
	// Failures says how failed trials count; empty for [FailuresAsWorst].
	Failures FailureRule `json:"failures,omitempty"`
	// Tasks is how many tasks decide; 0 if that is unknown. [Greedy] wants a pair of each.
	Tasks int `json:"tasks,omitempty"`
	// Measurement is the run on all tasks that follows an acceptance; nil for none.
	Measurement *Measurement `json:"measurement,omitempty"`
}

// side is one side of the evidence, oldest first. Each trial has a score, in points of which more are better.
type side struct {
	trials []Trial
	failed int
}

// sides is evidence that has been checked and put in order.
type sides struct {
	child, parent                 side
	measuredChild, measuredParent side
	since                         time.Time
	tasks                         int
	failures                      FailureRule
}

// fresh returns the pairs that were made side by side.
func (s sides) fresh() pairing {
	parent := slices.DeleteFunc(slices.Clone(s.parent.trials), func(t Trial) bool { return t.At.Before(s.since) })
	return pairUp(s.child.trials, parent)
}

// sorted returns the evidence in the order in which it is decided and hashed, with times as they are stored.
func (e Evidence) sorted() Evidence {
	e.Child, e.Parent, e.Measurement = sortedTrials(e.Child), sortedTrials(e.Parent), e.Measurement.sorted()
	if !e.Since.IsZero() {
		e.Since = e.Since.UTC().Truncate(time.Microsecond)
	}
	return e
}

func sortedTrials(list []Trial) []Trial {
	out := slices.Clone(list)
	if out == nil {
		out = []Trial{} // [] in JSON, not null
	}
	for i := range out {
		if !out[i].At.IsZero() {
			out[i].At = out[i].At.UTC().Truncate(time.Microsecond)
		}
	}
	slices.SortFunc(out, age)
	return out
}

// age orders from oldest to newest.
func age(a, b Trial) int { return cmp.Or(a.At.Compare(b.At), cmp.Compare(a.ID, b.ID)) }

// newSides checks evidence and puts it in order.
func newSides(e Evidence) (s sides, err error) {
	e = e.sorted()
	if err := e.validate(); err != nil {
		return s, err
	}
	c := checker{ids: map[string]bool{}, scale: e.Scale, failures: e.Failures}
	if err := c.checkAll(e); err != nil {
		return s, err
	}
	s = sides{child: c.side(e.Child), parent: c.side(e.Parent), since: e.Since, tasks: e.Tasks, failures: e.Failures}
	if m := e.Measurement; m != nil {
		s.measuredChild, s.measuredParent = c.side(m.Child), c.side(m.Parent)
	}
	return s, nil
}

func (e Evidence) validate() error {
	if err := cmp.Or(e.Scale.validate(), e.Failures.validate()); err != nil {
		return fmt.Errorf("%w: %w", ErrEvidence, err)
	}
	if e.Measurement != nil {
		return e.Measurement.validate()
	}
	return nil
}

// checker remembers what must agree between trials.
type checker struct {
	ids      map[string]bool
	scale    *Scale
	failures FailureRule
	timed    int
	under    *string
	scores   []float64 // in points
}

// checkAll checks all trials of evidence.
func (c *checker) checkAll(e Evidence) error {
	sides := map[string][]Trial{"child": e.Child, "parent": e.Parent}
	if m := e.Measurement; m != nil {
		sides["measured child"], sides["measured parent"] = m.Child, m.Parent
	}
	for _, name := range sortedKeys(sides) {
		for _, t := range sides[name] {
			if err := c.trial(t); err != nil {
				return fmt.Errorf("%w: %s trial %q: %w", ErrEvidence, name, t.ID, err)
			}
		}
	}
	if all := len(c.ids); c.timed != 0 && c.timed != all {
		return fmt.Errorf("%w: %d of %d trials have no time: give all or none", ErrEvidence, all-c.timed, all)
	}
	return c.scale.checkRange(c.scores)
}

// side returns trials that were checked, each with its score in points.
func (c *checker) side(trials []Trial) (s side) {
	for _, t := range trials {
		points := c.scale.worst(c.scores)
		if t.Failed != "" {
			if s.failed++; c.failures == FailuresExclude {
				continue
			}
			if c.under != nil {
				t.Under = *c.under // it counts as the worst of these scores
			}
		} else {
			points = c.scale.Gain(*t.Score)
		}
		t.Score = &points
		s.trials = append(s.trials, t)
	}
	return s
}

func (c *checker) trial(t Trial) error {
	switch {
	case t.ID == "":
		return errors.New("id: empty")
	case c.ids[t.ID]:
		return errors.New("id: is duplicated")
	case !utf8.ValidString(t.ID) || !utf8.ValidString(t.Key) || !utf8.ValidString(t.Failed) || !utf8.ValidString(t.Under):
		return errors.New("not valid UTF-8")
	case t.Failed != "" && t.Score != nil:
		return fmt.Errorf("score: %v of a trial that failed (%s)", *t.Score, t.Failed)
	case t.Failed == "" && t.Score == nil:
		return errors.New("score: none, and no reason in failed")
	}
	if t.Score != nil {
		if err := c.scale.check(*t.Score); err != nil {
			return err
		}
	}
	c.ids[t.ID] = true
	if !t.At.IsZero() {
		c.timed++
	}
	if t.Score == nil {
		return nil
	}
	c.scores = append(c.scores, c.scale.Gain(*t.Score))
	if c.under == nil {
		c.under = &t.Under
	}
	if *c.under != t.Under {
		return fmt.Errorf("%w: %q, but others are scored under %q", ErrMixedScores, t.Under, *c.under)
	}
	return nil
}

// scores returns the scores of trials that have one.
func scores(trials []Trial) []float64 {
	list := make([]float64, len(trials))
	for i, t := range trials {
		list[i] = *t.Score
	}
	return list
}
