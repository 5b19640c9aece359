package main

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"track/answer"
	"track/importer/importertest"
)

// ancestry is what a run says of its programs, as a count of its own finds it in the files.
type ancestry struct {
	programs, withParent int // a proposal that was rejected has a parent too
	best                 string
	steps                int // from the best program back to one without a parent, or to a parent that is lost
}

// TestImportAncestry compares the ancestry of every run with what is recorded of it.
func TestImportAncestry(t *testing.T) {
	t.Parallel()
	runs := importertest.RealRuns(t)
	for _, tt := range []struct {
		format, path string
		count        func(t *testing.T, folder string) ancestry
	}{
		{"openevolve", "openevolve-metagpt-mast", ancestryOfOpenEvolve},
		{"openevolve", "raw-openevolve-arc-checkpoint", ancestryOfOpenEvolve},
		{"shinka", "shinka-txn-gemini3pro-run5", ancestryOfShinka},
		{"gepa", "gepa-aime-math", ancestryOfGEPA},
		{"gepa", "gepa-polynomial-0", ancestryOfGEPA},
	} {
		t.Run(tt.path, func(t *testing.T) {
			t.Parallel()
			dir, folder := t.TempDir(), filepath.Join(runs, tt.path)
			mustTrack(t, dir, "import", tt.format, folder, "--lineage", "l", "--db", "track.db")
			if diff := cmp.Diff(tt.count(t, folder), recordedAncestry(t, dir), cmp.AllowUnexported(ancestry{})); diff != "" {
				t.Error(diff)
			}
			checkOperatorTotals(t, dir)
			if late := numbers(t, dir, "SELECT count(*) FROM (SELECT iteration < max(iteration) OVER (ORDER BY number) AS late FROM v_mutation) WHERE late"); tt.format == "gepa" && late[0] != 0 {
				t.Errorf("%d mutations are numbered behind one of a later iteration", late[0])
			}
		})
	}
}

// checkOperatorTotals checks that every proposal is counted, and counted once, among the outcomes of its operator.
func checkOperatorTotals(t *testing.T, dir string) {
	t.Helper()
	var a answer.Operators
	if err := json.Unmarshal([]byte(mustTrack(t, dir, "operators", "l", "--db", "track.db", "--format", "json")), &a); err != nil {
		t.Fatal(err)
	}
	proposed := 0
	for _, o := range a.Operators {
		if o.Proposed != o.Accepted+o.Rejected+o.Refused+o.Withdrawn+o.Open {
			t.Errorf("the outcomes do not add up: %+v", o)
		}
		proposed += o.Proposed
	}
	if all := numbers(t, dir, "SELECT count(*) FROM v_mutation"); proposed != all[0] {
		t.Errorf("%d proposals by operators, want %d", proposed, all[0])
	}
}

// recordedAncestry follows the parents in the ledger from the mutation that made the active version.
func recordedAncestry(t *testing.T, dir string) (a ancestry) {
	t.Helper()
	numbersOf := numbers(t, dir, "SELECT count(DISTINCT key) FROM execution WHERE task = 'evaluation'")
	a.programs = numbersOf[0]
	parents := map[string][]string{}
	for line := range strings.Lines(mustTrack(t, dir, "export", "lineage", "l", "--db", "track.db")) {
		var record struct {
			Entry struct {
				Kind string `json:"kind"`
				Body struct {
					RootMutation    string   `json:"root_mutation"`
					Mutation        string   `json:"mutation"`
					ParentMutations []string `json:"parent_mutations"`
				} `json:"body"`
			} `json:"entry"`
		}
		if err := json.Unmarshal([]byte(line), &record); err != nil {
			t.Fatal(err)
		}
		switch entry := record.Entry; entry.Kind {
		case "creation":
			a.best = entry.Body.RootMutation
		case "proposal":
			parents[entry.Body.Mutation] = entry.Body.ParentMutations
			a.withParent++
		}
	}
	for id := a.best; len(parents[id]) > 0; id = parents[id][0] {
		a.steps++
	}
	if rows := pathRows(t, dir); rows != a.steps+1 {
		t.Errorf("the report shows a path of %d versions, want %d", rows, a.steps+1)
	}
	return a
}

