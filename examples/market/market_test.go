package main

import (
	"bytes"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"track/internal/property"
)

func defaults(seed uint64, theta float64) parameters {
	return parameters{seed: seed, theta: theta, periods: 400, firms: 40, households: 300}
}

// market runs the program with its environment.
func market(env map[string]string, args ...string) (code int, stdout, stderr string) {
	var out, problems bytes.Buffer
	code = run(args, &out, &problems, func(name string) string { return env[name] })
	return code, out.String(), problems.String()
}

func readFile(t *testing.T, elements ...string) []byte {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(elements...))
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// TestGolden: a seed gives the same bytes anywhere. Seed 7 lives, seed 18 dies under theta 14. Who changes the model
// writes the files and hashes anew, and measures README.md again.
func TestGolden(t *testing.T) {
	for _, c := range []struct{ seed, theta, series string }{
		{"7", "8", "d65c96459080f22151bae955c58f27b67d290c2b59a03172fb3aef4d668779b2"},
		{"18", "14", "b3e37245ff80e94952109215b7ffa009fed7c075e94cbc4602901044ae662f20"},
	} {
		out := t.TempDir()
		if code, _, stderr := market(nil, "--seed", c.seed, "--theta", c.theta, "--out", out); code != 0 {
			t.Fatalf("seed %s: exit code %d: %s", c.seed, code, stderr)
		}
		got, want := readFile(t, out, "values.json"), readFile(t, "testdata", "seed_"+c.seed+".json")
		if !bytes.Equal(got, want) {
			t.Errorf("seed %s:\n%s\nwant\n%s", c.seed, got, want)
		}
		if hash := fmt.Sprintf("%x", sha256.Sum256(readFile(t, out, "series.csv"))); hash != c.series {
			t.Errorf("seed %s: the SHA-256 of the series is %s, want %s", c.seed, hash, c.series)
		}
		_, stdout, _ := market(nil, "--seed", c.seed, "--theta", c.theta)
		if stdout != string(want) {
			t.Errorf("seed %s: standard output differs from values.json: %s", c.seed, stdout)
		}
	}
}

func TestSeedsDiffer(t *testing.T) {
	seen := map[string]uint64{}
	for _, seed := range []uint64{0, 1, 2, 1 << 32, 1 << 63, math.MaxUint64} {
		_, stdout, stderr := market(nil, "--seed", fmt.Sprint(seed), "--periods", "200")
		if other, taken := seen[stdout]; taken || stdout == "" {
			t.Errorf("seeds %d and %d give the same: %s%s", seed, other, stdout, stderr)
		}
		seen[stdout] = seed
	}
}

// TestCollapse holds the shares of README.md: of the seeds that the model was not tuned on, 0.2 % die under theta 8,
// and under theta 14 18.5 % die or are insolvent. A hundred seeds leave the bounds once in a thousand, if the shares
// are these.
func TestCollapse(t *testing.T) {
	for _, c := range []struct {
		theta       float64
		least, most int
	}{
		{8, 0, 4},
		{14, 5, 30},
	} {
		dead, insolvent := 0, 0
		for seed := range uint64(100) {
			course, err := simulate(defaults(seed, c.theta))
			if err != nil {
				insolvent++
				continue
			}
			if value(t, course.metrics(), "utilization_end") <= 0.05 {
				dead++
			}
		}
		t.Logf("theta %v: of 100 seeds %d dead, %d insolvent", c.theta, dead, insolvent)
		if n := dead + insolvent; n < c.least || n > c.most {
			t.Errorf("theta %v: %d dead and %d insolvent of 100 seeds, want %d to %d", c.theta, dead, insolvent, c.least, c.most)
		}
		if c.theta == 14 && (dead == 0 || insolvent >= dead) {
			t.Errorf("%d dead and %d insolvent: insolvency is to be the rarer end", dead, insolvent)
		}
	}
}

func value(t *testing.T, list []metric, name string) float64 {
	t.Helper()
	i := slices.IndexFunc(list, func(m metric) bool { return m.name == name })
	if i < 0 {
		t.Fatalf("no metric %s", name)
	}
	return list[i].value
}

