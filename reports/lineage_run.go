package reports

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"track/evolution"
	"track/reports/document"
	"track/scoring/format"
)

// runProgram is a program of a run of another evolver.
type runProgram struct {
	id, version string
	origin      evolution.Origin
	operator    string
	scores      []float64
	failed      int
}

// mean returns the mean of the scores of a program; ok is false if it has none.
func (p runProgram) mean() (mean float64, ok bool) {
	if len(p.scores) == 0 {
		return 0, false
	}
	return average(p.scores), true
}

// runSections say what a run of another evolver did: its generations, its islands, and its scores on single tasks.
func (l *lineageReport) runSections() (blocks []document.Block) {
	if !l.isImported() {
		return nil
	}
	programs := l.programs()
	blocks = append(blocks, l.generations(programs)...)
	blocks = append(blocks, l.islands(programs)...)
	return append(blocks, l.tasks()...)
}

// programOf returns the source and the program that an imported trial belongs to; empty for another trial.
func programOf(t evolution.Trial) (source, program string) {
	source, program, imported := strings.Cut(t.ID, ":")
	if !imported {
		return "", ""
	}
	return source, strings.TrimSuffix(program, "/"+t.Key) // of a trial on a task of several
}

// programs returns the programs of the run, by generation, then iteration, then id.
func (l *lineageReport) programs() (list []runProgram) {
	byID := map[string]*runProgram{}
	for _, v := range l.Versions {
		for _, t := range v.Trials {
			_, id := programOf(t)
			if id == "" {
				continue
			}
			p := byID[id]
			if p == nil {
				m := l.mutations[id]
				p = &runProgram{id: id, version: v.Label, operator: m.Operator}
				if m.Origin != nil {
					p.origin = *m.Origin
				}
				byID[id] = p
			}
			if t.Failed != "" {
				p.failed++
			} else {
				p.scores = append(p.scores, *t.Score)
			}
		}
	}
	for _, id := range slices.Sorted(maps.Keys(byID)) {
		list = append(list, *byID[id])
	}
	number := func(n *int) int { return *cmp.Or(n, new(int)) }
	slices.SortStableFunc(list, func(a, b runProgram) int {
		return cmp.Or(cmp.Compare(number(a.origin.Generation), number(b.origin.Generation)), cmp.Compare(number(a.origin.Iteration), number(b.origin.Iteration)))
	})
	return list
}

// isBetter reports whether a score is better than another.
func (l *lineageReport) isBetter(a, b float64) bool {
	return l.Settings.Scale.Gain(a) > l.Settings.Scale.Gain(b)
}

// better and best are what scores are called that are better, or the best.
func (l *lineageReport) better() string {
	if l.isBetter(0, 1) {
		return "lower"
	}
	return "higher"
}

func (l *lineageReport) best() string {
	if l.isBetter(0, 1) {
		return "lowest"
	}
	return "highest"
}

// group is what several programs of a run have in common.
type group struct {
	n, failed int
	scores    []float64
	best      *runProgram
}

func (l *lineageReport) grouped(programs []runProgram, by func(p runProgram) *int) map[int]*group {
	groups := map[int]*group{}
	for i, p := range programs {
		key := by(p)
		if key == nil {
			continue
		}
		g := groups[*key]
		if g == nil {
			g = &group{}
			groups[*key] = g
		}
		g.n++
		mean, ok := p.mean()
		if !ok {
			g.failed++
			continue
		}
		g.scores = append(g.scores, mean)
		if best := g.best; best == nil || l.isBetter(mean, average(best.scores)) {
			g.best = &programs[i]
		}
	}
	return groups
}

// cells returns the number of programs of a group, its mean and its best.
func (l *lineageReport) cells(g *group) []document.Text {
	if g.best == nil {
		return []document.Text{cell("%d", g.n), cell("%d", g.failed), cell("-"), cell("-"), cell("-")}
	}
	mean, best := average(g.scores), average(g.best.scores)
	return []document.Text{cell("%d", g.n), cell("%d", g.failed), document.T(l.number(mean)), document.T(l.number(best)), codeCell(g.best.version)}
}

// generations tells what each generation found, and the best so far.
func (l *lineageReport) generations(programs []runProgram) []document.Block {
	groups := l.grouped(programs, func(p runProgram) *int {
		if _, made := l.mutations[p.id]; !made && p.origin.Generation == nil {
			return new(int) // the run began with it
		}
		return p.origin.Generation
	})
	if len(groups) < 2 {
		return nil
	}
	t := columns("#generation", "#programs", "#failed", "#mean score", "#best score", "version", "#best so far")
	var most *runProgram
	for _, generation := range slices.Sorted(maps.Keys(groups)) {
		g, so := groups[generation], "-"
		if g.best != nil && (most == nil || l.isBetter(average(g.best.scores), average(most.scores))) {
			most = g.best
		}
		if most != nil {
			so = l.number(average(most.scores))
		}
		t.Rows = append(t.Rows, append(append([]document.Text{cell("%d", generation)}, l.cells(g)...), document.T(so)))
	}
	blocks := []document.Block{document.Heading{Level: 2, Text: "Generations"}}
	return append(blocks, folded(t, 30, "the later generations")...)
}

