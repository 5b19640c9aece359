package lineages_test

import (
	"math"
	"testing"

	"track/answer"
	"track/internal/testdb"
	"track/tracker/lineages"
)

// TestListStanding lists a lineage with its gain over the root and its replay: 80 of the trials after the choice, if
// there are two of them, less 55 of the root.
func TestListStanding(t *testing.T) {
	t.Parallel()
	l := newLoop(t, testdb.New(t), nil)
	l.Run("v001", 50, 60, 55)
	l.Evolve("German", 70, 81, 74)
	list := func() answer.LineageStanding {
		t.Helper()
		a, err := lineages.ListLineages(t.Context(), l.Store.Reader, answer.LineagesQuestion{Standing: true})
		if err != nil || len(a.Items) != 1 || a.Items[0].Standing == nil {
			t.Fatalf("%+v, %v", a, err)
		}
		return *a.Items[0].Standing
	}
	s := list()
	if s.Root != "v001" || s.Gain == nil || math.Abs(*s.Gain-20) > 1e-9 || s.CI == nil || s.NHead != 3 || s.NRoot != 3 {
		t.Errorf("the gain is %+v, not 75 less 55 with an interval", s)
	}
	if !s.Replayed || s.Decisions != 1 || s.Verified != 1 || s.Differences != 0 {
		t.Errorf("the replay is %+v", s)
	}
	l.Run("v002", 90, 70)
	if s = list(); s.Gain == nil || math.Abs(*s.Gain-25) > 1e-9 || s.NHead != 2 {
		t.Errorf("with two trials after the choice the gain is %+v, not 80 less 55", s)
	}
	a, err := lineages.ListLineages(t.Context(), l.Store.Reader, answer.LineagesQuestion{})
	if err != nil || a.Items[0].Standing != nil {
		t.Errorf("the standing is there unasked: %+v, %v", a, err)
	}
}
