//go:build unix

package store_test

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"track"
	"track/store"
)

const claimVariable = "TRACK_TEST_CLAIM"

// claimant is another process that has claims on a database. It takes and releases what it is told: take 7, release 7.
type claimant struct {
	*exec.Cmd
	in  io.WriteCloser
	out *bufio.Reader
}

func newClaimant(t *testing.T, path string) *claimant {
	t.Helper()
	c := &claimant{Cmd: exec.Command(os.Args[0], "-test.run=^TestClaimant$")}
	c.Env = append(os.Environ(), claimVariable+"="+path)
	c.Stderr = os.Stderr
	in, inErr := c.StdinPipe()
	out, outErr := c.StdoutPipe()
	if err := errors.Join(inErr, outErr, c.Start()); err != nil {
		t.Fatal(err)
	}
	c.in, c.out = in, bufio.NewReader(out)
	t.Cleanup(func() {
		_ = c.Process.Kill() // it may be gone
		_ = c.Wait()
	})
	return c
}

func (c *claimant) tell(t *testing.T, command string, number track.SeedNumber) string {
	t.Helper()
	if _, err := fmt.Fprintln(c.in, command, number); err != nil {
		t.Fatal(err)
	}
	answer, err := c.out.ReadString('\n')
	if err != nil {
		t.Fatal(err)
	}
	return strings.TrimSpace(answer)
}

// TestClaimant is the other process of the tests below.
func TestClaimant(t *testing.T) {
	path := os.Getenv(claimVariable)
	if path == "" {
		t.Skip("it is run by other tests")
	}
	claims := openClaims(t, path)
	for {
		var command string
		var number track.SeedNumber
		if _, err := fmt.Scan(&command, &number); err != nil {
			return
		}
		switch command {
		case "take":
			taken, err := claims.Take("s", "hash", number)
			fmt.Println(taken, err)
		case "sweep":
			fmt.Println(claims.TakeSweep("01SWEEP"))
		case "lapsed":
			fmt.Println(claims.HasLapsed("s", "hash", number))
		case "release":
			fmt.Println(claims.Release("s", "hash", number))
		}
	}
}

func openClaims(t *testing.T, path string) store.Claims {
	t.Helper()
	st := openDatabase(t, path)
	if os.Getenv(claimVariable) != "" {
		st.SetLease(2 * time.Second)
	}
	claims, err := st.Claims()
	if err != nil {
		t.Fatal(err)
	}
	return claims
}

// Two processes exclude each other, seed by seed, and the claims of one that is killed are gone.
func TestClaims(t *testing.T) {
	path := newDatabase(t)
	here, there := openClaims(t, path), newClaimant(t, path)
	take := func(scenario, configuration string, number track.SeedNumber, want bool) {
		t.Helper()
		if taken, err := here.Take(scenario, configuration, number); err != nil || taken != want {
			t.Errorf("%s %s %s: taken here %v, error %v, want %v", scenario, configuration, number, taken, err, want)
		}
	}
	ask := func(command string, number track.SeedNumber, want string) {
		t.Helper()
		if got := there.tell(t, command, number); got != want {
			t.Errorf("%s %s there: %s, want %s", command, number, got, want)
		}
	}
	take("s", "hash", 7, true)
	take("s", "hash", 7, true) // one process may as often as it likes
	ask("take", 7, "false <nil>")
	ask("take", 8, "true <nil>")
	take("s", "hash", 8, false)
	take("s", "other", 8, true)
	take("other", "hash", 8, true)
	take("s", "hash", 1<<64-1, true)
	if err := here.Release("s", "hash", 7); err != nil {
		t.Error(err)
	}
	ask("take", 7, "true <nil>")
	ask("release", 7, "<nil>")
	take("s", "hash", 7, true)
	ask("take", 9, "true <nil>")
	take("s", "hash", 9, false)
	if err := there.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = there.Wait() // it was killed
	take("s", "hash", 9, true)
	take("s", "hash", 8, true)
	// The end of the claims of a process gives all back.
	if err := here.Close(); err != nil {
		t.Error(err)
	}
	there = newClaimant(t, path)
	ask("take", 7, "true <nil>")
	ask("take", 9, "true <nil>")
}

