package seeds_test

import (
	"errors"
	"math"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/google/go-cmp/cmp"

	"track"
	"track/answer"
	"track/internal/testdb"
	"track/internal/trackertest"
	"track/scoring"
	"track/store"
	"track/tracker/seeds"
)

func TestRecord(t *testing.T) {
	st := testdb.New(t)
	first := trackertest.Seed("s", 1, map[string]float64{"a": 0.5, "extra": 1})
	if r := trackertest.Record(t, st, seeds.Options{}, first); r.Disposition != track.Recorded || r.Assessment != nil || r.SpecVersion != 0 || r.Unknown != nil {
		t.Errorf("without a spec: %+v", r)
	}
	trackertest.AddSpec(t, st, trackertest.Ranges("s", [2]float64{0, 1}))
	for _, tt := range []struct {
		name        string
		seed        track.Seed
		disposition track.Disposition
		statuses    []scoring.Status
		unknown     []string
	}{
		{"the same again", first, track.Duplicate, nil, nil},
		{"judged", trackertest.Seed("s", 2, map[string]float64{"a": 0.5}), track.Recorded, []scoring.Status{scoring.Pass}, nil},
		{"with what no spec knows", trackertest.Seed("s", 3, map[string]float64{"z": 1, "a": 9, "b": 1}), track.Recorded, []scoring.Status{scoring.Fail}, []string{"b", "z"}},
		{"only what no spec knows", trackertest.Seed("s", 4, map[string]float64{"z": 1}), track.Recorded, []scoring.Status{scoring.Fail}, []string{"z"}},
		{"a failed seed with values", track.Seed{Scenario: "s", Number: 5, Outcome: track.OutcomeTimeout, Values: map[string]float64{"a": 0.5, "z": 1}}, track.Recorded, nil, nil},
		{"a failed seed without", track.Seed{Scenario: "s", Number: 6, Outcome: track.OutcomeError}, track.Recorded, nil, nil},
		{"of a scenario without a spec", trackertest.Seed("other", 1, map[string]float64{"a": 1}), track.Recorded, nil, nil},
	} {
		r := trackertest.Record(t, st, seeds.Options{}, tt.seed)
		var statuses []scoring.Status
		if r.Assessment != nil {
			for _, result := range r.Assessment.Results {
				statuses = append(statuses, result.Status)
			}
		}
		if r.Disposition != tt.disposition || !cmp.Equal(statuses, tt.statuses) || !cmp.Equal(r.Unknown, tt.unknown) {
			t.Errorf("%s: %+v", tt.name, r)
		}
		if (r.SpecVersion == 1) != (tt.statuses != nil) || (r.Spec != nil) != (tt.statuses != nil) {
			t.Errorf("%s: judged under version %d", tt.name, r.SpecVersion)
		}
	}
	if r := trackertest.Record(t, st, seeds.Options{}, trackertest.Seed("s", 1, map[string]float64{"a": 0.5, "extra": 1})); r.Disposition != track.Duplicate {
		t.Errorf("the first, once more: %+v", r)
	}
	list, err := st.Seeds(t.Context(), store.SeedFilter{Scenario: "s", Status: scoring.Pass})
	if err != nil || len(list) != 2 { // the first was judged when its spec came
		t.Errorf("%d seeds pass, error %v, want 2", len(list), err)
	}
}

func TestRecordRefuses(t *testing.T) {
	st := testdb.New(t)
	recorder := trackertest.NewRecorder(st, seeds.Options{})
	_, err := recorder.Record(t.Context(), track.Seed{Outcome: track.OutcomeError})
	trackertest.WantError(t, err, track.ErrInvalid)
	var field *track.FieldError
	if !errors.As(err, &field) || field.Field != "scenario" {
		t.Errorf("%v does not name the field", err)
	}
	trackertest.AddSpec(t, st, trackertest.Ranges("s", [2]float64{0, 1}))
	_, err = trackertest.NewRecorder(st, seeds.Options{SpecVersion: 2}).Record(t.Context(), trackertest.Seed("s", 1, map[string]float64{"a": 1}))
	trackertest.WantError(t, err, track.ErrNotFound)
	_, err = seeds.NewRecorder(st, seeds.Options{}, iotest.ErrReader(errors.New("no entropy"))).Record(t.Context(), trackertest.Seed("s", 1, map[string]float64{"a": 1}))
	if err == nil || !strings.Contains(err.Error(), "no entropy") {
		t.Errorf("without entropy: %v", err)
	}
	if numbers := trackertest.Numbers(t, st, "s"); numbers != nil {
		t.Errorf("refused, yet recorded: %v", numbers)
	}
}

