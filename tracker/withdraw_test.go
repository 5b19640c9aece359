package tracker_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"track"
	"track/answer"
	"track/internal/property"
	"track/internal/testdb"
	"track/internal/trackertest"
	"track/store"
	"track/tracker/integrity"
	"track/tracker/seeds"
)

func because(reason string) answer.Change { return answer.Change{Reason: reason, Actor: "me"} }

func selector(label string) answer.Selector {
	return answer.Selector{Scenario: "s", Configuration: label}
}

func (s *shard) withdrawSeed(label string, number track.SeedNumber) error {
	_, err := seeds.WithdrawSeed(s.t.Context(), s.st, answer.WithdrawSeedQuestion{Of: selector(label), Seed: number, Change: because("wrong")})
	return err
}

func (s *shard) restoreSeed(label string, number track.SeedNumber) error {
	_, err := seeds.RestoreSeed(s.t.Context(), s.st, answer.RestoreSeedQuestion{Of: selector(label), Seed: number, Change: because("right")})
	return err
}

func (s *shard) withdrawAll(label string) error {
	_, err := seeds.WithdrawConfiguration(s.t.Context(), s.st, answer.WithdrawConfigurationQuestion{Of: selector(label), Change: because("wrong")})
	return err
}

func (s *shard) restoreAll(label string) error {
	_, err := seeds.RestoreConfiguration(s.t.Context(), s.st, answer.RestoreConfigurationQuestion{Of: selector(label), Change: because("right")})
	return err
}

// counted lists the seeds that count, and those that are withdrawn.
func (s *shard) counted() string {
	return strings.Join(s.dump()["seed"], "\n")
}

func (s *shard) sound() {
	s.t.Helper()
	check, err := integrity.Check(s.t.Context(), s.st, nil)
	if err != nil || !check.Sound {
		s.t.Errorf("check: %+v, %v", check.Damage, err)
	}
}

// Withdrawn seeds do not come back by recording, ingesting or merging them again; another measurement can be recorded.
func TestWithdrawnSeedDoesNotComeBack(t *testing.T) {
	const line = `{"kind":"seed","scenario":"s","seed":"1","values":{"a":6.5},"configuration":{"label":"x"}}` + "\n"
	for route, bring := range map[string]func(to *shard){
		"batch":  func(to *shard) { to.batch(line) },
		"ingest": func(to *shard) { to.ingest(line) },
		"merge":  func(to *shard) { from := newShard(t, 20); from.batch(line); to.merge(from) },
		"bundle": func(to *shard) { from := newShard(t, 20); from.batch(line); to.mergeLines(from) },
	} {
		here := newShard(t, 0)
		here.batch(line)
		if err := here.withdrawSeed("x", 1); err != nil {
			t.Fatal(err)
		}
		bring(here)
		if n := trackertest.Numbers(t, here.st, "s"); len(n) != 0 {
			t.Errorf("%s: seeds %v count", route, n)
		}
		here.sound()
		here.seed(1, "x", map[string]float64{"a": 0.065}, seeds.Options{})
		trackertest.WantError(t, here.restoreSeed("x", 1), track.ErrConflict)
		if err := here.withdrawSeed("x", 1); err != nil {
			t.Fatal(err)
		}
		here.sound()
	}
}

