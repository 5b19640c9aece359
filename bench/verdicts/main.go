// Command verdicts simulates what track/scoring and track/evolution decide, and prints docs/reference/simulations.md:
// how often a verdict is wrong, how often an interval covers the truth, and what seeds could show at all. It is seeded:
// equal flags print equal figures.
package main

import (
	"flag"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
)

func main() {
	runs := flag.Int("runs", 20_000, "repetitions for each figure; sections that take long use a part of them, and say so")
	only := flag.String("only", "", "print this section alone: "+strings.Join(names(), ", "))
	flag.Parse()
	if err := run(os.Stdout, *runs, *only); err != nil {
		fmt.Fprintln(os.Stderr, "verdicts:", err)
		os.Exit(1)
	}
}

// section is a part of the page, in a file of its own.
type section struct {
	name  string // of the file, and for -only
	title string
	write func(p *page) error
}

// sections are the parts of the page, in its order.
func sections() []section {
	return []section{
		{"feasibility", "What seeds can show at all", feasibility},
		{"noise", "What a gate makes of an unchanged model", noiseSection},
		{"bounds", "Bounds of the mean and the spread of scores", bounds},
		{"real", "Scores of real models", real},
		{"anytime", "Scores at any time", anytime},
		{"guard", "Guards of metrics", guard},
		{"unchanged", "Real models against themselves", unchanged},
		{"losses", "Guarded metrics of real models that lose", losses},
		{"simultaneous", "Many metrics together", simultaneous},
		{"e-value", "Differences at any time", eValue},
		{"power", "Power of a comparison", power},
		{"next-mean", "The next mean of a history", nextMean},
		{"change-points", "Change points", changePoints},
		{"mutations", "Decisions on mutations", mutations},
		{"operators", "The choice of an operator", operators},
	}
}

func names() (list []string) {
	for _, s := range sections() {
		list = append(list, s.name)
	}
	return list
}

func run(w io.Writer, runs int, only string) error {
	if only != "" && !slices.Contains(names(), only) {
		return fmt.Errorf("no section %q: %s", only, strings.Join(names(), ", "))
	}
	if only == "" {
		fmt.Fprintf(w, head, runs)
	}
	for _, s := range sections() {
		if only != "" && s.name != only {
			continue
		}
		p := &page{w: w, runs: runs, section: s.name}
		p.text("\n## %s\n", s.title)
		if err := s.write(p); err != nil {
			return fmt.Errorf("%s: %w", s.name, err)
		}
	}
	return nil
}

const head = `# How often verdicts are wrong

` + "`make sim-verdicts`" + ` prints this page: seeded simulations of the code that decides, with %d repetitions for each figure unless a table says otherwise. A share p of n
repetitions has a standard error of √(p(1 − p)/n). [Statistics](statistics.md) describes the methods.
`
