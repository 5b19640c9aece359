package answer

import (
	"fmt"
	"strings"

	"track"
)

// FailingSeed is a seed that did not pass.
type FailingSeed struct {
	Seed          track.SeedNumber `json:"seed"`
	Configuration string           `json:"configuration,omitempty"` // its hash, if several were mixed
	Outcome       track.Outcome    `json:"outcome"`
	Message       string           `json:"message,omitempty"`
	Metrics       []FailingMetric  `json:"metrics"` // that failed, in the order of the spec
}

// FailingMetric is a metric that a seed failed.
type FailingMetric struct {
	Name    string  `json:"name"`
	Value   float64 `json:"value"`
	Missing bool    `json:"missing,omitzero"` // the seed has no value for it
}

// Reason returns in a few words why the seed did not pass.
func (f FailingSeed) Reason() string {
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
