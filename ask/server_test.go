package ask_test

import (
	"bytes"
	"context"
	"crypto/rand"
	"errors"
	"log/slog"
	"net/http/httptest"
	"net/url"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"track"
	"track/access"
	"track/answer"
	"track/answer/param"
	"track/ask"
	"track/importer/lines"
	"track/internal/lineagetest"
	"track/internal/testdb"
	"track/remote"
	"track/scoring"
	"track/server"
	"track/spec"
	"track/store"
	"track/tracker/exchange"
	"track/tracker/lineages"
	"track/tracker/seeds"
)

// TestServerAnswersAlike asks every question that reads of a database and of a server on it: both answer with the
// same bytes.
func TestServerAnswersAlike(t *testing.T) {
	st, names := newSample(t)
	local, remote := ask.Source{Store: st}, newServer(t, st)
	for _, q := range ask.All() {
		if q.Scope != access.Read {
			continue
		}
		asked, listed := samples()[q.Name]
		if !listed {
			t.Errorf("%s: no sample; add one", q.Name)
		}
		for _, in := range asked {
			t.Run(q.Name+" "+in, func(t *testing.T) {
				params, err := url.ParseQuery(names.Replace(in))
				if err != nil {
					t.Fatal(err)
				}
				want, err := q.Ask(t.Context(), local, params)
				if err != nil {
					t.Fatal(err)
				}
				got, err := q.Ask(t.Context(), remote, params)
				if err != nil {
					t.Fatal(err)
				}
				compareFaces(t, want, got)
			})
		}
	}
}

// TestServerWritesAlike asks for each report and each picture of a database and of a server on it: both write the same
// bytes.
func TestServerWritesAlike(t *testing.T) {
	st, names := newSample(t)
	local, remote := ask.Source{Store: st}, newServer(t, st)
	asked := map[string]string{
		"report stability": "scenario=growth_plus", "report improvement": "candidate=growth_plus&baseline=growth_plus@theta-14", "report scenario": "scenario=growth_plus&limit=2",
		"report params": "scenario=grid&metric=m", "report lineage": "lineage=l", "report index": "limit=3",
		"history": "scenario=growth_plus", "lineage history": "lineage=l", "params": "scenario=grid&heatmap=theta,rule",
	}
	written := 0
	for _, q := range slices.Concat(ask.All(), ask.Reports()) {
		in, listed := asked[q.Name]
		for _, media := range q.Media {
			if !listed {
				break
			}
			params, err := url.ParseQuery(names.Replace(in))
			if err != nil {
				t.Fatal(err)
			}
			var want, got bytes.Buffer
			if err := q.WriteAs(t.Context(), local, params, media, &want); err != nil {
				t.Fatalf("%s: %v", q.Name, err)
			}
			if err := q.WriteAs(t.Context(), remote, params, media, &got); err != nil {
				t.Fatalf("%s: %v", q.Name, err)
			}
			if !bytes.Equal(got.Bytes(), want.Bytes()) || want.Len() < 500 {
				t.Errorf("%s as %s: %d bytes, not %d", q.Name, media, got.Len(), want.Len())
			}
			written++
		}
	}
	if written != 2*len(asked) {
		t.Errorf("%d reports and pictures were written, not %d", written, 2*len(asked))
	}
}

// TestServerRefusesAlike asks what cannot be answered: the error of a server reads alike, is of the same kind and has
// the same hints.
func TestServerRefusesAlike(t *testing.T) {
	st, _ := newSample(t)
	local, remote := ask.Source{Store: st}, newServer(t, st)
	for _, test := range []struct{ question, params string }{
		{"stability", ""}, {"stability", "scenario=nosuch"}, {"stability", "scenario=growth_plus@nosuch"}, {"stability", "scenario=growth_plus&seeds=x"},
		{"stability", "nosuch=1"}, {"show seed", "scenario=growth_plus&seed=999"}, {"query", "sql=DROP+TABLE+seed"}, {"seeds", "after=nosuch"}, {"executions", "after=nosuch"}, {"sweep list", "after=nosuch"}, {"mutation list", "lineage=l&after=nosuch"},
		{"show execution", "id=nosuch"}, {"rollback", "lineage=l&to=v999"}, {"mutation decide", "mutation=nosuch"}, {"lineage new", "lineage=l&seed=7"},
		{"lineage set", "lineage=l&setting=policy=nosuch"}, {"seeds-needed", "scenario=growth_plus&effect=7"}, {"noise", "scenario=nosuch"},
	} {
		t.Run(test.question+" "+test.params, func(t *testing.T) {
			params, err := url.ParseQuery(test.params)
			if err != nil {
				t.Fatal(err)
			}
			i := slices.IndexFunc(ask.All(), func(q ask.Question) bool { return q.Name == test.question })
			_, want := ask.All()[i].Ask(t.Context(), local, params)
			_, got := ask.All()[i].Ask(t.Context(), remote, params)
			if want == nil || got == nil || got.Error() != want.Error() {
				t.Fatalf("refuses with %v, not %v", got, want)
			}
			if diff := cmp.Diff(answer.ProblemOf(want), answer.ProblemOf(got)); diff != "" {
				t.Errorf("(-database +server):\n%s", diff)
			}
			for _, kind := range []error{track.ErrNotFound, track.ErrInvalid, track.ErrConflict, track.ErrAmbiguous, track.ErrDatabase, track.ErrDiffers} {
				if errors.Is(got, kind) && !errors.Is(want, kind) {
					t.Errorf("%v is %v, only from the server", got, kind)
				}
			}
		})
	}
}

