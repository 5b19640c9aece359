// Command market is a small stochastic economy: firms, households and one bank, trading period by period. A seed has
// the same course on every machine. README.md says what the model is, and how track judges it.
package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"strconv"
)

// Exit codes: 0 for a run that came to its end, even to that of its economy.
const (
	exitFailed = 1 // the model could not go on, or the output could not be written
	exitUsage  = 2
)

// Bounds of the parameters: with them no amount leaves int64.
const (
	mostTheta      = 50
	leastPeriods   = 2 * burnIn
	mostPeriods    = 100_000
	mostFirms      = 10_000
	mostHouseholds = 100_000
)

type parameters struct {
	seed                       uint64
	theta                      float64 // largest change of a price in a period, in percent
	periods, firms, households int
}

type options struct {
	parameters
	out    string
	series bool
}

func main() { os.Exit(run(os.Args[1:], os.Stdout, os.Stderr, os.Getenv)) }

func run(args []string, stdout, stderr io.Writer, getenv func(string) string) int {
	o, err := parse(args, stdout, getenv)
	switch {
	case errors.Is(err, flag.ErrHelp):
		return 0
	case err != nil:
		_, _ = fmt.Fprintf(stderr, "market: %v\nhint: market --help\n", err)
		return exitUsage
	}
	c, err := simulate(o.parameters)
	if err == nil {
		err = write(o, c, stdout)
	}
	if err != nil {
		_, _ = fmt.Fprintf(stderr, "market: seed %d: %v\n", o.seed, err)
		return exitFailed
	}
	return 0
}

func parse(args []string, help io.Writer, getenv func(string) string) (o options, err error) {
	flags := flag.NewFlagSet("market", flag.ContinueOnError)
	flags.SetOutput(io.Discard)
	flags.Usage = func() {}
	seed := flags.String("seed", getenv("TRACK_SEED"), "`NUMBER` from 0 to 2^64-1; TRACK_SEED without the flag")
	flags.Float64Var(&o.theta, "theta", 8, "largest change of a price in a period, in `PERCENT`")
	flags.IntVar(&o.periods, "periods", 400, fmt.Sprintf("`NUMBER` of periods; the first %d do not count in metrics", burnIn))
	flags.IntVar(&o.firms, "firms", 40, "`NUMBER` of firms")
	flags.IntVar(&o.households, "households", 300, "`NUMBER` of households")
	flags.StringVar(&o.out, "out", getenv("TRACK_OUT"), "`FOLDER` for values.json and series.csv; TRACK_OUT without the flag; neither: the values on standard output")
	flags.BoolVar(&o.series, "series", true, "write series.csv into the folder")
	if err := flags.Parse(args); err != nil {
		if errors.Is(err, flag.ErrHelp) {
			_, _ = fmt.Fprint(help, "market --seed N [FLAGS]\n\nSimulates a small economy and writes its metrics as JSON.\n\n")
			flags.SetOutput(help)
			flags.PrintDefaults()
		}
		return o, err
	}
	if flags.NArg() > 0 {
		return o, fmt.Errorf("takes flags only, not %q", flags.Arg(0))
	}
	if *seed == "" {
		return o, errors.New("--seed NUMBER is needed, or TRACK_SEED")
	}
	if o.seed, err = strconv.ParseUint(*seed, 10, 64); err != nil {
		return o, fmt.Errorf("--seed %q is no whole number from 0 to 2^64-1", *seed)
	}
	asked := false
	flags.Visit(func(f *flag.Flag) { asked = asked || f.Name == "series" })
	if asked && o.series && o.out == "" {
		return o, errors.New("--series needs --out FOLDER")
	}
	return o, o.check()
}

func (p parameters) check() error {
	if !(0 <= p.theta && p.theta <= mostTheta) {
		return fmt.Errorf("--theta %v is not from 0 to %d percent", p.theta, mostTheta)
	}
	for _, c := range []struct {
		flag               string
		value, least, most int
	}{
		{"--periods", p.periods, leastPeriods, mostPeriods},
		{"--firms", p.firms, 2, mostFirms},
		{"--households", p.households, 2, mostHouseholds},
	} {
		if c.value < c.least || c.value > c.most {
			return fmt.Errorf("%s %d is not from %d to %d", c.flag, c.value, c.least, c.most)
		}
	}
	return nil
}
