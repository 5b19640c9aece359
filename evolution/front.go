package evolution

import (
	"cmp"
	"slices"
)

// Front reports which points are on the Pareto front of two objectives, of which more is better: no other point is at
// least as good in both and better in one. Equal points are on it together. It takes n·log(n) steps.
func Front(points [][2]float64) []bool {
	order := make([]int, len(points))
	for i := range order {
		order[i] = i
	}
	slices.SortFunc(order, func(a, b int) int {
		return cmp.Or(cmp.Compare(points[b][0], points[a][0]), cmp.Compare(points[b][1], points[a][1]))
	})
	on := make([]bool, len(points))
	last := -1 // the newest point of the front: the best in the second objective of those so far
	for _, i := range order {
		if last < 0 || points[i] == points[last] || points[i][1] > points[last][1] {
			on[i], last = true, i
		}
	}
	return on
}
