package ask

import (
	"track/access"
	"track/answer"
	"track/tracker/seeds"
	"track/tracker/sweeps"
)

const aboutWithdrawn = `What is withdrawn is kept, with the reason, and is left out of every aggregate, count and interim analysis. Recording or merging it again
does not bring it back; restoring it does. A merge carries both: of two that are about the same, the later one counts.`

// WithdrawSeed asks to take back what a seed measured.
func WithdrawSeed() Def[answer.WithdrawSeedQuestion, answer.WithdrawalReceipt] {
	return Def[answer.WithdrawSeedQuestion, answer.WithdrawalReceipt]{
		Name: "withdraw seed", Scope: access.Decide, Help: "withdraw what a seed measured",
		About:  aboutWithdrawn + " Another measurement of the seed can be recorded in its place.",
		Params: (*answer.WithdrawSeedQuestion).Params, Write: seeds.WithdrawSeed,
	}
}

// RestoreSeed asks to make a withdrawn seed count again.
func RestoreSeed() Def[answer.RestoreSeedQuestion, answer.WithdrawalReceipt] {
	return Def[answer.RestoreSeedQuestion, answer.WithdrawalReceipt]{
		Name: "restore seed", Scope: access.Decide, Help: "restore a withdrawn seed",
		About:  "The seed counts again, unless another measurement has its place.",
		Params: (*answer.RestoreSeedQuestion).Params, Write: seeds.RestoreSeed,
	}
}

// WithdrawConfiguration asks to take back all seeds of a scenario under a configuration.
func WithdrawConfiguration() Def[answer.WithdrawConfigurationQuestion, answer.WithdrawalReceipt] {
	return Def[answer.WithdrawConfigurationQuestion, answer.WithdrawalReceipt]{
		Name: "withdraw configuration", Scope: access.Decide, Help: "withdraw all seeds of a scenario under a configuration",
		About:  aboutWithdrawn + " No seed can be recorded under a withdrawn configuration.",
		Params: (*answer.WithdrawConfigurationQuestion).Params, Write: seeds.WithdrawConfiguration,
	}
}

// RestoreConfiguration asks to make the seeds of a withdrawn configuration count again.
func RestoreConfiguration() Def[answer.RestoreConfigurationQuestion, answer.WithdrawalReceipt] {
	return Def[answer.RestoreConfigurationQuestion, answer.WithdrawalReceipt]{
		Name: "restore configuration", Scope: access.Decide, Help: "restore a withdrawn configuration",
		About:  "Its seeds count again, except those that were withdrawn alone.",
		Params: (*answer.RestoreConfigurationQuestion).Params, Write: seeds.RestoreConfiguration,
	}
}

// WithdrawSweep asks to take back a sweep.
func WithdrawSweep() Def[answer.WithdrawSweepQuestion, answer.WithdrawalReceipt] {
	return Def[answer.WithdrawSweepQuestion, answer.WithdrawalReceipt]{
		Name: "withdraw sweep", Scope: access.Decide, Help: "withdraw a sweep that was a mistake: its plan and its seeds",
		About:  "Seeds that the sweep planned and did not run are no longer missing. " + aboutWithdrawn,
		Params: (*answer.WithdrawSweepQuestion).Params, Write: sweeps.Withdraw,
	}
}

// RestoreSweep asks to make a withdrawn sweep count again.
func RestoreSweep() Def[answer.RestoreSweepQuestion, answer.WithdrawalReceipt] {
	return Def[answer.RestoreSweepQuestion, answer.WithdrawalReceipt]{
		Name: "restore sweep", Scope: access.Decide, Help: "restore a withdrawn sweep",
		About:  "Its plan counts again, and so do the seeds that were withdrawn with it.",
		Params: (*answer.RestoreSweepQuestion).Params, Write: sweeps.Restore,
	}
}
