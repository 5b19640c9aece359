package verdict_test

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"track/scoring"
	"track/scoring/format"
	"track/scoring/stats"
	"track/scoring/verdict"
)

// stability is an aggregate of one metric: passed of seeds that ran well, with these total scores.
func stability(passed, seeds int, scores []float64) scoring.Stability {
	totals := scoring.SeedTotals{NSeeds: seeds, NPassed: passed, NOK: seeds, Score: scoring.NewMoments(scores)}
	for _, x := range scores {
		if x == 0 || x == 1 {
			totals.NSaturated++
		}
	}
	value := scoring.NewMoments(make([]float64, seeds))
	return scoring.NewStability(oneMetric, totals, []scoring.MetricTotals{{NNotFailed: seeds, Value: value, Score: scoring.NewMoments(scores)}})
}

// crashed adds seeds that measured nothing.
func crashed(s scoring.Stability, n int) scoring.Stability {
	totals, metric := s.Totals(), s.Metrics[0].Totals()
	totals.NSeeds += n
	return scoring.NewStability(oneMetric, totals, []scoring.MetricTotals{metric})
}

// spread gives n scores around 0.5 with a population sd of sd; n is even.
func spread(sd float64, n int) []float64 {
	xs := make([]float64, n)
	for i := range xs {
		xs[i] = 0.5 + sd*float64(1-i%2*2)
	}
	return xs
}

func TestStability(t *testing.T) {
	for _, c := range []struct {
		name    string
		in      scoring.Stability
		want    scoring.Verdict
		reasons []string
		need    string
	}{
		// Wilson: the lower end for n of n is n/(n + 1.96²); it reaches 0.9 from n = 34.6 on.
		{"35 of 35", stability(35, 35, around(0.8, 35)), scoring.VerdictPass, []string{"is at least 90.0%", "is at most 0.15"}, ""},
		{"34 of 34", stability(34, 34, around(0.8, 34)), scoring.VerdictWarn, []string{"the limit 90.0% lies inside the interval"}, "35 passing of 35 seeds would show 90.0%: 1 more"},
		{"5 of 5", stability(5, 5, around(0.8, 5)), scoring.VerdictWarn, []string{"(5 of 5, 95% Wilson interval 56.6% to 100.0%)"}, "30 more, all passing"},
		{"4 of 4", stability(4, 4, around(0.8, 4)), scoring.VerdictInconclusive, []string{"4 scored seeds: at least 5 are needed"}, "1 more scored seed"},
		{"none", stability(0, 0, nil), scoring.VerdictInconclusive, []string{"there are no seeds"}, ""},
		{"one", stability(1, 1, []float64{0.8}), scoring.VerdictInconclusive, []string{"1 scored seed:"}, "4 more scored seeds"},
		// The upper end of 16 of 20 is 0.919, that of 15 of 20 0.888.
		{"16 of 20", stability(16, 20, around(0.8, 20)), scoring.VerdictInconclusive, []string{"the limit 90.0% lies inside the interval"}, "passing of"},
		{"15 of 20", stability(15, 20, around(0.8, 20)), scoring.VerdictFail, []string{"is below 90.0%"}, ""},
		{"0 of 3", stability(0, 3, around(0.2, 3)), scoring.VerdictFail, []string{"is below 90.0%"}, ""},
		{"all crashed", crashed(stability(0, 0, nil), 20), scoring.VerdictFail, []string{"0.0% (0 of 20"}, ""},
		// n = 40: the interval of the sample sd s is 0.819·s to 1.284·s.
		{"sd shown", stability(40, 40, spread(0.115, 40)), scoring.VerdictPass, []string{"is at most 0.15"}, ""},
		{"sd not shown", stability(40, 40, spread(0.12, 40)), scoring.VerdictWarn, []string{"the limit 0.15 lies inside the interval"}, ""},
		{"sd too large", stability(40, 40, spread(0.16, 40)), scoring.VerdictInconclusive, []string{"the limit 0.15 lies inside the interval"}, ""},
		{"sd refuted", stability(40, 40, spread(0.19, 40)), scoring.VerdictFail, []string{"is above 0.15"}, ""},
		{"no spread", stability(40, 40, make([]float64, 40)), scoring.VerdictWarn, []string{"all 40 scores are equal"}, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			got := verdict.Judge(c.in, verdict.Coverage{}, 0.95)
			if got.Verdict != c.want {
				t.Errorf("%s, want %s: %q", got.Verdict, c.want, got.Reasons)
			}
			for _, reason := range c.reasons {
				if !strings.Contains(strings.Join(got.Reasons, "; "), reason) {
					t.Errorf("reasons %q, want %q", got.Reasons, reason)
				}
			}
			if needs := strings.Join(got.Needs, "; "); !strings.Contains(needs, c.need) || c.need == "" && needs != "" {
				t.Errorf("needs %q, want %q", needs, c.need)
			}
		})
	}
}

