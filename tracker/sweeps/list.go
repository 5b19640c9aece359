package sweeps

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"track"
	"track/answer"
	"track/scoring"
	"track/scoring/format"
	"track/scoring/stats"
	"track/store"
	"track/tracker/seeds"
)

// List returns recorded sweeps, the newest first.
func List(ctx context.Context, r *store.Reader, q answer.SweepsQuestion) (a answer.Sweeps, err error) {
	limit := q.Page.PageLimit()
	filter := store.SweepFilter{Scenario: q.Scenario, After: q.Page.After, Limit: limit + 1} // one more says whether there is another page
	if q.Scenario != "" {
		if _, err := r.NewestConfiguration(ctx, q.Scenario); err != nil {
			return a, err
		}
	}
	if q.Page.After != "" { // an unknown position must not look like the end of the list
		last, err := r.Sweeps(ctx, store.SweepFilter{ID: q.Page.After})
		if err != nil {
			return a, err
		}
		if len(last) != 1 || last[0].ID != q.Page.After {
			return a, q.Page.UnknownCursor()
		}
	}
	list, err := r.Sweeps(ctx, filter)
	if err != nil {
		return a, err
	}
	if len(list) > limit {
		list = list[:limit]
		a.Next = list[limit-1].ID
	}
	a.Items = make([]answer.RecordedSweep, len(list))
	running, err := r.Running(ctx)
	for i, s := range list {
		a.Items[i] = newRecordedSweep(s, running)
	}
	return a, err
}

func newRecordedSweep(s store.SweepSummary, running store.Running) answer.RecordedSweep {
	r := answer.RecordedSweep{
		ID: s.ID, Scenario: s.Scenario, Command: []string{}, Shard: s.Shard, NShards: s.NShards, StartedAt: s.StartedAt, EndedAt: s.EndedAt,
		Ending: s.Ending, CodeChanged: s.CodeChanged, Withdrawn: s.Withdrawn, NRuns: s.NRuns, NFailed: s.NFailed, NWithdrawn: s.NWithdrawn,
		IsRunning: s.Ending == "" && running.HasSweep(s.ID), Configurations: make([]answer.PlannedConfiguration, len(s.Planned)),
	}
	var plan struct {
		Command []string `json:"command"`
	}
	if err := json.Unmarshal([]byte(s.Plan), &plan); err == nil { // the plan may be of a newer program
		r.Command = plan.Command
	}
	for i, planned := range s.Planned {
		r.Configurations[i] = newPlannedConfiguration(planned.Configuration, planned.Seeds)
	}
	return r
}

func newPlannedConfiguration(c track.Configuration, seeds track.SeedRanges) answer.PlannedConfiguration {
	return answer.PlannedConfiguration{
		RecordedConfiguration: track.RecordedConfiguration{Hash: c.Hash(), Configuration: c}, Planned: seeds.String(), NPlanned: seeds.Len(),
	}
}

// Show returns a sweep with its provenance.
func Show(ctx context.Context, r *store.Reader, q answer.SweepQuestion) (a answer.Sweep, err error) {
	s, err := seeds.FindSweep(ctx, r, q.ID)
	if err != nil {
		return a, err
	}
	running, err := r.Running(ctx)
	if err != nil {
		return a, err
	}
	a = answer.Sweep{
		RecordedSweep: newRecordedSweep(s, running), Environment: s.Environment, Plan: jsontext.Value(s.Plan), Changes: s.Changes, Libraries: s.Libraries,
	}
	if a.Progress, err = progressOf(ctx, r, s); err == nil && a.IsRunning {
		addRunning(&a.Progress, s, running)
	}
	return a, err
}

const (
	shownConfigurations = 20
	shownSteps          = 40
)

