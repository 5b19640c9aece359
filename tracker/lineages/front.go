package lineages

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"
	"strings"

	"track/answer"
	"track/answer/param"
	"track/evolution"
	"track/scoring"
	"track/scoring/format"
	"track/scoring/stats"
	"track/scoring/verdict"
	"track/store"
)

// ShowFront returns the versions of a lineage by two objectives.
func ShowFront(ctx context.Context, r *store.Reader, q answer.FrontQuestion) (a answer.LineageFront, err error) {
	l, err := loadOnly(ctx, r, q.Lineage)
	if err != nil {
		return a, err
	}
	a.Lineage = l.Name
	versions, err := r.VersionStates(ctx, l.Name)
	if err != nil {
		return a, err
	}
	measured, err := loadObjectives(ctx, r, l, versions)
	if err != nil {
		return a, err
	}
	a.Scale, a.Items = l.Settings.Scale, []answer.FrontVersion{}
	if a.Objectives = measured.objectives(l.Settings.Scale, q.Minimize); len(a.Objectives) < 2 && q.X == "" && q.Y == "" {
		return a, nil
	}
	if a.X, a.Y, a.Chosen, err = measured.chooseAxes(a.Objectives, q); err != nil {
		return a, err
	}
	mutations, err := r.Mutations(ctx, l.Evolving, store.MutationFilter{})
	if err != nil {
		return a, err
	}
	root, err := rootOf(l)
	if err != nil {
		return a, err
	}
	made := makers(mutations)
	for _, v := range versions {
		f := answer.FrontVersion{Version: v.Name, State: made[v.Name].State, Active: v.Name == l.Head, X: measured.estimate(a.X.Name, v.Name), Y: measured.estimate(a.Y.Name, v.Name)}
		f.Root = f.State == "" && (v.Name == root || root == "" && v.Parent == "")
		if f.X.N == 0 || f.Y.N == 0 {
			a.NWithout++
			continue
		}
		a.Items = append(a.Items, f)
	}
	markFront(&a)
	return a, nil
}

// markFront marks the versions on the front, and sorts them.
func markFront(a *answer.LineageFront) {
	points := make([][2]float64, len(a.Items))
	for i, v := range a.Items {
		points[i] = [2]float64{better(a.X, v.X.Value), better(a.Y, v.Y.Value)}
	}
	for i, on := range evolution.Front(points) {
		a.Items[i].Front = on
	}
	slices.SortStableFunc(a.Items, func(v, w answer.FrontVersion) int {
		if v.Front != w.Front {
			return cmp.Compare(boolNumber(w.Front), boolNumber(v.Front))
		}
		return cmp.Compare(better(a.Y, w.Y.Value), better(a.Y, v.Y.Value))
	})
}

// better returns a value of which more is better.
func better(o answer.Objective, value float64) float64 {
	if o.Minimize {
		return -value
	}
	return value
}

func boolNumber(is bool) int {
	if is {
		return 1
	}
	return 0
}

// objectiveValues are the values of single trials, by objective and version.
type objectiveValues map[string]map[string][]float64

func (m objectiveValues) add(objective, version string, value float64) {
	if m[objective] == nil {
		m[objective] = map[string][]float64{}
	}
	m[objective][version] = append(m[objective][version], value)
}

// loadObjectives reads all that versions can be compared by.
func loadObjectives(ctx context.Context, r *store.Reader, l Lineage, versions []store.VersionState) (objectiveValues, error) {
	m := objectiveValues{}
	names := namesOf(versions)
	trials, err := loadTrials(ctx, r, l, names...)
	if err != nil {
		return m, err
	}
	worst, err := worstOf(l, trials, names)
	if err != nil {
		return m, err
	}
	for _, v := range versions {
		own, err := trials.of(v.Name)
		if err != nil {
			return m, err
		}
		for _, t := range evolution.WithFailures(own.Trials, worst) {
			if t.Score == nil {
				continue
			}
			m.add(answer.ObjectiveScore, v.Name, *t.Score)
			if t.Key != "" && l.scenario() == "" && t.Key != evolution.TaskEvaluation && t.Key != evolution.TaskMinibatch {
				m.add(answer.ObjectiveTask+t.Key, v.Name, *t.Score)
			}
		}
	}
	if l.scenario() != "" {
		return m, nil
	}
	return m, m.addMeasures(ctx, r, l)
}

