package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/urfave/cli/v2"

	"track/answer"
	"track/reports"
	"track/scoring"
	"track/scoring/format"
	"track/scoring/verdict"
	"track/tracker/seeds"
)

type gateOptions struct {
	comparisonFlags
	rules                        scoring.GateRules
	failOn                       string
	baseline                     string
	base                         *float64
	json, junit, markdown, badge string
}

func (p *program) gateCommand() *cli.Command {
	var o gateOptions
	return &cli.Command{
		Name:      "gate",
		Usage:     "judge scenarios by rules, for CI: the exit code is the verdict",
		UsageText: "track gate SCENARIO[@CONFIGURATION]… [RULES] [FLAGS]",
		Description: `Rules are given as flags, or stand under gate: in the spec; a flag wins. Without any rule a configuration must be stable. A rule is
PASS where its bound is met with the confidence asked for, FAIL where a test refutes it, corrected by Holm for all that can fail, and
else INCONCLUSIVE. Exit codes: 0 PASS and WARN, 1 FAIL, 4 INCONCLUSIVE; --fail-on warn makes WARN exit 1, --fail-on fail lets
INCONCLUSIVE pass. With GITHUB_STEP_SUMMARY set, the Markdown is appended to that file. Every gate on new seeds is recorded as a look.

Examples:
   track gate growth_plus --min-pass-rate 0.95
   track gate baseline growth_plus --stable --no-degradation --junit gate.xml --md gate.md
   track gate growth_plus --min-score 0.8 --plan 10,20,30 --fail-on warn`,
		BashComplete: p.completeScenarios,
		Flags: append([]cli.Flag{
			&cli.Float64Flag{Name: "min-pass-rate", Usage: "the lower bound of the pass rate must reach this `SHARE`"},
			&cli.BoolFlag{Name: "stable", Usage: "it must be stable, see track stability", Destination: &o.rules.Stable},
			&cli.Float64Flag{Name: "max-std", Usage: "the sample sd of the total scores must be shown to be at most `SD`"},
			&cli.Float64Flag{Name: "min-score", Usage: "the mean total score must be shown to be at least `SCORE`"},
			&cli.BoolFlag{Name: "no-degradation", Usage: "no metric may lose more than base/weight against the baseline", Destination: &o.rules.NoDegradation},
			&cli.IntFlag{Name: "min-seeds", Usage: "fewer recorded seeds than `N` decide nothing", Destination: &o.rules.MinSeeds},
			&cli.StringFlag{Name: "baseline", Usage: "compare with `SCENARIO[@CONFIGURATION]`; else with the one that the spec names, or the pinned one", Destination: &o.baseline},
			&cli.Float64Flag{Name: "base", DefaultText: "the spec's, or 0.25", Usage: "a metric may lose `BASE`/weight"},
			&cli.StringFlag{Name: "fail-on", DefaultText: "inconclusive", Usage: "exit non-zero on this `VERDICT` and worse: warn, inconclusive or fail", Destination: &o.failOn},
			&cli.StringFlag{Name: "json", Usage: "write the verdict to `FILE` as JSON too", Destination: &o.json},
			&cli.StringFlag{Name: "junit", Usage: "write it to `FILE` as JUnit XML too", Destination: &o.junit},
			&cli.StringFlag{Name: "md", Usage: "write it to `FILE` as Markdown too", Destination: &o.markdown},
			&cli.StringFlag{Name: "badge", Usage: "write a shields.io endpoint to `FILE` too", Destination: &o.badge},
		}, o.flags()...),
		Action: func(c *cli.Context) error {
			if c.NArg() == 0 {
				return usage("track gate takes one or more SCENARIO[@CONFIGURATION]")
			}
			o.readRules(c)
			return p.gate(c.Context, c.Args().Slice(), o)
		},
	}
}

// readRules takes what was given: of a rule, 0 and nothing are not the same.
func (o *gateOptions) readRules(c *cli.Context) {
	o.rules.MinPassRate, o.rules.MaxStd = optional(c, "min-pass-rate"), optional(c, "max-std")
	o.rules.MinScore, o.base = optional(c, "min-score"), optional(c, "base")
	if c.IsSet("confidence") {
		o.rules.Confidence = o.confidence
	}
}

