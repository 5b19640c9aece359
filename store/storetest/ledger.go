package storetest

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"track"
	"track/evolution"
	"track/store"
)

// evolve begins a ledger with n contents, v001 and so on.
func evolve(t testing.TB, st *store.Store, name string, n int) (l store.Evolving) {
	t.Helper()
	update(t, st, func(tx *store.Tx) (err error) {
		if l, err = tx.Evolve(name, 1<<63+7, "agent"); err != nil {
			return err
		}
		for i := range n {
			if _, _, err := tx.AddContent(l.ID, fmt.Sprint("content ", i)); err != nil {
				return err
			}
		}
		return nil
	})
	return l
}

func appendEntry(t testing.TB, st *store.Store, l store.Evolving, e evolution.Entry) {
	t.Helper()
	update(t, st, func(tx *store.Tx) error { return tx.Append(l.ID, e) })
}

func evolving(t testing.TB, st *store.Store, name string) store.Evolving {
	t.Helper()
	l, err := st.Evolving(t.Context(), name)
	if err != nil {
		t.Fatal(err)
	}
	return l
}

// Entries come back whole, in their order, by what they are about; the end and the head of the lineage move with each.
func testLedger(t *testing.T, st *store.Store) {
	checkNoLedger(t, st)
	l, other := evolve(t, st, "l", 3), evolve(t, st, "other", 1)
	if got := evolving(t, st, "l"); got != (store.Evolving{ID: l.ID, Name: "l", Seed: 1<<63 + 7, Subject: "agent"}) {
		t.Errorf("%+v", got)
	}
	if names, err := st.EvolvingNames(t.Context()); err != nil || !slices.Equal(names, []string{"l", "other"}) {
		t.Errorf("%v %v", names, err)
	}
	if newest, err := st.NewestEntries(t.Context(), l, evolution.KindCreation); len(newest) > 0 || err != nil {
		t.Errorf("an entry of an empty ledger, %v", err)
	}
	want := fillLedger(t, st, l, other)
	checkEntries(t, st, l, want)
	checkHeadChanges(t, st, l)
	checkNewestEntries(t, st, l)
}

// checkNoLedger asks for lineages that have none.
func checkNoLedger(t *testing.T, st *store.Store) {
	t.Helper()
	if _, err := st.Evolving(t.Context(), "l"); !errors.Is(err, track.ErrNotFound) || !strings.Contains(fmt.Sprint(track.Hints(err)), "lineage new l") {
		t.Errorf("no lineage: %v, %q", err, track.Hints(err))
	}
	update(t, st, func(tx *store.Tx) error {
		_, err := tx.AddVersion(track.Version{Lineage: "recorded", Name: "v1"}, false)
		return err
	})
	if _, err := st.Evolving(t.Context(), "recorded"); !errors.Is(err, track.ErrNotFound) || !strings.Contains(err.Error(), "no ledger yet") {
		t.Errorf("a lineage without a ledger: %v", err)
	}
}

// fillLedger appends entries of several kinds to a lineage, whose end and head move with each, and one to another.
func fillLedger(t *testing.T, st *store.Store, l, other store.Evolving) (want []evolution.Entry) {
	t.Helper()
	at := time.Date(2026, 1, 2, 3, 4, 5, 678901000, time.UTC)
	zero, one := 0, 1
	for i, e := range []evolution.Entry{
		{Kind: evolution.KindCreation, HeadAfter: "v001"},
		{Kind: evolution.KindProposal, Mutation: "m", HeadBefore: "v001", HeadAfter: "v001"},
		{Kind: evolution.KindDecision, Mutation: "m", Attempt: &zero, HeadBefore: "v001", HeadAfter: "v001"},
		{Kind: evolution.KindSettings, HeadBefore: "v001", HeadAfter: "v001"},
		{Kind: evolution.KindDecision, Mutation: "m", Attempt: &one, HeadBefore: "v001", HeadAfter: "v002"},
		{Kind: evolution.KindDecision, Mutation: "n", Attempt: &zero, HeadBefore: "v002", HeadAfter: "v002"},
		{Kind: evolution.KindRollback, HeadBefore: "v002", HeadAfter: "v001"},
	} {
		e.Lineage, e.Number, e.At, e.Body = "l", i+1, at.Add(-time.Duration(i)*time.Microsecond), fmt.Appendf(nil, `{"n":%d,"text":"<&> ä"}`, i)
		e.Prev, e.Hash = fmt.Sprint("h", i), fmt.Sprint("h", i+1)
		appendEntry(t, st, l, e)
		want = append(want, e)
		if got := evolving(t, st, "l"); got.Head != e.HeadAfter || got.End != (evolution.Head{Number: e.Number, Hash: e.Hash}) {
			t.Errorf("after entry %d: %+v", e.Number, got)
		}
	}
	appendEntry(t, st, other, evolution.Entry{Lineage: "other", Number: 1, Kind: evolution.KindDecision, Mutation: "m", Attempt: &zero, At: at, Body: []byte("{}"), Hash: "x"})
	return want
}

