package exchange

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"track/importer/lines"
	"track/internal/testdb"
	"track/store"
	"track/tracker/names"
)

// seedLines returns a line for each number.
func seedLines(numbers ...int) string {
	var text strings.Builder
	for _, n := range numbers {
		fmt.Fprintf(&text, `{"kind":"seed","scenario":"growth","seed":"%d","values":{"a":1},"configuration":{"label":"c"}}`+"\n", n)
	}
	return text.String()
}

// bring lets a member of a group wait with some lines, as [Group.RecordAll] does, for the next commit.
func bring(t *testing.T, ctx context.Context, g *Group, text string) *member {
	t.Helper()
	m := newMember(ctx, g.store, names.New(names.Warn), BatchObserver{})
	m.run.door.patience = g.longest
	for record, err := range lines.ReadSent(strings.NewReader(text)) {
		if err == nil {
			err = m.add(record)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	g.waiting, g.led = append(g.waiting, m), true
	return m
}

func countSeeds(t *testing.T, st *store.Store) (n int) {
	t.Helper()
	_, err := st.Query(t.Context(), "SELECT count(*) FROM seed", func(_ []string, row []any) error {
		n = int(row[0].(int64))
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return n
}

// broken is a record that cannot be stored.
type broken struct{}

var errBroken = errors.New("broken")

func (broken) needs() (Rights, string) { return BringFacts, "" }
func (broken) isKnown() bool           { return false }
func (broken) settle(context.Context, *Door, *store.Reader, *store.Tx) ([]Answer, error) {
	return nil, errBroken
}

// panics is a record with a defect.
type panics struct{ broken }

func (panics) settle(context.Context, *Door, *store.Reader, *store.Tx) ([]Answer, error) {
	panic("defect")
}

// One transaction takes what all bring.
func TestGroupShares(t *testing.T) {
	g := NewGroup(testdb.New(t))
	g.longest = time.Hour
	members := []*member{bring(t, t.Context(), g, seedLines(1)), bring(t, t.Context(), g, seedLines(2, 1)), bring(t, t.Context(), g, "{\n"+seedLines(3))}
	if g.commit(); len(g.waiting) > 0 || countSeeds(t, g.store) != 3 {
		t.Fatalf("%d wait after one commit, %d seeds", len(g.waiting), countSeeds(t, g.store))
	}
	for i, want := range []BatchSummary{{Recorded: 1}, {Recorded: 1, Duplicates: 1}, {Recorded: 1, Rejected: 1}} {
		got, err := members[i].summary(), members[i].err
		if err != nil || got.Recorded != want.Recorded || got.Duplicates != want.Duplicates || got.Rejected != want.Rejected {
			t.Errorf("member %d: %+v, %v", i, got, err)
		}
	}
}

// What one brings cannot be stored: only that one gets the error, and the others' records are stored.
func TestGroupKeepsFaultsApart(t *testing.T) {
	for name, fault := range map[string]Record{"an error": broken{}, "a panic": panics{}} {
		t.Run(name, func(t *testing.T) {
			g := NewGroup(testdb.New(t))
			g.longest = time.Hour
			first, bad, last := bring(t, t.Context(), g, seedLines(1)), bring(t, t.Context(), g, seedLines(2)), bring(t, t.Context(), g, seedLines(3))
			bad.records = append(bad.records, fault)
			for range 4 {
				g.commit()
			}
			if !first.isDone() || !bad.isDone() || !last.isDone() {
				t.Fatalf("%d wait", len(g.waiting))
			}
			if bad.err == nil || first.err != nil || last.err != nil || countSeeds(t, g.store) != 2 {
				t.Errorf("errors %v, %v, %v; %d seeds", first.err, bad.err, last.err, countSeeds(t, g.store))
			}
			if got := last.summary(); got.Recorded != 1 || got.Duplicates != 0 {
				t.Errorf("the last: %+v", got)
			}
		})
	}
}

// Whoever has gone records nothing, and the others go on.
func TestGroupLeavesOutTheGone(t *testing.T) {
	g := NewGroup(testdb.New(t))
	gone, cancel := context.WithCancel(t.Context())
	first, last := bring(t, gone, g, seedLines(1)), bring(t, t.Context(), g, seedLines(2))
	cancel()
	g.commit()
	if !errors.Is(first.err, context.Canceled) || !last.isDone() || last.err != nil || countSeeds(t, g.store) != 1 {
		t.Errorf("errors %v, %v; %d seeds", first.err, last.err, countSeeds(t, g.store))
	}
}

// Many record at once, with refused lines, requests that are cancelled and long ones among them: what is acknowledged
// is there once.
func TestGroupConcurrently(t *testing.T) {
	const callers, each = 16, 12
	g := NewGroup(testdb.New(t))
	enter := func(context.Context) (func(), error) { return func() {}, nil }
	var mu sync.Mutex
	recorded, duplicates := 0, 0
	var calling sync.WaitGroup
	for c := range callers {
		calling.Go(func() {
			for i := range each {
				number := c*each + i
				ctx, cancel := context.WithCancel(t.Context())
				text := "{\n" + seedLines(number)
				switch i % 4 {
				case 1:
					go cancel()
				case 2:
					text = seedLines(slicesOfNumbers(1000*number, maxShared+10)...)
				}
				summary, err := g.RecordAll(ctx, names.New(names.Warn), lines.ReadSent(strings.NewReader(text)), BatchObserver{}, enter)
				cancel()
				if err != nil && i%4 != 1 {
					t.Errorf("request %d: %v", number, err)
				}
				again, err := g.RecordAll(t.Context(), names.New(names.Warn), lines.ReadSent(strings.NewReader(text)), BatchObserver{}, enter)
				if err != nil || again.Conflicts > 0 || summary.Recorded > again.Duplicates {
					t.Errorf("request %d again: %+v, %v", number, again, err)
				}
				mu.Lock()
				recorded += summary.Recorded + again.Recorded
				duplicates += again.Duplicates
				mu.Unlock()
			}
		})
	}
	calling.Wait()
	if n := countSeeds(t, g.store); n != recorded || g.led || len(g.waiting) > 0 {
		t.Errorf("%d seeds, %d acknowledged; led %v, %d wait", n, recorded, g.led, len(g.waiting))
	}
	if duplicates == 0 {
		t.Error("no duplicate")
	}
}

func slicesOfNumbers(from, n int) (list []int) {
	for i := range n {
		list = append(list, 100_000+from+i)
	}
	return list
}
