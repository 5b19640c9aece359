package seeds_test

import (
	"math"
	"testing"

	"github.com/google/go-cmp/cmp"

	"track"
	"track/answer"
	"track/internal/testdb"
	"track/internal/trackertest"
	"track/scoring"
	"track/scoring/stats"
	"track/scoring/verdict"
	"track/tracker/seeds"
)

func TestNoise(t *testing.T) {
	st := exampleStore(t)
	q := answer.NoiseQuestion{Resamples: 50, Sizes: []int{3, 30}}
	base := 0.1
	for _, tt := range []struct {
		scenario string
		base     *float64
		want     float64
	}{{"growth_plus", nil, 0.25}, {"growth_plus", &base, 0.1}} {
		q.Of, q.Base = selector(t, tt.scenario), tt.base
		r, err := seeds.MeasureNoise(t.Context(), st.Reader, q)
		if err != nil {
			t.Fatal(err)
		}
		// The same draws from the same seeds in memory give the same answer.
		_, s, err := seeds.LoadSpec(t.Context(), st.Reader, tt.scenario, 0)
		if err != nil {
			t.Fatal(err)
		}
		pure := verdict.NoiseOptions{Comparison: verdict.Options{Confidence: 0.95}, Resamples: 50, Seed: 1, Sizes: []int{3, 30}}
		pure.Rules, pure.Comparison.Base = scoring.GateRules{Stable: true, Confidence: 0.95}, tt.want
		want, err := verdict.NewNoise(s, purely(s, exampleSeeds(t, tt.scenario)), pure)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want, r.Noise, sameImprovement); diff != "" {
			t.Errorf("base %v (-pure +stored):\n%s", tt.want, diff)
		}
		if r.NSeeds != 10 || len(r.At) != 3 || !r.HasGate() || r.Scenario != tt.scenario || r.Spec.Version != 1 || r.Base != tt.want || !cmp.Equal(r.Rules, pure.Rules) {
			t.Errorf("base %v: %d seeds, %d sizes, base %v, rules %+v", tt.want, r.NSeeds, len(r.At), r.Base, r.Rules)
		}
	}
	q.Base, q.Rules, q.Seeds = nil, scoring.GateRules{MinSeeds: 5}, []track.SeedRange{{Last: 3}}
	some, err := seeds.MeasureNoise(t.Context(), st.Reader, q)
	if err != nil || some.NSeeds != 4 || !some.Rules.Stable {
		t.Errorf("of 4 seeds: %d, rules %+v, error %v", some.NSeeds, some.Rules, err)
	}
	for name, last := range map[string]track.SeedRange{"one seed": {}, "none": {First: 90, Last: 99}} {
		q.Seeds = []track.SeedRange{last}
		_, err := seeds.MeasureNoise(t.Context(), st.Reader, q)
		trackertest.WantError(t, err, track.ErrInvalid)
		if err == nil {
			t.Error(name)
		}
	}
	q.Of, q.Seeds = selector(t, "nobody"), nil
	_, err = seeds.MeasureNoise(t.Context(), st.Reader, q)
	trackertest.WantError(t, err, track.ErrNotFound)
}

