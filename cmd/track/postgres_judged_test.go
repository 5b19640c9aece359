//go:build unix && postgres

package main

import (
	"encoding/json"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"track/answer"
	"track/internal/testpostgres"
	"track/scoring"
)

const judgedSpec = "scenario: s\nmetrics:\n- {name: a, type: RANGE, min: 0, max: 1}\ngate: {min_score: 0.5}\n"

// The values differ from seed to seed.
const judgedCommand = `echo "{\"a\": 0.$((TRACK_SEED % 7 + 2))$((TRACK_SEED + 1000))}"`

// judgedSweep is a sweep whose seeds end when the test lets them, with the same one that nothing disturbed.
type judgedSweep struct {
	dir, db     string
	args        []string
	variables   []string
	began       func() int
	open        func(n int)
	undisturbed answer.SweepResult // on SQLite
}

func newJudgedSweep(t *testing.T, db string, args ...string) *judgedSweep {
	t.Helper()
	s := &judgedSweep{dir: t.TempDir(), db: db}
	writeFiles(t, s.dir, map[string]string{"s.yaml": judgedSpec})
	reference := filepath.Join(s.dir, "reference.db")
	for _, database := range []string{db, reference} {
		mustTrackWith(t, s.dir, database, "init")
		mustTrackWith(t, s.dir, database, "spec", "add", "s.yaml")
	}
	args = append([]string{"sweep", "--commit", "c0ffee", "--scenario", "s", "--jobs", "1"}, args...)
	out := mustTrackWith(t, s.dir, reference, slices.Concat(args, []string{"--format", "json", "--", "sh", "-c", judgedCommand, "{{seed}}"})...)
	if err := json.Unmarshal([]byte(out), &s.undisturbed); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	_, s.began, s.open = gated(t, s.dir)
	s.args = append(args, "--", "sh", "-c", `echo "$TRACK_SEED" >>began; read -r line <gate; [ ! -e slow ] || sleep 0.3; `+judgedCommand, "{{seed}}")
	return s
}

func (s *judgedSweep) start(t *testing.T) *running[answer.SweepResult] {
	t.Helper()
	return onServer[answer.SweepResult](t, s.dir, s.db, s.variables, s.args...)
}

// run lets seeds run, one after another.
func (s *judgedSweep) run(n int) {
	for range n {
		s.began()
		s.open(1)
	}
}

func waitFor(t *testing.T, r *running[answer.SweepResult], notice string) {
	t.Helper()
	for text := ""; !strings.Contains(text, notice); text = readLine(t, r.stderr) {
	}
}

// wantDecisions checks that a sweep decided what it decides undisturbed.
func (s *judgedSweep) wantDecisions(t *testing.T, a answer.SweepResult) {
	t.Helper()
	for i, c := range a.Configurations {
		want := s.undisturbed.Configurations[i]
		if c.Unjudged || c.Dropped != want.Dropped || (c.Decision == nil) != (want.Decision == nil) || c.Decision != nil && *c.Decision != *want.Decision {
			t.Errorf("configuration %d: %+v with %+v, want %+v with %+v", i, c, c.Decision, want, want.Decision)
		}
	}
}

// wantLooks checks that the interim analyses of a sweep are those of an undisturbed one, each recorded once.
func (s *judgedSweep) wantLooks(t *testing.T) {
	t.Helper()
	const looks = "SELECT n, verdict FROM look ORDER BY n"
	got := tables(t, s.dir, s.db, looks)
	if want := tables(t, s.dir, "reference.db", looks); got != want {
		t.Errorf("looks:\n%s\nwant:\n%s", got, want)
	}
}

var judgedRules = map[string][]string{
	"precision":     {"--until", "pass_width<0.2"},
	"gate":          {"--until-decided"},
	"planned looks": {"--until-decided", "--plan", "6,12,20"},
}

