package stats

import (
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func second[T any](_ T, err error) error { return err }

func isNonFinite(err error) bool { return errors.Is(err, errNonFinite) }

func near(got, want, tolerance float64) bool { return math.Abs(got-want) <= tolerance }

// One value has a mean, and no spread.
func TestOneValue(t *testing.T) {
	m, err := NewMean([]float64{0.5}, 0.95)
	fatal(t, err)
	if m.N != 1 || m.Mean != 0.5 || m.Interval.Defined() || m.Interval.Contains(0.5) || m.Interval.Method != MethodT {
		t.Errorf("mean %+v", m)
	}
	c, err := NewCombined([]float64{0.5}, 1, 1, 0.95)
	fatal(t, err)
	if c.Value != 0.5 || c.Interval.Defined() {
		t.Errorf("combined %+v", c)
	}
	for name, err := range map[string]error{
		"NewSD":         second(NewSD([]float64{1}, 0.95)),
		"TInterval":     second(TInterval([]float64{1}, 0.95)),
		"NewPrediction": second(NewPrediction([]float64{1}, 0.95)),
		"WelchT":        second(WelchT([]float64{1}, []float64{1, 2}, 0.95)),
		"NewEffect":     second(NewEffect([]float64{1, 2}, []float64{1}, effectPooled)),
		"Power":         second(Design{Alpha: 0.05, Alternative: TwoSided}.Power(1, 1)),
	} {
		if !errors.Is(err, ErrTooFew) {
			t.Errorf("%s: got %v, want ErrTooFew", name, err)
		}
	}
	if err := second(NewSD([]float64{1}, 0.95)); err.Error() != "too few values: need 2, have 1" {
		t.Errorf("message %q", err)
	}
}

// The true sd is 0.45 to 32 times the sd of two values.
func TestSDOfTwoValues(t *testing.T) {
	s, err := NewSD([]float64{0, math.Sqrt2}, 0.95) // sd 1
	fatal(t, err)
	if !near(s.Interval.Lo, 0.446, 0.001) || !near(s.Interval.Hi, 31.9, 0.1) {
		t.Errorf("%+v", s)
	}
}

// R: sd <- sd(c(1,2,3,4,5)); sd*sqrt(4/qchisq(c(.975,.025), 4)); chi-square quantiles from tables, 11.1433 and
// 0.484419.
func TestSDInterval(t *testing.T) {
	s, err := NewSD([]float64{1, 2, 3, 4, 5}, 0.95)
	fatal(t, err)
	if !near(s.Interval.Lo, math.Sqrt(2.5*4/11.14329), 1e-5) || !near(s.Interval.Hi, math.Sqrt(2.5*4/0.484419), 1e-5) {
		t.Errorf("%+v", s)
	}
}

// The figures of the rules: 5 of 5, 59 of 59, 96.2 % of 1000.
func TestPassRateRules(t *testing.T) {
	five, err := Wilson(5, 5, 0.95)
	fatal(t, err)
	if !near(five.Interval.Lo, 0.57, 0.005) || five.Interval.Hi != 1 {
		t.Errorf("%+v", five)
	}
	for _, c := range []struct {
		k, n    int
		reaches bool
	}{{58, 58, false}, {59, 59, true}, {961, 1000, false}, {962, 1000, true}} {
		p, err := ClopperPearsonLower(c.k, c.n, 0.95)
		fatal(t, err)
		if (p.Interval.Lo >= 0.95) != c.reaches || p.Interval.Hi != 1 {
			t.Errorf("%d of %d: %+v", c.k, c.n, p)
		}
	}
}

func TestWarnings(t *testing.T) {
	five := []float64{0.1, 0.2, 0.3, 0.4, 0.5}
	for _, c := range []struct {
		name string
		xs   []float64
		want []Warning
	}{
		{"none", five, nil},
		{"four values", five[:4], []Warning{WarnSmallN}},
		{"equal", []float64{3, 3, 3, 3, 3}, []Warning{WarnZeroVariance}},
		{"one value has no variance to be zero", []float64{3}, []Warning{WarnSmallN}},
		{"one of five at 1 is 20 %, not more", []float64{0.1, 0.2, 0.3, 0.4, 1}, nil},
		{"two of five", []float64{0, 0.2, 0.3, 0.4, 1}, []Warning{WarnSaturated}},
		{"not scores", []float64{0, 0.2, 0.3, 1, 7}, nil},
		{"all three", []float64{1, 1}, []Warning{WarnSmallN, WarnZeroVariance, WarnSaturated}},
	} {
		if diff := cmp.Diff(c.want, dataWarnings(c.xs)); diff != "" {
			t.Errorf("%s: -want +got\n%s", c.name, diff)
		}
	}
	for _, w := range []Warning{
		WarnSmallN, WarnZeroVariance, WarnSaturated, WarnUntrimmed, warnTail,
		warnEmptySequence, warnAutocorrelated, warnDependent,
	} {
		if w.Message() == string(w) {
			t.Errorf("%s has no message", w)
		}
	}
}

func TestWarningsOfOrderStatistics(t *testing.T) {
	xs := make([]float64, 20)
	for i := range xs {
		xs[i] = float64(i)
	}
	for _, c := range []struct {
		n    int
		p    float64
		want []Warning
	}{{19, 0.95, []Warning{warnTail}}, {20, 0.95, nil}, {10, 0.9, nil}, {3, 0.5, nil}, {3, 1, nil}, {9, 0.1, []Warning{warnTail}}} {
		q, err := NewQuantile(xs[:c.n], c.p)
		fatal(t, err)
		if !slices.Equal(q.Warnings, c.want) {
			t.Errorf("quantile %v of %d: %v", c.p, c.n, q.Warnings)
		}
	}
	for n, want := range map[int][]Warning{9: {WarnUntrimmed}, 10: nil} {
		m, err := NewTrimmedMean(xs[:n], 0.1)
		fatal(t, err)
		if !slices.Equal(m.Warnings, want) {
			t.Errorf("trimmed mean of %d: %+v", n, m)
		}
	}
}

// What rounding leaves of equal numbers is a tie, in every paired method.
func TestRoundingIsNoDifference(t *testing.T) {
	a, b, c := 0.1, 0.2, 0.3
	candidate, baseline := []float64{a + b, 0.9, 0.7 + 0.1}, []float64{c, 0.9, 0.8}
	if candidate[0] == baseline[0] {
		t.Fatal("0.1 + 0.2 == 0.3: the test needs another pair")
	}
	d, err := Differences(candidate, baseline)
	fatal(t, err)
	if !slices.Equal(d, []float64{0, 0, 0}) {
		t.Errorf("differences %v", d)
	}
	p, err := NewProbImprovement(candidate, baseline, 0.95)
	fatal(t, err)
	if p.Ties != 3 || p.Value != 0.5 || p.Decided.N != 0 || p.Decided.Interval.Defined() {
		t.Errorf("%+v", p)
	}
	for _, pair := range [][2][]float64{{candidate, baseline}, {{0.3, 0.4, 0.5}, {0.2, 0.3, 0.4}}} { // ties; a constant 0.1
		if _, err := PairedT(pair[0], pair[1], 0.95); !errors.Is(err, ErrZeroVariance) {
			t.Errorf("paired t: got %v, want ErrZeroVariance", err)
		}
		if _, err := NewEffect(pair[0], pair[1], EffectDz); !errors.Is(err, ErrZeroVariance) {
			t.Errorf("dz: got %v, want ErrZeroVariance", err)
		}
	}
	w, err := WilcoxonSignedRank([]float64{c - b, b - a, -a}, DropZeros)
	fatal(t, err)
	if w.WPlus != 4 || w.WMinus != 2 { // 0.09999999999999998, 0.1 and 0.1 are tied, each of rank 2
		t.Errorf("%+v", w)
	}
}

// Wins are counted among all pairs, the interval among those that are no tie.
func TestProbImprovementWithTies(t *testing.T) {
	p, err := NewProbImprovement([]float64{2, 2, 2, 2, 2, 1, 1}, []float64{1, 1, 1, 1, 1, 1, 1}, 0.95)
	fatal(t, err)
	if p.N != 7 || p.Wins != 5 || p.Ties != 2 || p.Value != 6.0/7 || p.Decided.N != 5 || !near(p.Decided.Interval.Lo, 0.5655, 1e-4) {
		t.Errorf("%+v", p)
	}
}

// With 5 pairs the two-sided exact p cannot be below 0.0625, with 6 it can be 0.03125.
func TestSmallestSignFlipP(t *testing.T) {
	for n, want := range map[int]float64{1: 1, 2: 0.5, 5: 0.0625, 6: 0.03125, 20: 1.0 / (1 << 19)} {
		d := make([]float64, n)
		for i := range d {
			d[i] = float64(i + 1)
		}
		p, err := SignFlip(d, 1)
		fatal(t, err)
		if p.P.TwoSided != want || p.MinP != want || !p.Exact || p.Permutations != 1<<n {
			t.Errorf("n = %d: %+v", n, p)
		}
	}
	withZero, err := SignFlip([]float64{0, 1, 2, 3, 4, 5}, 1)
	fatal(t, err)
	if withZero.P.TwoSided != 0.0625 || withZero.MinP != 0.0625 {
		t.Errorf("a zero adds no information: %+v", withZero)
	}
}

// Beyond 20 differences the p is drawn: the same for the same seed, and near the normal approximation, good to 0.01
// at n = 24.
func TestSignFlipDraws(t *testing.T) {
	d := make([]float64, 24)
	r := rand.New(rand.NewPCG(5, 6))
	for i := range d {
		d[i] = 0.4 + r.NormFloat64()
	}
	a, err := SignFlip(d, 1)
	fatal(t, err)
	b, err := SignFlip(d, 1)
	fatal(t, err)
	c, err := SignFlip(d, 2)
	fatal(t, err)
	if a.Exact || a.Permutations != nDraws || a.Seed != 1 || a.MinP != 2.0/10001 {
		t.Errorf("%+v", a)
	}
	if a.P != b.P || a.P == c.P {
		t.Errorf("seed 1: %v and %v, seed 2: %v", a.P, b.P, c.P)
	}
	sum, squares := 0.0, 0.0
	for _, v := range d {
		sum, squares = sum+v, squares+v*v
	}
	if want := 0.5 * math.Erfc(sum/math.Sqrt(2*squares)); !near(a.P.Greater, want, 0.01) {
		t.Errorf("greater %v, about %v expected", a.P.Greater, want)
	}
	extreme := slices.Repeat([]float64{1}, 40)
	p, err := SignFlip(extreme, 1)
	fatal(t, err)
	if p.P.TwoSided != p.MinP {
		t.Errorf("forty wins: %+v", p)
	}
}

// Sums that are equal but for rounding are ties in the draws too: 17 gains and 4 losses of 0.1 are reached by
// Σ_{k≥17} C(21,k)/2²¹ = 0.00360 of the signs, and passed by 0.00074.
func TestSignFlipDrawsCountTies(t *testing.T) {
	d := slices.Concat(slices.Repeat([]float64{0.1}, 17), slices.Repeat([]float64{-0.1}, 4))
	p, err := SignFlip(d, 1)
	fatal(t, err)
	if p.Exact || !near(p.P.Greater, 0.0036, 0.0018) {
		t.Errorf("%+v", p)
	}
}

// Too many splits to count are drawn; the drawn p is near the t test's for normal values.
func TestTwoSampleDraws(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 8))
	x, y := make([]float64, 30), make([]float64, 25)
	for i := range x {
		x[i] = 0.5 + r.NormFloat64()
	}
	for i := range y {
		y[i] = r.NormFloat64()
	}
	p, err := PermuteTwoSample(x, y, 3)
	fatal(t, err)
	again, err := PermuteTwoSample(x, y, 3)
	fatal(t, err)
	welch, err := WelchT(x, y, 0.95)
	fatal(t, err)
	if p.Exact || p.Permutations != nDraws || p.P != again.P || !near(p.P.Greater, welch.P.Greater, 0.01) {
		t.Errorf("%+v, welch %v", p, welch.P)
	}
}

