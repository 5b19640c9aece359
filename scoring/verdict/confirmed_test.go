package verdict_test

import (
	"strings"
	"testing"

	"track/scoring"
	"track/scoring/verdict"
)

// Five crashes among twenty equal pairs: the t interval lies below 0, and 2·2⁻⁵ is no p below 0.05. Six crashes are.
func TestExactTestConfirms(t *testing.T) {
	for crashes, want := range map[int]scoring.Verdict{5: scoring.VerdictInconclusive, 6: scoring.VerdictFail} {
		candidate, baseline := judged(0.8, 20), judged(0.8, 20)
		for k := range crashes {
			candidate[k] = verdict.JudgedSeed{Number: candidate[k].Number, Failed: "error"}
		}
		got := compare(t, candidate, baseline, options())
		if got.Verdict != want || got.Total.Interval.Hi >= 0 {
			t.Errorf("%d crashes: %s, %v, interval %+v", crashes, got.Verdict, got.Reasons, got.Total.Interval)
		}
		if said := strings.Contains(strings.Join(got.Reasons, " "), "the exact test does not confirm it"); said != (want == scoring.VerdictInconclusive) {
			t.Errorf("%d crashes: %v", crashes, got.Reasons)
		}
	}
}

// judged are n seeds with scores around one.
func judged(at float64, n int) []verdict.JudgedSeed {
	seeds := make([]verdict.JudgedSeed, n)
	for i, x := range level(at, n) {
		seeds[i] = verdict.JudgedSeed{Number: uint64(i), Passed: true, Total: x, Scores: []float64{x}}
	}
	return seeds
}

// Pairs of seeds that repeat each other are not as many as they seem.
func TestRepeatedSeedsDecideNothing(t *testing.T) {
	o := options()
	candidate, baseline := judged(0.9, 20), judged(0.8, 20)
	if got := compare(t, candidate, baseline, o); got.Difference != verdict.Better {
		t.Fatalf("different seeds: %s %v", got.Verdict, got.Reasons)
	}
	for i := 5; i < 20; i++ {
		baseline[i].Repeats = true
	}
	if got := compare(t, candidate, baseline, o); got.Verdict != scoring.VerdictInconclusive || got.NPairs != 5 || got.NRepeated != 15 || len(got.Needs) != 1 {
		t.Errorf("5 of 20 are distinct: %s with %d pairs, %v %v", got.Verdict, got.NPairs, got.Reasons, got.Needs)
	}
}
