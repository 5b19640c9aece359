package seeds

import (
	"math"
	"testing"

	"track"
	"track/answer"
)

// At the first point the values are 1, 2, 3 and 4: by hand, quartiles of type 7 are 1.75, 2.5 and 3.25. At the last one
// one seed has ended, and one has no number.
func TestFillBand(t *testing.T) {
	t.Parallel()
	a := answer.SeriesBands{N: 3, Seeds: make([]answer.BandSeed, 4)}
	fillBand(&a, [][]float64{{4, 0, 8}, {2, 0}, {1, 0, math.NaN()}, {3, 0, 6}}, 2)
	want := []answer.BandPoint{{At: 0, N: 4, Low: 1, Q1: 1.75, Median: 2.5, Q3: 3.25, High: 4}, {At: 2, N: 2, Low: 6, Q1: 6.5, Median: 7, Q3: 7.5, High: 8}}
	if len(a.Points) != 2 || a.Points[0] != want[0] || a.Points[1] != want[1] {
		t.Errorf("%+v, want %+v", a.Points, want)
	}
	if got := a.Seeds[3].Values; len(got) != 2 || got[0] != 3 || got[1] != 6 {
		t.Errorf("values of the last seed: %v", got)
	}
}

// The most failures come first: of seeds those that failed as a whole, then FAIL, then WARN.
func TestSortMatrix(t *testing.T) {
	t.Parallel()
	m := matrix{answer.Matrix{By: answer.ByMetric, List: answer.List[answer.MatrixRow]{Items: []answer.MatrixRow{
		{Name: "b", Cells: "+/x!"}, {Name: "a", Cells: "+/+!"}, {Name: "c", Cells: "xxx!"},
	}}}}
	for i := range 4 {
		m.Seeds = append(m.Seeds, []track.SeedNumber{10, 11, 12, 13}[i])
	}
	for i := range m.Items {
		m.Items[i].Count()
	}
	m.sortRows(answer.OrderFailures)
	m.sortSeeds()
	if got := m.Items[0].Name + m.Items[1].Name + m.Items[2].Name; got != "cba" {
		t.Errorf("rows %s, want cba", got)
	}
	if m.Items[0].Cells != "!xxx" || m.Items[1].Cells != "!x/+" || m.Items[2].Cells != "!+/+" || m.Seeds[0] != 13 || m.Seeds[1] != 12 {
		t.Errorf("cells %+v, seeds %v", m.Items, m.Seeds)
	}
}
