package storetest

import (
	"errors"
	"maps"
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"track"
	"track/store"
)

var sweepTime = time.Date(2026, 1, 2, 3, 4, 5, 678901000, time.UTC)

func seedsFrom(first, last uint64) track.SeedRanges {
	return track.SeedRanges{{First: track.SeedNumber(first), Last: track.SeedNumber(last)}}
}

func planned(params track.Params, seeds track.SeedRanges) track.PlannedSeeds {
	return track.PlannedSeeds{Configuration: track.Configuration{Params: params}, Seeds: seeds}
}

func addSweep(t testing.TB, st *store.Store, s track.Sweep) track.Sweep {
	t.Helper()
	if s.ID == "" {
		s.ID = newID()
	}
	if s.Plan == "" {
		s.Plan = `{"n":"` + s.ID + `"}`
	}
	if s.StartedAt.IsZero() {
		s.StartedAt = sweepTime
	}
	update(t, st, func(tx *store.Tx) error {
		added, err := tx.AddSweep(s)
		if err == nil && !added {
			t.Errorf("sweep %s is there already", s.ID)
		}
		return err
	})
	return s
}

func testSweeps(t *testing.T, st *store.Store) {
	first := addSweep(t, st, track.Sweep{
		Scenario: "s", Plan: `{"command":["sim"]}`, Shard: 2, NShards: 3, Environment: track.Environment{"host": "here"}, Changes: "diff --git\n\x00ä", Libraries: "numpy==2\n",
		EndedAt: sweepTime.Add(time.Hour), Ending: track.SweepFinished,
		Planned: []track.PlannedSeeds{planned(`{"a":2}`, seedsFrom(0, 9)), planned(`{"a":1}`, track.SeedRanges{{First: 5, Last: 5}, {First: math.MaxUint64 - 1, Last: math.MaxUint64}})},
	})
	second := addSweep(t, st, track.Sweep{Scenario: "s", StartedAt: sweepTime.Add(time.Minute), Planned: []track.PlannedSeeds{planned("", seedsFrom(1, 1))}})
	other := addSweep(t, st, track.Sweep{Scenario: "other"})
	// A sweep is there once: what is merged again changes nothing.
	update(t, st, func(tx *store.Tx) error {
		again := first
		again.Plan, again.Planned = "{}", nil
		added, err := tx.AddSweep(again)
		if added {
			t.Error("the same again was added")
		}
		return err
	})
	check := func(filter store.SweepFilter, want ...track.Sweep) {
		t.Helper()
		list, err := st.Sweeps(t.Context(), filter)
		if err != nil {
			t.Fatal(err)
		}
		var got []track.Sweep
		for _, s := range list {
			got = append(got, s.Sweep)
		}
		if diff := cmp.Diff(want, got, cmpopts.EquateEmpty()); diff != "" {
			t.Errorf("%+v (-want +got):\n%s", filter, diff)
		}
	}
	for _, s := range []*track.Sweep{&second, &other} {
		s.Environment = track.Environment{}
	}
	if first.ID < other.ID { // at the same time: the newer id first
		check(store.SweepFilter{}, second, other, first)
	} else {
		check(store.SweepFilter{}, second, first, other)
	}
	check(store.SweepFilter{Scenario: "s"}, second, first)
	check(store.SweepFilter{Scenario: "none"})
	check(store.SweepFilter{ID: first.ID}, first)
	check(store.SweepFilter{ID: strings.ToLower(second.ID[18:])}, second)
	check(store.SweepFilter{ID: "%"})
	// A rule narrows what is planned, and the end is noted.
	second.Planned[0].Seeds, second.EndedAt, second.Ending = track.SeedRanges{{First: 0, Last: 3}, {First: 7, Last: 7}}, sweepTime.Add(time.Hour), track.SweepDecided
	update(t, st, func(tx *store.Tx) error {
		return errors.Join(tx.SetPlanned(second.ID, second.Planned[0]), tx.EndSweep(second))
	})
	check(store.SweepFilter{Scenario: "s"}, second, first)
	view := queryRows(t, st, "SELECT params, seeds, n_planned, n_recorded, shard, ending FROM v_sweep WHERE scenario = 's' ORDER BY params, seeds")
	if want := [][]any{
		{`{"a":1}`, "5,18446744073709551614..18446744073709551615", int64(3), int64(0), int64(2), "finished"}, {`{"a":2}`, "0..9", int64(10), int64(0), int64(2), "finished"},
		{"{}", "0..3,7", int64(5), int64(0), int64(0), "decided"},
	}; !cmp.Equal(view, want) {
		t.Errorf("v_sweep: %v, want %v", view, want)
	}
}

