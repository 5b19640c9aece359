package storetest

import (
	"fmt"
	"math"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"track"
	"track/scoring"
	"track/store"
)

var lastID atomic.Int64

// newID returns an id that no other record has, as long as a ULID.
func newID() string { return fmt.Sprintf("%026d", lastID.Add(1)) }

func testSeed(t *testing.T, st *store.Store) {
	started := time.Date(1969, 12, 31, 23, 59, 59, 123456000, time.UTC) // before the epoch
	took := 1001001 * time.Microsecond
	whole := track.Seed{
		Scenario: "growth", Number: 7,
		Configuration: track.Configuration{
			Label: "v1", Params: `{"theta":14}`, Revision: track.Revision{Commit: "303e61f", Dirty: true, DiffHash: "ab12", Unknown: "c3"},
		},
		Outcome: track.OutcomeTimeout, Message: "took too long\nat line 3", Values: map[string]float64{"m": 1},
		Environment: track.Environment{"host": "n1", "os": "linux"},
		StartedAt:   started, Duration: &took,
	}
	bare := track.Seed{Scenario: "growth", Number: 8, Values: map[string]float64{"m": 2}}
	for _, seed := range []track.Seed{whole, bare} {
		add(t, st, seed)
		want, _ := complete(st, seed)
		d := one(t, st, "growth", seed.Number)
		got := track.Seed{
			Scenario: d.Scenario, Number: d.Number, Configuration: d.Configuration.Configuration, Outcome: d.Outcome, Message: d.Message,
			Values: d.Values, Environment: d.Environment, StartedAt: d.StartedAt, Duration: d.Duration, RecordedAt: d.RecordedAt,
		}
		if diff := cmp.Diff(want, got, cmpopts.IgnoreFields(track.Seed{}, "ID"), cmpopts.EquateEmpty()); diff != "" {
			t.Errorf("seed %s (-want +got):\n%s", seed.Number, diff)
		}
		if d.Configuration.Hash != seed.Configuration.Hash() {
			t.Errorf("seed %s: hash %s, want %s", seed.Number, d.Configuration.Hash, seed.Configuration.Hash())
		}
		if d.SpecVersion != 0 || len(d.Assessed) != 0 {
			t.Errorf("seed %s is assessed under version %d, %v; there is no spec", seed.Number, d.SpecVersion, d.Assessed)
		}
	}
}

// What no JSON can say must not make a record unreadable: the message is the end of a log, cut anywhere; a host can
// have any name.
func testFreeText(t *testing.T, st *store.Store) {
	add(t, st, track.Seed{
		Scenario: "s", Outcome: track.OutcomeError, Message: "caf\xe9, cut in the mid\xc3",
		Environment: track.Environment{"host": "caf\xe9"},
	})
	got := one(t, st, "s", 0)
	if want := "caf\uFFFD, cut in the mid\uFFFD"; got.Message != want {
		t.Errorf("message %q, want %q", got.Message, want)
	}
	if got, want := got.Environment["host"], "caf\uFFFD"; got != want {
		t.Errorf("host %q, want %q", got, want)
	}
}

func testSeedNumbers(t *testing.T, st *store.Store) {
	all := []track.SeedNumber{0, 1, 1<<53 + 1, math.MaxInt64 - 1, math.MaxInt64, math.MaxInt64 + 1, math.MaxUint64 - 1, math.MaxUint64}
	for i := len(all) - 1; i >= 0; i-- { // the order of recording is not that of the numbers
		add(t, st, track.Seed{Scenario: "s", Number: all[i], Outcome: track.OutcomeError})
		if got := one(t, st, "s", all[i]).Number; got != all[i] {
			t.Errorf("seed %s came back as %s", all[i], got)
		}
	}
	sel := store.Selection{Scenario: "s", Configurations: []int64{configuration(t, st, "s")}}
	if diff := cmp.Diff(all, numbers(t, st, sel)); diff != "" {
		t.Errorf("order (-want +got):\n%s", diff)
	}
	for _, ranges := range []string{
		"0", "0..1", "0..9223372036854775807", "9223372036854775807..9223372036854775808", "9223372036854775806..18446744073709551615",
		"9223372036854775808..18446744073709551615", "0..18446744073709551615", "18446744073709551615", "2..9007199254740992",
		"0,18446744073709551614", "1..1,0..0,9223372036854775807..18446744073709551614", "5",
	} {
		parsed, err := track.ParseSeedRanges(ranges)
		if err != nil {
			t.Fatal(err)
		}
		var want []track.SeedNumber
		for _, n := range all {
			for _, r := range parsed {
				if r.Contains(n) {
					want = append(want, n)
					break
				}
			}
		}
		sel.Seeds = parsed
		if diff := cmp.Diff(want, numbers(t, st, sel)); diff != "" {
			t.Errorf("seeds %s (-want +got):\n%s", ranges, diff)
		}
		totals, err := st.SeedTotals(t.Context(), sel)
		if err != nil || totals.NSeeds != len(want) {
			t.Errorf("seeds %s: %d seeds and error %v, want %d", ranges, totals.NSeeds, err, len(want))
		}
	}
}

