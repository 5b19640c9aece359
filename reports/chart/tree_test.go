package chart_test

import (
	"strconv"

	"track/reports/chart"
)

func treeExamples() []example {
	nodes := []chart.TreeNode{
		{Name: "v001", Decision: chart.Root, Height: 30, OnPath: true}, {Name: "v002", Decision: chart.Accepted, Height: 60, OnPath: true, Parents: []int{0}},
		{Name: "v003", Decision: chart.Rejected, Lane: 1, Height: 10, Parents: []int{0}}, {Name: "v004", Decision: chart.Refused, Lane: 1, Parents: []int{1}},
		{Name: longName, Decision: chart.Undecided, Lane: 1, Height: 50, Parents: []int{1, 2}}, {Name: "v006", Decision: chart.Failed, Parents: []int{1}},
		{Name: "v007", Decision: chart.Accepted, Height: 100, Active: true, OnPath: true, Parents: []int{1, 4, 99}},
	}
	many := chart.Tree{Title: "Many versions", Lanes: make([]string, 12)}
	for i := range 120 {
		many.Nodes = append(many.Nodes, chart.TreeNode{Name: "v" + strconv.Itoa(i), Decision: chart.Decision(i % 5), Lane: i % 12, Height: 15 * (i % 7), Parents: []int{i - 12}})
	}
	return []example{
		{"tree", chart.Tree{Title: "Tree of sepa", Lanes: []string{"island 0", longName}, Nodes: nodes}}, {"tree_many", many},
		{"tree_hostile", chart.Tree{Title: hostile, Lanes: []string{hostile}, Nodes: []chart.TreeNode{{Name: hostile, Lane: 9, Height: -1, Decision: 99}}}}, {"tree_empty", chart.Tree{Title: "None"}},
	}
}