// pathRows counts the versions on the path that the report shows.
func pathRows(t *testing.T, dir string) (rows int) {
	t.Helper()
	mustTrack(t, dir, "report", "lineage", "l", "-o", "report.md", "--db", "track.db")
	text, err := os.ReadFile(filepath.Join(dir, "report.md"))
	if err != nil {
		t.Fatal(err)
	}
	_, section, _ := strings.Cut(string(text), "## Tree")
	section, _, _ = strings.Cut(section, "\n## ")
	return strings.Count(section, " | path |\n") - strings.Count(section, "| place | path |\n") // without heads
}

// countAncestry follows the parents of the best program.
func countAncestry(best string, parents map[string]string) ancestry {
	a := ancestry{programs: len(parents), best: best}
	for _, parent := range parents {
		if parent != "" {
			a.withParent++
		}
	}
	for id := best; parents[id] != ""; id = parents[id] {
		a.steps++
	}
	return a
}

func ancestryOfOpenEvolve(t *testing.T, folder string) ancestry {
	t.Helper()
	type program struct {
		ID      string         `json:"id"`
		Parent  *string        `json:"parent_id"`
		Metrics map[string]any `json:"metrics"`
	}
	parents, best, most := map[string]string{}, "", -1.0
	for _, line := range linesOfRun(t, filepath.Join(folder, "programs.jsonl"), filepath.Join(folder, "checkpoint_*", "programs", "*.json")) {
		var p program
		if err := json.Unmarshal(line, &p); err != nil {
			t.Fatal(err)
		}
		if parents[p.ID] = ""; p.Parent != nil {
			parents[p.ID] = *p.Parent
		}
		score, scored := p.Metrics["combined_score"].(float64)
		_, timeout := p.Metrics["timeout"]
		_, failed := p.Metrics["error"].(string)
		if scored && !timeout && !failed && p.Metrics["runs_successfully"] != 0.0 && score > most {
			best, most = p.ID, score
		}
	}
	return countAncestry(best, parents)
}

func ancestryOfShinka(t *testing.T, folder string) ancestry {
	t.Helper()
	parents, best, most := map[string]string{}, "", -1.0
	for _, line := range linesOfRun(t, filepath.Join(folder, "programs.jsonl")) {
		var p struct {
			Generation int     `json:"generation"`
			Parent     *int    `json:"parent_generation"`
			Correct    bool    `json:"correct"`
			Score      float64 `json:"combined_score_rounded"`
		}
		if err := json.Unmarshal(line, &p); err != nil {
			t.Fatal(err)
		}
		id := fmt.Sprint(p.Generation)
		if parents[id] = ""; p.Parent != nil {
			parents[id] = fmt.Sprint(*p.Parent)
		}
		if p.Correct && p.Score > most {
			best, most = id, p.Score
		}
	}
	return countAncestry(best, parents)
}

// ancestryOfGEPA reads what another reader of pickles found in the state.
func ancestryOfGEPA(t *testing.T, folder string) ancestry {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(folder, "expected.json"))
	if err != nil {
		t.Fatal(err)
	}
	var expected struct {
		Candidates int `json:"n_candidates"`
		Best       int `json:"best"`
		Depth      int `json:"depth_of_best"`
		Proposals  int `json:"n_proposals"`
	}
	if err := json.Unmarshal(text, &expected); err != nil {
		t.Fatal(err)
	}
	return ancestry{programs: expected.Candidates, withParent: expected.Proposals, best: fmt.Sprint(expected.Best), steps: expected.Depth}
}

// linesOfRun returns the programs in the files of patterns: one a line, or one a file.
func linesOfRun(t *testing.T, patterns ...string) (list [][]byte) {
	t.Helper()
	for _, pattern := range patterns {
		files, err := filepath.Glob(pattern)
		if err != nil {
			t.Fatal(err)
		}
		for _, file := range files {
			text, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			for line := range strings.Lines(string(text)) {
				list = append(list, []byte(line))
			}
		}
	}
	return list
}
