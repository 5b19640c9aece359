package stats

import (
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"track/internal/property"
)

// closedTest is the definition that the step-down is a short cut for: a variable is rejected where every set of
// variables that contains it is, and a set is tested by its largest loss, in units of the root of the sum of squares.
// signs are the choices.
func closedTest(d [][]float64, signs [][]float64) []float64 {
	loss := func(v int, sign []float64) float64 {
		sum, squares := 0.0, 0.0
		for i, x := range d[v] {
			sum -= sign[i] * x
			squares += x * x
		}
		if squares == 0 {
			return 0
		}
		return sum / math.Sqrt(squares)
	}
	observed := make([]float64, len(signs[0]))
	for i := range observed {
		observed[i] = 1
	}
	p := make([]float64, len(d))
	for set := 1; set < 1<<len(d); set++ {
		largest := func(sign []float64) float64 {
			most := math.Inf(-1)
			for v := range d {
				if set>>v&1 == 1 {
					most = max(most, loss(v, sign))
				}
			}
			return most
		}
		at, count := largest(observed), 0
		for _, sign := range signs {
			if largest(sign) >= at-1e-9 {
				count++
			}
		}
		for v := range d {
			if set>>v&1 == 1 {
				p[v] = max(p[v], float64(count)/float64(len(signs)))
			}
		}
	}
	return p
}

func allSigns(n int) [][]float64 {
	list := make([][]float64, 1<<n)
	for k := range list {
		for i := range n {
			list[k] = append(list[k], 1-2*float64(k>>i&1))
		}
	}
	return list
}

// Small whole numbers make ties and differences of 0 common.
func drawnDifferences(t *rapid.T, variables, n int) [][]float64 {
	d := make([][]float64, variables)
	for v := range d {
		d[v] = rapid.SliceOfN(rapid.Map(rapid.IntRange(-3, 2), func(i int) float64 { return float64(i) }), n, n).Draw(t, "d")
	}
	return d
}

func TestSignFlipJointlyIsTheClosedTest(t *testing.T) {
	property.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(1, 6).Draw(t, "n")
		d := drawnDifferences(t, rapid.IntRange(1, 4).Draw(t, "variables"), n)
		for v := range d { // one that never differs decides nothing, and is left out of all sets
			if slices.Max(d[v]) == 0 && slices.Min(d[v]) == 0 {
				d[v][0] = 1
			}
		}
		got, err := SignFlipJointly(d, 1)
		if err != nil || !got.Exact || got.Permutations != 1<<n || got.N != n || got.Seed != 0 {
			t.Fatalf("%+v, %v", got, err)
		}
		for v, want := range closedTest(d, allSigns(n)) {
			if !near(got.Less[v], want, 1e-12) {
				t.Fatalf("%v: p of variable %d is %v, want %v", d, v, got.Less[v], want)
			}
		}
	})
}

func TestSignFlipJointlyOfOneVariable(t *testing.T) {
	property.Check(t, func(t *rapid.T) {
		d := samples(t, rapid.OneOf(tied, value), 1, exactJointFlip)
		joint, err := SignFlipJointly([][]float64{d}, 1)
		if err != nil {
			t.Fatal(err)
		}
		single, err := SignFlip(d, 1)
		if err != nil || !near(joint.Less[0], single.P.Less, 1e-12) {
			t.Fatalf("%v: %v, SignFlip says %+v, %v", d, joint.Less, single.P, err)
		}
	})
}

