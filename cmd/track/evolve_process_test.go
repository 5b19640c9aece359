package main

import (
	"context"
	"crypto/rand"
	"database/sql"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"track"
	"track/answer"
	"track/evolution"
	"track/store"
	"track/tracker/agents"
	"track/tracker/lineages"
)

// nMutations are mutations of one version, with their evidence: some better, some worse, most where the draw decides.
const nMutations = 16

func evolveClock() time.Time { return time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC) }

// evolvable is a database with a lineage l and mutations m-00 and so on that are to be decided. It lies in a folder
// of its own.
func evolvable(t *testing.T) (dir string) {
	t.Helper()
	dir = t.TempDir()
	withStore(t, dir, func(st *store.Store) {
		settings := evolution.DefaultSettings()
		settings.ScoreFrom, settings.Loop.MutationRate = track.RubricOwn, 1
		settings.Policy, settings.Params = "threshold", []byte(`{"explore":-3,"explore_p":0.2,"marginal":0,"significant":5}`)
		seed, root := uint64(20260102), "Be brief, and answer in English."
		_, _, err := lineages.New(t.Context(), st, lineages.NewOptions{Name: "l", Seed: &seed, Subject: lineages.SubjectAgent, Root: &root, Settings: settings}, rand.Reader)
		if err != nil {
			t.Fatal(err)
		}
		var executions []track.Execution
		run := func(version string, score float64) {
			executions = append(executions, track.Execution{
				Lineage: "l", Version: version, Key: fmt.Sprint("e", len(executions)), Status: track.ExecutionOK, Score: &score, StartedAt: evolveClock().Add(time.Duration(len(executions)) * time.Second),
			})
		}
		run("v001", 50)
		for i := range nMutations {
			p, err := lineages.Propose(t.Context(), st, "l", answer.ProposeQuestion{Child: new(fmt.Sprintf("Be brief, and answer in language %d.", i)), ID: fmt.Sprintf("m-%02d", i), Operator: "by_hand"})
			if err != nil {
				t.Fatal(err)
			}
			run(p.Child, 50+[]float64{-1, -2, -9, -1.5, -2.5, 9, -0.5, 2}[i%8])
		}
		if _, err := agents.NewRecorder(st, agents.Options{}, rand.Reader).Record(t.Context(), executions, false); err != nil {
			t.Fatal(err)
		}
	})
	return dir
}

// withStore opens the database of a folder, which it makes where there is none.
func withStore(t *testing.T, dir string, use func(st *store.Store)) {
	t.Helper()
	path := filepath.Join(dir, "track.db")
	if _, err := store.Init(t.Context(), path); err != nil {
		t.Fatal(err)
	}
	st, err := store.Open(t.Context(), path, evolveClock)
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := st.Close(); err != nil {
			t.Error(err)
		}
	}()
	use(st)
}

// copied is a copy of the database of a folder, in another one.
func copied(t *testing.T, dir string) string {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(dir, "track.db"))
	if err != nil {
		t.Fatal(err)
	}
	other := t.TempDir()
	if err := os.WriteFile(filepath.Join(other, "track.db"), data, 0o666); err != nil {
		t.Fatal(err)
	}
	return other
}

func mutationKey(i int) string { return fmt.Sprintf("m-%02d", i) }

// verdicts are what was decided on each mutation, with the draw, once for each attempt; the ledger is held against
// itself.
func verdicts(t *testing.T, dir string) (list []string) {
	t.Helper()
	if sound := integrityOf(t, filepath.Join(dir, "track.db")); sound != "ok" {
		t.Error(sound)
	}
	withStore(t, dir, func(st *store.Store) {
		r, err := lineages.Replay(t.Context(), st.Reader, "l", answer.ReplayQuestion{Strict: true})
		if err != nil || len(r.Differences) > 0 || r.Verified != r.Decisions {
			t.Errorf("replay: %v, %d of %d verified, %v", err, r.Verified, r.Decisions, r.Differences)
		}
		l, err := st.Evolving(t.Context(), "l")
		if err != nil {
			t.Fatal(err)
		}
		entries, err := st.Entries(t.Context(), l, store.EntryFilter{Kinds: []evolution.Kind{evolution.KindDecision}})
		if err != nil {
			t.Fatal(err)
		}
		for _, e := range entries {
			var d evolution.Record
			if err := e.Decode(&d); err != nil {
				t.Fatal(err)
			}
			list = append(list, fmt.Sprint(d.Mutation, " ", d.Attempt, " ", d.Decision.State, " ", d.Decision.Label, " ", d.Draw.Raw, " ", *d.Decision.Delta))
		}
	})
	slices.Sort(list)
	return list
}