func (o gateOptions) resolve() (options seeds.GateOptions, err error) {
	options.Base = o.base
	if err := o.checkConfidence(); err != nil {
		return options, err
	}
	if o.failOn != "" {
		for _, word := range strings.Split(o.failOn, ",") {
			o.rules.FailOn = append(o.rules.FailOn, scoring.Verdict(strings.ToUpper(strings.TrimSpace(word))))
		}
	}
	if problems := o.rules.Problems(); len(problems) > 0 {
		return options, usage("--%s: %s", strings.ReplaceAll(problems[0].Field, "_", "-"), problems[0].Message)
	}
	if err := checkBase(o.base); err != nil {
		return options, err
	}
	if err := o.checkFiles(); err != nil {
		return options, err
	}
	options.Rules = o.rules
	if options.Seeds, err = o.seedRanges(); err != nil {
		return options, err
	}
	if options.Look, err = o.look(); err != nil {
		return options, err
	}
	options.Baseline, err = selectorFlag("baseline", o.baseline)
	return options, err
}

// checkFiles refuses two reports in one file.
func (o gateOptions) checkFiles() error {
	seen := map[string]bool{}
	for _, path := range []string{o.json, o.junit, o.markdown, o.badge} {
		if path != "" && path != "-" && seen[path] {
			return usage("%s is named for two reports: one would overwrite the other", path)
		}
		seen[path] = true
	}
	return nil
}

func (p *program) gate(ctx context.Context, names []string, o gateOptions) error {
	var selectors []answer.Selector
	for _, name := range names {
		sel, err := answer.ParseSelector(name)
		if err != nil {
			return usage("%v", err)
		}
		if slices.Contains(selectors, sel) {
			return usage("%s is named twice", name)
		}
		selectors = append(selectors, sel)
	}
	options, err := o.resolve()
	if err != nil {
		return err
	}
	st, err := p.open(ctx)
	if err != nil {
		return err
	}
	defer func() { _ = st.Close() }()
	p.noticeSpool(st.Path())
	report, err := seeds.Gate(ctx, st.Reader, selectors, options)
	if err != nil {
		return err
	}
	compares := slices.ContainsFunc(report.Scenarios, func(s verdict.ScenarioOutcome) bool { return s.Rules.NoDegradation })
	if !compares && (o.baseline != "" || o.base != nil) {
		return usage("--baseline and --base say what --no-degradation compares with: without that rule they mean nothing")
	}
	p.recordLooks(ctx, st, report.Looks)
	if err := p.writeGate(report.Gate, o); err != nil {
		return err
	}
	return gateExit(report.Gate)
}

// writeGate writes the one verdict wherever it was asked for; first where somebody looks, so that a file that cannot be written does
// not cost the answer.
func (p *program) writeGate(g verdict.Gate, o gateOptions) error {
	document := newGateDocument(g)
	answer := func() error { return p.write(gateView(g, document)) }
	if p.shared.format == "md" {
		answer = func() error { return reports.GateMarkdown(p.out, g) }
	}
	errs := []error{answer()}
	for _, output := range []struct {
		path  string
		write func(io.Writer) error
	}{
		{o.json, func(w io.Writer) error { return writeJSON(w, document, jsontext.WithIndent("  ")) }},
		{o.junit, func(w io.Writer) error { return reports.GateJUnit(w, g) }},
		{o.markdown, func(w io.Writer) error { return reports.GateMarkdown(w, g) }},
		{o.badge, func(w io.Writer) error { return writeJSON(w, reports.GateBadge(g)) }},
	} {
		if output.path != "" {
			errs = append(errs, p.writeOutput(output.path, output.write))
		}
	}
	if path := p.getenv("GITHUB_STEP_SUMMARY"); path != "" {
		if err := appendGate(path, g); err != nil {
			errs = append(errs, fmt.Errorf("GITHUB_STEP_SUMMARY: %w", err))
		}
	}
	return errors.Join(errs...)
}

func appendGate(path string, g verdict.Gate) error {
	file, err := os.OpenFile(path, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o666)
	if err != nil {
		return err
	}
	if err := reports.GateMarkdown(file, g); err != nil {
		_ = file.Close()
		return err
	}
	return file.Close()
}

