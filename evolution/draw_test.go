package evolution_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"math/bits"
	"math/rand/v2"
	"testing"

	"pgregory.net/rapid"

	"track/evolution"
	"track/internal/property"
)

// The vectors of the reference: anybody, in any language, must draw these.
func TestDrawVectors(t *testing.T) {
	for _, v := range []struct {
		key evolution.DrawKey
		raw string
		u   float64
	}{
		{evolution.DrawKey{Seed: 42, Lineage: "main", Mutation: "m-0001", Label: "explore"}, "ae08d83393bfd301", 0.6798224569245115},
		{evolution.DrawKey{}, "051310155fe97be4", 0.019822125643178867},
		{evolution.DrawKey{Seed: math.MaxUint64, Lineage: "agents/sepa", Mutation: "01J9ZK3V", Label: "explore"}, "13b3c33d36dc2a56", 0.07696171040048283},
	} {
		d := evolution.NewDraw(v.key)
		if d.Raw.String() != v.raw || d.U != v.u || d.Algorithm != "sha256-u53/1" {
			t.Errorf("%+v: %s %v, want %s %v", v.key, d.Raw, d.U, v.raw, v.u)
		}
	}
}

// The generator of pcg-dxsm/1 is that of math/rand/v2, and the next draw goes on where this one ended.
func TestPCGDraw(t *testing.T) {
	own := rand.NewPCG(1, 2)
	state, err := own.MarshalBinary()
	if err != nil || len(state) != 20 {
		t.Fatal(err, len(state))
	}
	for range 3 {
		d, err := evolution.NewPCGDraw(state, evolution.DrawKey{Label: "explore"})
		if err != nil {
			t.Fatal(err)
		}
		if want := own.Uint64(); uint64(d.Raw) != want || d.U != float64(want>>11)/(1<<53) {
			t.Errorf("%s %v, want %016x", d.Raw, d.U, want)
		}
		if err := d.Verify(); err != nil {
			t.Error(err)
		}
		if state, err = d.PCGState(); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := evolution.NewPCGDraw(state[:19], evolution.DrawKey{}); !errors.Is(err, evolution.ErrDraw) {
		t.Errorf("19 bytes of state: %v", err)
	}
	if _, err := evolution.NewDraw(evolution.DrawKey{}).PCGState(); err == nil {
		t.Error("a keyed draw has a state")
	}
}

// An edit of any stored field of a draw is found from its own row.
func TestVerifyFindsEdits(t *testing.T) {
	keyed := evolution.NewDraw(evolution.DrawKey{Seed: 1, Lineage: "l", Mutation: "m", Attempt: 2, Label: "explore"})
	state, _ := rand.NewPCG(3, 4).MarshalBinary()
	pcg, err := evolution.NewPCGDraw(state, evolution.DrawKey{})
	if err != nil {
		t.Fatal(err)
	}
	for name, edit := range map[string]func() evolution.Draw{
		"seed":      func() evolution.Draw { d := keyed; d.Seed++; return d },
		"lineage":   func() evolution.Draw { d := keyed; d.Lineage = "k"; return d },
		"mutation":  func() evolution.Draw { d := keyed; d.Mutation = ""; return d },
		"attempt":   func() evolution.Draw { d := keyed; d.Attempt = 3; return d },
		"label":     func() evolution.Draw { d := keyed; d.Label = "mutate"; return d },
		"raw":       func() evolution.Draw { d := keyed; d.Raw++; return d },
		"u":         func() evolution.Draw { d := keyed; d.U /= 2; return d },
		"algorithm": func() evolution.Draw { d := keyed; d.Algorithm = "sha256-u53/2"; return d },
		"a state":   func() evolution.Draw { d := keyed; d.StateBefore = "00"; return d },
		"before":    func() evolution.Draw { d := pcg; d.StateBefore = d.StateAfter; return d },
		"no hex":    func() evolution.Draw { d := pcg; d.StateBefore = "x"; return d },
		"after":     func() evolution.Draw { d := pcg; d.StateAfter = d.StateBefore; return d },
		"pcg raw":   func() evolution.Draw { d := pcg; d.Raw ^= 1; return d },
	} {
		if err := edit().Verify(); !errors.Is(err, evolution.ErrDraw) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if keyed.Verify() != nil || pcg.Verify() != nil {
		t.Error("what nobody edited differs")
	}
}

// Draws survive JSON bit for bit; a seed is a string there.
func TestDrawJSON(t *testing.T) {
	property.Check(t, func(t *rapid.T) {
		d := evolution.NewDraw(keys.Draw(t, "key"))
		text, err := json.Marshal(d)
		if err != nil {
			t.Fatal(err)
		}
		var back evolution.Draw
		if err := json.Unmarshal(text, &back); err != nil || back != d {
			t.Fatalf("%v\n%+v\n%+v", err, d, back)
		}
	})
	var raw evolution.Raw
	for _, text := range []string{"", "1", "00000000000000AB", "0000000000000000f", "000000000000000g", "+000000000000001"} {
		if raw.UnmarshalText([]byte(text)) == nil {
			t.Errorf("%q is read as raw", text)
		}
	}
}

var keys = rapid.Custom(func(t *rapid.T) evolution.DrawKey {
	text := rapid.StringOf(rapid.RuneFrom([]rune("ab\x00é")))
	return evolution.DrawKey{
		Seed: rapid.Uint64().Draw(t, "seed"), Lineage: text.Draw(t, "lineage"), Mutation: text.Draw(t, "mutation"),
		Attempt: rapid.IntRange(0, 12).Draw(t, "attempt"), Label: text.Draw(t, "label"),
	}
})

// Different keys, also those whose fields are the same text cut elsewhere, have different draws.
func TestDrawsOfDifferentKeysDiffer(t *testing.T) {
	property.Check(t, func(t *rapid.T) {
		a, b := keys.Draw(t, "a"), keys.Draw(t, "b")
		if (a == b) != (evolution.NewDraw(a).Raw == evolution.NewDraw(b).Raw) {
			t.Fatalf("%+v and %+v", a, b)
		}
	})
}

// A million draws from keys that differ as little as real ones do are uniform: in 1000 cells (chi-square), against the
// uniform distribution (Kolmogorov–Smirnov in cells), in each of 53 bits, and one after the other. Limits at about 5
// sd.
func TestDrawsAreUniform(t *testing.T) {
	const n, cells = 1_000_000, 1000
	for name, key := range map[string]func(i int) evolution.DrawKey{
		"consecutive seeds": func(i int) evolution.DrawKey {
			return evolution.DrawKey{Seed: uint64(i), Lineage: "main", Mutation: "m-0001", Label: "explore"}
		},
		"consecutive mutations": func(i int) evolution.DrawKey {
			return evolution.DrawKey{Seed: 42, Lineage: "main", Mutation: fmt.Sprintf("m-%06d", i), Label: "explore"}
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var count [cells]int
			var ones [64]int
			serial, last := 0.0, 0.0
			for i := range n {
				d := evolution.NewDraw(key(i))
				count[int(d.U*cells)]++
				for rest := uint64(d.Raw) >> 11; rest != 0; rest &= rest - 1 {
					ones[bits.TrailingZeros64(rest)]++
				}
				serial += (d.U - 0.5) * last
				last = d.U - 0.5
			}
			chi, below, ks := 0.0, 0, 0.0
			for c, k := range count {
				chi += (float64(k) - n/cells) * (float64(k) - n/cells) / (n / cells)
				below += k
				ks = max(ks, math.Abs(float64(below)/n-float64(c+1)/cells))
			}
			if limit := 5 * math.Sqrt(2*(cells-1)); math.Abs(chi-(cells-1)) > limit {
				t.Errorf("chi-square %v with %d degrees of freedom", chi, cells-1)
			}
			if ks > 2.3/math.Sqrt(n) { // P < 1e-4
				t.Errorf("largest distance %v", ks)
			}
			for bit := range 53 {
				if math.Abs(float64(ones[bit])-n/2) > 5*math.Sqrt(n)/2 {
					t.Errorf("bit %d is 1 in %d of %d", bit, ones[bit], n)
				}
			}
			if math.Abs(serial) > 5*math.Sqrt(n)/12 { // each product has the sd 1/12
				t.Errorf("draws follow on one another: %v", serial/n)
			}
		})
	}
}
