package agents_test

import (
	"testing"

	"track"
	"track/answer"
	"track/evolution"
	"track/internal/lineagetest"
	"track/internal/testdb"
	"track/tracker/agents"
)

// TestListExecutionsByGrade checks that a filter for a grade finds what the list shows with it: a score on a scale of
// its own has no grade, although one is stored.
func TestListExecutionsByGrade(t *testing.T) {
	t.Parallel()
	st := testdb.New(t)
	recordExecution(t, st, track.Execution{Key: "graded", Source: "codex", Lineage: "graded", Version: "v1", Score: pointer(95.0)}, false)
	l := lineagetest.New(t, st, func(s *evolution.Settings) { *s = s.WithScale(evolution.Scale{Points: 1}) })
	l.Run("v001", 95, 96, 97)
	list := func(q answer.ExecutionsQuestion) answer.Executions {
		t.Helper()
		a, err := agents.ListExecutions(t.Context(), st.Reader, q)
		if err != nil {
			t.Fatal(err)
		}
		return a
	}
	all := list(answer.ExecutionsQuestion{})
	if n := len(all.Items); n != 4 || all.Items[0].Grade != "" || all.Items[3].Grade != "A+" {
		t.Errorf("%d executions: %+v", n, all.Items)
	}
	// Of 2 rows a page, the first two executions with the stored grade are left out.
	if best := list(answer.ExecutionsQuestion{Grade: "A+", Page: answer.Page{Limit: 1}}); len(best.Items) != 1 || best.Items[0].Lineage != "graded" || best.Next != "" {
		t.Errorf("with grade A+: %+v", best)
	}
}
