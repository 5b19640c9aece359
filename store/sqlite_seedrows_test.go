package store

import (
	"context"
	"database/sql/driver"
	"errors"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"track"
)

// fillResults stores results that need two levels of pages above the leaves: the table has 400,000 bytes.
const fillResults = `
	WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < 19999)
	INSERT INTO result SELECT 3 * (i / 40) + 1, i / 20 % 2, i % 20, i % 3, CASE WHEN i % 7 > 0 THEN i / 3.0 END FROM n`

type scannedResult struct {
	Seed, Spec, Metric, Status int64
	Score                      float64
	IsNull                     bool
}

func filledStore(t *testing.T) *Store {
	t.Helper()
	st := planStore(t)
	err := st.Update(t.Context(), func(tx *Tx) error {
		_, err := tx.exec(fillResults)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return st
}

// A scan finds what a query finds, in whatever order it is asked for seeds.
func TestScanOfSeeds(t *testing.T) {
	st := filledStore(t)
	all := map[int64][]scannedResult{}
	err := st.stream(t.Context(), `SELECT seed_id, spec_id, metric_id, status, score FROM result ORDER BY 1, 2, 3`, nil, func(row []driver.Value) {
		score, ok := row[4].(float64)
		r := scannedResult{row[0].(int64), row[1].(int64), row[2].(int64), row[3].(int64), score, !ok}
		all[r.Seed] = append(all[r.Seed], r)
	})
	if err != nil || len(all) != 500 {
		t.Fatalf("%d seeds, error %v", len(all), err)
	}
	random := rand.New(rand.NewPCG(1, 2))
	shuffled := random.Perm(1510) // two of three have no rows
	lists := map[string][]int64{"none": nil, "before all": {-5, 0}, "behind all": {1499, 1 << 40}, "one twice": {100, 100}, "backwards": {1498, 700, 1}}
	for _, id := range shuffled {
		lists["shuffled"] = append(lists["shuffled"], int64(id))
	}
	lists["all"] = slices.Sorted(slices.Values(lists["shuffled"]))
	lists["some"] = slices.Sorted(slices.Values(lists["shuffled"][:40]))
	for name, ids := range lists {
		var want, got []scannedResult
		for _, id := range ids {
			want = append(want, all[id]...)
		}
		err := st.Snapshot(t.Context(), func(r *Reader) error {
			return r.pool.engine.scanSeeds(t.Context(), r, "result", ids, func(seed int64, row packedRow) error {
				r := scannedResult{Seed: seed, Spec: row.integer(), Metric: row.integer(), Status: row.integer()}
				if r.Score, r.IsNull = row.number(); r.IsNull {
					r.Score = 0
				}
				got = append(got, r)
				return nil
			})
		})
		if diff := cmp.Diff(want, got); diff != "" || err != nil {
			t.Errorf("%s: error %v (-want +got):\n%s", name, err, diff)
		}
	}
}

// A transaction scans what it has written itself.
func TestScanOfSeedsInTransaction(t *testing.T) {
	st := filledStore(t)
	n := 0
	err := st.Update(t.Context(), func(tx *Tx) error {
		if _, err := tx.exec(`INSERT INTO result VALUES (2, 1, 1, 0, 1.5)`); err != nil {
			return err
		}
		return tx.pool.engine.scanSeeds(t.Context(), tx.Reader, "result", []int64{2}, func(int64, packedRow) error { n++; return nil })
	})
	if err != nil || n != 1 {
		t.Errorf("%d rows, error %v, want 1", n, err)
	}
}

// A scan ends when its context does, and when a visit fails.
func TestScanOfSeedsEnds(t *testing.T) {
	st := filledStore(t)
	ctx, cancel := context.WithTimeout(t.Context(), time.Hour)
	n, stop := 0, errors.New("stop")
	scan := func(ctx context.Context, visit func() error) error {
		return st.Snapshot(t.Context(), func(r *Reader) error {
			return r.pool.engine.scanSeeds(ctx, r, "result", []int64{1, 1498}, func(int64, packedRow) error { return visit() })
		})
	}
	if err := scan(ctx, func() error { n++; cancel(); return nil }); !errors.Is(err, context.Canceled) || n != 40 {
		t.Errorf("%d rows and error %v, want the 40 of the first seed, and canceled", n, err)
	}
	if err := scan(t.Context(), func() error { return stop }); !errors.Is(err, stop) {
		t.Errorf("error %v, want that of the visit", err)
	}
}

// A page of zeros names page 0, which no file has.
func TestPagesThatDoNotExistAreDamage(t *testing.T) {
	for name, page := range map[string][]byte{"no page": nil, "zeros": make([]byte, 4096)} {
		if _, err := cellsOf(page, 0, 1, keyTree); !errors.Is(err, track.ErrDamaged) {
			t.Errorf("%s: %v", name, err)
		}
	}
}
