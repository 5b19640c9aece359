package store

import (
	"fmt"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"track"
	"track/evolution"
	"track/scoring"
)

// big are the tables that grow with the seeds and the executions.
var big = regexp.MustCompile(
	`^SCAN (seed|rare|assessment|series_chunk|series_content|seed_series|artifact|artifact_content|look|baseline|execution|call|execution_score|ledger|mutation|mutation_parent|version|run|attachment|sweep|sweep_configuration)\b`)

// plan returns the steps by which SQLite answers a query.
func plan(t *testing.T, st *Store, query string, args ...any) (steps []string) {
	t.Helper()
	var rows []struct {
		ID      int    `db:"id"`
		Parent  int    `db:"parent"`
		Notused int    `db:"notused"`
		Detail  string `db:"detail"`
	}
	if err := st.read().SelectContext(t.Context(), &rows, "EXPLAIN QUERY PLAN "+query, args...); err != nil {
		t.Fatalf("%s: %v", query, err)
	}
	for _, row := range rows {
		steps = append(steps, row.Detail)
	}
	return steps
}

func planStore(t *testing.T) *Store {
	t.Helper()
	path := filepath.Join(t.TempDir(), "track.db")
	if _, err := Init(t.Context(), path); err != nil {
		t.Fatal(err)
	}
	st, err := Open(t.Context(), path, time.Now)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = st.Close() })
	return st
}

// No list of seeds looks at all seeds: it walks an index from the newest on until the limit is reached, or finds few.
func TestSeedListPlans(t *testing.T) {
	st := planStore(t)
	type query struct {
		name string
		text string
		args []any
		walk bool // newest first along an index until the limit is reached
	}
	var queries []query
	score := 0.5
	since := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	for _, f := range []struct {
		name   string
		filter SeedFilter
		walk   bool
	}{
		{"no filter", SeedFilter{}, true},
		{"ok", SeedFilter{Outcome: track.OutcomeOK}, true},
		{"PASS", SeedFilter{Status: scoring.Pass}, true},
		{"WARN", SeedFilter{Status: scoring.Warn}, true},
		{"FAIL", SeedFilter{Status: scoring.Fail}, true},
		{"score", SeedFilter{MinScore: &score, MaxScore: &score}, true},
		{"label", SeedFilter{Label: "v1"}, false},
		{"error", SeedFilter{Outcome: track.OutcomeError}, false},
		{"since", SeedFilter{Since: since}, false},
		{"scenario", SeedFilter{Scenario: "s"}, false},
		{"scenario and label", SeedFilter{Scenario: "s", Label: "v1"}, false},
		{"scenario and error", SeedFilter{Scenario: "s", Outcome: track.OutcomeError}, false},
		{"scenario and FAIL", SeedFilter{Scenario: "s", Status: scoring.Fail}, false},
		{"scenario and score", SeedFilter{Scenario: "s", MinScore: &score}, false},
		{"scenario and since", SeedFilter{Scenario: "s", Since: since}, false},
		{"label and FAIL", SeedFilter{Label: "v1", Status: scoring.Fail}, false},
		{"all", SeedFilter{Scenario: "s", Label: "v1", Outcome: track.OutcomeError, Status: scoring.Fail, MinScore: &score, MaxScore: &score, Since: since}, false},
	} {
		for _, limit := range []int{0, 50} {
			f.filter.Limit = limit
			text, args := f.filter.query()
			queries = append(queries, query{name: fmt.Sprintf("seeds: %s, limit %d", f.name, limit), text: text, args: args, walk: f.walk})
		}
	}
	for _, q := range queries {
		steps := plan(t, st, q.text, q.args...)
		t.Logf("%s:\n\t%s", q.name, strings.Join(steps, "\n\t"))
		for i, step := range steps {
			if !big.MatchString(step) || q.walk && i == 0 && step == "SCAN seed USING INDEX seed_recorded" && !slices.Contains(steps, "USE TEMP B-TREE FOR ORDER BY") {
				continue
			}
			t.Errorf("%s: %s, in\n\t%s", q.name, step, strings.Join(steps, "\n\t"))
		}
	}
}

