package seeds_test

import (
	"crypto/rand"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"track"
	"track/answer"
	"track/internal/testdb"
	"track/internal/trackertest"
	"track/scoring"
	"track/scoring/stats"
	"track/scoring/verdict"
	"track/store"
	"track/tracker/seeds"
)

func codes(warnings []verdict.Warning) (list []string) {
	for _, w := range warnings {
		if w.Code == verdict.WarnLooks || w.Code == verdict.WarnLatePlan {
			list = append(list, w.Code)
		}
	}
	return list
}

// lookStore has a scenario s with n seeds of v1 and v2 each.
func lookStore(t testing.TB, n int) *store.Store {
	t.Helper()
	st := testdb.New(t)
	trackertest.AddSpec(t, st, trackertest.Ranges("s", [2]float64{0, 1}))
	moreSeeds(t, st, 0, n)
	return st
}

func moreSeeds(t testing.TB, st *store.Store, first, n int) {
	t.Helper()
	for i := range n {
		for k, label := range []string{"v1", "v2"} {
			s := trackertest.Seed("s", track.SeedNumber(first+i), map[string]float64{"a": 0.5 + float64((i+k)%4)/10, "own": float64(first+i) + 0.5})
			s.Configuration.Label = label
			trackertest.Record(t, st, seeds.Options{}, s)
		}
	}
}

// look compares v2 with v1 and records the look.
func look(t testing.TB, st *store.Store, j answer.Judging, list ...track.SeedRange) seeds.Compared {
	t.Helper()
	j.Seeds = list
	r := compareLabels(t, st, answer.PairedQuestion{Judging: j})
	if err := seeds.RecordLooks(t.Context(), st, []store.Look{r.Look}, rand.Reader); err != nil {
		t.Fatal(err)
	}
	return r
}

func looksOf(t testing.TB, st *store.Store, r seeds.Compared) []store.Look {
	t.Helper()
	looks, err := st.Looks(t.Context(), r.Look.Question)
	if err != nil {
		t.Fatal(err)
	}
	return looks
}

func TestLooksWithoutPlan(t *testing.T) {
	st := lookStore(t, 6)
	check := func(name string, r seeds.Compared, previous, recorded int, warned ...string) {
		t.Helper()
		if got := r.Options.Look.Number - 1; got != previous {
			t.Errorf("%s: %d looks before, want %d", name, got, previous)
		}
		if diff := cmp.Diff(warned, codes(r.Warnings)); diff != "" {
			t.Errorf("%s: warnings (-want +got):\n%s", name, diff)
		}
		if looks := looksOf(t, st, r); len(looks) != recorded {
			t.Errorf("%s: %d looks recorded, want %d", name, len(looks), recorded)
		}
	}
	first := look(t, st, answer.Judging{})
	check("the first", first, 0, 1)
	check("the same seeds again", look(t, st, answer.Judging{}), 0, 1)
	moreSeeds(t, st, 6, 2)
	check("more seeds", look(t, st, answer.Judging{}), 1, 2, verdict.WarnLooks)
	check("the first seeds again", look(t, st, answer.Judging{}, track.SeedRange{Last: 5}), 0, 2)
	check("some of them", look(t, st, answer.Judging{}, track.SeedRange{Last: 4}), 2, 3, verdict.WarnLooks)
	check("at any time", look(t, st, answer.Judging{Anytime: true}, track.SeedRange{Last: 3}), 3, 4)
	looks := looksOf(t, st, first)
	if l := looks[0]; l.N != 6 || l.Kind != store.LookImprovement || l.Verdict != first.Verdict || l.ULID == "" || !l.LookedAt.Equal(testdb.Clock().UTC()) || l.Anytime || !looks[3].Anytime {
		t.Errorf("recorded: %+v", looks)
	}
	// What is asked of others, or under another spec, are other questions.
	v1 := selector(t, "s@v1")
	swapped := selector(t, "s@v2")
	back, err := seeds.Compare(t.Context(), st.Reader, answer.PairedQuestion{Candidate: v1, Baseline: &swapped}, "")
	if err != nil || back.Look.Question == first.Look.Question || back.Options.Look.Number != 1 {
		t.Errorf("the other way round: look %d, error %v", back.Options.Look.Number, err)
	}
	trackertest.AddSpec(t, st, trackertest.Ranges("s", [2]float64{0, 2}))
	check("under another spec", compareLabels(t, st, answer.PairedQuestion{}), 0, 0)
	check("under the first", compareLabels(t, st, answer.PairedQuestion{Spec: 1}), 2-1, 4, verdict.WarnLooks)
}

