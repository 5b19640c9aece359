package track_test

import (
	"math"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"track"
	"track/internal/property"
)

func TestSeedRanges(t *testing.T) {
	for _, tt := range []struct{ given, want string }{
		{"7", "7"}, {"0..99", "0..99"}, {"5,3,4", "3..5"}, {"10..20,0..5,18..30,6", "0..6,10..30"}, {"1,3,5", "1,3,5"},
		{"0..18446744073709551615,7", "0..18446744073709551615"}, {"18446744073709551615,18446744073709551614", "18446744073709551614..18446744073709551615"},
	} {
		ranges, err := track.ParseSeedRanges(tt.given)
		if err != nil {
			t.Fatal(err)
		}
		if got := track.NewSeedRanges(ranges...).String(); got != tt.want {
			t.Errorf("%s is %s, want %s", tt.given, got, tt.want)
		}
	}
	if n := track.NewSeedRanges(track.SeedRange{Last: math.MaxUint64}).Len(); n != math.MaxInt {
		t.Errorf("all numbers are %d", n)
	}
	last := track.SeedRanges{{First: math.MaxUint64 - 1, Last: math.MaxUint64}}
	if got := slices.Collect(last.All()); len(got) != 2 || got[1] != math.MaxUint64 {
		t.Errorf("the last numbers are %v", got)
	}
	if got := (track.SeedRanges{{Last: math.MaxUint64}}).Slice(5, 8).String(); got != "5..7" {
		t.Errorf("three of all numbers are %s", got)
	}
}

// Whatever the ranges, they are the sorted set of the numbers given, and a slice is a slice of it.
func TestAnySeedRanges(t *testing.T) {
	property.Check(t, func(t *rapid.T) {
		var given []track.SeedRange
		numbers := map[track.SeedNumber]bool{}
		for range rapid.IntRange(0, 8).Draw(t, "ranges") {
			first := track.SeedNumber(rapid.Uint64Range(0, 60).Draw(t, "first"))
			r := track.SeedRange{First: first, Last: first + track.SeedNumber(rapid.Uint64Range(0, 9).Draw(t, "more"))}
			given = append(given, r)
			for n := r.First; n <= r.Last; n++ {
				numbers[n] = true
			}
		}
		var want []track.SeedNumber
		for n := range numbers {
			want = append(want, n)
		}
		slices.Sort(want)
		ranges := track.NewSeedRanges(given...)
		if got := slices.Collect(ranges.All()); !slices.Equal(got, want) || ranges.Len() != len(want) {
			t.Fatalf("%v are %v, %d of them, want %v", given, got, ranges.Len(), want)
		}
		from := rapid.IntRange(0, 70).Draw(t, "from")
		to := rapid.IntRange(from, 80).Draw(t, "to")
		there := track.NewSeedRanges(track.SeedRange{First: track.SeedNumber(from), Last: track.SeedNumber(to)}, track.SeedRange{First: 3, Last: 5})
		var in, out []track.SeedNumber
		for _, n := range want {
			if there.Contains(n) {
				in = append(in, n)
			} else {
				out = append(out, n)
			}
		}
		if got := slices.Collect(ranges.Intersect(there).All()); !slices.Equal(got, in) {
			t.Fatalf("%v and %v are %v, want %v", ranges, there, got, in)
		}
		if got := slices.Collect(ranges.Minus(there).All()); !slices.Equal(got, out) {
			t.Fatalf("%v without %v are %v, want %v", ranges, there, got, out)
		}
		part := want[min(from, len(want)):min(to, len(want))]
		if got := slices.Collect(ranges.Slice(from, to).All()); !slices.Equal(got, part) {
			t.Fatalf("[%d:%d] of %v is %v, want %v", from, to, ranges, got, part)
		}
		if len(want) == 0 {
			return
		}
		again, err := track.ParseSeedRanges(ranges.String())
		if err != nil || !slices.Equal(again, []track.SeedRange(ranges)) {
			t.Fatalf("%s read again is %v, error %v", ranges, again, err)
		}
	})
}
