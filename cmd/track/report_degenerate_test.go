package main

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"
)

// recordedSeed is a seed of the scenario s in a batch.
func recordedSeed(label string, number int, rest string) string {
	return fmt.Sprintf(`{"kind":"seed","scenario":"s","seed":"%d","configuration":{"label":%q},%s}`, number, label, rest) + "\n"
}

// recordedSeeds are n seeds with the values that of gives.
func recordedSeeds(label string, n int, of func(number int) string) string {
	var b strings.Builder
	for i := range n {
		b.WriteString(recordedSeed(label, i, of(i)))
	}
	return b.String()
}

func manyMetrics(n int) (spec string, values string) {
	var names, measured []string
	for i := range n {
		names = append(names, fmt.Sprintf("{name: m%d, type: RANGE, min: 0, max: 1, weight: %v, group: G%d}", i, 0.5*float64(i%4), i%3))
		measured = append(measured, fmt.Sprintf(`"m%d":0.%d`, i, 10+i))
	}
	return "scenario: s\nmetrics:\n  - " + strings.Join(names, "\n  - ") + "\n", `"values":{` + strings.Join(measured, ",") + "}"
}

const twoMetrics = "scenario: s\nmetrics:\n  - {name: a, type: RANGE, min: 0, max: 1}\n  - {name: b, type: BOOLEAN, threshold: 0}\n"

// Every report of degenerate seeds can be written, says what there is too little of, and takes nothing for markup.
func TestReportsOfDegenerateSeeds(t *testing.T) {
	t.Parallel()
	good := func(i int) string { return fmt.Sprintf(`"values":{"a":0.4%d,"b":1}`, i) }
	failed := func(int) string { return `"outcome":"error","message":"IndexError: 0"` }
	equal := func(int) string { return `"values":{"a":0.5,"b":1}` }
	other := func(int) string { return `"values":{"c":1}` }
	odd := func(i int) string {
		return fmt.Sprintf(`"values":{"a":%s,"b":1}`, []string{`"NaN"`, `"Infinity"`, "0.5", "-7"}[i%4])
	}
	spec66, values66 := manyMetrics(66)
	long := strings.Repeat("x", 200)
	evil := "<script>alert(1)</script> | `x` ](y) **b** \u202e end"
	evilName := strings.ReplaceAll(evil, "\u202e", "") // names have no invisible characters
	for _, tt := range []struct {
		name, spec, seeds string
		want              []string // in the report of the scenario
	}{
		{"one seed", twoMetrics, recordedSeeds("old", 1, good) + recordedSeeds("new", 1, good), []string{"n = 1 is small", "1 pair"}},
		{"all failed", twoMetrics, recordedSeeds("old", 6, good) + recordedSeeds("new", 6, failed), []string{
			"6 seeds without a score", "Failing seeds (6), the worst first", "IndexError: 0", "the candidate is worse", "6 sides without a score, which counts as 0",
		}},
		{"half failed", twoMetrics, recordedSeeds("old", 6, good) + recordedSeeds("new", 6, func(i int) string {
			if i < 3 {
				return failed(i)
			}
			return good(i)
		}), []string{"| 0.4925 | 0.0000 to 1.0000 |", "| mean delta | -0.4887 | -1.0506 to +0.0731 |"}},
		{"all failed on both sides", twoMetrics, recordedSeeds("old", 6, failed) + recordedSeeds("new", 6, failed), []string{"Total scores of 0 seeds; 6 failed seeds without a score"}},
		{"all equal", twoMetrics, recordedSeeds("old", 8, equal) + recordedSeeds("new", 8, equal), []string{
			"repeat exactly what another seed measured", "1 seed", "~", // as Markdown has it
		}},
		{"nothing measured", twoMetrics, recordedSeeds("old", 6, good) + recordedSeeds("new", 6, other), []string{"missing a, b", "a missing; b missing", "none of 6 seeds that ran well has a value"}},
		{"no finite values", twoMetrics, recordedSeeds("old", 8, good) + recordedSeeds("new", 8, odd), []string{"NaN"}},
		{"no seed in common", twoMetrics, recordedSeed("old", 1, good(1)) + recordedSeed("new", 2, good(2)), []string{"Only in the candidate: 2", "Only in the baseline: 1"}},
		{"66 metrics", spec66, recordedSeeds("old", 7, func(int) string { return values66 }) + recordedSeeds("new", 7, func(int) string { return values66 }), []string{"66 metrics"}},
		{"a long name", strings.ReplaceAll(twoMetrics, "name: a", "name: "+long), recordedSeeds("old", 7, equal) + recordedSeeds("new", 7, equal), []string{long}},
		{"hostile names", strings.ReplaceAll(twoMetrics, "name: a,", fmt.Sprintf("name: %q, group: %q, target_desc: %q,", evilName, evilName, evil)) + fmt.Sprintf("title: %q\n", evil),
			recordedSeeds(evilName, 7, failed) + recordedSeeds("new", 7, func(i int) string { return fmt.Sprintf(`"outcome":"error","message":%q`, evil) }), []string{"alert(1)"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			in, old := newTrackIn(t), "old"
			if tt.name == "hostile names" {
				old = evilName
			}
			in.must(tt.spec, "spec", "add", "-")
			in.must(tt.seeds, "record", "batch", "-", "--new", "--quiet")
			in.must("", "baseline", "set", "s@"+old, "--reason", evil, "--quiet")
			folder := t.TempDir()
			for _, args := range [][]string{{"stability", "s"}, {"improvement", "s@new"}, {"scenario", "s"}} {
				report := in.must("", append([]string{"report"}, args...)...)
				if strings.Contains(report, "<script") || strings.Contains(report, "\u202e") {
					t.Errorf("track report %v takes names for markup:\n%s", args, report)
				}
				for _, no := range []string{"%!", "<nil>", "0x"} {
					if strings.Contains(report, no) {
						t.Errorf("track report %v says %q:\n%s", args, no, report)
					}
				}
				for _, suffix := range []string{".md", ".html"} {
					file := filepath.Join(folder, args[0]+suffix)
					in.must("", append(append([]string{"report"}, args...), "-o", file)...)
					in.must("", append(append([]string{"report"}, args...), "--check", file)...)
				}
				if args[0] != "scenario" {
					continue
				}
				for _, want := range tt.want {
					if !strings.Contains(report, want) {
						t.Errorf("the report does not say %q:\n%s", want, report)
					}
				}
			}
			for name, text := range readFolder(t, folder) {
				if strings.Contains(text, "<script>alert") {
					t.Errorf("%s takes names for markup", name)
				}
			}
		})
	}
}
