package lineages

import (
	"context"
	"errors"
	"maps"
	"slices"
	"track"

	"github.com/go-json-experiment/json/jsontext"

	"track/answer"
	"track/evolution"
	"track/internal/textdiff"
	"track/store"
)

// ListVersions answers which versions a lineage has, candidates too.
func ListVersions(ctx context.Context, r *store.Reader, q answer.OptionalLineageQuestion) (a answer.Versions, err error) {
	l, err := loadOnly(ctx, r, q.Lineage)
	if err != nil {
		return a, err
	}
	a.Lineage, a.Scale = l.Name, l.Settings.Scale
	a.Items, err = loadVersions(ctx, r, l)
	return a, err
}

// loadVersions returns all versions of a lineage, the newest first.
func loadVersions(ctx context.Context, r *store.Reader, l Lineage) ([]answer.Version, error) {
	versions, err := r.VersionStates(ctx, l.Name)
	if err != nil || len(versions) == 0 {
		return []answer.Version{}, err
	}
	p, err := loadPlaces(ctx, r, l, namesOf(versions)...)
	if err != nil {
		return nil, err
	}
	return p.entries(versions)
}

func namesOf(versions []store.VersionState) []string {
	names := make([]string, len(versions))
	for i, v := range versions {
		names[i] = v.Name
	}
	return names
}

// ShowVersion shows a version with its content. In a lineage without a ledger, it has no place.
func ShowVersion(ctx context.Context, r *store.Reader, q answer.VersionQuestion) (a answer.VersionDetail, err error) {
	state, err := r.VersionState(ctx, q.Of.Lineage, q.Of.Version)
	if err != nil {
		return a, err
	}
	a.Lineage, a.Version = q.Of.Lineage, stateAnswer(state)
	switch l, err := Load(ctx, r, q.Of.Lineage); {
	case err == nil:
		a.Scale = l.Settings.Scale
		p, err := loadPlaces(ctx, r, l, state.Name)
		if err != nil {
			return a, err
		}
		entries, err := p.entries([]store.VersionState{state})
		if err != nil {
			return a, err
		}
		a.Version = entries[0]
		made, err := r.Mutations(ctx, l.Evolving, store.MutationFilter{Child: state.Name})
		if err != nil {
			return a, err
		}
		for _, m := range made {
			a.Mutations = append(a.Mutations, m.Key)
		}
	case !errors.Is(err, track.ErrNotFound):
		return a, err
	}
	a.Content, err = r.Content(ctx, q.Of.Lineage, q.Of.Version)
	return a, err
}

// ShowContent answers a [answer.VersionQuestion] with the content.
func ShowContent(ctx context.Context, r *store.Reader, q answer.VersionQuestion) (answer.VersionContent, error) {
	content, err := recordedContent(ctx, r, q.Of.Lineage, q.Of.Version)
	return answer.VersionContent{Lineage: q.Of.Lineage, Version: q.Of.Version, Content: content}, err
}

func DiffVersions(ctx context.Context, r *store.Reader, q answer.VersionDiffQuestion) (a answer.VersionDiff, err error) {
	if q.To != "" {
		to, err := answer.VersionName(q.Of.Lineage, q.To)
		if err != nil {
			return a, err
		}
		return diffVersions(ctx, r, q.Of.Lineage, q.Of.Version, to)
	}
	v, err := r.VersionState(ctx, q.Of.Lineage, q.Of.Version)
	if err != nil {
		return a, err
	}
	return diffVersions(ctx, r, q.Of.Lineage, v.Parent, q.Of.Version)
}

// diffVersions returns the difference of two versions. If from is empty, all of the other is added.
func diffVersions(ctx context.Context, r *store.Reader, lineage, from, to string) (a answer.VersionDiff, err error) {
	a = answer.VersionDiff{Lineage: lineage, From: from, To: to}
	before, after, name := "", "", "no version"
	if from != "" {
		name = from
		if before, err = recordedContent(ctx, r, lineage, from); err != nil {
			return a, err
		}
	}
	if after, err = recordedContent(ctx, r, lineage, to); err != nil {
		return a, err
	}
	if l, err := r.Evolving(ctx, lineage); err == nil && l.Subject != SubjectAgent {
		before, after = membersOnLines(before), membersOnLines(after)
	}
	a.Diff, a.Added, a.Removed = textdiff.Unified(name, before, to, after)
	return a, nil
}

// recordedContent returns the content of a version, or an error that says why it is not recorded.
func recordedContent(ctx context.Context, r *store.Reader, lineage, version string) (string, error) {
	content, err := r.Content(ctx, lineage, version)
	if err == nil && content == nil {
		err = answer.NoContent(answer.VersionSelector{Lineage: lineage, Version: version})
	}
	if err != nil {
		return "", err
	}
	return *content, nil
}

// membersOnLines writes each parameter of a simulation on a line of its own, by name.
func membersOnLines(object string) string {
	v := jsontext.Value(object)
	if object == "" || v.Canonicalize() != nil || v.Indent(jsontext.WithIndent("  ")) != nil {
		return object
	}
	return string(v) + "\n"
}

