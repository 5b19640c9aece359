package seeds

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"

	"track"
	"track/answer"
	"track/answer/param"
	"track/scoring"
	"track/scoring/stats"
	"track/scoring/verdict"
	"track/store"
)

// Gated is the verdict of a gate, with the interim analyses that it is.
type Gated struct {
	answer.Gate
	Looks    []store.Look // to be recorded
	problems []string     // of each scenario, why there is nothing to judge
}

// JudgeGate judges configurations together, and records that as interim analyses.
func JudgeGate(ctx context.Context, st *store.Store, q answer.GateQuestion) (answer.Gate, error) {
	g, err := Gate(ctx, st.Reader, q, 0)
	if err != nil {
		return g.Gate, err
	}
	if err := g.checkCompares(q); err != nil {
		return g.Gate, err
	}
	g.Unrecorded, err = tryRecordLooks(ctx, st, g.Looks)
	return g.Gate, err
}

// checkCompares refuses parameters of a comparison that no rule asks for.
func (g Gated) checkCompares(q answer.GateQuestion) error {
	compares := slices.ContainsFunc(g.Scenarios, func(s verdict.ScenarioOutcome) bool { return s.Rules.Compares() })
	switch {
	case !compares && q.Baseline != nil:
		return &param.Error{Param: "baseline", Message: "is for the rules no-degradation and values, which are not active"}
	case !compares && q.Base != nil:
		return &param.Error{Param: "base", Message: "is for the rule no-degradation, which is not active"}
	}
	return nil
}

// PreviewGate returns what [JudgeGate] would judge, and no verdict. It records nothing.
func PreviewGate(ctx context.Context, r *store.Reader, q answer.GateQuestion) (a answer.GatePreview, err error) {
	g, err := Gate(ctx, r, q, 0)
	if err != nil {
		return a, err
	}
	if err := g.checkCompares(q); err != nil {
		return a, err
	}
	a.Newest = g.Newest
	for i, s := range g.Scenarios {
		a.Scenarios = append(a.Scenarios, answer.PreviewedScenario{
			Name: s.Name, Scenario: s.Scenario, Configuration: s.Configuration, Label: s.Label, Revision: s.Revision, Rules: s.Rules,
			Problem: g.problems[i], Estimates: s.Estimates, Measured: s.Measured,
		})
	}
	return a, nil
}

// Gate judges configurations together, under a version of their specs; 0 is the newest. A scenario without seeds, or
// whose seeds cannot be judged, is INCONCLUSIVE. An unknown scenario is an error wrapping [track.ErrNotFound].
func Gate(ctx context.Context, r *store.Reader, q answer.GateQuestion, specVersion int) (g Gated, err error) {
	err = r.Snapshot(ctx, func(r *store.Reader) error {
		g, err = gate(ctx, r, q, specVersion)
		return err
	})
	return g, err
}

func gate(ctx context.Context, r *store.Reader, q answer.GateQuestion, specVersion int) (g Gated, err error) {
	if q.Confidence != nil {
		q.Rules.Confidence = *q.Confidence
	}
	var gated []gatedScenario
	var inputs []verdict.GateInput
	for _, sel := range q.Of {
		list, err := loadGated(ctx, r, sel, q, specVersion)
		if err != nil {
			return g, err
		}
		for _, s := range list {
			gated, inputs = append(gated, s), append(inputs, s.GateInput)
		}
	}
	if g.Gate.Gate, err = verdict.NewGate(inputs); err != nil {
		return g, err
	}
	for i, s := range gated {
		g.problems = append(g.problems, s.Problem)
		if s.look != nil {
			g.Looks = append(g.Looks, s.look.decided(s.Stability.NSeeds, g.Scenarios[i].Verdict))
		}
		if s.comparison != nil {
			g.Looks = append(g.Looks, *s.comparison)
		}
		if s.side.Newest != nil {
			g.Newest = append(g.Newest, s.side)
		}
	}
	return g, nil
}

// gatedScenario is what a gate judges of one scenario, with the interim analyses that this is.
type gatedScenario struct {
	verdict.GateInput
	side       answer.Side
	look       *pendingLook // nil if there is nothing to judge
	comparison *store.Look  // of no_degradation; nil if nothing was compared
}

