package main

import (
	"io"
	"strings"

	"github.com/urfave/cli/v2"

	"track/answer"
	"track/reports/render"
	"track/sweep"
	"track/tracker/sweeps"
)

func (p *program) designCommand() *cli.Command {
	var q answer.DesignQuestion
	output, force := "", false
	bound := p.bindParams("design", q.Params(), nil)
	help := commandHelp{examples: `
track design lhs --param theta=8:14 --param firms=10:40:int --n 64 -o points.csv
track design sobol --param rate=1e-4:1e-1:log --param rule=a,b --n 64 --seed 7 > points.csv
track design grid --param theta=8:14 --param firms=10,20,40 --n 4 -o points.jsonl
track sweep --scenario growth --seeds 0..9 --design points.csv -- ./sim --seed {seed} --theta {theta} --firms {firms}`}
	return &cli.Command{
		Name: "design", Usage: "spread configurations over ranges of parameters, for a sweep", UsageText: bound.usageText(),
		Description: help.description(`Writes one configuration a row, as CSV or JSON lines, which track sweep --design runs. METHOD is lhs (a Latin hypercube: each parameter takes one
value in each of N equal parts of its range), sobol (a Sobol sequence with a random shift; best with a power of two) or grid (every
combination). The same seed gives the same design on every machine.`),
		Flags: append(bound.flags(), &cli.StringFlag{Name: "output", Aliases: []string{"o"}, Destination: &output,
			Usage: "write to `FILE` instead of standard output: JSON lines if it ends in .jsonl, else CSV"},
			&cli.BoolFlag{Name: "force", Usage: "replace an existing file", Destination: &force}),
		Action: func(c *cli.Context) error {
			if err := bound.set(c); err != nil {
				return err
			}
			a, err := sweeps.NewDesign(q)
			if err != nil {
				return bound.usageError(err)
			}
			for _, s := range a.Lead() {
				p.noticeSentence(s)
			}
			options := p.renderOptions()
			switch {
			case strings.HasSuffix(output, ".jsonl"):
				options.Format = render.JSONL
			case options.Format == render.Table:
				options.Format = render.CSV
			}
			return p.writeData(output, force, func(w io.Writer) error { return render.Write(w, a, options) })
		},
	}
}

// readDesign reads a file of configurations. What is wrong with it is said with its name.
func (p *program) readDesign(file string) (string, error) {
	const largest = 64 << 20
	text, err := p.readInput("design", file, largest)
	if err != nil {
		return "", err
	}
	_, err = sweep.ReadDesign(inputName(file), text)
	return string(text), err
}