// addMeasures adds what executions took, and what is known to be true of them.
func (m objectiveValues) addMeasures(ctx context.Context, r *store.Reader, l Lineage) error {
	measures, err := r.Measures(ctx, l.Evolving)
	if err != nil {
		return err
	}
	for _, e := range measures {
		if e.CostUSD != nil {
			m.add(answer.ObjectiveCost, e.Version, *e.CostUSD)
		}
		if e.Tokens != nil {
			m.add(answer.ObjectiveTokens, e.Version, float64(*e.Tokens))
		}
		if e.Duration != nil {
			m.add(answer.ObjectiveDuration, e.Version, *e.Duration)
		}
	}
	truths, err := r.Labels(ctx, l.Evolving, 0)
	for _, t := range truths {
		m.add(answer.ObjectiveTruth+t.Name, t.Version, t.Value)
	}
	return err
}

// objectives lists what tells versions apart: named ones first, then ground truth, then tasks, those with more values
// first.
func (m objectiveValues) objectives(scale *evolution.Scale, minimize []string) (list []answer.Objective) {
	named := []string{answer.ObjectiveScore, answer.ObjectiveCost, answer.ObjectiveTokens, answer.ObjectiveDuration}
	place := func(name string) int {
		if i := slices.Index(named, name); i >= 0 {
			return i
		}
		return len(named) + boolNumber(strings.HasPrefix(name, answer.ObjectiveTask))
	}
	for name, values := range m {
		if len(values) < 2 {
			continue
		}
		o := answer.Objective{Name: name, NVersions: len(values)}
		for _, own := range values {
			o.NValues += len(own)
		}
		switch place(name) {
		case 1, 2, 3:
			o.Minimize = true
		default:
			ofScore := !strings.HasPrefix(name, answer.ObjectiveTruth)
			o.Minimize = slices.Contains(minimize, name) || ofScore && scale != nil && scale.Minimize
			o.Assumed = !ofScore && !o.Minimize
		}
		if m.differs(name) {
			list = append(list, o)
		}
	}
	if first := slices.IndexFunc(list, isTask); first >= 0 && !slices.ContainsFunc(list[first+1:], isTask) {
		list = slices.Delete(list, first, first+1) // a single task is the score
	}
	slices.SortFunc(list, func(a, b answer.Objective) int {
		return cmp.Or(cmp.Compare(place(a.Name), place(b.Name)), cmp.Compare(b.NValues, a.NValues), cmp.Compare(len(a.Name), len(b.Name)), cmp.Compare(a.Name, b.Name))
	})
	return list
}

// differs reports whether the means of an objective tell versions apart.
func (m objectiveValues) differs(objective string) bool {
	first := math.NaN()
	for version := range m[objective] {
		mean := m.estimate(objective, version).Value
		if !math.IsNaN(first) && mean != first {
			return true
		}
		first = mean
	}
	return false
}

// estimate returns the mean of an objective with its t interval, which it has unless all values are equal.
func (m objectiveValues) estimate(objective, version string) verdict.Estimate {
	values := m[objective][version]
	if len(values) == 0 {
		return verdict.Estimate{Value: math.NaN()}
	}
	mean, err := stats.NewMean(values, scoring.DefaultConfidence)
	if err != nil { // numbers too large to compute with
		return verdict.Estimate{Value: math.NaN()}
	}
	if mean.Interval.Lo == mean.Interval.Hi { // equal values tell nothing of the spread
		mean.Interval.Lo, mean.Interval.Hi = math.NaN(), math.NaN()
	}
	return verdict.Estimate{Value: mean.Mean, N: mean.N, Interval: mean.Interval}
}

