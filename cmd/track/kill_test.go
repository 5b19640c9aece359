//go:build unix

package main

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"
)

// make kill KILL=1h sets it.
var killFor = flag.Duration("kill", 0, "kill processes for so long in TestKillEverything; a few rounds if it is 0")

// TestKillEverything runs several processes at once that record in every way there is, kills them at random times, and
// checks that everything acknowledged is there, that nothing is half recorded, and that ledgers replay.
func TestKillEverything(t *testing.T) {
	const quickRounds, roundsOfDatabase = 8, 25
	seed := uint64(2026)
	if *killFor > 0 {
		seed = uint64(time.Now().UnixNano())
	}
	t.Logf("seed %d", seed)
	k := &killing{t: t, random: rand.New(rand.NewPCG(seed, 1)), usual: map[string]time.Duration{}, killed: map[string]int{}, ended: map[string]int{}}
	began, checked := time.Now(), 0
	for round := 0; round < quickRounds || k.nKilled() < quickRounds && round < 10*quickRounds || time.Since(began) < *killFor; round++ {
		if round%roundsOfDatabase == 0 {
			checked += k.finish()
			k.begin()
		}
		k.round()
	}
	checked += k.finish()
	for _, name := range slices.Sorted(maps.Keys(k.usual)) {
		t.Logf("%-10s %5d killed, %5d ended before", name, k.killed[name], k.ended[name])
	}
	t.Logf("%d processes killed; %d acknowledged records, all there; %v", k.nKilled(), checked, time.Since(began).Round(time.Second))
	if k.nKilled() < quickRounds {
		t.Errorf("only %d processes were killed", k.nKilled())
	}
}

// killing is a database that processes record into until they are killed.
type killing struct {
	t        *testing.T
	random   *rand.Rand
	dir      string
	number   int             // of the last record
	promised map[string]bool // acknowledged, or seen by somebody
	spooled  []string        // acknowledged, and in the database once the spool is ingested
	usual    map[string]time.Duration
	killed   map[string]int
	ended    map[string]int
}

func (k *killing) nKilled() (n int) {
	for _, killed := range k.killed {
		n += killed
	}
	return n
}

// attempt is a process that is going to be killed, or not.
type attempt struct {
	name     string
	args     []string
	input    string
	codes    []int    // exit codes that acknowledge
	promises []string // records that it acknowledges with them
	spools   bool     // they are in the database later

	stdout, stderr bytes.Buffer
	acknowledged   bool
	wasKilled      bool
	took           time.Duration
}

// begin makes a new database, with mutations to decide.
func (k *killing) begin() {
	k.dir, k.promised, k.spooled = evolvable(k.t), map[string]bool{}, nil
}

// finish ingests the spool, checks once more, and returns how many records were acknowledged.
func (k *killing) finish() int {
	if k.dir == "" {
		return 0
	}
	mustTrack(k.t, k.dir, "ingest", "--db", "track.db", "--all")
	for _, record := range k.spooled {
		k.promised[record] = true
	}
	k.check()
	return len(k.promised)
}

// round starts three processes at once and kills each after a time that is random, unless it ends before.
func (k *killing) round() {
	k.t.Helper()
	before := len(k.promised)
	attempts := []*attempt{k.attempt(), k.attempt(), k.attempt()}
	delays := make([]time.Duration, len(attempts))
	for i, a := range attempts {
		usual := max(k.usual[a.name], 60*time.Millisecond)
		delays[i] = time.Duration(k.random.Int64N(int64(usual * 3 / 2)))
	}
	var running sync.WaitGroup
	for i, a := range attempts {
		running.Go(func() { k.run(a, delays[i]) })
	}
	running.Wait()
	for _, a := range attempts {
		k.took(a)
	}
	if k.check(); len(k.promised) < before {
		k.t.Fatal("records are gone")
	}
	for _, a := range attempts {
		if a.name == "backup" {
			k.checkBackup(a)
		}
	}
}

