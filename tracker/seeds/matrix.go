package seeds

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"

	"track"
	"track/answer"
	"track/scoring"
	"track/store"
)

// ShowMatrix returns the status of many seeds at a glance.
func ShowMatrix(ctx context.Context, r *store.Reader, q answer.MatrixQuestion) (a answer.Matrix, err error) {
	var m matrix
	switch q.By {
	case answer.ByConfiguration:
		m, err = matrixOfConfigurations(ctx, r, q)
	case answer.ByScenario:
		m, err = matrixOfLabel(ctx, r, q)
	default:
		m, err = matrixOfMetrics(ctx, r, q)
	}
	if err != nil {
		return a, err
	}
	m.By, m.Scenario, m.Label = q.By, q.Of.Scenario, q.Label
	for i := range m.Items {
		m.Items[i].Count()
	}
	m.sortRows(q.Order)
	if q.SeedOrder == answer.OrderFailures {
		m.sortSeeds()
	}
	return m.page(q.Page)
}

// matrix is a matrix on its way.
type matrix struct{ answer.Matrix }

// matrixOfMetrics has a row for each metric of a configuration.
func matrixOfMetrics(ctx context.Context, r *store.Reader, q answer.MatrixQuestion) (m matrix, err error) {
	report, err := stability(ctx, r, q.Of, StabilityOptions{SpecVersion: q.Spec, Seeds: q.Seeds})
	if err != nil {
		return m, err
	}
	configuration := report.Configurations[0]
	list, err := seedStatuses(ctx, r, store.Selection{
		Scenario: q.Of.Scenario, Configurations: []int64{configuration.ID}, SpecID: report.Stored.ID, Seeds: q.Seeds,
	})
	if err != nil {
		return m, err
	}
	spec := specRef(report.Stored)
	m.Spec = &spec
	for _, s := range list {
		m.Seeds = append(m.Seeds, s.Number)
	}
	for k, metric := range report.Metrics {
		cells := make([]byte, len(list))
		for i, s := range list {
			cells[i] = metricCell(s, k)
		}
		m.Items = append(m.Items, answer.MatrixRow{
			Name: metric.Name, Scenario: q.Of.Scenario, Configuration: configuration.Hash, Score: metric.MeanScore, Cells: string(cells),
		})
	}
	return m, nil
}

// metricCell returns the cell of metric k of the spec.
func metricCell(s answer.SeedStatuses, k int) byte {
	switch {
	case s.Outcome != track.OutcomeOK:
		return answer.CellFailed
	case k >= len(s.Statuses):
		return answer.CellNoValue
	}
	switch s.Statuses[k].Status() {
	case scoring.Pass:
		return answer.CellPass
	case scoring.Warn:
		return answer.CellWarn
	case scoring.Fail:
		return answer.CellFail
	}
	return answer.CellNoValue
}

// matrixOfConfigurations has a row for each configuration of a scenario that the selector means, the newest first.
func matrixOfConfigurations(ctx context.Context, r *store.Reader, q answer.MatrixQuestion) (m matrix, err error) {
	choice, err := Choose(ctx, r, q.Of, true)
	if err != nil {
		return m, err
	}
	stored, _, err := LoadSpec(ctx, r, q.Of.Scenario, q.Spec)
	if err != nil {
		return m, err
	}
	spec := specRef(stored)
	m.Spec = &spec
	planned, err := plannedBy(ctx, r, q)
	if err != nil {
		return m, err
	}
	sel := store.Selection{Scenario: q.Of.Scenario, SpecID: stored.ID, Seeds: q.Seeds}
	swept := map[int64]track.SeedRanges{}
	for _, c := range choice.Configurations {
		if seeds, isPlanned := planned[c.Hash]; isPlanned || q.Sweep == "" {
			sel.Configurations, swept[c.ID] = append(sel.Configurations, c.ID), seeds
		}
	}
	if len(sel.Configurations) == 0 {
		return m, nil
	}
	rows, err := r.SeedScores(ctx, sel, false)
	if err != nil {
		return m, err
	}
	byConfiguration := map[int64][]store.Seed{}
	for _, row := range rows {
		if q.Sweep == "" || swept[row.Configuration].Contains(row.Number) {
			byConfiguration[row.Configuration] = append(byConfiguration[row.Configuration], row)
		}
	}
	var judged [][]store.Seed
	labels := map[string]int{}
	for _, c := range choice.Configurations {
		labels[c.Label]++
	}
	for _, c := range choice.Configurations {
		if list := byConfiguration[c.ID]; len(list) > 0 {
			name := cmp.Or(c.Label, track.ShortHash(c.Hash))
			if text := answer.ParamsText(c.Params); text != "" && labels[c.Label] > 1 { // the label alone does not tell them apart
				name += " " + text
			}
			m.Items = append(m.Items, answer.MatrixRow{Name: name, Scenario: q.Of.Scenario, Configuration: c.Hash})
			judged = append(judged, list)
		}
	}
	m.fill(judged)
	return m, nil
}

