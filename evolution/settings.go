package evolution

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
)

// Settings are how a lineage decides and mutates. Each change makes a new version of all of them.
type Settings struct {
	Number    int             `json:"number"` // from 1
	Policy    string          `json:"policy"`
	Params    json.RawMessage `json:"params"` // canonical JSON
	Operators []Operator      `json:"operators"`
	// OperatorChoice is how an operator is drawn; empty in ledgers that are older than the choice.
	OperatorChoice OperatorRule  `json:"operator_choice,omitempty"`
	Loop           LoopSettings  `json:"loop"`
	Rollback       RollbackRules `json:"rollback"`
	ScoreFrom      ScoreSource   `json:"score_from"`            // the kind of score that decides; empty for the active scores
	ScoreTimes     *float64      `json:"score_times,omitempty"` // what values of that kind are multiplied by; nil for [Settings.Times]
	Holdout        *Holdout      `json:"holdout,omitempty"`     // tasks that are never used to decide; nil for none
	Scale          *Scale        `json:"scale,omitempty"`       // of the scores; nil for 0 to 100
	Tasks          *TaskSettings `json:"tasks,omitempty"`       // what versions are tried on; nil if that is unknown
	Failures       FailureRule   `json:"failures,omitempty"`    // how failed trials count; empty for [FailuresAsWorst]
	Overfit        OverfitAction `json:"overfit,omitempty"`     // what a loop does with a version that overfits; empty for [OverfitStop]
}

// OverfitAction is what a loop does once the gain of a version on the holdout tasks is shown to be smaller than on the
// others.
type OverfitAction string

// The actions.
const (
	OverfitStop     OverfitAction = "stop"
	OverfitRollback OverfitAction = "rollback" // to the parent
	OverfitIgnore   OverfitAction = "ignore"
)

func (a OverfitAction) validate() error {
	switch a {
	case "", OverfitStop, OverfitRollback, OverfitIgnore:
		return nil
	}
	return fmt.Errorf("overfit: %q is not %s, %s or %s", a, OverfitStop, OverfitRollback, OverfitIgnore)
}

// DefaultSettings returns the settings of a lineage that chooses none: the default policy, operators, loop and rollback
// rules.
func DefaultSettings() Settings {
	p := defaults()[0]
	params, err := Params(p)
	if err != nil {
		panic(err) // defaults are valid
	}
	return Settings{
		Number: 1, Policy: p.Name(), Params: params, Operators: DefaultOperators(), OperatorChoice: Thompson, Loop: defaultLoopSettings(), Rollback: defaultRollbackRules(),
	}
}

// DefaultParameterSettings returns the settings of a lineage of parameters. Its operators name changes of numbers. It
// never counts as stable, because scores of simulations are often high from the beginning.
func DefaultParameterSettings() Settings {
	s := DefaultSettings()
	s.Operators = []Operator{{"parameter_raise", Low}, {"parameter_lower", Low}, {"parameter_scale", Medium}, {"parameters_resample", High}}
	s.Loop.StableMean = 100
	return s
}

// WithScale returns the settings with another scale than 0 to 100. Unless the worst score is 0, no mean is high enough
// to count as stable, and no share of the best score says that a version is bad.
func (s Settings) WithScale(scale Scale) Settings {
	s.Scale = &scale
	if lo, _, bounded := scale.Ends(); bounded && lo == 0 && !scale.Minimize {
		return s
	}
	s.Loop.StableVariance, s.Rollback.BestShare, s.Rollback.PreviousShare = 0, 0, 0
	return s
}

// Validate returns an error for the first setting outside its domain.
func (s Settings) Validate() error {
	if _, err := ParsePolicy(s.Policy, s.Params); err != nil {
		return err
	}
	if err := cmp.Or(checkOperators(s.Operators, nil), s.OperatorChoice.validate()); err != nil {
		return err
	}
	if err := cmp.Or(s.Rollback.validate(), s.Scale.validate(), s.validateScore(), s.Holdout.validate(), s.Failures.validate(), s.Overfit.validate(), s.Tasks.validate()); err != nil {
		return err
	}
	return s.Loop.validate()
}

// SettingsChange makes new settings active.
type SettingsChange struct {
	Settings Settings `json:"settings"`
	Reason   string   `json:"reason,omitempty"`
}

// Equal reports whether settings are equal except for their number.
func (s Settings) Equal(other Settings) bool {
	s.Number, other.Number = 0, 0
	a, errA := canonical(s)
	b, errB := canonical(other)
	return errA == nil && errB == nil && string(a) == string(b)
}

// Clone returns a deep copy.
func (s Settings) Clone() Settings {
	if s.Scale != nil {
		scale := *s.Scale
		s.Scale = &scale
	}
	if s.ScoreTimes != nil {
		times := *s.ScoreTimes
		s.ScoreTimes = &times
	}
	s.Holdout = s.Holdout.clone()
	if s.Tasks != nil {
		s.Tasks = &TaskSettings{slices.Clone(s.Tasks.Names), s.Tasks.Measured, s.Tasks.Numbered}
	}
	s.Params, s.Operators, s.Loop.Forbidden = slices.Clone(s.Params), slices.Clone(s.Operators), slices.Clone(s.Loop.Forbidden)
	return s
}
