package stats

import (
	"errors"
	"testing"

	"pgregory.net/rapid"

	"track/internal/property"
)

// The sequence is the intersection of the interval after each score.
func TestBettingIntervalMakesTheSequence(t *testing.T) {
	property.Check(t, func(t *rapid.T) {
		scores := samples(t, rapid.OneOf(score, rapid.SampledFrom([]float64{0, 1})), 0, 30)
		c := confidence.Draw(t, "confidence")
		sequence, err := BettingSequence(scores, c)
		if err != nil {
			t.Fatal(err)
		}
		lo, hi := 0.0, 1.0
		for n := range len(scores) + 1 {
			i, err := BettingInterval(scores[:n], c)
			if err != nil || i.Confidence != c || i.Method != methodBetting {
				t.Fatalf("%+v, %v", i, err)
			}
			if n == 0 && (i.Lo != 0 || i.Hi != 1) {
				t.Fatalf("of no scores: %+v", i)
			}
			lo, hi = max(lo, i.Lo), min(hi, i.Hi)
			if n > 0 && (lo != sequence.Lo[n-1] || hi != sequence.Hi[n-1]) {
				t.Fatalf("after %d: [%v, %v], the sequence has [%v, %v]", n, lo, hi, sequence.Lo[n-1], sequence.Hi[n-1])
			}
		}
	})
}

// Bernoulli scores, looked at after every one: the chance that any interval misses the mean is at most alpha.
func TestBettingIntervalCoversAtAnyTime(t *testing.T) {
	const repetitions, n, truth = 500, 40, 0.9
	r := rng()
	width := 0.0
	missed := rate(repetitions, func() bool {
		var scores []float64
		missed := false
		for k := range n {
			x := 0.0
			if r.Float64() < truth {
				x = 1
			}
			scores = append(scores, x)
			if k%4 != 3 {
				continue
			}
			i, err := BettingInterval(scores, 0.8)
			fatal(t, err)
			missed = missed || !i.Contains(truth)
			if k == n-1 {
				width += (i.Hi - i.Lo) / repetitions
			}
		}
		return missed
	})
	wantAtMost(t, "missed at any of 10 looks", missed, 0.2, repetitions)
	if !(width > 0.05 && width < 0.35) { // [0, 1] would cover too
		t.Errorf("mean width %v after %d", width, n)
	}
}

func TestBettingIntervalRefuses(t *testing.T) {
	if _, err := BettingInterval([]float64{0.5, 1.1}, 0.95); !errors.Is(err, ErrOutOfRange) {
		t.Errorf("a score above 1: %v", err)
	}
	if _, err := BettingInterval(nil, 1); !errors.Is(err, ErrBadParam) {
		t.Errorf("confidence 1: %v", err)
	}
}
