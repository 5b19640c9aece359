package evolution

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"

	"track/scoring/numeric"
	"track/scoring/rubric"
	"track/scoring/stats"
)

// Policy decides on mutations. The policies are [Confirm], [Greedy] and [Threshold]; start from their defaults,
// [DefaultPolicy], or read one with [ParsePolicy].
type Policy interface {
	// Name returns the name by which the policy is stored.
	Name() string
	// validate says which parameter is outside its domain; the error is a [*ParamError].
	validate() error

	judge(d *Decision, s sides, u float64) error
	// acceptRate is the probability that it accepts a mutation that changes nothing, and how that was found.
	acceptRate(c Conditions) (rate float64, method string)
}

// defaults returns the policies with their default parameters; the default policy comes first.
func defaults() []Policy {
	return []Policy{
		Confirm{Effect: 2, Alpha: 0.05, Beta: 0.2, Pairs: 40},
		Greedy{Eps: 0},
		Threshold{Significant: 5, Marginal: 0, Explore: -3, ExploreP: 0.2},
	}
}

// Policies returns the names of all policies, the default first.
func Policies() []string {
	var names []string
	for _, p := range defaults() {
		names = append(names, p.Name())
	}
	return names
}

// errUnknownPolicy is wrapped if no policy has a name.
var errUnknownPolicy = errors.New("unknown policy")

// DefaultPolicy returns a policy with its default parameters; the empty name means "confirm".
func DefaultPolicy(name string) (Policy, error) {
	list := defaults()
	i := slices.IndexFunc(list, func(p Policy) bool { return p.Name() == name })
	switch {
	case name == "":
		return list[0], nil
	case i < 0:
		return nil, fmt.Errorf("%w %q: one of %s", errUnknownPolicy, name, strings.Join(Policies(), ", "))
	}
	return list[i], nil
}

// paramError says what is wrong with one parameter of a policy.
type paramError struct {
	Policy, Param string // Param is empty for the parameters as a whole
	Problem       string
}

func (e *paramError) Error() string {
	if e.Param == "" {
		return fmt.Sprintf("policy %s: %s", e.Policy, e.Problem)
	}
	return fmt.Sprintf("policy %s: %s: %s", e.Policy, e.Param, e.Problem)
}

// domain is the condition of one parameter.
type domain struct {
	param string
	value any // float64 or int
	ok    bool
	want  string
}

func anyNumber(param string, v float64) domain {
	return domain{param, v, finite(v) != nil, "a number"}
}

func positive(param string, v float64) domain {
	return domain{param, v, v > 0 && finite(v) != nil, "a number above 0"}
}

func openUnit(param string, v float64) domain {
	return domain{param, v, v > 0 && v < 1, "between 0 and 1"}
}

// validate returns an error for the first parameter outside its domain.
func validate(p Policy, list ...domain) error {
	for _, d := range list {
		if !d.ok {
			return &paramError{p.Name(), d.param, fmt.Sprintf("%v is not %s", d.value, d.want)}
		}
	}
	return nil
}

// finite returns a pointer to x, or nil if it is not finite.
func finite(x float64) *float64 {
	if math.IsNaN(x) || math.IsInf(x, 0) {
		return nil
	}
	return &x
}

// ParsePolicy reads a policy from its name and a JSON object of parameters; omitted parameters have their defaults; no
// object at all means all defaults. A parameter that is unknown, duplicated, not a number or outside its domain is a
// [*paramError] that names it.
func ParsePolicy(name string, params []byte) (Policy, error) {
	p, err := DefaultPolicy(name)
	if err != nil {
		return nil, err
	}
	switch p := p.(type) {
	case Confirm:
		return withParams(p, params)
	case Greedy:
		return withParams(p, params)
	case Threshold:
		return withParams(p, params)
	}
	return nil, fmt.Errorf("%w %q", errUnknownPolicy, name)
}

// Params returns all parameters of a policy, as canonical JSON (RFC 8785): what is stored with a decision.
func Params(p Policy) ([]byte, error) {
	if err := p.validate(); err != nil {
		return nil, err
	}
	return canonical(p)
}

