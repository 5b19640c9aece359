package track_test

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"track"
	"track/internal/property"
)

func TestSeedNumber(t *testing.T) {
	for _, n := range []track.SeedNumber{0, 1, 1<<53 + 1, math.MaxInt64, math.MaxInt64 + 1, math.MaxUint64} {
		text, err := json.Marshal(n)
		if want := `"` + n.String() + `"`; err != nil || string(text) != want {
			t.Errorf("%d is %s in JSON, error %v, want %s", uint64(n), text, err, want)
		}
		var again track.SeedNumber
		if err := json.Unmarshal(text, &again); err != nil || again != n {
			t.Errorf("%s read again is %s, error %v", n, again, err)
		}
		value, err := n.Value()
		if err != nil {
			t.Error(err)
		}
		if err := again.Scan(value); err != nil || again != n {
			t.Errorf("%s from SQL is %s, error %v", n, again, err)
		}
	}
	for _, s := range []string{"", " 1", "+1", "-1", "1.0", "1e3", "0x1", "1_000", "18446744073709551616", "١"} {
		if n, err := track.ParseSeedNumber(s); err == nil {
			t.Errorf("%q is %s", s, n)
		}
	}
	var n track.SeedNumber
	for _, src := range []any{nil, "1", 1.0, []byte("1")} {
		if err := n.Scan(src); err == nil {
			t.Errorf("scanned %#v", src)
		}
	}
}

func TestParseSeedRanges(t *testing.T) {
	for s, want := range map[string][]track.SeedRange{
		"7":                    {{First: 7, Last: 7}},
		"0..99":                {{First: 0, Last: 99}},
		"0..99, 200 ,300..399": {{First: 0, Last: 99}, {First: 200, Last: 200}, {First: 300, Last: 399}},
		"5..5,5":               {{First: 5, Last: 5}, {First: 5, Last: 5}},
		"18446744073709551615": {{First: math.MaxUint64, Last: math.MaxUint64}},
		"9223372036854775807..9223372036854775808": {{First: math.MaxInt64, Last: math.MaxInt64 + 1}},
	} {
		got, err := track.ParseSeedRanges(s)
		if diff := cmp.Diff(want, got); diff != "" || err != nil {
			t.Errorf("%q: error %v (-want +got):\n%s", s, err, diff)
		}
	}
	for _, s := range []string{"", ",", "1,", "1..", "..1", "2..1", "1...2", "1..2..3", "a", "-1", "0 .. 1", "0-9"} {
		if got, err := track.ParseSeedRanges(s); err == nil || !strings.Contains(err.Error(), fmt.Sprintf("%q", s)) {
			t.Errorf("%q: %v and error %v, want one that names it", s, got, err)
		}
	}
}

func FuzzParseSeedRanges(f *testing.F) {
	for _, s := range []string{"0..99,200", "18446744073709551615", " 1 , 2..3", "2..1", "..", ",", "9223372036854775807..9223372036854775808"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		ranges, err := track.ParseSeedRanges(s)
		if err != nil {
			return
		}
		var parts []string
		for _, r := range ranges {
			if r.Last < r.First || !r.Contains(r.First) || !r.Contains(r.Last) || r.First > 0 && r.Contains(r.First-1) || r.Last < math.MaxUint64 && r.Contains(r.Last+1) {
				t.Fatalf("%q: range %v", s, r)
			}
			parts = append(parts, r.First.String()+".."+r.Last.String())
		}
		again, err := track.ParseSeedRanges(strings.Join(parts, ","))
		if err != nil || !slices.Equal(again, ranges) {
			t.Fatalf("%q: %v, then %v, %v", s, ranges, again, err)
		}
	})
}

func TestParseOutcome(t *testing.T) {
	for s, want := range map[string]track.Outcome{
		"": track.OutcomeOK, "ok": track.OutcomeOK, "error": track.OutcomeError, "timeout": track.OutcomeTimeout, "collapsed": track.OutcomeCollapsed,
	} {
		if got, err := track.ParseOutcome(s); err != nil || got != want {
			t.Errorf("%q: %s, %v, want %s", s, got, err, want)
		}
	}
	for _, s := range []string{"OK", "failed", " ok"} {
		if got, err := track.ParseOutcome(s); err == nil {
			t.Errorf("%q is %s", s, got)
		}
	}
}

