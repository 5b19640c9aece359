package openevolve

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"

	"track/importer"
	"track/importer/importertest"
)

// best is the program that all checkpoints of the MetaGPT run from the second call the best of the run. It ran into a
// timeout.
const best = "1f451222-ee8d-48c8-9db6-3aae2fe7139e"

// metagpt reads the union of the checkpoints of the MetaGPT run.
func metagpt(t *testing.T) importer.Run {
	t.Helper()
	return read(t, filepath.Join(importertest.RealRuns(t), "openevolve-metagpt-mast"))
}

func byID(run importer.Run) map[string]importer.Program {
	programs := map[string]importer.Program{}
	for _, p := range run.Programs {
		programs[p.ID] = p
	}
	return programs
}

// orphans returns how many programs have a parent that no file has.
func orphans(run importer.Run) int {
	n := 0
	for _, p := range run.Programs {
		if slices.ContainsFunc(p.Parents, func(id string) bool { return slices.Contains(run.Lost, id) }) {
			n++
		}
	}
	return n
}

// The counts are those of the README beside the data, and of its lines read with a few lines of Python.
func TestRealMetaGPT(t *testing.T) {
	run := metagpt(t)
	failed, operators, roots := map[string]int{}, map[string]int{}, 0
	for i, p := range run.Programs {
		failed[p.Failed]++
		operators[p.Operator]++
		if len(p.Parents) == 0 {
			roots++
		}
		if p.Failed == importer.FailedTimeout && (p.Score != nil || *p.Partial != 0.5) {
			t.Errorf("%s: a timeout with score %v, partial %v", p.ID, p.Score, p.Partial)
		}
		if i > 0 && *run.Programs[i-1].Iteration >= *p.Iteration {
			t.Errorf("iteration %d behind %d", *p.Iteration, *run.Programs[i-1].Iteration)
		}
	}
	if len(run.Programs) != 66 || len(run.Skips) != 0 || roots != 1 {
		t.Errorf("%d programs, %d roots, skips %v", len(run.Programs), roots, run.Skips)
	}
	if want := map[string]int{"": 46, "timeout": 19, "error": 1}; !cmp.Equal(failed, want) {
		t.Error(cmp.Diff(want, failed))
	}
	if want := map[string]int{"": 1, "full_rewrite": 65}; !cmp.Equal(operators, want) {
		t.Error(cmp.Diff(want, operators))
	}
	if want := []string{"80aee068-239e-4995-97d8-62a38eadf047", "f35d3af4-9666-44aa-9c08-1996cd9e7d8f"}; !cmp.Equal(run.Lost, want) || orphans(run) != 2 {
		t.Errorf("lost %v by %d", run.Lost, orphans(run))
	}
}

// The source calls a timeout the best of the run, by the score of the stage before; the best that was measured is
// another, and far below.
func TestRealBest(t *testing.T) {
	run := metagpt(t)
	highest := 0.0
	for _, p := range run.Programs {
		if p.Best != (p.ID == best) {
			t.Errorf("%s: best %v", p.ID, p.Best)
		}
		if p.Score != nil {
			highest = max(highest, *p.Score)
		}
	}
	if p := byID(run)[best]; p.Failed != importer.FailedTimeout || p.Score != nil || *p.Partial != 0.5 {
		t.Errorf("%+v", p)
	}
	if highest >= 0.5 {
		t.Errorf("a score of %v", highest)
	}
}

// The same code was evaluated twice, to 0.1875 and to a timeout that carries 0.5. Both programs stay what they are;
// as do two more groups.
func TestRealDuplicates(t *testing.T) {
	run := metagpt(t)
	scores := map[string][]string{}
	for _, p := range run.Programs {
		score := p.Failed
		if p.Score != nil {
			score = fmt.Sprint(*p.Score)
		}
		scores[p.Content] = append(scores[p.Content], score)
	}
	var groups []string
	for _, group := range scores {
		if len(group) > 1 {
			groups = append(groups, strings.Join(group, " "))
		}
	}
	slices.Sort(groups)
	if want := []string{"0.1 0.1 0.1", "0.1875 timeout", "timeout timeout"}; !cmp.Equal(groups, want) {
		t.Error(cmp.Diff(want, groups))
	}
}

