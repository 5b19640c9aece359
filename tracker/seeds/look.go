package seeds

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"fmt"
	"io"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"track"
	"track/answer"
	"track/scoring"
	"track/scoring/stats"
	"track/scoring/verdict"
	"track/store"
)

// pendingLook is a decision about to be recorded as a look.
type pendingLook struct {
	store.Look
	rule verdict.Look
}

// question identifies what is asked: of which seeds, judged by what.
func question(kind store.LookKind, parts ...string) [sha256.Size]byte {
	return sha256.Sum256([]byte(string(kind) + "\x00" + strings.Join(parts, "\x00")))
}

// evidence identifies the seeds that a decision is made on, in whatever order.
func evidence(sides ...[]store.Seed) [sha256.Size]byte {
	h := sha256.New()
	for _, side := range sides {
		ids := make([]string, len(side))
		for i, seed := range side {
			ids[i] = seed.ULID
		}
		slices.Sort(ids)
		_, _ = io.WriteString(h, strings.Join(ids, ",")+"\x00")
	}
	return [sha256.Size]byte(h.Sum(nil))
}

// prepareLook finds the earlier looks at the same question, and the plan that counts for it.
func prepareLook(ctx context.Context, st *store.Reader, look store.Look, j answer.Judging) (pendingLook, error) {
	p := pendingLook{Look: look, rule: verdict.Look{Plan: j.Plan, Anytime: j.Anytime}}
	if err := verdict.CheckPlan(j.Plan); err != nil {
		return p, fmt.Errorf("%w: plan: %w", track.ErrInvalid, err)
	}
	looks, err := st.Looks(ctx, look.Question)
	if err != nil {
		return p, err
	}
	p.rule.Number = 1 + previousLooks(looks, look.Evidence)
	planned := slices.IndexFunc(looks, func(l store.Look) bool { return len(l.Plan) > 0 })
	switch {
	case planned < 0:
		p.rule.Late = len(j.Plan) > 0 && len(looks) > 0
	case j.Anytime || len(j.Plan) > 0 && !slices.Equal(j.Plan, looks[planned].Plan):
		return p, plannedOtherwise(looks[planned], j)
	default:
		p.rule.Plan, p.rule.Late = looks[planned].Plan, planned > 0
	}
	p.Plan, p.Anytime = p.rule.Plan, p.rule.Anytime
	return p, nil
}

// plannedOtherwise refuses a plan that is not the first one of a question.
func plannedOtherwise(first store.Look, j answer.Judging) error {
	instead := "any time"
	if !j.Anytime {
		instead = verdict.PlanText(j.Plan)
	}
	err := fmt.Errorf("%w: looks at %s were planned on %s, not at %s", track.ErrConflict, verdict.PlanText(first.Plan), first.LookedAt.Format(time.DateOnly), instead)
	return track.WithHint(err, track.Hint{Text: "ask without a plan and without anytime: the plan that was made first counts; another configuration or another spec is another question"})
}

// previousLooks counts the different sets of seeds that a question was asked of before this one.
func previousLooks(looks []store.Look, evidence [sha256.Size]byte) int {
	seen := map[[sha256.Size]byte]bool{}
	for _, l := range looks {
		if l.Evidence == evidence {
			break // the same seeds once more tell nothing new
		}
		seen[l.Evidence] = true
	}
	return len(seen)
}

// tryRecordLooks records decisions as looks, and returns why it could not; empty if it could. The decisions stand
// without it, but not if the database is damaged.
func tryRecordLooks(ctx context.Context, st *store.Store, looks []store.Look) (unrecorded string, err error) {
	err = RecordLooks(ctx, st, looks, rand.Reader)
	if err == nil || store.IsDamaged(err) {
		return "", err
	}
	return err.Error(), nil
}