// samples returns what is asked of the sample, by question.
func samples() map[string][]string {
	return map[string][]string{
		"stability":        {"scenario=growth_plus", "scenario=growth_plus@theta-14&seeds=0..4"},
		"history":          {"scenario=growth_plus"},
		"compare":          {"scenario=growth_plus&scenario=growth_plus@theta-14"},
		"improvement":      {"candidate=growth_plus@bam-engine-0.10.2&baseline=growth_plus@small-economy", "candidate=growth_plus@theta-14&only-changed=true"},
		"gate":             {"scenario=growth_plus", "scenario=growth_plus@theta-14&scenario=growth_plus&min-score=0.5&no-degradation=true"},
		"gate preview":     {"scenario=growth_plus", "scenario=growth_plus@theta-14&scenario=growth_plus&min-score=0.5&no-degradation=true"},
		"baseline show":    {"scenario=growth_plus"},
		"baseline list":    {""},
		"note list":        {"", "scenario=growth_plus@theta-14"},
		"tag list":         {"", "scenario=growth_plus&tag=released"},
		"params":           {"scenario=grid&metric=m", "scenario=grid&plot=theta&by=rule&heatmap=theta,rule"},
		"noise":            {"scenario=growth_plus"},
		"seeds-needed":     {"scenario=growth_plus&effect=0.05"},
		"seeds":            {"", "scenario=growth_plus&limit=3", "limit=0&min-score=0.5", "status=FAIL"},
		"show seed":        {"scenario=growth_plus&seed=0"},
		"series list":      {"scenario=growth_plus&seed=0"},
		"series show":      {"scenario=growth_plus&seed=0"},
		"artifact list":    {"scenario=growth_plus", "scenario=growth_plus&seed=0..3"},
		"spec list":        {""},
		"spec show":        {"scenario=growth_plus"},
		"query":            {"sql=" + url.QueryEscape("SELECT scenario, count(*) AS n, -0.0 AS zero, NULL AS none FROM v_seed GROUP BY scenario")},
		"executions":       {"", "lineage=l&limit=2"},
		"show execution":   {"id=EXECUTION", "id=EXECUTION&output=true", "id=EXECUTION&trace=true", "id=EXECUTION&trace=true&grep=x"},
		"search":           {"text=done", "text=%22it+is%22&lineage=l&kind=answer&limit=1"},
		"fitness":          {"lineage=l"},
		"rubric list":      {""},
		"rubric check":     {"lineage=l&truth=passed"},
		"rubric compare":   {"lineage=l&rubric=rubric/1"},
		"lineage history":  {"lineage=l"},
		"lineage list":     {""},
		"lineage show":     {"lineage=l"},
		"lineage head":     {"lineage=l"},
		"replay":           {"lineage=l", "lineage=l&strict=true"},
		"draws":            {"lineage=l"},
		"operators":        {"lineage=l"},
		"version list":     {"lineage=l"},
		"version show":     {"version=l@v001"},
		"version diff":     {"version=l@v002"},
		"compare versions": {"version=l@v001&version=l@v002"},
		"version export":   {"version=l@v001"},
		"sweep list":       {"", "limit=1"},
		"sweep show":       {"sweep=01KE2Y54G0000000000000000S"},
		"sweep plan":       {"scenario=growth_plus&max-seeds=4&command=true&command={seed}&shards=2"},
		"mutation plan":    {"mutation=PROPOSED&lineage=l"},
		"mutation list":    {"lineage=l"},
		"mutation show":    {"mutation=DECIDED&lineage=l"},
		"mutation diff":    {"mutation=DECIDED&lineage=l"},
	}
}