// A list of executions walks an index from the newest on, until the limit is reached: one of a version, a lineage or
// all.
func TestExecutionListPlans(t *testing.T) {
	st := planStore(t)
	version, score := "v", 50.0
	since := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	for _, place := range []struct{ lineage, index string }{
		{"", "SCAN execution USING INDEX execution_at"}, {"l", "SEARCH execution USING INDEX execution_lineage (lineage_id=?"}, {"l@v", "SEARCH execution USING INDEX execution_version (version_id=?"},
	} {
		for name, f := range map[string]ExecutionFilter{
			"no filter": {}, "task": {Task: "t"}, "status": {Status: track.ExecutionError}, "grade": {Grade: "F"}, "scores": {MinScore: &score, MaxScore: &score},
			"since": {Since: since}, "after": {After: "01J"}, "all": {Task: "t", Status: track.ExecutionOK, Grade: "A", MinScore: &score, MaxScore: &score, Since: since},
		} {
			index := place.index
			if place.lineage != "" {
				f.Lineage = "l"
			}
			if place.lineage == "l@v" {
				f.Version = &version
			}
			if !f.Since.IsZero() || f.After != "" {
				index = strings.Replace(index, "SCAN", "SEARCH", 1)
			}
			for _, f.Limit = range []int{0, 50} {
				text, args := f.query()
				steps := plan(t, st, text, args...)
				all := strings.Join(steps, "\n\t")
				t.Logf("%s, %s, limit %d:\n\t%s", place.lineage, name, f.Limit, all)
				others := slices.DeleteFunc(slices.Clone(steps), func(s string) bool { return strings.HasPrefix(s, index) })
				if len(others) != len(steps)-1 || slices.ContainsFunc(others, big.MatchString) || strings.Contains(all, "TEMP B-TREE") {
					t.Errorf("%q, %s, limit %d: want %s, got\n\t%s", place.lineage, name, f.Limit, index, all)
				}
			}
		}
	}
}

// No query that a loop waits for looks at all that a lineage went through: deciding on one mutation costs the same with
// ten of them and with ten thousand.
func TestLedgerPlans(t *testing.T) {
	st := planStore(t)
	entries := func(f EntryFilter) (string, []any) { return f.query(1) }
	with := func(text string, args ...any) (string, []any) { return text, args }
	const (
		kind, key, version = "SEARCH ledger USING INDEX ledger_kind (lineage_id=? AND kind=?)", "(lineage_id=? AND key=?)", "(lineage_id=? AND name=?)"
		oneVersion         = "SEARCH execution USING INDEX execution_version (version_id=?)"
	)
	for _, q := range []struct {
		name  string
		query func() (string, []any)
		want  string // a step that there has to be
		sorts bool
	}{
		{"a lineage", func() (string, []any) { return with(getEvolving, "l") }, "SEARCH lineage USING INDEX sqlite_autoindex_lineage_1 (name=?)", false},
		{"lineages in a list", func() (string, []any) { return with(listLineageSummaries) }, "execution_lineage (lineage_id=?)", false},
		{"lineages", func() (string, []any) { return with(listEvolving) }, "SEARCH ledger USING COVERING INDEX", false},
		{"the last entry", func() (string, []any) { return entries(EntryFilter{Newest: 1}) }, "sqlite_autoindex_ledger_1 (lineage_id=?)", false},
		{"the last of a kind", func() (string, []any) {
			return entries(EntryFilter{Kinds: []evolution.Kind{evolution.KindSettings}, Newest: 1})
		}, kind, false},
		{"decisions on a mutation", func() (string, []any) {
			return entries(EntryFilter{Kinds: []evolution.Kind{evolution.KindDecision}, Mutations: []string{"m"}})
		}, "ledger_mutation (lineage_id=? AND mutation=?)", false},
		{"entries about a mutation", func() (string, []any) { return entries(EntryFilter{Mutations: []string{"m"}}) }, "ledger_mutation (lineage_id=? AND mutation=?)", false},
		{"heads", func() (string, []any) { return entries(EntryFilter{Moved: true}) }, "ledger_head (lineage_id=?)", false},
		{"changes of the head", func() (string, []any) { return with(listHeadChanges, 1) }, "ledger_head (lineage_id=?)", false},
		{"the last head", func() (string, []any) { return entries(EntryFilter{Moved: true, Newest: 1}) }, "ledger_head (lineage_id=?)", false},
		{"entries after", func() (string, []any) { return entries(EntryFilter{After: 7}) }, "(lineage_id=? AND number>?)", false},
		{"open mutations", func() (string, []any) { return MutationFilter{Open: true}.query(1) }, "mutation_open (lineage_id=?)", false},
		{"mutations by their state", func() (string, []any) { return with(countOutcomes, 1) }, "COVERING INDEX mutation_state (lineage_id=?)", false},
		{"mutations of the last day", func() (string, []any) { return with(listProposed, 1, 0) }, "mutation_proposed (lineage_id=? AND proposed_at>?)", true},
		{"mutations to a child", func() (string, []any) { return MutationFilter{Child: "v"}.query(1) }, "mutation_child (child_id=?)", true},
		{"the newest mutations", func() (string, []any) { return MutationFilter{Newest: 3}.query(1) }, "sqlite_autoindex_mutation_2 (lineage_id=?)", false},
		{"a mutation", func() (string, []any) { return with(getMutation, 1, "k") }, key, false},
		{"a mutation of a version", func() (string, []any) { return with(getMutationOf, 1, "v") }, "SEARCH mutation USING INTEGER PRIMARY KEY (rowid=?)", true}, // the few of that version
		{"the lineage of a mutation", func() (string, []any) { return with(findMutations, "k") }, key, false},
		{"the number of mutations", func() (string, []any) { return with(countMutations, 1) }, "sqlite_autoindex_mutation_2 (lineage_id=?)", false},
		{"executions of a version", func() (string, []any) { return TrialFilter{Versions: []string{"v"}}.query("l") }, oneVersion, false},
		{"its newest executions", func() (string, []any) {
			return TrialFilter{Versions: []string{"v"}, Ended: true, Newest: 5}.query("l")
		}, oneVersion, false},
		{"the number of executions", func() (string, []any) { return with(countExecutions, 1) }, "execution_lineage (lineage_id=?)", false},
		{"the number of seeds", func() (string, []any) { return with(countSeeds, "s") }, "seed_newest (scenario_id=?)", false},
		{"decisions on several mutations", func() (string, []any) {
			return entries(EntryFilter{Kinds: []evolution.Kind{evolution.KindDecision}, Mutations: []string{"m", "n"}})
		}, "ledger_mutation (lineage_id=? AND mutation=?)", true},
		{"a version by its content", func() (string, []any) { return with(findVersionByContent, 1, []byte{1}) }, "(lineage_id=? AND content_digest=?)", true}, // the few of one content
		{"whether a name is taken", func() (string, []any) { return with(hasVersion, 1, "v") }, version, false},
	} {
		text, args := q.query()
		steps := plan(t, st, text, args...)
		all := strings.Join(steps, "\n\t")
		t.Logf("%s:\n\t%s", q.name, all)
		if slices.ContainsFunc(steps, big.MatchString) || !q.sorts && strings.Contains(all, "TEMP B-TREE FOR ORDER") || !strings.Contains(all, q.want) {
			t.Errorf("%s: want %s, got\n\t%s", q.name, q.want, all)
		}
	}
}