// inTurn are the verdicts of one who decides alone, in the order of the proposals or against it.
func inTurn(t *testing.T, dir string, backwards bool) []string {
	t.Helper()
	dir = copied(t, dir)
	withStore(t, dir, func(st *store.Store) {
		for i := range nMutations {
			if backwards {
				i = nMutations - 1 - i
			}
			if _, err := lineages.Decide(t.Context(), st, "l", mutationKey(i), answer.DecideQuestion{}); err != nil {
				t.Fatal(err)
			}
		}
	})
	return verdicts(t, dir)
}

// decideIn runs track mutation decide as a process, and returns what it prints.
func decideIn(t *testing.T, dir string, i int) (d answer.Decision) {
	t.Helper()
	stdout, stderr, code := runTrack(t, dir, "mutation", "decide", mutationKey(i), "--db", "track.db", "--format", "json")
	if err := json.Unmarshal([]byte(stdout), &d); err != nil || code != exitOK && code != exitRejected {
		t.Errorf("%s: exit code %d, %v, %s", mutationKey(i), code, err, stderr)
	}
	return d
}

// TestDecideAtOnce has processes decide at once on one lineage: each on a mutation of its own, all on the same, and
// each on several. No decision is lost, none is doubled, and the verdicts are those of one who decides alone, whatever
// the order.
func TestDecideAtOnce(t *testing.T) {
	t.Parallel()
	const processes, several = 6, 4
	base := evolvable(t)
	want := inTurn(t, base, false)
	if backwards := inTurn(t, base, true); !slices.Equal(want, backwards) || len(want) != nMutations {
		t.Fatalf("%q, backwards %q", want, backwards)
	}
	drawn := 0
	for _, v := range want {
		if strings.Contains(v, "accept exploration") {
			drawn++
		}
	}
	if drawn == 0 || drawn == nMutations {
		t.Errorf("no draw decides anything: %q", want)
	}
	for _, tt := range []struct {
		name      string
		decided   int // so many mutations, from the first
		mutations func(process int) []int
	}{
		{"a mutation each", processes, func(process int) []int { return []int{process} }},
		{"all on the same", 1, func(int) []int { return []int{0} }},
		{"each on several", several, func(process int) (list []int) {
			for i := range several {
				list = append(list, (i+process)%several) // not all begin with the same
			}
			return list
		}},
	} {
		dir := copied(t, base)
		var mutex sync.Mutex
		made, repeated, hashes := 0, 0, map[string]string{}
		start := make(chan struct{})
		var all sync.WaitGroup
		for process := range processes {
			all.Go(func() {
				<-start
				for _, i := range tt.mutations(process) {
					d := decideIn(t, dir, i)
					mutex.Lock()
					if d.Repeated {
						repeated++
					} else {
						made++
					}
					if hash := hashes[d.Mutation]; hash != "" && hash != d.Hash {
						t.Errorf("%s: %s was told two decisions, %s and %s", tt.name, d.Mutation, hash, d.Hash)
					}
					hashes[d.Mutation] = d.Hash
					mutex.Unlock()
				}
			})
		}
		close(start)
		all.Wait()
		expected := want[:tt.decided]
		if got := verdicts(t, dir); !slices.Equal(got, expected) {
			t.Errorf("%s:\n%s\nwant\n%s", tt.name, strings.Join(got, "\n"), strings.Join(expected, "\n"))
		}
		if total := processes * len(tt.mutations(0)); made != len(expected) || made+repeated != total {
			t.Errorf("%s: %d made and %d repeated, want %d of %d", tt.name, made, repeated, len(expected), total)
		}
	}
}