// smallWorlds draws parameters of economies that are quick, and often short-lived.
func smallWorlds(t *rapid.T) parameters {
	return parameters{
		seed: rapid.Uint64().Draw(t, "seed"), theta: rapid.Float64Range(0, mostTheta).Draw(t, "theta"), periods: leastPeriods,
		firms: rapid.IntRange(2, 12).Draw(t, "firms"), households: rapid.IntRange(2, 60).Draw(t, "households"),
	}
}

// TestBooks: in every period money is conserved to the last thousandth, and so are goods; nobody has less than
// nothing; work is done once.
func TestBooks(t *testing.T) {
	property.Check(t, func(t *rapid.T) {
		p := smallWorlds(t)
		e := newEconomy(p)
		reserves, stock := e.reserves, int64(0)
		for range 60 {
			now, err := e.step()
			if money := e.deposits() + e.equity - e.credit(); money != reserves {
				t.Fatalf("period %d: deposits + equity - debts = %d, want %d", e.number, money, reserves)
			}
			left := checkAgents(t, e)
			if want := stock + now.output - now.sold - now.spoiled - now.lost; left != want {
				t.Fatalf("period %d: %d pieces are left, want %d", e.number, left, want)
			}
			stock = left
			if err != nil {
				return
			}
		}
	})
}

// checkAgents returns what stands on the shelves.
func checkAgents(t *rapid.T, e *economy) (stock int64) {
	employed := 0
	for i, h := range e.households {
		if h.money < 0 {
			t.Fatalf("period %d: household %d has %d", e.number, i, h.money)
		}
		if h.employer != nobody {
			employed++
			if !slices.Contains(e.firms[h.employer].workers, i) {
				t.Fatalf("period %d: firm %d does not know its worker %d", e.number, h.employer, i)
			}
		}
	}
	for i, f := range e.firms {
		if f.cash < 0 || f.debt < 0 || f.stock < 0 || f.alive && (f.price < smallPrice || f.wage < smallWage) {
			t.Fatalf("period %d: firm %d: %+v", e.number, i, f)
		}
		if !f.alive && (f.cash != 0 || f.debt != 0 || f.stock != 0 || len(f.workers) > 0) {
			t.Fatalf("period %d: firm %d is closed and has something: %+v", e.number, i, f)
		}
		employed -= len(f.workers)
		stock += f.stock
	}
	if employed != 0 {
		t.Fatalf("period %d: %d more employers than workers", e.number, employed)
	}
	return stock
}

// TestValuesFinite: whatever the parameters, what is written is JSON numbers; a run ends or says why it does not.
func TestValuesFinite(t *testing.T) {
	property.Check(t, func(t *rapid.T) {
		c, err := simulate(smallWorlds(t))
		if insolvent := (*insolvency)(nil); errors.As(err, &insolvent) {
			return
		}
		text, err := valuesJSON(c.metrics())
		if err != nil {
			t.Fatal(err)
		}
		var values map[string]*float64
		if err := json.Unmarshal(text, &values); err != nil {
			t.Fatalf("%v: %s", err, text)
		}
		for name, v := range values {
			if v == nil {
				t.Fatalf("%s is null", name)
			}
		}
		for _, always := range []string{"unemployment_max", "dead_share", "utilization_end", "wealth_gini"} {
			if values[always] == nil {
				t.Fatalf("no %s: %s", always, text)
			}
		}
	})
}

// TestInsolvent: seed 33 ruins the bank under theta 14. Such a run has an exit code and a reason, and no values.
func TestInsolvent(t *testing.T) {
	out := filepath.Join(t.TempDir(), "run")
	code, stdout, stderr := market(nil, "--seed", "33", "--theta", "14", "--out", out)
	if code != exitFailed || stdout != "" || !strings.Contains(stderr, "seed 33: the credit system is insolvent in period ") {
		t.Errorf("exit code %d, stdout %q, stderr %q", code, stdout, stderr)
	}
	if _, err := os.Stat(filepath.Join(out, "values.json")); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("values.json: %v", err)
	}
}