func testSeedFilters(t *testing.T, st *store.Store) {
	spec := addSpec(t, st, "s", 1)
	begin := st.Now()
	judged := func(number track.SeedNumber, label string, score float64, status scoring.Status) {
		id := add(t, st, track.Seed{
			Scenario: "s", Number: number, Values: map[string]float64{"m0": 1}, Configuration: track.Configuration{Label: label},
		})[0]
		a := scoring.Assessment{TotalScore: score, Scored: true, Results: []scoring.Result{{Name: "m0", Value: 1, Status: status, Score: score}}}
		switch status {
		case scoring.Pass:
			a.NPass = 1
		case scoring.Warn:
			a.NWarn = 1
		case scoring.Fail:
			a.NFail = 1
		}
		update(t, st, func(tx *store.Tx) error { return tx.AddAssessment(id, spec.ID, a) })
	}
	judged(1, "v1", 0.9, scoring.Pass)
	judged(2, "v1", 0.5, scoring.Warn)
	judged(3, "v2", 0.1, scoring.Fail)
	add(t, st, track.Seed{Scenario: "s", Number: 4, Outcome: track.OutcomeTimeout, Configuration: track.Configuration{Label: "v2"}})
	add(t, st, track.Seed{Scenario: "other", Number: 5, Values: map[string]float64{"m0": 1}, Configuration: track.Configuration{Label: "v1"}})
	number := func(x float64) *float64 { return &x }
	for _, tt := range []struct {
		name   string
		filter store.SeedFilter
		want   []track.SeedNumber // newest first
	}{
		{"all", store.SeedFilter{}, []track.SeedNumber{5, 4, 3, 2, 1}},
		{"limit", store.SeedFilter{Limit: 2}, []track.SeedNumber{5, 4}},
		{"scenario", store.SeedFilter{Scenario: "s"}, []track.SeedNumber{4, 3, 2, 1}},
		{"unknown scenario", store.SeedFilter{Scenario: "x"}, nil},
		{"label", store.SeedFilter{Label: "v1"}, []track.SeedNumber{5, 2, 1}},
		{"scenario and label", store.SeedFilter{Scenario: "s", Label: "v1"}, []track.SeedNumber{2, 1}},
		{"ok", store.SeedFilter{Outcome: track.OutcomeOK}, []track.SeedNumber{5, 3, 2, 1}},
		{"timeout", store.SeedFilter{Outcome: track.OutcomeTimeout}, []track.SeedNumber{4}},
		{"scenario and timeout", store.SeedFilter{Scenario: "s", Outcome: track.OutcomeTimeout}, []track.SeedNumber{4}},
		{"error", store.SeedFilter{Outcome: track.OutcomeError}, nil},
		{"fail", store.SeedFilter{Status: scoring.Fail}, []track.SeedNumber{4, 3}},
		{"warn", store.SeedFilter{Status: scoring.Warn}, []track.SeedNumber{2}},
		{"pass", store.SeedFilter{Status: scoring.Pass}, []track.SeedNumber{1}},
		{"at least", store.SeedFilter{MinScore: number(0.5)}, []track.SeedNumber{2, 1}},
		{"at most", store.SeedFilter{MaxScore: number(0.5)}, []track.SeedNumber{3, 2}},
		{"between", store.SeedFilter{MinScore: number(0.2), MaxScore: number(0.5)}, []track.SeedNumber{2}},
		{"since the first", store.SeedFilter{Since: begin}, []track.SeedNumber{5, 4, 3, 2, 1}},
		{"since after the last", store.SeedFilter{Since: st.Now().Add(time.Hour)}, nil},
		{"everything", store.SeedFilter{
			Scenario: "s", Label: "v2", Outcome: track.OutcomeOK, Status: scoring.Fail, MinScore: number(0), MaxScore: number(1), Since: begin, Limit: 9,
		}, []track.SeedNumber{3}},
	} {
		seeds, err := st.Seeds(t.Context(), tt.filter)
		if err != nil {
			t.Errorf("%s: %v", tt.name, err)
		}
		var got []track.SeedNumber
		for _, s := range seeds {
			got = append(got, s.Number)
			if tt.filter.Status != "" && s.Status != tt.filter.Status {
				t.Errorf("%s: seed %s has the status %q", tt.name, s.Number, s.Status)
			}
		}
		if diff := cmp.Diff(tt.want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", tt.name, diff)
		}
	}
}