func TestConflict(t *testing.T) {
	st := testdb.New(t)
	trackertest.AddSpec(t, st, trackertest.Ranges("s", [2]float64{0, 1}))
	values := map[string]float64{"a": 0.5, "b": math.NaN(), "c": 0, "gone": 1, "e": 2, "f": 3}
	trackertest.Record(t, st, seeds.Options{}, trackertest.Seed("s", 1, values))
	other := trackertest.Seed("s", 1, map[string]float64{"a": 0.25, "b": math.NaN(), "c": math.Copysign(0, -1), "new": math.Inf(-1), "e": 2, "f": 4})
	r := trackertest.Record(t, st, seeds.Options{}, other)
	number := func(x float64) *float64 { return &x }
	want := []seeds.Difference{
		{Metric: "a", Recorded: number(0.5), New: number(0.25)},
		{Metric: "c", Recorded: number(0), New: number(math.Copysign(0, -1))},
		{Metric: "f", Recorded: number(3), New: number(4)},
		{Metric: "gone", Recorded: number(1)},
		{Metric: "new", New: number(math.Inf(-1))},
	}
	if diff := cmp.Diff(want, r.Differences); diff != "" || r.Disposition != track.Conflict || r.Assessment != nil || r.Outcome != track.OutcomeOK {
		t.Errorf("%+v (-want +got):\n%s", r, diff)
	}
	text := "a: recorded 0.5, now 0.25; c: recorded 0, now -0; f: recorded 3, now 4; and 2 more values"
	if got := r.DescribeConflict(track.OutcomeOK); got != text {
		t.Errorf("described as %q, want %q", got, text)
	}
	crashed := track.Seed{Scenario: "s", Number: 1, Outcome: track.OutcomeError}
	r = trackertest.Record(t, st, seeds.Options{}, crashed)
	if got, want := r.DescribeConflict(track.OutcomeError), "outcome: recorded ok, now error; a: recorded 0.5, now nothing; "; !strings.HasPrefix(got, want) {
		t.Errorf("described as %q, want %q", got, want)
	}
	// The same values of a seed that ended otherwise are a conflict as well.
	ended := trackertest.Seed("s", 1, values)
	ended.Outcome = track.OutcomeCollapsed
	if r = trackertest.Record(t, st, seeds.Options{}, ended); r.Disposition != track.Conflict || len(r.Differences) > 0 || r.DescribeConflict(ended.Outcome) != "outcome: recorded ok, now collapsed" {
		t.Errorf("the same values of a collapsed seed: %+v", r)
	}

	// Nothing of all that was stored; replaced, it is.
	if got := trackertest.Find(t, st, "s", 1).Values["a"]; got != 0.5 {
		t.Errorf("after refused seeds a is %v, want 0.5", got)
	}
	replace := seeds.Options{Replace: true}
	if r := trackertest.Record(t, st, replace, other); r.Disposition != track.Replaced || r.Assessment == nil {
		t.Errorf("replaced: %+v", r)
	}
	if r := trackertest.Record(t, st, replace, other); r.Disposition != track.Duplicate {
		t.Errorf("replaced by the same: %+v", r)
	}
	if got := trackertest.Find(t, st, "s", 1).Values["a"]; got != 0.25 {
		t.Errorf("after a replacement a is %v, want 0.25", got)
	}
	if r := trackertest.Record(t, st, replace, trackertest.Seed("s", 1, values)); r.Disposition != track.Replaced {
		t.Errorf("back to the first: %+v", r)
	}
	if numbers := trackertest.Numbers(t, st, "s"); !cmp.Equal(numbers, []track.SeedNumber{1}) {
		t.Errorf("seeds in force %v, want one", numbers)
	}
	kept := testdb.Rows(t, st, "SELECT count(*), count(superseded_at) FROM seed")
	if diff := cmp.Diff([][]any{{int64(3), int64(2)}}, kept); diff != "" {
		t.Errorf("kept and superseded (-want +got):\n%s", diff)
	}
}

