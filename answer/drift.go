package answer

import (
	"fmt"

	"track/scoring/format"
	"track/scoring/stats"
)

// MetricDrift is a series whose mean still drifts after the values that metrics skip, tested over seeds.
type MetricDrift struct {
	Metrics     []string `json:"metrics"`
	Series      string   `json:"series"`
	Skip        int      `json:"skip"`
	NSeeds      int      `json:"n_seeds"`
	stats.Drift          // z is Student's t over seeds, and p is corrected for the number of series
}

// Text says what drifts; of names the configuration of the seeds, as in " of growth@v1".
func (d MetricDrift) Text(of string) string {
	return fmt.Sprintf("%s, in %s%s; skip more", driftText(d.Series, d.Skip, d.Drift), format.Counted(d.NSeeds, "seed"), of)
}