// Computed by another program from the description of Digest: databases hold digests, so no release may change them.
func TestDigest(t *testing.T) {
	for want, seed := range map[string]track.Seed{
		"e75f5a71e974f738de7fb29ecafb8072554c66a1e3074e59409b6f1e4615ca83": {Outcome: track.OutcomeOK},
		"c7cddcdbdaf134f6dfe10e5d1d13b67598562d77ca5afe29dd4fbd5f34f1b3ec": {Outcome: track.OutcomeOK, Values: map[string]float64{"b": -2.5, "a": 1}},
	} {
		sum := seed.Digest()
		if got := hex.EncodeToString(sum[:]); got != want {
			t.Errorf("%s %v: %s, want %s", seed.Outcome, seed.Values, got, want)
		}
	}
}

func TestDigestTellsApart(t *testing.T) {
	value := rapid.OneOf(rapid.Float64(), rapid.SampledFrom([]float64{0, math.Copysign(0, -1), math.NaN(), math.Inf(1), math.Inf(-1), 1}))
	values := rapid.MapOfN(rapid.StringMatching(`[ab]{1,3}`), value, 0, 4)
	outcome := rapid.SampledFrom([]track.Outcome{track.OutcomeOK, track.OutcomeError})
	draw := rapid.Custom(func(t *rapid.T) track.Seed {
		return track.Seed{Outcome: outcome.Draw(t, "outcome"), Values: values.Draw(t, "values")}
	})
	sameBits := func(a, b float64) bool {
		return math.Float64bits(a) == math.Float64bits(b) || math.IsNaN(a) && math.IsNaN(b)
	}
	property.Check(t, func(t *rapid.T) {
		a, b := draw.Draw(t, "a"), draw.Draw(t, "b")
		same := a.Outcome == b.Outcome && maps.EqualFunc(a.Values, b.Values, sameBits)
		if (a.Digest() == b.Digest()) != same {
			t.Fatalf("%v and %v measured the same: %v; their digests say otherwise", a, b, same)
		}
	})
	seed := track.Seed{Outcome: track.OutcomeOK, Values: map[string]float64{"m": math.Float64frombits(0x7ff8000000000001)}}
	other := track.Seed{Outcome: track.OutcomeOK, Values: map[string]float64{"m": math.Float64frombits(0xfff8000000000000)}, Message: "x", Scenario: "y"}
	if seed.Digest() != other.Digest() {
		t.Error("two NaN are told apart, or what is no measurement counts")
	}
}