// The checkpoints from which the union was made, built again from it, merge to the same; each alone has lost more.
func TestRealCheckpoints(t *testing.T) {
	union := metagpt(t)
	files := checkpoints(t)
	merged, err := readDir("", files)
	if err != nil {
		t.Fatal(err)
	}
	importertest.CheckRun(t, merged)
	// The ten checkpoints hold 11, 21 and eight times 30 programs.
	if merged.Checkpoints != 10 || merged.Repeated != 11+21+8*30-66 || merged.Differing != 0 {
		t.Errorf("%d checkpoints, %d repeated, %d differing", merged.Checkpoints, merged.Repeated, merged.Differing)
	}
	for _, run := range []*importer.Run{&union, &merged} {
		run.Checkpoints, run.Repeated = 0, 0
		for i := range run.Programs {
			run.Programs[i].File, run.Programs[i].Line = "f", 0
		}
	}
	if diff := cmp.Diff(importertest.RenderRun(union), importertest.RenderRun(merged)); diff != "" {
		t.Error(diff)
	}
	var lost []int
	for n := 10; n <= 100; n += 10 {
		one, err := files.Sub(fmt.Sprintf("checkpoint_%d", n))
		if err != nil {
			t.Fatal(err)
		}
		run, err := readDir("", one)
		if err != nil {
			t.Fatal(err)
		}
		lost = append(lost, orphans(run))
	}
	if want := []int{0, 0, 1, 2, 2, 11, 13, 14, 16, 12}; !cmp.Equal(lost, want) {
		t.Errorf("orphans %v, want %v", lost, want)
	}
}

// checkpoints builds the checkpoints of the MetaGPT run from their union and the list of what they held.
func checkpoints(t *testing.T) fstest.MapFS {
	t.Helper()
	folder := filepath.Join(importertest.RealRuns(t), "openevolve-metagpt-mast")
	lines := map[string][]byte{}
	for _, line := range realLines(t) {
		lines[line["id"].(string)] = encode(t, line)
	}
	text, err := os.ReadFile(filepath.Join(folder, "checkpoints.json"))
	if err != nil {
		t.Fatal(err)
	}
	var list []struct {
		Checkpoint string   `json:"checkpoint"`
		Best       string   `json:"best_program_id"`
		Programs   []string `json:"programs"`
	}
	if err := json.Unmarshal(text, &list); err != nil {
		t.Fatal(err)
	}
	files := fstest.MapFS{}
	for _, c := range list {
		dir := "checkpoint_" + c.Checkpoint + "/"
		files[dir+"metadata.json"] = &fstest.MapFile{Data: encode(t, map[string]any{"best_program_id": c.Best})}
		for _, id := range c.Programs {
			files[dir+"programs/"+id+".json"] = &fstest.MapFile{Data: lines[id]}
		}
	}
	return files
}

func realLines(t *testing.T) []map[string]any {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(importertest.RealRuns(t), "openevolve-metagpt-mast", "programs.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	var all []map[string]any
	for line := range strings.Lines(string(text)) {
		var program map[string]any
		if err := json.Unmarshal([]byte(line), &program); err != nil {
			t.Fatal(err)
		}
		all = append(all, program)
	}
	return all
}

func encode(t *testing.T, value any) []byte {
	t.Helper()
	text, err := json.Marshal(value)
	if err != nil {
		t.Fatal(err)
	}
	return text
}

// A checkpoint as OpenEvolve left it: 2 programs after 100 iterations.
func TestRealCheckpoint(t *testing.T) {
	for _, path := range []string{"raw-openevolve-arc-checkpoint", "raw-openevolve-arc-checkpoint/checkpoint_100"} {
		run := read(t, filepath.Join(importertest.RealRuns(t), filepath.FromSlash(path)))
		if len(run.Programs) != 2 || len(run.Skips) != 0 || len(run.Lost) != 0 || run.Checkpoints != 1 {
			t.Fatal(importertest.RenderRun(run))
		}
		first, second := run.Programs[0], run.Programs[1]
		if *first.Score != 0 || first.Failed != "" || first.Best || *second.Score != 1 || !second.Best || !cmp.Equal(second.Parents, []string{first.ID}) {
			t.Error(importertest.RenderRun(run))
		}
		if second.Operator != "diff" || second.Title != "Change 1: Replace 31 lines with 96 lines" || second.Metrics["train_example_3_attempt_1"] != 1 || *second.Iteration != 2 {
			t.Errorf("%q %q %v", second.Operator, second.Title, second.Metrics)
		}
	}
}
