package ask

import (
	"track/access"
	"track/answer"
	"track/tracker/sweeps"
)

// Sweeps asks which sweeps are recorded.
func Sweeps() Def[answer.SweepsQuestion, answer.Sweeps] {
	return Def[answer.SweepsQuestion, answer.Sweeps]{
		Name: "sweep list", Scope: access.Read, Help: "list sweeps, the newest first",
		About:  "Shows for each sweep what was planned, what ran, and how it ended.",
		Params: (*answer.SweepsQuestion).Params, Read: sweeps.List, Live: true,
	}
}

// Sweep asks for a sweep with its provenance.
func Sweep() Def[answer.SweepQuestion, answer.Sweep] {
	return Def[answer.SweepQuestion, answer.Sweep]{
		Name: "sweep show", Scope: access.Read, Help: "show a sweep with its provenance: command, environment, changes of the code, libraries",
		About:  "SWEEP is its id, or the end of its id. Recognized secrets in the command, the changes and the libraries are masked.",
		Params: (*answer.SweepQuestion).Params, Read: sweeps.Show, Live: true,
	}
}

// PlanSweep asks for a plan of a sweep that other machines can run in parts.
func PlanSweep() Def[answer.SweepPlanQuestion, answer.SweepPlan] {
	return Def[answer.SweepPlanQuestion, answer.SweepPlan]{
		Name: "sweep plan", Scope: access.Read, Help: "write a sweep as a plan, in shards that other machines can run",
		About: `The plan holds the command, the configurations, the seeds, the revision of the code and the newest spec of the scenario, as JSON. Each
shard is a range of seeds of all configurations. Nothing is recorded.`,
		Params: (*answer.SweepPlanQuestion).Params, Read: sweeps.PlanFor,
	}
}