// plannedBy returns the seeds that the sweep of a question planned, by the hash of the configuration.
func plannedBy(ctx context.Context, r *store.Reader, q answer.MatrixQuestion) (map[string]track.SeedRanges, error) {
	if q.Sweep == "" {
		return nil, nil
	}
	s, err := FindSweep(ctx, r, q.Sweep)
	if err != nil {
		return nil, err
	}
	if s.Scenario != q.Of.Scenario {
		return nil, fmt.Errorf("%w: sweep %s is of the scenario %s, not %s", track.ErrInvalid, q.Sweep, s.Scenario, q.Of.Scenario)
	}
	planned := map[string]track.SeedRanges{}
	for _, p := range s.Planned {
		planned[p.Configuration.Hash()] = p.Seeds
	}
	return planned, nil
}

// matrixOfLabel has a row for each scenario: its newest configuration of a label.
func matrixOfLabel(ctx context.Context, r *store.Reader, q answer.MatrixQuestion) (m matrix, err error) {
	names, err := r.Scenarios(ctx)
	if err != nil {
		return m, err
	}
	var judged [][]store.Seed
	for _, name := range names {
		newest, err := listed(ctx, r, store.Candidates{Scenario: name, Label: &q.Label}, 1)
		if err != nil {
			return m, err
		}
		if len(newest) == 0 {
			continue
		}
		sel := store.Selection{Scenario: name, Configurations: []int64{newest[0].ID}, Seeds: q.Seeds}
		stored, _, err := LoadSpec(ctx, r, name, 0)
		if err != nil && !errors.Is(err, track.ErrNotFound) {
			return m, err
		}
		sel.SpecID = stored.ID // 0 without a spec: no seed is judged
		rows, err := r.SeedScores(ctx, sel, false)
		if err != nil {
			return m, err
		}
		m.Items = append(m.Items, answer.MatrixRow{Name: name, Scenario: name, Configuration: newest[0].Hash})
		judged = append(judged, rows)
	}
	if len(m.Items) == 0 {
		return m, fmt.Errorf("no scenario has a configuration with the label %q: %w", q.Label, track.ErrNotFound)
	}
	m.fill(judged)
	return m, nil
}

// fill fills in the cells and the scores of the rows. The columns are all seeds that some row has.
func (m *matrix) fill(rows [][]store.Seed) {
	columns := map[track.SeedNumber]int{}
	for _, list := range rows {
		for _, row := range list {
			columns[row.Number] = 0
		}
	}
	for number := range columns {
		m.Seeds = append(m.Seeds, number)
	}
	slices.Sort(m.Seeds)
	for i, number := range m.Seeds {
		columns[number] = i
	}
	for k, list := range rows {
		cells := slices.Repeat([]byte{answer.CellNotThere}, len(m.Seeds))
		var scores []float64
		for _, row := range list {
			cells[columns[row.Number]] = seedCell(row)
			if !math.IsNaN(row.TotalScore) {
				scores = append(scores, row.TotalScore)
			}
		}
		m.Items[k].Cells = string(cells)
		if of := scoring.NewMoments(scores); of.N > 0 {
			m.Items[k].Score = &of.Mean
		}
	}
}

// seedCell returns the cell of a seed as a whole.
func seedCell(row store.Seed) byte {
	switch {
	case !ranWell(row):
		return answer.CellFailed
	case !row.Assessed:
		return answer.CellUnjudged
	case row.NFail > 0:
		return answer.CellFail
	case math.IsNaN(row.TotalScore):
		return answer.CellNoValue
	case row.NWarn > 0:
		return answer.CellWarn
	}
	return answer.CellPass
}

func (m *matrix) sortRows(order string) {
	by := map[string]func(a, b answer.MatrixRow) int{
		answer.OrderScore: func(a, b answer.MatrixRow) int { return cmp.Compare(orNaN(a.Score), orNaN(b.Score)) },
		answer.OrderFailures: func(a, b answer.MatrixRow) int {
			return compareFailures(a.NFail, b.NFail, a.NFailed, b.NFailed, a.NWarn, b.NWarn)
		},
		answer.OrderName: func(a, b answer.MatrixRow) int { return cmp.Compare(a.Name, b.Name) },
	}[order]
	if by != nil {
		slices.SortStableFunc(m.Items, by)
	}
}

