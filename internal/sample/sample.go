// Package sample makes a database that has something of everything, for tests that ask every question.
package sample

import (
	"bytes"
	"crypto/rand"
	_ "embed" // the seeds of a grid
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"track"
	"track/answer"
	"track/ask"
	"track/importer/lines"
	"track/internal/lineagetest"
	"track/internal/testdb"
	"track/scoring"
	"track/spec"
	"track/store"
	"track/tracker/exchange"
	"track/tracker/seeds"
)

//go:embed grid.jsonl
var grid []byte

// Questions returns what can be asked of the sample, by the name of the question: parameters as in an address.
func Questions() map[string][]string {
	return map[string][]string{
		"stability":          {"scenario=growth_plus", "scenario=growth_plus@theta-14&seeds=0..4"},
		"history":            {"scenario=growth_plus"},
		"matrix":             {"scenario=growth_plus", "scenario=growth_plus&by=configurations&order=failures&seed-order=failures", "by=scenarios&label=theta-14&order=score"},
		"compare":            {"scenario=growth_plus&scenario=growth_plus@theta-14"},
		"improvement":        {"candidate=growth_plus@bam-engine-0.10.2&baseline=growth_plus@small-economy", "candidate=growth_plus@theta-14&only-changed=true"},
		"gate":               {"scenario=growth_plus", "scenario=growth_plus@theta-14&scenario=growth_plus&min-score=0.5&no-degradation=true"},
		"gate preview":       {"scenario=growth_plus", "scenario=growth_plus@theta-14&scenario=growth_plus&min-score=0.5&no-degradation=true"},
		"baseline show":      {"scenario=growth_plus"},
		"baseline list":      {""},
		"note list":          {"", "scenario=growth_plus@theta-14"},
		"tag list":           {"", "scenario=growth_plus&tag=released"},
		"params":             {"scenario=grid&metric=m", "scenario=grid&plot=theta&by=rule&heatmap=theta,rule"},
		"noise":              {"scenario=growth_plus&resamples=100"},
		"seeds-needed":       {"scenario=growth_plus&effect=0.05"},
		"scenario list":      {"", "limit=1"},
		"seeds":              {"", "scenario=growth_plus&limit=3", "limit=0&min-score=0.5", "status=FAIL"},
		"show seed":          {"scenario=growth_plus&seed=0"},
		"series list":        {"scenario=growth_plus&seed=0"},
		"series show":        {"scenario=growth_plus&seed=0"},
		"series bands":       {"scenario=growth_plus@theta-14&points=10"},
		"artifact list":      {"scenario=growth_plus", "scenario=growth_plus&seed=0..3"},
		"spec list":          {""},
		"spec show":          {"scenario=growth_plus"},
		"query":              {"sql=" + url.QueryEscape("SELECT scenario, count(*) AS n, -0.0 AS zero, NULL AS none FROM v_seed GROUP BY scenario")},
		"executions":         {"", "lineage=l&limit=2"},
		"show execution":     {"id=EXECUTION", "id=EXECUTION&output=true", "id=EXECUTION&trace=true", "id=EXECUTION&trace=true&grep=x"},
		"search":             {"text=done", "text=%22it+is%22&lineage=l&kind=answer&limit=1"},
		"fitness":            {"lineage=l"},
		"rubric list":        {""},
		"rubric check":       {"lineage=l&truth=passed"},
		"rubric compare":     {"lineage=l&rubric=rubric/1"},
		"lineage history":    {"lineage=l"},
		"lineage list":       {"", "standing=true"},
		"lineage show":       {"lineage=l"},
		"lineage tree":       {"lineage=l"},
		"lineage front":      {"lineage=l", "lineage=l&x=task:t1&y=score"},
		"lineage head":       {"lineage=l"},
		"replay":             {"lineage=l", "lineage=l&strict=true"},
		"draws":              {"lineage=l"},
		"operators":          {"lineage=l"},
		"version list":       {"lineage=l"},
		"version show":       {"version=l@v001"},
		"version diff":       {"version=l@v002"},
		"compare versions":   {"version=l@v001&version=l@v002"},
		"compare executions": {"id=EXECUTION&id=ANOTHER"},
		"version export":     {"version=l@v001"},
		"sweep list":         {"", "limit=1"},
		"sweep show":         {"sweep=01KE2Y54G0000000000000000S"},
		"spec lint":          {"document=" + url.QueryEscape(`{"scenario":"growth_plus","metrics":[{"name":"a","type":"RANGE","min":0,"max":1}]}`)},
		"sweep plan":         {"scenario=growth_plus&max-seeds=4&command=true&command={seed}&shards=2"},
		"mutation plan":      {"mutation=PROPOSED&lineage=l"},
		"mutation list":      {"lineage=l"},
		"mutation show":      {"mutation=DECIDED&lineage=l"},
		"mutation diff":      {"mutation=DECIDED&lineage=l"},
	}
}