func TestSignFlipJointlyProperties(t *testing.T) {
	property.Check(t, func(t *rapid.T) {
		n, variables := rapid.IntRange(2, 18).Draw(t, "n"), rapid.IntRange(1, 5).Draw(t, "variables")
		d := drawnDifferences(t, variables, n)
		got, err := SignFlipJointly(d, 7)
		if err != nil {
			t.Fatal(err)
		}
		statistic := func(v int) float64 {
			sum, squares := 0.0, 0.0
			for _, x := range d[v] {
				sum, squares = sum-x, squares+x*x
			}
			return sum / math.Sqrt(squares)
		}
		for v := range d {
			if !(got.Less[v] > 0 && got.Less[v] <= 1) {
				t.Fatalf("p = %v", got.Less[v])
			}
			if math.IsNaN(statistic(v)) && got.Less[v] != 1 {
				t.Fatalf("no differences, and p = %v", got.Less[v])
			}
			for w := range d { // a larger loss has no larger p
				if statistic(v) > statistic(w)+1e-9 && got.Less[v] > got.Less[w] {
					t.Fatalf("%v: losses %v and %v, p %v and %v", d, statistic(v), statistic(w), got.Less[v], got.Less[w])
				}
			}
		}
		// The units and the order of variables, and of pairs where all signs are counted, do not matter.
		scaled := make([][]float64, variables)
		for v, xs := range d {
			for _, x := range xs {
				scaled[variables-1-v] = append(scaled[variables-1-v], 8*x)
			}
			if n <= exactJointFlip {
				slices.Reverse(scaled[variables-1-v])
			}
		}
		again, err := SignFlipJointly(scaled, 7)
		for v := range d {
			if err != nil || !near(again.Less[variables-1-v], got.Less[v], 1e-12) {
				t.Fatalf("%v became %v, %v", got.Less, again.Less, err)
			}
		}
		// More variables never make a p smaller.
		fewer, err := SignFlipJointly(d[:variables-1], 7)
		for v := range d[:variables-1] {
			if err != nil || fewer.Less[v] > got.Less[v] {
				t.Fatalf("variable %d: %v among %d, %v among all, %v", v, fewer.Less[v], variables-1, got.Less[v], err)
			}
		}
	})
}

// Beyond 14 pairs the choices are drawn: bit i of the stream is the sign of pair i, and the count is (b+1)/(10 000+1).
func TestSignFlipJointlyDraws(t *testing.T) {
	const n, seed, stream = 70, 5, 4
	r := rng()
	d := make([][]float64, 3)
	for v := range d {
		for range n {
			d[v] = append(d[v], math.Round(8*r.NormFloat64()-float64(v)))
		}
	}
	source := rand.NewPCG(seed, stream)
	signs := make([][]float64, nDraws)
	for k := range signs {
		signs[k] = drawnSigns(source, n)
	}
	got, err := SignFlipJointly(d, seed)
	fatal(t, err)
	if got.Exact || got.Permutations != nDraws || got.Seed != seed {
		t.Errorf("%+v", got)
	}
	for v, share := range closedTest(d, signs) {
		if want := (share*nDraws + 1) / (nDraws + 1); !near(got.Less[v], want, 1e-12) {
			t.Errorf("variable %d: p = %v, want %v", v, got.Less[v], want)
		}
	}
}

// drawnSigns takes one word of 64 bits for each 64 pairs, the lowest bit first.
func drawnSigns(source *rand.PCG, n int) []float64 {
	signs := make([]float64, n)
	bits := uint64(0)
	for i := range signs {
		if i%64 == 0 {
			bits = source.Uint64()
		}
		signs[i] = 1 - 2*float64(bits&1)
		bits >>= 1
	}
	return signs
}

// The tables of eight differences give what adding them one by one gives.
func TestSignFlipTables(t *testing.T) {
	const seed, stream = 11, 1
	for _, n := range []int{21, 24, 63, 64, 65, 130} {
		r := rng()
		d := make([]float64, n)
		for i := range d {
			d[i] = math.Round(10*r.NormFloat64() + 2) // whole numbers: sums are exact, and many are equal
		}
		observed := 0.0
		for _, x := range d {
			observed += x
		}
		source, atLeast, atMost := rand.NewPCG(seed, stream), 0, 0
		for range nDraws {
			sum := 0.0
			for i, sign := range drawnSigns(source, n) {
				sum += sign * d[i]
			}
			if sum >= observed {
				atLeast++
			}
			if sum <= observed {
				atMost++
			}
		}
		got, err := SignFlip(d, seed)
		fatal(t, err)
		greater, less := float64(atLeast+1)/(nDraws+1), float64(atMost+1)/(nDraws+1)
		if got.P.Greater != greater || got.P.Less != less || got.P.TwoSided != min(1, 2*min(greater, less)) {
			t.Errorf("n = %d: %+v, want greater %v, less %v", n, got.P, greater, less)
		}
	}
}