// withParams overrides parameters of p. encoding/json alone would take keys in any case, the last of two, and null.
func withParams[P Policy](p P, params []byte) (Policy, error) {
	if len(bytes.TrimSpace(params)) == 0 {
		return p, nil
	}
	var given map[string]json.RawMessage
	if err := json.Unmarshal(params, &given); err != nil || given == nil {
		return nil, &paramError{Policy: p.Name(), Problem: "parameters are not a JSON object"}
	}
	if _, err := canonicalize(params); err != nil {
		if key, ok := errors.AsType[repeatedKeyError](err); ok {
			return nil, &paramError{p.Name(), string(key), "is duplicated"}
		}
		return nil, &paramError{Policy: p.Name(), Problem: err.Error()}
	}
	names, err := paramNames(p)
	if err != nil {
		return nil, err
	}
	for _, key := range sortedKeys(given) {
		if !slices.Contains(names, key) {
			return nil, &paramError{p.Name(), key, "unknown; the parameters are " + strings.Join(names, ", ")}
		}
		if err := setParam(&p, key, given[key]); err != nil {
			return nil, err
		}
	}
	return p, p.validate()
}

func setParam[P Policy](p *P, key string, value json.RawMessage) error {
	one, err := json.Marshal(map[string]json.RawMessage{key: value})
	if err != nil {
		return &paramError{(*p).Name(), key, err.Error()}
	}
	if err := json.Unmarshal(one, p); err != nil || string(value) == "null" {
		want := "a number"
		if bytes.ContainsAny(value, ".eE") && json.Unmarshal(value, new(float64)) == nil {
			want = "a whole number, or is beyond float64" // a number, so the parameter is a count
		}
		return &paramError{(*p).Name(), key, fmt.Sprintf("%.40s is not %s", value, want)}
	}
	return nil
}

// paramNames returns the names of the parameters, sorted.
func paramNames(p Policy) ([]string, error) {
	text, err := json.Marshal(p)
	if err != nil {
		return nil, err
	}
	var all map[string]json.RawMessage
	if err := json.Unmarshal(text, &all); err != nil {
		return nil, err
	}
	return sortedKeys(all), nil
}

func sortedKeys[V any](m map[string]V) []string {
	keys := make([]string, 0, len(m))
	for key := range m {
		keys = append(keys, key)
	}
	slices.Sort(keys)
	return keys
}

// Greedy accepts iff the mean of the pairs on common tasks is above Eps, in points. It is for evaluators without noise:
// with noise it accepts half of the mutations that change nothing.
type Greedy struct {
	Eps float64 `json:"eps"`
}

// Name returns "greedy".
func (Greedy) Name() string { return "greedy" }

// validate returns an error for the first parameter outside its domain.
func (p Greedy) validate() error { return validate(p, anyNumber("eps", p.Eps)) }

func (p Greedy) judge(d *Decision, s sides, _ float64) error {
	pairs := s.fresh()
	least := max(1, s.tasks)
	sum := d.comparePairs(pairs)
	if missing := least - pairs.n(); missing > 0 {
		d.wait(needPairs(missing, pairs))
		return nil
	}
	d.measure("mean", sum.mean, p.Eps, p.Eps)
	if sum.mean > p.Eps {
		d.accept(Improvement)
	} else {
		d.reject(noImprovement)
	}
	return nil
}

// acceptRate returns P(m > eps) for a normal mean m.
func (p Greedy) acceptRate(c Conditions) (float64, string) {
	if c.SDPairs == 0 {
		return indicator(c.Gain > p.Eps), "exact"
	}
	return numeric.NormalCDF((c.Gain - p.Eps) * math.Sqrt(float64(max(1, c.NPairs))) / c.SDPairs), "normal"
}

func indicator(b bool) float64 {
	if b {
		return 1
	}
	return 0
}

// Confirm decides on fresh pairs by an exact sign-flip test with planned interim analyses.
//
//	screen  after the first eighth of the pairs: a mean below -Effect rejects
//	looks   after each quarter: rejected for futility if the chance of acceptance, should the pairs go on as they began,
//	        is below Beta. After the third and the fourth quarter: accepted if the one-sided p-value is at most 0.4·Alpha
//	        and 0.6·Alpha. The last look rejects everything else.
//
// A mutation that changes nothing is accepted with a probability of at most Alpha, by Bonferroni's inequality, whatever
// the distribution of the scores: under that hypothesis the differences of pairs are symmetric about 0. Nothing is
// accepted before three quarters of the pairs, because a crash on one task of five stays unseen in half of them in one
// child of a hundred. Pairs on trials of the parent from before the proposal do not count.
type Confirm struct {
	Effect float64 `json:"effect"` // points: the gain worth having, and the harm that the screen does not tolerate
	Alpha  float64 `json:"alpha"`  // the most mutations that change nothing and are accepted
	Beta   float64 `json:"beta"`   // the chance of acceptance below which it stops
	Pairs  int     `json:"pairs"`  // the most pairs; a multiple of 4
}

