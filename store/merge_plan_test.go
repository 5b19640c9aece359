package store

import (
	"fmt"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"
)

// chunkWise is where a step of a merge may begin: with what the chunk holds.
var chunkWise = regexp.MustCompile(`^SCAN (m|f|j|s|settled|(temp\.)?merge_\w+|CONSTANT ROW)`)

// No statement that is run for each chunk looks at more of either database than the chunk.
func TestMergePlans(t *testing.T) {
	st, other := planStore(t), filepath.Join(t.TempDir(), "other.db")
	if _, err := Init(t.Context(), other); err != nil {
		t.Fatal(err)
	}
	m, err := newStore(st.path, time.Now).NewMerger(t.Context(), other, MergeOptions{})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = m.Close() }()
	queries := map[string]string{
		"classify": classifySeeds, "settle": settleSuperseded, "supersede": supersedeMerged, "insert": insertSeeds, "pairs": insertPairs, "unjudged": countUnjudged,
		"earlier": takeEarlier, "later runs": dropLaterRuns, "runs": copyRuns, "repetitions": copyRepetitions, "count repetitions": countRepetitions,
		"judged": pickJudged, "assessments": copyJudged, "results": copyJudgedResults, "computed": copyJudgedComputed, "contents": pickContents,
		"new contents": insertContents, "match contents": matchContents, "chunks": copyChunks, "restore": restoreContents, "series": copySeedSeries,
		"conflicts": listSeedConflicts, "values there": listOtherValues,
		"classify executions": classifyExecutions, "insert executions": insertExecutions, "calls": copyCalls, "truths": copyTruths, "scores": pickScores,
		"copy scores": copyScores, "documents": copyDocuments, "components": copyComponents, "forget calls": forgetMergedCalls, "forget details": forgetMergedDetails, "forget": forgetMerged,
		"conflicting executions": listExecutionConflicts,
	}
	for _, c := range copiedTables() {
		for _, by := range []shortcuts{{}, {ranged: true}, {ranged: true, sameSpecs: true, sameMetrics: true}} {
			queries[fmt.Sprintf("copy %s %+v", c.table, by)] = c.query(by)
		}
	}
	for _, query := range replacedExecutions {
		queries[query] = query
	}
	for name, query := range queries {
		args := make([]any, strings.Count(query, "?"))
		for i := range args {
			args[i] = 1
		}
		var rows []struct {
			ID, Parent, Notused int
			Detail              string
		}
		if err := m.store.writer.conn.SelectContext(t.Context(), &rows, "EXPLAIN QUERY PLAN "+query, args...); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		var steps []string
		for _, row := range rows {
			steps = append(steps, row.Detail)
		}
		for _, step := range steps {
			if strings.HasPrefix(step, "SCAN") && !chunkWise.MatchString(step) || strings.Contains(step, "AUTOMATIC") {
				t.Errorf("%s: %s, in\n\t%s", name, step, strings.Join(steps, "\n\t"))
			}
		}
	}
}