// loadGated returns what a gate judges of a configuration: itself, and then what it lost since the anchor, if there is
// one.
func loadGated(ctx context.Context, st *store.Reader, sel answer.Selector, q answer.GateQuestion, specVersion int) ([]gatedScenario, error) {
	var g gatedScenario
	choice, spec, err := g.choose(ctx, st, sel, q, specVersion)
	if err != nil || g.Problem != "" {
		return []gatedScenario{g}, err
	}
	if err := g.load(ctx, st, choice, spec, q); err != nil || q.Anchor == nil || g.Problem != "" {
		return []gatedScenario{g}, err
	}
	anchored := g
	anchored.Name += " since the anchor"
	anchored.Rules = scoring.GateRules{NoDegradation: true, Guard: g.Rules.Guard, LeaveOut: g.Rules.LeaveOut, Confidence: g.Rules.Confidence, FailOn: g.Rules.FailOn}
	anchored.look, anchored.comparison, anchored.Improvement, anchored.Baseline, anchored.NoBaseline, anchored.side = nil, nil, nil, "", "", answer.Side{}
	q.Baseline = q.Anchor
	err = anchored.compare(ctx, st, choice, spec, q)
	return []gatedScenario{g, anchored}, err
}

// choose finds the configuration and the rules that it is judged by, or why there is nothing to judge.
func (g *gatedScenario) choose(ctx context.Context, st *store.Reader, sel answer.Selector, q answer.GateQuestion, specVersion int) (choice Choice, spec specInUse, err error) {
	g.Name, g.Scenario, g.Rules = sel.String(), sel.Scenario, scoring.Spec{}.ActiveRules(q.Rules)
	spec, err = loadSpecInUse(ctx, st, sel.Scenario, specVersion)
	if errors.Is(err, track.ErrNotFound) {
		g.Problem = verdict.ProblemNoSpec
		return choice, spec, g.loadUnscored(ctx, st, sel, q.Seeds)
	}
	if err != nil {
		return choice, spec, err
	}
	g.Rules = spec.decoded.ActiveRules(q.Rules)
	if err := checkGuarded(spec.decoded, g.Rules); err != nil {
		return choice, spec, err
	}
	if err := checkGatePlan(g.Rules, q.Judging); err != nil {
		return choice, spec, err
	}
	choice, err = Choose(ctx, st, sel, false)
	if errors.Is(err, track.ErrNotFound) && sel.Configuration == "" {
		g.Problem = verdict.ProblemNoSeeds
		return choice, spec, nil
	}
	if err != nil {
		return choice, spec, err
	}
	g.side, g.Configuration = choice.side(), choice.Configurations[0].Hash
	g.Label, g.Revision = choice.Configurations[0].Label, choice.Configurations[0].Revision.String()
	return choice, spec, nil
}

// loadUnscored adds what is recorded of a scenario without a spec. It fails if there is no such scenario.
func (g *gatedScenario) loadUnscored(ctx context.Context, st *store.Reader, sel answer.Selector, seeds []track.SeedRange) error {
	choice, err := Choose(ctx, st, sel, false)
	if err != nil {
		return err
	}
	g.Recorded, err = st.CountRecorded(ctx, choice.selection(seeds))
	return err
}

// checkGuarded refuses a metric or group that the spec does not have: a name with a typing error would guard nothing,
// or leave out nothing.
func checkGuarded(spec scoring.Spec, rules scoring.GateRules) error {
	known := func(name string) bool {
		return slices.ContainsFunc(spec.Metrics, func(m scoring.Metric) bool { return m.Name == name || m.Group == name })
	}
	for _, name := range rules.Guard {
		if !known(name) {
			return &param.Error{Param: "guard", Message: fmt.Sprintf("%s: the spec of %s has no such metric or group", name, spec.Scenario)}
		}
	}
	for _, out := range rules.LeaveOut {
		if !known(out.Name) {
			return &param.Error{Param: "leave-out", Message: fmt.Sprintf("%s: the spec of %s has no such metric or group", out.Name, spec.Scenario)}
		}
	}
	return nil
}

// load fills in what the rules look at.
func (g *gatedScenario) load(ctx context.Context, st *store.Reader, choice Choice, spec specInUse, q answer.GateQuestion) error {
	configuration := choice.Configurations[0]
	sel := store.Selection{Scenario: choice.Scenario, Configurations: []int64{configuration.ID}, SpecID: spec.stored.ID, Seeds: q.Seeds}
	totals, err := st.SeedTotals(ctx, sel)
	switch {
	case err != nil:
		return err
	case totals.NSeeds == 0:
		g.Problem = verdict.ProblemNoSeeds
		return nil
	case totals.NUnassessed > 0:
		g.Problem = verdict.ProblemNotAssessed
		g.Stability = scoring.NewStability(spec.decoded, totals.SeedTotals, nil)
		return nil
	}
	if g.Coverage, err = coverageOf(ctx, st, sel); err != nil {
		return err
	}
	metrics, err := st.MetricTotals(ctx, sel)
	if err != nil {
		return err
	}
	g.Stability = scoring.NewStability(spec.decoded, totals.SeedTotals, metrics)
	rows, err := st.SeedScores(ctx, sel, false)
	if err != nil {
		return err
	}
	for _, row := range store.Distinct(rows) {
		g.Seeds = append(g.Seeds, judgedSeedOf(row, spec.decoded))
	}
	look, err := prepareLook(ctx, st, store.Look{
		Kind: store.LookGate, Evidence: evidence(rows), Question: question(store.LookGate, spec.stored.Hash, choice.Scenario, configuration.Hash),
	}, q.Judging)
	if err != nil {
		return err
	}
	g.Look, g.look = look.rule, &look
	if g.Rules.Compares() {
		return g.compare(ctx, st, choice, spec, q)
	}
	return nil
}

