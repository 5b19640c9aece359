package main

import (
	"bufio"
	"bytes"
	"context"
	"crypto/rand"
	"fmt"
	"os"
	"strconv"
	"strings"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"github.com/urfave/cli/v2"

	"track"
	"track/importer/lines"
	"track/scoring"
	"track/series"
	"track/tracker/seeds"
)

type recordSeedOptions struct {
	scenario, seed, label, commit, outcome, message, startedAt, duration string
	object                                                               string
	params, series                                                       cli.StringSlice
	valuesWin                                                            bool
	spec                                                                 int
	replace, spool                                                       bool
	spoolDir                                                             string // empty where it is recorded at once
}

func (p *program) recordSeedCommand() *cli.Command {
	var o recordSeedOptions
	return &cli.Command{
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
   track record seed --scenario growth_plus --seed 8 --outcome error --message "IndexError"`,
		Flags: []cli.Flag{
			&cli.StringFlag{Name: "scenario", Usage: "record a seed of the scenario `NAME`", Destination: &o.scenario},
			&cli.StringFlag{Name: "seed", Usage: "record this seed, a whole `NUMBER` from 0 to 2^64-1", Destination: &o.seed},
			&cli.StringFlag{Name: "label", Usage: "give the configuration the label `NAME`", Destination: &o.label},
			&cli.StringSliceFlag{Name: "param", Usage: "set a parameter, `KEY=VALUE`; a value that is JSON is read as JSON; may be repeated", Destination: &o.params},
			&cli.StringFlag{Name: "params", Usage: "read parameters from `FILE`, a JSON object, or from the object itself; --param adds to them", Destination: &o.object},
			&cli.StringFlag{Name: "commit", Usage: "record the revision `ID` instead of that of the working directory", Destination: &o.commit},
			&cli.StringFlag{Name: "outcome", Usage: "record this `OUTCOME`: ok, error, timeout or collapsed", Value: "ok", Destination: &o.outcome},
			&cli.StringFlag{Name: "message", Usage: "say why the seed failed, in a `TEXT`", Destination: &o.message},
			&cli.StringFlag{Name: "started-at", Usage: "give the `TIME` of the start, such as 2026-01-02T15:04:05Z", Destination: &o.startedAt},
			&cli.StringFlag{Name: "duration", Usage: "give the `TIME` it took, such as 1.5s or 2m", Destination: &o.duration},
			&cli.IntFlag{Name: "spec", DefaultText: "the newest", Usage: "judge under this `VERSION` of the spec", Destination: &o.spec},
			&cli.StringSliceFlag{Name: "series", Usage: "read series from `FILE` (.csv, .csv.gz, .npy, .npz, .parquet, .json); may be repeated", Destination: &o.series},
			&cli.BoolFlag{Name: "values-win", Usage: "keep given values that the series contradict", Destination: &o.valuesWin},
			&cli.BoolFlag{Name: "replace", Usage: "supersede the recorded seed, if it differs", Destination: &o.replace},
			spoolFlag(&o.spool),
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
			if spooled {
				o.spoolDir = dir
			}
			return p.recordSeed(c.Context, o, c.Args().First())
		},
	}
}

func (p *program) recordSeed(ctx context.Context, o recordSeedOptions, file string) error {
	seed, err := o.parse()
	if err != nil {
		return err
	}
	provenance := p.provenance(ctx, o.commit)
	if seed.Series, err = series.ReadFiles(o.series.Value()); err != nil {
		return err
	}
	if file != "" || len(seed.Series) == 0 {
		if seed.Values, err = p.readValues(file, seed.Outcome); err != nil {
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
	seed.Configuration.Revision, seed.Environment = origin.Revision, origin.Environment
	if o.spoolDir != "" {
		if o.spec > 0 || o.replace || o.valuesWin {
			return usage("--spec, --replace and --values-win are for the database, and this goes into a spool: --spool=false, or leave them out")
		}
		return p.spoolSeed(o.spoolDir, seed)
	}
	st, err := p.openOrCreate(ctx)
	if err != nil {
		return err
	}
	defer func() { _ = st.Close() }()
	recorder := seeds.NewRecorder(st, seeds.Options{SpecVersion: o.spec, Replace: o.replace, ValuesWin: o.valuesWin}, bufio.NewReader(rand.Reader))
	result, err := recorder.Record(ctx, seed)
	if err != nil {
		return err
	}
	switch result.Disposition {
	case track.Conflict:
		return seedConflict(seed, result)
	case track.Contradicted:
		return track.WithHint(fmt.Errorf("record seed %s of %s: %w", seed.Number, seed.Scenario, result.Problem), track.Hint{Text: "--values-win lets the given values stand"})

	}
	return p.write(recordedView(seed, result))
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
		duration, err := parseDuration(o.duration)
		if err != nil {
			return seed, usage("--duration: %v", err)
		}
		seed.Duration = &duration
	}
	return seed, nil
}

// parseDuration reads 1.5s, 2m and, as simulations print it, a bare number of seconds.
func parseDuration(s string) (time.Duration, error) {
	if _, err := strconv.ParseFloat(s, 64); err == nil {
		s += "s"
	}
	duration, err := time.ParseDuration(s)
	if err != nil || duration < 0 {
		return 0, fmt.Errorf("%q is not a duration such as 1.5s or 2m", s)
	}
	return duration, nil
}

// parseParams makes a JSON object of a given one, or of that in a file, and of KEY=VALUE pairs. A value that is JSON stands for itself, any other is
// a string.
func parseParams(given string, pairs []string) (track.Params, error) {
	object := map[string]jsontext.Value{}
	if given != "" && !strings.HasPrefix(given, "{") {
		text, err := os.ReadFile(given)
		if err != nil {
			return "", notFound(err)
		}
		given = string(text)
	}
	if given != "" {
		if err := json.Unmarshal([]byte(given), &object); err != nil || object == nil {
			return "", usage("--params is not a JSON object: %v", orProblem(err, "it is null"))
		}
	}
	for _, pair := range pairs {
		key, value, ok := strings.Cut(pair, "=")
		if !ok || key == "" {
			return "", usage("--param %q is not KEY=VALUE", pair)
		}
		if _, duplicate := object[key]; duplicate {
			return "", usage("--param %s is given twice", key)
		}
		if raw := jsontext.Value(value); raw.IsValid() {
			object[key] = raw
			continue
		}
		quoted, err := json.Marshal(value)
		if err != nil {
			return "", usage("--param %s: %v", key, err)
		}
		object[key] = quoted
	}
	text, err := json.Marshal(object, json.Deterministic(true))
	if err != nil {
		return "", usage("--param: %v", err)
	}
	params, err := track.NewParams(text)
	if err != nil {
		return "", usage("--param: %v", err)
	}
	return params, nil
}

func (p *program) readValues(file string, outcome track.Outcome) (map[string]float64, error) {
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
	values, err := lines.ParseValues(inputName(file), data)
	if len(bytes.TrimSpace(data)) == 0 {
		err = track.WithHint(err, track.Hint{Text: "if the simulation crashed, record that: the same command with --outcome error in place of the values"})
	}
	return values, err
}

func seedConflict(seed track.Seed, result seeds.RecordResult) error {
	err := fmt.Errorf("record seed: %w: seed %s of %s is recorded with other values under this configuration: %s",
		track.ErrConflict, seed.Number, seed.Scenario, result.DescribeConflict(seed.Outcome))
	if result.Outcome != seed.Outcome {
		err = fmt.Errorf("record seed: %w: seed %s of %s is recorded with outcome %s under this configuration, and now has %s",
			track.ErrConflict, seed.Number, seed.Scenario, result.Outcome, seed.Outcome)
		return track.WithHint(err, track.Hint{Text: "--replace records this run and keeps the other as superseded"})
	}
	err = track.WithHint(err, track.Hint{Text: "either the simulation is not deterministic, or what differs is not told apart: use --label, --param or --commit"})
	return track.WithHint(err, track.Hint{Text: "--replace records this one and keeps the other as superseded"})
}

type recordedDocument struct {
	Scenario      string                `json:"scenario"`
	Seed          track.SeedNumber      `json:"seed"`
	Disposition   string                `json:"disposition"`
	Outcome       track.Outcome         `json:"outcome"`
	Configuration configurationDocument `json:"configuration"`
	SpecVersion   *int                  `json:"spec_version"`
	Status        scoring.Status        `json:"status,omitempty"`
	TotalScore    *float64              `json:"total_score"`
	NPass         int                   `json:"n_pass"`
	NWarn         int                   `json:"n_warn"`
	NFail         int                   `json:"n_fail"`
	Failed        []string              `json:"failed"`
	Unknown       []string              `json:"unknown"`
}

func recordedView(seed track.Seed, result seeds.RecordResult) view {
	d := recordedDocument{
		Scenario: seed.Scenario, Seed: seed.Number, Disposition: dispositionName(result.Disposition), Outcome: seed.Outcome,
		Configuration: newConfigurationDocument(seed.Configuration.Hash(), seed.Configuration),
		Failed:        []string{}, Unknown: append([]string{}, result.Unknown...),
	}
	line := fmt.Sprintf("%s seed %s of %s", d.Disposition, seed.Number, seed.Scenario)
	a := result.Assessment
	switch {
	case result.Disposition == track.Duplicate:
		line = fmt.Sprintf("seed %s of %s is already recorded", seed.Number, seed.Scenario)
	case seed.Outcome != track.OutcomeOK:
		d.Status = scoring.Fail
		line += fmt.Sprintf(" as failed (%s)", seed.Outcome)
	case a == nil:
		line += "; it is scored when the scenario gets a spec"
	default:
		d.SpecVersion = &result.SpecVersion
		d.NPass, d.NWarn, d.NFail = a.NPass, a.NWarn, a.NFail
		if a.Scored {
			d.TotalScore = &a.TotalScore
		}
		var failed []string
		for _, r := range a.Results {
			if d.Status = scoring.WorstStatus(d.Status, r.Status); r.Status == scoring.Fail {
				d.Failed = append(d.Failed, r.Name)
				failed = append(failed, strings.TrimSpace(r.Name+" "+r.Reason))
			}
		}
		line += fmt.Sprintf(": %s, score %s, %d PASS %d WARN %d FAIL under spec version %d",
			d.Status, peopleText(d.TotalScore), a.NPass, a.NWarn, a.NFail, result.SpecVersion)
		if len(failed) > 0 {
			line += "\nfailed: " + strings.Join(failed, ", ")
		}
		if len(result.Unknown) > 0 {
			line += "\nnot in the spec, stored but not scored: " + strings.Join(result.Unknown, ", ")
		}
	}
	rows := grid{
		columns: []string{"scenario", "seed", "disposition", "status", "total_score", "n_pass", "n_warn", "n_fail"},
		cells:   [][]any{{d.Scenario, d.Seed, d.Disposition, string(d.Status), d.TotalScore, d.NPass, d.NWarn, d.NFail}},
	}
	return view{document: d, rows: rows, page: []any{line}}
}

func dispositionName(d track.Disposition) string {
	switch d {
	case track.Duplicate:
		return "duplicate"
	case track.Replaced:
		return "replaced"
	}
	return "recorded"
}

func orProblem(err error, otherwise string) string {
	if err == nil {
		return otherwise
	}
	return err.Error()
}
