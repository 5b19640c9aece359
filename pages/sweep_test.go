//go:build unix

package pages_test

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"strings"
	"testing"

	"track"
	"track/internal/sample"
	"track/internal/testdb"
	"track/store"
)

const (
	runsVariable = "TRACK_TEST_RUNS"
	runningSweep = "01KE2Y54G0000000000000000R"
)

// TestRunsSeeds is another process that runs seeds 3 and 40 of a configuration for a sweep, as long as its standard
// input is open.
func TestRunsSeeds(t *testing.T) {
	hash := os.Getenv(runsVariable)
	if hash == "" {
		t.Skip("it is run by another test")
	}
	claims, err := testdb.Open(t, os.Getenv("TRACK_TEST_PATH")).Claims()
	if err != nil {
		t.Fatal(err)
	}
	_, three := claims.Take("growth_plus", hash, 3)
	_, forty := claims.Take("growth_plus", hash, 40)
	fmt.Println(errors.Join(claims.TakeSweep(runningSweep), three, forty))
	_, _ = io.Copy(io.Discard, os.Stdin)
}

// TestRunningSweep opens the page of a sweep while a process runs it, and after that was killed.
func TestRunningSweep(t *testing.T) {
	t.Parallel()
	testdb.OnlySQLite(t, "a server waits for the lease of a process that was killed")
	st, _ := sample.New(t)
	newest, err := st.NewestConfiguration(t.Context(), "growth_plus")
	if err != nil {
		t.Fatal(err)
	}
	planned := []track.PlannedSeeds{{Configuration: newest.Configuration, Seeds: track.SeedRanges{{First: 0, Last: 99}}}}
	if err := st.Update(t.Context(), func(tx *store.Tx) error {
		_, err := tx.AddSweep(track.Sweep{ID: runningSweep, Scenario: "growth_plus", Plan: "{}", StartedAt: testdb.Clock(), Planned: planned})
		return err
	}); err != nil {
		t.Fatal(err)
	}
	address := serve(t, st) + "/sweep/show?seed.heatmap=0&sweep=" + runningSweep
	running := []string{
		"<main id=\"main\" data-again>", ">running: 10 of 100 planned seeds recorded<", `<span class="number">2</span> <span class="interval"></span> <span class="basis">now, in all processes<`,
		`data-cell="&gt;">– running<`, `<th scope="col">40</th>`, `<td class="heat-running">running</td>`,
	}
	check := func(about string, is bool) {
		t.Helper()
		response, err := http.Get(address)
		if err != nil {
			t.Fatal(err)
		}
		text, err := io.ReadAll(response.Body)
		if err := errors.Join(err, response.Body.Close()); err != nil {
			t.Fatal(err)
		}
		for _, part := range running {
			if strings.Contains(string(text), part) != is {
				t.Errorf("%s: %q is there: %v", about, part, !is)
			}
		}
		if is && strings.Contains(string(text), `<th scope="col">41</th>`) {
			t.Errorf("%s: a seed that nobody runs is shown", about)
		}
	}
	other := exec.Command(os.Args[0], "-test.run=^TestRunsSeeds$")
	other.Env = append(os.Environ(), runsVariable+"="+newest.Hash, "TRACK_TEST_PATH="+st.Path())
	in, inErr := other.StdinPipe()
	out, outErr := other.StdoutPipe()
	if err := errors.Join(inErr, outErr, other.Start()); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = in.Close() })
	if line, err := bufio.NewReader(out).ReadString('\n'); err != nil || line != "<nil>\n" {
		t.Errorf("%q, error %v", line, err)
	}
	check("running", true)
	if err := other.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = other.Wait() // it was killed
	check("killed", false)
}
