package seeds

import (
	"context"
	"errors"
	"strings"

	"track"
	"track/answer"
	"track/scoring"
	"track/scoring/stats"
	"track/store"
)

// ReportedScenario is all that a report tells of one scenario.
type ReportedScenario struct {
	Stored      store.Spec
	Spec        scoring.Spec
	NSpecs      int // versions of the spec that there are
	History     History
	Steps       []Step            // of each entry of History from the one before it
	Stability   ReportedStability // of the configuration recorded to last
	Improvement *ReportedImprovement
	NoBaseline  string          // why there is no Improvement
	Baseline    *store.Baseline // that is pinned; nil for none
	NPinsBefore int             // pins of the scenario that do not hold any more
	Looks       []store.Look    // to be recorded
}

// ScenarioOptions narrow the report of a scenario.
type ScenarioOptions struct {
	SpecVersion int // 0 for the newest
	Limit       int // the newest so many configurations in the history
}

// LoadScenarioReport collects what a report tells of a scenario, which must have seeds that are judged.
func LoadScenarioReport(ctx context.Context, st *store.Reader, scenario string, options ScenarioOptions) (report ReportedScenario, err error) {
	err = st.Snapshot(ctx, func(st *store.Reader) error {
		report, err = reportedScenario(ctx, st, scenario, options)
		return err
	})
	return report, err
}

func reportedScenario(ctx context.Context, st *store.Reader, scenario string, options ScenarioOptions) (report ReportedScenario, err error) {
	if report.History, err = loadHistory(ctx, st, scenario, HistoryOptions{SpecVersion: options.SpecVersion, Limit: options.Limit}); err != nil {
		return report, err
	}
	report.Stored, report.Spec = report.History.Stored, report.History.Spec
	if report.Steps, err = report.History.steps(ctx, st); err != nil {
		return report, err
	}
	if report.NSpecs, err = countSpecs(ctx, st, scenario); err != nil {
		return report, err
	}
	report.Stability, err = reportedStability(ctx, st, answer.Selector{Scenario: scenario}, StabilityOptions{SpecVersion: report.Stored.Version})
	if err != nil {
		return report, err
	}
	report.Looks = report.Stability.Looks
	pins, err := st.Baselines(ctx, scenario)
	if err != nil {
		return report, err
	}
	report.pinned(pins)
	return report, report.compare(ctx, st)
}

// Step is the change of total scores from one configuration to the next, over the seeds that both have. A seed without a score counts as
// 0, as in every comparison.
type Step struct {
	NPairs   int // 0 where there is nothing to compare
	Mean     float64
	Interval stats.Interval
}

// steps compares each entry with the one before it.
func (h History) steps(ctx context.Context, st *store.Reader) ([]Step, error) {
	steps := make([]Step, len(h.Entries))
	var before map[track.SeedNumber]float64
	for i, e := range h.Entries {
		now := map[track.SeedNumber]float64{}
		if e.NUnassessed == 0 {
			rows, err := st.SeedScores(ctx, store.Selection{Scenario: h.Scenario, Configurations: []int64{e.ID}, SpecID: h.Stored.ID}, false)
			if err != nil {
				return nil, err
			}
			var differences []float64
			for _, row := range rows {
				now[row.Number] = judgedSeedOf(row, h.Spec).Total
				if score, paired := before[row.Number]; paired {
					differences = append(differences, now[row.Number]-score)
				}
			}
			if steps[i], err = newStep(differences); err != nil {
				return nil, err
			}
		}
		before = now
	}
	return steps, nil
}

func newStep(differences []float64) (Step, error) {
	if len(differences) == 0 {
		return Step{}, nil
	}
	s, err := stats.Summarize(differences)
	return Step{len(differences), s.Mean, s.MeanInterval(scoring.DefaultConfidence)}, err
}

func countSpecs(ctx context.Context, st *store.Reader, scenario string) (n int, err error) {
	all, err := st.Specs(ctx)
	for _, s := range all {
		if s.Scenario == scenario {
			n++
		}
	}
	return n, err
}

// pinned takes over the pins of the scenario, the newest first.
func (r *ReportedScenario) pinned(pins []store.Baseline) {
	if r.NPinsBefore = len(pins); len(pins) > 0 && pins[0].Configuration != nil {
		r.Baseline, r.NPinsBefore = &pins[0], len(pins)-1
	}
}

// compare compares with the baseline, or says why there is none.
func (r *ReportedScenario) compare(ctx context.Context, st *store.Reader) error {
	compared, err := reportedImprovement(ctx, st, r.Stability.Choice, ImprovementOptions{
		SpecVersion: r.Stored.Version, SpecOf: r.Stored.Scenario, Confidence: scoring.DefaultConfidence,
	})
	switch {
	case errors.Is(err, ErrSameConfiguration):
		r.NoBaseline = "the newest configuration is the baseline itself: nothing was compared"
	case errors.Is(err, track.ErrNotFound):
		r.NoBaseline = strings.TrimSuffix(err.Error(), ": "+track.ErrNotFound.Error()) // the sentence says it
	case err != nil:
		return err
	default:
		r.Improvement, r.Looks = &compared, append(r.Looks, compared.Look)
	}
	return nil
}
