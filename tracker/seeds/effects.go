package seeds

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"

	"track"
	"track/answer"
	"track/answer/param"
	"track/scoring"
	"track/scoring/effects"
	"track/scoring/format"
	"track/scoring/verdict"
	"track/store"
)

// AnalyseParams ranks the configurations of a scenario, and says what each parameter does to the score or to a metric.
func AnalyseParams(ctx context.Context, r *store.Reader, q answer.ParamsQuestion) (a answer.ParamsAnalysis, err error) {
	a, names, list, err := loadParams(ctx, r, q)
	if err == nil {
		err = analyse(&a, names, list, q)
	}
	return a, err
}

// loadParams returns what is compared: the names of the parameters, and the configurations with their outcomes.
func loadParams(
	ctx context.Context, r *store.Reader, q answer.ParamsQuestion,
) (a answer.ParamsAnalysis, names []string, list []effects.Configuration, err error) {
	all, _, err := r.Configurations(ctx, q.Scenario, allConfigurations)
	if err != nil {
		return a, nil, nil, err
	}
	spec, err := loadSpecInUse(ctx, r, q.Scenario, q.Spec)
	if err != nil {
		return a, nil, nil, err
	}
	a = answer.ParamsAnalysis{Scenario: q.Scenario, Spec: specRef(spec.stored), LeftOut: []answer.LeftOut{}, Panels: []effects.Panel{}}
	if q.Metric != "" {
		metric, err := findMetric(spec.decoded, q.Metric)
		if err != nil {
			return a, nil, nil, err
		}
		info := metric.Info()
		a.Metric = &info
	}
	chosen, err := comparable(&a, all, q)
	if err != nil {
		return a, nil, nil, err
	}
	names, list, err = outcomesOf(ctx, r, &a, chosen, spec, q)
	return a, names, list, err
}

// comparable returns the configurations of one revision whose parameters have the same names; of one label if the
// question names it, or if the same parameters have several.
func comparable(a *answer.ParamsAnalysis, all []store.Configuration, q answer.ParamsQuestion) ([]store.Configuration, error) {
	chosen, err := withLabel(a, all, q)
	if err != nil {
		return nil, err
	}
	if chosen, err = withRevision(a, chosen, q); err != nil {
		return nil, err
	}
	chosen = withNames(a, chosen)
	if err := checkLabels(a, chosen, q); err != nil {
		return nil, err
	}
	if len(chosen) < 2 {
		err := fmt.Errorf("%w: %s has one configuration to compare, and effects of parameters need at least two", track.ErrInvalid, q.Scenario)
		return nil, track.WithHint(err, runDesign(q.Scenario))
	}
	return chosen, nil
}

func withLabel(a *answer.ParamsAnalysis, all []store.Configuration, q answer.ParamsQuestion) (chosen []store.Configuration, err error) {
	if q.Label == nil {
		return all, nil
	}
	if *q.Label != answer.NoLabel {
		a.Label = *q.Label
	}
	for _, c := range all {
		if c.Label == a.Label {
			chosen = append(chosen, c)
		}
	}
	if len(chosen) == 0 {
		err := fmt.Errorf("%s has no configuration with the label %q: %w", q.Scenario, a.Label, track.ErrNotFound)
		return nil, track.WithHint(err, track.NewHint("list its configurations", "history", q.Scenario))
	}
	leaveOut(a, len(all)-len(chosen), "configuration", "with another label")
	return chosen, nil
}

// checkLabels refuses configurations of several labels if the same parameters have two of them: labels then say more
// than the parameters do. A label for each value is no such case.
func checkLabels(a *answer.ParamsAnalysis, chosen []store.Configuration, q answer.ParamsQuestion) error {
	counts, params, twice := map[string]int{}, map[track.Params]bool{}, false
	for _, c := range chosen {
		twice = twice || params[c.Params]
		params[c.Params] = true
		counts[c.Label]++
	}
	switch {
	case q.Label != nil || len(counts) == 0:
		return nil
	case len(counts) == 1:
		a.Label = chosen[0].Label
		return nil
	case twice && slices.Max(slices.Collect(maps.Values(counts))) > 1:
		return severalLabels(q.Scenario, counts)
	}
	a.NLabels = len(counts)
	return nil
}

