package main

import (
	"bufio"
	"bytes"
	"context"
	"crypto/rand"
	"os"
	"strings"
	"time"

	"github.com/urfave/cli/v2"

	"track"
	"track/answer/param"
	"track/importer/lines"
	"track/internal/separated"
	"track/internal/sizes"
	"track/series"
	"track/sweep"
	"track/tracker/seeds"
)

type recordSeedOptions struct {
	scenario, seed, label, commit, outcome, message, startedAt, duration string
	object                                                               string
	params, series, keepFiles                                            cli.StringSlice
	largestFile                                                          sizes.Size
	valuesWin                                                            bool
	spec                                                                 int
	replace, spool, isNew                                                bool
	spoolDir                                                             string // empty where it is recorded at once
	awayDir                                                              string // for a server that cannot be reached; empty if nothing goes into a spool
}

func (p *program) recordSeedCommand() *cli.Command {
	var o recordSeedOptions
	format := p.textFormatFlags()
	return p.admitting(&cli.Command{
		Name:      "seed",
		Usage:     "record one seed of a scenario",
		UsageText: "track record seed --scenario S --seed N [FLAGS] [FILE|-]",
		Description: `Reads the values as a JSON object {"metric": 0.07, …} or as CSV lines metric,0.07 from FILE, or from standard input for -.
Write NaN and infinities as "NaN", "Infinity", "-Infinity". The git commit of the working directory and its state are recorded,
unless --commit is given. Recording the same seed again does nothing. Other values for it are refused (exit code 14).

Examples:
   python simulate.py --seed 7 > out.json && track record seed --scenario growth_plus --seed 7 out.json ||
      track record seed --scenario growth_plus --seed 7 --outcome error
   track record seed --scenario growth_plus --seed 7 --label v2 --param theta=14 values.json
   track record seed --scenario growth_plus --seed 7 --series run7.csv --series cross_section7.csv
   track record seed --scenario growth_plus --seed 8 --outcome error --message "IndexError" --keep-file run8.log`,
		Flags: []cli.Flag{
			&cli.StringFlag{Name: "scenario", Usage: "record a seed of the scenario `NAME`", Destination: &o.scenario},
			&cli.StringFlag{Name: "seed", Usage: "record this seed, a whole `NUMBER` from 0 to 2^64-1", Destination: &o.seed},
			&cli.StringFlag{Name: "label", Usage: "give the configuration the label `NAME`", Destination: &o.label},
			&cli.StringSliceFlag{Name: "param", Usage: "set a parameter, `KEY=VALUE`; numbers, true, false and JSON are read as such, anything else is text; may be repeated", Destination: &o.params},
			&cli.StringFlag{Name: "params", Usage: "read parameters from `FILE`, a JSON object, or from the object itself; --param adds to them", Destination: &o.object},
			&cli.StringFlag{Name: "commit", Usage: "record the revision `ID` instead of that of the working directory", Destination: &o.commit},
			&cli.StringFlag{Name: "outcome", Usage: "record this `OUTCOME`: ok, error, timeout or collapsed", Value: "ok", Destination: &o.outcome},
			&cli.StringFlag{Name: "message", Usage: "say why the seed failed, in a `TEXT`", Destination: &o.message},
			&cli.StringFlag{Name: "started-at", Usage: "give the `TIME` of the start, such as 2026-01-02T15:04:05Z", Destination: &o.startedAt},
			&cli.StringFlag{Name: "duration", Usage: "give the `TIME` it took, such as 1.5s or 2m", Destination: &o.duration},
			&cli.IntFlag{Name: "spec", DefaultText: "the newest", Usage: "judge under this `VERSION` of the spec", Destination: &o.spec},
			p.maxSizeFlag(), format[0], format[1],
			&cli.StringSliceFlag{Name: "series", Usage: "read series from `FILE` (.csv, .csv.gz, .npy, .npz, .json); may be repeated", Destination: &o.series},
			&cli.StringSliceFlag{Name: "keep-file", Usage: "keep the small files that match `PATTERN` with the seed; may be repeated", Destination: &o.keepFiles},
			&cli.GenericFlag{Name: "max-file-size", Usage: "keep such files of up to `SIZE`, such as 4MiB", Value: &o.largestFile, DefaultText: "1MiB"},
			&cli.BoolFlag{Name: "values-win", Usage: "keep given values that the series contradict", Destination: &o.valuesWin},
			&cli.BoolFlag{Name: "replace", Usage: "supersede the recorded seed, if it differs", Destination: &o.replace},
			newFlag(&o.isNew), spoolFlag(&o.spool),
		},
		Action: func(c *cli.Context) error {
			if !c.IsSet("scenario") || !c.IsSet("seed") {
				return usage("track record seed needs --scenario NAME and --seed NUMBER")
			}
			if c.NArg() > 1 {
				return usage("track record seed takes one file, not %d: %s", c.NArg(), strings.Join(c.Args().Slice(), " "))
			}
			dir, spooled, err := p.spooling(c, o.spool)
			if err != nil {
				return err
			}
			switch {
			case spooled:
				o.spoolDir = dir
			case !c.IsSet("spool"):
				o.awayDir = dir
			}
			return p.recordSeed(c.Context, o, c.Args().First())
		},
	})
}

