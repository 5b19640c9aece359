package lineages_test

import (
	"database/sql"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"track"
	"track/evolution"
	"track/internal/lineagetest"
	"track/internal/testdb"
	"track/tracker/lineages"
)

// checkActivations compares what is stored of versions with the ledger and the executions.
func checkActivations(t testing.TB, l *loop) (problems []string) {
	t.Helper()
	err := lineages.CheckActivations(t.Context(), l.Store.Reader, l.Name, func(version, problem string) {
		problems = append(problems, version+": "+problem)
	})
	if err != nil {
		t.Fatal(err)
	}
	return problems
}

// Whatever changes the executions of a version takes its stored fitness away: no change leaves one that does not follow
// from what is recorded, and answers that use stored ones are those that are computed from all executions.
func TestFitnessFollowsExecutions(t *testing.T) {
	l := newLoop(t, testdb.New(t), func(s *evolution.Settings) { lineagetest.Calm(s); s.Rollback.Drops = 3 })
	random := rand.New(rand.NewPCG(1, 2))
	l.Run("v001", 40)
	versions, open := []string{"v001"}, []track.Execution{}
	steps := 60
	if testing.Short() {
		steps = 25
	}
	for step := range steps {
		version := versions[random.IntN(len(versions))]
		switch random.IntN(9) {
		case 0, 1, 2:
			p := l.Propose(lineagetest.Text(fmt.Sprint("language ", step)), lineages.ProposeOptions{})
			l.Run(p.Child, 30+float64(random.IntN(40)), 50)
			l.Decide(p.Key, lineages.DecideOptions{})
			versions = append(versions, p.Child)
		case 3:
			l.Run(version, float64(random.IntN(100)))
		case 4:
			l.Fail(version, track.ExecutionTimeout, 1)
		case 5:
			e := l.Execution(version, func(e *track.Execution) { *e.Score = float64(random.IntN(100)) })
			l.Record(e, true)
			open = append(open, e)
		case 6: // an open execution is complete, and its score another one
			if len(open) > 0 {
				score := float64(random.IntN(100))
				open[0].Score = &score
				l.Record(open[0], random.IntN(2) == 0)
				open = open[1:]
			}
		case 7:
			l.Set(func(s *evolution.Settings) {
				s.ScoreFrom = []evolution.ScoreSource{track.RubricOwn, ""}[random.IntN(2)]
			})
		case 8:
			if l.Lineage().Head != version {
				l.Rollback(lineages.RollbackOptions{To: version, Untested: true})
			}
		}
		if problems := checkActivations(t, l); len(problems) > 0 {
			t.Fatalf("step %d: %s", step, strings.Join(problems, "; "))
		}
		compareListed(t, l)
	}
}

// compareListed compares the versions that are listed with the lineage with the same versions among all, of which
// nothing that is stored is used.
func compareListed(t testing.TB, l *loop) {
	t.Helper()
	o, err := lineages.LoadOverview(t.Context(), l.Store.Reader, l.Name)
	if err != nil {
		t.Fatal(err)
	}
	all, _, err := lineages.Versions(t.Context(), l.Store.Reader, l.Name)
	if err != nil {
		t.Fatal(err)
	}
	listed, archived := map[string]lineages.VersionEntry{}, 0
	for _, v := range o.Versions {
		listed[v.Name] = v
	}
	var want []lineages.VersionEntry
	for _, v := range all {
		if _, found := listed[v.Name]; found {
			want = append(want, v)
		} else if v.State != "candidate" {
			archived++
		}
		one, err := lineages.LoadVersion(t.Context(), l.Store.Reader, l.Name, v.Name)
		if diff := cmp.Diff(v, one); err != nil || diff != "" {
			t.Fatalf("%v: one version, and the same among all: %s", err, diff)
		}
	}
	if diff := cmp.Diff(want, o.Versions); diff != "" || archived != o.NArchived {
		t.Fatalf("%d archived, want %d: %s", o.NArchived, archived, diff)
	}
}

// A fitness that does not follow from the executions, a version that was never active, and one that is missing, are
// found.
func TestCheckActivations(t *testing.T) {
	testdb.OnlySQLite(t, "it changes the file")
	for _, tt := range []struct{ statement, want string }{
		{"UPDATE activation SET fitness = fitness + 1 WHERE position = 1", "v001: fitness 61 stored, 60 computed"},
		{"UPDATE activation SET fitness = NULL WHERE position = 1", "v001: fitness none stored, 60 computed"},
		{"UPDATE execution_score SET score = 1 WHERE execution_id = 1", "v001: fitness 60 stored, 1 computed"},
		{"UPDATE activation SET position = 7 WHERE position = 2", "v002: position 7 by entry 3 stored, 2 by 3 in the ledger"},
		{"UPDATE activation SET entry = 1 WHERE position = 2", "v002: position 2 by entry 1 stored, 2 by 3 in the ledger"},
		{"DELETE FROM activation WHERE position = 2", "v002: is missing"},
		{"UPDATE activation SET rubric = NULL, fitness = NULL", ""}, // it is computed when it is needed
	} {
		st := testdb.New(t)
		l := newLoop(t, st, nil)
		l.Run("v001", 60)
		if d := l.Evolve("French", 80); !d.Record.Decision.Accepted {
			t.Fatalf("%+v", d.Record.Decision)
		}
		l.Next()
		if problems := checkActivations(t, l); problems != nil {
			t.Fatal(problems)
		}
		db, err := sql.Open("sqlite", st.Path())
		if err == nil {
			_, err = db.ExecContext(t.Context(), tt.statement)
		}
		if err != nil {
			t.Fatal(err)
		}
		_ = db.Close()
		if problems := strings.Join(checkActivations(t, l), "; "); problems != tt.want {
			t.Errorf("%s: %q, want %q", tt.statement, problems, tt.want)
		}
	}
}

// A page of versions that are skipped does not hide the best of the others.
func TestBestBehindForbidden(t *testing.T) {
	l := newLoop(t, testdb.New(t), lineagetest.Calm)
	l.Run("v001", 10)
	for i := range 40 {
		if d := l.Evolve(fmt.Sprintf("language %d.", i), 11+float64(i)); !d.Record.Decision.Accepted {
			t.Fatalf("%+v", d.Record.Decision)
		}
	}
	l.Set(func(s *evolution.Settings) { s.Loop.Forbidden = []string{`language [1-3][0-9]`} })
	l.Rollback(lineages.RollbackOptions{To: "v001"})
	if r := l.Rollback(lineages.RollbackOptions{Best: true}); r.Head != "v011" { // language 9
		t.Errorf("went back to %s, want v011: all better ones are forbidden", r.Head)
	}
}