func TestPlannedLooks(t *testing.T) {
	st := lookStore(t, 6)
	plan := []int{6, 8, 10}
	in := func(name string, r seeds.Compared, late bool, warned ...string) {
		t.Helper()
		if got := r.Options.Look; !slices.Equal(got.Plan, plan) || got.Late != late || !trackertest.Near(r.Options.Alpha(), stats.PocockAlpha(0.05, plan)) {
			t.Errorf("%s: %+v with alpha %v, want the plan %v, late %v", name, got, r.Options.Alpha(), plan, late)
		}
		if diff := cmp.Diff(warned, codes(r.Warnings)); diff != "" {
			t.Errorf("%s: warnings (-want +got):\n%s", name, diff)
		}
	}
	refused := func(name string, o answer.Judging, sentinel error) {
		t.Helper()
		baseline := selector(t, "s@v1")
		_, err := seeds.Compare(t.Context(), st.Reader, answer.PairedQuestion{Candidate: selector(t, "s@v2"), Baseline: &baseline, Judging: o}, "")
		trackertest.WantError(t, err, sentinel)
		if sentinel == track.ErrConflict && len(track.Hints(err)) == 0 {
			t.Errorf("%s: no hint", name)
		}
	}
	for _, bad := range [][]int{{1, 5}, {5, 5}, {8, 6}, {-1}} {
		refused(fmt.Sprint(bad), answer.Judging{Plan: bad}, track.ErrInvalid)
	}
	in("the first", look(t, st, answer.Judging{Plan: plan}), false)
	in("the same seeds, the plan left out", look(t, st, answer.Judging{}), false)
	refused("another plan at the same seeds", answer.Judging{Plan: []int{6, 12}}, track.ErrConflict)
	moreSeeds(t, st, 6, 2)
	in("the second, left out", look(t, st, answer.Judging{}), false)
	in("the same plan again", look(t, st, answer.Judging{Plan: slices.Clone(plan)}), false)
	refused("another plan", answer.Judging{Plan: []int{6, 12}}, track.ErrConflict)
	moreSeeds(t, st, 8, 1)
	off := look(t, st, answer.Judging{})
	in("at 9", off, false)
	if off.Verdict != scoring.VerdictInconclusive || len(off.Needs) == 0 {
		t.Errorf("at 9 of %v: %s, needs %v", plan, off.Verdict, off.Needs)
	}
	refused("at any time", answer.Judging{Anytime: true}, track.ErrConflict)
	looks := looksOf(t, st, off)
	var plans [][]int
	for _, l := range looks {
		plans = append(plans, l.Plan)
	}
	if diff := cmp.Diff([][]int{plan, plan, plan}, plans); diff != "" {
		t.Errorf("plans of the looks (-want +got):\n%s", diff)
	}
}

// A plan cannot make up for a look before it.
func TestLatePlan(t *testing.T) {
	for name, more := range map[string]int{"at the same seeds": 0, "at more seeds": 2} {
		st := lookStore(t, 6)
		look(t, st, answer.Judging{})
		moreSeeds(t, st, 6, more)
		r := look(t, st, answer.Judging{Plan: []int{6, 8, 10}})
		if diff := cmp.Diff([]string{verdict.WarnLatePlan}, codes(r.Warnings)); diff != "" || !r.Options.Look.Late || len(r.Options.Look.Plan) != 3 {
			t.Errorf("%s: %+v (-want +got):\n%s", name, r.Options.Look, diff)
		}
		if more == 0 {
			continue
		}
		for again, o := range []answer.Judging{{}, {Plan: []int{6, 8, 10}}} {
			r := look(t, st, o, track.SeedRange{Last: track.SeedNumber(3 - again)})
			if !r.Options.Look.Late || len(r.Options.Look.Plan) != 3 {
				t.Errorf("later: %+v", r.Options.Look)
			}
		}
	}
}

// Each looker has its own connection, as processes have.
func TestLooksAtOnce(t *testing.T) {
	st := lookStore(t, 6)
	var all sync.WaitGroup
	for range 16 {
		own := testdb.Open(t, st.Path())
		all.Go(func() {
			for last := range track.SeedNumber(3) {
				baseline := answer.Selector{Scenario: "s", Configuration: "v1"}
				r, err := seeds.Compare(t.Context(), own.Reader, answer.PairedQuestion{
					Candidate: answer.Selector{Scenario: "s", Configuration: "v2"}, Baseline: &baseline, Judging: answer.Judging{Seeds: []track.SeedRange{{Last: last}}},
				}, "")
				if err == nil {
					err = seeds.RecordLooks(t.Context(), own, []store.Look{r.Look}, rand.Reader)
				}
				if err != nil {
					t.Error(err)
				}
			}
		})
	}
	all.Wait()
	if looks := looksOf(t, st, compareLabels(t, st, answer.PairedQuestion{})); len(looks) != 3 {
		t.Errorf("%d looks at 3 sets of seeds", len(looks))
	}
}

// A decision stands although nobody can write down that it was looked at.
func TestLookAtReadOnlyDatabase(t *testing.T) {
	testdb.OnlySQLite(t, "it seals the file")
	st := lookStore(t, 6)
	look(t, st, answer.Judging{})
	path := filepath.Join(t.TempDir(), "sealed", "track.db")
	if err := st.Sync(); err != nil {
		t.Fatal(err)
	}
	before := map[string][]byte{}
	if err := os.Mkdir(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	for _, suffix := range []string{"", "-wal"} {
		data, err := os.ReadFile(st.Path() + suffix)
		if err != nil {
			t.Fatal(err)
		}
		before[suffix] = data
		if err := os.WriteFile(path+suffix, data, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Mkdir(path+".lock", 0o755); err != nil { // which nobody can take, root neither
		t.Fatal(err)
	}
	sealed := testdb.Open(t, path)
	r := compareLabels(t, sealed, answer.PairedQuestion{Judging: answer.Judging{Seeds: []track.SeedRange{{Last: 3}}}})
	if r.NPairs != 4 || r.Options.Look.Number != 2 {
		t.Errorf("%d pairs at look %d", r.NPairs, r.Options.Look.Number+1)
	}
	if err := seeds.RecordLooks(t.Context(), sealed, []store.Look{r.Look}, rand.Reader); err == nil {
		t.Error("recorded in a database that cannot be written")
	}
	if looks := looksOf(t, sealed, r); len(looks) != 1 {
		t.Errorf("%d looks, want 1", len(looks))
	}
	for suffix, want := range before {
		if got, err := os.ReadFile(path + suffix); err != nil || !slices.Equal(got, want) {
			t.Errorf("track.db%s changed, error %v", suffix, err)
		}
	}
	if err := seeds.RecordLooks(t.Context(), sealed, nil, rand.Reader); err != nil {
		t.Errorf("no look: %v", err)
	}
}