// ShowTree lists all versions of a lineage with what each was made from.
func ShowTree(ctx context.Context, r *store.Reader, q answer.LineageQuestion) (a answer.LineageTree, err error) {
	l, err := loadOnly(ctx, r, q.Lineage)
	if err != nil {
		return a, err
	}
	a.Lineage, a.Head, a.Scale, a.ScoreFrom = l.Name, l.Head, l.Settings.Scale, l.Settings.ScoreFrom
	versions, err := loadVersions(ctx, r, l)
	if err != nil {
		return a, err
	}
	mutations, err := r.Mutations(ctx, l.Evolving, store.MutationFilter{})
	if err != nil {
		return a, err
	}
	origins, err := loadOrigins(ctx, r, l)
	if err != nil {
		return a, err
	}
	slices.Reverse(versions)
	root, err := rootOf(l)
	if err != nil {
		return a, err
	}
	a.Items = treeVersions(versions, mutations, origins)
	markRoots(a.Items, root)
	markPath(a.Items, a.Head)
	return a, nil
}

// loadOrigins returns the origins of mutations, by their keys; nothing of a lineage that began here.
func loadOrigins(ctx context.Context, r *store.Reader, l Lineage) (map[string]*evolution.Origin, error) {
	origins := map[string]*evolution.Origin{}
	if !l.isRun {
		return origins, nil
	}
	entries, err := r.Entries(ctx, l.Evolving, store.EntryFilter{Kinds: []evolution.Kind{evolution.KindProposal, evolution.KindRefusal}})
	if err != nil {
		return nil, err
	}
	for _, e := range entries {
		var p evolution.Proposal
		if err := e.Decode(&p); err != nil {
			return nil, err
		}
		origins[e.Mutation] = p.Origin
	}
	return origins, nil
}

// treeVersions returns versions, the oldest first, with the mutations that made them.
func treeVersions(versions []answer.Version, mutations []store.Mutation, origins map[string]*evolution.Origin) []answer.TreeVersion {
	made := makers(mutations)
	contents := map[string]string{}
	list := make([]answer.TreeVersion, len(versions))
	for i, v := range versions {
		contents[v.Version] = v.ContentSHA256
		t := answer.TreeVersion{
			Number: i + 1, Version: v.Version, Parents: []string{}, Operator: v.Operator, Place: v.Place, Fitness: v.Fitness, N: v.N, NFailed: v.NFailed, CreatedAt: v.CreatedAt,
		}
		if v.Parent != "" {
			t.Parents = []string{v.Parent}
		}
		if m, found := made[v.Version]; found {
			t.Mutation, t.State, t.Operator, t.Parents, t.Delta = m.Key, m.State, m.Operator, m.Parents, m.Delta
			if o := origins[m.Key]; o != nil {
				t.Generation, t.Island = o.Generation, o.Island
			}
		}
		list[i] = t
	}
	for i, v := range list {
		list[i].Unchanged = len(v.Parents) > 0 && contents[v.Version] != "" && contents[v.Version] == contents[v.Parents[0]]
	}
	return list
}

// makers returns the mutation that made each version. Of several it is the one that was accepted, else the first that
// was not refused.
func makers(mutations []store.Mutation) map[string]store.Mutation {
	made := map[string]store.Mutation{}
	for _, m := range mutations {
		known, found := made[m.Child]
		if !found || known.State != evolution.MutationAccepted && m.State == evolution.MutationAccepted || known.State == evolution.MutationRefused && m.State != evolution.MutationRefused {
			made[m.Child] = m
		}
	}
	return made
}

// rootOf returns the version that a lineage began with; empty if the ledger began without one, or is of another
// evolver.
func rootOf(l Lineage) (string, error) {
	var creation evolution.Creation
	if first, found := l.newest[evolution.KindCreation]; found && !l.isRun {
		if err := first.Decode(&creation); err != nil {
			return "", err
		}
	}
	if creation.Root == nil {
		return "", nil
	}
	return creation.Root.Label, nil
}

// markRoots marks the version that the lineage began with; if none is known, those without a parent.
func markRoots(list []answer.TreeVersion, root string) {
	for i, v := range list {
		list[i].Root = v.State == "" && (v.Version == root || root == "" && len(v.Parents) == 0)
	}
}

// markPath marks a version, and those that led to it from the root by their first parents.
func markPath(list []answer.TreeVersion, to string) {
	at := map[string]int{}
	for i, v := range list {
		at[v.Version] = i
	}
	for {
		i, found := at[to]
		if !found || list[i].OnPath { // a version can be made again from what came of it
			return
		}
		if list[i].OnPath = true; list[i].Root || len(list[i].Parents) == 0 {
			return
		}
		to = list[i].Parents[0]
	}
}

// CompareVersions compares versions of a lineage, task by task.
func CompareVersions(ctx context.Context, r *store.Reader, q answer.CompareVersionsQuestion) (a answer.VersionComparison, err error) {
	l, err := Load(ctx, r, q.Of[0].Lineage)
	if err != nil {
		return a, err
	}
	names := make([]string, len(q.Of))
	for i, v := range q.Of {
		if _, err := r.VersionState(ctx, l.Name, v.Version); err != nil {
			return a, err
		}
		names[i] = v.Version
	}
	trials, err := loadTrials(ctx, r, l, names...)
	if err != nil {
		return a, err
	}
	if a, err = compareVersions(l, trials, names); err != nil {
		return a, err
	}
	return a, addTotals(ctx, r, l, &a)
}

