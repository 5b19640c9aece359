package sweagent_test

import (
	"fmt"
	"strings"
	"testing"

	"track/importer/importertest"
	"track/importer/sweagent"
)

var fixtures = []string{"org__repo-7.traj", "old.traj", "mini.traj.json", "bare.traj.json"}

func TestRead(t *testing.T) {
	for _, name := range fixtures {
		items, err := importertest.Collect(t, sweagent.Read(name, strings.NewReader(string(importertest.Fixture(t, name)))))
		if err != nil {
			t.Fatal(err)
		}
		importertest.Golden(t, items, name+".golden")
	}
}

// The counts are those of the README beside the real files: steps, exit statuses of commands, and model_stats. A replay
// that sent no token has neither tokens nor cost. The last answer of the list is a submission, the tenth command.
func TestReadReal(t *testing.T) {
	for file, want := range map[string]string{
		"marshmallow-1867-function_calling_replace.traj": "11 calls, 11 answered, 11 timed, 0 exits, 0 failed, tokens ?, cost ?, 587 bytes of output",
		"pydicom-1458-gpt4.traj":                         "12 calls, 12 answered, 0 timed, 0 exits, 0 failed, tokens 122612 1369, cost 1.26719, 803 bytes of output",
		"ctf-crypto-katy.traj":                           "18 calls, 18 answered, 0 timed, 0 exits, 0 failed, tokens ?, cost ?, 9 bytes of output",
		"mini-github_issue.traj.json":                    "10 calls, 10 answered, 0 timed, 9 exits, 2 failed, tokens ?, cost ?, 429 bytes of output",
	} {
		items, err := importertest.Collect(t, sweagent.Read(file, importertest.Real(t, "swe-agent-traj/"+file)))
		executions := importertest.Executions(items)
		if err != nil || len(executions) != 1 || len(items) != 1 || items[0].Open {
			t.Fatalf("%s: %s, %v", file, importertest.Render(items...), err)
		}
		e := executions[0]
		answered, timed, exits, failed, tokens, cost := 0, 0, 0, 0, "?", "?"
		for _, c := range e.Calls {
			if c.Answered {
				answered++
			}
			if c.Duration != nil {
				timed++
			}
			if c.Exit != nil {
				exits++
			}
			if c.Failed() {
				failed++
			}
		}
		if e.Tokens != nil {
			tokens = fmt.Sprint(*e.Tokens.Input, " ", *e.Tokens.Output)
		}
		if e.CostUSD != nil {
			cost = fmt.Sprint(*e.CostUSD)
		}
		got := fmt.Sprintf("%d calls, %d answered, %d timed, %d exits, %d failed, tokens %s, cost %s, %d bytes of output",
			len(e.Calls), answered, timed, exits, failed, tokens, cost, len(*e.Output))
		task := strings.TrimSuffix(strings.TrimSuffix(file, ".json"), ".traj")
		if strings.HasPrefix(task, "marshmallow") { // which names its instance
			task = "marshmallow-code__marshmallow-1867"
		}
		if got != want || e.Task != task {
			t.Errorf("%s, task %s: got  %s\nwant %s", file, e.Task, got, want)
		}
	}
}

// A trajectory that is written anew after each step keeps its key, and is open until it has an exit status.
func TestReadGrowing(t *testing.T) {
	whole := string(importertest.Fixture(t, "org__repo-7.traj"))
	head, _, _ := strings.Cut(whole, `  "action": "sed`)
	grown := strings.TrimRight(strings.TrimSuffix(strings.TrimSpace(head), "{"), ", \n") + `], "history": [], "info": {}, "environment": "main"}`
	early, err := importertest.ReadBytes(t, sweagent.Read, []byte(grown))
	late, err2 := importertest.ReadBytes(t, sweagent.Read, []byte(whole))
	if err != nil || err2 != nil || len(early) != 1 || !early[0].Open || late[0].Open || early[0].Execution.Key != late[0].Execution.Key || len(early[0].Execution.Calls) != 2 {
		t.Errorf("early %s late %s %v %v", importertest.Render(early...), importertest.Render(late...), err, err2)
	}
}

