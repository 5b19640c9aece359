package stats

import (
	"math"
	"math/rand/v2"
	"testing"
)

// The draws are those of the plain definition, bit by bit: what was decided once is decided again.
func TestSignFlipDrawsAgree(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 4))
	for _, n := range []int{1, 7, 8, 9, 21, 63, 64, 65, 200} { // around the sizes of a table and of a word
		d := make([]float64, n)
		for i := range d {
			d[i] = random.NormFloat64() + 0.1
		}
		sum, slack := sumAndSlack(d)
		source := rand.NewPCG(7, streamSignFlip)
		atLeast, atMost := 0, 0
		for range nDraws {
			flipped, bits := 0.0, uint64(0)
			for i := 0; i < n; i += 8 {
				if i%64 == 0 {
					bits = source.Uint64()
				}
				part := 0.0
				for k, v := range d[i:min(i+8, n)] {
					if bits>>(i%64+k)&1 == 1 {
						v = -v
					}
					part += v
				}
				flipped += part
			}
			if flipped >= sum-slack {
				atLeast++
			}
			if flipped <= sum+slack {
				atMost++
			}
		}
		if got, want := signFlipDraws(d, 7), doubled(drawn(atLeast, nDraws), drawn(atMost, nDraws)); got != want {
			t.Errorf("%d differences: %+v, want %+v", n, got, want)
		}
	}
}

// Of many pairs groups flip together. Under the hypothesis each p must be as likely as any other, even for pairs whose
// sum is about one of them (Cauchy); and for normal differences p is that of the z test but for the draws.
func TestSignFlipOfManyPairs(t *testing.T) {
	const trials, n = 200, 2500
	r := rng()
	small := map[string]int{}
	for range trials {
		d := map[string][]float64{"normal": nil, "Cauchy": nil}
		sum, squares := 0.0, 0.0
		for range n {
			x := r.NormFloat64()
			d["normal"], d["Cauchy"] = append(d["normal"], x), append(d["Cauchy"], x/r.NormFloat64())
			sum, squares = sum+x, squares+x*x
		}
		for name, differences := range d {
			p, err := SignFlip(differences, 1)
			fatal(t, err)
			if p.P.TwoSided <= 0.1 {
				small[name]++
			}
			if name != "normal" {
				continue
			}
			joint, err := SignFlipJointlyTwoSided([][]float64{differences}, 1)
			fatal(t, err)
			z := math.Erfc(math.Abs(sum) / math.Sqrt(2*squares))
			// The sum of squares of 512 sums has a relative standard error of 0.06; where that of p is largest, it is 0.02.
			if !near(p.P.TwoSided, z, 0.08) || !near(joint.TwoSided[0], z, 0.08) {
				t.Errorf("p = %v, jointly %v, by the z test %v", p.P.TwoSided, joint.TwoSided, z)
			}
		}
	}
	for name, k := range small { // 20 are expected; 4 standard errors are 17
		if k < 3 || k > 37 {
			t.Errorf("%s: %d of %d are 0.1 or less", name, k, trials)
		}
	}
}

// A loss in each of a thousand pairs is found, and one in a few of them at the level of those few.
func TestSignFlipOfFewLossesInManyPairs(t *testing.T) {
	d := make([]float64, 1000)
	for i := range 6 {
		d[100*i] = -1
	}
	p, err := SignFlip(d, 1)
	fatal(t, err)
	if want := 2. / 64; !near(p.P.TwoSided, want, 0.01) {
		t.Errorf("6 losses: p = %v, want about %v", p.P.TwoSided, want)
	}
	for i := range d {
		d[i] = -1 - float64(i%7)
	}
	if p, err = SignFlip(d, 1); err != nil || p.P.TwoSided != p.MinP {
		t.Errorf("1000 losses: %+v, %v", p, err)
	}
}