// TestParametersReachServers sets every parameter to anything that it takes: a server receives the same.
func TestParametersReachServers(t *testing.T) {
	for i, q := range ask.All() {
		for _, p := range q.Params {
			for _, text := range append([]string{
				"0", "1", "7", "0.5", "-1", "true", "false", "a", "a@b", "3..5", "2026-01-02", "2026-01-02T03:04:05Z", "24h", "", "aa", `{"a":1}`, "mean",
			}, p.Enum...) {
				sent, received := ask.All()[i].Params, ask.All()[i].Params
				want, _ := sent.Find(p.Name)
				if p.Local || want.Set(text) != nil {
					continue
				}
				values, err := sent.Encode()
				if err == nil {
					err = received.Set(values)
				}
				if wrong := new(param.Error); err != nil && (!errors.As(err, &wrong) || wrong.Message != "missing" || wrong.Param == p.Name) {
					t.Errorf("%s --%s %s: sent %v: %v", q.Name, p.Name, text, values, err)
				}
				if got, _ := received.Find(p.Name); got.Value.String() != want.Value.String() {
					t.Errorf("%s --%s %s: a server gets %q, not %q", q.Name, p.Name, text, got.Value.String(), want.Value.String())
				}
			}
		}
	}
}

// TestQuestionsNameNoFace holds that a question reads alike for people at a command line, in a page and in a schema.
func TestQuestionsNameNoFace(t *testing.T) {
	face := regexp.MustCompile(`--|[Ee]xit code|exits |FILE|standard input|\btrack [a-z]`)
	for _, q := range slices.Concat(ask.All(), ask.Reports()) {
		texts := map[string]string{"help": q.Help, "about": q.About}
		for _, p := range q.Params {
			if !p.Local {
				texts["parameter "+p.Name] = p.Help
			}
		}
		for where, text := range texts {
			if found := face.FindString(text); found != "" {
				t.Errorf("%s, %s: %q belongs to the command line: %s", q.Name, where, found, text)
			}
		}
	}
}

// newSample returns a database with seeds of three configurations and a lineage of an agent with two mutations, and
// what stands for their names in [samples].
func newSample(t *testing.T) (*store.Store, *strings.Replacer) {
	t.Helper()
	st := testdb.New(t)
	text, err := os.ReadFile("../examples/bam/growth_plus.yaml")
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
		recordFile(t, st, "../examples/bam/"+name+".jsonl")
	}
	grid := scoring.Spec{Scenario: "grid", Metrics: []scoring.Metric{{Name: "m", Weight: 1, Target: scoring.Range{Max: 5}}}}
	if _, err := seeds.AddSpec(t.Context(), st, grid, nil); err != nil {
		t.Fatal(err)
	}
	recordFile(t, st, "testdata/grid.jsonl")
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
	proposed := loop.Propose(lineagetest.Text("French"), lineages.ProposeOptions{}).Key
	listed, err := ask.Executions().Ask(t.Context(), ask.Source{Store: st}, answer.ExecutionsQuestion{})
	if err != nil {
		t.Fatal(err)
	}
	return st, strings.NewReplacer("EXECUTION", listed.Items[0].ID, "DECIDED", decided, "PROPOSED", proposed)
}

func recordFile(t *testing.T, st *store.Store, path string) {
	t.Helper()
	file, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = file.Close() }()
	summary, err := exchange.RecordAll(t.Context(), seeds.NewRecorder(st, seeds.Options{}, rand.Reader), lines.Read(path, file), exchange.BatchObserver{})
	if err != nil || summary.Recorded == 0 {
		t.Fatalf("%s: %+v, %v", path, summary, err)
	}
}

// newServer returns a source that asks a server on the database.
func newServer(t *testing.T, st *store.Store) ask.Source {
	t.Helper()
	path := st.Path()
	served := server.New(server.Config{
		Open: func(ctx context.Context) (*store.Store, error) { return store.OpenForUpdate(ctx, path, testdb.Clock) },
		Now:  testdb.Clock, Log: slog.New(slog.DiscardHandler), NoAuth: true,
	})
	listening := httptest.NewServer(served.Handler())
	t.Cleanup(func() {
		listening.Close()
		if err := served.Close(); err != nil {
			t.Error(err)
		}
	})
	client, err := remote.New(listening.URL, "")
	if err != nil {
		t.Fatal(err)
	}
	return client.Source()
}