// A trajectory whose steps have no times keeps its key when it grows; one that begins otherwise has another.
func TestReadGrowingWithoutTimes(t *testing.T) {
	key := func(text string) string {
		items, err := importertest.ReadBytes(t, sweagent.Read, []byte(text))
		if err != nil || len(items) != 1 {
			t.Fatal(text, importertest.Render(items...), err)
		}
		return items[0].Execution.Key
	}
	for name, c := range map[string]struct{ begin, more, other, end string }{
		"steps": {
			`{"trajectory":[{"action":"ls","observation":"a"}`, `,{"action":"cat a","observation":"b"}`, `{"trajectory":[{"action":"pwd","observation":"/"}`, `],"environment":"main"}`,
		},
		"messages": {
			`{"messages":[{"role":"user","content":"fix it"},{"role":"assistant","content":"I look."}`, `,{"role":"user","content":"no command"}`,
			`{"messages":[{"role":"user","content":"fix it"},{"role":"assistant","content":"I think."}`, `],"info":{}}`,
		},
	} {
		early, late, other := key(c.begin+c.end), key(c.begin+c.more+c.end), key(c.other+c.end)
		if early != late || early == other {
			t.Errorf("%s: %s, grown %s, another %s", name, early, late, other)
		}
	}
}

func TestReadStatus(t *testing.T) {
	for status, want := range map[string]string{
		"submitted": "ok ", "submitted (exit_cost)": "ok exit status: submitted (exit_cost)", "exit_cost": "ok exit status: exit_cost",
		"exit_format": "error exit status: exit_format", "TimeExceeded": "timeout exit status: TimeExceeded", "RuntimeError": "error exit status: RuntimeError",
	} {
		text := `{"trajectory":[{"action":"ls","observation":"a"}],"info":{"exit_status":"` + status + `"},"environment":"main"}`
		items, err := importertest.ReadBytes(t, sweagent.Read, []byte(text))
		if err != nil || len(items) != 1 {
			t.Fatal(status, items, err)
		}
		if e := items[0].Execution; string(e.Status)+" "+e.Message != want {
			t.Errorf("%s: %s %s, want %s", status, e.Status, e.Message, want)
		}
	}
}

func TestReadOddities(t *testing.T) {
	importertest.Oddities(t, sweagent.Read, map[string]string{
		"":                                      "",
		"{\"environment\":1}":                   "skip f:1: a trajectory without steps or messages\n",
		"{\"environment\":1,\n\"trajectory\":[": "skip f:2: the array is cut off\nskip f:2: the document is cut off\n",
		"7\n{\"environment\":1,\"trajectory\":[]}": "skip f:1: damaged: no document continues here\n",
	})
}

// A step that is longer than 64 MiB is left out; those behind it are read.
func TestReadLong(t *testing.T) {
	long := `{"environment":"main","trajectory":[{"action":"a","observation":"` + strings.Repeat("x", 70<<20) + `"},` + "\n" + `{"action":"ls","observation":"b"}]}`
	items, err := importertest.ReadBytes(t, sweagent.Read, []byte(long))
	if err != nil || len(items) != 2 || items[0].Skip == nil || items[0].Skip.Reason != "longer than 64 MiB" || len(items[1].Execution.Calls) != 1 {
		t.Errorf("%d items, %v", len(items), err)
	}
}

func TestDamage(t *testing.T) {
	for _, name := range []string{"org__repo-7.traj", "mini.traj.json", "bare.traj.json"} {
		t.Run(name, func(t *testing.T) { importertest.DamageDocument(t, sweagent.Read, importertest.Fixture(t, name)) })
	}
}

func FuzzRead(f *testing.F) {
	var seeds [][]byte
	for _, name := range fixtures {
		seeds = append(seeds, importertest.Fixture(f, name))
	}
	importertest.Fuzz(f, sweagent.Read, seeds...)
}

func BenchmarkRead(b *testing.B) {
	importertest.Benchmark(b, sweagent.Read, importertest.Fixture(b, "org__repo-7.traj"))
}
