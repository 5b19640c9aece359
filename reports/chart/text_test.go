package chart

import (
	"math"
	"strings"
	"testing"
	"unicode/utf8"

	"pgregory.net/rapid"

	"track/internal/property"
)

func TestNumber(t *testing.T) {
	tests := []struct {
		v    float64
		want string
	}{
		{0, "0"}, {1, "1"}, {0.0699, "0.0699"}, {1.0 / 3, "0.3333"}, {-2.5, "−2.5"}, {12345.678, "12,346"}, {1234.5, "1,234"},
		{999999999, "999,999,999"}, {1e9, "1e9"}, {1.23456e-5, "1.235e−5"}, {0.001, "0.001"}, {0.00099996, "1e−3"}, {9999.6, "10,000"},
	}
	for _, tt := range tests {
		if got := number(tt.v); got != tt.want {
			t.Errorf("number(%v) = %q, want %q", tt.v, got, tt.want)
		}
	}
}

func TestClean(t *testing.T) {
	tests := []struct{ in, want string }{
		{"", ""},
		{"  two\r\n\twords ", "two words"},
		{"a\x00b\x1b[31m", "a�b�[31m"},
		{"\xff", "�"},
		{"left\u202eright", "left�right"},
		{"日本語 👩\u200d🔬", "日本語 👩\u200d🔬"},
		{"\ufffe", "�"},
		{strings.Repeat("é", 10000), strings.Repeat("é", 200) + "…" + strings.Repeat("é", 100)},
	}
	for _, tt := range tests {
		if got := clean(tt.in); got != tt.want {
			t.Errorf("clean(%q) = %q, want %q", tt.in, got, tt.want)
		}
	}
}

func TestShorten(t *testing.T) {
	long := "configuration-" + strings.Repeat("x", 200) + "-alpha=0.25"
	got := shorten(long, sizeLabel, 200)
	if !strings.HasPrefix(got, "configuration") || !strings.HasSuffix(got, "=0.25") || !strings.Contains(got, "…") {
		t.Errorf("%q lost its beginning or its end", got)
	}
	if got := shorten("short", sizeLabel, 200); got != "short" {
		t.Errorf("%q fits", got)
	}
	if got := shorten("no room", sizeLabel, 0); got != "…" {
		t.Errorf("%q, want nothing but the ellipsis", got)
	}
}

func TestShortenAnything(t *testing.T) {
	property.Check(t, func(t *rapid.T) {
		s := clean(anyString.Draw(t, "s"))
		room := rapid.Float64Range(20, 300).Draw(t, "room")
		got := shorten(s, sizeLabel, room)
		if w := textWidth(got, sizeLabel); w > room {
			t.Errorf("%q takes %v of %v", got, w, room)
		}
		if !utf8.ValidString(got) {
			t.Errorf("%q is not UTF-8", got)
		}
	})
}

var anyString = rapid.OneOf(
	rapid.String(),
	rapid.Map(rapid.SliceOfN(rapid.Byte(), 0, 40), func(b []byte) string { return string(b) }),
	rapid.SampledFrom([]string{
		"", "seed 7", "<script>alert(1)</script>", `"]`, "]]>", "-->", "&amp;", "</svg>", "a\x00b", "\u202e", "new\nline",
		strings.Repeat("a name of 200 characters ", 8), strings.Repeat("日本", 100),
	}),
)

func TestSparkline(t *testing.T) {
	nan, inf := math.NaN(), math.Inf(1)
	tests := []struct {
		name   string
		scores []float64
		most   int
		want   string
	}{
		{"none", nil, 0, ""},
		{"one", []float64{0.7}, 0, "▅"},
		{"all equal", []float64{0.7, 0.7, 0.7}, 0, "▅▅▅"},
		{"all missing", []float64{nan, inf}, 0, "··"},
		{"from the lowest to the highest", []float64{0, 1, 2, 3, 4, 5, 6, 7}, 0, "▁▂▃▄▅▆▇█"},
		{"gaps", []float64{nan, 1, nan, nan, 0, -inf}, 0, "·█··▁·"},
		{"the largest numbers", []float64{-math.MaxFloat64, 0, math.MaxFloat64}, 0, "▁▅█"},
		{"as many as there is room for", []float64{0, 1, 7}, 3, "▁▂█"},
		{"means of parts", []float64{0, 2, 8, 8, nan, 4, nan, nan}, 4, "▁█▄·"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got := Sparkline(tt.scores, tt.most); got != tt.want {
				t.Errorf("%s, want %s", got, tt.want)
			}
		})
	}
}

func TestAnySparkline(t *testing.T) {
	property.Check(t, func(t *rapid.T) {
		scores := rapid.SliceOfN(anyFloat, 0, 50).Draw(t, "scores")
		most := rapid.IntRange(0, 60).Draw(t, "most")
		want := len(scores)
		if most > 0 {
			want = min(want, most)
		}
		if got := Sparkline(scores, most); utf8.RuneCountInString(got) != want {
			t.Errorf("%q has not %d signs", got, want)
		}
	})
}