// Ten of 303 values are 1, the others 0; that two of the first three are 1 has the hypergeometric probability
// 0.00290, of which 10 000 draws have an sd of 0.0005. Three values out of 303 can be chosen in 4.6 million ways: too
// many to count.
func TestTwoSampleDrawsUnequalGroups(t *testing.T) {
	y := make([]float64, 300)
	for i := range 8 {
		y[i] = 1
	}
	p, err := PermuteTwoSample([]float64{1, 1, 0}, y, 4)
	fatal(t, err)
	if p.Exact || !near(p.P.Greater, 0.0029, 0.002) || p.P.Less < 0.99 {
		t.Errorf("%+v", p)
	}
}

// Beyond 100 values the rank tests say that they approximate; without any order in the data p is 1 either way.
func TestRankTestsOfManyValues(t *testing.T) {
	for n, want := range map[int]string{100: "wilcoxon signed-rank, exact", 102: "wilcoxon signed-rank, normal approximation"} {
		w, err := WilcoxonSignedRank(slices.Repeat([]float64{1, -1}, n/2), DropZeros)
		fatal(t, err)
		if w.Method != want || w.P.TwoSided != 1 {
			t.Errorf("%+v", w)
		}
	}
	for n, want := range map[int]string{50: "mann-whitney, exact", 60: "mann-whitney, normal approximation"} {
		equal := slices.Repeat([]float64{1}, n)
		m, err := NewMannWhitney(equal, equal)
		fatal(t, err)
		if m.Method != want || m.P != (PValues{TwoSided: 1, Greater: 1, Less: 1}) || m.PAbsDev != 1 {
			t.Errorf("%+v", m)
		}
	}
}