// runDesign is the hint for a scenario that has too few configurations.
func runDesign(scenario string) track.Hint {
	return track.NewHint("run a grid or a design", "sweep").With("scenario", scenario).With("design", "FILE")
}

// severalLabels refuses to choose between labels. It offers those that have configurations to compare.
func severalLabels(scenario string, counts map[string]int) error {
	const most, hinted = 20, 5
	var words, several []string
	for _, label := range slices.Sorted(maps.Keys(counts)) {
		name := label
		if label == "" {
			name = answer.NoLabel
		}
		words = append(words, fmt.Sprintf("%s (%s)", name, format.Counted(counts[label], "configuration")))
		if counts[label] > 1 {
			several = append(several, name)
		}
	}
	if n := len(words) - most; n > 0 {
		words = append(words[:most], fmt.Sprintf("and %d more", n))
	}
	err := fmt.Errorf("%w: the same parameters of %s have several labels: %s", track.ErrAmbiguous, scenario, strings.Join(words, ", "))
	for _, label := range several[:min(len(several), hinted)] {
		err = track.WithHint(err, track.NewHint("take those with the label "+label, "params", scenario).With("label", label))
	}
	return err
}

// withRevision keeps the configurations of a revision of the code: the newest unless one is named.
func withRevision(a *answer.ParamsAnalysis, all []store.Configuration, q answer.ParamsQuestion) (chosen []store.Configuration, err error) {
	newest := slices.IndexFunc(all, func(c store.Configuration) bool { // they are the newest first
		return strings.HasPrefix(c.Revision.Commit, q.Commit) || strings.HasPrefix(c.Revision.String(), q.Commit)
	})
	if newest < 0 {
		err := fmt.Errorf("%s has no configuration of revision %s: %w", q.Scenario, q.Commit, track.ErrNotFound)
		return nil, track.WithHint(err, track.NewHint("list its configurations", "history", q.Scenario))
	}
	a.Revision = all[newest].Revision
	others := map[track.Revision]bool{}
	for _, c := range all {
		if c.Revision == a.Revision {
			chosen = append(chosen, c)
		} else {
			others[c.Revision] = true
		}
	}
	leaveOut(a, len(all)-len(chosen), "configuration", "of "+format.Counted(len(others), "other revision")+" of the code")
	return chosen, nil
}

// withNames keeps the configurations whose parameters have the names that most have.
func withNames(a *answer.ParamsAnalysis, all []store.Configuration) (chosen []store.Configuration) {
	counts := map[string]int{}
	most := ""
	keys := make([]string, len(all))
	for i, c := range all {
		keys[i] = strings.Join(slices.Sorted(maps.Keys(answer.ParamValues(c.Params))), "\x00")
		counts[keys[i]]++
	}
	for _, key := range keys { // the newest first, which wins a tie
		if counts[key] > counts[most] {
			most = key
		}
	}
	for i, c := range all {
		if keys[i] == most {
			chosen = append(chosen, c)
		}
	}
	leaveOut(a, len(all)-len(chosen), "configuration", "with other names of parameters")
	return chosen
}

func leaveOut(a *answer.ParamsAnalysis, n int, what, reason string) {
	if n > 0 {
		a.LeftOut = append(a.LeftOut, answer.LeftOut{N: n, What: what, Reason: reason})
	}
}