func TestPlanSeeds(t *testing.T) {
	st := testdb.New(t)
	trackertest.AddSpec(t, st, trackertest.Ranges("s", [2]float64{0, 1}))
	recordLabelled(t, st, "s", "v1", 0.5, 1.1, 1.4, 0.5, math.NaN(), 1.2)
	recordLabelled(t, st, "s", "v2", 0.5, 1.2, 1.4, 0.6, 0.5, 1.3, 1.3)
	recordLabelled(t, st, "s", "still", 0.5, 0.5, 0.5)
	recordLabelled(t, st, "s", "far", 0.5)
	options := answer.SeedsNeededQuestion{Effect: 0.1, Power: 0.8, Alpha: 0.05}
	plan := func(sel string, q answer.SeedsNeededQuestion) (answer.SeedsNeeded, error) {
		q.Of = selector(t, sel)
		return seeds.PlanSeeds(t.Context(), st.Reader, q)
	}
	score := func(a float64) float64 {
		if math.IsNaN(a) {
			return 0
		}
		return scoring.Assess(trackertest.Ranges("s", [2]float64{0, 1}), map[string]float64{"a": a}).TotalScore
	}
	want := func(pilot []float64) stats.PilotSize {
		t.Helper()
		p, err := stats.Design{Alpha: 0.05, Alternative: stats.TwoSided, Confirmed: true}.SeedsFromPilot(pilot, 0.1, 0.8)
		if err != nil {
			t.Fatal(err)
		}
		return p
	}
	// Alone: the scores of the seeds that have one, √2 times as far apart.
	var alone []float64
	for _, a := range []float64{0.5, 1.1, 1.4, 0.5, 1.2} {
		alone = append(alone, score(a)*math.Sqrt2)
	}
	r, err := plan("s@v1", options)
	if diff := cmp.Diff(want(alone), pilotSize(r), approx); diff != "" || err != nil || r.Baseline != nil || r.NFailed != 1 {
		t.Errorf("alone: baseline %v, %d failed, error %v (-want +got):\n%s", r.Baseline, r.NFailed, err, diff)
	}
	// With a pin: the differences of the pairs, a failed seed scoring 0.
	pin(t, st, "s@v1")
	var pairs []float64
	for _, p := range [][2]float64{{0.5, 0.5}, {1.2, 1.1}, {1.4, 1.4}, {0.6, 0.5}, {0.5, math.NaN()}, {1.3, 1.2}} {
		pairs = append(pairs, score(p[0])-score(p[1]))
	}
	r, err = plan("s@v2", options)
	if diff := cmp.Diff(want(pairs), pilotSize(r), approx); diff != "" || err != nil || r.Baseline == nil || r.NFailed != 1 {
		t.Errorf("with a pin: %d failed, error %v (-want +got):\n%s", r.NFailed, err, diff)
	}
	if r, err := plan("s@v1", options); err != nil || r.Baseline != nil || r.NPilot != 5 {
		t.Errorf("the pinned one itself: %+v, error %v", r, err)
	}
	some := options
	some.Seeds = []track.SeedRange{{Last: 3}}
	if r, err := plan("s@v2", some); err != nil || r.NPilot != 4 || r.NFailed != 0 {
		t.Errorf("four pairs: %+v, %d failed, error %v", r, r.NFailed, err)
	}
	// A given baseline is the pilot, or there is none.
	still, far := selector(t, "s@still"), selector(t, "s@far")
	given := options
	given.Baseline = &far
	_, err = plan("s@v2", given)
	trackertest.WantError(t, err, track.ErrInvalid) // one pair
	nobody := selector(t, "nobody")
	given.Baseline = &nobody
	_, err = plan("s@v2", given)
	trackertest.WantError(t, err, track.ErrNotFound)
	given.Baseline = &still
	if r, err := plan("s@v2", given); err != nil || r.NPilot != 3 {
		t.Errorf("a given baseline: %+v, error %v", r, err)
	}
	// A scenario without a spec is planned for by that of its baseline.
	recordLabelled(t, st, "bare", "v1", 0.5, 1.2, 1.3)
	if r, err := plan("bare", given); err != nil || r.NPilot != 3 {
		t.Errorf("without a spec: %+v, error %v", r, err)
	}
	_, err = plan("bare", options)
	trackertest.WantError(t, err, track.ErrNotFound)

	trackertest.AddSpec(t, st, trackertest.Ranges("calm", [2]float64{0, 1}))
	recordLabelled(t, st, "calm", "v1", 0.5, 0.5, 0.5)
	recordLabelled(t, st, "calm", "one", 0.5)
	recordLabelled(t, st, "calm", "crashed", math.NaN(), math.NaN())
	for _, sel := range []string{"calm@v1", "calm@one", "calm@crashed"} {
		_, err := plan(sel, options)
		trackertest.WantError(t, err, track.ErrInvalid)
	}
	tiny := options
	tiny.Effect = 1e-9
	_, err = plan("s@v2", tiny)
	trackertest.WantError(t, err, track.ErrInvalid)
}

// pilotSize returns the part of an answer that statistics compute.
func pilotSize(a answer.SeedsNeeded) stats.PilotSize {
	p := stats.PilotSize{NPilot: a.NPilot, SD: a.SD, SDUpper: a.SDUpper, Delta: a.Effect, Dz: a.Dz, N: a.N, Power: a.Reached}
	for _, w := range a.Warnings {
		if w.Code != verdict.WarnFailedSeeds {
			p.Warnings = append(p.Warnings, stats.Warning(w.Code))
		}
	}
	return p
}
