package tracker_test

import (
	"crypto/rand"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"track"
	"track/answer"
	"track/evolution"
	"track/internal/lineagetest"
	"track/internal/testdb"
	"track/internal/trackertest"
	"track/store"
	"track/tracker/agents"
	"track/tracker/lineages"
	"track/tracker/retention"
	"track/tracker/seeds"
)

// large records a seed of a configuration with a series and a file of its own.
func (s *shard) large(scenario, label string, number int) {
	s.t.Helper()
	seed := trackertest.Seed(scenario, track.SeedNumber(number), map[string]float64{"a": 1})
	seed.Configuration.Label = label
	seed.Series = []track.Series{{Name: "u", Values: []float64{float64(number), 2, 3}}}
	seed.Artifacts = []track.Artifact{{Name: "run.log", Content: fmt.Sprintf("it ran %d\n", number)}}
	trackertest.Record(s.t, s.st, seeds.Options{}, seed)
}

// said records an execution with a text, which is evidence if it is scored; more of it may come if it is open.
func (s *shard) said(l *lineagetest.Loop, version, text string, score *float64, isOpen bool) {
	s.t.Helper()
	e := l.Execution(version, func(e *track.Execution) { e.Output, e.Score, e.Task = &text, score, "t1" })
	if _, err := agents.NewRecorder(s.st, agents.Options{KeepText: true}, strings.NewReader(strings.Repeat(text, 99))).Record(s.t.Context(), []track.Execution{e}, isOpen); err != nil {
		s.t.Fatal(err)
	}
}

// used returns a database with old contents of every kind, used and unused, which a later state of it is opened as.
func used(t *testing.T) (later *shard) {
	t.Helper()
	s := newShard(t, 0)
	for i, label := range []string{"pinned", "swept", "unused"} {
		s.large("s", label, i)
	}
	s.large("evolved", "v", 10)
	err := s.st.Update(t.Context(), func(tx *store.Tx) error {
		_, err := tx.AddSweep(track.Sweep{ID: "01ARZ3NDEKTSV4RRFFQ69G5FAV", Scenario: "s", Plan: "{}", StartedAt: testdb.Clock(), Planned: []track.PlannedSeeds{{Configuration: track.Configuration{Label: "swept"}}}})
		return err
	})
	if err == nil {
		_, err = seeds.SetBaseline(t.Context(), s.st, answer.SetBaselineQuestion{Of: answer.Selector{Scenario: "s", Configuration: "pinned"}, Change: answer.Change{Reason: "a good one", Actor: "me"}})
	}
	if err == nil {
		seed, root := uint64(1), "{}"
		o := lineages.NewOptions{Name: "of a scenario", Seed: &seed, Subject: "scenario:evolved", Root: &root, Settings: evolution.DefaultSettings()}
		_, _, err = lineages.New(t.Context(), s.st, o, rand.Reader)
	}
	if err != nil {
		t.Fatal(err)
	}
	l := lineagetest.New(t, s.st, func(e *evolution.Settings) { e.Loop.MinBetween, e.Loop.StableMean = 0, 101 })
	first := l.Propose(lineagetest.Text("French"), answer.ProposeQuestion{})
	s.said(l, "v001", "evidence of the parent", pointer(50.0), false)
	s.said(l, "v002", "evidence of the child", pointer(90.0), false)
	if d := l.Decide(first.Key, answer.DecideQuestion{}); l.Head() != "v002" {
		t.Fatalf("%+v", d)
	}
	s.said(l, "v001", "said by an ancestor", nil, false)
	s.said(l, "v002", "said by the head", nil, false)
	second := l.Propose(lineagetest.Text("German"), answer.ProposeQuestion{})
	s.said(l, second.Child, "said by a proposal", nil, false)
	s.said(l, second.Child, "said so far", nil, true)
	st, err := store.Open(t.Context(), s.path, ticking(testdb.Clock().Add(100*24*time.Hour)))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = st.Close() })
	later = &shard{t, st, s.path}
	later.large("s", "new", 20)
	return later
}

