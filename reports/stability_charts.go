package reports

import (
	"fmt"
	"math"
	"slices"

	"track"
	"track/answer"
	"track/reports/chart"
	"track/reports/document"
	"track/scoring"
	"track/scoring/format"
)

const unitOfScores = "total score (0 to 1)"

// chartStatuses are the statuses as charts have them.
var chartStatuses = map[scoring.Status]chart.Status{scoring.Pass: chart.Pass, scoring.Warn: chart.Warn, scoring.Fail: chart.Fail}

// statusCounts are numbers of statuses. A report counts millions of them.
type statusCounts [4]int

func (c statusCounts) of(s scoring.Status) int { return c[scoring.Pack(s)] }

// heatMap has a row for each metric, in the order given, and a column for each seed.
func (d stabilityReport) heatMap(metrics []scoring.MetricStability) []document.Block {
	h := chart.HeatMap{Title: "Metrics of " + d.Scenario + " by seed", XLabel: "seed"}
	nFailed := 0
	for _, s := range d.Seeds {
		failed := s.Outcome != track.OutcomeOK
		if failed {
			nFailed++
		}
		h.Seeds = append(h.Seeds, chart.HeatColumn{Label: s.Number.String(), Failed: failed})
	}
	var counts statusCounts
	var packed [len(counts)]chart.Status
	for status, of := range chartStatuses {
		packed[scoring.Pack(status)] = of
	}
	for _, m := range metrics {
		position := slices.IndexFunc(d.Spec.Declared.Metrics, func(declared scoring.Metric) bool { return declared.Name == m.Name })
		row := chart.HeatRow{Name: m.Name, Cells: make([]chart.Status, len(d.Seeds))}
		for i, s := range d.Seeds {
			if position >= 0 && position < len(s.Statuses) {
				row.Cells[i] = packed[s.Statuses[position]]
				counts[s.Statuses[position]]++
			}
		}
		h.Rows = append(h.Rows, row)
	}
	alt := fmt.Sprintf("Status of %s in %s: PASS %d, WARN %d, FAIL %d", format.Counted(len(metrics), "metric"), format.Counted(len(d.Seeds), "seed"),
		counts.of(scoring.Pass), counts.of(scoring.Warn), counts.of(scoring.Fail))
	if n := counts.of(""); n > 0 {
		alt += fmt.Sprintf(", no value %d", n)
	}
	if nFailed > 0 {
		alt += fmt.Sprintf("; %s", format.Counted(nFailed, "failed seed"))
	}
	return []document.Block{heading("Metric by seed"), document.Picture{Name: "heatmap", Alt: alt + ".", Chart: h}}
}

// scores returns the total scores of all seeds.
func (d stabilityReport) scores() []document.Block {
	e := d.Stability.Estimates
	c := chart.Distribution{
		Title: "Total scores of " + d.Scenario, XLabel: unitOfScores,
		Failed: d.Stability.NSeeds - d.Stability.NOK, Missing: d.Stability.NOK - d.Stability.NScored,
		Interval: format.Confidence(e.OfRan.Interval.Confidence) + " " + e.OfRan.Interval.Method + " interval", Lo: 0, Hi: 1,
	}
	for _, s := range d.Seeds {
		if s.Scored {
			c.Values, c.Labels = append(c.Values, s.Score), append(c.Labels, s.Number.String())
		}
	}
	alt := "Total scores of " + format.Counted(d.Stability.NScored, "seed")
	if c.Failed > 0 {
		alt += "; " + format.Counted(c.Failed, "failed seed") + " without a score"
	}
	if c.Missing > 0 {
		alt += "; " + format.Counted(c.Missing, "seed") + " without a score because values are missing"
	}
	if e.NScored > 0 {
		c.Mean = &chart.Estimate{N: e.NScored, Mean: e.OfRan.Value, Lo: math.NaN(), Hi: math.NaN()}
		alt += fmt.Sprintf("; score of seeds that ran %s", format.Four(e.OfRan.Value))
		if wide(e.OfRan.Interval) {
			c.Mean.Lo, c.Mean.Hi = e.OfRan.Interval.Lo, e.OfRan.Interval.Hi
			alt += fmt.Sprintf(" (%s %s)", c.Interval, format.Interval(e.OfRan.Interval, format.Four))
		}
	}
	blocks := []document.Block{heading("Scores over seeds"), document.Picture{Name: "scores", Alt: alt + ".", Chart: c}}
	return append(blocks, d.seedTable()...)
}

// seedTable has the score of each seed, the lowest first; of very many the lowest alone.
func (d stabilityReport) seedTable() []document.Block {
	const most = 500
	seeds := slices.DeleteFunc(slices.Clone(d.Seeds), func(s answer.SeedStatuses) bool { return !s.Scored })
	slices.SortStableFunc(seeds, func(a, b answer.SeedStatuses) int { return worse(a.Score, b.Score) })
	rest := "seeds, the lowest score first"
	if len(seeds) > most {
		rest += fmt.Sprintf("; %d higher ones are left out: track seeds lists all", len(seeds)-most)
		seeds = seeds[:most]
	}
	t := columns("#seed", "#score", "#PASS", "#WARN", "#FAIL", "#no value")
	for _, s := range seeds {
		var counts statusCounts
		for _, status := range s.Statuses {
			counts[status]++
		}
		t.Rows = append(t.Rows, []document.Text{
			document.T(s.Number.String()), document.T(format.Four(s.Score)), cell("%d", counts.of(scoring.Pass)), cell("%d", counts.of(scoring.Warn)),
			cell("%d", counts.of(scoring.Fail)), cell("%d", counts.of("")),
		})
	}
	if len(seeds) == 0 {
		return nil
	}
	return folded(t, 0, rest)
}
