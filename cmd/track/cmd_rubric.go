package main

import (
	"context"
	"fmt"
	"slices"

	"github.com/urfave/cli/v2"

	"track/scoring"
	"track/scoring/format"
	"track/scoring/rubric"
	"track/scoring/stats"
	"track/scoring/verdict"
	"track/store"
)

func (p *program) rubricCommand() *cli.Command {
	return &cli.Command{
		Name:        "rubric",
		Usage:       "the rubrics by which executions are scored",
		Subcommands: []*cli.Command{p.rubricListCommand(), p.rubricCheckCommand()},
	}
}

func (p *program) rubricListCommand() *cli.Command {
	return &cli.Command{
		Name:      "list",
		Usage:     "list the rubrics with their components and weights",
		UsageText: "track rubric list",
		Description: `Every execution is scored under each of them when it is recorded; rubric/2 is in force.

Example:
   track rubric list --format json`,
		Action: func(c *cli.Context) error {
			if c.NArg() != 0 {
				return usage("track rubric list takes no argument")
			}
			v, err := rubricsView()
			if err != nil {
				return err
			}
			return p.write(v)
		},
	}
}

type rubricDocument struct {
	Name        string         `json:"name"`
	Description string         `json:"description"`
	Default     bool           `json:"default"`
	Parts       []partDocument `json:"components"`
}

type partDocument struct {
	Name        string         `json:"name"`
	Weight      float64        `json:"weight"`
	Description string         `json:"description"`
	Parts       []partDocument `json:"parts,omitempty"`
}

func newParts(parts []rubric.Part) (list []partDocument) {
	for _, part := range parts {
		list = append(list, partDocument{part.Name, part.Weight, part.Description, newParts(part.Parts)})
	}
	return list
}

func rubricsView() (view, error) {
	documents := []rubricDocument{}
	v := view{rows: grid{columns: []string{"rubric", "component", "weight", "description"}}}
	for _, name := range rubric.Names() {
		r, err := rubric.ByName(name)
		if err != nil {
			return v, err
		}
		documents = append(documents, rubricDocument{r.Name, r.Description, name == rubric.Default, newParts(r.Parts)})
		g := grid{title: r.Name + ": " + r.Description, columns: []string{"component", "weight", "description"}}
		var add func(parts []rubric.Part, indent string)
		add = func(parts []rubric.Part, indent string) {
			for _, part := range parts {
				g.cells = append(g.cells, []any{indent + part.Name, part.Weight, part.Description})
				v.rows.cells = append(v.rows.cells, []any{r.Name, part.Name, part.Weight, part.Description})
				add(part.Parts, indent+"  ")
			}
		}
		add(r.Parts, "")
		v.page = append(v.page, g)
	}
	v.document = documents
	return v, nil
}

func (p *program) rubricCheckCommand() *cli.Command {
	var o struct {
		truth, rubric string
		success       float64
	}
	return &cli.Command{
		Name:      "check",
		Usage:     "does the score mean anything? hold it against what is known to be true",
		UsageText: "track rubric check LINEAGE --truth NAME [FLAGS]",
		Description: `Prints how well the score and each of its components separate true successes from failures (AUC: 0.5 is a coin, 1 is perfect), and
how much two trials of one task differ, which is noise. The rubric is a heuristic: know how good it is on your tasks before it decides
about mutations.

Example:
   track rubric check airline --truth reward`,
		BashComplete: p.completeLineages,
		Flags: []cli.Flag{
			&cli.StringFlag{Name: "truth", Usage: "`NAME` of what is known of the executions, such as reward", Destination: &o.truth},
			&cli.StringFlag{Name: "rubric", Value: rubric.Default, Usage: "scores under `RUBRIC`", Destination: &o.rubric},
			&cli.Float64Flag{Name: "success", Value: 1, Usage: "a truth of at least `X` is a success", Destination: &o.success},
		},
		Action: func(c *cli.Context) error {
			if o.success != o.success {
				return usage("--success NaN is no number that a truth can reach")
			}
			if c.NArg() != 1 || o.truth == "" {
				return usage("track rubric check takes one LINEAGE and --truth NAME")
			}
			r, err := rubric.ByName(o.rubric)
			if err != nil {
				return usage("--rubric: %v", err)
			}
			return p.rubricCheck(c.Context, c.Args().First(), o.truth, r, o.success)
		},
	}
}

func (p *program) rubricCheck(ctx context.Context, lineage, truth string, r rubric.Rubric, success float64) error {
	st, err := p.open(ctx)
	if err != nil {
		return err
	}
	defer func() { _ = st.Close() }()
	stored, err := st.Trials(ctx, lineage, store.TrialFilter{Truth: truth, Rubric: r.Name, Components: true})
	if err != nil {
		return err
	}
	trials, unscored := scoredTrials(stored, success)
	check, err := rubric.CheckTruth(r, trials, scoring.DefaultConfidence)
	if err != nil {
		return err
	}
	return p.write(rubricCheckView(lineage, truth, r.Name, success, check, unscored))
}

