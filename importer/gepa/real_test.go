package gepa

import (
	"encoding/json"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"reflect"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"track/importer/importertest"
	"track/importer/pickle"
)

// The public runs hold what an independent reader found in them.
func TestRealRuns(t *testing.T) {
	for _, name := range []string{"gepa-aime-math", "gepa-polynomial-0"} {
		folder := filepath.Join(importertest.RealRuns(t), name)
		run, err := Read(folder)
		if err != nil {
			t.Fatal(err)
		}
		importertest.CheckRun(t, run)
		text, err := os.ReadFile(filepath.Join(folder, "expected.json"))
		if err != nil {
			t.Fatal(err)
		}
		var want struct {
			Candidates int       `json:"n_candidates"`
			Parents    [][]*int  `json:"parents"`
			Means      []float64 `json:"val_mean"`
			NVal       []int     `json:"n_val"`
			Best       int       `json:"best"`
			Depth      int       `json:"depth_of_best"`
			Proposals  int       `json:"n_proposals"`
			Accepted   int       `json:"n_accepted"`
			Lengths    []int     `json:"lengths"`
		}
		if err := json.Unmarshal(text, &want); err != nil {
			t.Fatal(err)
		}
		if n := len(run.Programs); n != want.Candidates || len(run.Rejected) != want.Proposals-want.Accepted || n-1 != want.Accepted {
			t.Errorf("%s: %d candidates, %d rejected, want %d and %d", name, n, len(run.Rejected), want.Candidates, want.Proposals-want.Accepted)
		}
		for _, p := range run.Programs {
			i := indexOf(t, p.ID)
			var parents []string
			for _, parent := range want.Parents[i] {
				if parent != nil {
					parents = append(parents, itoa(*parent))
				}
			}
			if diff := cmp.Diff(parents, p.Parents); diff != "" || math.Abs(*p.Score-want.Means[i]) > 1e-6 || len(p.Trials) != want.NVal[i] ||
				p.Best != (i == want.Best) || utf8.RuneCountInString(p.Content) != want.Lengths[i] {
				t.Errorf("%s: candidate %s: %v, score %v of %d, best %v, %d characters", name, p.ID, p.Parents, *p.Score, len(p.Trials), p.Best, utf8.RuneCountInString(p.Content))
			}
			if i == want.Best && *p.Generation != want.Depth {
				t.Errorf("%s: the best is at depth %d, want %d", name, *p.Generation, want.Depth)
			}
		}
	}
}

// GEPA's own Pareto front holds, for each validation instance, the candidates with the best score on it.
func TestParetoFrontOfRealRuns(t *testing.T) {
	for _, name := range []string{"gepa-aime-math", "gepa-polynomial-0"} {
		path := filepath.Join(importertest.RealRuns(t), name, StateFile)
		run, err := Read(path)
		if err != nil {
			t.Fatal(err)
		}
		got := map[string][]string{}
		best := map[string]float64{}
		for _, p := range run.Programs {
			for _, trial := range p.Trials {
				switch before, seen := best[trial.Task]; {
				case !seen || *trial.Score > before:
					best[trial.Task], got[trial.Task] = *trial.Score, []string{p.ID}
				case *trial.Score == before:
					got[trial.Task] = append(got[trial.Task], p.ID)
				}
			}
		}
		if diff := cmp.Diff(frontOf(t, path), got, cmpopts.SortSlices(func(a, b string) bool { return a < b })); diff != "" || len(got) == 0 {
			t.Errorf("%s: %d tasks: %s", name, len(got), diff)
		}
	}
}

// frontOf returns the candidates that a state names for each validation instance.
func frontOf(t *testing.T, path string) map[string][]string {
	t.Helper()
	data, err := readState(path)
	if err != nil {
		t.Fatal(err)
	}
	value, err := pickle.Decode(data)
	if err != nil {
		t.Fatal(err)
	}
	state, ok := value.(*pickle.Dict)
	if !ok {
		t.Fatalf("a state is a %T", value)
	}
	front, found := state.Get("program_at_pareto_front_valset")
	fronts, ok := front.(*pickle.Dict)
	if !found || !ok {
		t.Fatalf("the front is a %T", front)
	}
	list := map[string][]string{}
	for i, key := range fronts.Keys {
		items := reflect.ValueOf(fronts.Values[i]).Elem().FieldByName("Items").Interface().([]any)
		task := fmt.Sprint("val-", key)
		for _, item := range items {
			list[task] = append(list[task], fmt.Sprint(item))
		}
	}
	return list
}
