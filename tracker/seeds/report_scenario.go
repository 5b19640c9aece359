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

// ReportedScenario is the report of one scenario, with what it was made of.
type ReportedScenario struct {
	Stored    store.Spec
	Spec      scoring.Spec
	Stability ReportedStability
	Report    answer.ScenarioReport
	Looks     []store.Look // to be recorded
}

// ScenarioOptions narrow the report of a scenario.
type ScenarioOptions struct {
	SpecVersion int // 0 for the newest
	Limit       int // the newest so many configurations in the history
}

// LoadScenarioReport returns the report of a scenario, which must have seeds that are judged, and of one of its
// configurations.
func LoadScenarioReport(ctx context.Context, st *store.Reader, sel answer.Selector, options ScenarioOptions) (report ReportedScenario, err error) {
	err = st.Snapshot(ctx, func(st *store.Reader) error {
		report, err = reportedScenario(ctx, st, sel, options)
		return err
	})
	return report, err
}

func reportedScenario(ctx context.Context, st *store.Reader, sel answer.Selector, options ScenarioOptions) (r ReportedScenario, err error) {
	history, from, err := loadHistory(ctx, st, answer.HistoryQuestion{Scenario: sel.Scenario, Spec: options.SpecVersion, Limit: options.Limit})
	if err != nil {
		return r, err
	}
	steps, err := loadSteps(ctx, st, history, from)
	if err != nil {
		return r, err
	}
	r.Stored, r.Spec = from.spec.stored, from.spec.decoded
	r.Report = answer.ScenarioReport{Spec: specVersionOf(r.Stored, r.Spec), History: history, Steps: steps, Limit: options.Limit, Schema: store.SchemaVersion}
	if r.Report.NSpecs, err = countSpecs(ctx, st, sel.Scenario); err != nil {
		return r, err
	}
	r.Stability, err = reportedStability(ctx, st, sel, StabilityOptions{SpecVersion: r.Stored.Version})
	if err != nil {
		return r, err
	}
	r.Report.Stability, r.Looks = r.Stability.Report, r.Stability.Looks
	pins, err := st.Baselines(ctx, sel.Scenario)
	if err != nil {
		return r, err
	}
	r.addPins(pins)
	return r, r.compare(ctx, st)
}

// loadSteps compares each entry with the one before it.
func loadSteps(ctx context.Context, st *store.Reader, h answer.History, from historySources) ([]*answer.Step, error) {
	steps := make([]*answer.Step, len(h.Entries))
	var before map[track.SeedNumber]float64
	for i := range h.Entries {
		now := map[track.SeedNumber]float64{}
		if h.Entries[i].NUnassessed == 0 {
			rows, err := st.SeedScores(ctx, store.Selection{Scenario: h.Scenario, Configurations: []int64{from.configurations[i].ID}, SpecID: from.spec.stored.ID}, false)
			if err != nil {
				return nil, err
			}
			var differences []float64
			for _, row := range rows {
				now[row.Number] = judgedSeedOf(row, from.spec.decoded).Total
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

// newStep returns the change over pairs of seeds; nil if there are none.
func newStep(differences []float64) (*answer.Step, error) {
	if len(differences) == 0 {
		return nil, nil
	}
	s, err := stats.Summarize(differences)
	return &answer.Step{NPairs: len(differences), Mean: s.Mean, Interval: s.MeanInterval(scoring.DefaultConfidence)}, err
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

// addPins adds the pins of the scenario, given the newest first.
func (r *ReportedScenario) addPins(pins []store.Baseline) {
	r.Report.NPinsBefore = len(pins)
	if len(pins) == 0 || pins[0].Configuration == nil {
		return
	}
	newest := newBaseline(pins[0])
	r.Report.Pinned = &newest
	r.Report.NPinsBefore--
}

// compare compares with the baseline, or says why there is none.
func (r *ReportedScenario) compare(ctx context.Context, st *store.Reader) error {
	compared, err := reportedImprovement(ctx, st, r.Stability.Choice, answer.PairedQuestion{Spec: r.Stored.Version}, r.Stored.Scenario)
	switch {
	case errors.Is(err, ErrSameConfiguration):
		r.Report.NoBaseline = "the configuration is the baseline itself: nothing was compared"
	case errors.Is(err, track.ErrAmbiguous):
		r.Report.NoBaseline = "several configurations match the baseline: pin one of them"
	case errors.Is(err, track.ErrNotFound):
		r.Report.NoBaseline = strings.TrimSuffix(err.Error(), ": "+track.ErrNotFound.Error()) // the sentence says it
	case err != nil:
		return err
	default:
		r.Report.Improvement, r.Looks = &compared.Report, append(r.Looks, compared.Look)
	}
	return nil
}
