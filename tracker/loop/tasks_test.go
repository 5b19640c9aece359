package loop

import (
	"strings"
	"testing"

	"track/answer"
	"track/evolution"
)

func TestParseTasks(t *testing.T) {
	tasks, err := ParseTasks("t", "tone\n\n  sums \n{\"id\": \"d-1\", \"prompt\": \"dates\"}\n{\"task\": \"x\", \"id\": \"y\"}\r\n")
	var names []string
	for _, task := range tasks {
		names = append(names, task.Name)
	}
	if got := strings.Join(names, " "); err != nil || got != "tone sums d-1 x" || string(tasks[2].Input) != `{"id": "d-1", "prompt": "dates"}` || tasks[0].Input != nil {
		t.Errorf("%s, %v, %s", got, err, tasks[2].Input)
	}
	for text, want := range map[string]string{
		"":                       "t: has no task: write one a line",
		"\n \n":                  "t: has no task: write one a line",
		"a\nb\na":                "t:3: task a is duplicated: line 1 has it, too",
		`{"prompt": "x"}`:        "t:1: task: is missing",
		`{"task": 1}`:            "t:1: task: ",
		"a\n{":                   "t:2: ",
		strings.Repeat("x", 3e6): "t:1: task: ",
	} {
		if _, err := ParseTasks("t", text); err == nil || !strings.HasPrefix(err.Error(), want) || len(err.Error()) > 1000 {
			t.Errorf("%.40q: %.200v, want %s", text, err, want)
		}
	}
}

func FuzzParseTasks(f *testing.F) {
	f.Add("a\nb\n")
	f.Add(`{"task": "x"}`)
	f.Fuzz(func(t *testing.T, text string) {
		tasks, err := ParseTasks("t", text)
		seen := map[string]bool{}
		for _, task := range tasks {
			if seen[task.Name] || task.Name == "" {
				t.Errorf("task %q is empty or duplicated", task.Name)
			}
			seen[task.Name] = true
		}
		if (err == nil) != (len(tasks) > 0) {
			t.Errorf("%d tasks, %v", len(tasks), err)
		}
	})
}

// Both sides try the same tasks, in pairs of which the drawn side comes first, and only what is missing.
func TestPlanPairs(t *testing.T) {
	order := evolution.TaskOrder{Draw: evolution.Draw{U: 0.9}, Tasks: []string{"a", "b"}}
	var step answer.Next
	step.Mutation = "m"
	for range 3 {
		step.Trials = append(step.Trials, answer.PlannedTrial{Side: "child"}, answer.PlannedTrial{Side: "parent"})
	}
	keys := func(planned []trial) string {
		var got []string
		for _, p := range planned {
			got = append(got, p.Key+" "+p.Version+" "+p.Task)
		}
		return strings.Join(got, ", ")
	}
	got := keys(planPairs(step, order, "v002", "v001", map[string]bool{"m/parent/1": true}))
	want := "m/child/1 v002 a, m/child/2 v002 b, m/parent/2 v001 b, m/parent/3 v001 a, m/child/3 v002 a, m/parent/4 v001 b"
	if got != want {
		t.Errorf("%s, want %s", got, want)
	}
	// The parent has done b, and x, which is not in the list: a half of b, and a whole pair.
	step.Trials = []answer.PlannedTrial{{Side: "child", Key: "b"}, {Side: "child", Key: "x"}}
	want = "m/child/4 v002 b, m/child/1 v002 a, m/parent/2 v001 b"
	if got := keys(planPairs(step, order, "v002", "v001", map[string]bool{"m/child/2": true, "m/parent/1": true})); got != want {
		t.Errorf("%s, want %s", got, want)
	}
}
