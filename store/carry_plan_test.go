//go:build !race

package store

import (
	"strings"
	"testing"
)

// No statement that is run for a page of another database reads more than the page.
func TestCarryPlans(t *testing.T) {
	st := planStore(t)
	range2, inList2 := "seed_id BETWEEN $1 AND $2", "seed_id IN (?,?,?)"
	queries := map[string]string{
		"heads": listSeedHeads, "match": `SELECT ` + seedHeadColumns + ` FROM seed WHERE seed.ulid IN (` + inList(3) + `)`, "identities": matchIdentitiesQuery(thatCount, 3), "withdrawn": matchIdentitiesQuery(thatAreWithdrawn, 3),
		"executions":      selectExecutionHeads + ` WHERE execution.id > $1 ORDER BY execution.id LIMIT $2`,
		"same executions": selectExecutionHeads + ` WHERE execution.ulid IN (` + inList(3) + `)`, "keys of executions": matchExecutionKeys(3),
		"rubrics": listScoredRubrics + inList(3) + `)`, "truths": listKnownTruths + inList(3) + `)`, "execution": executionByRow,
		"seeds": listSeedRows + "id BETWEEN $1 AND $2" + bySeedID, "sweeps": sweepState, "looks": findLook, "newest spec": findNewestSpec, "spec": findSpecOf,
		"run": hasRun, "series": hasSeriesOfName, "repetition": hasRepetition, "chunks": listChunksOfContent,
	}
	for name, query := range map[string]string{
		"values": listValues, "assessments": listAssessments, "results": listResults, "runs": listRunsOfSeeds,
		"repetitions": listRepetitionsOfSeeds, "contents": listContentsOfSeeds,
	} {
		queries[name], queries[name+" of some"] = query+range2+bySeedID, query+inList2+bySeedID
	}
	for name, query := range map[string]string{
		"judged": listJudgedSpecs, "seeds of runs": listRunSeeds, "seeds of repetitions": listRepetitionSeeds, "names of series": listSeriesOfSeeds,
	} {
		queries[name], queries[name+" of some"] = query+range2, query+inList2
	}
	for name, query := range queries {
		var rows []struct {
			ID, Parent, Notused int
			Detail              string
		}
		query = sqliteFile{}.words(query)
		args := make([]any, max(strings.Count(query, "?"), strings.Count(query, "$")))
		for i := range args {
			args[i] = 1
		}
		if err := st.read().SelectContext(t.Context(), &rows, "EXPLAIN QUERY PLAN "+query, args...); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		for _, row := range rows {
			if strings.HasPrefix(row.Detail, "SCAN") && !strings.HasPrefix(row.Detail, "SCAN wanted") && !strings.Contains(row.Detail, "CONSTANT ROW") || strings.Contains(row.Detail, "AUTOMATIC") {
				t.Errorf("%s: %s, in %s", name, row.Detail, query)
			}
		}
	}
}
