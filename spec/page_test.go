package spec

import (
	"fmt"
	"math"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"track/scoring"
)

const specPage = "../docs/reference/spec.md"

// pageSection is the text below a heading of the third level.
type pageSection struct{ heading, text string }

func pageSections(t *testing.T) (list []pageSection) {
	t.Helper()
	text, err := os.ReadFile(specPage)
	if err != nil {
		t.Fatal(err)
	}
	page := regexp.MustCompile(`(?m)^## `).ReplaceAllString(string(text), "### ")
	for _, part := range strings.Split(page, "\n### ")[1:] {
		heading, body, _ := strings.Cut(part, "\n")
		list = append(list, pageSection{strings.ReplaceAll(heading, `\`, ""), body})
	}
	return list
}

// TestPageIsComplete checks that the page of specs has a section for every type of metrics and for every reduction.
func TestPageIsComplete(t *testing.T) {
	t.Parallel()
	var headings []string
	for _, s := range pageSections(t) {
		headings = append(headings, s.heading)
	}
	var want []string
	types := regexp.MustCompile(`"enum": \[("MEAN_TOLERANCE"[^]]*)\]`).FindStringSubmatch(string(Schema()))
	if types == nil {
		t.Fatal("the schema lists no types")
	}
	for _, name := range strings.Split(types[1], ", ") {
		want = append(want, strings.Trim(name, `"`))
	}
	for _, reducer := range scoring.Reducers() {
		want = append(want, string(reducer))
	}
	for _, name := range want {
		if !slices.Contains(headings, name) {
			t.Errorf("%s has no section %s", specPage, name)
		}
	}
}

// TestPageOfTypes computes the tables of values, statuses and scores.
func TestPageOfTypes(t *testing.T) {
	t.Parallel()
	rows := regexp.MustCompile(`(?m)^\| (\S+) \| (PASS|WARN|FAIL) \| (\S+) \|$`)
	metric := regexp.MustCompile(`(?m)^    (\{name: .*\})$`)
	computed := 0
	for _, s := range pageSections(t) {
		examples := metric.FindAllStringSubmatchIndex(s.text, -1)
		for i, at := range examples {
			end := len(s.text)
			if i+1 < len(examples) {
				end = examples[i+1][0]
			}
			sp := parseSpec(t, s.text[at[2]:at[3]])
			for _, row := range rows.FindAllStringSubmatch(s.text[at[1]:end], -1) {
				got := scoring.Assess(sp, map[string]float64{"x": number(t, row[1])}).Results[0]
				if text := rounded(got.Score); string(got.Status) != row[2] || text != row[3] {
					t.Errorf("%s, value %s: the page has %s %s, the code %s %s", s.heading, row[1], row[2], row[3], got.Status, text)
				}
				computed++
			}
		}
	}
	if computed < 20 {
		t.Errorf("%d rows were computed; the pattern no longer fits the page", computed)
	}
}

// TestPageOfReductions computes the examples of reductions.
func TestPageOfReductions(t *testing.T) {
	t.Parallel()
	series := map[string][]float64{}
	row := regexp.MustCompile(`(?m)^\| (\w+) \| ([-\d., NaN]+) \|$`)
	example := regexp.MustCompile("(?s)`(\\{series: [^`]*\\})`\\s+(?:gives\\s+(\\S+)|has\\s+no\\s+value)")
	for _, s := range pageSections(t) {
		if s.heading == "Values from time series" {
			for _, match := range row.FindAllStringSubmatch(s.text, -1) {
				for _, point := range strings.Split(match[2], ", ") {
					series[match[1]] = append(series[match[1]], number(t, point))
				}
			}
			continue
		}
		if !slices.Contains(scoring.Reducers(), scoring.Reducer(s.heading)) {
			continue
		}
		examples := example.FindAllStringSubmatch(s.text, -1)
		if len(examples) == 0 {
			t.Errorf("%s has no example", s.heading)
		}
		for _, match := range examples {
			sp := parseSpec(t, "{name: x, type: BOOLEAN, threshold: 0, from: "+match[1]+"}")
			got, reason := sp.Metrics[0].From.Compute(func(name string) ([]float64, bool) { return series[name], series[name] != nil })
			want := strings.TrimRight(match[2], ".,")
			if want == "" && reason == "" || want != "" && (reason != "" || rounded(got) != want) {
				t.Errorf("%s: the page has %q, the code %s %q", match[1], want, rounded(got), reason)
			}
			if used := sp.Metrics[0].From.Reduce; string(used) != s.heading {
				t.Errorf("%s has an example of %s", s.heading, used)
			}
		}
	}
}

func parseSpec(t *testing.T, metric string) scoring.Spec {
	t.Helper()
	s, err := Parse(specPage, fmt.Appendf(nil, "scenario: s\nmetrics:\n  - %s\n", metric))
	if err != nil {
		t.Fatalf("%s: %v", metric, err)
	}
	return s
}

func number(t *testing.T, text string) float64 {
	t.Helper()
	x, err := strconv.ParseFloat(text, 64)
	if err != nil {
		t.Fatal(err)
	}
	return x
}

// rounded writes a number with at most four decimals, as the page does.
func rounded(x float64) string { return strconv.FormatFloat(math.Round(x*1e4)/1e4, 'f', -1, 64) }
