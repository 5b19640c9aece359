package stats

import (
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
		for range Draws {
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
		if got, want := signFlipDraws(d, 7), doubled(drawn(atLeast, Draws), drawn(atMost, Draws)); got != want {
			t.Errorf("%d differences: %+v, want %+v", n, got, want)
		}
	}
}
