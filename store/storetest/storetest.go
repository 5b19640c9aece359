// Package storetest holds what every backend of package store has to pass.
package storetest

import (
	"fmt"
	"testing"

	"track"
	"track/store"
)

// Run runs the suite. open returns an empty database, and closes it when the test ends.
func Run(t *testing.T, open func(t *testing.T) *store.Store) {
	for _, test := range []struct {
		name string
		run  func(t *testing.T, st *store.Store)
	}{
		{"values come back bit by bit", testValues},
		{"many seeds in one transaction", testManySeeds},
		{"thousands of values", testManyValues},
		{"a seed comes back whole", testSeed},
		{"odd bytes in free text", testFreeText},
		{"seed numbers are unsigned", testSeedNumbers},
		{"one seed in one place", testIdentity},
		{"seeds that are known and new", testLookedUp},
		{"a seed that is withdrawn where it is recorded again", testLookedUpWithdrawn},
		{"a spec of metrics that a seed brought", testSpecOfNewMetrics},
		{"a rollback leaves nothing", testRollback},
		{"versions of a spec", testSpecs},
		{"configurations of a scenario", testConfigurations},
		{"filters of the list of seeds", testSeedFilters},
		{"results of a seed", testResults},
		{"failing seeds", testFailingSeeds},
		{"NaN and infinities in aggregates", testNonFinite},
		{"nothing to aggregate", testEmptyAggregate},
		{"seeds that wait to be judged", testStoredSeeds},
		{"counts of seeds", testSeedTotals},
		{"one metric of a spec", testOneMetric},
		{"scores seed by seed", testSeedScores},
		{"statuses seed by seed", testSeedStatuses},
		{"where and when seeds ran", testRuns},
		{"sweeps come back whole", testSweeps},
		{"how commands of seeds ended", testSweepRuns},
		{"long texts are stored once", testAttachments},
		{"tokens are found as they are", testTokens},
		{"seeds that were run again", testRepetitions},
		{"planned seeds", testPlannedSeeds},
		{"recorded seeds", testRecordedSeeds},
		{"what was measured and computed", testMeasuredComputed},
		{"pinned baselines", testBaselines},
		{"a chain of baselines", testBaselineChain},
		{"looks", testLooks},
		{"series and files of seeds", testSeedParts},
		{"one state for several reads", testSnapshot},
		{"several goroutines", testGoroutines},
		{"versions of a lineage", testVersions},
		{"an execution in the place of another", testReplacedExecution},
		{"queries only read", testQuery},
		{"an execution comes back whole", testExecution},
		{"one execution in one place", testExecutionIdentity},
		{"an open execution is replaced", testReplaceExecution},
		{"filters of the list of executions", testExecutionFilters},
		{"executions by the beginning of their ids", testExecutionIDs},
		{"versions of a prompt", testPromptVersions},
		{"scores of a version", testTrialScores},
		{"trials of known truth", testTrials},
		{"texts are forgotten", testForget},
		{"texts are searched", testSearch},
		{"names are found", testFindNames},
		{"lineages that keep texts", testKeepText},
		{"a lineage named as a scenario", testLineageLikeScenario},
		{"views of executions", testExecutionViews},
		{"an execution that is replaced meanwhile", testReadWhileReplaced},
		{"entries of a ledger", testLedger},
		{"an attempt is made once", testAttempts},
		{"mutations of a lineage", testMutations},
		{"contents of versions", testContents},
		{"executions as evidence", testExecutionTrials},
		{"changes are followed", testFollow},
	} {
		t.Run(test.name, func(t *testing.T) { test.run(t, open(t)) })
	}
}

// add records seeds in one transaction and returns their ids.
func add(t testing.TB, st *store.Store, seeds ...track.Seed) (ids []int64) {
	t.Helper()
	update(t, st, func(tx *store.Tx) error {
		ids = nil
		for _, seed := range seeds {
			id, existing, err := tx.AddSeed(complete(st, seed))
			if err == nil && existing != nil {
				err = fmt.Errorf("seed %s of %s is recorded already", seed.Number, seed.Scenario)
			}
			if err != nil {
				return err
			}
			ids = append(ids, id)
		}
		return nil
	})
	return ids
}

func update(t testing.TB, st *store.Store, write func(*store.Tx) error) {
	t.Helper()
	if err := st.Update(t.Context(), write); err != nil {
		t.Fatal(err)
	}
}

// complete gives a seed what recording gives it.
func complete(st *store.Store, seed track.Seed) (track.Seed, [32]byte) {
	if seed.Outcome == "" {
		seed.Outcome = track.OutcomeOK
	}
	seed.ID, seed.RecordedAt = newID(), st.Now()
	return seed, seed.Digest()
}

// one returns the only seed of a scenario with a number.
func one(t testing.TB, st *store.Store, scenario string, number track.SeedNumber) track.RecordedSeed {
	t.Helper()
	seed, others, err := st.SeedByNumber(t.Context(), scenario, number, 0)
	if err != nil {
		t.Fatal(err)
	}
	if len(others) != 0 {
		t.Fatalf("%d more seeds with number %s, want none", len(others), number)
	}
	return seed
}

// numbers lists the numbers of the failing seeds of a selection.
func numbers(t testing.TB, st *store.Store, sel store.Selection) (list []track.SeedNumber) {
	t.Helper()
	failing, err := st.FailingSeeds(t.Context(), sel)
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range failing {
		list = append(list, f.Number)
	}
	return list
}

func configuration(t testing.TB, st *store.Store, scenario string) int64 {
	t.Helper()
	c, err := st.NewestConfiguration(t.Context(), scenario)
	if err != nil {
		t.Fatal(err)
	}
	return c.ID
}
