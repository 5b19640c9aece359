package answer

import (
	"slices"

	"track"
)

// WithRunning returns the matrix with the seeds that processes run for its configurations. Recorded ones keep their
// cells.
func (a Matrix) WithRunning(configurations []ConfigurationProgress) Matrix {
	running := map[string][]track.SeedNumber{}
	for _, c := range configurations {
		running[c.Configuration] = c.Running
	}
	added := a.addSeeds(running)
	a.Items = slices.Clone(a.Items)
	for i, row := range a.Items {
		cells := []byte(row.Cells)
		for _, at := range added {
			cells = slices.Insert(cells, at, CellNotThere)
		}
		for _, number := range running[row.Configuration] {
			if at := slices.Index(a.Seeds, number); cells[at] == CellNotThere {
				cells[at] = CellRunning
			}
		}
		a.Items[i].Cells = string(cells)
	}
	return a
}

// addSeeds adds columns for the running seeds of the rows: in their place if the columns are sorted by number, else at
// the end. It returns where they are, in the order in which they were added.
func (a *Matrix) addSeeds(running map[string][]track.SeedNumber) (added []int) {
	a.Seeds = slices.Clone(a.Seeds)
	isSorted := slices.IsSorted(a.Seeds)
	for _, row := range a.Items {
		for _, number := range running[row.Configuration] {
			at := slices.Index(a.Seeds, number)
			if at >= 0 {
				continue
			}
			if at = len(a.Seeds); isSorted {
				at, _ = slices.BinarySearch(a.Seeds, number)
			}
			a.Seeds = slices.Insert(a.Seeds, at, number)
			added = append(added, at)
		}
	}
	return added
}