// A sweep with a rule to end early runs on while the server is stopped. Once the server is back it asks the rule at the
// same numbers of seeds, and ends where it ends undisturbed.
func TestJudgedSweepServerStoppedPostgres(t *testing.T) {
	t.Parallel()
	for name, rule := range judgedRules {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			server := ownServer(t)
			s := newJudgedSweep(t, testpostgres.Schema(t, server.URL), append(rule, "--seeds", "0..199")...)
			r := s.start(t)
			s.run(4)
			s.began()
			if err := server.Halt(); err != nil {
				t.Fatal(err)
			}
			s.open(1)
			waitFor(t, r, "the server does not answer: recording into")
			if name == "planned looks" {
				s.run(10)
			} else {
				s.run(30)
			}
			writeFiles(t, s.dir, map[string]string{"slow": ""})
			if err := server.Resume(); err != nil {
				t.Fatal(err)
			}
			s.open(200)
			a, code, text := r.ended(t)
			if code != exitOK || a.Ending != s.undisturbed.Ending || a.NRan > 100 || !strings.Contains(text, "the server is back") {
				t.Errorf("exit code %d, %+v: %s", code, a, text)
			}
			s.wantDecisions(t, a)
			s.wantLooks(t)
			wantOnce(t, s.db, a.NRan)
		})
	}
}

// If the server stays away, nothing is decided, and the exit code says so. The same command decides later from the
// recorded seeds alone.
func TestJudgedSweepServerStaysAwayPostgres(t *testing.T) {
	t.Parallel()
	server := ownServer(t)
	s := newJudgedSweep(t, testpostgres.Schema(t, server.URL), "--until-decided", "--seeds", "0..39", "--param", "p=1,2")
	s.variables = []string{"TRACK_LEASE=300ms"}
	r := s.start(t)
	s.run(8)
	s.began()
	if err := server.Halt(); err != nil {
		t.Fatal(err)
	}
	s.open(1)
	s.run(71)
	a, code, text := r.ended(t)
	last := a.Configurations[0].LastLook
	if code != exitInconclusive || a.Ending != "undecided" || a.NRan != 80 || last == nil || last.Verdict != scoring.VerdictInconclusive || last.N != 40 {
		t.Errorf("exit code %d, %+v, %+v: %s", code, a, last, text)
	}
	for _, want := range []string{"INCONCLUSIVE: 2 configurations, the first after 40: not judged: the server does not answer", "run the same command again: track ingest", "record it: track ingest"} {
		if !strings.Contains(text, want) {
			t.Errorf("no %q in: %s", want, text)
		}
	}
	if err := server.Resume(); err != nil {
		t.Fatal(err)
	}
	ingestKept(t, s.dir, s.db)
	if a, code, text = s.start(t).ended(t); code != exitOK || a.NRan != 0 || a.Ending != "decided" {
		t.Errorf("again: exit code %d, %+v: %s", code, a, text)
	}
	s.wantDecisions(t, a)
	s.wantLooks(t)
}

// Halving needs the scores of a tier: it waits for the server there. If that stays away, the sweep ends, and the same
// command goes on.
func TestHalvingServerAwayPostgres(t *testing.T) {
	t.Parallel()
	for _, isBack := range []bool{true, false} {
		server := postgresServer(t)
		proxy := testpostgres.NewProxy(t, server, testpostgres.Faults{})
		direct := testpostgres.Schema(t, server)
		s := newJudgedSweep(t, proxy.Through(t, direct), "--seeds", "0..5", "--halving", "2:3,1:6", "--param", "p=1,2")
		if !isBack {
			s.variables = []string{"TRACK_LEASE=300ms"}
		}
		r := s.start(t)
		s.run(5)
		s.began()
		proxy.SetAway(true)
		s.open(1)
		waitFor(t, r, "the server does not answer: recording into")
		if isBack {
			proxy.SetAway(false)
			s.open(3)
		}
		a, code, text := r.ended(t)
		if !isBack {
			if code != exitInconclusive || a.NRan != 6 || !a.Configurations[1].Unjudged || !strings.Contains(text, "INCONCLUSIVE") {
				t.Errorf("away: exit code %d, %+v: %s", code, a, text)
			}
			proxy.SetAway(false)
			ingestKept(t, s.dir, s.db)
			s.open(3)
			a, code, text = s.start(t).ended(t)
		}
		if code != exitOK || a.Ending != "finished" || len(a.Halving) != len(s.undisturbed.Halving) {
			t.Errorf("back: exit code %d, %+v: %s", code, a, text)
		}
		s.wantDecisions(t, a)
		wantOnceEach(t, direct, 9)
	}
}

