package seeds

import (
	"fmt"
	"strings"

	"track"
)

// explainFailing gives seeds the reason why they did not pass, and leaves out their configuration unless several are
// mixed.
func explainFailing(stored []track.FailingSeed, mixed bool) []track.FailingSeed {
	list := make([]track.FailingSeed, len(stored))
	for i, seed := range stored {
		seed.Reason = whyFailing(seed)
		if !mixed {
			seed.Configuration = ""
		}
		if seed.Metrics == nil {
			seed.Metrics = []track.FailingMetric{}
		}
		list[i] = seed
	}
	return list
}

// whyFailing returns in a few words why a seed did not pass. Its Reason is the message that it was recorded with.
func whyFailing(seed track.FailingSeed) string {
	if seed.Outcome != track.OutcomeOK {
		if seed.Reason != "" {
			return seed.Reason
		}
		return string(seed.Outcome)
	}
	var missing []string
	for _, m := range seed.Metrics {
		if m.Missing {
			missing = append(missing, m.Name)
		}
	}
	if len(missing) > 0 {
		return "missing " + strings.Join(missing, ", ")
	}
	return fmt.Sprintf("%d failed", len(seed.Metrics))
}