// A withdrawn configuration takes no seed, and is back as a whole when it is restored.
func TestWithdrawnConfiguration(t *testing.T) {
	s := newShard(t, 0)
	for n := range 4 {
		s.seed(track.SeedNumber(n), "x", map[string]float64{"a": float64(n)}, seeds.Options{})
	}
	if err := s.withdrawSeed("x", 2); err != nil {
		t.Fatal(err)
	}
	before := s.counted()
	if err := s.withdrawAll("x"); err != nil {
		t.Fatal(err)
	}
	trackertest.WantError(t, s.withdrawAll("x"), track.ErrConflict)
	trackertest.WantError(t, s.restoreSeed("x", 1), track.ErrConflict)
	late := trackertest.Seed("s", 9, map[string]float64{"a": 9})
	late.Configuration.Label = "x"
	if r := trackertest.Record(t, s.st, seeds.Options{}, late); r.Disposition != track.Withdrawn {
		t.Errorf("a seed of a withdrawn configuration: %s", r.Disposition)
	}
	if n := trackertest.Numbers(t, s.st, "s"); len(n) != 0 {
		t.Errorf("seeds %v count", n)
	}
	s.sound()
	if err := s.restoreAll("x"); err != nil {
		t.Fatal(err)
	}
	if after := s.counted(); after != before {
		t.Errorf("restored: %s, not %s", after, before)
	}
	s.sound()
}

// Databases that withdraw and restore what they share agree after merging, in whatever order.
func TestWithdrawalsConverge(t *testing.T) {
	empty := emptyDatabase(t)
	property.Check(t, func(rt *rapid.T) {
		const nShards = 3
		newShard := func(t *testing.T, minute int) *shard {
			s := openShard(t, empty, testdb.Clock().Add(time.Duration(minute)*time.Minute))
			rt.Cleanup(func() { _ = s.st.Close() })
			return s
		}
		shards := make([]*shard, nShards)
		for i := range shards {
			shards[i] = newShard(t, i*10)
			for _, n := range rapid.SliceOfDistinct(rapid.IntRange(0, 2), rapid.ID[int]).Draw(rt, "seeds") {
				for _, label := range []string{"x", "y"} {
					shards[i].seed(track.SeedNumber(n), label, map[string]float64{"a": float64(n)}, seeds.Options{})
				}
			}
		}
		for range rapid.IntRange(1, 12).Draw(rt, "steps") {
			s := shards[rapid.IntRange(0, nShards-1).Draw(rt, "shard")]
			label, number := rapid.SampledFrom([]string{"x", "y"}).Draw(rt, "label"), track.SeedNumber(rapid.IntRange(0, 2).Draw(rt, "seed"))
			switch rapid.IntRange(0, 4).Draw(rt, "act") { // what is not there is refused
			case 0:
				_ = s.withdrawSeed(label, number)
			case 1:
				_ = s.restoreSeed(label, number)
			case 2:
				_ = s.withdrawAll(label)
			case 3:
				_ = s.restoreAll(label)
			case 4:
				s.merge(shards[rapid.IntRange(0, nShards-1).Draw(rt, "from")])
			}
		}
		var want string
		for _, order := range [][]int{{0, 1, 2}, rapid.Permutation([]int{0, 1, 2}).Draw(rt, "order")} {
			all := newShard(t, 90)
			for _, i := range order {
				all.merge(shards[i])
			}
			all.sound()
			if got := all.withdrawals(); want == "" {
				want = got
			} else if got != want {
				rt.Fatalf("order %v:\n%s\nnot\n%s", order, got, want)
			}
		}
	})
}

// withdrawals lists every seed with whether it counts, in the order of places.
func (s *shard) withdrawals() string {
	s.t.Helper()
	var b strings.Builder
	for _, withdrawn := range []bool{false, true} {
		for _, label := range []string{"x", "y"} {
			for n := range 3 {
				number := track.SeedNumber(n)
				list, err := s.st.Seeds(s.t.Context(), filterOf(label, &number, withdrawn))
				if err != nil {
					s.t.Fatal(err)
				}
				for _, seed := range list {
					fmt.Fprintln(&b, label, n, seed.ID, withdrawn, seed.RecordedAt, seed.Withdrawn != nil)
				}
			}
		}
	}
	return b.String()
}

func filterOf(label string, number *track.SeedNumber, withdrawn bool) store.SeedFilter {
	return store.SeedFilter{Scenario: "s", Label: label, Number: number, Withdrawn: withdrawn}
}