// RecordLooks records decisions as looks. It returns an error if the database cannot be written; the decisions stand
// without it.
func RecordLooks(ctx context.Context, st *store.Store, looks []store.Look, entropy io.Reader) error {
	looks = slices.DeleteFunc(slices.Clone(looks), func(l store.Look) bool { return l.N == 0 }) // nothing to look at
	if len(looks) == 0 {
		return nil
	}
	return st.Update(ctx, func(tx *store.Tx) (err error) {
		for _, look := range looks {
			look.LookedAt = st.Now()
			if look.ULID, err = NewID(look.LookedAt, entropy); err != nil {
				return err
			}
			if _, err := tx.AddLook(look); err != nil {
				return err
			}
		}
		return nil
	})
}

func (p pendingLook) decided(n int, v scoring.Verdict) store.Look {
	look := p.Look
	look.N, look.Verdict = n, v
	return look
}

// checkGatePlan returns an error if a gate that only compares could decide nothing at one of the planned numbers of
// pairs. Other rules can fail with few seeds.
func checkGatePlan(rules scoring.GateRules, j answer.Judging) error {
	if rules.MinPassRate != nil || rules.Stable || rules.MaxStd != nil || rules.MinScore != nil {
		return nil
	}
	return answer.CheckLooks(j.Plan, &rules.Confidence)
}

// CheckGateLook returns an error if the gate of a configuration cannot be decided by these rules as j says, because it
// was planned otherwise before, or because a planned look could never decide.
func CheckGateLook(ctx context.Context, st *store.Reader, scenario string, specVersion int, configuration string, rules scoring.GateRules, j answer.Judging) error {
	spec, err := loadSpecInUse(ctx, st, scenario, specVersion)
	if err != nil {
		return err
	}
	if err := checkGatePlan(spec.decoded.ActiveRules(rules), j); err != nil {
		return err
	}
	_, err = prepareLook(ctx, st, store.Look{Kind: store.LookGate, Question: question(store.LookGate, spec.stored.Hash, scenario, configuration)}, j)
	return err
}

// findSeed returns the seed of a scenario with this number, and the hashes of the other configurations that have it. If
// several have it, [Choose] says which is meant.
func findSeed(ctx context.Context, r *store.Reader, of answer.Selector, number track.SeedNumber) (track.RecordedSeed, []string, error) {
	configuration := int64(0)
	if of.Configuration != "" {
		choice, err := Choose(ctx, r, of, false)
		if err != nil {
			return track.RecordedSeed{}, nil, err
		}
		configuration = choice.Configurations[0].ID
	}
	seed, others, err := r.SeedByNumber(ctx, of.Scenario, number, configuration)
	if err == nil && configuration == 0 && len(others) > 0 {
		choice, err := Choose(ctx, r, of, false)
		if err != nil {
			return seed, nil, err
		}
		of.Configuration = choice.Configurations[0].Hash
		if of.Configuration != seed.Configuration.Hash && slices.ContainsFunc(others, func(o track.RecordedSeed) bool { return o.Configuration.Hash == of.Configuration }) {
			return findSeed(ctx, r, of, number)
		}
	}
	var hashes []string
	for _, other := range others {
		hashes = append(hashes, other.Configuration.Hash)
	}
	return seed, hashes, err
}

// ShowSeed returns everything that is known of a seed.
func ShowSeed(ctx context.Context, r *store.Reader, q answer.SeedQuestion) (a answer.Seed, err error) {
	if a.RecordedSeed, a.Others, err = findSeed(ctx, r, q.Of, q.Seed); err != nil {
		return a, err
	}
	a.Unscored = maps.Clone(a.Values)
	if a.Run, err = r.Run(ctx, a.ID); err != nil {
		return a, err
	}
	annotations, err := annotationsByHash(ctx, r, a.Scenario)
	if err != nil {
		return a, err
	}
	a.Annotations = annotations[a.RecordedSeed.Configuration.Hash]
	if a.Artifacts, err = artifactsOf(ctx, r, a.ID); err != nil {
		return a, err
	}
	version := q.Spec
	switch {
	case version == 0:
		version = a.SpecVersion
	case !slices.Contains(a.Assessed, version) && a.Outcome == track.OutcomeOK:
		hint := track.NewHint("score it", "rescore", a.Scenario).With("spec", strconv.Itoa(version))
		return a, track.WithHint(fmt.Errorf("seed %s was not scored under spec version %d: %w", a.Number, version, track.ErrNotFound), hint)
	}
	if version == 0 {
		return a, nil
	}
	return a, addResults(ctx, r, &a, version)
}