func queryRows(t testing.TB, st *store.Store, text string) (rows [][]any) {
	t.Helper()
	_, err := st.Query(t.Context(), text, func(_ []string, row []any) error {
		rows = append(rows, row)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return rows
}

func testSweepRuns(t *testing.T, st *store.Store) {
	sweep := addSweep(t, st, track.Sweep{Scenario: "s", Planned: []track.PlannedSeeds{planned("", seedsFrom(0, 9))}})
	code, cpu, rss := 3, 1234567*time.Microsecond, int64(5<<30)
	long := strings.Repeat("the same line again and again\n", 2000) + "\x00ä"
	runs := []*track.Run{
		{Sweep: sweep.ID, Attempts: 2, ExitCode: &code, Stderr: long, CPU: &cpu, MaxRSS: &rss},
		{Sweep: sweep.ID, Attempts: 1, Signal: "SIGKILL", Stderr: long},
		{Sweep: sweep.ID, Attempts: 1, ExitCode: new(int)},
		nil, // recorded by itself
		{Sweep: "no such sweep", Attempts: 1},
		{Sweep: sweep.ID, Attempts: 1, Signal: "SIGSEGV"}, // of a seed that is superseded
	}
	outcomes := []track.Outcome{track.OutcomeError, track.OutcomeTimeout, track.OutcomeOK, track.OutcomeOK, track.OutcomeOK, track.OutcomeError}
	for i, run := range runs {
		id := add(t, st, track.Seed{Scenario: "s", Number: track.SeedNumber(i), Outcome: outcomes[i]})[0]
		if run != nil {
			update(t, st, func(tx *store.Tx) error { return tx.AddRun(id, *run) })
		}
		seed := one(t, st, "s", track.SeedNumber(i))
		want := run
		if run != nil && run.Sweep != sweep.ID { // its sweep is not here
			want = nil
		}
		if got, err := st.Run(t.Context(), seed.ID); err != nil || !cmp.Equal(got, want) {
			t.Errorf("run of seed %d: %+v, error %v, want %+v", i, got, err, want)
		}
		if i == 5 {
			update(t, st, func(tx *store.Tx) error { return tx.Supersede(id) })
		}
	}
	list, err := st.Sweeps(t.Context(), store.SweepFilter{})
	if err != nil || len(list) != 1 || list[0].NRuns != 3 || list[0].NFailed != 2 {
		t.Errorf("%+v, error %v, want 3 runs, 2 of them failed", list, err)
	}
	want := [][]any{{"0", "error", int64(2), int64(3), nil, 1.234567, rss}, {"1", "timeout", int64(1), nil, "SIGKILL", nil, nil}, {"2", "ok", int64(1), int64(0), nil, nil, nil}}
	if got := queryRows(t, st, "SELECT seed, outcome, attempts, exit_code, signal, cpu_s, rss_bytes FROM v_run ORDER BY seed"); !cmp.Equal(got, want) {
		t.Errorf("v_run: %v, want %v", got, want)
	}
}

// A text is stored once, compressed, however many seeds and sweeps have it.
func testAttachments(t *testing.T, st *store.Store) {
	text := strings.Repeat("warning: overflow\n", 3000)
	sweep := addSweep(t, st, track.Sweep{Scenario: "s", Changes: text, Libraries: "numpy"})
	addSweep(t, st, track.Sweep{Scenario: "s", Changes: "numpy"})
	for number, stderr := range []string{text, text, "", "other"} {
		id := add(t, st, track.Seed{Scenario: "s", Number: track.SeedNumber(number)})[0]
		update(t, st, func(tx *store.Tx) error {
			return tx.AddRun(id, track.Run{Sweep: sweep.ID, Attempts: 1, Stderr: stderr})
		})
	}
	got := queryRows(t, st, "SELECT n_bytes, length(data) < 1000 FROM attachment ORDER BY n_bytes")
	if want := [][]any{{int64(5), int64(1)}, {int64(5), int64(1)}, {int64(len(text)), int64(1)}}; !cmp.Equal(got, want) {
		t.Errorf("attachments: %v, want %v", got, want)
	}
	if missing := queryRows(t, st, "SELECT count(*) FROM run WHERE stderr_id IS NULL"); !cmp.Equal(missing, [][]any{{int64(1)}}) {
		t.Errorf("%v runs without standard error, want 1", missing)
	}
}

func testRepetitions(t *testing.T, st *store.Store) {
	sweep := addSweep(t, st, track.Sweep{Scenario: "s"})
	add(t, st, track.Seed{Scenario: "s", Number: math.MaxUint64}, track.Seed{Scenario: "s", Number: 7}, track.Seed{Scenario: "s", Number: 8},
		track.Seed{Scenario: "s", Number: 7, Configuration: track.Configuration{Label: "other"}}, track.Seed{Scenario: "other", Number: 7})
	c, _, err := st.Configurations(t.Context(), "s", 10)
	if err != nil || len(c) != 2 {
		t.Fatalf("%d configurations, error %v", len(c), err)
	}
	ofFirst := c[0].ID
	if c[0].Label != "" {
		ofFirst = c[1].ID
	}
	repeat := func(scenario string, number track.SeedNumber, configuration int64, r track.Repetition) {
		t.Helper()
		seed, _, err := st.SeedByNumber(t.Context(), scenario, number, configuration)
		if err != nil {
			t.Fatal(err)
		}
		r.ID, r.RepeatedAt = newID(), sweepTime
		update(t, st, func(tx *store.Tx) error { return tx.AddRepetition(seed.ID, r) })
	}
	differing := []string{"a 1, and then \"2\"", "series x differs"}
	repeat("s", math.MaxUint64, ofFirst, track.Repetition{Sweep: sweep.ID})
	repeat("s", 7, ofFirst, track.Repetition{Differences: differing})
	repeat("s", 7, ofFirst, track.Repetition{Sweep: sweep.ID})
	repeat("s", 7, c[0].ID+c[1].ID-ofFirst, track.Repetition{Differences: []string{"of another configuration"}})
	repeat("other", 7, 0, track.Repetition{Differences: []string{"of another scenario"}})
	for name, tt := range map[string]struct {
		seeds track.SeedRanges
		want  []store.RepeatedSeed
	}{
		"all":  {nil, []store.RepeatedSeed{{Number: 7, Differences: differing}, {Number: 7}, {Number: math.MaxUint64}}},
		"some": {seedsFrom(8, math.MaxUint64), []store.RepeatedSeed{{Number: math.MaxUint64}}},
		"none": {seedsFrom(8, 8), nil},
	} {
		sel := store.Selection{Scenario: "s", Configurations: []int64{ofFirst}, Seeds: tt.seeds}
		got, err := st.Repetitions(t.Context(), sel)
		byNumber := func(a, b store.RepeatedSeed) int {
			return strings.Compare(a.Number.String()[:1], b.Number.String()[:1])
		}
		slices.SortStableFunc(got, byNumber) // which order unsigned numbers have is of no interest
		slices.SortStableFunc(tt.want, byNumber)
		if err != nil || !cmp.Equal(got, tt.want, cmpopts.EquateEmpty()) {
			t.Errorf("%s: %+v, error %v, want %+v", name, got, err, tt.want)
		}
	}
	// One of a seed or of a sweep that is not here.
	before := queryRows(t, st, "SELECT count(*) FROM repetition")
	update(t, st, func(tx *store.Tx) error { return tx.AddRepetition("no such seed", track.Repetition{ID: newID()}) })
	if after := queryRows(t, st, "SELECT count(*) FROM repetition"); !cmp.Equal(before, after) {
		t.Errorf("%v, then %v", before, after)
	}
	err = st.Update(t.Context(), func(tx *store.Tx) error {
		return tx.AddRepetition(one(t, st, "other", 7).ID, track.Repetition{ID: newID(), Sweep: "no such sweep"})
	})
	if err == nil {
		t.Error("a repetition of a sweep that is not here was taken")
	}
}

// The planned seeds of a configuration are those of all sweeps of its scenario.
func testPlannedSeeds(t *testing.T, st *store.Store) {
	add(t, st, track.Seed{Scenario: "s"}, track.Seed{Scenario: "s", Configuration: track.Configuration{Params: `{"a":1}`}}, track.Seed{Scenario: "other"})
	addSweep(t, st, track.Sweep{Scenario: "s", Planned: []track.PlannedSeeds{planned("", seedsFrom(10, 19)), planned(`{"a":1}`, seedsFrom(50, 50))}})
	addSweep(t, st, track.Sweep{Scenario: "s", Planned: []track.PlannedSeeds{planned("", track.SeedRanges{{First: 0, Last: 10}, {First: math.MaxUint64, Last: math.MaxUint64}})}})
	addSweep(t, st, track.Sweep{Scenario: "other", Planned: []track.PlannedSeeds{planned("", seedsFrom(100, 200))}})
	id := map[string]int64{}
	c, _, err := st.Configurations(t.Context(), "s", 10)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range c {
		id[string(c.Params.JSON())] = c.ID
	}
	for _, tt := range []struct {
		scenario      string
		configuration int64
		want          string
	}{
		{"s", id["{}"], "0..19,18446744073709551615"}, {"s", id[`{"a":1}`], "50"}, {"other", id["{}"], "100..200"}, {"none", id["{}"], ""}, {"s", -1, ""}, {"other", id[`{"a":1}`], ""},
	} {
		if got, err := st.PlannedSeeds(t.Context(), tt.scenario, tt.configuration); err != nil || got.String() != tt.want {
			t.Errorf("%s, configuration %d: %q, error %v, want %q", tt.scenario, tt.configuration, got, err, tt.want)
		}
	}
}

func testRecordedSeeds(t *testing.T, st *store.Store) {
	other := track.Configuration{Params: `{"a":1}`}
	ids := add(t, st, track.Seed{Scenario: "s", Number: math.MaxUint64}, track.Seed{Scenario: "s", Number: 3, Outcome: track.OutcomeTimeout},
		track.Seed{Scenario: "s", Number: 4}, track.Seed{Scenario: "s", Number: 5, Configuration: other}, track.Seed{Scenario: "other", Number: 6})
	update(t, st, func(tx *store.Tx) error { return tx.Supersede(ids[2]) })
	hash := track.Configuration{}.Hash()
	got, err := st.RecordedOutcomes(t.Context(), "s", hash)
	if want := (map[track.SeedNumber]track.Outcome{math.MaxUint64: track.OutcomeOK, 3: track.OutcomeTimeout}); err != nil || !maps.Equal(got, want) {
		t.Errorf("%+v, error %v, want %+v", got, err, want)
	}
	for _, tt := range []struct {
		scenario, hash string
		want           map[track.SeedNumber]track.Outcome
	}{
		{"s", hash, map[track.SeedNumber]track.Outcome{math.MaxUint64: track.OutcomeOK, 3: track.OutcomeTimeout, 4: "", 5: "", 6: ""}},
		{"s", other.Hash(), map[track.SeedNumber]track.Outcome{5: track.OutcomeOK, 3: ""}},
		{"none", hash, map[track.SeedNumber]track.Outcome{3: ""}},
		{"s", "none", map[track.SeedNumber]track.Outcome{3: ""}},
	} {
		for number, want := range tt.want {
			if got, err := st.RecordedOutcome(t.Context(), tt.scenario, tt.hash, number); err != nil || got != want {
				t.Errorf("%s, %.5s, seed %s: %q, error %v, want %q", tt.scenario, tt.hash, number, got, err, want)
			}
		}
	}
	sel := store.Selection{Scenario: "s", Configurations: []int64{configurationOf(t, st, "s", hash)}}
	numbers, err := st.RecordedNumbers(t.Context(), "s", sel.Configurations[0])
	slices.Sort(numbers)
	if err != nil || !slices.Equal(numbers, []track.SeedNumber{3, math.MaxUint64}) {
		t.Errorf("numbers %v, error %v", numbers, err)
	}
	for ranges, want := range map[string]int{"": 2, "0..100": 1, "18446744073709551615": 1, "4..6": 0} {
		sel.Seeds = nil
		if ranges != "" {
			if sel.Seeds, err = track.ParseSeedRanges(ranges); err != nil {
				t.Fatal(err)
			}
		}
		if n, err := st.CountRecorded(t.Context(), sel); err != nil || n != want {
			t.Errorf("%q: %d recorded, error %v, want %d", ranges, n, err, want)
		}
	}
}

func configurationOf(t testing.TB, st *store.Store, scenario, hash string) int64 {
	t.Helper()
	list, _, err := st.Configurations(t.Context(), scenario, 10)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range list {
		if c.Hash == hash {
			return c.ID
		}
	}
	t.Fatalf("%s has no configuration %s", scenario, hash)
	return 0
}
