package answer

import (
	"fmt"
	"slices"
	"strings"
	"unicode"

	"track"
	"track/scoring"
	"track/scoring/format"
)

// failuresTable counts the seeds that failed for the same reason, or in the same metric. A seed that failed several
// metrics counts in each. Messages that differ in numbers alone are one reason.
func failuresTable(seeds []track.FailingSeed) Table {
	type failure struct {
		reason string
		seeds  []track.SeedRange
	}
	var list []*failure
	known := map[string]*failure{}
	add := func(reason string, seed track.SeedNumber) {
		key := strings.Map(withoutDigits, reason)
		if known[key] == nil {
			known[key] = &failure{reason: reason}
			list = append(list, known[key])
		}
		known[key].seeds = append(known[key].seeds, track.SeedRange{First: seed, Last: seed})
	}
	for _, f := range seeds {
		for _, m := range f.Metrics {
			add("FAIL in "+m.Name, f.Number)
		}
		if len(f.Metrics) == 0 {
			add(strings.TrimSuffix(string(f.Outcome)+": "+f.Reason, ": "), f.Number)
		}
	}
	slices.SortStableFunc(list, func(a, b *failure) int { return len(b.seeds) - len(a.seeds) })
	t := Table{Name: "failures", Title: "why seeds failed", Shown: 20, Columns: columns("reason", "n", "seeds").wrap("reason", "seeds")}
	for _, f := range list {
		numbers := track.NewSeedRanges(f.seeds...).String()
		t.Rows = append(t.Rows, []any{Cell{Shorten(f.reason), f.reason}, len(f.seeds), Cell{Shorten(numbers), numbers}})
	}
	return t
}

// withoutDigits drops the digits of a text.
func withoutDigits(r rune) rune {
	if unicode.IsDigit(r) {
		return -1
	}
	return r
}

// failingTable lists seeds that did not pass, the worst first, with the values of the metrics that they failed next to
// their targets.
func failingTable(seeds []track.FailingSeed, metrics []scoring.MetricStability) Table {
	const shownMetrics = 4
	declared := make(map[string]scoring.MetricStability, len(metrics))
	for _, m := range metrics {
		declared[m.Name] = m
	}
	t := Table{Name: "failing_seeds", Title: fmt.Sprintf("failing seeds (%d), the worst first", len(seeds)), Shown: 10, Columns: Columns{
		{Name: "seed"}, {Name: "outcome"}, {Name: "reason"}, {Name: "outside", Head: "outside by"}, {Name: "metrics"},
	}.drop("outside").wrap("reason", "metrics")}
	for _, f := range seeds {
		var texts []string
		for _, m := range f.Metrics {
			texts = append(texts, missedText(m, declared[m.Name]))
		}
		all := strings.Join(texts, "; ")
		shown := all
		if len(texts) > shownMetrics {
			shown = fmt.Sprintf("%s and %d more", strings.Join(texts[:shownMetrics], "; "), len(texts)-shownMetrics)
		}
		t.Rows = append(t.Rows, []any{f.Number.String(), string(f.Outcome), Cell{Shorten(f.Reason), f.Reason}, outsideCell(f), Cell{shown, all}})
	}
	return t
}

// outsideCell returns a cell with how far the worst metric of a seed lies outside of what it accepts.
func outsideCell(f track.FailingSeed) any {
	if len(f.Metrics) == 0 {
		return nil
	}
	return optionalCell(f.Metrics[0].Outside, format.Share)
}

// missedText says what a seed measured and what the target is, such as "growth 0.02, target > 0.05".
func missedText(m track.FailingMetric, declared scoring.MetricStability) string {
	text := m.Name
	if m.Missing {
		return text + " missing"
	}
	text += " " + format.Value(m.Value, declared.Format)
	if declared.Target != "" {
		text += ", target " + declared.Target
	}
	return text
}
