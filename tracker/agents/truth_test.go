package agents_test

import (
	"crypto/rand"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"os"
	"testing"

	"track"
	"track/importer/taubench"
	"track/internal/testdb"
	"track/scoring/rubric"
	"track/store"
	"track/tracker/agents"
)

// What the score is worth on 64 real episodes with a true reward: docs/reference/rubric.md prints these figures.
func TestScoresAgainstTruth(t *testing.T) {
	const path = "../../../shared/data/agents/tau-bench/gpt-4o-airline-tasks-0-15.json"
	file, err := os.Open(path)
	if errors.Is(err, fs.ErrNotExist) {
		t.Skipf("the tau-bench episodes are not here: %v", err)
	}
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	st := testdb.New(t)
	recorder := agents.NewRecorder(st, agents.Options{}, rand.Reader)
	for item, err := range taubench.Read(path, file) {
		if err != nil || item.Execution == nil {
			t.Fatalf("%+v: %v", item, err)
		}
		item.Execution.Lineage = "airline"
		if _, err := recorder.Record(t.Context(), []track.Execution{*item.Execution}, false); err != nil {
			t.Fatal(err)
		}
	}
	r, err := rubric.ByName(rubric.Default)
	if err != nil {
		t.Fatal(err)
	}
	stored, err := st.Trials(t.Context(), "airline", store.TrialFilter{Truth: "reward", Rubric: r.Name, Components: true})
	if err != nil {
		t.Fatal(err)
	}
	var trials []rubric.Trial
	for _, s := range stored {
		if s.Score == nil {
			continue
		}
		trial := rubric.Trial{Task: s.Task, Success: *s.Truth >= 1, Score: *s.Score, Components: map[string]*float64{}}
		for _, c := range s.Components {
			trial.Components[c.Name] = c.Value
		}
		trials = append(trials, trial)
	}
	check, err := rubric.CheckTruth(r, trials, 0.95)
	if err != nil {
		t.Fatal(err)
	}
	got := fmt.Sprintf("%d trials, %d successes, %d tasks, %d pairs, noise %.2f, within %.2f, between %.2f\n",
		check.NTrials, check.NSuccess, check.NTasks, check.NPairs, check.MeanAbsDifference, check.WithinSD, check.BetweenSD)
	for _, s := range check.Separations {
		if !math.IsNaN(s.AUC.Value) {
			got += fmt.Sprintf("%s: %.3f, %.3f to %.3f (%d and %d)\n", s.Name, s.AUC.Value, s.AUC.Interval.Lo, s.AUC.Interval.Hi, s.NSuccess, s.NFailure)
		}
	}
	const want = `64 trials, 14 successes, 16 tasks, 96 pairs, noise 7.07, within 7.01, between 7.03
score: 0.551, 0.367 to 0.735 (14 and 50)
tool_success_rate: 0.508, 0.331 to 0.685 (13 and 40)
output_quality: 0.514, 0.401 to 0.627 (14 and 50)
one_minus_error_rate: 0.518, 0.376 to 0.660 (14 and 50)
structure_score: 0.439, 0.291 to 0.586 (14 and 50)
`
	if got != want {
		t.Errorf("got\n%swant\n%s", got, want)
	}
}