// The detectable effects that stand beside every non-result.
func TestDetectableEffects(t *testing.T) {
	d := Design{Alpha: 0.05, Alternative: TwoSided}
	for n, want := range map[int]float64{3: 3.26, 5: 1.68, 10: 1.00, 20: 0.66, 30: 0.53} {
		dz, err := d.DetectableDz(n, 0.8)
		fatal(t, err)
		if !near(dz, want, 0.005) {
			t.Errorf("n = %d: %v, want %v", n, dz, want)
		}
	}
}

func TestRefusals(t *testing.T) {
	two := Design{Alpha: 0.05, Alternative: TwoSided}
	one := Design{Alpha: 0.05, Alternative: oneSided}
	for name, c := range map[string]struct{ got, want error }{
		"alpha":                   {second(Design{Alpha: 1, Alternative: TwoSided}.Power(1, 5)), ErrBadParam},
		"alternative":             {second(Design{Alpha: 0.05}.Power(1, 5)), ErrBadParam},
		"no effect":               {second(two.seedsNeeded(0, 0.8)), ErrBadParam},
		"wrong direction":         {second(one.seedsNeeded(-1, 0.8)), ErrBadParam},
		"power below alpha":       {second(two.DetectableDz(5, 0.04)), ErrBadParam},
		"tiny effect":             {second(two.seedsNeeded(1e-6, 0.8)), ErrOutOfRange},
		"infinite effect":         {second(two.Power(math.Inf(1), 5)), errNonFinite},
		"pilot of equal values":   {second(two.SeedsFromPilot([]float64{1, 1, 1}, 1, 0.8)), ErrZeroVariance},
		"pilot of one":            {second(two.SeedsFromPilot([]float64{1}, 1, 0.8)), ErrTooFew},
		"nothing to detect":       {second(two.SeedsFromPilot([]float64{1, 2}, 0, 0.8)), ErrBadParam},
		"no bound on the share":   {second(NewCombined([]float64{0.5}, 2, 2, 0.95)), ErrBadParam},
		"score out of range":      {second(NewCombined([]float64{1.5, 1}, 2, 2, 0.95)), ErrOutOfRange},
		"zeros":                   {second(WilcoxonSignedRank([]float64{1}, "")), ErrBadParam},
		"effect":                  {second(NewEffect([]float64{1, 2}, []float64{1, 2}, "d")), ErrBadParam},
		"negative wins":           {second(signEValue(-1, 0)), ErrBadParam},
		"short history":           {second(NewHistory(make([]float64, 19), HistoryMaxP, 1)), ErrTooFew},
		"constant has no lag":     {second(Lag1([]float64{1, 1, 1})), ErrZeroVariance},
		"overflow of squares":     {second(NewMean([]float64{1e300, -1e300}, 0.95)), errNonFinite},
		"overflow of difference":  {second(Differences([]float64{1e308}, []float64{-1e308})), errNonFinite},
		"overflow of a sum":       {second(SignFlip(slices.Repeat([]float64{1e308}, 5), 1)), errNonFinite},
		"negative penalty":        {second(optimalPartition([]float64{1}, -1, 1)), ErrBadParam},
		"confidence of 1":         {second(NewMean([]float64{1, 2}, 1)), ErrBadParam},
		"confidence that is none": {second(Wilson(1, 2, math.NaN())), ErrBadParam},
	} {
		if !errors.Is(c.got, c.want) {
			t.Errorf("%s: got %v, want %v", name, c.got, c.want)
		}
	}
}