func (p *program) recordSeed(ctx context.Context, o recordSeedOptions, file string) error {
	seed, err := o.parse()
	if err != nil {
		return err
	}
	provenance := p.provenance(ctx, o.commit)
	format, err := p.textFormat()
	if err != nil {
		return err
	}
	read := series.Options{Largest: p.maxSize, Format: format, LeftOut: p.noticeLeftOut}
	if seed.Series, err = series.ReadFiles(o.series.Value(), read); err != nil {
		return err
	}
	if seed.Artifacts, err = p.keptFiles(o); err != nil {
		return err
	}
	if file != "" || len(seed.Series) == 0 {
		if seed.Values, err = p.readValues(file, seed.Outcome, format); err != nil {
			return err
		}
	}
	if problem := seed.Validate(); problem != nil {
		problem.File = inputName(file)
		return problem
	}
	origin := <-provenance
	if origin.Notice != "" {
		p.notice("%s", origin.Notice)
	}
	for _, text := range sweep.OddTexts([]track.Params{seed.Configuration.Params}) {
		p.notice("%s", text)
	}
	seed.Configuration.Revision, seed.Environment = origin.Revision, origin.Environment
	if _, problem := p.texts().Admit(&seed); problem != nil { // the receipt describes what is stored
		return problem
	}
	if o.spoolDir != "" {
		if o.spec > 0 || o.replace || o.valuesWin {
			return usage("--spec, --replace and --values-win are for the database, and this goes into a spool: --spool=false, or leave them out")
		}
		return p.spoolSeed(o.spoolDir, seed)
	}
	if o.spec > 0 || o.replace || o.valuesWin {
		o.awayDir = ""
	}
	keep := func(dir string) error { return p.spoolSeed(dir, seed) }
	st, err := p.openOrCreate(ctx)
	if err != nil {
		return p.orKeep(o.awayDir, err, keep)
	}
	defer func() { _ = st.Close() }()
	recorder := seeds.NewRecorder(st, seeds.Options{SpecVersion: o.spec, Replace: o.replace, ValuesWin: o.valuesWin, Names: newNames(o.isNew)}, bufio.NewReader(rand.Reader))
	result, err := recorder.Record(ctx, seed)
	if err != nil {
		return p.orKeep(o.awayDir, err, keep)
	}
	if err := result.Refusal(seed); err != nil {
		return err
	}
	return p.writeAnswer(result.Receipt(seed))
}

func (o recordSeedOptions) parse() (seed track.Seed, err error) {
	seed = track.Seed{Scenario: o.scenario, Message: o.message}
	if err := track.CheckScenarioName(o.scenario); err != nil {
		return seed, usage("--scenario %v", err)
	}
	for _, flag := range [...]struct{ name, text string }{{"--label", o.label}, {"--commit", o.commit}} {
		if flag.text == "" {
			continue
		}
		if err := track.CheckName(flag.text); err != nil {
			return seed, usage("%s %v", flag.name, err)
		}
	}
	if seed.Number, err = track.ParseSeedNumber(o.seed); err != nil {
		return seed, usage("--seed: %v", err)
	}
	if seed.Outcome, err = track.ParseOutcome(o.outcome); err != nil {
		return seed, usage("--outcome: %v", err)
	}
	seed.Configuration.Label = o.label
	if seed.Configuration.Params, err = parseParams(o.object, o.params.Value()); err != nil {
		return seed, err
	}
	if o.startedAt != "" {
		if seed.StartedAt, err = time.Parse(time.RFC3339Nano, o.startedAt); err != nil {
			return seed, usage("--started-at: %q is not a time such as 2026-01-02T15:04:05Z", o.startedAt)
		}
	}
	if o.duration != "" {
		duration, err := param.ParseDuration(o.duration)
		if err != nil {
			return seed, usage("--duration: %v", err)
		}
		seed.Duration = &duration
	}
	return seed, nil
}

// parseParams returns the parameters of a JSON object, which may be in a file, and of KEY=VALUE pairs.
func parseParams(object string, pairs []string) (track.Params, error) {
	if object != "" && !strings.HasPrefix(object, "{") {
		text, err := os.ReadFile(object)
		if err != nil {
			return "", notFound(err)
		}
		object = string(text)
	}
	params, err := seeds.ParseParams(object, pairs)
	return params, usageOf(nil, err)
}

func (p *program) readValues(file string, outcome track.Outcome, format separated.Format) (map[string]float64, error) {
	if file == "" {
		if outcome == track.OutcomeOK {
			return nil, track.WithHint(usage("no values: name a FILE, or - for standard input"), track.Hint{Text: "a seed that failed is recorded with --outcome error and needs none"})
		}
		return nil, nil
	}
	data, err := p.readInput("values file", file, 256<<20)
	switch {
	case err != nil:
		return nil, err
	case len(strings.TrimSpace(string(data))) == 0 && outcome != track.OutcomeOK:
		return nil, nil
	}
	values, err := lines.ParseValuesAs(inputName(file), data, format)
	if len(bytes.TrimSpace(data)) == 0 {
		err = track.WithHint(err, track.Hint{Text: "if the simulation crashed, record that: the same command with --outcome error in place of the values"})
	}
	return values, err
}
