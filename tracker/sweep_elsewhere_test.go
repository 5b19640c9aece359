//go:build unix

package tracker_test

import (
	"bufio"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"track"
	"track/store"
	"track/sweep"
	"track/tracker"
)

const holdsVariable = "TRACK_TEST_HOLDS"

// TestHoldsClaim is another process that runs seed 3 of the configuration that is named, as long as its standard input is open.
func TestHoldsClaim(t *testing.T) {
	hash := os.Getenv(holdsVariable)
	if hash == "" {
		t.Skip("it is run by another test")
	}
	claims, err := openStore(t, os.Getenv("TRACK_TEST_PATH")).Claims()
	if err != nil {
		t.Fatal(err)
	}
	taken, err := claims.Take("s", hash, 3)
	fmt.Println(taken, err)
	_, _ = io.Copy(io.Discard, os.Stdin)
}

// Configurations are ranked on the same seeds: as long as another process runs some of them, none is dropped.
func TestHalvingWaits(t *testing.T) {
	path := filepath.Join(t.TempDir(), "track.db")
	if _, err := store.Init(t.Context(), path); err != nil {
		t.Fatal(err)
	}
	st := openStore(t, path)
	addSpec(t, st, ranges("s", [2]float64{0, 1}))
	options := tracker.SweepOptions{Plan: sweepPlan(t, 20, "p=1,2"), Jobs: 2}
	options.Plan.Halving = []sweep.Tier{{Configurations: 2, Seeds: 10}, {Configurations: 1, Seeds: 20}}
	other := exec.Command(os.Args[0], "-test.run=^TestHoldsClaim$")
	other.Env = append(os.Environ(), holdsVariable+"="+options.Plan.Configurations()[1].Hash(), "TRACK_TEST_PATH="+path)
	in, inErr := other.StdinPipe()
	out, outErr := other.StdoutPipe()
	if err := errors.Join(inErr, outErr, other.Start()); err != nil {
		t.Fatal(err)
	}
	if line, err := bufio.NewReader(out).ReadString('\n'); err != nil || line != "true <nil>\n" {
		t.Fatalf("%q, error %v", line, err)
	}
	m := newSimulator(noisy)
	first, err := tracker.NewSweeper(st, rand.Reader, m.run, options, tracker.SweepObserver{}).Sweep(t.Context(), nil)
	if err != nil || first.NElsewhere != 1 || first.NRan != 19 || len(first.Halved) != 0 || first.Sweep.Ending != track.SweepInterrupted {
		t.Errorf("%v, %d elsewhere, %d ran, halved %+v, %s", err, first.NElsewhere, first.NRan, first.Halved, first.Sweep.Ending)
	}
	if err := in.Close(); err != nil {
		t.Error(err)
	}
	_ = other.Wait() // its seed is nobody's now
	if second := m.sweeps(t, st, options); second.NRan != 11 || len(second.Halved) != 2 || second.Sweep.Ending != track.SweepFinished {
		t.Errorf("%d ran, halved %+v, %s", second.NRan, second.Halved, second.Sweep.Ending)
	}
}
