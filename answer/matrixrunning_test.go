package answer_test

import (
	"slices"
	"testing"

	"track"
	"track/answer"
)

// Running seeds get cells in the rows of their configurations, and columns if nobody has recorded them.
func TestMatrixWithRunning(t *testing.T) {
	configurations := []answer.ConfigurationProgress{{Configuration: "a", Running: []track.SeedNumber{2, 1, 9}}, {Configuration: "b", Running: []track.SeedNumber{3}}}
	for _, c := range []struct {
		name          string
		seeds         []track.SeedNumber
		a, b          string
		want          []track.SeedNumber
		wantA, wantB  string
		configuration []answer.ConfigurationProgress
	}{
		{"by number", []track.SeedNumber{1, 3}, "+_", "/x", []track.SeedNumber{1, 2, 3, 9}, "+>_>", "/_x_", configurations},
		{"by failures", []track.SeedNumber{3, 1}, "_+", "_/", []track.SeedNumber{3, 1, 2, 9}, "_+>>", ">/__", configurations},
		{"nobody", []track.SeedNumber{1, 3}, "+_", "/x", []track.SeedNumber{1, 3}, "+_", "/x", nil},
	} {
		m := answer.Matrix{Seeds: c.seeds, List: answer.List[answer.MatrixRow]{Items: []answer.MatrixRow{{Configuration: "a", Cells: c.a}, {Configuration: "b", Cells: c.b}}}}
		got := m.WithRunning(c.configuration)
		if !slices.Equal(got.Seeds, c.want) || got.Items[0].Cells != c.wantA || got.Items[1].Cells != c.wantB {
			t.Errorf("%s: %v %q %q, want %v %q %q", c.name, got.Seeds, got.Items[0].Cells, got.Items[1].Cells, c.want, c.wantA, c.wantB)
		}
		if m.Items[0].Cells != c.a || len(m.Seeds) != 2 {
			t.Errorf("%s: the matrix was changed", c.name)
		}
	}
}