// addResults adds the results of the seed under a version of the spec.
func addResults(ctx context.Context, r *store.Reader, a *answer.Seed, version int) error {
	stored, decoded, err := LoadSpec(ctx, r, a.Scenario, version)
	if err != nil {
		return err
	}
	results, err := r.Results(ctx, a.ID, stored.ID)
	if err != nil || len(results) == 0 {
		return err
	}
	a.Spec = &answer.SpecRef{Version: stored.Version, Hash: stored.Hash}
	for _, m := range decoded.Metrics {
		result, judged := results[m.Name]
		if !judged {
			continue
		}
		delete(a.Unscored, m.Name)
		metric := answer.MetricResult{MetricInfo: m.Info(), Status: result.Status, Reason: result.Reason}
		if !result.Missing() {
			metric.Value, metric.Score = (*answer.Measured)(&result.Value), &result.Score
		}
		a.Metrics = append(a.Metrics, metric)
	}
	return nil
}

// ShowHistory aggregates the newest configurations of a scenario.
func ShowHistory(ctx context.Context, r *store.Reader, q answer.HistoryQuestion) (answer.History, error) {
	a, _, err := loadHistory(ctx, r, q)
	return a, err
}

// historySources are what a history was made of.
type historySources struct {
	spec           specInUse
	configurations []store.Configuration // of the entries
}

func loadHistory(ctx context.Context, r *store.Reader, q answer.HistoryQuestion) (a answer.History, from historySources, err error) {
	newestFirst, total, err := r.Configurations(ctx, q.Scenario, q.Limit)
	if err != nil {
		return a, from, err
	}
	if from.spec, err = loadSpecInUse(ctx, r, q.Scenario, q.Spec); err != nil {
		return a, from, err
	}
	a = answer.History{Scenario: q.Scenario, Spec: specRef(from.spec.stored), NOlder: total - len(newestFirst), Entries: make([]answer.HistoryEntry, len(newestFirst))}
	var metric *scoring.Metric
	if q.Metric != "" {
		if metric, err = findMetric(from.spec.decoded, q.Metric); err != nil {
			return a, from, err
		}
		info := metric.Info()
		a.Metric = &info
	}
	from.configurations = make([]store.Configuration, len(newestFirst))
	params := make([]track.Params, len(newestFirst))
	totals, err := historyTotals(ctx, r, from.spec, newestFirst)
	if err != nil {
		return a, from, err
	}
	for i, c := range newestFirst {
		at := len(newestFirst) - 1 - i
		from.configurations[at], params[at] = c, c.Params
		if a.Entries[at], err = historyEntry(ctx, r, from.spec, c, totals[i], metric); err != nil {
			return a, from, err
		}
	}
	if err := annotateHistory(ctx, r, &a, from.configurations); err != nil {
		return a, from, err
	}
	return a, from, completeHistory(&a, params, q.Next)
}

