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
	// trial failed: that is a status, never a score, even if part of a score was measured before.
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
	// Step counts the mutations of the lineage that were proposed before this one, for policies that change with time
	// ([Anneal]). It does not depend on the order in which several processes decide.
	Step int `json:"step"`
	// Scale is nil if scores are from 0 to 100.
	Scale *Scale `json:"scale,omitempty"`
}

// side is one side of the evidence, oldest first.
type side struct {
	scored []Trial
	failed int
}

// sides is evidence that has been checked and put in order.
type sides struct {
	child, parent side
	step          int
	keepsWaiting  bool // as versions before [decisionVersion] did: see [secondVersion]
}

// sorted returns the evidence in the order in which it is decided and hashed, with times as they are stored.
func (e Evidence) sorted() Evidence {
	e.Child, e.Parent = sortedTrials(e.Child), sortedTrials(e.Parent)
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
	if e.Step < 0 {
		return s, fmt.Errorf("%w: step %d is negative", ErrEvidence, e.Step)
	}
	e = e.sorted()
	if err := e.Scale.validate(); err != nil {
		return s, fmt.Errorf("%w: scale: %w", ErrEvidence, err)
	}
	c := checker{ids: map[string]bool{}, scale: e.Scale}
	if s.child, err = c.side("child", e.Child); err != nil {
		return s, err
	}
	if s.parent, err = c.side("parent", e.Parent); err != nil {
		return s, err
	}
	if all := len(e.Child) + len(e.Parent); c.timed != 0 && c.timed != all {
		return s, fmt.Errorf("%w: %d of %d trials have no time: give all or none", ErrEvidence, all-c.timed, all)
	}
	s.step = e.Step
	return s, nil
}

// checker remembers what must agree between trials.
type checker struct {
	ids   map[string]bool
	scale *Scale
	timed int
	under *string
}

func (c *checker) side(name string, trials []Trial) (s side, err error) {
	for _, t := range trials {
		if err := c.trial(t); err != nil {
			return s, fmt.Errorf("%w: %s trial %q: %w", ErrEvidence, name, t.ID, err)
		}
		if t.Failed != "" {
			s.failed++
			continue
		}
		if c.scale != nil {
			gain := c.scale.Gain(*t.Score)
			t.Score = &gain
		}
		s.scored = append(s.scored, t)
	}
	return s, nil
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
