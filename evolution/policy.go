package evolution

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
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