// outcomesOf returns the names of the parameters, and the configurations with their outcomes.
func outcomesOf(
	ctx context.Context, r *store.Reader, a *answer.ParamsAnalysis, chosen []store.Configuration, spec specInUse, q answer.ParamsQuestion,
) (names []string, list []effects.Configuration, err error) {
	sel := store.Selection{Scenario: q.Scenario, SpecID: spec.stored.ID, Seeds: q.Seeds}
	at := make(map[int64]int, len(chosen))
	for i, c := range chosen {
		sel.Configurations = append(sel.Configurations, c.ID)
		at[c.ID] = i
	}
	rows, err := r.SeedScores(ctx, sel, false)
	if err != nil {
		return nil, nil, err
	}
	rows = store.Distinct(rows)
	if err := checkParamsAssessed(q.Scenario, spec, rows, q.Metric); err != nil {
		return nil, nil, err
	}
	var values map[int64]float64
	if q.Metric != "" {
		if values, err = r.OneMeasured(ctx, sel, q.Metric); err != nil {
			return nil, nil, err
		}
	}
	names = slices.Sorted(maps.Keys(answer.ParamValues(chosen[0].Params)))
	outcomes := make([][]effects.Outcome, len(chosen))
	counts := make([]answer.ComparedConfiguration, len(chosen))
	for _, row := range rows {
		i := at[row.Configuration]
		counts[i].NSeeds++
		x, ok := outcomeOf(row, values)
		if !ok {
			counts[i].NFailed++
		}
		if ok || q.Metric == "" { // a seed without a score counts as 0
			outcomes[i] = append(outcomes[i], effects.Outcome{Seed: uint64(row.Number), Value: x})
		}
	}
	without := 0
	var counted []effects.Counted
	for i, c := range chosen {
		values := valuesOf(names, c.Params)
		if counts[i].NSeeds > 0 {
			counted = append(counted, effects.Counted{Values: values, N: counts[i].NSeeds, NLost: counts[i].NFailed})
		}
		if len(outcomes[i]) == 0 {
			without++
			continue
		}
		slices.SortFunc(outcomes[i], func(x, y effects.Outcome) int { return compareSeeds(x.Seed, y.Seed) })
		list = append(list, effects.Configuration{Values: values, Outcomes: outcomes[i]})
		counts[i].Hash, counts[i].Params = c.Hash, c.Params
		a.Configurations = append(a.Configurations, counts[i])
	}
	if a.Losses, err = effects.FindLosses(names, counted, scoring.DefaultConfidence); err != nil {
		return nil, nil, err
	}
	if q.Metric != "" {
		leaveOut(a, a.Losses.NLost, "seed", "without a value of "+q.Metric)
	}
	withdrawn, err := withdrawnOf(ctx, r, sel)
	if err != nil {
		return nil, nil, err
	}
	leaveOut(a, withdrawn, "seed", "withdrawn and not replaced: what is left may be the easier part")
	leaveOut(a, without, "configuration", "without such a seed")
	return names, list, nil
}

func compareSeeds(a, b uint64) int {
	switch {
	case a < b:
		return -1
	case a > b:
		return 1
	}
	return 0
}

// checkParamsAssessed refuses seeds that were never scored: their absence would look like a property of the parameters.
func checkParamsAssessed(scenario string, spec specInUse, rows []store.Seed, metric string) error {
	if metric != "" {
		return nil
	}
	totals := store.Totals{SeedTotals: scoring.SeedTotals{NSeeds: len(rows)}}
	for _, row := range rows {
		if isUnassessed(row) {
			totals.NUnassessed++
		}
	}
	return checkAssessed(scenario, spec.stored.Version, totals)
}

// outcomeOf returns the score of a seed, or its value of the metric; ok is false if it has none.
func outcomeOf(row store.Seed, values map[int64]float64) (x float64, ok bool) {
	x = row.TotalScore
	ok = ranWell(row)
	if values != nil {
		var known bool
		x, known = values[row.ID]
		ok = ok && known
	}
	if !ok || math.IsNaN(x) || math.IsInf(x, 0) {
		return 0, false
	}
	return x, true
}