// compareFailures puts more failures first; pairs of numbers decide in their order.
func compareFailures(pairs ...int) int {
	for i := 0; i < len(pairs); i += 2 {
		if c := cmp.Compare(pairs[i+1], pairs[i]); c != 0 {
			return c
		}
	}
	return 0
}

// sortSeeds puts the seeds with the most failures first.
func (m *matrix) sortSeeds() {
	type column struct{ at, nFail, nFailed, nWarn int }
	columns := make([]column, len(m.Seeds))
	for i := range columns {
		columns[i].at = i
		for _, row := range m.Items {
			switch row.Cells[i] {
			case answer.CellFail:
				columns[i].nFail++
			case answer.CellFailed:
				columns[i].nFailed++
			case answer.CellWarn:
				columns[i].nWarn++
			}
		}
	}
	slices.SortStableFunc(columns, func(a, b column) int {
		return compareFailures(a.nFailed, b.nFailed, a.nFail, b.nFail, a.nWarn, b.nWarn)
	})
	seeds := make([]track.SeedNumber, len(columns))
	for i, c := range columns {
		seeds[i] = m.Seeds[c.at]
	}
	for k, row := range m.Items {
		cells := make([]byte, len(columns))
		for i, c := range columns {
			cells[i] = row.Cells[c.at]
		}
		m.Items[k].Cells = string(cells)
	}
	m.Seeds = seeds
}

// page returns a page of the rows.
func (m matrix) page(p answer.Page) (answer.Matrix, error) {
	key := func(row answer.MatrixRow) string { return row.Name + "@" + track.ShortHash(row.Configuration) }
	if p.After != "" {
		i := slices.IndexFunc(m.Items, func(row answer.MatrixRow) bool { return key(row) == p.After })
		if i < 0 {
			return m.Matrix, p.UnknownCursor()
		}
		m.Items = m.Items[i+1:]
	}
	if limit := p.PageLimit(); len(m.Items) > limit {
		m.Items, m.Next = m.Items[:limit], key(m.Items[limit-1])
	}
	if m.Items == nil {
		m.Items = []answer.MatrixRow{}
	}
	if m.Seeds == nil {
		m.Seeds = []track.SeedNumber{}
	}
	return m.Matrix, nil
}

// explainFailing gives seeds the reason why they did not pass, and leaves out their configuration unless several are
// mixed. The worst seed comes first.
func explainFailing(stored []track.FailingSeed, spec scoring.Spec, mixed bool) []track.FailingSeed {
	list := make([]track.FailingSeed, len(stored))
	bands := make(map[string][]scoring.Band, len(spec.Metrics))
	if len(stored) > 0 {
		for _, m := range spec.Metrics {
			bands[m.Name] = m.Bands()
		}
	}
	for i, seed := range stored {
		seed.Reason = whyFailing(seed)
		if !mixed {
			seed.Configuration = ""
		}
		if seed.Metrics == nil {
			seed.Metrics = []track.FailingMetric{}
		}
		for k := range seed.Metrics {
			m := &seed.Metrics[k]
			if outside := scoring.Outside(bands[m.Name], m.Value); !m.Missing && !math.IsInf(outside, 0) {
				m.Outside = &outside
			}
		}
		slices.SortStableFunc(seed.Metrics, func(a, b track.FailingMetric) int { return compareOutside(a.Outside, b.Outside) })
		list[i] = seed
	}
	slices.SortStableFunc(list, compareSeverity)
	return list
}

// compareSeverity puts first what did not run well, then what was not judged, and then seeds by the metric that is
// farthest outside of what it accepts; if that is equal, by the next one. Seeds that are alike keep the order of their
// numbers.
func compareSeverity(a, b track.FailingSeed) int {
	kind := func(f track.FailingSeed) int {
		switch {
		case f.Outcome != track.OutcomeOK:
			return 0
		case len(f.Metrics) == 0:
			return 1
		}
		return 2
	}
	if x, y := kind(a), kind(b); x != y || x != 2 {
		return cmp.Compare(x, y)
	}
	for k := range min(len(a.Metrics), len(b.Metrics)) {
		if c := compareOutside(a.Metrics[k].Outside, b.Metrics[k].Outside); c != 0 {
			return c
		}
	}
	return cmp.Compare(len(b.Metrics), len(a.Metrics))
}

// compareOutside puts the larger distance first. None stands for one that is beyond all numbers.
func compareOutside(a, b *float64) int {
	if a == nil || b == nil {
		return cmp.Compare(oneIf(a != nil), oneIf(b != nil))
	}
	return cmp.Compare(*b, *a)
}

func oneIf(yes bool) int {
	if yes {
		return 1
	}
	return 0
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