// checkEntries asks for entries by what they are about.
func checkEntries(t *testing.T, st *store.Store, l store.Evolving, want []evolution.Entry) {
	t.Helper()
	decisions := []evolution.Kind{evolution.KindDecision}
	for name, c := range map[string]struct {
		filter store.EntryFilter
		want   []int
	}{
		"all":                {store.EntryFilter{}, []int{1, 2, 3, 4, 5, 6, 7}},
		"newest":             {store.EntryFilter{Newest: 2}, []int{7, 6}},
		"decisions":          {store.EntryFilter{Kinds: decisions}, []int{3, 5, 6}},
		"two kinds":          {store.EntryFilter{Kinds: []evolution.Kind{evolution.KindRollback, evolution.KindCreation}}, []int{1, 7}},
		"a mutation":         {store.EntryFilter{Mutations: []string{"m"}}, []int{2, 3, 5}},
		"its decisions":      {store.EntryFilter{Mutations: []string{"m"}, Kinds: decisions}, []int{3, 5}},
		"its newest":         {store.EntryFilter{Mutations: []string{"m"}, Kinds: decisions, Newest: 1}, []int{5}},
		"heads":              {store.EntryFilter{Moved: true}, []int{1, 5, 7}},
		"the last head":      {store.EntryFilter{Moved: true, Newest: 1}, []int{7}},
		"after":              {store.EntryFilter{After: 5}, []int{6, 7}},
		"no such mutation":   {store.EntryFilter{Mutations: []string{"x"}}, nil},
		"of none of a kind":  {store.EntryFilter{Kinds: []evolution.Kind{evolution.KindWithdrawal}}, nil},
		"heads after, newer": {store.EntryFilter{Moved: true, After: 5, Kinds: decisions}, nil},
	} {
		got, err := st.Entries(t.Context(), l, c.filter)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		expected := []evolution.Entry{}
		for _, n := range c.want {
			expected = append(expected, want[n-1])
		}
		if diff := cmp.Diff(expected, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
}

func checkHeadChanges(t *testing.T, st *store.Store, l store.Evolving) {
	t.Helper()
	changes, err := st.HeadChanges(t.Context(), l)
	wantChanges := []store.HeadChange{
		{Number: 1, Kind: evolution.KindCreation, After: "v001"}, {Number: 5, Kind: evolution.KindDecision, Mutation: "m", Before: "v001", After: "v002"},
		{Number: 7, Kind: evolution.KindRollback, Before: "v002", After: "v001"},
	}
	if diff := cmp.Diff(wantChanges, changes); diff != "" || err != nil {
		t.Errorf("%v (-want +got):\n%s", err, diff)
	}
}

func checkNewestEntries(t *testing.T, st *store.Store, l store.Evolving) {
	t.Helper()
	newest, err := st.NewestEntries(t.Context(), l, evolution.KindDecision, evolution.KindSettings, evolution.KindCreation, evolution.KindRefusal, evolution.KindProposal)
	got := map[evolution.Kind]int{}
	for kind, e := range newest {
		got[kind] = e.Number
		if e.Kind != kind || e.Lineage != l.Name {
			t.Errorf("%s: %+v", kind, e)
		}
	}
	want := map[evolution.Kind]int{evolution.KindDecision: 6, evolution.KindSettings: 4, evolution.KindCreation: 1, evolution.KindProposal: 2}
	if diff := cmp.Diff(want, got); diff != "" || err != nil {
		t.Errorf("%v (-want +got):\n%s", err, diff)
	}
}

// A number is taken once, and so is an attempt at a mutation: two who decide at once cannot both have it.
func testAttempts(t *testing.T, st *store.Store) {
	l := evolve(t, st, "l", 1)
	zero, one := 0, 1
	decision := func(number int, mutation string, attempt *int) evolution.Entry {
		return evolution.Entry{
			Lineage: "l", Number: number, Kind: evolution.KindDecision, Mutation: mutation, Attempt: attempt, At: time.Unix(1, 0).UTC(), Body: []byte("{}"), HeadAfter: "v001",
			Hash: fmt.Sprint("h", number),
		}
	}
	appendEntry(t, st, l, decision(1, "m", &zero))
	for name, e := range map[string]evolution.Entry{"the number": decision(1, "n", &zero), "the attempt": decision(2, "m", &zero)} {
		if err := st.Update(t.Context(), func(tx *store.Tx) error { return tx.Append(l.ID, e) }); err == nil {
			t.Errorf("%s is there twice", name)
		}
	}
	if got := evolving(t, st, "l"); got.End != (evolution.Head{Number: 1, Hash: "h1"}) {
		t.Errorf("%+v after what was refused", got)
	}
	for i, e := range []evolution.Entry{decision(2, "m", &one), decision(3, "n", &zero), decision(4, "m", nil), decision(5, "m", nil)} {
		if err := st.Update(t.Context(), func(tx *store.Tx) error { return tx.Append(l.ID, e) }); err != nil {
			t.Errorf("%d: %v", i, err)
		}
	}
}

// Mutations come back whole; a key and a number name one in its lineage.
func testMutations(t *testing.T, st *store.Store) {
	l, other := evolve(t, st, "l", 4), evolve(t, st, "other", 2)
	cost, delta := 0.25, -1.5
	at := time.Date(2026, 1, 2, 3, 4, 5, 678901000, time.UTC)
	first := store.Mutation{
		Key: "a", Number: 1, Parents: []string{"v002", "v001"}, Child: "v003", Operator: "o", Risk: evolution.High, Note: "n", CostUSD: &cost, Source: "shinka",
		State: evolution.MutationProposed, ProposedAt: at,
	}
	second := store.Mutation{Key: "b", Number: 2, Parents: []string{"v001"}, Child: "v002", Operator: "p", Risk: evolution.Low, State: evolution.MutationRefused, ProposedAt: at.Add(time.Microsecond)}
	orphan := store.Mutation{Key: "c", Number: 3, Child: "v004", Operator: "o", Risk: evolution.Medium, State: evolution.MutationContinued, ProposedAt: at.Add(time.Hour)}
	foreign := store.Mutation{Key: "a", Number: 1, Parents: []string{"v001"}, Child: "v002", Operator: "o", Risk: evolution.Low, State: evolution.MutationProposed, ProposedAt: at}
	update(t, st, func(tx *store.Tx) error {
		return errors.Join(tx.AddMutation(l, first), tx.AddMutation(l, second), tx.AddMutation(l, orphan), tx.AddMutation(other, foreign))
	})
	got, err := st.Mutation(t.Context(), l, "a")
	if err != nil {
		t.Fatal(err)
	}
	first.ID = got.ID
	if diff := cmp.Diff(first, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	for name, m := range map[string]store.Mutation{
		"the key": {Key: "a", Number: 9, Child: "v001", Risk: evolution.Low, State: evolution.MutationProposed}, "the number": {Key: "z", Number: 3, Child: "v001", Risk: evolution.Low, State: evolution.MutationProposed},
	} {
		if err := st.Update(t.Context(), func(tx *store.Tx) error { return tx.AddMutation(l, m) }); err == nil {
			t.Errorf("%s is there twice", name)
		}
	}
	first.State, first.NAttempts, first.Delta = evolution.MutationRejected, 2, &delta
	update(t, st, func(tx *store.Tx) error { return tx.SetMutationState(first) })
	if got, err := st.Mutation(t.Context(), l, "a"); err != nil || !cmp.Equal(got, first) {
		t.Errorf("%v %s", err, cmp.Diff(first, got))
	}
	checkMutations(t, st, l, at)
	if n, err := st.NMutations(t.Context(), l); err != nil || n != 3 {
		t.Errorf("%d mutations, %v", n, err)
	}
	for version, want := range map[string]string{"v003": "a", "v002": "a", "v001": "a", "v004": "c", "v009": ""} {
		if m, err := st.MutationOf(t.Context(), l, version); m.Key != want || (want == "") != errors.Is(err, track.ErrNotFound) {
			t.Errorf("of version %s: %q %v, want %q", version, m.Key, err, want)
		}
	}
	checkMutationLineage(t, st, other)
	outcomes, err := st.MutationOutcomes(t.Context(), l)
	want := []store.MutationOutcome{
		{Key: "a", Operator: "o", Risk: evolution.High, State: evolution.MutationRejected, Delta: &delta, CostUSD: &cost}, {Key: "b", Operator: "p", Risk: evolution.Low, State: evolution.MutationRefused},
		{Key: "c", Operator: "o", Risk: evolution.Medium, State: evolution.MutationContinued},
	}
	if diff := cmp.Diff(want, outcomes); diff != "" || err != nil {
		t.Errorf("%v (-want +got):\n%s", err, diff)
	}
}

// checkMutations asks for mutations by where they stand.
func checkMutations(t *testing.T, st *store.Store, l store.Evolving, at time.Time) {
	t.Helper()
	for name, c := range map[string]struct {
		filter store.MutationFilter
		want   string
	}{
		"all":    {store.MutationFilter{}, "a b c"},
		"newest": {store.MutationFilter{Newest: 2}, "c b"},
		"open":   {store.MutationFilter{Open: true}, "c"},
		"state":  {store.MutationFilter{State: evolution.MutationRefused}, "b"},
		"child":  {store.MutationFilter{Child: "v003"}, "a"},
		"none":   {store.MutationFilter{Child: "v009"}, ""},
	} {
		list, err := st.Mutations(t.Context(), l, c.filter)
		var keys []string
		for _, m := range list {
			keys = append(keys, m.Key)
		}
		if err != nil || strings.Join(keys, " ") != c.want {
			t.Errorf("%s: %v %v, want %s", name, keys, err, c.want)
		}
	}
}

// checkMutationLineage asks which lineage a mutation is of.
func checkMutationLineage(t *testing.T, st *store.Store, other store.Evolving) {
	t.Helper()
	if name, err := st.MutationLineage(t.Context(), "b"); err != nil || name != "l" {
		t.Errorf("%q %v", name, err)
	}
	if _, err := st.MutationLineage(t.Context(), "a"); !errors.Is(err, track.ErrAmbiguous) || !strings.Contains(err.Error(), "l, other") {
		t.Error(err)
	}
	_, notThere := st.MutationLineage(t.Context(), "z")
	_, nor := st.Mutation(t.Context(), other, "b")
	if !errors.Is(notThere, track.ErrNotFound) || !errors.Is(nor, track.ErrNotFound) {
		t.Error(notThere, nor)
	}
}

// A content is one version of its lineage, whatever its bytes; a new one takes the next free name.
func testContents(t *testing.T, st *store.Store) {
	l, other := evolve(t, st, "l", 0), evolve(t, st, "other", 0)
	update(t, st, func(tx *store.Tx) error {
		_, err := tx.AddVersion(track.Version{Lineage: "l", Name: "v002", Content: ptr("recorded before")}, false)
		if err == nil {
			_, err = tx.AddVersion(track.Version{Lineage: "l", Name: "v003"}, false) // without a content
		}
		return err
	})
	for _, step := range []struct {
		lineage       store.Evolving
		content, name string
		added         bool
	}{
		{l, "a", "v004", true}, // two are there: the third would be v003, which is taken
		{l, "a", "v004", false},
		{l, "a\n", "v005", true},
		{l, "recorded before", "v002", false},
		{l, "", "v006", true},
		{l, "", "v006", false},
		{l, "ä <&> \r\n\x7f", "v007", true},
		{other, "a", "v001", true},
	} {
		update(t, st, func(tx *store.Tx) error {
			name, added, err := tx.AddContent(step.lineage.ID, step.content)
			if err == nil && (name != step.name || added != step.added) {
				t.Errorf("%q: %s, added %v, want %s", step.content, name, added, step.name)
			}
			return err
		})
		if got, err := st.Content(t.Context(), step.lineage.Name, step.name); err != nil || got == nil || *got != step.content {
			t.Errorf("%q came back as %v, %v", step.content, got, err)
		}
		if v, err := st.VersionState(t.Context(), step.lineage.Name, step.name); err != nil || v.ContentID != evolution.VersionID([]byte(step.content)) {
			t.Errorf("%s: %+v %v", step.name, v, err)
		}
	}
	if got, err := st.Content(t.Context(), "l", "v003"); got != nil || err != nil {
		t.Errorf("a version without a content: %v %v", got, err)
	}
	if _, err := st.Content(t.Context(), "l", "v099"); !errors.Is(err, track.ErrNotFound) {
		t.Errorf("no version: %v", err)
	}
	states, err := st.VersionStates(t.Context(), "l")
	var names []string
	for _, v := range states {
		names = append(names, v.Name)
	}
	if want := []string{"v002", "v003", "v004", "v005", "v006", "v007"}; err != nil || !slices.Equal(names, want) {
		t.Errorf("%v %v, want %v", names, err, want)
	}
}

func ptr[T any](x T) *T { return &x }

// The trials of a version are its executions, oldest first, with their scores under the rubric asked for.
func testExecutionTrials(t *testing.T, st *store.Store) {
	l := evolve(t, st, "l", 0)
	at := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	add := func(key, version string, minute int, status track.ExecutionStatus, open bool, scores ...track.RecordedScore) {
		update(t, st, func(tx *store.Tx) error {
			e := track.Execution{ID: newID(), Lineage: "l", Version: version, Source: "s", Key: key, Task: "t" + key, Status: status, StartedAt: at.Add(time.Duration(minute) * time.Minute)}
			_, err := tx.AddExecution(store.ExecutionRecord{Execution: e, Digest: [32]byte{byte(minute)}, RecordedAt: st.Now(), Open: open, Rubric: "r", Scores: scores})
			return err
		})
	}
	score := func(rubric string, x *float64) track.RecordedScore {
		return track.RecordedScore{Rubric: rubric, Score: x, Detail: []byte("{}"), Components: []track.ComponentValue{{Name: "c", Value: x}}}
	}
	add("late", "v", 9, track.ExecutionOK, false, score("r", ptr(50.0)), score("own", ptr(7.0)))
	add("early", "v", 1, track.ExecutionTimeout, false)
	add("open", "v", 5, track.ExecutionOK, true, score("r", ptr(60.0)))
	add("unmeasured", "v", 6, track.ExecutionOK, false, score("r", nil))
	add("another", "w", 2, track.ExecutionOK, false, score("r", ptr(1.0)))
	trial := func(key, version string, minute int, status track.ExecutionStatus, rubric string, score *float64) store.Trial {
		return store.Trial{
			Version: version, Source: "s", Key: key, Task: "t" + key, At: at.Add(time.Duration(minute) * time.Minute), Started: true, Status: status, Open: key == "open", Rubric: rubric,
			Score: score,
		}
	}
	early, another := trial("early", "v", 1, track.ExecutionTimeout, "", nil), trial("another", "w", 2, track.ExecutionOK, "r", ptr(1.0))
	unmeasured, late := trial("unmeasured", "v", 6, track.ExecutionOK, "r", nil), trial("late", "v", 9, track.ExecutionOK, "r", ptr(50.0))
	open := trial("open", "v", 5, track.ExecutionOK, "r", ptr(60.0))
	withParts := func(t store.Trial) store.Trial {
		t.Components = []track.ComponentValue{{Name: "c", Value: t.Score}}
		return t
	}
	for name, c := range map[string]struct {
		filter store.TrialFilter
		want   []store.Trial
	}{
		"a version":  {store.TrialFilter{Versions: []string{"v"}}, []store.Trial{early, open, unmeasured, late}},
		"a lineage":  {store.TrialFilter{}, []store.Trial{early, another, open, unmeasured, late}},
		"versions":   {store.TrialFilter{Versions: []string{"v", "w", "x"}, Ended: true}, []store.Trial{early, another, unmeasured, late}},
		"no version": {store.TrialFilter{Versions: []string{"x"}}, []store.Trial{}},
		"own": {store.TrialFilter{Versions: []string{"v"}, Rubric: "own"}, []store.Trial{
			early, trial("open", "v", 5, track.ExecutionOK, "", nil), trial("unmeasured", "v", 6, track.ExecutionOK, "", nil), trial("late", "v", 9, track.ExecutionOK, "own", ptr(7.0)),
		}},
		"newest": {store.TrialFilter{Versions: []string{"v"}, Components: true, Ended: true, Newest: 2}, []store.Trial{withParts(late), withParts(unmeasured)}},
	} {
		got, err := st.Trials(t.Context(), "l", c.filter)
		if diff := cmp.Diff(c.want, got, cmpopts.IgnoreFields(store.Trial{}, "ID")); diff != "" || err != nil {
			t.Errorf("%s: %v (-want +got):\n%s", name, err, diff)
		}
	}
	if n, err := st.CountExecutions(t.Context(), l); err != nil || n != 5 {
		t.Errorf("%d executions, %v", n, err)
	}
}
