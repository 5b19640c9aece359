package reports

import (
	"math"
	"testing"

	"track/reports/document"
	"track/scoring"
	"track/scoring/format"
)

func TestTexts(t *testing.T) {
	for got, want := range map[string]string{
		seedsText([]uint64{}):                   "",
		seedsText([]uint64{7}):                  "7",
		seedsText([]uint64{9, 1, 2, 0, 12, 11}): "0..2, 9, 11, 12",
		seedsText([]uint64{math.MaxUint64, math.MaxUint64 - 1, math.MaxUint64 - 2}): "18446744073709551613..18446744073709551615",
		sentence("pass rate 1"):                         "Pass rate 1.",
		sentence("n = 1 is too small"):                  "n = 1 is too small.",
		sentence("sd 0.1"):                              "sd 0.1.",
		sentence("ünder"):                               "ünder.",
		format.Fixed(math.Inf(-1), 4):                   "-Infinity",
		format.Fixed(1e-9, 4):                           "1e-09",
		format.Signed(0):                                "+0.0000",
		format.PValue(1e-9):                             "<0.0001",
		format.Value(2.5, scoring.FormatInteger):        "2.50",
		format.Value(3, scoring.FormatInteger):          "3",
		format.Value(math.NaN(), scoring.FormatPercent): "NaN",
		format.Value(0.5, scoring.FormatPercent):        "50.0%",
		format.Confidence(0.9875):                       "98.75%",
		cut("abcdef", 4):                                "abc…",
	} {
		if got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
	many := make([]uint64, 100)
	for i := range many {
		many[i] = uint64(2 * i)
	}
	if got := seedsText(many); got != "0, 2, 4, 6, 8, 10, 12, 14, 16, 18, 20, 22, 24, 26, 28, 30, 32, 34, 36, 38 and 80 more" {
		t.Error(got)
	}
}

func TestFolded(t *testing.T) {
	rows := func(n int) document.Table {
		t := columns("a", "#b")
		for range n {
			t.Rows = append(t.Rows, []document.Text{document.T("x"), document.T("1")})
		}
		return t
	}
	for _, tt := range []struct {
		rows, shown int
		summary     string // empty where nothing is folded
	}{
		{0, 0, ""}, {4, 0, ""}, {5, 0, "5 things"}, {9, 5, ""}, {10, 5, "5 more, things"}, {100, 99, ""},
	} {
		blocks := folded(rows(tt.rows), tt.shown, "things")
		total, summary := 0, ""
		for _, b := range blocks {
			switch b := b.(type) {
			case document.Table:
				total += len(b.Rows)
			case document.Details:
				summary = b.Summary[0].Text
				total += len(b.Blocks[0].(document.Table).Rows)
			}
		}
		if total != tt.rows || summary != tt.summary {
			t.Errorf("%d rows, %d shown: %d rows and %q, want %q", tt.rows, tt.shown, total, summary, tt.summary)
		}
	}
}