// islands tells what each island found.
func (l *lineageReport) islands(programs []runProgram) []document.Block {
	groups := l.grouped(programs, func(p runProgram) *int { return p.origin.Island })
	if len(groups) == 0 {
		return nil
	}
	migrants := map[int]int{}
	for _, p := range programs {
		if p.operator == "migration" && p.origin.Island != nil {
			migrants[*p.origin.Island]++
		}
	}
	t := columns("#island", "#programs", "#failed", "#mean score", "#best score", "version", "#migrants")
	for _, island := range slices.Sorted(maps.Keys(groups)) {
		t.Rows = append(t.Rows, append(append([]document.Text{cell("%d", island)}, l.cells(groups[island])...), cell("%d", migrants[island])))
	}
	text := "A program without an island, such as the first, is not counted."
	return append([]document.Block{document.Heading{Level: 2, Text: "Islands"}}, t, paragraph(plain("%s", text)))
}

// tasks tells which versions are the best on single tasks, and all scores.
func (l *lineageReport) tasks() []document.Block {
	const mostShown = 12
	scores, names := l.taskScores()
	if len(names) == 0 {
		return nil
	}
	front := l.front(scores, names)
	t := columns("version", "#mean score", "#best on", "#alone")
	for _, f := range front {
		mean, _ := l.mean(f.version)
		t.Rows = append(t.Rows, []document.Text{codeCell(f.version), document.T(l.number(mean)), cell("%d", f.best), cell("%d", f.alone)})
	}
	blocks := []document.Block{
		document.Heading{Level: 2, Text: "Pareto front"},
		paragraph(plain("%s the best score on at least one of %s. Alone are tasks on which no other version has that score.", counted(len(front), "version has", "versions have"), counted(len(names), "task", "tasks"))),
	}
	blocks = append(blocks, folded(t, mostShown, "the most tasks first")...)
	shown := front[:min(len(front), mostShown)]
	header := []string{"task"}
	for _, f := range shown {
		header = append(header, "#"+f.version)
	}
	all := columns(header...)
	var shownScores []float64
	for _, f := range shown {
		shownScores = slices.AppendSeq(shownScores, maps.Values(scores[f.version]))
	}
	number := format.Aligned(shownScores)
	for _, name := range names {
		row := []document.Text{codeCell(name)}
		for _, f := range shown {
			if score, has := scores[f.version][name]; has {
				row = append(row, document.T(number(score)))
			} else {
				row = append(row, cell("-"))
			}
		}
		all.Rows = append(all.Rows, row)
	}
	blocks = append(blocks, document.Heading{Level: 2, Text: "Scores on each task"})
	return append(blocks, folded(all, 0, fmt.Sprintf("tasks, with %s of the front", counted(len(shown), "version", "versions")))...)
}

// taskScores returns the mean score of each version on each task, and the names of the tasks in natural order.
func (l *lineageReport) taskScores() (scores map[string]map[string]float64, names []string) {
	lists, seen := map[string]map[string][]float64{}, map[string]bool{}
	for _, v := range l.Versions {
		for _, t := range v.Trials {
			if t.Failed != "" || t.Key == "" || t.Key == evolution.TaskEvaluation || t.Key == evolution.TaskMinibatch {
				continue
			}
			if lists[v.Label] == nil {
				lists[v.Label] = map[string][]float64{}
			}
			lists[v.Label][t.Key], seen[t.Key] = append(lists[v.Label][t.Key], *t.Score), true
		}
	}
	scores = map[string]map[string]float64{}
	for version, tasks := range lists {
		scores[version] = map[string]float64{}
		for task, list := range tasks {
			scores[version][task] = average(list)
		}
	}
	names = slices.Collect(maps.Keys(seen))
	slices.SortFunc(names, func(a, b string) int { return cmp.Or(cmp.Compare(len(a), len(b)), cmp.Compare(a, b)) })
	return scores, names
}

// member is a version on the Pareto front, with the number of tasks on which it is the best, and alone the best.
type member struct {
	version     string
	best, alone int
}

// front returns the versions that have the best score on a task, those with the most tasks first.
func (l *lineageReport) front(scores map[string]map[string]float64, tasks []string) (front []member) {
	members := map[string]*member{}
	for _, task := range tasks {
		var best []string
		for _, version := range slices.Sorted(maps.Keys(scores)) {
			score, has := scores[version][task]
			switch {
			case !has:
			case len(best) == 0 || l.isBetter(score, scores[best[0]][task]):
				best = []string{version}
			case score == scores[best[0]][task]:
				best = append(best, version)
			}
		}
		for _, version := range best {
			if members[version] == nil {
				members[version] = &member{version: version}
			}
			members[version].best++
			if len(best) == 1 {
				members[version].alone++
			}
		}
	}
	for _, version := range slices.Sorted(maps.Keys(members)) {
		front = append(front, *members[version])
	}
	slices.SortStableFunc(front, func(a, b member) int { return cmp.Or(cmp.Compare(b.best, a.best), cmp.Compare(b.alone, a.alone)) })
	return front
}