// Both tails count: a large negative effect is as detectable as a positive one, two-sided, and not at all one-sided.
func TestPowerOfNegativeEffects(t *testing.T) {
	for _, c := range []struct {
		alternative Alternative
		dz          float64
		n           int
		want        float64
	}{
		{TwoSided, -0.5, 20, 0.5645}, {TwoSided, 0.5, 20, 0.5645}, // R: power.t.test(20, .5, type="paired", strict=TRUE)
		{oneSided, -3, 20, 0}, {TwoSided, 30, 5, 1}, {TwoSided, -30, 5, 1}, // noncentrality 67
		{TwoSided, 0, 7, 0.05}, {oneSided, 0, 7, 0.05},
	} {
		power, err := Design{Alpha: 0.05, Alternative: c.alternative}.Power(c.dz, c.n)
		fatal(t, err)
		if !near(power, c.want, 1e-4) {
			t.Errorf("%s dz %v n %d: %v, want %v", c.alternative, c.dz, c.n, power, c.want)
		}
	}
}

func TestSequencesBeforeAnyScore(t *testing.T) {
	c, err := BettingSequence(nil, 0.95)
	fatal(t, err)
	want := Interval{Lo: 0, Hi: 1, Confidence: 0.95, Method: methodBetting}
	if c.last() != want {
		t.Errorf("got %+v, want %+v", c.last(), want)
	}
}