// valuesOf returns the values of parameters in the order of names.
func valuesOf(names []string, p track.Params) []effects.Value {
	values, texts := answer.ParamValues(p), answer.ParamTexts(p)
	list := make([]effects.Value, len(names))
	for i, name := range names {
		list[i] = effects.Value{Text: texts[name], IsText: true}
		if values[name].Kind() == '0' {
			x, err := strconv.ParseFloat(string(values[name]), 64)
			list[i].Number, list[i].IsText = x, err != nil
		}
	}
	return list
}

// effectOptions says how the intervals of an outcome are made.
func effectOptions(q answer.ParamsQuestion) effects.Options {
	return effects.Options{Confidence: scoring.DefaultConfidence, Scores: q.Metric == ""}
}

// analyse computes the statistics of an answer.
func analyse(a *answer.ParamsAnalysis, names []string, list []effects.Configuration, q answer.ParamsQuestion) (err error) {
	if a.Analysis, err = effects.Analyse(names, list, effectOptions(q)); err != nil {
		if errors.Is(err, effects.ErrOneConfiguration) {
			err = fmt.Errorf("%w: %s: %w", track.ErrInvalid, q.Scenario, err)
		}
		return err
	}
	a.PlotOf, a.PlotBy = q.Plot, q.By
	if q.Plot != "" {
		if a.Panels, err = effects.Against(names, list, q.Plot, q.By, effectOptions(q)); err != nil {
			return &param.Error{Param: "plot", Message: err.Error()}
		}
	}
	if q.Heatmap[0] != "" {
		h, err := effects.NewHeatmap(names, list, q.Heatmap[0], q.Heatmap[1])
		if err != nil {
			return &param.Error{Param: "heatmap", Message: err.Error()}
		}
		a.Heatmap = &h
	}
	return nil
}

// LoadParamsReport returns the analysis of parameters with a plot of each, and a heat map of the two with the largest
// effects unless the question names others.
func LoadParamsReport(ctx context.Context, r *store.Reader, q answer.ParamsQuestion) (report answer.ParamsReport, err error) {
	a, names, list, err := loadParams(ctx, r, q)
	if err == nil {
		err = analyse(&a, names, list, q)
	}
	if err == nil && a.Heatmap == nil && len(a.Effects) > 1 {
		var h effects.Heatmap
		h, err = effects.NewHeatmap(names, list, a.Effects[0].Parameter, a.Effects[1].Parameter)
		a.Heatmap = &h
	}
	report.ParamsAnalysis, report.LabelGiven, report.Ranges = a, q.Label != nil, track.SeedRanges(q.Seeds).String()
	for _, e := range a.Effects {
		if err != nil {
			break
		}
		var panels []effects.Panel
		panels, err = effects.Against(names, list, e.Parameter, "", effectOptions(q))
		report.Plots = append(report.Plots, panels)
	}
	return report, err
}

// coverageOf returns how complete and how repeatable the seeds of a selection are.
func coverageOf(ctx context.Context, st *store.Reader, sel store.Selection) (r verdict.Coverage, err error) {
	for _, configuration := range sel.Configurations {
		planned, err := st.PlannedSeeds(ctx, sel.Scenario, configuration)
		if err != nil {
			return r, err
		}
		if len(sel.Seeds) > 0 {
			planned = planned.Intersect(track.NewSeedRanges(sel.Seeds...))
		}
		withdrawn, err := withdrawnSeeds(ctx, st, sel, configuration)
		if err != nil {
			return r, err
		}
		r.NWithdrawn += withdrawn.Len()
		r.NMissingWithdrawn += planned.Intersect(withdrawn).Len()
		if err := addSweeps(ctx, st, &r, sel.Scenario, configuration); err != nil {
			return r, err
		}
		if len(planned) == 0 {
			continue
		}
		n, err := st.CountRecorded(ctx, store.Selection{Scenario: sel.Scenario, Configurations: []int64{configuration}, Seeds: planned})
		if err != nil {
			return r, err
		}
		r.NPlanned += planned.Len()
		if missing := planned.Len() - n; missing > 0 {
			r.NMissing += missing
			if r.Missing == "" {
				if r.Missing, err = firstMissing(ctx, st, sel.Scenario, configuration, planned); err != nil {
					return r, err
				}
			}
		}
	}
	repeated, err := st.Repetitions(ctx, sel)
	if err != nil {
		return r, err
	}
	addRepeated(&r, repeated)
	return r, nil
}