// New returns a database with seeds of three configurations and a lineage of an agent with two mutations, and
// what stands for their names in [Questions].
func New(t *testing.T) (*store.Store, *strings.Replacer) {
	t.Helper()
	bam := filepath.Join(root(t), "examples", "bam")
	st := testdb.New(t)
	text, err := os.ReadFile(filepath.Join(bam, "growth_plus.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	declared, err := spec.Parse("growth_plus.yaml", text)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := seeds.AddSpec(t.Context(), st, declared, nil); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"growth_plus", "growth_plus__small_economy", "growth_plus__theta_14"} {
		text, err := os.ReadFile(filepath.Join(bam, name+".jsonl"))
		if err != nil {
			t.Fatal(err)
		}
		record(t, st, name, text)
	}
	gridSpec := scoring.Spec{Scenario: "grid", Metrics: []scoring.Metric{{Name: "m", Weight: 1, Target: scoring.Range{Max: 5}}}}
	if _, err := seeds.AddSpec(t.Context(), st, gridSpec, nil); err != nil {
		t.Fatal(err)
	}
	record(t, st, "grid.jsonl", grid)
	pin := answer.SetBaselineQuestion{Of: answer.Selector{Scenario: "growth_plus", Configuration: "small-economy"}, Change: answer.Change{Reason: "a | release", Actor: "somebody"}}
	if _, err := seeds.SetBaseline(t.Context(), st, pin); err != nil {
		t.Fatal(err)
	}
	theta := answer.Selector{Scenario: "growth_plus", Configuration: "theta-14"}
	if _, err := seeds.AddNote(t.Context(), st, answer.AddNoteQuestion{Of: theta, Text: "a | *note*"}); err != nil {
		t.Fatal(err)
	}
	if _, err := seeds.AddTags(t.Context(), st, answer.TagQuestion{Of: theta, Tags: []string{"released", "slow"}}); err != nil {
		t.Fatal(err)
	}
	loop := lineagetest.New(t, st, nil)
	loop.Run("v001", 50, 60, 55)
	for i := range 6 {
		loop.Record(loop.Execution("v001", func(e *track.Execution) {
			score := float64(40 + 10*i)
			e.Score, e.Truths = &score, map[string]float64{"passed": float64(i % 2)}
		}), false)
	}
	if err := st.Update(t.Context(), func(tx *store.Tx) error {
		_, err := tx.AddSweep(track.Sweep{
			ID: "01KE2Y54G0000000000000000S", Scenario: "growth_plus", Environment: map[string]string{"os": "linux"}, Plan: `{"seeds":"0..3"}`,
			StartedAt: testdb.Clock(),
		})
		return err
	}); err != nil {
		t.Fatal(err)
	}
	decided := loop.Evolve("German", 70, 80, 75).Mutation.Key
	proposed := loop.Propose(lineagetest.Text("French"), answer.ProposeQuestion{}).Key
	listed, err := ask.Executions().Ask(t.Context(), ask.Source{Store: st}, answer.ExecutionsQuestion{})
	if err != nil {
		t.Fatal(err)
	}
	return st, strings.NewReplacer("EXECUTION", listed.Items[0].ID, "ANOTHER", listed.Items[1].ID, "DECIDED", decided, "PROPOSED", proposed)
}

func record(t *testing.T, st *store.Store, name string, text []byte) {
	t.Helper()
	recorder := seeds.NewRecorder(st, seeds.Options{}, rand.Reader)
	summary, err := exchange.RecordAll(t.Context(), recorder, lines.Read(name, bytes.NewReader(text)), exchange.BatchObserver{})
	if err != nil || summary.Recorded == 0 {
		t.Fatalf("%s: %+v, %v", name, summary, err)
	}
}

// root returns the folder of the module.
func root(t *testing.T) string {
	t.Helper()
	dir, err := os.Getwd()
	for err == nil {
		if _, statErr := os.Stat(filepath.Join(dir, "go.mod")); statErr == nil {
			return dir
		}
		if filepath.Dir(dir) == dir {
			break
		}
		dir = filepath.Dir(dir)
	}
	t.Fatalf("no go.mod above the working directory: %v", err)
	return ""
}
