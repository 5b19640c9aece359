package evolution_test

import (
	"encoding/json"
	"fmt"
	"testing"
	"time"

	"pgregory.net/rapid"

	"track/evolution"
)

func ptr[T any](v T) *T { return &v }

var epoch = time.Date(2026, 11, 1, 12, 0, 0, 0, time.UTC)

// trials have the given scores, one minute apart, on the tasks k0, k1, …
func trials(side string, scores ...float64) []evolution.Trial {
	return trialsFrom(side, 0, scores...)
}

// trialsFrom begins at a minute, which also numbers the tasks.
func trialsFrom(side string, minute int, scores ...float64) []evolution.Trial {
	list := make([]evolution.Trial, len(scores))
	for i, s := range scores {
		at := epoch.Add(time.Duration(minute+i) * time.Minute)
		list[i] = evolution.Trial{ID: fmt.Sprintf("%s%03d", side, minute+i), Key: fmt.Sprintf("k%d", minute+i), At: at, Score: ptr(s)}
	}
	return list
}

// pairs are trials of both sides on the same tasks: the parent scores 50, the child that much more.
func pairs(differences ...float64) evolution.Evidence {
	child, parent := make([]float64, len(differences)), make([]float64, len(differences))
	for i, d := range differences {
		child[i], parent[i] = 50+d, 50
	}
	return evolution.Evidence{Child: trials("c", child...), Parent: trials("p", parent...)}
}

func repeat(x float64, n int) []float64 {
	list := make([]float64, n)
	for i := range list {
		list[i] = x
	}
	return list
}

// alternating has the mean m and about the sd s.
func alternating(m, s float64, n int) []float64 {
	list := repeat(m, n)
	for i := range list {
		list[i] += s * float64(1-2*(i%2))
	}
	return list
}

// drawn is a draw whose u is below or above every probability that policies use by default.
func drawn(t testing.TB, below bool) evolution.Draw {
	t.Helper()
	for seed := range uint64(1000) {
		d := evolution.NewDraw(evolution.DrawKey{Seed: seed, Lineage: "l", Mutation: "m", Label: evolution.LabelExplore})
		if below && d.U < 0.01 || !below && d.U > 0.99 {
			return d
		}
	}
	t.Fatal("no such draw")
	return evolution.Draw{}
}

func policy(t testing.TB, name, params string) evolution.Policy {
	t.Helper()
	p, err := evolution.ParsePolicy(name, []byte(params))
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func decide(t testing.TB, p evolution.Policy, e evolution.Evidence) evolution.Decision {
	t.Helper()
	d, err := evolution.Decide(p, e, drawn(t, false))
	if err != nil {
		t.Fatal(err)
	}
	return d
}

func asJSON(t interface{ Fatal(...any) }, v any) string {
	text, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// Generators.

// side of an evidence: scores with two decimals, some equal, some failed, some without a key.
func sideOf(name string) *rapid.Generator[[]evolution.Trial] {
	return rapid.Custom(func(t *rapid.T) []evolution.Trial {
		list := make([]evolution.Trial, rapid.IntRange(0, 25).Draw(t, "n"))
		for i := range list {
			list[i] = evolution.Trial{
				ID: fmt.Sprintf("%s%02d", name, i), Key: rapid.SampledFrom([]string{"", "a", "b", "c", "d", "e", "f", "g", "h"}).Draw(t, "key"),
				At: epoch.Add(time.Duration(rapid.IntRange(0, 30).Draw(t, "minute")) * time.Minute),
			}
			if rapid.IntRange(0, 9).Draw(t, "fails") == 0 {
				list[i].Failed = "timeout"
				continue
			}
			list[i].Score = ptr(float64(rapid.IntRange(4000, 6000).Draw(t, "score")) / 100)
		}
		return list
	})
}

var evidences = rapid.Custom(func(t *rapid.T) evolution.Evidence {
	e := evolution.Evidence{Child: sideOf("c").Draw(t, "child"), Parent: sideOf("p").Draw(t, "parent")}
	if rapid.Bool().Draw(t, "no times") {
		for _, list := range [][]evolution.Trial{e.Child, e.Parent} {
			for i := range list {
				list[i].At = time.Time{}
			}
		}
	}
	return e
})

var someDraws = rapid.Custom(func(t *rapid.T) evolution.Draw {
	return evolution.NewDraw(evolution.DrawKey{Seed: rapid.Uint64().Draw(t, "seed"), Lineage: "l", Mutation: "m", Label: evolution.LabelExplore})
})

// somePolicies have few trials as their minimum, so that evidence of any size is decided.
var somePolicies = rapid.Map(rapid.SampledFrom([][2]string{
	{"threshold", ``}, {"greedy", ``}, {"greedy", `{"eps":1}`}, {"confirm", `{"pairs":12}`}, {"confirm", ``},
}), func(s [2]string) evolution.Policy {
	p, err := evolution.ParsePolicy(s[0], []byte(s[1]))
	if err != nil {
		panic(err)
	}
	return p
})