func TestEstimates(t *testing.T) {
	scores := []float64{1, 1, 1, 0.5, 0.7, 0.9}
	s := crashed(stability(5, 6, scores), 2)
	e := verdict.NewEstimates(s, 0.9)
	mean, err := stats.NewMean(scores, 0.9)
	fatal(t, err)
	sd, err := stats.NewSD(scores, 0.9)
	fatal(t, err)
	rate, err := stats.Wilson(5, 8, 0.9)
	fatal(t, err)
	summary, err := stats.Summarize(scores)
	fatal(t, err)
	combined := summary.Mean * rate.Value * (1 - summary.PopulationSD)
	for name, c := range map[string]struct {
		value, want  float64
		interval, at stats.Interval
	}{
		"mean":      {e.Mean.Value, mean.Mean, e.Mean.Interval, mean.Interval},
		"sd":        {e.SD.Value, sd.SD, e.SD.Interval, sd.Interval},
		"pass rate": {e.PassRate.Value, rate.Value, e.PassRate.Interval, rate.Interval},
		"combined":  {e.Combined.Value, combined, e.Combined.Interval, summary.CombinedInterval(5, 8, 0.9)},
	} {
		if !near(c.value, c.want, 1e-14) || !near(c.interval.Lo, c.at.Lo, 1e-12) || !near(c.interval.Hi, c.at.Hi, 1e-12) || c.interval.Method != c.at.Method {
			t.Errorf("%s: %v %+v, want %v %+v", name, c.value, c.interval, c.want, c.at)
		}
	}
	if e.NSeeds != 8 || e.NScored != 6 || e.NPassed != 5 {
		t.Errorf("%d seeds, %d scored, %d passed", e.NSeeds, e.NScored, e.NPassed)
	}
	identical := stability(5, 5, around(0.5, 5))
	identical.NIdentical = 2
	for code, s := range map[string]scoring.Stability{
		verdict.WarnNoSeeds: stability(0, 0, nil), verdict.WarnNoScores: crashed(stability(0, 0, nil), 3), verdict.WarnFailedSeeds: s,
		string(stats.WarnSaturated): s, string(stats.WarnSmallN): stability(4, 4, around(0.5, 4)),
		string(stats.WarnZeroVariance): stability(6, 6, make([]float64, 6)), verdict.WarnIdenticalSeeds: identical,
	} {
		if e := verdict.Judge(s, verdict.Coverage{}, 0.95); !hasCode(e.Warnings, code) {
			t.Errorf("%v, want %s", e.Warnings, code)
		}
	}
	if e := verdict.Judge(stability(9, 9, around(0.5, 9)), verdict.Coverage{}, 0.95); len(e.Warnings) != 0 {
		t.Errorf("nothing to warn of, and %v", e.Warnings)
	}
	none := verdict.NewEstimates(stability(0, 0, nil), 0.95)
	for _, x := range []verdict.Estimate{none.Mean, none.SD, none.PassRate, none.Combined} {
		if !math.IsNaN(x.Value) {
			t.Errorf("of no seeds: %+v", none)
		}
	}
}

func TestNumbersInWords(t *testing.T) {
	for x, want := range map[float64]string{
		0: "0.0%", 1: "100.0%", 0.95: "95.0%", 0.9995: "99.9%", 0.99999: "99.9%", 0.99949: "99.9%", 1e-9: "0.1%", 0.0004: "0.1%", 0.0006: "0.1%", 0.056: "5.6%",
	} {
		if got := format.Share(x); got != want {
			t.Errorf("Percent(%v) = %s, want %s", x, got, want)
		}
	}
	for x, want := range map[float64]string{0: "0.0000", 0.25: "0.2500", -0.5: "-0.5000", 0.00001234: "1.23e-05", 2e9: "2e+09", 0.0001: "0.0001"} {
		if got := format.Short(x); got != want {
			t.Errorf("Short(%v) = %s, want %s", x, got, want)
		}
	}
	if got := fmt.Sprint(format.Share(math.NaN()), format.Short(math.NaN())); got != "--" {
		t.Errorf("NaN: %s", got)
	}
}
