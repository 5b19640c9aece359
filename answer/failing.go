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
	Reason        string           `json:"reason"`  // why it did not pass, in a few words
	Metrics       []FailingMetric  `json:"metrics"` // that failed, in the order of the spec
}

// FailingMetric is a metric that a seed failed.
type FailingMetric struct {
	Name    string  `json:"name"`
	Value   float64 `json:"value"`
	Missing bool    `json:"missing,omitzero"` // the seed has no value for it
}

func failingTable(seeds []FailingSeed) Table {
	const shownMetrics = 6
	t := Table{Name: "failing_seeds", Title: fmt.Sprintf("failing seeds (%d)", len(seeds)), Shown: 50, Columns: Columns("seed", "outcome", "reason", "metrics")}
	for _, f := range seeds {
		var names []string
		for _, m := range f.Metrics {
			names = append(names, m.Name)
		}
		all := strings.Join(names, ", ")
		shown := all
		if len(names) > shownMetrics {
			shown = fmt.Sprintf("%s and %d more", strings.Join(names[:shownMetrics], ", "), len(names)-shownMetrics)
		}
		t.Rows = append(t.Rows, []any{f.Seed.String(), string(f.Outcome), Cell{shorten(f.Reason), f.Reason}, Cell{shown, all}})
	}
	return t
}
