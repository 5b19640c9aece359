package answer

import (
	"fmt"
	"strings"

	"track"
)

func failingTable(seeds []track.FailingSeed) Table {
	const shownMetrics = 6
	t := Table{Name: "failing_seeds", Title: fmt.Sprintf("failing seeds (%d)", len(seeds)), Shown: 50, Columns: columns("seed", "outcome", "reason", "metrics").wrap("reason", "metrics")}
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
		t.Rows = append(t.Rows, []any{f.Number.String(), string(f.Outcome), Cell{shorten(f.Reason), f.Reason}, Cell{shown, all}})
	}
	return t
}
