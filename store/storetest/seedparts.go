package storetest

import (
	"crypto/sha256"
	"testing"

	"github.com/google/go-cmp/cmp"

	"track"
	"track/store"
)

// Two seeds of different configurations share the numbers of a series and the bytes of a file.
func testSeedParts(t *testing.T, st *store.Store) {
	series := store.EncodedSeries{Name: "gdp", Hash: sha256.Sum256([]byte("x")), N: 3, Chunks: []store.SeriesChunk{{N: 2, Data: []byte("ab")}, {N: 1, Data: []byte("c")}}}
	file := track.Artifact{Name: "run.log", Content: "done"}
	ids := add(t, st,
		track.Seed{ID: "A", Scenario: "s", Number: 1, Configuration: track.Configuration{Label: "a"}},
		track.Seed{ID: "B", Scenario: "s", Number: 1, Configuration: track.Configuration{Label: "b"}})
	for _, id := range ids { // in transactions of their own, which look up where the seeds lie
		update(t, st, func(tx *store.Tx) error {
			if err := tx.AddSeries(id, []store.EncodedSeries{series}); err != nil {
				return err
			}
			return tx.AddArtifacts(id, []track.Artifact{file, file, {Name: "core", LeftOut: "too large"}})
		})
	}
	seeds, err := st.Seeds(t.Context(), store.SeedFilter{})
	if err != nil || len(seeds) != len(ids) {
		t.Fatalf("%d seeds, %v", len(seeds), err)
	}
	for _, seed := range seeds {
		chunks, err := st.SeriesChunks(t.Context(), seed.ID, "gdp")
		if diff := cmp.Diff(series.Chunks, chunks); diff != "" || err != nil {
			t.Errorf("chunks of %s: %v\n%s", seed.ID, err, diff)
		}
		files, err := st.ArtifactsOf(t.Context(), seed.ID)
		if err != nil || len(files) != 2 || files[0].LeftOut != "too large" || files[1].NBytes != 4 {
			t.Errorf("files of %s: %+v, %v", seed.ID, files, err)
		}
	}
}