// contents returns what is left of the contents, and whether the evidence is as the decisions say.
func (s *shard) contents() (list []string) {
	s.t.Helper()
	for _, query := range []string{
		`SELECT 'series of ' || seed.number FROM seed JOIN seed_series ON seed_series.seed_id = seed.id JOIN series_content ON series_content.id = seed_series.content_id WHERE pruned_at IS NULL ORDER BY seed.number`,
		`SELECT 'file of ' || seed.number FROM seed JOIN artifact ON artifact.seed_id = seed.id JOIN artifact_content ON artifact_content.id = artifact.artifact_content_id WHERE data IS NOT NULL ORDER BY seed.number`,
		`SELECT output FROM execution WHERE output IS NOT NULL ORDER BY id`,
	} {
		for _, row := range testdb.Rows(s.t, s.st, query) {
			list = append(list, fmt.Sprint(row[0]))
		}
	}
	return list
}

// Old contents go, unless others rest on them. Records stay, and so does what follows from them.
func TestPrune(t *testing.T) {
	s := used(t)
	question := answer.PruneQuestion{OlderThan: 90 * 24 * time.Hour, Keep: []answer.Retention{answer.RetainBaseline, answer.RetainHead}, DryRun: true}
	all := s.contents()
	dry, err := retention.Prune(t.Context(), s.st, question)
	if diff := cmp.Diff(all, s.contents()); err != nil || diff != "" {
		t.Fatalf("a dry run changed something: %v\n%s", err, diff)
	}
	question.DryRun = false
	pruned, err := retention.Prune(t.Context(), s.st, question)
	if err != nil {
		t.Fatal(err)
	}
	dry.Before = pruned.Before // the clock of the test goes on
	dry.DryRun, dry.Series.DryRun, dry.Artifacts.DryRun = false, false, false
	if diff := cmp.Diff(dry, pruned); diff != "" {
		t.Errorf("dry run and run differ:\n%s", diff)
	}
	want := []string{
		"series of 0", "series of 1", "series of 10", "series of 20", "file of 0", "file of 1", "file of 10", "file of 20",
		"evidence of the parent", "evidence of the child", "said by an ancestor", "said by the head", "said so far",
	}
	if diff := cmp.Diff(want, s.contents()); diff != "" {
		t.Errorf("left (-want +got):\n%s", diff)
	}
	kept := []answer.KeptRecord{
		{Kind: "seeds", Reason: "recent", N: 1}, {Kind: "seeds", Reason: "sweep", N: 1}, {Kind: "seeds", Reason: "decision", N: 1}, {Kind: "seeds", Reason: "baseline", N: 1},
		{Kind: "executions", Reason: "open", N: 1}, {Kind: "executions", Reason: "decision", N: 2}, {Kind: "executions", Reason: "head", N: 2},
	}
	if diff := cmp.Diff(kept, pruned.Kept); diff != "" || pruned.NExecutions != 1 || pruned.Series.NSeeds != 1 || pruned.Artifacts.NSeeds != 1 {
		t.Errorf("%+v, kept (-want +got):\n%s", pruned, diff)
	}
	question.Keep = nil
	if pruned, err = retention.Prune(t.Context(), s.st, question); err != nil || pruned.NExecutions != 2 || pruned.Series.NSeeds != 1 {
		t.Errorf("without heads and baselines: %+v, %v", pruned, err)
	}
	s.sound()
	report, err := lineages.Replay(t.Context(), s.st.Reader, "l", answer.ReplayQuestion{Strict: true})
	if err != nil || len(report.Differences) > 0 {
		t.Errorf("replay: %v, %v", report.Differences, err)
	}
	if n := trackertest.Numbers(t, s.st, "s"); len(n) != 4 {
		t.Errorf("seeds %v are left", n)
	}
}

// The texts of pruned executions do not come back by a merge or a bundle.
func TestPrunedTextsDoNotComeBack(t *testing.T) {
	s, whole := used(t), newShard(t, 0)
	whole.merge(s)
	if _, err := retention.Prune(t.Context(), s.st, answer.PruneQuestion{OlderThan: time.Hour}); err != nil {
		t.Fatal(err)
	}
	left := func() (list []string) {
		for _, text := range s.contents() {
			if strings.Contains(text, "evidence") || strings.Contains(text, "said") {
				list = append(list, text)
			}
		}
		return list
	}
	want := left()
	s.merge(whole)
	s.mergeLines(whole)
	if diff := cmp.Diff(want, left()); diff != "" || len(want) != 3 {
		t.Errorf("texts (-before +after):\n%s", diff)
	}
}