// The share of Alpha that the third and the fourth look spend.
const (
	thirdLookShare = 0.4
	lastLookShare  = 0.6
)

const fewestConfirmPairs = 12 // the third look has 9 of them, and 2^-9 is below 0.4 times an alpha of 0.05

// Name returns "confirm".
func (Confirm) Name() string { return "confirm" }

// validate returns an error for the first parameter outside its domain.
func (p Confirm) validate() error {
	const most = stats.MostSignFlipGreater
	return validate(p,
		positive("effect", p.Effect), openUnit("alpha", p.Alpha), openUnit("beta", p.Beta),
		domain{"pairs", p.Pairs, p.Pairs >= fewestConfirmPairs && p.Pairs <= most && p.Pairs%4 == 0, "a multiple of 4 from 12 to 40"})
}

// look is a planned analysis after n pairs.
type look struct {
	name  string
	n     int
	alpha float64 // the largest p-value that accepts; 0 for none
}

// looks returns the screen and the planned analyses, in order.
func (p Confirm) looks() []look {
	quarter := p.Pairs / 4
	return []look{
		{"screen", p.Pairs / 8, 0}, {"look 1", quarter, 0}, {"look 2", 2 * quarter, 0},
		{"look 3", 3 * quarter, float64(thirdLookShare * p.Alpha)}, {"look 4", 4 * quarter, float64(lastLookShare * p.Alpha)},
	}
}

func (p Confirm) judge(d *Decision, s sides, _ float64) error {
	pairs := s.fresh()
	for _, look := range p.looks() {
		if missing := look.n - pairs.n(); missing > 0 {
			d.comparePairs(pairs)
			d.wait(needPairs(missing, pairs))
			return nil
		}
		if over, err := p.analyse(d, pairs.first(look.n), look); over || err != nil {
			return err
		}
	}
	return nil
}

// analyse makes one planned analysis, and reports whether it decides.
func (p Confirm) analyse(d *Decision, pairs pairing, look look) (over bool, err error) {
	sum := d.comparePairs(pairs)
	d.Rule = d.Rule[:0]
	if look.name == "screen" {
		d.measure(look.name, sum.mean, math.NaN(), -p.Effect)
		if sum.mean < -p.Effect {
			d.reject(screenedOut)
			return true, nil
		}
		return false, nil
	}
	value, err := stats.SignFlipGreater(pairs.differences())
	if err != nil {
		return false, err
	}
	if look.alpha > 0 {
		d.measure(look.name+": p", value, look.alpha, math.NaN())
		if value <= look.alpha {
			d.accept(Improvement)
			return true, nil
		}
	}
	if look.n == p.Pairs {
		d.reject(noImprovement)
		return true, nil
	}
	chance := p.chance(sum)
	d.measure(look.name+": chance", chance, math.NaN(), p.Beta)
	if chance < p.Beta {
		d.reject(futile)
		return true, nil
	}
	return false, nil
}

// chance returns the probability that the last look accepts if the pairs go on as they began: normal differences with
// mean and sd of the sample (conditional power under the current trend, Lan and Wittes 1988).
func (p Confirm) chance(s sample) float64 {
	if s.sd == 0 {
		return indicator(s.mean > 0)
	}
	n, all := float64(s.n), float64(p.Pairs)
	limit := -numeric.NormalQuantile(lastLookShare * p.Alpha)
	rest := all - n
	return numeric.NormalCDF((float64(s.mean*all) - float64(limit*s.sd*math.Sqrt(all))) / (s.sd * math.Sqrt(rest)))
}

// acceptRate returns the probability that the last look accepts, by the normal approximation; of a mutation that
// changes nothing it is at most Alpha.
func (p Confirm) acceptRate(c Conditions) (float64, string) {
	switch {
	case c.Gain == 0:
		return p.Alpha, "at most, by design"
	case c.SDPairs == 0:
		return indicator(c.Gain > 0), "exact"
	}
	limit := -numeric.NormalQuantile(lastLookShare * p.Alpha)
	return numeric.NormalCDF(float64(c.Gain*math.Sqrt(float64(p.Pairs))/c.SDPairs) - limit), "normal, at the last look"
}

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
