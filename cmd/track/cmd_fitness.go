package main

import (
	"context"
	"errors"
	"fmt"

	"github.com/urfave/cli/v2"

	"track"
	"track/scoring/format"
	"track/scoring/rubric"
	"track/scoring/stats"
	"track/scoring/verdict"
	"track/tracker/agents"
)

type fitnessOptions struct {
	rubric string
	cut    *float64
}

func (p *program) fitnessCommand() *cli.Command {
	var o fitnessOptions
	return &cli.Command{
		Name:      "fitness",
		Usage:     "aggregate the scores of a version of an agent",
		UsageText: "track fitness LINEAGE[@VERSION] [FLAGS]",
		Description: `Drops the best and the worst 10 % of the scores, and takes the weighted mean of the five newest of the rest, with weights 1.0 to 0.6.
Without a version, the one that was executed last. Shows which executions were used, with which weights.

Examples:
   track fitness sepa@v002
   track fitness sepa --rubric rubric/1 --format json`,
		BashComplete: p.completeLineages,
		Flags: []cli.Flag{
			&cli.StringFlag{Name: "rubric", DefaultText: "the score in force", Usage: "scores under `RUBRIC`: rubric/1, rubric/2 or own", Destination: &o.rubric},
			&cli.Float64Flag{Name: "cut", DefaultText: "0.1", Usage: "drop this `SHARE` at each end"},
		},
		Action: func(c *cli.Context) error {
			if c.NArg() != 1 {
				return usage("track fitness takes one LINEAGE[@VERSION]")
			}
			o.cut = optional(c, "cut")
			return p.fitness(c.Context, c.Args().First(), o)
		},
	}
}

func checkRubric(name string) error {
	if name == "" || name == track.RubricOwn {
		return nil
	}
	if _, err := rubric.ByName(name); err != nil {
		return usage("--rubric: %v", err)
	}
	return nil
}

func (p *program) fitness(ctx context.Context, selector string, o fitnessOptions) error {
	lineage, version, err := parseLineage(selector)
	if err != nil {
		return err
	}
	if err := checkRubric(o.rubric); err != nil {
		return err
	}
	if o.cut != nil && !(*o.cut >= 0 && *o.cut < 0.5) {
		return usage("--cut %v: it must be from 0 to below 0.5", *o.cut)
	}
	st, err := p.open(ctx)
	if err != nil {
		return err
	}
	defer func() { _ = st.Close() }()
	if version == nil {
		newest, err := st.NewestVersion(ctx, lineage)
		if err != nil {
			return err
		}
		version = &newest
	}
	report, err := agents.Fitness(ctx, st.Reader, lineage, *version, o.rubric, rubric.FitnessOptions{Cut: o.cut})
	switch {
	case errors.Is(err, rubric.ErrNoScores):
		return track.WithHint(fmt.Errorf("%s@%s: %w: %d executions, none with a score", lineage, *version, track.ErrNotFound, report.NExecutions), track.Hint{Text: "track executions " + lineage + " shows why"})

	case err != nil:
		return err
	}
	return p.write(fitnessView(report, o.rubric))
}

// enoughMeasured is the share of the rubric below which a grade asks for no action.
const enoughMeasured = 0.5

type fitnessDocument struct {
	Lineage      string                 `json:"lineage"`
	Version      string                 `json:"version"`
	Rubric       string                 `json:"rubric"` // "in force" where none was asked for
	Fitness      float64                `json:"fitness"`
	Grade        rubric.Grade           `json:"grade"`
	Action       string                 `json:"action"`
	NExecutions  int                    `json:"n_executions"`
	NScored      int                    `json:"n_scored"`
	NFailed      int                    `json:"n_failed"`
	NOwn         int                    `json:"n_own"` // scores used that are the caller's own
	Used         []rubric.Use           `json:"used"`
	TrimmedWorst []string               `json:"trimmed_worst"`
	TrimmedBest  []string               `json:"trimmed_best"`
	TooOld       []string               `json:"too_old"`
	NotScored    []string               `json:"not_scored"`
	Mean         estimateDocument       `json:"mean"` // of the used scores, unweighted
	EffectiveN   float64                `json:"effective_n"`
	Measured     float64                `json:"measured_share"` // of the rubric's weight, mean over the executions used
	Components   []rubric.ComponentMean `json:"components"`
	Warnings     []warningDocument      `json:"warnings"`
}