func (k *killing) run(a *attempt, delay time.Duration) {
	cmd := exec.Command("track", a.args...)
	cmd.Dir, cmd.Env, cmd.Stdin, cmd.Stdout, cmd.Stderr = k.dir, environ(), strings.NewReader(a.input), &a.stdout, &a.stderr
	began := time.Now()
	if err := cmd.Start(); err != nil {
		k.t.Error(err)
		return
	}
	killer := time.AfterFunc(delay, func() { _ = cmd.Process.Kill() }) // it may be gone
	_ = cmd.Wait()                                                     // the exit code is looked at
	killer.Stop()
	code := cmd.ProcessState.ExitCode()
	a.took, a.wasKilled, a.acknowledged = time.Since(began), code < 0, slices.Contains(a.codes, code)
	if !a.wasKilled && !a.acknowledged {
		k.t.Errorf("%s: exit code %d: %s", strings.Join(a.args, " "), code, &a.stderr)
	}
}

// took notes what an attempt acknowledged, and how long one takes.
func (k *killing) took(a *attempt) {
	if a.wasKilled {
		k.killed[a.name]++
		k.usual[a.name] += a.took / 8 // it may take longer than is known
	} else {
		k.ended[a.name]++
		k.usual[a.name] = (k.usual[a.name] + a.took) / 2
	}
	promises := a.promises
	if !a.acknowledged {
		promises = nil
	}
	if a.name == "sweep" { // each seed is acknowledged by itself
		promises = sweptSeeds(a.stdout.String())
	}
	for _, record := range promises {
		if a.spools {
			k.spooled = append(k.spooled, record)
		} else {
			k.promised[record] = true
		}
	}
}

// sweptSeeds are the seeds that whole lines of a sweep acknowledge.
func sweptSeeds(text string) (records []string) {
	for line := range strings.Lines(text) {
		var swept struct{ Kind, Seed string }
		if strings.HasSuffix(line, "\n") && json.Unmarshal([]byte(line), &swept) == nil && swept.Kind == "seed" {
			records = append(records, "seed "+swept.Seed)
		}
	}
	return records
}

// check holds the database against everything that was acknowledged, and lets track check look for the rest.
func (k *killing) check() {
	k.t.Helper()
	found := k.records("track.db")
	for record := range k.promised {
		if !found[record] {
			k.t.Fatalf("%s is lost", record)
		}
	}
	k.promised = found
	mustTrack(k.t, k.dir, "check", "track.db")
}

func (k *killing) records(db string) map[string]bool {
	k.t.Helper()
	const all = `SELECT 'seed ' || seed FROM v_seed UNION ALL SELECT 'execution ' || key FROM v_execution UNION ALL SELECT DISTINCT 'decision ' || mutation FROM v_decision`
	found := map[string]bool{}
	for _, record := range strings.Split(strings.TrimSpace(mustTrack(k.t, k.dir, "query", "--db", db, "--limit", "0", "--format", "csv", all)), "\n")[1:] {
		if found[record] {
			k.t.Fatalf("%s is recorded twice", record)
		}
		found[record] = true
	}
	return found
}

// checkBackup checks that there is a whole copy, or none.
func (k *killing) checkBackup(a *attempt) {
	k.t.Helper()
	file := a.args[len(a.args)-1]
	if _, err := os.Stat(filepath.Join(k.dir, file)); err != nil {
		if a.acknowledged {
			k.t.Fatalf("%s is missing", file)
		}
		return
	}
	mustTrack(k.t, k.dir, "check", file)
	for record := range k.records(file) {
		if !k.promised[record] {
			k.t.Errorf("%s is in a backup alone", record)
		}
	}
}

// attempt chooses what a process does.
func (k *killing) attempt() *attempt {
	choices := []func() *attempt{
		k.recordSeed, k.recordBatch, k.spoolSeed, k.ingest, k.sweep, k.recordExecution, k.importLog, k.decide, k.merge, k.backup,
	}
	a := choices[k.random.IntN(len(choices))]()
	a.args = append([]string{a.args[0], "--db", "track.db"}, a.args[1:]...)
	if a.codes == nil {
		a.codes = []int{exitOK}
	}
	return a
}

