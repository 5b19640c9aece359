package answer

import (
	"fmt"

	"track"
	"track/answer/param"
	"track/scoring/format"
)

// WithdrawSeedQuestion asks to take back what a seed measured.
type WithdrawSeedQuestion struct {
	Of   Selector
	Seed track.SeedNumber
	Change
}

func (q *WithdrawSeedQuestion) Params() param.List {
	return param.List{scenarioParam(&q.Of, "withdraw a seed of this scenario"), withdrawnSeedParam(&q.Seed, "withdraw this seed"), q.reasonParam()}
}

func withdrawnSeedParam(to *track.SeedNumber, help string) param.Param {
	p := seedParam(to)
	p.Help = help
	return p
}

// RestoreSeedQuestion asks to make a withdrawn seed count again.
type RestoreSeedQuestion struct {
	Of   Selector
	Seed track.SeedNumber
	Change
}

func (q *RestoreSeedQuestion) Params() param.List {
	return param.List{scenarioParam(&q.Of, "restore a seed of this scenario"), withdrawnSeedParam(&q.Seed, "restore this seed"), q.reasonParam()}
}

// WithdrawConfigurationQuestion asks to take back all seeds of a scenario under a configuration.
type WithdrawConfigurationQuestion struct {
	Of Selector
	Change
}

func (q *WithdrawConfigurationQuestion) Params() param.List {
	return param.List{scenarioParam(&q.Of, "withdraw this configuration"), q.reasonParam()}
}

// RestoreConfigurationQuestion asks to make the seeds of a withdrawn configuration count again.
type RestoreConfigurationQuestion struct {
	Of Selector
	Change
}

func (q *RestoreConfigurationQuestion) Params() param.List {
	return param.List{scenarioParam(&q.Of, "restore this configuration"), q.reasonParam()}
}

// WithdrawSweepQuestion asks to take back a sweep.
type WithdrawSweepQuestion struct {
	ID       string
	PlanOnly bool
	Change
}

func (q *WithdrawSweepQuestion) Params() param.List {
	return param.List{
		{Name: "sweep", Arg: true, Required: true, Unit: "SWEEP", Help: "withdraw the sweep with this id, or whose id ends so", Value: param.Text(&q.ID)},
		{Name: "plan-only", Help: "withdraw only the plan: the seeds that it ran still count", Value: param.Switch(&q.PlanOnly)},
		q.reasonParam(),
	}
}

// RestoreSweepQuestion asks to make a withdrawn sweep count again.
type RestoreSweepQuestion struct {
	ID string
	Change
}

func (q *RestoreSweepQuestion) Params() param.List {
	return param.List{
		{Name: "sweep", Arg: true, Required: true, Unit: "SWEEP", Help: "restore the sweep with this id, or whose id ends so", Value: param.Text(&q.ID)},
		q.reasonParam(),
	}
}

// WithdrawalReceipt says what was withdrawn or restored.
type WithdrawalReceipt struct {
	track.Withdrawal `json:",embed"`
	NWithdrawn       int `json:"n_withdrawn"` // seeds that do not count any more
	NRestored        int `json:"n_restored"`  // seeds that count again
}

func (a WithdrawalReceipt) Lead() []Sentence {
	n := format.Counted(a.NWithdrawn, "seed")
	if a.NWithdrawn == 1 {
		n += " does not count any more"
	} else {
		n += " do not count any more"
	}
	if a.Action == track.ActionRestored {
		n = format.Counted(a.NRestored, "seed") + map[bool]string{true: " counts again", false: " count again"}[a.NRestored == 1]
	}
	return []Sentence{{Kind: Heading, Text: fmt.Sprintf("%s %s: %s", withdrawnSubject(a.Withdrawal), a.Action, n)}}
}

// withdrawnSubject names what was withdrawn.
func withdrawnSubject(w track.Withdrawal) string {
	of := Selector{w.Scenario, track.ShortHash(w.Configuration)}.String()
	switch w.Kind {
	case track.WithdrawnSeed:
		return fmt.Sprintf("seed %s of %s", w.Seed, of)
	case track.WithdrawnSweep:
		return "sweep " + track.ShortID(w.Sweep)
	}
	return of
}

func (a WithdrawalReceipt) Tables() []Table {
	return []Table{{
		Name: "withdrawal", ForPrograms: true, Columns: columns("kind", "action", "scenario", "configuration", "seed", "sweep", "n_withdrawn", "n_restored"),
		Rows: [][]any{{string(a.Kind), string(a.Action), a.Scenario, a.Configuration, seedOrNothing(a.Seed), a.Sweep, a.NWithdrawn, a.NRestored}},
	}}
}

func seedOrNothing(number *track.SeedNumber) any {
	if number == nil {
		return nil
	}
	return *number
}
