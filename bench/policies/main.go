// Command policies simulates loops that evolve something under each policy of track/evolution, and prints
// docs/reference/policies.md. It is seeded: equal flags print equal figures.
package main

import (
	"flag"
	"fmt"
	"io"
	"math"
	"os"
	"strings"

	"track/evolution"
)

func main() {
	loops := flag.Int("loops", 60, "lineages for each policy, noise and world")
	repetitions := flag.Int("repetitions", 4000, "mutations that change nothing for each false-accept rate")
	flag.Parse()
	if err := run(os.Stdout, *loops, *repetitions); err != nil {
		fmt.Fprintln(os.Stderr, "policies:", err)
		os.Exit(1)
	}
}

// noises are sds of one score.
var noises = []float64{1, 3, 5, 7, 10, 15}

// base is the world of the loops but for noise and share.
var base = world{start: 30, budget: 2000, pGood: 0.1, good: 4, pBad: 0.5, bad: 3}

func run(w io.Writer, loops, repetitions int) error {
	fmt.Fprintf(w, head, loops, base.budget, 100*base.pGood, base.good, 100*base.pBad, base.bad, base.start)
	for _, section := range []struct {
		title, text string
		share       float64
	}{
		{"Loops with shared tasks", sharedText, 0.9},
		{"Loops without shared tasks", aloneText, 0},
	} {
		fmt.Fprintf(w, "\n## %s\n\n%s\n", section.title, section.text)
		if err := gains(w, section.share, loops); err != nil {
			return err
		}
	}
	return rates(w, repetitions)
}

// gains prints one row for each noise and policy.
func gains(w io.Writer, share float64, loops int) error {
	row(w, "sd", "policy", "gain", "tried", "accepted", "truly worse", "record overstates")
	row(w, "---:", "---", "---:", "---:", "---:", "---:", "---:")
	for _, sd := range noises {
		best, name := 0.0, ""
		for _, p := range policies() {
			t, err := total(sd, share, p, loops)
			if err != nil {
				return err
			}
			n := float64(loops)
			if gain := t.gain / n; name == "" || gain > best {
				best, name = gain, p.Name()
			}
			row(w, fmt.Sprint(sd), "`"+p.Name()+"`", fmt.Sprintf("%+.1f ± %.1f", t.gain/n, math.Sqrt(max(0, t.squares/n-t.gain/n*t.gain/n)/max(1, n-1))), fmt.Sprintf("%.0f", float64(t.tried)/n),
				fmt.Sprintf("%.1f", float64(t.accepted)/n), percent(float64(t.worse)/float64(max(1, t.accepted))), fmt.Sprintf("%+.1f", t.overstate/n))
		}
		row(w, fmt.Sprint(sd), "**gains most: `"+name+"`**", fmt.Sprintf("%+.1f", best), "", "", "", "")
	}
	return nil
}

// total sums the outcomes of loops.
func total(sd, share float64, p evolution.Policy, loops int) (t outcome, err error) {
	world := base
	world.noise, world.share = sd, share
	for i := range loops {
		o, err := evolve(world, p, uint64(i))
		if err != nil {
			return t, err
		}
		t.gain += o.gain
		t.squares += o.gain * o.gain
		t.overstate += o.overstate
		t.tried += o.tried
		t.accepted += o.accepted
		t.worse += o.worse
	}
	return t, nil
}

// rates prints what policies accept of mutations that change nothing.
func rates(w io.Writer, repetitions int) error {
	fmt.Fprintf(w, ratesText, repetitions)
	row(w, "sd", "policy", "simulated", "reported", "method")
	row(w, "---:", "---", "---:", "---:", "---")
	large := 0.0
	for _, sd := range noises {
		for _, p := range policies() {
			rate, high, err := nothing(p, sd, 0, repetitions)
			if err != nil {
				return err
			}
			if sd == 10 && p.Name() == "threshold" {
				large = high
			}
			told, method := evolution.FalseAccept(p, conditions(p, sd))
			row(w, fmt.Sprint(sd), "`"+p.Name()+"`", percent(rate), percent(told), method)
		}
	}
	fmt.Fprintf(w, tail, percent(large), percent(peeking(1_000_000)))
	return nil
}

// conditions are those of the simulated evidence.
func conditions(p evolution.Policy, sd float64) evolution.Conditions {
	c := evolution.Conditions{SD: sd, SDPairs: sd * 1.4142135623730951, NChild: first, NParent: first}
	switch p.(type) {
	case evolution.Strict, evolution.Anneal:
		c.NPairs = first
	}
	return c
}

func policies() []evolution.Policy {
	var list []evolution.Policy
	for _, name := range evolution.Policies() {
		// With five trials on each side, bands decides as threshold does.
		if p, err := evolution.DefaultPolicy(name); err == nil && p.Name() != (evolution.Bands{}).Name() {
			list = append(list, p)
		}
	}
	return list
}

func percent(x float64) string { return fmt.Sprintf("%.1f %%", 100*x) }

func row(w io.Writer, cells ...string) { fmt.Fprintf(w, "| %s |\n", strings.Join(cells, " | ")) }
