package shinka

import (
	"fmt"
	"path/filepath"
	"slices"
	"strconv"
	"testing"

	"github.com/google/go-cmp/cmp"

	"track/importer"
	"track/importer/importertest"
)

// The counts are those of the README beside the data, and of its lines read with a few lines of Python.
func TestReal(t *testing.T) {
	run := read(t, filepath.Join(importertest.RealRuns(t), "shinka-txn-gemini3pro-run5"))
	operators, failed, codes := map[string]int{}, map[string]float64{}, map[string][]string{}
	roots := 0
	for i, p := range run.Programs {
		operators[p.Operator]++
		score := "-"
		if p.Failed != "" {
			failed[p.ID+" "+p.Failed] = *p.Partial
		} else {
			score = fmt.Sprint(*p.Score)
		}
		codes[p.Content] = append(codes[p.Content], p.ID+" "+score)
		if len(p.Parents) == 0 {
			roots++
		}
		if p.ID != strconv.Itoa(i) || *p.Generation != i || len(p.Parents) > 1 || p.Title == "" {
			t.Errorf("program %d: %q of generation %d, parents %q, %q", i, p.ID, *p.Generation, p.Parents, p.Title)
		}
	}
	if len(run.Programs) != 100 || roots != 1 || len(run.Skips) != 0 || len(run.Lost) != 0 {
		t.Errorf("%d programs, %d roots, skips %v, lost %v", len(run.Programs), roots, run.Skips, run.Lost)
	}
	if want := map[string]int{"init": 1, "diff": 57, "full": 42}; !cmp.Equal(operators, want) {
		t.Error(cmp.Diff(want, operators))
	}
	// The first ran and carries a score that would be in the middle of the run.
	if want := map[string]float64{"27 " + importer.FailedInvalid: 3.64, "77 " + importer.FailedInvalid: 0}; !cmp.Equal(failed, want) {
		t.Error(cmp.Diff(want, failed))
	}
	var twins [][]string
	for _, ids := range codes {
		if len(ids) > 1 {
			twins = append(twins, ids)
		}
	}
	if want := [][]string{{"62 4.44", "67 4.27"}}; !cmp.Equal(twins, want) {
		t.Error(cmp.Diff(want, twins))
	}
}

// The children of the two programs of equal code may be of either. The data says the later one, for both of them; it
// does so without being sure.
func TestRealTwins(t *testing.T) {
	run := read(t, filepath.Join(importertest.RealRuns(t), "shinka-txn-gemini3pro-run5", "programs.jsonl"))
	var children []string
	for _, p := range run.Programs {
		if slices.Contains(p.Parents, "62") || slices.Contains(p.Parents, "67") {
			children = append(children, p.ID+" of "+p.Parents[0])
		}
	}
	if want := []string{"77 of 67", "97 of 67"}; run.Picked != 2 || run.Ambiguous != 0 || !cmp.Equal(children, want) {
		t.Errorf("%d picked, %d ambiguous, %s", run.Picked, run.Ambiguous, cmp.Diff(want, children))
	}
}