// progressOf says how far a sweep is.
func progressOf(ctx context.Context, r *store.Reader, s store.SweepSummary) (p answer.SweepProgress, err error) {
	p = answer.SweepProgress{PerMinute: math.NaN(), Last: s.LastSeed, Configurations: []answer.ConfigurationProgress{}}
	var plan struct {
		Until string `json:"until"`
	}
	if json.Unmarshal([]byte(s.Plan), &plan) == nil { // the plan may be of a newer program
		p.Until = plan.Until
	}
	spec, _, err := seeds.LoadSpec(ctx, r, s.Scenario, 0)
	if err != nil && !errors.Is(err, track.ErrNotFound) {
		return p, err
	}
	for i, planned := range s.Planned {
		c, err := progressWith(ctx, r, s.Scenario, spec.ID, planned, i < shownConfigurations, p.Until)
		if err != nil {
			return p, err
		}
		p.NPlanned += c.NPlanned
		p.NWithdrawn += c.NWithdrawn
		p.NLeft += c.NPlanned - c.NRecorded - c.NWithdrawn
		if i < shownConfigurations {
			p.Configurations = append(p.Configurations, c)
		} else {
			p.NOthers++
		}
	}
	if took := s.LastSeed.Sub(s.StartedAt); !s.LastSeed.IsZero() && took > 0 && s.NRuns > 0 {
		p.PerMinute = float64(s.NRuns) / took.Minutes()
		if s.Ending == "" {
			p.Left = time.Duration(float64(p.NLeft) / float64(s.NRuns) * float64(took)).Round(time.Second)
		}
	}
	return p, nil
}

// progressWith says how far a sweep is with a configuration.
func progressWith(ctx context.Context, r *store.Reader, scenario string, spec int64, planned track.PlannedSeeds, scored bool, until string) (c answer.ConfigurationProgress, err error) {
	hash := planned.Configuration.Hash()
	c = answer.ConfigurationProgress{Configuration: hash, Label: planned.Configuration.Label, NPlanned: planned.Seeds.Len(), Scores: []answer.ScoreSoFar{}}
	outcomes, err := r.RecordedOutcomes(ctx, scenario, hash)
	if err != nil {
		return c, err
	}
	for number, outcome := range outcomes {
		if !planned.Seeds.Contains(number) {
			continue
		}
		c.NRecorded++
		if outcome != track.OutcomeOK {
			c.NFailed++
		}
	}
	if c.NRecorded < c.NPlanned {
		if c.NWithdrawn, err = nWithdrawn(ctx, r, scenario, hash, planned.Seeds); err != nil {
			return c, err
		}
	}
	if !scored || c.NRecorded == 0 || spec == 0 {
		return c, nil
	}
	choice, err := seeds.Choose(ctx, r, answer.Selector{Scenario: scenario, Configuration: hash}, false)
	if err != nil {
		return c, err
	}
	rows, err := r.SeedScores(ctx, store.Selection{Scenario: scenario, Configurations: []int64{choice.Configurations[0].ID}, SpecID: spec, Seeds: planned.Seeds}, false)
	if err != nil {
		return c, err
	}
	if precision, err := parsePrecision(until); err == nil { // other rules need more than the scores
		if c.StopRule, err = precision.soFar(rows, planned.Seeds); err != nil {
			return c, err
		}
	}
	c.Scores, err = scoresSoFar(rows)
	return c, err
}

// addRunning adds the planned seeds that processes run.
func addRunning(p *answer.SweepProgress, s store.SweepSummary, running store.Running) {
	for i, planned := range s.Planned {
		list := running.Seeds(s.Scenario, planned.Configuration.Hash(), planned.Seeds)
		p.NRunning += len(list)
		if i < len(p.Configurations) {
			p.Configurations[i].Running = list
		}
	}
}

// nWithdrawn counts the planned seeds of a configuration that were withdrawn and not replaced.
func nWithdrawn(ctx context.Context, r *store.Reader, scenario, hash string, planned track.SeedRanges) (int, error) {
	withdrawn, err := seeds.WithdrawnOf(ctx, r, scenario, hash)
	if errors.Is(err, track.ErrConflict) { // the configuration as a whole
		return planned.Len(), nil
	}
	return planned.Intersect(withdrawn).Len(), err
}

// scoresSoFar returns the score after each of some steps.
func scoresSoFar(rows []store.Seed) ([]answer.ScoreSoFar, error) {
	var scores []float64
	for _, row := range store.Distinct(rows) {
		score := row.TotalScore
		if math.IsNaN(score) { // it failed
			score = 0
		}
		scores = append(scores, score)
	}
	list := []answer.ScoreSoFar{}
	for k := range shownSteps {
		n := (k + 1) * len(scores) / shownSteps
		if n == 0 || len(list) > 0 && list[len(list)-1].N == n {
			continue
		}
		summary, err := stats.Summarize(scores[:n])
		if err != nil {
			return nil, err
		}
		list = append(list, answer.ScoreSoFar{N: n, Mean: summary.Mean, Interval: summary.ScoreInterval(scoring.DefaultConfidence)})
	}
	return list, nil
}