// compare compares with the baseline, or says why there is none.
func (g *gatedScenario) compare(ctx context.Context, st *store.Reader, choice Choice, spec specInUse, q answer.GateQuestion) error {
	q.Confidence = &g.Rules.Confidence
	c, err := compare(ctx, st, choice, answer.PairedQuestion{Baseline: q.Baseline, Base: q.Base, Spec: spec.stored.Version, Judging: q.Judging}, choice.Scenario)
	switch {
	case errors.Is(err, ErrSameConfiguration):
		g.NoBaseline = verdict.ReasonSame
	case errors.Is(err, track.ErrNotFound) && q.Baseline == nil:
		g.NoBaseline = err.Error()
	case err != nil:
		return err
	default:
		g.Improvement, g.comparison = &c.Improvement.Improvement, &c.Look
		g.Baseline = c.Baseline.Scenario + "@" + track.ShortHash(c.Baseline.Configuration.Hash)
		if label := c.Baseline.Configuration.Label; label != "" {
			g.Baseline += " (" + label + ")"
		}
	}
	return nil
}

// neighboursOfBaseline is how many configurations on each side a baseline is compared with.
const neighboursOfBaseline = 10

// warnOddBaseline adds a warning if the baseline stands out from the configurations around it that have its parameters.
// The candidate is none of them: it is what the comparison is about.
func (c *Compared) warnOddBaseline(ctx context.Context, r *store.Reader, spec specInUse) error {
	all, _, err := r.Configurations(ctx, c.baseline.Scenario, allConfigurations)
	if err != nil {
		return err
	}
	baseline, candidate := c.baseline.Configurations[0], c.candidate.Configurations[0].ID
	like := slices.DeleteFunc(all, func(o store.Configuration) bool { return o.Params != baseline.Params || o.ID == candidate })
	at := slices.IndexFunc(like, func(o store.Configuration) bool { return o.ID == baseline.ID })
	if at < 0 {
		return nil
	}
	from := max(0, at-neighboursOfBaseline)
	around := like[from:min(len(like), at+neighboursOfBaseline+1)]
	totals, err := historyTotals(ctx, r, spec, around)
	if err != nil {
		return err
	}
	points := make([]verdict.HistoryPoint, len(around))
	for i, t := range totals {
		score := t.WithFailures().Score
		s := stats.Summary{N: score.N, Mean: score.Mean, PopulationSD: score.Std}
		points[i] = verdict.HistoryPoint{N: s.N, Mean: s.Mean, SD: s.SD()}
	}
	if w := verdict.OddBaseline(points[at-from], slices.Delete(slices.Clone(points), at-from, at-from+1)); w != nil {
		c.Warnings = append(c.Warnings, *w)
	}
	return nil
}

// likePercent returns the values of a seed that miss their targets by a factor of 100, and shares above 1.
func likePercent(spec scoring.Spec, seed track.Seed, a scoring.Assessment) (list []answer.PercentMetric) {
	for i, m := range spec.Metrics {
		r := a.Results[i]
		if r.Reason != "" {
			continue
		}
		if meant, is := m.MeantAsPercent(r.Value); is {
			list = append(list, answer.PercentMetric{Scenario: seed.Scenario, Metric: m.Name, Target: m.Target.String(), Value: r.Value, Meant: meant,
				IsShare: m.IsShare() && r.Value > 1, NSeeds: 1})
		}
	}
	return list
}

// Percents counts values that miss their targets by a factor of 100, by scenario and metric.
type Percents map[[2]string]*answer.PercentMetric

// Add counts those of a recorded seed.
func (p Percents) Add(r RecordResult) {
	for _, found := range r.Percents {
		key := [2]string{found.Scenario, found.Metric}
		if p[key] == nil {
			p[key] = &answer.PercentMetric{}
			*p[key] = found
			continue
		}
		p[key].NSeeds++
	}
}

// List returns one for each metric, by scenario and name.
func (p Percents) List() (list []answer.PercentMetric) {
	for _, found := range p {
		list = append(list, *found)
	}
	slices.SortFunc(list, func(a, b answer.PercentMetric) int {
		return cmp.Or(cmp.Compare(a.Scenario, b.Scenario), cmp.Compare(a.Metric, b.Metric))
	})
	return list
}
