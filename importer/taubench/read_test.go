package taubench_test

import (
	"bytes"
	"strings"
	"testing"

	"track/importer/importertest"
	"track/importer/taubench"
)

func TestRead(t *testing.T) {
	importertest.Goldens(t, taubench.Read, "episodes.json")
}

// The counts are those of the README beside the real file.
func TestReadReal(t *testing.T) {
	items, err := importertest.Collect(t, taubench.Read("f", importertest.Real(t, "tau-bench/gpt-4o-airline-tasks-0-15.json")))
	if err != nil || len(importertest.Skips(items)) > 0 {
		t.Fatal(err, importertest.Skips(items))
	}
	rewarded, results, failed, idle := 0, 0, 0, 0
	trials, keys := map[string]int{}, map[string]bool{}
	for _, e := range importertest.Executions(items) {
		trials[e.Task]++
		keys[e.Key] = true
		if e.Truths["reward"] == 1 {
			rewarded++
		}
		if len(e.Calls) == 0 {
			idle++
		}
		for _, c := range e.Calls {
			if c.Answered {
				results++
			}
			if c.Error != "" {
				failed++
			}
		}
	}
	if len(items) != 64 || rewarded != 14 || results != 431 || failed != 50 || idle != 11 || len(trials) != 16 || trials["7"] != 4 || len(keys) != 64 {
		t.Errorf("%d episodes, %d rewarded, %d results, %d failed, %d without calls, %d tasks, %d keys", len(items), rewarded, results, failed, idle, len(trials), len(keys))
	}
}

func TestReadOddities(t *testing.T) {
	importertest.Oddities(t, taubench.Read, map[string]string{
		"":                             "",
		" \n":                          "",
		"[]":                           "",
		"[":                            "skip f:1: the array is cut off\n",
		"{}":                           "skip f:1: no array of episodes begins here\n",
		`[{"task_id":1},{"x":1}]`:      "skip f:1: an episode without task_id\n",
		"[7,\n{\"task_id\":\"a\"}\n]x": "skip f:1: no record begins here\n",
	})
}

// An element that is longer than 64 MiB is left out; those behind it are read.
func TestReadLong(t *testing.T) {
	long := `[{"task_id":1,"traj":[{"role":"assistant","content":"` + strings.Repeat("x", 70<<20) + `"}]},` + "\n" + `{"task_id":2}]`
	items, err := importertest.ReadBytes(t, taubench.Read, []byte(long))
	if err != nil || len(items) != 2 || items[0].Skip == nil || items[0].Skip.Reason != "longer than 64 MiB" || items[1].Execution.Task != "2" || items[1].Line != 2 {
		t.Errorf("%s, %v", importertest.Render(items...), err)
	}
}

func TestDamage(t *testing.T) {
	importertest.Damage(t, taubench.Read, importertest.Fixture(t, "episodes.json"), false)
}

func FuzzRead(f *testing.F) {
	importertest.Fuzz(f, taubench.Read, importertest.Fixture(f, "episodes.json"))
}

func BenchmarkRead(b *testing.B) {
	importertest.Benchmark(b, taubench.Read, many(importertest.Fixture(b, "episodes.json")))
}

// many repeats the elements of an array.
func many(array []byte) []byte {
	inner := bytes.TrimSuffix(bytes.TrimPrefix(bytes.TrimSpace(array), []byte("[")), []byte("]"))
	return []byte("[" + strings.TrimSuffix(strings.Repeat(string(inner)+",", 300), ",") + "]")
}
