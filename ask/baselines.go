package ask

import (
	"track/access"
	"track/answer"
	"track/tracker/seeds"
)

// SetBaseline asks to pin a configuration as the baseline of its scenario.
func SetBaseline() Def[answer.SetBaselineQuestion, answer.BaselineChange] {
	return Def[answer.SetBaselineQuestion, answer.BaselineChange]{
		Name: "baseline set", Scope: access.Decide, Help: "pin a configuration of a scenario",
		About:  "Without a configuration, pins the most recent one. The pin is recorded with who, when, why, and what it replaced.",
		Params: (*answer.SetBaselineQuestion).Params, Write: seeds.SetBaseline,
	}
}

// UnsetBaseline asks to remove the pin of a scenario.
func UnsetBaseline() Def[answer.UnsetBaselineQuestion, answer.BaselineChange] {
	return Def[answer.UnsetBaselineQuestion, answer.BaselineChange]{
		Name: "baseline unset", Scope: access.Decide, Help: "remove the pin of a scenario",
		About:  "Earlier pins stay recorded.",
		Params: (*answer.UnsetBaselineQuestion).Params, Write: seeds.UnsetBaseline,
	}
}

// Baseline asks for the pins of a scenario.
func Baseline() Def[answer.BaselineQuestion, answer.Baselines] {
	return Def[answer.BaselineQuestion, answer.Baselines]{
		Name: "baseline show", Scope: access.Read, Help: "show the baseline of a scenario, and earlier ones",
		About:  "The newest comes first: it is the active one.",
		Params: (*answer.BaselineQuestion).Params, Read: seeds.ShowBaseline,
	}
}

// Baselines asks which baselines are pinned.
func Baselines() Def[answer.BaselinesQuestion, answer.Baselines] {
	return Def[answer.BaselinesQuestion, answer.Baselines]{
		Name: "baseline list", Scope: access.Read, Help: "list the active baselines of all scenarios",
		Params: (*answer.BaselinesQuestion).Params, Read: seeds.ListBaselines,
	}
}