// completeHistory adds what follows from all entries together.
func completeHistory(a *answer.History, params []track.Params, next int) error {
	differing, err := parameterLines(params)
	if err != nil {
		return err
	}
	o := verdict.HistoryOptions{Next: next, Scores: a.Metric == nil}
	points := make([]verdict.HistoryPoint, len(a.Entries))
	lines, previous := a.Lines(), map[string]verdict.HistoryPoint{} // by line
	for i := range a.Entries {
		e := &a.Entries[i]
		e.Differing = differing[i]
		mean, sd := e.Mean()
		points[i] = verdict.HistoryPoint{N: mean.N, Mean: mean.Value, SD: sd.Value, Accepted: e.Stable, Line: lines[i]}
		if e.Change = verdict.ChangeBetween(previous[lines[i]], points[i], o); mean.N > 0 {
			previous[lines[i]] = points[i]
		}
	}
	a.Analysis = verdict.AnalyseHistory(points, o)
	return nil
}

// historyTotals returns the totals of configurations, in their order.
func historyTotals(ctx context.Context, r *store.Reader, spec specInUse, configurations []store.Configuration) ([]store.Totals, error) {
	sel := store.Selection{Scenario: spec.stored.Scenario, SpecID: spec.stored.ID}
	for _, c := range configurations {
		sel.Configurations = append(sel.Configurations, c.ID)
	}
	return r.TotalsByConfiguration(ctx, sel)
}

func historyEntry(ctx context.Context, r *store.Reader, spec specInUse, c store.Configuration, totals store.Totals, metric *scoring.Metric) (e answer.HistoryEntry, err error) {
	sel := store.Selection{Scenario: spec.stored.Scenario, Configurations: []int64{c.ID}, SpecID: spec.stored.ID}
	s := scoring.NewStability(spec.decoded, totals.SeedTotals, nil)
	e = answer.HistoryEntry{
		Configuration: recordedConfiguration(c), FirstRecorded: c.CreatedAt, NUnassessed: totals.NUnassessed, NEnvironments: totals.NEnvironments, Stability: s,
	}
	if e.NUnassessed > 0 { // a part of the seeds would pass for all of them
		e.Stability = scoring.Stability{NSeeds: s.NSeeds, NScored: s.NScored, NFailed: s.NFailed - totals.NUnassessed}
		return e, nil
	}
	coverage, err := coverageOf(ctx, r, sel)
	if err != nil {
		return e, err
	}
	judged := verdict.Judge(s, coverage, scoring.DefaultConfidence)
	e.Verdict, e.Estimates, e.Warnings = judged.Verdict, &judged.Estimates, judged.Warnings
	if metric != nil {
		e.Metric, err = historyMetric(ctx, r, sel, totals.SeedTotals, *metric)
	}
	return e, err
}

func historyMetric(ctx context.Context, r *store.Reader, sel store.Selection, totals scoring.SeedTotals, metric scoring.Metric) (*answer.HistoryMetric, error) {
	found, err := r.OneMetricTotals(ctx, sel, metric.Name)
	if err != nil {
		return nil, err
	}
	s := scoring.NewStability(scoring.Spec{Metrics: []scoring.Metric{metric}}, totals, []scoring.MetricTotals{found})
	value := found.Value
	values := stats.Summary{N: value.N, Mean: value.Mean, PopulationSD: value.Std}
	return &answer.HistoryMetric{
		MetricStability: s.Metrics[0],
		Mean:            verdict.Estimate{Value: value.Mean, N: value.N, Interval: values.MeanInterval(scoring.DefaultConfidence)},
		SD:              verdict.Estimate{Value: values.SD(), N: value.N, Interval: values.SDInterval(scoring.DefaultConfidence)},
	}, nil
}

// findMetric returns the metric of a spec with this name.
func findMetric(spec scoring.Spec, name string) (*scoring.Metric, error) {
	var known []string
	for _, m := range spec.Metrics {
		if m.Name == name {
			return &m, nil
		}
		known = append(known, m.Name)
	}
	err := didYouMean(fmt.Errorf("spec of %s has no metric %q: %w", spec.Scenario, name, track.ErrNotFound), name, known)
	return nil, track.WithHint(err, track.NewHint("list its metrics", "spec show", spec.Scenario))
}
