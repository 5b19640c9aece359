package integrity_test

import (
	"bytes"
	"context"
	"encoding/binary"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"
	"time"

	"track"
	"track/internal/testdb"
	"track/internal/trackertest"
	"track/tracker/integrity"
	"track/tracker/seeds"
)

const pageSize = 4096

// children returns where the pointers to children of an inner page of a tree stand in a file: the last one in the head.
func children(data []byte, page int) (at []int) {
	head := data[page*pageSize:][:pageSize]
	if kind := head[0]; page == 0 || kind != 2 && kind != 5 {
		return nil
	}
	for i := range int(binary.BigEndian.Uint16(head[3:])) {
		if cell := int(binary.BigEndian.Uint16(head[12+2*i:])); cell+4 <= pageSize {
			at = append(at, page*pageSize+cell)
		}
	}
	return append(at, page*pageSize+8)
}

// tangle lets inner pages point to one another, in circles, or to the same page again and again.
func tangle(random *rand.Rand, data []byte) []byte {
	damaged := bytes.Clone(data)
	var inner []int
	for page := range len(data) / pageSize {
		if len(children(data, page)) > 1 {
			inner = append(inner, page)
		}
	}
	share := random.Float64()
	for range 1 + random.IntN(2*len(inner)) {
		page, target := inner[random.IntN(len(inner))], inner[random.IntN(len(inner))]+1
		if random.IntN(3) == 0 {
			target = 1 + random.IntN(len(data)/pageSize)
		}
		for _, at := range children(data, page) {
			if random.Float64() < share {
				binary.BigEndian.PutUint32(damaged[at:], uint32(target))
			}
		}
	}
	return damaged
}

// A check ends within 10 s on every file: 200 are damaged, or 20 with -short, half of them so that pages lead in
// circles.
func TestCheckEnds(t *testing.T) {
	testdb.OnlySQLite(t, "it changes the file")
	st := testdb.New(t)
	trackertest.AddSpec(t, st, trackertest.Ranges("s", [2]float64{0, 1}, [2]float64{0, 10}))
	for i := range 4000 {
		trackertest.Record(t, st, seeds.Options{}, trackertest.Seed("s", track.SeedNumber(i), map[string]float64{"b": float64(i) / 7, "a": 0.25}))
	}
	execute(t, st.Path(), "PRAGMA wal_checkpoint(TRUNCATE)")
	data, err := os.ReadFile(st.Path())
	if err != nil {
		t.Fatal(err)
	}
	files, unsound := 200, 0
	if testing.Short() {
		files = 20
	}
	for n := range uint64(files) {
		t.Run(fmt.Sprint(n), func(t *testing.T) {
			random := rand.New(rand.NewPCG(n, 44))
			damaged := bytes.Clone(data)
			if n%2 == 0 {
				damaged = tangle(random, data)
			} else {
				for range 1 + random.IntN(64) {
					damaged[100+random.IntN(len(data)-100)] = byte(random.Uint32())
				}
			}
			path := filepath.Join(t.TempDir(), "track.db")
			if err := os.WriteFile(path, damaged, 0o600); err != nil {
				t.Fatal(err)
			}
			ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
			defer cancel()
			a, err := integrity.CheckFile(ctx, path, testdb.Clock, nil)
			if ctx.Err() != nil {
				t.Errorf("not done: %+v, %v", a, err)
			}
			if err != nil || !a.Sound {
				unsound++
			}
		})
	}
	if unsound < files*9/10 {
		t.Errorf("%d of %d damaged files are called damaged", unsound, files)
	}
}