// chooseAxes returns the two objectives that were asked for, and why the other ones were chosen: the score, and the
// objective with the most values in versions that have a score. The score is not compared with tasks, of which it is
// the mean: if nothing else is recorded, two tasks are compared.
func (m objectiveValues) chooseAxes(list []answer.Objective, q answer.FrontQuestion) (x, y answer.Objective, why string, err error) {
	if q.X != "" && q.X == q.Y {
		return x, y, "", &param.Error{Param: "y", Message: fmt.Sprintf("%s: name another objective than x", q.Y)}
	}
	x.Name, y.Name = q.X, q.Y
	rivals := m.rivals(list, q.X, isTask(x))
	if q.X == "" && q.Y == "" && len(rivals) < 2 {
		if tasks := m.rivals(list, "", true); len(tasks) > 1 {
			x, rivals = tasks[0], m.rivals(list, tasks[0].Name, true)
		}
	}
	if q.Y == "" && len(rivals) > 0 {
		y = rivals[max(0, slices.IndexFunc(rivals, func(o answer.Objective) bool { return o.Name == answer.ObjectiveScore }))]
	}
	if y, err = objectiveNamed(list, "y", y.Name, x.Name); err != nil {
		return x, y, "", err
	}
	if rivals = m.rivals(list, y.Name, isTask(y)); q.X == "" && len(rivals) > 0 {
		x = rivals[0]
		values, versions := m.shared(x.Name, y.Name)
		why = fmt.Sprintf("%s has %s in %s with %s", x.Name, format.Counted(values, "value"), format.Counted(versions, "version"), y.Name)
		if len(rivals) > 1 {
			why += "; no other objective has more"
		}
	}
	x, err = objectiveNamed(list, "x", x.Name, y.Name)
	return x, y, why, err
}

func isTask(o answer.Objective) bool { return strings.HasPrefix(o.Name, answer.ObjectiveTask) }

// rivals returns the tasks, or all other objectives, that an objective can be compared with: those with the most values
// in the same versions first, among them those that tell more versions apart.
func (m objectiveValues) rivals(list []answer.Objective, with string, tasks bool) []answer.Objective {
	chosen := slices.DeleteFunc(slices.Clone(list), func(o answer.Objective) bool { return o.Name == with || isTask(o) != tasks })
	values, means := map[string]int{}, map[string]int{}
	for _, o := range chosen {
		values[o.Name], _ = m.shared(o.Name, with)
		means[o.Name] = m.means(o.Name)
	}
	slices.SortStableFunc(chosen, func(a, b answer.Objective) int {
		return cmp.Or(cmp.Compare(values[b.Name], values[a.Name]), cmp.Compare(means[b.Name], means[a.Name]))
	})
	return chosen
}

// means returns how many different means versions have.
func (m objectiveValues) means(objective string) int {
	different := map[float64]bool{}
	for _, values := range m[objective] {
		sum := 0.0
		for _, v := range values {
			sum += v
		}
		different[sum/float64(len(values))] = true
	}
	return len(different)
}

// shared returns how many values an objective has in versions that have another one too, and how many such versions
// there are. Without another one it counts all.
func (m objectiveValues) shared(name, with string) (values, versions int) {
	for version, own := range m[name] {
		if with == "" || len(m[with][version]) > 0 {
			values += len(own)
			versions++
		}
	}
	return values, versions
}

// objectiveNamed returns an objective of a list; without a name the first one that is not the other axis.
func objectiveNamed(list []answer.Objective, parameter, name, other string) (o answer.Objective, err error) {
	var names []string
	for _, o := range list {
		if o.Name == name || name == "" && o.Name != other {
			return o, nil
		}
		names = append(names, o.Name)
	}
	text := "no objective of the lineage tells its versions apart"
	if len(names) > 0 {
		text = "name one of " + strings.Join(names, ", ")
	}
	return o, &param.Error{Param: parameter, Message: strings.TrimPrefix(name+": "+text, ": ")}
}