// Runs that are compared with records are compared once the server is back. If it stays away, the same command runs
// them again.
func TestRepeatedServerAwayPostgres(t *testing.T) {
	t.Parallel()
	for _, isBack := range []bool{true, false} {
		server := postgresServer(t)
		proxy := testpostgres.NewProxy(t, server, testpostgres.Faults{})
		direct := testpostgres.Schema(t, server)
		s := newJudgedSweep(t, proxy.Through(t, direct), "--seeds", "0..3", "--repeat-check", "0.5")
		if !isBack {
			s.variables = []string{"TRACK_LEASE=300ms"}
		}
		r := s.start(t)
		s.run(4)
		s.began()
		proxy.SetAway(true)
		s.open(1)
		waitFor(t, r, "the server does not answer: recording into")
		proxy.SetAway(!isBack)
		s.run(1)
		a, code, text := r.ended(t)
		if !isBack {
			if code != exitInconclusive || a.NUncompared != 2 || !strings.Contains(text, "INCONCLUSIVE: 2 seeds not compared") {
				t.Errorf("away: exit code %d, %+v: %s", code, a, text)
			}
			proxy.SetAway(false)
			s.open(2)
			a, code, text = s.start(t).ended(t)
		}
		if code != exitOK || a.NRepeated != 2 || a.NDiffering > 0 || a.NUncompared > 0 {
			t.Errorf("back: exit code %d, %+v: %s", code, a, text)
		}
		if out := tables(t, s.dir, direct, "SELECT count(*) AS n FROM repetition"); out != "n\n2\n" {
			t.Errorf("repetitions: %s", out)
		}
	}
}

// A rule under an older spec needs the server: kept seeds are scored under the newest.
func TestJudgedUnderOlderSpecServerAwayPostgres(t *testing.T) {
	t.Parallel()
	server := postgresServer(t)
	proxy := testpostgres.NewProxy(t, server, testpostgres.Faults{})
	direct := testpostgres.Schema(t, server)
	s := newJudgedSweep(t, proxy.Through(t, direct), "--seeds", "0..39", "--until", "pass_width<0.2", "--spec", "1")
	r := s.start(t)
	s.run(3)
	s.began()
	proxy.SetAway(true)
	s.open(1)
	if _, code, text := r.ended(t); code != exitInternal || !strings.Contains(text, "the seeds that have ended are kept in") || !strings.Contains(text, "track ingest") {
		t.Errorf("exit code %d: %s", code, text)
	}
	proxy.SetAway(false)
	ingestKept(t, s.dir, s.db)
	wantOnce(t, direct, 4)
	s.open(40)
	a, code, text := s.start(t).ended(t)
	if code != exitOK || a.NKnown != 4 {
		t.Errorf("exit code %d, %+v: %s", code, a, text)
	}
	s.wantDecisions(t, a)
}

// wantOnceEach checks that each seed of each configuration is recorded once.
func wantOnceEach(t *testing.T, db string, seeds int) {
	t.Helper()
	n := 0
	for _, times := range seedsOf(t, db) {
		n += times
	}
	if n != seeds {
		t.Errorf("%d seeds are recorded, want %d", n, seeds)
	}
}
