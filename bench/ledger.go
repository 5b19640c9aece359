package main

import (
	"crypto/rand"
	"errors"
	"fmt"
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

// generations are as many as the largest lineage has.
const generations = 10_000

// ledger measures a decision in a lineage of 10 mutations against one of 10,000, each the child of the one before and
// accepted, the walk through the generations of the latter, and how fast its decisions are replayed.
func (b bench) ledger() error {
	path, err := b.newDatabase("ledger.db")
	if err != nil {
		return err
	}
	st, err := store.OpenForUpdate(b.ctx, path, time.Now)
	if err != nil {
		return err
	}
	sizes := []int{10, 100, 1000, generations}
	for _, n := range sizes {
		if err := b.evolve(st, lineageOf(n), n); err != nil {
			return errors.Join(err, st.Close())
		}
	}
	if err := st.Close(); err != nil {
		return err
	}
	heading("A lineage as it grows (whole process, median)", "command", "10 mutations", "100", "1000", "10000", "last against first")
	for _, question := range []struct {
		name string
		args []string
	}{
		{"track mutation propose", []string{"mutation", "propose", "--child", "-"}},
		{"track mutation decide", []string{"mutation", "decide"}},
		{"track mutation decide --dry-run", []string{"mutation", "decide", "--dry-run"}},
		{"track mutation next", []string{"mutation", "next", "--dry-run"}},
		{"track lineage head", []string{"lineage", "head"}},
		{"track lineage show", []string{"lineage", "show"}},
		{"track operators", []string{"operators"}},
		{"track replay", []string{"replay"}},
	} {
		cells, medians := []any{question.name}, []time.Duration{}
		for _, n := range sizes {
			took, err := b.askLedger(path, n, question.args)
			if err != nil {
				return err
			}
			medians = append(medians, took.median())
			cells = append(cells, took)
		}
		row(append(cells, fmt.Sprintf("%.2f", medians[len(medians)-1].Seconds()/medians[0].Seconds()))...)
	}
	if err := b.lineageReports(path, sizes); err != nil {
		return err
	}
	return b.replayRate(path)
}

// lineageReports measures track report lineage as a whole: how long it takes, and how long the reports are.
func (b bench) lineageReports(path string, sizes []int) error {
	if err := b.lineageStatements(path, sizes); err != nil {
		return err
	}
	heading("The report of a lineage as it grows (whole process, median)", "form", "10 mutations", "100", "1000", "10000", "bytes of the first", "bytes of the last")
	for _, suffix := range []string{".md", ".html"} {
		cells, bytes := []any{suffix}, []int64{}
		for _, n := range sizes {
			var took timings
			file := filepath.Join(b.dir, lineageOf(n)+suffix)
			for range b.rounds {
				began := time.Now()
				if output, err := exec.CommandContext(b.ctx, b.track, "--db", path, "report", "lineage", lineageOf(n), "-o", file).CombinedOutput(); err != nil {
					return fmt.Errorf("track report lineage: %w\n%s", err, output)
				}
				took = append(took, time.Since(began))
			}
			info, err := os.Stat(file)
			if err != nil {
				return err
			}
			cells, bytes = append(cells, took), append(bytes, info.Size())
		}
		row(append(cells, bytes[0], bytes[len(bytes)-1])...)
	}
	return nil
}

// lineageStatements counts the statements that the report of a lineage reads.
func (b bench) lineageStatements(path string, sizes []int) error {
	st, err := store.Open(b.ctx, path, time.Now)
	if err != nil {
		return err
	}
	defer func() { _ = st.Close() }()
	heading("Statements read for the report of a lineage as it grows", "10 mutations", "100", "1000", "10000")
	var cells []any
	for _, n := range sizes {
		before := st.Statements()
		if _, err := lineages.LoadFacts(b.ctx, st.Reader, lineageOf(n)); err != nil {
			return err
		}
		cells = append(cells, st.Statements()-before)
	}
	row(cells...)
	return nil
}

func lineageOf(n int) string { return "l" + strconv.Itoa(n) }

// evolve makes a lineage of n mutations, each version with three executions; all but the last are accepted.
func (b bench) evolve(st *store.Store, name string, n int) error {
	seed, root := uint64(1), content(0)
	settings := evolution.DefaultSettings()
	settings.Policy, settings.Params = "strict", []byte(`{"eps":0}`)
	_, _, err := lineages.New(b.ctx, st, lineages.NewOptions{Name: name, Seed: &seed, Subject: lineages.SubjectAgent, Root: &root, Settings: settings}, rand.Reader)
	if err != nil {
		return err
	}
	recorder := agents.NewRecorder(st, agents.Options{}, rand.Reader)
	if _, err := recorder.Record(b.ctx, executionsOf(name, "v001", 0), false); err != nil {
		return err
	}
	for i := 1; i <= n; i++ {
		id := strconv.Itoa(i)
		if i == n {
			id = undecided
		}
		p, err := lineages.Propose(b.ctx, st, name, lineages.ProposeOptions{Child: content(i), Operator: "rephrase", ID: id})
		if err != nil {
			return err
		}
		if _, err := recorder.Record(b.ctx, executionsOf(name, p.Child, i), false); err != nil {
			return err
		}
		if i == n {
			return nil
		}
		d, err := lineages.Decide(b.ctx, st, name, id, lineages.DecideOptions{})
		if err != nil {
			return err
		}
		if !d.Record.Decision.Accepted {
			return fmt.Errorf("mutation %d was not accepted", i)
		}
	}
	return nil
}

// undecided is the mutation of each lineage that is left to the program.
const undecided = "undecided"

// executionsOf are three executions of a version, each a little better than those of the version before.
func executionsOf(lineage, version string, i int) []track.Execution {
	executions := make([]track.Execution, 3)
	for k := range executions {
		score := 20 + float64(i)*50/generations + float64(k)
		executions[k] = track.Execution{Lineage: lineage, Version: version, Task: "t" + strconv.Itoa(k), Key: fmt.Sprintf("%d-%d", i, k), Score: &score}
	}
	return executions
}

// content is a prompt of a few hundred bytes.
func content(i int) string {
	return strings.Repeat("Read the task twice before you begin, and say what you are not sure of.\n", 6) + "Version " + strconv.Itoa(i) + ".\n"
}

// askLedger times a command on the lineage of n mutations.
func (b bench) askLedger(path string, n int, args []string) (list timings, err error) {
	name := lineageOf(n)
	rounds := 3 * b.rounds
	if args[0] == "replay" || args[len(args)-1] == "show" {
		rounds = b.rounds
	}
	for i := range rounds {
		words := append([]string{"--db", path, "--format", "json"}, args...)
		command := exec.CommandContext(b.ctx, b.track)
		switch args[0] + " " + args[min(1, len(args)-1)] {
		case "mutation propose":
			words = append(words, "--lineage", name)
			command.Stdin = strings.NewReader(content(-1-i) + name)
		case "mutation decide":
			words = append(words, "--lineage", name, undecided, "--policy", fmt.Sprintf("strict,eps=%d", i+1)) // another question each time
		case "replay replay":
			words = append(words, "--lineage", name)
		default:
			words = append(words, name)
		}
		command.Args = append([]string{b.track}, words...)
		began := time.Now()
		output, err := command.CombinedOutput()
		list = append(list, time.Since(began))
		var exit *exec.ExitError
		if err != nil && (!errors.As(err, &exit) || exit.ExitCode() != 10 && exit.ExitCode() != 11) {
			return nil, fmt.Errorf("track %s: %w\n%s", strings.Join(words, " "), err, output)
		}
	}
	return list, nil
}

// replayRate measures how many decisions are replayed in a second, without the start of a process.
func (b bench) replayRate(path string) error {
	st, err := store.Open(b.ctx, path, time.Now)
	if err != nil {
		return err
	}
	defer func() { _ = st.Close() }()
	var took timings
	decisions := 0
	for range b.rounds {
		began := time.Now()
		r, err := lineages.Replay(b.ctx, st.Reader, lineageOf(generations), lineages.ReplayOptions{})
		if err != nil {
			return err
		}
		if len(r.Differences) > 0 {
			return fmt.Errorf("replay differs: %v", r.Differences[0])
		}
		took = append(took, time.Since(began))
		decisions = r.Decisions
	}
	rate := float64(decisions) / took.median().Seconds()
	heading("Replay of a lineage", "decisions", "entries of the ledger", "time", "decisions a second")
	row(decisions, 2*decisions, took, fmt.Sprintf("%.0f", rate))
	return nil
}