// Neither the planned seeds of a configuration, nor those that are recorded, run again or ran in a sweep, take a look
// at all seeds, runs or sweeps.
func TestSweepPlans(t *testing.T) {
	st := planStore(t)
	sel := Selection{Scenario: "s", Configurations: []int64{1}, Seeds: []track.SeedRange{{First: 0, Last: 99}}}
	repetitions, selected := sel.of(listRepetitions, nil, byNumberAgain)
	sweepsOf, ofScenario := SweepFilter{Scenario: "s"}.query()
	for _, q := range []struct {
		name, text string
		args       []any
		want       string // a step that there has to be
	}{
		{"planned seeds", listPlanned, []any{1, "s"}, "SEARCH sweep_configuration USING "},
		{"recorded seeds", listRecorded, []any{"s", "hash"}, "SEARCH seed USING INDEX seed_identity (scenario_id=? AND configuration_id=?)"},
		{"a recorded seed", findRecorded, []any{"s", "hash", 7}, "SEARCH seed USING INDEX seed_identity (scenario_id=? AND configuration_id=? AND number=?)"},
		{"repetitions", repetitions, selected, "SEARCH seed USING INTEGER PRIMARY KEY (rowid=?)"}, // there are few of them
		{"how a seed ended", getRun, []any{"01J"}, "SEARCH run USING PRIMARY KEY (seed_id=?)"},
		{"runs of a sweep", countRuns, []any{1}, "SEARCH run USING COVERING INDEX run_sweep (sweep_id=?)"},
		{"sweeps of a scenario", sweepsOf, ofScenario, "SEARCH sweep USING INDEX sweep_scenario (scenario_id=?)"},
		{"a sweep", findSweep, []any{"01J"}, "SEARCH sweep USING COVERING INDEX sqlite_autoindex_sweep_1 (ulid=?)"},
		{"configurations of a sweep", listSweepConfigurations, []any{1}, "SEARCH sweep_configuration USING PRIMARY KEY (sweep_id=?)"},
		{"an attachment", findAttachment, []any{[]byte("hash")}, "SEARCH attachment USING COVERING INDEX sqlite_autoindex_attachment_1 (hash=?)"},
	} {
		steps := plan(t, st, q.text, q.args...)
		all := strings.Join(steps, "\n\t")
		t.Logf("%s:\n\t%s", q.name, all)
		if slices.ContainsFunc(steps, big.MatchString) || !strings.Contains(all, q.want) {
			t.Errorf("%s: want %s, got\n\t%s", q.name, q.want, all)
		}
	}
}
