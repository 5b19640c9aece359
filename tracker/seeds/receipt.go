package seeds

import (
	"encoding/hex"
	"fmt"

	"track"
	"track/answer"
	"track/scoring"
)

// Receipt returns what became of a seed that was handed over.
func (r RecordResult) Receipt(seed track.Seed) answer.SeedReceipt {
	a := answer.SeedReceipt{
		Scenario: seed.Scenario, Seed: seed.Number, Disposition: r.Disposition, Outcome: seed.Outcome,
		Configuration: track.RecordedConfiguration{Hash: seed.Configuration.Hash(), Configuration: seed.Configuration},
		Failed:        []string{}, Reasons: []string{}, Unknown: append([]string{}, r.Unknown...),
	}
	for _, f := range track.SortedArtifacts(seed.Artifacts) {
		kept := answer.SeedArtifact{Name: f.Name, Bytes: int64(len(f.Content)), LeftOut: f.LeftOut}
		if f.LeftOut == "" {
			hash := f.Hash()
			kept.Hash = hex.EncodeToString(hash[:])
		}
		a.Artifacts = append(a.Artifacts, kept)
	}
	if r.Disposition == track.Duplicate {
		return a
	}
	a.LikePercent = r.Percents
	a.Status, a.TotalScore = r.Status(seed.Outcome)
	if r.Assessment == nil || seed.Outcome != track.OutcomeOK {
		return a
	}
	a.SpecVersion, a.NPass, a.NWarn, a.NFail = &r.SpecVersion, r.Assessment.NPass, r.Assessment.NWarn, r.Assessment.NFail
	for _, result := range r.Assessment.Results {
		if result.Status == scoring.Fail {
			a.Failed, a.Reasons = append(a.Failed, result.Name), append(a.Reasons, result.Reason)
		}
	}
	return a
}

// Status returns the worst status of a recorded seed, and its total score; nil if it has none.
func (r RecordResult) Status(outcome track.Outcome) (status scoring.Status, total *float64) {
	if outcome != track.OutcomeOK {
		status = scoring.Fail
	}
	if a := r.Assessment; a != nil {
		if a.Scored {
			total = &a.TotalScore
		}
		for _, result := range a.Results {
			status = scoring.WorstStatus(status, result.Status)
		}
	}
	return status, total
}

// IsOfWithdrawnConfiguration reports whether a seed was not recorded because its configuration is withdrawn.
func (r RecordResult) IsOfWithdrawnConfiguration() bool {
	return r.Withdrawal != nil && r.Withdrawal.Kind == track.WithdrawnConfiguration
}

// Refusal returns why a seed was not recorded; nil if it was, or is a duplicate.
func (r RecordResult) Refusal(seed track.Seed) error {
	switch {
	case r.Disposition == track.Contradicted:
		hint := track.Hint{Text: "keep the given values"}.With("values-win", "")
		return track.WithHint(fmt.Errorf("record seed %s of %s: %w", seed.Number, seed.Scenario, r.Problem), hint)
	case r.Disposition == track.Misnamed:
		return r.Problem
	case r.Disposition == track.Withdrawn:
		if r.IsOfWithdrawnConfiguration() {
			return alreadyWithdrawn(fmt.Sprintf("seed %s of %s@%s", seed.Number, seed.Scenario, track.ShortHash(r.Withdrawal.Configuration)), *r.Withdrawal)
		}
		return alreadyWithdrawn(fmt.Sprintf("seed %s of %s with these values", seed.Number, seed.Scenario), *r.Withdrawal)
	case r.Disposition != track.Conflict:
		return nil
	}
	replace := track.Hint{Text: "record this seed, and keep the other as superseded"}.With("replace", "")
	if r.Outcome != seed.Outcome {
		return track.WithHint(fmt.Errorf("record seed: %w: seed %s of %s is recorded with outcome %s under this configuration, and now has %s",
			track.ErrConflict, seed.Number, seed.Scenario, r.Outcome, seed.Outcome), replace)
	}
	what := "values"
	if len(r.Differences) == 0 && len(r.Files) > 0 {
		what = "files"
	}
	err := fmt.Errorf("record seed: %w: seed %s of %s is recorded with other %s under this configuration: %s",
		track.ErrConflict, seed.Number, seed.Scenario, what, r.DescribeConflict(seed.Outcome))
	cause := track.Hint{Text: "either the simulation is not deterministic, or the configuration does not tell its runs apart: give a label, parameters or a commit"}
	return track.WithHint(track.WithHint(err, cause), replace)
}