func TestSignFlipJointlyOfNothing(t *testing.T) {
	if got, err := SignFlipJointly(nil, 1); err != nil || len(got.Less) != 0 {
		t.Errorf("no variables: %+v, %v", got, err)
	}
	got, err := SignFlipJointly([][]float64{{0, 0, 0}, {-1, -2, -1}}, 1)
	fatal(t, err)
	if got.Less[0] != 1 || got.Less[1] != 1./8 { // all three lose: one of 2³ choices, and the other variable takes no part
		t.Errorf("p %v", got.Less)
	}
	if _, err := SignFlipJointly([][]float64{{1, 2}, {1}}, 1); err == nil {
		t.Error("variables of different lengths are accepted")
	}
	if _, err := SignFlipJointly([][]float64{{1, math.NaN()}}, 1); !isNonFinite(err) {
		t.Errorf("NaN: %v", err)
	}
}

// Variables that share most of their noise, and none of which loses: any rejection is false. At n = 8 twelve of 256
// choices are at most 0.05, and the test spends all of them, which Holm on single tests cannot: its smallest p is
// 12/256 itself.
func TestSignFlipJointlyFamilyWiseError(t *testing.T) {
	const repetitions, n, variables = 3_000, 8, 12
	r := rng()
	draw := func(shift float64) [][]float64 {
		d := make([][]float64, variables)
		for range n {
			common := r.NormFloat64()
			for v := range d {
				x := common + 0.7*r.NormFloat64()
				if v%2 == 1 { // every other variable, in units and size of its own
					x = float64(v)*x - shift*float64(v)
				}
				d[v] = append(d[v], x)
			}
		}
		return d
	}
	got := rate(repetitions, func() bool {
		joint, err := SignFlipJointly(draw(0), 1)
		fatal(t, err)
		return slices.Min(joint.Less) <= 0.05
	})
	wantRate(t, "no variable loses", got, 12./256, repetitions)
	found := 0
	got = rate(repetitions, func() bool {
		joint, err := SignFlipJointly(draw(2.5), 1)
		fatal(t, err)
		wrong := false
		for v, p := range joint.Less {
			if v%2 == 0 {
				wrong = wrong || p <= 0.05
			} else if p <= 0.05 {
				found++
			}
		}
		return wrong
	})
	wantAtMost(t, "every other variable loses", got, 0.05, repetitions)
	if share := float64(found) / (repetitions * variables / 2); share < 0.9 {
		t.Errorf("found %.2f of the losses of two standard deviations", share)
	}
}

// The p-value is the share of all signs whose sum is as large, counted one by one.
func TestSignFlipGreaterCountsAllSigns(t *testing.T) {
	property.Check(t, func(t *rapid.T) {
		d := rapid.SliceOfN(rapid.Map(rapid.IntRange(-40, 60), func(i int) float64 { return float64(i) / 10 }), 1, 11).Draw(t, "d")
		sum, slack := sumAndSlack(d)
		n := 0
		for signs := range 1 << len(d) {
			flipped := 0.0
			for i, x := range d {
				if signs>>i&1 == 1 {
					x = -x
				}
				flipped += x
			}
			if flipped >= sum-slack {
				n++
			}
		}
		p, err := SignFlipGreater(d)
		if want := float64(n) / float64(int(1)<<len(d)); err != nil || p != want {
			t.Fatalf("%v: %v %v, want %v", d, p, err, want)
		}
	})
}

func TestSignFlipGreater(t *testing.T) {
	equal := make([]float64, 40)
	for i := range equal {
		equal[i] = 0.1
	}
	mixed := append([]float64{0, 0, 0}, equal[:20]...)
	for _, c := range []struct {
		d    []float64
		want float64
	}{
		{equal, math.Ldexp(1, -40)}, {mixed, math.Ldexp(1, -20)}, {[]float64{0, 0}, 1}, {[]float64{-1, -2}, 1}, {[]float64{1, -1}, 0.75},
		// exact sums of decimals: 0.1 + 0.2 - 0.3 is not above 0, so half of the eight sums and the two ties reach it
		{[]float64{0.1, 0.2, -0.3}, 0.625},
	} {
		if p, err := SignFlipGreater(c.d); err != nil || p != c.want {
			t.Errorf("%v: %v %v, want %v", c.d, p, err, c.want)
		}
	}
	if _, err := SignFlipGreater(make([]float64, 41)); !errors.Is(err, errTooManyDifferences) {
		t.Error(err)
	}
	if _, err := SignFlipGreater(nil); !errors.Is(err, ErrEmpty) {
		t.Error(err)
	}
}
