package evolution_test

import (
	"testing"
	"time"

	"pgregory.net/rapid"

	"track/evolution"
	"track/internal/property"
)

func TestBudget(t *testing.T) {
	cost := 0.0
	for _, c := range []struct {
		budget evolution.Budget
		spent  evolution.Spending
		want   string
	}{
		{evolution.Budget{}, evolution.Spending{Trials: 1e6, Tokens: 1e9, CostUSD: 1e6}, ""},
		{evolution.Budget{Trials: 3}, evolution.Spending{Trials: 2}, ""},
		{evolution.Budget{Trials: 3}, evolution.Spending{Trials: 4}, "4 of 3 trials"},
		{evolution.Budget{Trials: 3, Tokens: 10}, evolution.Spending{Tokens: 10}, "10 of 10 tokens"},
		{evolution.Budget{CostUSD: &cost}, evolution.Spending{}, "0 of 0 US dollars"}, // a bound of nothing is a bound
		{evolution.Budget{Time: time.Minute}, evolution.Spending{}, "1m2s of 1m0s"},
		{evolution.Budget{Mutations: 1}, evolution.Spending{Mutations: 1}, ""}, // the last one is still to be decided
	} {
		if got := c.budget.Reached(c.spent, 62*time.Second); got != c.want {
			t.Errorf("%+v of %+v: %q, want %q", c.spent, c.budget, got, c.want)
		}
	}
	if b := (evolution.Budget{Mutations: 2}); b.Proposed(evolution.Spending{Mutations: 1}) || !b.Proposed(evolution.Spending{Mutations: 2}) {
		t.Error("a bound of 2 mutations is not reached at 2")
	}
}

// What is left pays for n more trials, or does not, at the price of those before.
func TestBudgetShort(t *testing.T) {
	cost := 1.0
	spent := evolution.Spending{Trials: 10, Tokens: 1000, CostUSD: 0.5}
	for _, c := range []struct {
		budget evolution.Budget
		n      int
		want   string
	}{
		{evolution.Budget{}, 1e6, ""},
		{evolution.Budget{Trials: 16}, 6, ""},
		{evolution.Budget{Trials: 16}, 7, "10 of 16 trials"},
		{evolution.Budget{Tokens: 1600}, 6, ""},
		{evolution.Budget{Tokens: 1600}, 7, "1000 of 1600 tokens"},
		{evolution.Budget{CostUSD: &cost}, 10, ""},
		{evolution.Budget{CostUSD: &cost}, 11, "0.5 of 1 US dollars"},
	} {
		if got := c.budget.Short(spent, c.n); got != c.want {
			t.Errorf("%d more of %+v: %q, want %q", c.n, c.budget, got, c.want)
		}
	}
	if short := (evolution.Budget{Tokens: 1, CostUSD: &cost}).Short(evolution.Spending{}, 6); short != "" {
		t.Errorf("the price of the first trials is not known, and is too high: %s", short)
	}
}

// A point is on the front if and only if no other one is at least as good in both objectives and better in one.
func TestFront(t *testing.T) {
	property.Check(t, func(t *rapid.T) {
		number := rapid.Map(rapid.IntRange(-3, 3), func(i int) float64 { return float64(i) })
		points := rapid.SliceOfN(rapid.Custom(func(t *rapid.T) [2]float64 { return [2]float64{number.Draw(t, "first"), number.Draw(t, "second")} }), 0, 12).Draw(t, "points")
		for i, on := range evolution.Front(points) {
			want := true
			for _, p := range points {
				want = want && !(p != points[i] && p[0] >= points[i][0] && p[1] >= points[i][1])
			}
			if on != want {
				t.Errorf("%v of %v is on the front: %v, want %v", points[i], points, on, want)
			}
		}
	})
}