// A mean that moves from 0 to 1 contradicts every constant mean.
func TestSequenceThatBecomesEmpty(t *testing.T) {
	c, err := BettingSequence(slices.Concat(make([]float64, 60), slices.Repeat([]float64{1}, 400)), 0.95)
	fatal(t, err)
	if !slices.Contains(c.Warnings, warnEmptySequence) {
		t.Errorf("last %+v, warnings %v", c.last(), c.Warnings)
	}
}

func TestAnytimeP(t *testing.T) {
	none, err := SymmetricEValue(nil)
	fatal(t, err)
	if p := none.AnytimeP(); p != (PValues{TwoSided: 1, Greater: 1, Less: 1}) {
		t.Errorf("no pairs: %v", p)
	}
	// Six equal gains: each bet c has multiplied its capital by (1+tanh c)⁶.
	e, err := SymmetricEValue(slices.Repeat([]float64{0.1}, 6))
	fatal(t, err)
	want := 0.0
	for _, c := range []float64{0.25, 0.5, 1, 2, 4} {
		want += math.Pow(1+math.Tanh(c), 6) / 5
	}
	if p := e.AnytimeP(); !near(p.Greater, 1/want, 1e-12) || p.Less != 1 {
		t.Errorf("six gains: %v, want greater %v", p, 1/want)
	}
}

