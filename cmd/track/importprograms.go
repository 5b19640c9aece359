package main

import (
	"bufio"
	"context"
	"crypto/rand"
	"path/filepath"

	"github.com/urfave/cli/v2"

	"track/answer/param"
	"track/store"
	"track/tracker/exchange"
)

// importProgramsOptions are the options of imports of runs of other evolvers.
type importProgramsOptions struct {
	inferParents, keepSecrets, minimize bool
	scale                               *float64
	seed, at                            string
}

func (o *importProgramsOptions) flags() []cli.Flag {
	return []cli.Flag{
		&cli.BoolFlag{Name: "infer-parents", Usage: "replace a lost parent by the likeliest program (runs of evolvers)", Destination: &o.inferParents},
		&cli.Float64Flag{Name: "scale", Usage: "multiply scores by this `NUMBER` to get 0 to 100; else they are taken as they are (runs of evolvers)"},
		&cli.BoolFlag{Name: "minimize", Usage: "take less as better, of scores as they are (runs of evolvers)", Destination: &o.minimize},
		&cli.StringFlag{Name: "seed", Usage: "derive all draws of the new lineage from this whole `NUMBER` (runs of evolvers)", Destination: &o.seed},
		&cli.StringFlag{Name: "at", Usage: "use this `TIME` if the run names none; else now (runs of evolvers)", Destination: &o.at},
		&cli.BoolFlag{Name: "keep-secrets", Usage: "keep contents to the byte, and mask nothing in them (runs of evolvers)", Destination: &o.keepSecrets},
	}
}

func (o importProgramsOptions) isSet() bool { return o != importProgramsOptions{} }

// importPrograms records a run of another evolver.
func (p *program) importPrograms(ctx context.Context, f exchange.ProgramFormat, paths []string, o importOptions) error {
	if len(paths) != 1 {
		return usage("track import %s takes one PATH: a run is one", f.Name)
	}
	if o.lineage == "" {
		return usage("track import %s needs --lineage NAME", f.Name)
	}
	if o.version != "" || o.since != "" || o.keepText {
		return usage("--version, --since and --keep-text are for logs of executions, not for %s", f.Name)
	}
	options := exchange.ProgramsOptions{
		Lineage: o.lineage, Scale: o.programs.scale, Minimize: o.programs.minimize, KeepSecrets: o.programs.keepSecrets, DryRun: o.dryRun,
	}
	if options.Minimize && options.Scale != nil {
		return usage("--minimize is for scores as they are: leave --scale out")
	}
	if err := param.Seed(&options.Seed).Set(o.programs.seed); o.programs.seed != "" && err != nil {
		return usage("--seed: %v", err)
	}
	if err := param.Time(&options.At).Set(o.programs.at); o.programs.at != "" && err != nil {
		return usage("--at: %v", err)
	}
	open := func() (*store.Store, error) { return p.openOrCreate(ctx) }
	a, err := exchange.ReadPrograms(ctx, f, paths[0], o.programs.inferParents, open, options, bufio.NewReader(rand.Reader), p.showSkip)
	if err != nil {
		return err
	}
	if err := p.writeAnswer(a); err != nil {
		return err
	}
	return exchange.ProgramsError(a)
}

// importFound records whatever is found: runs of other evolvers, each in a lineage of its own, and logs. Several runs
// are named after their folders.
func (p *program) importFound(ctx context.Context, paths []string, o importOptions) error {
	runs, rest := exchange.FindPrograms(paths)
	for _, run := range runs {
		one := o
		if base := filepath.Base(filepath.Clean(run.Path)); len(runs) > 1 && o.lineage != "" {
			one.lineage += "-" + base
		} else if o.lineage == "" {
			one.lineage = base
		}
		if err := p.importPrograms(ctx, run.Format, []string{run.Path}, one); err != nil {
			return err
		}
	}
	if len(runs) > 0 {
		o.programs = importProgramsOptions{}
		if logs, err := exchange.FindLogs("", nil, rest); len(rest) == 0 || err != nil || logs.Size() == 0 {
			return nil
		}
	}
	return p.importLogs(ctx, "", rest, o)
}