// The spec is that in force when the seed is recorded, or the version asked for.
func TestRecordUnderVersion(t *testing.T) {
	st := testdb.New(t)
	recorder := trackertest.NewRecorder(st, seeds.Options{}) // lives on while specs come
	versions := func(number track.SeedNumber) []int {
		t.Helper()
		if _, err := recorder.Record(t.Context(), trackertest.Seed("s", number, map[string]float64{"a": 0.5})); err != nil {
			t.Fatal(err)
		}
		return trackertest.Find(t, st, "s", number).Assessed
	}
	if got := versions(1); got != nil {
		t.Errorf("assessed under %v, want none", got)
	}
	for v, bounds := range [][2]float64{{0, 1}, {0, 2}, {0, 3}} {
		trackertest.AddSpec(t, st, trackertest.Ranges("s", bounds))
		if got := versions(track.SeedNumber(10 + v)); !cmp.Equal(got, []int{v + 1}) {
			t.Errorf("assessed under %v, want %d", got, v+1)
		}
	}
	r := trackertest.Record(t, st, seeds.Options{SpecVersion: 2}, trackertest.Seed("s", 20, map[string]float64{"a": 0.5}))
	if r.SpecVersion != 2 || !cmp.Equal(trackertest.Find(t, st, "s", 20).Assessed, []int{2}) {
		t.Errorf("judged under version %d, want 2", r.SpecVersion)
	}
}

// A configuration is its label, its parameters and its revision; a label alone may name several.
func TestChoose(t *testing.T) {
	st := testdb.New(t)
	add := func(number track.SeedNumber, c track.Configuration) {
		s := trackertest.Seed("s", number, map[string]float64{"a": 1})
		s.Configuration = c
		trackertest.Record(t, st, seeds.Options{}, s)
	}
	theta1 := track.Configuration{Label: "v1", Params: `{"theta":1}`}
	theta2 := track.Configuration{Label: "v1", Params: `{"theta":2}`}
	commit := track.Configuration{Label: "v2", Revision: track.Revision{Commit: "c0ffee5"}}
	dirty := track.Configuration{Label: "v2", Revision: track.Revision{Commit: "c0ffee5", Dirty: true, DiffHash: "abcdef"}}
	bare := track.Configuration{}
	for i, c := range []track.Configuration{theta1, theta2, commit, dirty, bare} {
		add(track.SeedNumber(i), c)
		add(100, c) // one number in all
	}
	add(7, theta1) // the most recent
	for _, tt := range []struct {
		selector  string
		mixed     bool
		want      []track.Configuration
		others    int
		revisions int
		err       error
		says      []string
	}{
		{selector: "s", err: track.ErrAmbiguous, says: []string{"5 configurations match", "differ in their parameters", "theta=1", "theta=2", "n 3", "first recorded 20"}},
		{selector: "s@latest", want: []track.Configuration{theta1}, others: 4},
		{selector: "s@theta=2", want: []track.Configuration{theta2}, others: 4},
		{selector: "s@theta=3", err: track.ErrNotFound, says: []string{`"theta=3"`}},
		{selector: "s@v1", err: track.ErrAmbiguous, says: []string{"s@" + track.ShortHash(theta1.Hash()), "s@" + track.ShortHash(theta2.Hash()), "theta=1", "theta=2"}},
		{selector: "s@v2", want: []track.Configuration{dirty}, others: 4, revisions: 1},
		{selector: "s@v1", mixed: true, want: []track.Configuration{theta2, theta1}, others: 3},
		{selector: "s@" + track.ShortHash(theta2.Hash()), want: []track.Configuration{theta2}, others: 4},
		{selector: "s@" + bare.Hash(), want: []track.Configuration{bare}, others: 4},
		{selector: "s@v3", err: track.ErrNotFound, says: []string{`"v3"`}},
		{selector: "x", err: track.ErrNotFound, says: []string{"scenario x"}},
		{selector: "x@v1", err: track.ErrNotFound, says: []string{"scenario x"}},
	} {
		sel, err := answer.ParseSelector(tt.selector)
		if err != nil {
			t.Fatal(err)
		}
		choice, err := seeds.Choose(t.Context(), st.Reader, sel, tt.mixed)
		if tt.err != nil {
			trackertest.WantError(t, err, tt.err)
			for _, text := range tt.says {
				if err != nil && !strings.Contains(err.Error(), text) {
					t.Errorf("%s: %v does not say %s", tt.selector, err, text)
				}
			}
			if len(track.Hints(err)) == 0 {
				t.Errorf("%s: %v shows no way out", tt.selector, err)
			}
			continue
		}
		var got []track.Configuration
		for _, c := range choice.Configurations {
			got = append(got, c.Configuration)
		}
		if diff := cmp.Diff(tt.want, got); diff != "" || err != nil || choice.NOthers != tt.others || choice.NRevisions != tt.revisions {
			t.Errorf("%s: %d others, %d other revisions, error %v (-want +got):\n%s", tt.selector, choice.NOthers, choice.NRevisions, err, diff)
		}
	}
	for _, s := range []string{"", "@", "@v1", "s@"} {
		_, err := answer.ParseSelector(s)
		trackertest.WantError(t, err, track.ErrInvalid)
	}
	if sel, err := answer.ParseSelector("s@a@b"); err != nil || sel != (answer.Selector{Scenario: "s", Configuration: "a@b"}) {
		t.Errorf("a label with @: %+v, %v", sel, err)
	}

	// An aggregate never mixes them unless told to.
	trackertest.AddSpec(t, st, trackertest.Ranges("s", [2]float64{0, 1}))
	_, err := seeds.Stability(t.Context(), st.Reader, answer.Selector{Scenario: "s", Configuration: "v1"}, seeds.StabilityOptions{})
	trackertest.WantError(t, err, track.ErrAmbiguous)
	mixed, err := seeds.Stability(t.Context(), st.Reader, answer.Selector{Scenario: "s", Configuration: "v1"}, seeds.StabilityOptions{AllowMixed: true})
	if err != nil || mixed.NSeeds != 5 || len(mixed.Configurations) != 2 {
		t.Errorf("mixed: %d seeds of %d configurations, error %v, want 5 of 2", mixed.NSeeds, len(mixed.Configurations), err)
	}
}

