package seeds

import (
	"fmt"
	"strings"

	"track"
	"track/answer"
	"track/store"
)

// newFailingSeed returns a failing seed as answers have it.
func newFailingSeed(f store.FailingSeed) answer.FailingSeed {
	seed := answer.FailingSeed{Seed: f.Number, Outcome: f.Outcome, Reason: whyFailing(f), Metrics: []answer.FailingMetric{}}
	for _, m := range f.Metrics {
		seed.Metrics = append(seed.Metrics, answer.FailingMetric(m))
	}
	return seed
}

// whyFailing returns in a few words why a seed did not pass.
func whyFailing(f store.FailingSeed) string {
	if f.Outcome != track.OutcomeOK {
		if f.Message != "" {
			return f.Message
		}
		return string(f.Outcome)
	}
	var missing []string
	for _, m := range f.Metrics {
		if m.Missing {
			missing = append(missing, m.Name)
		}
	}
	if len(missing) > 0 {
		return "missing " + strings.Join(missing, ", ")
	}
	return fmt.Sprintf("%d failed", len(f.Metrics))
}
