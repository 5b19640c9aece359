package pages_test

import (
	"strings"
	"testing"

	"track"
	"track/internal/testdb"
	"track/store"
)

// A list without rows names the commands that would fill it, with the names of what is recorded. One that is filtered
// does not: the rows may be elsewhere.
func TestEmptyListsTeach(t *testing.T) {
	t.Parallel()
	st := testdb.New(t)
	base := serve(t, st)
	for address, want := range map[string]string{
		"/sweep/list": "track sweep --scenario growth_plus --seeds 0..9 -- python simulate.py --seed {seed}", "/executions": "track record execution --lineage sepa --version v001 --events executions.jsonl",
	} {
		if page := get(t, base+address); !strings.Contains(page, want) {
			t.Errorf("%s does not say %q", address, want)
		}
	}
	err := st.Update(t.Context(), func(tx *store.Tx) error {
		seed := track.Seed{Scenario: "my waves", Number: 1, Outcome: track.OutcomeOK, Values: map[string]float64{"a": 1}}
		_, _, err := tx.AddSeed(seed, seed.Digest())
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	if page := get(t, base+"/sweep/list"); !strings.Contains(page, "track sweep --scenario &#39;my waves&#39; --seeds 0..9") {
		t.Errorf("the list of sweeps does not name the scenario that is recorded")
	}
	if page := get(t, base+"/sweep/list?scenario=other"); strings.Contains(page, "To begin") {
		t.Error("a list of one scenario teaches")
	}
}
