package reports

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"track/evolution"
	"track/reports/chart"
	"track/reports/document"
)

// The heat map of the path has so many tasks and versions; the others are counted.
const (
	mappedTasks    = 40
	mappedVersions = 12
)

// pathTasks shows the scores of the versions of the path on each task, as a picture and as a table.
func (l *lineageReport) pathTasks() []document.Block {
	path, _ := l.bestPath()
	all := len(path)
	if all > mappedVersions { // the first and the last
		path = slices.Concat(path[:1], path[all-mappedVersions+1:])
	}
	c := chart.Grid{Title: "Scores of " + l.Name + " by task", XLabel: "version", One: "task", Many: "tasks", Low: "worst", High: "best", Minimize: l.Settings.Scale != nil && l.Settings.Scale.Minimize}
	if l.Settings.Scale == nil {
		c.Scale = [2]float64{0, 100}
	}
	means := make([]map[string]evolution.TaskMean, len(path))
	for i, s := range path {
		v := l.versions[s.version]
		c.Columns, means[i] = append(c.Columns, s.version), evolution.TaskMeans(slices.Concat(v.Trials, v.Holdout))
	}
	tasks, held := l.tasksOf(path)
	if len(path) < 2 || len(tasks) < 2 {
		return nil
	}
	table := columns("task")
	for _, version := range c.Columns {
		table.Columns = append(table.Columns, columns("#"+version).Columns...)
	}
	for _, task := range tasks[:min(len(tasks), mappedTasks)] {
		row := chart.GridRow{Name: task}
		cells := []document.Text{codeCell(task)}
		if held[task] {
			row.Name += " (holdout)"
			cells[0] = append(cells[0], plain(" (holdout)"))
		}
		for i := range path {
			score, text := math.NaN(), cell("-")
			if m, has := means[i][task]; has {
				score = m.Mean()
				text = document.T(l.number(score))
			}
			row.Values, cells = append(row.Values, score), append(cells, text)
		}
		c.Rows, table.Rows = append(c.Rows, row), append(table.Rows, cells)
	}
	text := "Mean scores of the versions of the path on each task. The stronger the colour, the better the score."
	if left := len(tasks) - mappedTasks; left > 0 {
		text += fmt.Sprintf(" Not shown: %s.", counted(left, "task", "tasks"))
	}
	if left := all - len(path); left > 0 {
		text += fmt.Sprintf(" Not shown: %s after the first.", counted(left, "version", "versions"))
	}
	blocks := []document.Block{
		document.Heading{Level: 2, Text: "Scores of the path by task"}, paragraph(plain("%s", text)),
		document.Picture{Name: "tasks", Alt: "Scores of the versions of the path of " + l.Name + " on each task, as in the table below", Chart: c},
	}
	return append(blocks, folded(table, 0, "tasks, as a table")...)
}

// tasksOf returns the tasks that at least one version of a path has a score on, holdout tasks first.
func (l *lineageReport) tasksOf(path []step) (tasks []string, held map[string]bool) {
	held = map[string]bool{}
	for _, s := range path {
		v := l.versions[s.version]
		for task := range evolution.TaskMeans(v.Holdout) {
			tasks, held[task] = append(tasks, task), true
		}
		for task := range evolution.TaskMeans(v.Trials) {
			if task != evolution.TaskEvaluation && task != evolution.TaskMinibatch {
				tasks = append(tasks, task)
			}
		}
	}
	rank := func(task string) int {
		if held[task] {
			return 0
		}
		return 1
	}
	slices.SortFunc(tasks, func(a, b string) int {
		return cmp.Or(cmp.Compare(rank(a), rank(b)), cmp.Compare(len(a), len(b)), cmp.Compare(a, b))
	})
	return slices.Compact(tasks), held
}