// gateExit is the exit code of the worst scenario that the rules fail on.
func gateExit(g verdict.Gate) error {
	var failing []scoring.Verdict
	for _, s := range g.Scenarios {
		if s.Failing {
			failing = append(failing, s.Verdict)
		}
	}
	switch {
	case len(failing) == 0:
		return nil
	case scoring.WorstVerdict(failing...) == scoring.VerdictInconclusive:
		return verdictExit(exitInconclusive)
	}
	return verdictExit(exitFail)
}

type gateDocument struct {
	Verdict   scoring.Verdict        `json:"verdict"`
	Failing   bool                   `json:"failing"` // the exit code is not 0
	NTests    int                    `json:"n_tests"` // what Holm's correction counts
	Scenarios []gateScenarioDocument `json:"scenarios"`
}

type gateScenarioDocument struct {
	Name          string            `json:"name"` // the argument
	Scenario      string            `json:"scenario"`
	Configuration string            `json:"configuration"`
	Label         string            `json:"label"`
	Revision      string            `json:"revision"`
	Baseline      string            `json:"baseline,omitempty"` // what no_degradation compares with
	FailOn        []scoring.Verdict `json:"fail_on"`
	Verdict       scoring.Verdict   `json:"verdict"`
	Failing       bool              `json:"failing"`
	NSeeds        int               `json:"n_seeds"`
	Confidence    float64           `json:"confidence"`
	Estimates     estimatesDocument `json:"estimates"`
	Outcomes      []outcomeDocument `json:"outcomes"`
	Warnings      []warningDocument `json:"warnings"`
}

type outcomeDocument struct {
	Rule         string          `json:"rule"`
	Metric       string          `json:"metric,omitempty"`
	Verdict      scoring.Verdict `json:"verdict"`
	Reason       string          `json:"reason,omitempty"`
	Message      string          `json:"message"`
	Need         string          `json:"need,omitempty"`
	Unattainable string          `json:"unattainable,omitempty"`
	Observed     *float64        `json:"observed"`
	Limit        *float64        `json:"limit"`
	CI           ci              `json:"ci"`
	CIMethod     string          `json:"ci_method,omitempty"`
	N            int             `json:"n"`
	P            *float64        `json:"p"`
	PHolm        *float64        `json:"p_holm"`
}

func newGateDocument(g verdict.Gate) gateDocument {
	d := gateDocument{Verdict: g.Verdict, Failing: g.Failing, NTests: g.NTests, Scenarios: []gateScenarioDocument{}}
	for _, s := range g.Scenarios {
		warnings := append(slices.Clone(s.Warnings), s.ComparisonWarnings...)
		sd := gateScenarioDocument{
			Name: s.Name, Scenario: s.Scenario, Configuration: s.Configuration, Label: s.Label, Revision: s.Revision, Baseline: s.Baseline,
			FailOn: failOn(s.Rules), Verdict: s.Verdict, Failing: s.Failing, NSeeds: s.Estimates.NSeeds,
			Confidence: s.Rules.Confidence, Estimates: newEstimates(s.Estimates), Outcomes: []outcomeDocument{}, Warnings: newWarnings(warnings),
		}
		for _, o := range s.Outcomes {
			od := outcomeDocument{
				o.Rule, o.Metric, o.Verdict, o.Reason, o.Message, o.Need, o.Unattainable, o.Observed, o.Limit, nil, o.Interval.Method, o.N, o.P, o.PHolm,
			}
			if o.Interval.Method != "" {
				od.CI = newCI(o.Interval)
			}
			sd.Outcomes = append(sd.Outcomes, od)
		}
		d.Scenarios = append(d.Scenarios, sd)
	}
	return d
}