func scoredTrials(stored []store.Trial, success float64) (trials []rubric.Trial, unscored int) {
	for _, t := range stored {
		if t.Score == nil {
			unscored++
			continue
		}
		trial := rubric.Trial{Task: t.Task, Version: t.Version, Success: *t.Truth >= success, Score: *t.Score, Components: map[string]*float64{}}
		for _, c := range t.Components {
			trial.Components[c.Name] = c.Value
		}
		trials = append(trials, trial)
	}
	return trials, unscored
}

type rubricCheckDocument struct {
	Lineage     string               `json:"lineage"`
	Truth       string               `json:"truth"`
	Success     float64              `json:"success_from"`
	Rubric      string               `json:"rubric"`
	NTrials     int                  `json:"n_trials"`
	NSuccess    int                  `json:"n_success"`
	NUnscored   int                  `json:"n_unscored"`
	Separations []separationDocument `json:"separations"`
	Noise       trialNoise           `json:"noise"`
}

type separationDocument struct {
	Name     string            `json:"name"`
	NSuccess int               `json:"n_success"`
	NFailure int               `json:"n_failure"`
	Success  *float64          `json:"mean_success"`
	Failure  *float64          `json:"mean_failure"`
	AUC      *float64          `json:"auc"`
	CI       ci                `json:"ci"`
	Method   string            `json:"method"`
	Warnings []warningDocument `json:"warnings"`
}

type trialNoise struct {
	NTasks    int      `json:"n_tasks"` // with two trials or more
	NPairs    int      `json:"n_pairs"`
	WithinSD  *float64 `json:"within_sd"`
	BetweenSD *float64 `json:"between_sd"`
	MeanAbs   *float64 `json:"mean_abs_difference"`
}

func rubricCheckView(lineage, truth, name string, success float64, c rubric.Check, unscored int) view {
	d := rubricCheckDocument{
		Lineage: lineage, Truth: truth, Success: success, Rubric: name, NTrials: c.NTrials, NSuccess: c.NSuccess, NUnscored: unscored, Separations: []separationDocument{},
		Noise: trialNoise{c.NTasks, c.NPairs, defined(c.WithinSD, c.NTasks), defined(c.BetweenSD, c.NTasks), defined(c.MeanAbsDifference, c.NTasks)},
	}
	var notes []verdict.Warning
	g := grid{columns: []string{"", "n success", "n failure", "mean success", "mean failure", "AUC", "95% interval", "tells them apart"}}
	for _, s := range c.Separations {
		sd := separationDocument{Name: s.Name, NSuccess: s.NSuccess, NFailure: s.NFailure, Success: defined(s.Success, 1), Failure: defined(s.Failure, 1), Method: stats.MethodDeLong, Warnings: []warningDocument{}}
		for _, w := range s.AUC.Warnings {
			sd.Warnings = append(sd.Warnings, warningDocument{string(w), w.Message()})
			if w == stats.WarnSmallN && len(notes) == 0 {
				notes = append(notes, verdict.Warning{Code: string(w), Message: w.Message() + " of a group"})
			}
		}
		var interval any
		answer := "not measured in both groups"
		if s.Measured {
			auc := s.AUC.Value
			sd.AUC, sd.CI = &auc, newCI(s.AUC.Interval)
			interval = intervalText(s.AUC.Interval, func(x float64) string { return format.Fixed(x, 3) })
			answer = separates(s)
		}
		d.Separations = append(d.Separations, sd)
		g.cells = append(g.cells, []any{s.Name, s.NSuccess, s.NFailure, sd.Success, sd.Failure, sd.AUC, interval, answer})
	}
	text := fmt.Sprintf("%s under %s: %d trials with a score, %d true successes (%s at least %v)", lineage, name, c.NTrials, c.NSuccess, truth, success)
	if unscored > 0 {
		text += fmt.Sprintf("; %d trials without a score are left out", unscored)
	}
	v := view{document: d, rows: grid{columns: []string{"name", "n_success", "n_failure", "mean_success", "mean_failure", "auc", "auc_lo", "auc_hi"}}, page: []any{text, g}}
	for _, s := range d.Separations {
		v.rows.cells = append(v.rows.cells, []any{s.Name, s.NSuccess, s.NFailure, s.Success, s.Failure, s.AUC, end(s.CI, 0), end(s.CI, 1)})
	}
	if c.NTasks > 0 {
		v.page = append(v.page, fmt.Sprintf("noise: two trials of one task differ by %s points on average (sd within a task %s, sd between the means of %d tasks %s, %d pairs)",
			format.Short(c.MeanAbsDifference), format.Short(c.WithinSD), c.NTasks, format.Short(c.BetweenSD), c.NPairs))
	} else {
		v.page = append(v.page, "noise: no task has two trials")
	}
	if text := footnotes(notes); text != "" {
		v.page = append(v.page, text)
	}
	return v
}

// separates says in words what an AUC shows.
func separates(s rubric.Separation) string {
	switch i := s.AUC.Interval; {
	case !i.Defined():
		return "too few to say"
	case slices.Contains(s.AUC.Warnings, stats.WarnZeroVariance):
		return "cannot be said: the interval has no width"
	case i.Lo > 0.5:
		return "yes"
	case i.Hi < 0.5:
		return "the wrong way round"
	}
	return "not shown"
}