// seeds reserves numbers, and returns their lines and names.
func (k *killing) seeds(n int) (lines string, records []string) {
	lines = string(seedLines(k.number, k.number+n))
	for i := range n {
		records = append(records, "seed "+strconv.Itoa(k.number+i))
	}
	k.number += n
	return lines, records
}

func (k *killing) recordSeed() *attempt {
	_, records := k.seeds(1)
	_, seed, _ := strings.Cut(records[0], " ")
	return &attempt{name: "seed", args: []string{"record", "seed", "--scenario", "s", "--seed", seed, "--commit", "c0ffee", "-"}, input: `{"a": 0.5, "b": 1}`, promises: records}
}

func (k *killing) spoolSeed() *attempt {
	a := k.recordSeed()
	a.name, a.spools, a.args = "spool", true, append(a.args, "--spool")
	return a
}

func (k *killing) ingest() *attempt { return &attempt{name: "ingest", args: []string{"ingest"}} }

func (k *killing) recordBatch() *attempt {
	lines, records := k.seeds(1 + k.random.IntN(2000))
	return &attempt{name: "batch", args: []string{"record", "batch", "-"}, input: lines, promises: records}
}

func (k *killing) sweep() *attempt {
	_, records := k.seeds(6)
	first, last := strings.TrimPrefix(records[0], "seed "), strings.TrimPrefix(records[5], "seed ")
	return &attempt{name: "sweep", args: []string{
		"sweep", "--format", "jsonl", "--scenario", "swept", "--seeds", first + ".." + last, "--commit", "c0ffee", "--jobs", "2", "--",
		"sh", "-c", `echo "{\"a\": $TRACK_SEED}"`, "{{seed}}",
	}}
}

// executionLine is a line of an execution that nothing else records.
func (k *killing) executionLine() (line, record string) {
	k.number++
	key := "k" + strconv.Itoa(k.number)
	return fmt.Sprintf(`{"kind":"execution","lineage":"other","version":"v1","key":%q,"task":"t","output":"x","calls":[{"tool":"Bash","exit":0},{"tool":"Read","exit":0}]}`, key) + "\n",
		"execution " + key
}

func (k *killing) recordExecution() *attempt {
	k.number++
	key := "k" + strconv.Itoa(k.number)
	return &attempt{name: "execution", args: []string{"record", "execution", "--lineage", "other", "--version", "v1", "--key", key, "--task", "t", "--score", "50"}, promises: []string{"execution " + key}}
}

func (k *killing) importLog() *attempt {
	a := &attempt{name: "import", args: []string{"import", "jsonl", "-"}}
	for range 1 + k.random.IntN(300) {
		line, record := k.executionLine()
		a.input, a.promises = a.input+line, append(a.promises, record)
	}
	return a
}

func (k *killing) decide() *attempt {
	mutation := mutationKey(k.random.IntN(nMutations))
	return &attempt{name: "decide", args: []string{"mutation", "decide", "--lineage", "l", mutation}, codes: []int{exitOK, exitRejected, exitContinue, exitConflict},
		promises: []string{"decision " + mutation}}
}

// merge merges a database that is made before.
func (k *killing) merge() *attempt {
	lines, records := k.seeds(1 + k.random.IntN(500))
	other := fmt.Sprintf("other%d.db", k.number)
	if err := os.WriteFile(filepath.Join(k.dir, other+".jsonl"), []byte(lines), 0o666); err != nil {
		k.t.Fatal(err)
	}
	mustTrack(k.t, k.dir, "record", "batch", "--db", other, other+".jsonl")
	return &attempt{name: "merge", args: []string{"merge", other}, promises: records}
}

func (k *killing) backup() *attempt {
	k.number++
	return &attempt{name: "backup", args: []string{"backup", fmt.Sprintf("copy%d.db", k.number)}}
}