// Whoever asks learns what processes run, and nothing of those that were killed.
func TestRunning(t *testing.T) {
	path := newDatabase(t)
	st := openDatabase(t, path)
	planned := track.SeedRanges{{First: 0, Last: 20}}
	check := func(about string, sweep bool, want ...track.SeedNumber) {
		t.Helper()
		running, err := st.Running(t.Context())
		if got := running.Seeds("s", "hash", planned); err != nil || !slices.Equal(got, want) || running.HasSweep("01SWEEP") != sweep {
			t.Errorf("%s: seeds %v, sweep %v, error %v; want %v, %v", about, got, running.HasSweep("01SWEEP"), err, want, sweep)
		}
	}
	check("nobody", false)
	one, two := newClaimant(t, path), newClaimant(t, path)
	for number := range track.SeedNumber(8) {
		one.tell(t, "take", number)
	}
	one.tell(t, "sweep", 0)
	two.tell(t, "take", 9)
	two.tell(t, "take", 30) // nobody planned it
	check("two processes", true, 0, 1, 2, 3, 4, 5, 6, 7, 9)
	one.tell(t, "release", 3)
	check("a seed has ended", true, 0, 1, 2, 4, 5, 6, 7, 9)
	if running, err := st.Running(t.Context()); err != nil || running.Seeds("s", "other", planned) != nil || running.HasSweep("02SWEEP") {
		t.Errorf("claims on something else, error %v", err)
	}
	if err := one.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = one.Wait()                                              // it was killed
	for begun := time.Now(); time.Since(begun) < time.Minute; { // a server waits for the lease
		if running, err := st.Running(t.Context()); err != nil || !running.HasSweep("01SWEEP") {
			break
		}
	}
	check("one was killed", false, 9)
}

// A process that was stopped for longer than its lease learns which seeds another one may have run.
func TestLapsedClaimsPostgres(t *testing.T) {
	path := postgres(t, startServer(t))
	here, there := openClaims(t, path), newClaimant(t, path)
	ask := func(command string, number track.SeedNumber, want string) {
		t.Helper()
		if got := there.tell(t, command, number); got != want {
			t.Errorf("%s %s there: %s, want %s", command, number, got, want)
		}
	}
	ask("take", 7, "true <nil>")
	ask("take", 8, "true <nil>")
	ask("lapsed", 7, "false <nil>")
	ask("lapsed", 9, "true <nil>") // never taken
	ask("sweep", 0, "<nil>")
	running, err := openDatabase(t, path).Running(t.Context())
	if got := running.Seeds("s", "hash", track.SeedRanges{{First: 0, Last: 20}}); err != nil || !slices.Equal(got, []track.SeedNumber{7, 8}) || !running.HasSweep("01SWEEP") {
		t.Errorf("running: %v, sweep %v, error %v", got, running.HasSweep("01SWEEP"), err)
	}
	if taken, err := here.Take("s", "hash", 7); taken || err != nil {
		t.Errorf("taken here %v, error %v", taken, err)
	}
	if err := there.Process.Signal(syscall.SIGSTOP); err != nil {
		t.Fatal(err)
	}
	for taken := false; !taken; {
		var err error
		if taken, err = here.Take("s", "hash", 7); err != nil {
			t.Fatal(err)
		}
	}
	if err := there.Process.Signal(syscall.SIGCONT); err != nil {
		t.Fatal(err)
	}
	ask("lapsed", 7, "true <nil>")
	ask("lapsed", 8, "false <nil>") // nobody took it
	if taken, err := here.Take("s", "hash", 8); taken || err != nil {
		t.Errorf("taken here %v, error %v", taken, err)
	}
}