func fitnessView(r agents.FitnessReport, rubricName string) view {
	if rubricName == "" {
		rubricName = "in force"
	}
	d := fitnessDocument{
		Lineage: r.Lineage, Version: r.Version, Rubric: rubricName, Fitness: r.Value, Grade: r.Grade, Action: r.Grade.Action(), NExecutions: r.NExecutions,
		NScored: r.N, NFailed: r.NFailed, NOwn: r.NOwn, Used: notNil(r.Used), TrimmedWorst: notNil(r.TrimmedWorst), TrimmedBest: notNil(r.TrimmedBest), TooOld: notNil(r.TooOld),
		NotScored: notNil(r.NotScored), Mean: estimateDocument{&r.Mean.Mean, r.Mean.N, newCI(r.Mean.Interval), r.Mean.Interval.Method},
		EffectiveN: r.EffectiveN, Components: notNil(r.Components), Warnings: []warningDocument{},
	}
	var notes []verdict.Warning
	note := func(code, format string, args ...any) {
		text := fmt.Sprintf(format, args...)
		d.Warnings = append(d.Warnings, warningDocument{code, text})
		notes = append(notes, verdict.Warning{Code: code, Message: text})
	}
	if r.NUndated > 0 {
		note("no_start_time", "%d of %d used have no start time: the newest are those that were recorded last", r.NUndated, len(r.Used))
	}
	if r.NFailed > 0 {
		note("failed_executions", "%d of %d executions failed: they earn no score, and the fitness knows nothing of them", r.NFailed, r.NExecutions)
	}
	if r.MeasuredShare < 0.995 {
		note("partly_measured", "%s of the rubric could be measured in the executions used, on average", format.Share(r.MeasuredShare))
	}
	if r.MeasuredShare < enoughMeasured {
		d.Action = "too little of the rubric was measured to act on it"
	}
	for _, w := range r.Warnings {
		text := w.Message()
		if w == stats.WarnUntrimmed {
			text = "trimmed=0: fewer than 10 scores, so none is dropped"
		}
		note(string(w), "%s", text)
	}
	used := grid{title: "executions used", columns: []string{"id", "started", "score", "weight"}}
	for _, u := range r.Used {
		used.cells = append(used.cells, []any{u.ID, shown{people(u.At), timeText(u.At)}, shown{format.Fixed(u.Value, 2), u.Value}, u.Weight})
	}
	components := grid{title: "components", columns: []string{"component", "mean", "n"}}
	for _, c := range r.Components {
		components.cells = append(components.cells, []any{c.Name, c.Mean, c.N})
	}
	v := view{document: d, rows: grid{columns: used.columns, cells: used.cells}, page: []any{fitnessHeading(d, r.Mean.Interval), used}}
	if len(components.cells) > 0 {
		v.page = append(v.page, components)
	}
	if text := footnotes(notes); text != "" {
		v.page = append(v.page, text)
	}
	return v
}

func fitnessHeading(d fitnessDocument, interval stats.Interval) string {
	text := fmt.Sprintf("%s@%s  fitness %s, grade %s: %s\nscores %s; %d of %d executions scored, %d failed", d.Lineage, d.Version, format.Fixed(d.Fitness, 2), d.Grade, d.Action,
		d.Rubric, d.NScored, d.NExecutions, d.NFailed)
	text += fmt.Sprintf("\nweighted mean of %d", len(d.Used))
	if d.NOwn > 0 && d.NOwn < len(d.Used) { // they may not mean the same
		text += fmt.Sprintf(" (%d of your own, %d of the rubric)", d.NOwn, len(d.Used)-d.NOwn)
	}
	text += ", effective n " + format.Fixed(d.EffectiveN, 2)
	if interval.Defined() {
		text += fmt.Sprintf("; their plain mean %s, 95%% t interval %s to %s", format.Fixed(*d.Mean.Value, 2), format.Fixed(interval.Lo, 2), format.Fixed(interval.Hi, 2))
	}
	text += fmt.Sprintf("\ntrimmed %d worst and %d best, %d too old to count", len(d.TrimmedWorst), len(d.TrimmedBest), len(d.TooOld))
	return text
}
