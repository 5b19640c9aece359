package near

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"track/internal/property"
)

func TestEdits(t *testing.T) {
	for _, c := range []struct {
		a, b  string
		edits int // 0 for names that are not near
	}{
		{"bufer_stock", "buffer_stock", 1},
		{"unemploymnet", "unemployment", 1}, // exchanged
		{"unempolymnet", "unemployment", 2},
		{"inflaton", "inflation", 1},
		{"wage", "wages", 1},
		{"Growth_Plus", "growth_plus", 1}, // however many letters are capitals
		{"U", "u", 1},
		{"Ä2", "ä2", 1},
		{"theta-2", "theta_2", 1}, // the same number
		{"théta", "theta", 1},
		{"theta1b", "tehta1b", 1},
		{"growth2_mean", "grwth2_mean", 1},

		{"bufer_stok_", "buffer_stock", 0}, // three edits
		{"same", "same", 0},
		{"theta1", "theta2", 0},
		{"v1", "v2", 0},
		{"2024", "2025", 0},
		{"growth", "growth2", 0},
		{"growth", "growth_2", 0},
		{"v0.10.1", "v0.10", 0},
		{"2024.10.1", "2024.10", 0},
		{"arm_a", "arm_b", 0},
		{"x_mean", "y_mean", 0},
		{"a", "b", 0},
		{"ab", "abc", 0}, // a third of two letters is none
		{"gdp", "gnp", 1},
		{"", "a", 0},
		{"growth", "growth_plus", 0},
	} {
		want := c.edits > 0
		edits, near := newName(c.a).edits(newName(c.b))
		if near != want || near && edits != c.edits {
			t.Errorf("%q and %q: %d edits, near %v; want %d", c.a, c.b, edits, near, c.edits)
		}
	}
}

func TestNearest(t *testing.T) {
	known := []string{"growth_plus", "growth", "wage", "wages"}
	for name, want := range map[string]string{"grwoth": "growth", "grow": "growth_plus", "wagess": "wages", "wage_share": "", "gr": ""} {
		if got := Nearest(name, known); got != want {
			t.Errorf("%s: %q, want %q", name, got, want)
		}
	}
}

// names are short, of few letters, so that many of them are near each other.
func names() *rapid.Generator[string] {
	return rapid.StringMatching(`[abB_12]{0,3}[abé]{0,4}[ab_12]{0,4}`)
}

func TestNearnessIsSymmetric(t *testing.T) {
	property.Check(t, func(t *rapid.T) {
		a, b := names().Draw(t, "a"), names().Draw(t, "b")
		there, nearThere := newName(a).edits(newName(b))
		back, nearBack := newName(b).edits(newName(a))
		if there != back || nearThere != nearBack {
			t.Errorf("%q to %q: %d %v; back: %d %v", a, b, there, nearThere, back, nearBack)
		}
		if shorter := min(len([]rune(a)), len([]rune(b))); nearThere && (there < 1 || there > 2 || 3*there > shorter) {
			t.Errorf("%q and %q: near with %d edits", a, b, there)
		}
	})
}

// Whatever numbers stand in a name, other numbers make it another name on purpose.
func TestOtherNumbersAreNotNear(t *testing.T) {
	property.Check(t, func(t *rapid.T) {
		parts := rapid.SliceOfN(rapid.StringMatching(`[a-c_]{1,4}`), 1, 3).Draw(t, "parts")
		number := rapid.Uint16()
		with := func(label string) string {
			var b strings.Builder
			for _, part := range parts {
				fmt.Fprintf(&b, "%s%d", part, number.Draw(t, label))
			}
			return b.String()
		}
		a, b := with("a"), with("b")
		if _, near := newName(a).edits(newName(b)); near {
			t.Errorf("%q and %q are near", a, b)
		}
	})
}

// An index finds what comparing with each name finds.
func TestIndex(t *testing.T) {
	property.Check(t, func(t *rapid.T) {
		known, name := rapid.SliceOfDistinct(names(), rapid.ID[string]).Draw(t, "known"), names().Draw(t, "name")
		var want []string
		for _, k := range known {
			if _, near := newName(name).edits(newName(k)); near {
				want = append(want, k)
			}
		}
		got := NewIndex(known).Near(name)
		slices.Sort(want)
		slices.Sort(got)
		if !slices.Equal(got, want) {
			t.Errorf("%q among %q: %q, want %q", name, known, got, want)
		}
	})
}
