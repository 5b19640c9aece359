package main

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// A prompt that learns the tasks that decide gains on them and on no other; one that gets better gains on both. The
// noise has a standard deviation of 4 points, each of three steps gains 6, and ten tasks of each kind show the
// difference.
func TestReportShowsOverfitting(t *testing.T) {
	for name, c := range map[string]struct {
		held float64 // gain of a step on holdout tasks
		want string
	}{
		"overfitted": {0, "overfitted: the gain on the tasks that decide does not show on holdout tasks"},
		"better":     {6, "the gain shows on holdout tasks as well"},
	} {
		t.Run(name, func(t *testing.T) {
			dir, random := t.TempDir(), rand.New(rand.NewPCG(7, 18))
			write := func(file, text string) string {
				path := filepath.Join(dir, file)
				if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
					t.Fatal(err)
				}
				return path
			}
			run := func(args ...string) { mustTrack(t, dir, append(args, "--db", "track.db")...) }
			trials := func(version string, decide, held float64) {
				var lines strings.Builder
				for i := range 20 {
					task, score := fmt.Sprint("t", i), 50+decide+4*random.NormFloat64()
					if i >= 10 {
						task, score = fmt.Sprint("h", i), score-decide+held
					}
					fmt.Fprintf(&lines, `{"kind":"execution","lineage":"l","version":%q,"task":%q,"key":"%s-%s","score":%v}`+"\n", version, task, version, task, score)
				}
				run("record", "batch", write(version+".jsonl", lines.String()))
			}
			run("lineage", "new", "l", "--root", write("root.md", "Be brief."), "--seed", "1", "--policy", "threshold", "--score-from", "own")
			for i := 10; i < 20; i++ {
				run("lineage", "set", "l", "--holdout", fmt.Sprint("h", i))
			}
			trials("v001", 0, 0)
			for step := 1; step <= 3; step++ {
				id := fmt.Sprint("m-", step)
				run("mutation", "propose", "--lineage", "l", "--child", write("child.md", fmt.Sprint("Be brief, step ", step)), "--operator", "example_inject", "--id", id)
				trials(fmt.Sprintf("v%03d", step+1), 6*float64(step), c.held*float64(step))
				run("mutation", "decide", "--lineage", "l", id)
			}
			run("replay", "--lineage", "l", "--strict")
			run("report", "lineage", "l", "-o", "report.md")
			text, err := os.ReadFile(filepath.Join(dir, "report.md"))
			if err != nil || !strings.Contains(string(text), "## Holdout tasks") || !strings.Contains(string(text), c.want) ||
				!strings.Contains(string(text), "40 trials of holdout tasks never decided") {
				t.Errorf("%v\n%s", err, text[:min(len(text), 6000)])
			}
		})
	}
}
