package seeds

import (
	"cmp"
	"context"
	"errors"
	"math"
	"slices"

	"track"
	"track/answer"
	"track/scoring"
	"track/store"
)

// JudgeStability aggregates the stored results of the seeds that a question selects. It returns an error if seeds that
// ran well were never judged under the spec: leaving them out, or counting them as failed, would both be wrong.
func JudgeStability(ctx context.Context, r *store.Reader, q answer.StabilityQuestion) (answer.Stability, error) {
	report, err := stability(ctx, r, q.Of, StabilityOptions{SpecVersion: q.Spec, Seeds: q.Seeds, AllowMixed: q.AllowMixed})
	if errors.Is(err, track.ErrAmbiguous) {
		return answer.Stability{}, track.WithHint(err, track.NewHint("take them together", "stability", q.Of.String()).With("allow-mixed", ""))
	}
	if err != nil {
		return answer.Stability{}, err
	}
	a := report.Answer()
	if len(report.Configurations) == 1 {
		if a.Annotations, err = annotationsOf(ctx, r, report.Choice); err != nil {
			return a, err
		}
	}
	if a.Grouped = q.Grouped; !q.Grouped {
		a.Metrics = slices.Clone(a.Metrics)
		slices.SortStableFunc(a.Metrics, compareWorstFirst)
	}
	return a, nil
}

// Answer returns the report as an answer.
func (r StabilityReport) Answer() answer.Stability {
	a := answer.Stability{
		Scenario: r.Scenario, Spec: specRef(r.Stored), Configuration: recordedConfiguration(r.Configurations[0]),
		NOthers: r.NOthers, Newest: r.newest(), NEnvironments: r.NEnvironments, EnvironmentsDiffer: r.EnvironmentsDiffer,
		Stability: r.Stability, Judgement: r.Judgement, FailingSeeds: explainFailing(r.Failing, r.Spec, len(r.Configurations) > 1),
	}
	if len(r.Configurations) > 1 {
		for _, c := range r.Configurations {
			a.Configurations = append(a.Configurations, recordedConfiguration(c))
		}
	}
	return a
}

func specRef(s store.Spec) answer.SpecRef { return answer.SpecRef{Version: s.Version, Hash: s.Hash} }

func recordedConfiguration(c store.Configuration) track.RecordedConfiguration {
	return track.RecordedConfiguration{Hash: c.Hash, Configuration: c.Configuration}
}

// compareWorstFirst puts metrics first that passed in the fewest seeds.
func compareWorstFirst(a, b scoring.MetricStability) int {
	return cmp.Or(
		cmp.Compare(orNaN(a.PassRate), orNaN(b.PassRate)),
		cmp.Compare(orNaN(a.MeanScore), orNaN(b.MeanScore)),
		cmp.Compare(-orNaN(a.StdScore), -orNaN(b.StdScore)),
	)
}

// orNaN returns NaN for a number that does not exist.
func orNaN(x *float64) float64 {
	if x == nil {
		return math.NaN()
	}
	return *x
}