func TestValidate(t *testing.T) {
	good := func() track.Seed {
		return track.Seed{Scenario: "s", Outcome: track.OutcomeOK, Values: map[string]float64{"m": 1}}
	}
	if err := good().Validate(); err != nil {
		t.Errorf("a good seed: %v", err)
	}
	long := strings.Repeat("é", 101)
	for _, tt := range []struct {
		change func(s *track.Seed)
		want   string
	}{
		{func(s *track.Seed) { s.Scenario = "" }, "scenario: is empty"},
		{func(s *track.Seed) { s.Scenario = "a@b" }, `scenario: "a@b" contains @, which separates a scenario from its configuration`},
		{func(s *track.Seed) { s.Scenario = long }, "scenario: is 202 bytes long; at most 200 are allowed"},
		{func(s *track.Seed) { s.Scenario = strings.Repeat("a", 201) }, "scenario: is 201 bytes long; at most 200 are allowed"},
		{func(s *track.Seed) { s.Scenario = "\u00a0a" }, `scenario: "\u00a0a" begins or ends with white space`},
		{func(s *track.Seed) { s.Scenario = "a\x7f" }, `scenario: "a\x7f" contains a control character: U+007F at byte 2`},
		{func(s *track.Seed) { s.Configuration.Label = "\xff" }, `configuration.label: "\xff" is not valid UTF-8`},
		{func(s *track.Seed) { s.Configuration.Revision.Commit = "\xff" }, `configuration.commit: "\xff" is not valid UTF-8`},
		{func(s *track.Seed) { s.Configuration.Revision.DiffHash = "a\x00b" }, `configuration.diff_hash: "a\x00b" contains a control character: U+0000 at byte 2`},
		{func(s *track.Seed) { s.Values = map[string]float64{"": 1} }, "values: the name of a metric is empty"},
		{ // the first by name, whatever the order of a map
			func(s *track.Seed) { s.Values = map[string]float64{"d ": 1, "c": 1, "b ": 1, "e ": 1, "a\n": 1} },
			`values: the name of a metric "a\n" begins or ends with white space`,
		},
		{func(s *track.Seed) { s.Values = nil }, "values: empty: a seed that ran well measured something; set the outcome if it did not"},
	} {
		seed := good()
		tt.change(&seed)
		err := seed.Validate()
		if err == nil || err.Error() != tt.want || !errors.Is(err, track.ErrInvalid) {
			t.Errorf("got %v, want %s", err, tt.want)
		}
	}
	failed := track.Seed{Scenario: "s", Outcome: track.OutcomeError, Configuration: track.Configuration{Label: "a@b c"}, Message: "\xff\n\x00"}
	if err := failed.Validate(); err != nil {
		t.Errorf("a failed seed with a free message: %v", err)
	}
}

func TestFieldError(t *testing.T) {
	for want, err := range map[string]*track.FieldError{
		"why":               {Message: "why"},
		"seed: why":         {Field: "seed", Message: "why"},
		"f.jsonl:7: a: why": {File: "f.jsonl", Line: 7, Field: "a", Message: "why"},
		"f.jsonl: why":      {File: "f.jsonl", Message: "why"},
		"line 7: why":       {Line: 7, Message: "why"},
	} {
		if err.Error() != want {
			t.Errorf("%q, want %q", err, want)
		}
	}
}

func TestHints(t *testing.T) {
	plain := fmt.Errorf("seed 7: %w", track.ErrNotFound)
	if hints := track.Hints(plain); hints != nil {
		t.Errorf("hints %v of an error without", hints)
	}
	err := track.WithHint(fmt.Errorf("outer: %w", track.WithHint(plain, track.Hint{Text: "first"})), track.Hint{Text: "last"})
	if err.Error() != "outer: seed 7: not found" || !errors.Is(err, track.ErrNotFound) {
		t.Errorf("a hint changed the error: %v", err)
	}
	if diff := cmp.Diff([]track.Hint{{Text: "first"}, {Text: "last"}}, track.Hints(errors.Join(err, nil))); diff != "" {
		t.Errorf("hints (-want +got):\n%s", diff)
	}
}

func TestSeriesHash(t *testing.T) {
	hash := func(values ...float64) [sha256.Size]byte { return track.Series{Values: values}.Hash() }
	// printf '\x00\x00\x00\x00\x00\x00\xf8\x3f\x01\x00\x00\x00\x00\x00\xf8\x7f' | sha256sum
	const want = "f4ec1dddd6d6c4ac57d876fe283f34d70d6531dc13b4d3a53f88d4811f193daf"
	if got := fmt.Sprintf("%x", hash(1.5, math.NaN())); got != want {
		t.Errorf("hash %s, want %s", got, want)
	}
	if hash(math.Float64frombits(0xFFF0000000000001)) != hash(math.NaN()) {
		t.Error("the hash tells one NaN from another")
	}
	if hash(0) == hash(math.Copysign(0, -1)) {
		t.Error("the hash does not tell 0 from -0")
	}
	if hash() != sha256.Sum256(nil) {
		t.Error("the hash of nothing is not that of no bytes")
	}
	long := make([]float64, 5000)
	if hash(long...) != sha256.Sum256(make([]byte, 40000)) {
		t.Error("the hash of a long series is not that of its bytes")
	}
}

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