func TestUsage(t *testing.T) {
	for _, c := range []struct {
		args []string
		want string
	}{
		{nil, "--seed NUMBER is needed"},
		{[]string{"--seed", "-1"}, `--seed "-1" is no whole number`},
		{[]string{"--seed", "18446744073709551616"}, "no whole number"},
		{[]string{"--seed", "1.5"}, "no whole number"},
		{[]string{"--seed", "1", "--theta", "NaN"}, "--theta NaN is not from 0 to 50"},
		{[]string{"--seed", "1", "--theta", "-1"}, "--theta -1"},
		{[]string{"--seed", "1", "--theta", "x"}, "-theta"},
		{[]string{"--seed", "1", "--periods", "199"}, "--periods 199 is not from 200"},
		{[]string{"--seed", "1", "--firms", "1"}, "--firms 1"},
		{[]string{"--seed", "1", "--households", "0"}, "--households 0"},
		{[]string{"--seed", "1", "--series"}, "--series needs --out"},
		{[]string{"--seed", "1", "--gamma", "2"}, "-gamma"},
		{[]string{"--seed", "1", "7"}, `takes flags only, not "7"`},
	} {
		code, stdout, stderr := market(nil, c.args...)
		if code != exitUsage || stdout != "" || !strings.Contains(stderr, c.want) {
			t.Errorf("%v: exit code %d, stdout %q, stderr %q, want %q", c.args, code, stdout, stderr, c.want)
		}
	}
	if code, stdout, stderr := market(nil, "--help"); code != 0 || !strings.Contains(stdout, "-theta") || stderr != "" {
		t.Errorf("--help: exit code %d, stdout %q, stderr %q", code, stdout, stderr)
	}
}

// TestEnvironment: flags win over it.
func TestEnvironment(t *testing.T) {
	dir := t.TempDir()
	env := map[string]string{"TRACK_SEED": "7", "TRACK_OUT": filepath.Join(dir, "env")}
	if code, stdout, stderr := market(env, "--periods", "200"); code != 0 || stdout != "" {
		t.Fatalf("exit code %d, stdout %q, stderr %q", code, stdout, stderr)
	}
	flag := filepath.Join(dir, "flag")
	if code, _, stderr := market(env, "--periods", "200", "--seed", "8", "--out", flag, "--series=false"); code != 0 {
		t.Fatalf("exit code %d, stderr %q", code, stderr)
	}
	if bytes.Equal(readFile(t, dir, "env", "values.json"), readFile(t, flag, "values.json")) {
		t.Error("seeds 7 and 8 give the same: the flag does not win")
	}
	readFile(t, dir, "env", "series.csv")
	if _, err := os.Stat(filepath.Join(flag, "series.csv")); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("--series=false: series.csv: %v", err)
	}
	if code, _, stderr := market(env, "--out", filepath.Join(flag, "values.json")); code != exitFailed || stderr == "" {
		t.Errorf("a file in the place of the folder: exit code %d, stderr %q", code, stderr)
	}
}

// The expected numbers follow from the definitions by hand.
func TestFormulas(t *testing.T) {
	for _, c := range []struct {
		name      string
		got, want float64
	}{
		{"gini of equals", gini([]float64{3, 3, 3}), 0},
		{"gini where one of four has all", gini([]float64{0, 5, 0, 0}), 0.75},
		{"gini of 3 and 1", gini([]float64{3, 1}), 0.25},
		{"deviation", deviation([]float64{1, 3}), 1},
		{"autocorrelation of what alternates", autocorrelation([]float64{1, -1, 1, -1}), -0.75},
		{"changes", changes([]float64{1.5, 3})[1], 1},
		{"the first change is from the first price", changes([]float64{1.5, 3})[0], 0.5},
	} {
		if c.got != c.want {
			t.Errorf("%s: %v, want %v", c.name, c.got, c.want)
		}
	}
	for name, x := range map[string]float64{
		"gini of nothing to share": gini([]float64{0, 0}), "gini of nobody": gini(nil), "mean": mean(nil),
		"autocorrelation of a constant": autocorrelation([]float64{0, 0}),
	} {
		if !math.IsNaN(x) {
			t.Errorf("%s: %v, want NaN", name, x)
		}
	}
}