func compareVersions(l Lineage, trials recorded, names []string) (a answer.VersionComparison, err error) {
	a = answer.VersionComparison{Lineage: l.Name, Score: l.Settings.ScoreFrom, Times: l.Settings.Times(), Scale: l.Settings.Scale, Differences: []answer.VersionDifference{}}
	worst, err := worstOf(l, trials, names)
	if err != nil {
		return a, err
	}
	var first VersionTrials
	cells, held := map[string][]answer.TaskCell{}, map[string]bool{}
	for i, name := range names {
		own, err := trials.of(name)
		if err != nil {
			return a, err
		}
		own.Trials, own.Held = evolution.WithFailures(own.Trials, worst), evolution.WithFailures(own.Held, worst)
		all := slices.Concat(own.Trials, own.Held)
		a.Versions = append(a.Versions, comparedVersion(name, all, own.Unscored+own.Unjudged))
		for _, t := range own.Held {
			held[t.Key] = true
		}
		addCells(cells, all, i, len(names))
		if i == 0 {
			first = own
			continue
		}
		d, err := versionDifference(first, own, l.Settings.Scale)
		if err != nil {
			return a, err
		}
		d.From, d.To = names[0], name
		a.Differences = append(a.Differences, d)
	}
	for _, task := range slices.Sorted(maps.Keys(cells)) {
		a.Tasks = append(a.Tasks, answer.ComparedTask{Task: task, Holdout: held[task], Cells: cells[task]})
	}
	return a, nil
}

// worstOf returns the score that failed trials of versions count as; nil for none.
func worstOf(l Lineage, trials recorded, names []string) (*float64, error) {
	var all [][]evolution.Trial
	for _, name := range names {
		own, err := trials.of(name)
		if err != nil {
			return nil, err
		}
		all = append(all, own.Trials, own.Held)
	}
	return l.Settings.Failures.Worst(l.Settings.Scale, all...), nil
}

// versionDifference compares the tasks that decide, and the holdout tasks apart.
func versionDifference(first, second VersionTrials, scale *evolution.Scale) (d answer.VersionDifference, err error) {
	if d.TaskGain, _, err = evolution.GainByTask(first.Trials, second.Trials, scale); err != nil || len(first.Held)+len(second.Held) == 0 {
		return d, err
	}
	held, _, err := evolution.GainByTask(first.Held, second.Held, scale)
	d.Holdout = &held
	return d, err
}

func comparedVersion(name string, trials []evolution.Trial, without int) answer.ComparedVersion {
	v := answer.ComparedVersion{Version: name, NWithout: without, Truths: []answer.Truth{}}
	sum := 0.0
	for _, t := range trials {
		if t.Failed != "" {
			v.NFailed++
		}
		if t.Score != nil {
			v.N++
			sum += *t.Score
		}
	}
	if v.N > 0 {
		mean := sum / float64(v.N)
		v.Mean = &mean
	}
	return v
}

// addCells adds what a version did on each task.
func addCells(cells map[string][]answer.TaskCell, trials []evolution.Trial, version, n int) {
	means := evolution.TaskMeans(trials)
	for _, t := range trials {
		if t.Key == "" {
			continue
		}
		if cells[t.Key] == nil {
			cells[t.Key] = make([]answer.TaskCell, n)
		}
		c := &cells[t.Key][version]
		if t.Failed != "" {
			c.NFailed++
		}
		if m := means[t.Key]; t.Score != nil && c.Score == nil {
			mean := m.Mean()
			c.Score, c.N = &mean, m.N
		}
	}
}

// addTotals adds what the executions of the versions cost, and what is known to be true of them.
func addTotals(ctx context.Context, r *store.Reader, l Lineage, a *answer.VersionComparison) error {
	if l.scenario() != "" {
		return nil
	}
	for i := range a.Versions {
		v := &a.Versions[i]
		sums := map[string]evolution.TaskMean{}
		list, err := r.Executions(ctx, store.ExecutionFilter{Lineage: l.Name, Version: &v.Version})
		if err != nil {
			return err
		}
		for _, e := range list {
			if e.CostUSD != nil {
				cost := *e.CostUSD
				if v.CostUSD != nil {
					cost += *v.CostUSD
				}
				v.CostUSD, v.NCost = &cost, v.NCost+1
			}
		}
		labels, err := r.VersionLabels(ctx, l.Evolving, v.Version)
		if err != nil {
			return err
		}
		for _, label := range labels {
			m := sums[label.Name]
			sums[label.Name] = evolution.TaskMean{Sum: m.Sum + label.Value, N: m.N + 1}
		}
		for _, name := range slices.Sorted(maps.Keys(sums)) {
			v.Truths = append(v.Truths, answer.Truth{Name: name, N: sums[name].N, Mean: sums[name].Mean()})
		}
	}
	return nil
}
