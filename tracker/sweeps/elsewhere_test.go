//go:build unix

package sweeps_test

import (
	"bufio"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"
	"time"

	"track"
	"track/internal/testdb"
	"track/internal/trackertest"
	"track/store"
	"track/sweep"
	"track/tracker/seeds"
	"track/tracker/sweeps"
)

const holdsVariable = "TRACK_TEST_HOLDS"

// TestHoldsClaim is another process that runs seed 3 of the configuration that is named, as long as its standard input
// is open.
func TestHoldsClaim(t *testing.T) {
	hash := os.Getenv(holdsVariable)
	if hash == "" {
		t.Skip("it is run by another test")
	}
	claims, err := testdb.Open(t, os.Getenv("TRACK_TEST_PATH")).Claims()
	if err != nil {
		t.Fatal(err)
	}
	taken, err := claims.Take("s", hash, 3)
	fmt.Println(taken, err)
	_, _ = io.Copy(io.Discard, os.Stdin)
}

// claimElsewhere has another process run seed 3 of a configuration until leave is called.
func claimElsewhere(t *testing.T, path string, c track.Configuration) (leave func()) {
	t.Helper()
	other := exec.Command(os.Args[0], "-test.run=^TestHoldsClaim$")
	other.Env = append(os.Environ(), holdsVariable+"="+c.Hash(), "TRACK_TEST_PATH="+path)
	in, inErr := other.StdinPipe()
	out, outErr := other.StdoutPipe()
	if err := errors.Join(inErr, outErr, other.Start()); err != nil {
		t.Fatal(err)
	}
	if line, err := bufio.NewReader(out).ReadString('\n'); err != nil || line != "true <nil>\n" {
		t.Fatalf("%q, error %v", line, err)
	}
	return func() {
		_ = in.Close()
		_ = other.Wait() // its seed is nobody's now
	}
}

// A rule that looks at the seeds in their order sees those that another process records meanwhile: fewer are run in
// vain.
func TestRuleSeesSeedsOfOthers(t *testing.T) {
	options := sweeps.Options{Plan: sweepPlan(t, 1000), Jobs: 1, Until: &sweeps.StopRule{Precision: &sweeps.Precision{Of: sweeps.PrecisionSE, Less: 0.06}}}
	options.Plan.Until = "se<0.06"
	alone := newSweepStore(t)
	want := newSimulator(noisy).sweeps(t, alone, options)
	st := newSweepStore(t)
	defer claimElsewhere(t, st.Path(), options.Plan.Configurations()[0])()
	m := newSimulator(noisy)
	run := func(ctx context.Context, j sweep.Job) (track.Seed, error) {
		if j.Seed == 6 {
			third, err := m.run(ctx, sweep.Job{Scenario: "s", Configuration: j.Configuration, Seed: 3})
			if err == nil {
				_, err = seeds.NewRecorder(testdb.Open(t, st.Path()), seeds.Options{}, rand.Reader).Record(ctx, third)
			}
			if err != nil {
				t.Error(err)
			}
		}
		return m.run(ctx, j)
	}
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute) // or a rule that sees nothing would wait for the other process for ever
	defer cancel()
	got, err := sweeps.NewSweeper(st, rand.Reader, run, options, sweeps.Observer{}).Sweep(ctx, nil)
	if err != nil || got.NRan > want.NRan+3 || got.NElsewhere != 0 || got.Ending != track.SweepDecided || got.Configurations[0].Decision.N != want.Configurations[0].Decision.N {
		t.Errorf("%v, %d ran, %+v; want about %d, %+v", err, got.NRan, got.Configurations, want.NRan, want.Configurations) // a few more are on their way
	}
}

func newSweepStore(t *testing.T) *store.Store {
	t.Helper()
	testdb.OnlySQLite(t, "its database is a file")
	path := testdb.NewFile(t)
	st := testdb.Open(t, path)
	trackertest.AddSpec(t, st, trackertest.Ranges("s", [2]float64{0, 1}))
	return st
}

// Configurations are ranked on the same seeds, and a rule looks at them in their order: a sweep waits for those that
// another process runs, and runs those that it leaves.
func TestSweepWaits(t *testing.T) {
	st := newSweepStore(t)
	options := sweeps.Options{Plan: sweepPlan(t, 20, "p=1,2"), Jobs: 2}
	options.Plan.Halving = []sweep.Tier{{Configurations: 2, Seeds: 10}, {Configurations: 1, Seeds: 20}}
	leave := claimElsewhere(t, st.Path(), options.Plan.Configurations()[1])
	m := newSimulator(noisy)
	stop := make(chan struct{})
	stopped := sweeps.Observer{Notice: func(string) { close(stop) }}
	first, err := sweeps.NewSweeper(st, rand.Reader, m.run, options, stopped).Sweep(t.Context(), stop)
	if err != nil || first.NElsewhere != 1 || first.NRan != 19 || len(first.Halving) != 0 || first.Ending != track.SweepInterrupted {
		t.Errorf("%v, %d elsewhere, %d ran, halved %+v, %s", err, first.NElsewhere, first.NRan, first.Halving, first.Ending)
	}
	var notices []string
	leaves := sweeps.Observer{Notice: func(text string) {
		notices = append(notices, text)
		leave()
	}}
	second, err := sweeps.NewSweeper(st, rand.Reader, m.run, options, leaves).Sweep(t.Context(), nil)
	if err != nil || second.NElsewhere != 0 || second.NRan != 11 || len(second.Halving) != 2 || second.Ending != track.SweepFinished {
		t.Errorf("%v, %d elsewhere, %d ran, halved %+v, %s", err, second.NElsewhere, second.NRan, second.Halving, second.Ending)
	}
	if want := "waiting for 1 of the planned seeds, which other processes run"; !slices.Equal(notices, []string{want}) {
		t.Errorf("%q, want %q", notices, want)
	}
}

// What is claimed runs: another sweep may have what waits for a worker.
func TestClaimsAreOfRunningSeeds(t *testing.T) {
	st := newSweepStore(t)
	options := sweeps.Options{Plan: sweepPlan(t, 9), Jobs: 2}
	hash := options.Plan.Configurations()[0].Hash()
	m := newSimulator(noisy)
	free := 0
	run := func(ctx context.Context, j sweep.Job) (track.Seed, error) {
		if j.Seed == 0 { // while 0 and 1 run, the others can be had
			claims := exec.Command(os.Args[0], "-test.run=^TestHoldsClaim$")
			claims.Env = append(os.Environ(), holdsVariable+"="+hash, "TRACK_TEST_PATH="+st.Path())
			out, err := claims.Output()
			if err != nil || !strings.HasPrefix(string(out), "true <nil>\n") {
				t.Errorf("seed 3 is not to be had: %s, %v", out, err)
			}
			free++
		}
		return m.run(ctx, j)
	}
	hold := make(chan struct{})
	holding := func(ctx context.Context, j sweep.Job) (track.Seed, error) {
		if j.Seed == 1 {
			<-hold
		}
		seed, err := run(ctx, j)
		if j.Seed == 0 {
			close(hold)
		}
		return seed, err
	}
	summary, err := sweeps.NewSweeper(st, rand.Reader, holding, options, sweeps.Observer{}).Sweep(t.Context(), nil)
	if err != nil || summary.NRan != 9 || free != 1 {
		t.Errorf("%v, %d ran, looked %d times", err, summary.NRan, free)
	}
}
