package main

import (
	"bufio"
	"cmp"
	"crypto/rand"
	"errors"
	"fmt"
	mathrand "math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"track"
	"track/evolution"
	"track/store"
	"track/tracker/agents"
	"track/tracker/lineages"
)

// What the database for pages holds besides the seeds of the scenario large.
const (
	wideMetrics = 100 // of each of 1,000 seeds: the heat map has 10⁵ cells
	longTrace   = 10_000
	treeName    = "tree"
	traceName   = "traced"
	sweepName   = "swept"
)

// pagesDatabase returns a database with many seeds, a sweep, a lineage of many mutations with its executions, and an
// execution of 10,000 calls.
func (b bench) pagesDatabase() (string, error) {
	path := cmp.Or(b.database, filepath.Join(b.dir, "pages.db"))
	if _, err := os.Stat(path); err == nil {
		return path, nil
	}
	path, err := b.newLarge(path)
	if err != nil {
		return "", err
	}
	if err := b.command("spec", "add", filepath.Join(b.example, "growth_plus.yaml"), "--db", path); err != nil {
		return "", err
	}
	if _, err := b.recordLarge(path, 0, b.pageSeeds, perConfiguration); err != nil {
		return "", err
	}
	file, err := b.writeBatch("pages.jsonl", 3*perConfiguration, perConfiguration)
	if err != nil {
		return "", err
	}
	if err := b.command("record", "batch", file, "--db", path); err != nil {
		return "", err
	}
	if err := errors.Join(b.recordWide(path), b.recordSwept(path)); err != nil {
		return "", err
	}
	st, err := store.OpenForUpdate(b.ctx, path, time.Now)
	if err != nil {
		return "", err
	}
	return path, errors.Join(b.growTree(st, b.mutations), b.recordTrace(st), st.Close())
}

// recordWide records a configuration whose heat map has 10⁵ cells.
func (b bench) recordWide(path string) error {
	var declared strings.Builder
	declared.WriteString("scenario: wide\nmetrics:\n")
	for k := range wideMetrics {
		fmt.Fprintf(&declared, "  - {name: metric_%02d, type: RANGE, weight: 1, min: 0, max: 10}\n", k)
	}
	spec, seeds := filepath.Join(b.dir, "wide.yaml"), filepath.Join(b.dir, "wide.jsonl")
	if err := os.WriteFile(spec, []byte(declared.String()), 0o600); err != nil {
		return err
	}
	file, err := os.Create(seeds)
	if err != nil {
		return err
	}
	out := bufio.NewWriter(file)
	for i := range perConfiguration {
		fmt.Fprintf(out, `{"kind":"seed","scenario":"wide","seed":"%d","configuration":{"label":"v1"},"values":{`, i)
		for k := range wideMetrics {
			fmt.Fprintf(out, `"metric_%02d":%d,`, k, (i*i+k*k*k)%(13+k%7))
		}
		fmt.Fprintf(out, `"other":%d}}`+"\n", i)
	}
	if err := errors.Join(out.Flush(), file.Close()); err != nil {
		return err
	}
	return errors.Join(b.command("spec", "add", spec, "--db", path), b.command("record", "batch", seeds, "--db", path))
}

// recordSwept records a sweep of 1,000 seeds.
func (b bench) recordSwept(path string) error {
	command := exec.CommandContext(b.ctx, b.track, "sweep", "--db", path, "--scenario", sweepName, "--commit", "c", "--seeds", "0..999", "--quiet", "--", "echo", `{"m": {seed}}`)
	command.Args[len(command.Args)-1] = `{{"m": {seed}}}`
	_, err := timedCommand(command)
	return err
}

// growTree makes a lineage of n mutations. Scores are noisy and rise slowly, so some mutations are accepted and most
// are not.
func (b bench) growTree(st *store.Store, n int) error {
	random := mathrand.New(mathrand.NewPCG(1, 2))
	seed, root := uint64(1), content(0)
	settings := evolution.DefaultSettings()
	settings.Policy, settings.Params = "strict", []byte(`{"eps":0}`)
	_, _, err := lineages.New(b.ctx, st, lineages.NewOptions{Name: treeName, Seed: &seed, Subject: lineages.SubjectAgent, Root: &root, Settings: settings}, rand.Reader)
	if err != nil {
		return err
	}
	recorder := agents.NewRecorder(st, agents.Options{}, rand.Reader)
	try := func(version string, i int) error {
		list := executionsOf(treeName, version, i)
		for k := range list {
			*list[k].Score += 10 + 3*random.NormFloat64() // far enough from 0 and 100
		}
		_, err := recorder.Record(b.ctx, list, false)
		return err
	}
	if err := try("v001", 0); err != nil {
		return err
	}
	for i := 1; i <= n; i++ {
		p, err := lineages.Propose(b.ctx, st, treeName, lineages.ProposeOptions{Child: content(i), Operator: []string{"rephrase", "shorten", "add_example"}[i%3], ID: strconv.Itoa(i)})
		if err != nil {
			return err
		}
		if err := try(p.Child, i); err != nil {
			return err
		}
		if _, err := lineages.Decide(b.ctx, st, treeName, strconv.Itoa(i), lineages.DecideOptions{}); err != nil {
			return err
		}
	}
	return nil
}

// recordTrace records an execution of 10,000 calls, with their texts.
func (b bench) recordTrace(st *store.Store) error {
	if err := st.Update(b.ctx, func(tx *store.Tx) error { return tx.SetKeepText(traceName, true) }); err != nil {
		return err
	}
	began := time.Now().Add(-time.Hour)
	e := track.Execution{Lineage: traceName, Version: "v1", Key: "long", Task: "t", Status: track.ExecutionOK, StartedAt: began}
	for i := range longTrace {
		took, exit := time.Duration(i%7)*time.Second, 0
		text := strings.Repeat(fmt.Sprintf("line %d of an output\n", i), 1+i%20)
		c := track.ToolCall{Tool: []string{"Read", "Bash", "Edit"}[i%3], Input: fmt.Sprintf(`{"n":%d}`, i), Output: &text, Exit: &exit, Duration: &took, Answered: true, StartedAt: began.Add(time.Duration(i) * time.Second / 3)}
		if i%50 == 30 {
			c.Error = "no such file"
		}
		e.Calls = append(e.Calls, c)
	}
	_, err := agents.NewRecorder(st, agents.Options{}, rand.Reader).Record(b.ctx, []track.Execution{e}, false)
	return err
}