// PassRates counts the seeds of a running sweep that pass, by configuration. The zero value has counted nothing.
type PassRates struct {
	rates []*passRate // in the order in which the first seeds of the configurations ended
}

type passRate struct {
	configuration track.Configuration
	n, nPassed    int // n of them scored or failed
}

func (r *passRate) share() float64 { return float64(r.nPassed) / float64(r.n) }

// Add counts a seed.
func (p *PassRates) Add(swept SweptSeed) {
	a, failed := swept.Result.Assessment, swept.Seed.Outcome != track.OutcomeOK
	if scored := a != nil && a.Scored; swept.Repeated || !scored && !failed {
		return
	}
	i := slices.IndexFunc(p.rates, func(r *passRate) bool { return r.configuration == swept.Seed.Configuration })
	if i < 0 {
		i = len(p.rates)
		p.rates = append(p.rates, &passRate{configuration: swept.Seed.Configuration})
	}
	p.rates[i].n++
	if !failed && a.NFail == 0 {
		p.rates[i].nPassed++
	}
}

// Text returns the pass rate with its interval, or the lowest and the highest of several configurations; empty if
// nothing was counted.
func (p *PassRates) Text(several bool) string {
	if len(p.rates) == 0 {
		return ""
	}
	byShare := func(a, b *passRate) int { return cmp.Compare(a.share(), b.share()) }
	lowest, highest := slices.MinFunc(p.rates, byShare), slices.MaxFunc(p.rates, byShare)
	if !several || lowest == highest {
		return "pass rate " + highest.text(several)
	}
	return "pass rates from " + lowest.text(several) + " to " + highest.text(several)
}

func (r *passRate) text(named bool) string {
	rate, err := stats.ClopperPearsonEnds(r.nPassed, r.n, scoring.DefaultConfidence)
	if err != nil {
		return "?"
	}
	text := fmt.Sprintf("%s (95%% Clopper–Pearson %s)", format.Percent(rate.Value), format.Interval(rate.Interval, format.Percent))
	if named {
		text += " (" + answer.ParamsText(r.configuration.Params) + ")"
	}
	return text
}

// Withdraw takes back a sweep: what it did not run is not missing any more, and unless the plan alone is withdrawn,
// what it measured does not count.
func Withdraw(ctx context.Context, st *store.Store, q answer.WithdrawSweepQuestion) (a answer.WithdrawalReceipt, err error) {
	s, err := seeds.FindSweep(ctx, st.Reader, q.ID)
	if err != nil {
		return a, err
	}
	subjects := []track.Withdrawal{{Kind: track.WithdrawnSweep, Scenario: s.Scenario, Sweep: s.ID}}
	if !q.PlanOnly {
		measured, err := st.MeasuredBy(ctx, s.Scenario, s.ID)
		if err != nil {
			return a, err
		}
		subjects = append(subjects, measured...)
	}
	if s.Withdrawn != nil && len(subjects) == 1 {
		err := fmt.Errorf("%w: sweep %s was withdrawn already: %s", track.ErrConflict, track.ShortID(s.ID), s.Withdrawn.Reason)
		return a, track.WithHint(err, track.NewHint("restore it", "restore sweep", track.ShortID(s.ID)).With("reason", "TEXT"))
	}
	return seeds.RecordWithdrawals(ctx, st, track.ActionWithdrawn, subjects, q.Change)
}

// Restore makes the plan of a withdrawn sweep count again, with the seeds that were withdrawn with it.
func Restore(ctx context.Context, st *store.Store, q answer.RestoreSweepQuestion) (a answer.WithdrawalReceipt, err error) {
	s, err := seeds.FindSweep(ctx, st.Reader, q.ID)
	if err != nil {
		return a, err
	}
	if s.Withdrawn == nil {
		err := fmt.Errorf("sweep %s is not withdrawn: %w", track.ShortID(s.ID), track.ErrNotFound)
		return a, track.WithHint(err, track.NewHint("list the sweeps", "sweep list", s.Scenario))
	}
	measured, err := st.WithdrawnWith(ctx, s.ID)
	if err != nil {
		return a, err
	}
	subjects := append([]track.Withdrawal{{Kind: track.WithdrawnSweep, Scenario: s.Scenario, Sweep: s.ID}}, measured...)
	return seeds.RecordWithdrawals(ctx, st, track.ActionRestored, subjects, q.Change)
}