// The series of the vectors have known changes; the history finds them within the tolerance of the vectors.
func TestHistoryFindsKnownChanges(t *testing.T) {
	ran := 0
	for _, c := range readVectors(t) {
		if c.Stat != "change_points_known" {
			continue
		}
		ran++
		h, err := NewHistory(c.Inputs.X, HistoryMaxP, 1)
		fatal(t, err)
		var got []int
		for _, p := range h.Points {
			got = append(got, p.Index)
		}
		if !c.equal("changepoints", got, c.Expected["changepoints"]) || len(h.Warnings) != 0 {
			t.Errorf("%s: %v, want %v; lag %v, warnings %v", c.ID, got, c.Expected["changepoints"], h.Lag1, h.Warnings)
		}
	}
	if ran != 15 {
		t.Errorf("%d series", ran)
	}
}

// Three levels of 20 values each. The second change is small beside the first: it is found only if shuffling stays
// inside the segments.
func TestHistoryDescribesLevels(t *testing.T) {
	xs := make([]float64, 60)
	for i := range xs {
		xs[i] = []float64{-1, 0, 1, 0}[i%4] + []float64{0, 100, 96}[i/20]
	}
	h, err := NewHistory(xs, HistoryMaxP, 1)
	fatal(t, err)
	want := []ChangePoint{{Index: 20, Before: 0, After: 100, P: 0.001}, {Index: 40, Before: 100, After: 96, P: 0.001}}
	if !slices.Equal(h.Points, want) {
		t.Errorf("got %+v, want %+v", h.Points, want)
	}
}

func TestHistoryOfCorrelatedNoise(t *testing.T) {
	r := rand.New(rand.NewPCG(11, 12))
	xs := make([]float64, 100)
	for i := 1; i < len(xs); i++ {
		xs[i] = 0.9*xs[i-1] + r.NormFloat64()
	}
	h, err := NewHistory(xs, HistoryMaxP, 1)
	fatal(t, err)
	if !slices.Contains(h.Warnings, warnAutocorrelated) || len(h.Points) != 0 {
		t.Errorf("lag %v, points %v: want no points, with a warning", h.Lag1, h.Points)
	}
}

// A level without noise changes plainly; equal values do not change.
func TestHistoryWithoutNoise(t *testing.T) {
	xs := slices.Concat(slices.Repeat([]float64{1}, 15), slices.Repeat([]float64{2}, 15))
	h, err := NewHistory(xs, HistoryMaxP, 1)
	fatal(t, err)
	if want := []ChangePoint{{Index: 15, Before: 1, After: 2, P: 0.001}}; !slices.Equal(h.Points, want) || !math.IsNaN(h.Lag1) {
		t.Errorf("%+v, want %+v", h, want)
	}
	if h, err := NewHistory(slices.Repeat([]float64{1}, 30), HistoryMaxP, 1); err != nil || len(h.Points) != 0 {
		t.Errorf("equal values: %+v, error %v", h, err)
	}
}

// Inputs are read, never sorted or centred in place.
func TestInputsAreNotChanged(t *testing.T) {
	xs := []float64{0.9, 0.1, 0.5, 0.3, 0.7, 0.2}
	ys := []float64{0.4, 0.8, 0.6, 0.2, 0.1, 0.3}
	a, b := slices.Clone(xs), slices.Clone(ys)
	calls := []error{
		second(NewMean(a, 0.95)), second(NewQuantile(a, 0.5)), second(NewIQM(a)), second(Median(a)),
		second(NewMannWhitney(a, b)), second(PermuteTwoSample(a, b, 1)), second(SignFlip(a, 1)),
		second(WilcoxonSignedRank(a, DropZeros)), second(Holm(a, 0.05)), second(BettingSequence(a, 0.95)),
		second(divisive(a, 1)), second(optimalPartition(a, 1, 1)), second(noiseSD(a)),
	}
	if err := errors.Join(calls...); err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(a, xs) || !slices.Equal(b, ys) {
		t.Errorf("changed to %v and %v", a, b)
	}
}
