// Package property checks properties of code with generated inputs, the same ones in every run.
package property

import (
	"flag"
	"os"
	"strconv"
	"sync"
	"testing"

	"pgregory.net/rapid"
)

// soak is the environment variable that has properties checked with new seeds, as `make soak` does.
const soak = "TRACK_SOAK"

// most is the environment variable that says how many inputs are enough, as on a server, where each takes longer.
const most = "TRACK_MOST_CHECKS"

// seeds returns where generated inputs begin. A seed that once showed a mistake stays in the list.
func seeds() []uint64 { return []uint64{4360814820244052306, 1, 2} }

// turn lets one property at a time set the flags of rapid.
var turn sync.Mutex

// Check fails the test if a generated input falsifies the property. The inputs follow from a fixed list of seeds, so
// that a test never fails by chance, unless -rapid.seed names another seed or the environment asks for new ones. The
// checks are shared out among the seeds.
func Check(t *testing.T, property func(*rapid.T)) {
	t.Helper()
	turn.Lock()
	defer turn.Unlock()
	if os.Getenv(soak) != "" || flag.Lookup("rapid.seed").Value.String() != "0" {
		rapid.Check(t, property)
		return
	}
	checks, err := strconv.Atoi(flag.Lookup("rapid.checks").Value.String())
	if err != nil {
		t.Fatal(err)
	}
	defer set(t, 0, checks)
	checks = min(checks, mostChecks)
	if n, err := strconv.Atoi(os.Getenv(most)); err == nil {
		checks = min(checks, n)
	}
	for _, seed := range seeds() {
		set(t, seed, (checks+len(seeds())-1)/len(seeds()))
		if rapid.Check(t, property); t.Failed() {
			return
		}
	}
}

func set(t *testing.T, seed uint64, checks int) {
	t.Helper()
	for name, value := range map[string]string{"rapid.seed": strconv.FormatUint(seed, 10), "rapid.checks": strconv.Itoa(checks)} {
		if err := flag.Set(name, value); err != nil {
			t.Fatal(err)
		}
	}
}