// withdrawnSeeds returns the seeds of a selection and one of its configurations that were withdrawn.
func withdrawnSeeds(ctx context.Context, st *store.Reader, sel store.Selection, configuration int64) (track.SeedRanges, error) {
	numbers, err := st.WithdrawnNumbers(ctx, sel.Scenario, configuration)
	ranges := rangesOf(numbers)
	if len(sel.Seeds) > 0 {
		ranges = ranges.Intersect(track.NewSeedRanges(sel.Seeds...))
	}
	return ranges, err
}

// withdrawnOf counts the seeds of a selection that were withdrawn, and that no other measurement replaced.
func withdrawnOf(ctx context.Context, st *store.Reader, sel store.Selection) (n int, err error) {
	if all, err := st.Withdrawals(ctx); err != nil || len(all) == 0 {
		return 0, err
	}
	for _, configuration := range sel.Configurations {
		withdrawn, err := withdrawnSeeds(ctx, st, sel, configuration)
		if err != nil {
			return 0, err
		}
		n += withdrawn.Len()
	}
	return n, nil
}

func rangesOf(numbers []track.SeedNumber) track.SeedRanges {
	singles := make([]track.SeedRange, len(numbers))
	for i, n := range numbers {
		singles[i] = track.SeedRange{First: n, Last: n}
	}
	return track.NewSeedRanges(singles...)
}

// addSweeps adds what the sweeps of a configuration recorded: changes of the code, different commands, withdrawn plans.
func addSweeps(ctx context.Context, st *store.Reader, r *verdict.Coverage, scenario string, configuration int64) error {
	sweeps, err := st.SweepsOf(ctx, scenario, configuration)
	if err != nil {
		return err
	}
	commands := map[[2]string]bool{}
	for _, s := range sweeps {
		commands[[2]string{s.Command, s.Env}] = true
		if s.CodeChanged {
			r.NCodeChanged++
		}
		if s.Withdrawn != "" {
			addWithdrawn(r, s.Withdrawn)
		}
	}
	r.NCommands = max(r.NCommands, len(commands))
	return nil
}

func addWithdrawn(r *verdict.Coverage, what string) {
	if r.Withdrawn != "" {
		r.Withdrawn += "; "
	}
	r.Withdrawn += what
}

// firstMissing returns the first planned seeds that are not recorded.
func firstMissing(ctx context.Context, st *store.Reader, scenario string, configuration int64, planned track.SeedRanges) (string, error) {
	const shown = 5 // ranges
	recorded, err := st.RecordedNumbers(ctx, scenario, configuration)
	if err != nil {
		return "", err
	}
	missing := planned.Minus(rangesOf(recorded))
	if len(missing) > shown {
		return missing[:shown].String() + ",…", nil
	}
	return missing.String(), nil
}

func addRepeated(r *verdict.Coverage, repeated []store.RepeatedSeed) {
	const shown = 3
	differing := map[track.SeedNumber][]string{}
	numbers := map[track.SeedNumber]bool{}
	for _, seed := range repeated {
		if numbers[seed.Number] = true; len(seed.Differences) > 0 {
			differing[seed.Number] = seed.Differences
		}
	}
	r.NRepeated, r.NDiffering = len(numbers), len(differing)
	var words []string
	for n, differences := range differing {
		words = append(words, fmt.Sprintf("seed %s: %s", n, differences[0]))
	}
	slices.Sort(words)
	if len(words) > shown {
		words = append(words[:shown], fmt.Sprintf("and %d more", len(words)-shown))
	}
	r.Differing = strings.Join(words, "; ")
}