// TestProposeAtOnce has processes ask what to do, propose the same child, and propose children of their own, all at
// once: one consideration, one mutation, and for each of the others a number and a version.
func TestProposeAtOnce(t *testing.T) {
	t.Parallel()
	const processes = 6
	dir := t.TempDir()
	file := func(name, content string) string {
		t.Helper()
		if err := os.WriteFile(filepath.Join(dir, name), []byte(content), 0o666); err != nil {
			t.Fatal(err)
		}
		return name
	}
	mustTrack(t, dir, "lineage", "new", "l", "--root", file("root.md", "Be brief, and answer in English."), "--seed", "3", "--db", "track.db")
	mustTrack(t, dir, "lineage", "set", "l", "mutation_rate=1", "max_per_day=100", "policy=threshold", "--db", "track.db")
	atOnce := func(args func(process int) []string) (printed []map[string]any) {
		t.Helper()
		printed = make([]map[string]any, processes)
		start := make(chan struct{})
		var all sync.WaitGroup
		for process := range processes {
			all.Go(func() {
				<-start
				stdout, stderr, code := runTrack(t, dir, append(args(process), "--db", "track.db", "--format", "json")...)
				if err := json.Unmarshal([]byte(stdout), &printed[process]); err != nil || code != exitOK {
					t.Errorf("exit code %d, %v, %s", code, err, stderr)
				}
			})
		}
		close(start)
		all.Wait()
		return printed
	}
	distinct := func(printed []map[string]any, path ...string) (values []string) {
		for _, d := range printed {
			value := any(d)
			for _, name := range path {
				members, _ := value.(map[string]any)
				value = members[name]
			}
			if text := fmt.Sprint(value); !slices.Contains(values, text) {
				values = append(values, text)
			}
		}
		slices.Sort(values)
		return values
	}
	asked := atOnce(func(int) []string { return []string{"mutation", "next", "l"} })
	operator := distinct(asked, "operator")
	if actions := distinct(asked, "action"); !slices.Equal(actions, []string{"mutate"}) || len(operator) != 1 || operator[0] == "<nil>" {
		t.Errorf("%v %v", actions, operator)
	}
	file("same.md", "Be brief, and answer in French.")
	same := atOnce(func(int) []string { return []string{"mutation", "propose", "--child", "same.md"} })
	if ids := distinct(same, "mutation"); len(ids) != 1 {
		t.Errorf("one child of one parent became %v", ids)
	}
	own := atOnce(func(process int) []string {
		name := fmt.Sprintf("own%d.md", process)
		if err := os.WriteFile(filepath.Join(dir, name), fmt.Appendf(nil, "Be brief, and answer in language %d.", process), 0o666); err != nil {
			t.Error(err)
		}
		return []string{"mutation", "propose", "--child", name, "--operator", "by_hand"}
	})
	if ids, children := distinct(own, "mutation"), distinct(own, "child"); len(ids) != processes || len(children) != processes {
		t.Errorf("%v %v", ids, children)
	}
	withStore(t, dir, func(st *store.Store) {
		r, err := lineages.Replay(t.Context(), st.Reader, "l", answer.ReplayQuestion{})
		if err != nil || len(r.Differences) > 0 || len(r.Mutations) != processes+1 || r.Entries != 2+1+1+processes {
			t.Errorf("%v, %d mutations, %d entries, %v", err, len(r.Mutations), r.Entries, r.Differences)
		}
		for i, m := range r.Mutations {
			if m.Number != i+1 {
				t.Errorf("mutation %d has the number %d", i+1, m.Number)
			}
		}
	})
}

// TestAbortedDecision ends a transaction between the draw and its commit: nothing of it stays, and the next try draws
// the same number.
func TestAbortedDecision(t *testing.T) {
	t.Parallel()
	dir := evolvable(t)
	want := inTurn(t, dir, false)
	db, err := sql.Open("sqlite", filepath.Join(dir, "track.db"))
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = db.Close() }()
	execute := func(statement string) {
		t.Helper()
		if _, err := db.ExecContext(context.Background(), statement); err != nil {
			t.Fatal(err)
		}
	}
	withStore(t, dir, func(st *store.Store) {
		for i := range nMutations {
			// The entry is written by then, and the state of the mutation is not.
			execute("CREATE TRIGGER abort BEFORE UPDATE ON mutation BEGIN SELECT raise(ABORT, 'the end'); END")
			before, err := st.Evolving(t.Context(), "l")
			if err != nil {
				t.Fatal(err)
			}
			if _, err := lineages.Decide(t.Context(), st, "l", mutationKey(i), answer.DecideQuestion{}); err == nil || !strings.Contains(err.Error(), "the end") {
				t.Fatalf("%s: %v", mutationKey(i), err)
			}
			if after, err := st.Evolving(t.Context(), "l"); err != nil || after != before {
				t.Errorf("%s: %v, %+v before and %+v after", mutationKey(i), err, before, after)
			}
			execute("DROP TRIGGER abort")
			if _, err := lineages.Decide(t.Context(), st, "l", mutationKey(i), answer.DecideQuestion{}); err != nil {
				t.Fatal(err)
			}
		}
	})
	if got := verdicts(t, dir); !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
}