func gateView(g verdict.Gate, d gateDocument) view {
	v := view{document: d, rows: grid{columns: []string{
		"scenario", "configuration", "rule", "metric", "verdict", "reason", "observed", "limit", "ci_lo", "ci_hi", "n", "p", "p_holm", "message", "need",
	}}}
	table := grid{columns: []string{"verdict", "scenario", "rule", "metric", "n", "p Holm", "found"}}
	var metrics [][]any
	var needs []string
	for _, s := range d.Scenarios {
		for _, o := range s.Outcomes {
			v.rows.cells = append(v.rows.cells, []any{
				s.Scenario, s.Configuration, o.Rule, o.Metric, string(o.Verdict), o.Reason, o.Observed, o.Limit, end(o.CI, 0), end(o.CI, 1), o.N, o.P, o.PHolm, o.Message, o.Need,
			})
			switch {
			case o.Metric == "":
				table.cells = append(table.cells, outcomeRow(s.Name, o))
			case o.Verdict != scoring.VerdictPass:
				metrics = append(metrics, outcomeRow(s.Name, o))
			}
			if o.Need != "" && o.Metric == "" {
				needs = append(needs, s.Name+", "+o.Rule+": "+o.Need)
			}
		}
	}
	slices.SortStableFunc(table.cells, worseVerdict)
	slices.SortStableFunc(metrics, worseVerdict)
	for _, text := range g.Unattainable() {
		v.page = append(v.page, "cannot be met: "+text)
	}
	v.page = append(v.page, gateHeading(g), table)
	if len(metrics) > 0 {
		const most = 40
		remarks := grid{title: fmt.Sprintf("metrics with a remark (%d)", len(metrics)), columns: table.columns, cells: metrics}
		if len(metrics) > most {
			remarks.title += fmt.Sprintf(", the worst %d of them; --format json lists all", most)
			remarks.cells = metrics[:most]
		}
		v.page = append(v.page, remarks)
	}
	if len(needs) > 0 {
		v.page = append(v.page, "what would change this"+sentences(needs, nil))
	}
	if notes := gateNotes(g); notes != "" {
		v.page = append(v.page, notes)
	}
	return v
}

func outcomeRow(name string, o outcomeDocument) []any {
	var p any
	if o.PHolm != nil {
		p = shown{format.PValue(*o.PHolm), *o.PHolm}
	}
	found := o.Message
	if o.Reason != "" {
		found = o.Reason + ": " + found
	}
	return []any{string(o.Verdict), name, o.Rule, o.Metric, o.N, p, found}
}

// worseVerdict sorts rows that begin with a verdict, the worst first.
func worseVerdict(a, b []any) int {
	rank := func(row []any) int { return slices.Index(scoring.Verdicts(), scoring.Verdict(row[0].(string))) }
	return rank(b) - rank(a)
}

func gateHeading(g verdict.Gate) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s", g.Verdict)
	for _, s := range g.Scenarios {
		fmt.Fprintf(&b, "\n%s  %s", s.Verdict, s.Name)
		if s.Configuration != "" && s.Name == s.Scenario {
			fmt.Fprintf(&b, "@%s", seeds.ShortHash(s.Configuration))
		}
		for _, part := range []struct{ name, text string }{{"label", s.Label}, {"revision", s.Revision}} {
			if part.text != "" && part.text != "-" {
				fmt.Fprintf(&b, ", %s %s", part.name, part.text)
			}
		}
		fmt.Fprintf(&b, ", %s: %s", format.Counted(s.Estimates.NSeeds, "seed"), s.Rules.String())
		if !s.Failing && s.Verdict == scoring.VerdictInconclusive {
			b.WriteString("; exit code 0, because the rules fail on FAIL alone")
		}
	}
	if g.NTests > 1 {
		fmt.Fprintf(&b, "\np is corrected by Holm for %d tests", g.NTests)
	}
	return b.String()
}

// failOn are the verdicts that the rules fail on.
func failOn(rules scoring.GateRules) []scoring.Verdict {
	list := []scoring.Verdict{}
	for _, v := range scoring.Verdicts() {
		if rules.Fails(v) {
			list = append(list, v)
		}
	}
	return list
}

// gateNotes numbers the warnings of all scenarios.
func gateNotes(g verdict.Gate) string {
	var list []verdict.Warning
	for _, s := range g.Scenarios {
		for _, w := range s.Warnings {
			list = append(list, verdict.Warning{Code: w.Code, Message: s.Name + ": " + w.Message})
		}
		for _, w := range s.ComparisonWarnings {
			list = append(list, verdict.Warning{Code: w.Code, Message: s.Name + ", against the baseline: " + w.Message})
		}
	}
	return footnotes(list)
}
