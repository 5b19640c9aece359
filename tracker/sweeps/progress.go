package sweeps

import (
	"context"
	"errors"
	"math"
	"time"

	"github.com/go-json-experiment/json"

	"track"
	"track/answer"
	"track/scoring"
	"track/scoring/stats"
	"track/store"
	"track/tracker/seeds"
)

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