// TestKilledDecision kills processes while they decide: a decision is there whole, or not at all, and the next try
// draws the same number.
func TestKilledDecision(t *testing.T) {
	t.Parallel()
	dir := evolvable(t)
	want := inTurn(t, dir, false)
	for i := range nMutations {
		cmd := exec.Command("track", "mutation", "decide", mutationKey(i), "--db", "track.db")
		cmd.Dir = dir
		killAtChange(t, cmd, dir, 1+i%4)
	}
	survived := verdicts(t, dir)
	for _, v := range survived {
		if !slices.Contains(want, v) {
			t.Errorf("%s is not what one decides who lives", v)
		}
	}
	t.Logf("%d of %d decisions were made before their process was killed", len(survived), nMutations)
	for i := range nMutations {
		decideIn(t, dir, i)
	}
	if got := verdicts(t, dir); !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
}

// TestReplayTampered has the program replay what somebody has edited: the exit code is 13, and the row is named.
func TestReplayTampered(t *testing.T) {
	t.Parallel()
	dir := evolvable(t)
	for i := range 2 {
		decideIn(t, dir, i)
	}
	if stdout := mustTrack(t, dir, "replay", "--db", "track.db", "--strict"); !strings.Contains(stdout, "2/2 decisions verified") {
		t.Error(stdout)
	}
	last := strconv.Itoa(1 + nMutations + 2)
	for statement, want := range map[string]string{
		"UPDATE ledger SET body = json_set(body, '$.evidence.child[0].score', 99) WHERE number = " + last: "entry " + last + ", decision (mutation m-01): decision.new_score: stored 48, replayed 99",
		"UPDATE ledger SET body = json_set(body, '$.draw.u', 0.25) WHERE number = " + last:                "entry " + last + ", decision (mutation m-01): draw.u: stored 0.25, replayed ",
		"UPDATE ledger SET at = at + 1 WHERE number = 1":                                                  "entry 1, creation: hash: stored ",
		"DELETE FROM ledger WHERE number = 5":                                                             "entry 6, proposal (mutation m-04): number: stored 6, replayed 5",
		"DELETE FROM ledger WHERE number = " + last:                                                       "end: stored ",
		"UPDATE mutation SET state = 'accepted', delta = 40 WHERE key = 'm-02'":                           "mutation m-02: state: stored accepted, replayed proposed",
		"UPDATE version SET content_digest = zeroblob(32) WHERE name = 'v003'":                            "version: v003.content_digest: stored 0000",
		"UPDATE lineage SET seed = NULL":                                                                  "lineage: seed: stored 0, replayed 20260102",
		"UPDATE ledger SET body = '{' WHERE number = " + last:                                             "entry " + last + ", decision (mutation m-01): body: ",
		"UPDATE ledger SET body = json_set(body, '$.x', 1) WHERE number = " + last:                        "entry " + last + ", decision (mutation m-01): body: ",
		"UPDATE ledger SET body = '{' WHERE number = 1":                                                   "entry 1, creation: body: ",
		"UPDATE ledger SET mutation = 'm-x' WHERE number = " + last:                                       "entry " + last + ", decision (mutation m-01): mutation: stored m-x, replayed m-01",
		"UPDATE ledger SET kind = 'proposal' WHERE number = " + last:                                      "entry " + last + ", proposal (mutation m-01): ",
		"DELETE FROM mutation_parent":                                                                     "mutation m-01: parents: stored , replayed v001",
		"DELETE FROM mutation_parent WHERE mutation_id = 2; DELETE FROM mutation WHERE id = 2":            "mutation m-01: row: stored missing, replayed there",
	} {
		other := copied(t, dir)
		db, err := sql.Open("sqlite", filepath.Join(other, "track.db"))
		if err != nil {
			t.Fatal(err)
		}
		_, err = db.ExecContext(t.Context(), statement)
		if closeErr := db.Close(); err != nil || closeErr != nil {
			t.Fatal(err, closeErr)
		}
		for _, mode := range [][]string{nil, {"--lineage", "l", "--strict"}, {"--counterfactual", "greedy"}, {"--decision", last}, {"--decision", "d-nosuch", "--lineage", "l"}} {
			code, stdout, stderr := inProcess(t, append([]string{"replay", "--db", filepath.Join(other, "track.db")}, mode...))
			if code != exitMismatch || !strings.Contains(stdout, want) || !strings.Contains(stderr, "replay differs") {
				t.Errorf("%s, %v: exit code %d\n%s%s\nwant %s", statement, mode, code, stdout, stderr, want)
			}
		}
	}
}