func TestStabilityRefuses(t *testing.T) {
	st := testdb.New(t)
	stability := func(selector string, options seeds.StabilityOptions) error {
		sel, err := answer.ParseSelector(selector)
		if err != nil {
			t.Fatal(err)
		}
		_, err = seeds.Stability(t.Context(), st.Reader, sel, options)
		if len(track.Hints(err)) == 0 {
			t.Errorf("%v shows no way out", err)
		}
		return err
	}
	trackertest.WantError(t, stability("s", seeds.StabilityOptions{}), track.ErrNotFound)
	trackertest.Record(t, st, seeds.Options{}, trackertest.Seed("s", 1, map[string]float64{"a": 0.5}))
	trackertest.WantError(t, stability("s", seeds.StabilityOptions{}), track.ErrNotFound) // no spec
	trackertest.AddSpec(t, st, trackertest.Ranges("s", [2]float64{0, 1}))
	trackertest.AddSpec(t, st, trackertest.Ranges("s", [2]float64{0, 2}))
	if err := stability("s", seeds.StabilityOptions{}); !errors.Is(err, track.ErrInvalid) || !strings.Contains(err.Error(), "1 of 1 seed was never scored under s@2") {
		t.Errorf("seeds that were never judged: %v", err)
	}
	trackertest.WantError(t, stability("s", seeds.StabilityOptions{SpecVersion: 3}), track.ErrNotFound)
	trackertest.WantError(t, stability("s", seeds.StabilityOptions{SpecVersion: 1, Seeds: []track.SeedRange{{First: 5, Last: 9}}}), track.ErrNotFound)
	if _, err := seeds.Stability(t.Context(), st.Reader, answer.Selector{Scenario: "s"}, seeds.StabilityOptions{SpecVersion: 1}); err != nil {
		t.Error(err)
	}
}
