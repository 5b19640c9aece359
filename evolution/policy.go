package evolution

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
)

// Policy decides on mutations. The policies are [Bands], [Threshold], [Strict], [POI], [Confirm], [SPRT], [CS] and
// [Anneal]; start from their defaults, [DefaultPolicy], or read one with [ParsePolicy].
type Policy interface {
	// Name returns the name by which the policy is stored.
	Name() string
	// validate says which parameter is outside its domain; the error is a [*ParamError].
	validate() error

	judge(d *Decision, s sides, u float64) error
	// minTrials is the fewest trials of a side that it decides on.
	minTrials() int
	// acceptRate is the probability that it accepts a mutation that changes nothing, and how that was found.
	acceptRate(c Conditions) (rate float64, method string)
}

// RecommendedPolicy is the name of the policy that serves best if noise matters.
const RecommendedPolicy = "confirm"

// defaults returns the policies with their default parameters; the default policy comes first.
func defaults() []Policy {
	bands := Threshold{Significant: 5, Marginal: 0, Explore: -3, ExploreP: 0.2}
	return []Policy{
		Bands{Threshold: bands, NMin: 3},
		bands,
		Strict{Eps: 0},
		POI{Tau: 3, C: 0.9, NMin: 8},
		Confirm{N1: 5, N2: 15, C: 0.9, Tau: 3},
		SPRT{D0: 0, D1: 2, A: 0.05, B: 0.1, NMin: 8, NMax: 40},
		CS{Alpha: 0.1, TunedAt: 20, Margin: 1, NMin: 5, NMax: 40},
		Anneal{T0: 3, G: 0.97},
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

// DefaultPolicy returns a policy with its default parameters; the empty name means "bands".
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

// maxPairs is the largest number of trials that a parameter may ask for: plans stay possible and simulations short.
const maxPairs = 1000

func anyNumber(param string, v float64) domain {
	return domain{param, v, finite(v) != nil, "a number"}
}

func positive(param string, v float64) domain {
	return domain{param, v, v > 0 && finite(v) != nil, "a number above 0"}
}

func openUnit(param string, v float64) domain {
	return domain{param, v, v > 0 && v < 1, "between 0 and 1"}
}

func count(param string, n, least int) domain {
	return domain{param, n, n >= least && n <= maxPairs, fmt.Sprintf("a whole number from %d to %d", least, maxPairs)}
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
