package evolution

import (
	"math"

	"track/scoring/numeric"
	"track/scoring/rubric"
)

// Threshold compares the fitness of the child with that of its parent, both by [rubric.Fitness], band by band:
//
//	delta > Significant   significant_improvement   accepted
//	delta > Marginal      marginal_improvement      accepted
//	delta > Explore       exploration               accepted with probability ExploreP, by the draw
//	otherwise             regression                not accepted
//
// It is the rule of the source to the letter, for live executions that share no tasks, and decides on one trial of each
// side. More trials do not make it surer: a fitness never weights more than five. At an sd of 10 and five trials of
// each side it accepts 54 % of the mutations that change nothing.
type Threshold struct {
	Significant float64 `json:"significant"`
	Marginal    float64 `json:"marginal"`
	Explore     float64 `json:"explore"`
	ExploreP    float64 `json:"explore_p"`
}

// Name returns "threshold".
func (Threshold) Name() string { return "threshold" }

// validate returns an error for the first parameter outside its domain.
func (p Threshold) validate() error {
	return validate(p, p.domains()...)
}

func (p Threshold) domains() []domain {
	return []domain{
		anyNumber("significant", p.Significant), anyNumber("marginal", p.Marginal), anyNumber("explore", p.Explore),
		{"explore_p", p.ExploreP, p.ExploreP >= 0 && p.ExploreP <= 1, "from 0 to 1"},
		{"marginal", p.Marginal, p.Marginal <= p.Significant, "at most significant"},
		{"explore", p.Explore, p.Explore <= p.Marginal, "at most marginal"},
	}
}

func (p Threshold) judge(d *Decision, s sides, u float64) error {
	if len(s.child.trials) == 0 || len(s.parent.trials) == 0 {
		d.wait(needTrials(max(0, 1-len(s.child.trials)), max(0, 1-len(s.parent.trials))))
		return nil
	}
	child, err := fitness(s.child.trials, false)
	if err != nil {
		return err
	}
	parent, err := fitness(s.parent.trials, false)
	if err != nil {
		return err
	}
	d.compare(parent.Value, child.Value)
	d.Fitness = d.NewScore
	d.UsedChild, d.UsedParent = weighted(child, s.child.trials), weighted(parent, s.parent.trials)
	d.NPairs = pairUp(s.child.trials, s.parent.trials).n()
	d.estimate(s.child.trials, s.parent.trials, [2]float64{child.EffectiveN, parent.EffectiveN})
	d.measure("delta", *d.Delta, p.Marginal, p.Explore)
	label, probability := p.band(*d.Delta)
	d.settle(label, probability, u)
	return nil
}

// band returns the row of the table for a difference, and the probability of acceptance there.
func (p Threshold) band(delta float64) (Label, float64) {
	switch {
	case delta > p.Significant:
		return Significant, 1
	case delta > p.Marginal:
		return marginal, 1
	case delta > p.Explore:
		return exploration, p.ExploreP
	}
	return regression, 0
}

// acceptRate assumes that the difference of two weighted means is normal. Its variance is that of single scores, but
// for the part of the weights that pairs share: there it is that of the differences of pairs. Trimming, from ten trials
// on, makes it a little smaller; the rate moves by less than a point.
func (p Threshold) acceptRate(c Conditions) (float64, string) {
	alone, paired := c.variances()
	sd := math.Sqrt(alone + paired)
	if sd == 0 {
		_, accepted := p.band(c.Gain)
		return accepted, "exact"
	}
	above := func(limit float64) float64 { return float64(numeric.NormalCDF((c.Gain - limit) / sd)) }
	return above(p.Marginal) + float64(p.ExploreP*(above(p.Explore)-above(p.Marginal))), "normal"
}

// fitnessWeights are the weights of [rubric.Fitness].
var fitnessWeights = [...]float64{1.0, 0.9, 0.8, 0.7, 0.6}

// weightedN returns (Σw)²/Σw² of the fitness of n trials; of five if n is unknown.
func weightedN(n int) float64 {
	if n < 1 || n > len(fitnessWeights) {
		n = len(fitnessWeights)
	}
	sum, squares := 0.0, 0.0
	for _, w := range fitnessWeights[:n] {
		sum, squares = sum+w, squares+float64(w*w)
	}
	return sum * sum / squares
}

// fitness aggregates trials as executions are aggregated. They are oldest first; rubric.Fitness takes trials without
// times newest first. byTask says that keys are tasks, over which fitness is a mean.
func fitness(trials []Trial, byTask bool) (rubric.FitnessResult, error) {
	executions := make([]rubric.ScoredExecution, len(trials))
	for i, t := range trials {
		executions[len(trials)-1-i] = rubric.ScoredExecution{
			ID: t.ID, At: t.At, Task: t.Key, Score: rubric.Score{Rubric: t.Under, Value: *t.Score, Defined: true},
		}
	}
	return rubric.Fitness(executions, rubric.FitnessOptions{ValueOnly: true, AnyScale: true, ByTask: byTask})
}

// Fitness returns the fitness of a version from its trials, by [rubric.Fitness], as a gain: see [Scale.Gain]. Failed
// trials count by the rule. byTask says that keys are tasks that count equally. Nil is returned if no trial counts.
func Fitness(trials []Trial, scale *Scale, failures FailureRule, byTask bool) (*rubric.FitnessResult, error) {
	s, err := newSides(Evidence{Child: trials, Scale: scale, Failures: failures})
	if err != nil || len(s.child.trials) == 0 {
		return nil, err
	}
	f, err := fitness(s.child.trials, byTask)
	if err != nil {
		return nil, err
	}
	return &f, nil
}
