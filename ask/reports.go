package ask

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"track"
	"track/answer"
	"track/evolution"
	"track/reports"
	"track/reports/document"
	"track/scoring/format"
	"track/scoring/verdict"
	"track/store"
	"track/tracker/lineages"
	"track/tracker/seeds"
)

// Reports returns every question that a document answers.
func Reports() []Question {
	return []Question{
		StabilityReport().Question(), ImprovementReport().Question(), ScenarioReport().Question(), ParamsReport().Question(), LineageReport().Question(),
		IndexReport().Question(),
	}
}

// StabilityReport asks for the report of one configuration.
func StabilityReport() Report[answer.SubjectQuestion] {
	return Report[answer.SubjectQuestion]{
		Name: "report stability", Help: "report on one configuration: verdict, gate, metrics, seeds", Judges: true,
		About: `Shows the answers of stability and gate, the status of each metric in each seed, the scores, what changed since the previous configuration,
how the metrics are judged, and the provenance. Ends with the commands that reproduce it. The same database gives the same bytes.`,
		Params: (*answer.SubjectQuestion).Params, Compose: composeStability,
	}
}

func composeStability(ctx context.Context, r *store.Reader, q answer.SubjectQuestion, preview bool) (c Composed, err error) {
	of, err := seeds.NewSubject(ctx, r, q.Of, q.Spec, q.Seeds)
	if err != nil {
		return c, err
	}
	q.Of, q.Spec = of.Selector(), of.SpecVersion()
	a, err := c.addStability(ctx, r, of, q, preview)
	if err != nil {
		return c, err
	}
	c.Title = "Stability of " + sideTitle(answer.Side{Scenario: a.Scenario, Configuration: a.Configuration})
	if err := c.addPrevious(ctx, r, of, q); err != nil {
		return c, err
	}
	q.Of = shortened(q.Of)
	addCommands(&c, StabilityReport(), q, preview)
	if len(a.FailingSeeds) > 0 {
		c.Commands = append(c.Commands, reports.Command(track.NewHint("", "show seed", q.Of.String(), a.FailingSeeds[0].Number.String()).With("spec", fmt.Sprint(q.Spec)))+" # and so on for each failing seed")
	}
	return c, c.addSources(ctx, r, []string{""}, of)
}

// addStability adds what is known of the seeds of a configuration.
func (c *Composed) addStability(ctx context.Context, r *store.Reader, of seeds.Subject, q answer.SubjectQuestion, preview bool) (a answer.Stability, err error) {
	if a, err = seeds.JudgeStability(ctx, r, answer.StabilityQuestion{Of: q.Of, Spec: q.Spec, Seeds: q.Seeds}); err != nil {
		return a, err
	}
	c.Add("", a)
	gate := answer.GateQuestion{Of: []answer.Selector{shortened(q.Of)}, Judging: answer.Judging{Seeds: q.Seeds}}
	if preview {
		previewed, err := seeds.PreviewGate(ctx, r, gate)
		if err != nil {
			return a, err
		}
		c.Add("Gate", previewed)
	} else {
		gated, err := seeds.Gate(ctx, r, gate, q.Spec)
		if err != nil {
			return a, err
		}
		c.Looks = append(c.Looks, gated.Looks...)
		c.Add("Gate", gated.Gate)
	}
	matrix, err := seeds.ShowMatrix(ctx, r, answer.MatrixQuestion{Of: q.Of, By: answer.ByMetric, Order: answer.OrderFailures, Spec: q.Spec, Seeds: q.Seeds})
	if err != nil {
		return a, err
	}
	c.Add("Metric by seed", nil, reports.MatrixPicture(matrix))
	scores, err := of.Scores(ctx, r)
	if err != nil {
		return a, err
	}
	c.AddFolded("Scores over seeds", format.Counted(len(scores.Seeds), "seed")+", the lowest score first", scores, reports.ScoresPicture(a, scores))
	files, err := of.FailingFiles(ctx, r, a.FailingSeeds)
	if err == nil && files.Len() > 0 {
		c.Add("Files of failing seeds", files)
	}
	return a, err
}

// addPrevious adds what changed since the previous configuration. It decides nothing, so it is no interim analysis.
func (c *Composed) addPrevious(ctx context.Context, r *store.Reader, of seeds.Subject, q answer.SubjectQuestion) error {
	previous, err := of.Previous(ctx, r)
	if err != nil || previous == nil {
		return err
	}
	a, err := seeds.CompareSides(ctx, r, answer.CompareQuestion{Of: []answer.Selector{*previous, q.Of}, Seeds: q.Seeds})
	if err != nil {
		return err
	}
	c.Add("What changed since "+a.Sides[0].Name(), a)
	return nil
}

// addSources adds how the values were judged, and where they come from.
func (c *Composed) addSources(ctx context.Context, r *store.Reader, names []string, of ...seeds.Subject) error {
	p, err := seeds.Provenance(ctx, r, names, of...)
	if err != nil {
		return err
	}
	spec, err := seeds.ShowSpec(ctx, r, answer.SpecQuestion{Of: answer.SpecSelector{Scenario: p.Spec.Scenario, Version: p.Spec.Version}})
	if err != nil {
		return err
	}
	spec.AddedAt = time.Time{} // the same seeds give the same report, whenever they were recorded
	c.AddFolded("Spec", "How the values of "+format.Counted(len(spec.Metrics), "metric")+" are computed and judged", spec)
	c.Add("Provenance", p)
	for _, side := range p.Sides {
		for _, s := range side.Runs.Sweeps {
			c.Commands = append(c.Commands, "track sweep show "+track.ShortID(s.ID)+" # ran "+format.Counted(s.NSeeds, "seed"))
		}
	}
	return nil
}

func sideTitle(s answer.Side) string {
	if s.Configuration.Label == "" {
		return s.Selector()
	}
	return s.Selector() + " (" + s.Configuration.Label + ")"
}

func shortened(s answer.Selector) answer.Selector {
	return answer.Selector{Scenario: s.Scenario, Configuration: track.ShortHash(s.Configuration)}
}

// ImprovementReport asks for the report of a comparison.
func ImprovementReport() Report[answer.PairedQuestion] {
	return Report[answer.PairedQuestion]{
		Name: "report improvement", Help: "compare a candidate with its baseline in a report, seed by seed", Judges: true,
		About: `Shows the answer of improvement, the change of each metric with its interval and threshold, the total scores of each pair, how the metrics
are judged, and the provenance of both sides. Ends with the commands that reproduce it. A report on new seeds is recorded as an interim analysis.`,
		Params: (*answer.PairedQuestion).Params, Compose: composeImprovement,
	}
}

func composeImprovement(ctx context.Context, r *store.Reader, q answer.PairedQuestion, preview bool) (c Composed, err error) {
	compared, err := seeds.Compare(ctx, r, q, "")
	if err != nil {
		return c, err
	}
	a := compared.Improvement
	c.Title = "Improvement of " + sideTitle(a.Candidate) + " over " + sideTitle(a.Baseline)
	if err := c.addImprovement(ctx, r, compared, q.Seeds, "", preview); err != nil {
		return c, err
	}
	given, err := answer.ParseSelector(a.Baseline.Selector())
	if err != nil {
		return c, err
	}
	q.Baseline, q.Spec, q.Base, q.Plan, q.Anytime = &given, a.Spec.Version, &a.Options.Base, a.Options.Look.Plan, a.Options.Look.Anytime
	if q.Candidate, err = answer.ParseSelector(a.Candidate.Selector()); err != nil {
		return c, err
	}
	addCommands(&c, ImprovementReport(), q, preview)
	candidate, other := compared.Subjects(q.Seeds)
	return c, c.addSources(ctx, r, []string{"candidate", "baseline"}, candidate, other)
}

// addImprovement adds a comparison with its pictures; as a preview without its verdict.
func (c *Composed) addImprovement(ctx context.Context, r *store.Reader, compared seeds.Compared, ranges []track.SeedRange, title string, preview bool) error {
	a := compared.Improvement
	metrics := append([]verdict.MetricDelta{}, a.Metrics...)
	reports.WorstFirst(metrics)
	a.Metrics = metrics
	if preview {
		candidate, baseline := compared.Subjects(ranges)
		sides, err := seeds.CompareSides(ctx, r, answer.CompareQuestion{Of: []answer.Selector{baseline.Selector(), candidate.Selector()}, Seeds: ranges})
		if err != nil {
			return err
		}
		c.Add(title, sides)
	} else {
		c.Looks = append(c.Looks, compared.Look)
		c.Add(title, a)
	}
	if p, ok := reports.ForestPicture(metrics, a.NPairs); ok {
		c.Add("Change of each metric", nil, p)
	}
	pairs := compared.PairedScores()
	if p, ok := reports.PairsPicture(pairs, a.Unmatched); ok {
		c.AddFolded("Total score by seed", format.Counted(len(pairs.Pairs), "pair")+", seed by seed", pairs, p)
	}
	return nil
}

// ScenarioReport asks for the report of a scenario.
func ScenarioReport() Report[answer.ScenarioReportQuestion] {
	return Report[answer.ScenarioReportQuestion]{
		Name: "report scenario", Help: "report on one scenario: stability, history, improvement, spec", Judges: true,
		About: `Shows the stability and the gate of the named configuration, the history of the configurations, the improvement over the baseline that the
spec names or that is pinned, the spec, and the provenance. Ends with the commands that reproduce it.`,
		Params: (*answer.ScenarioReportQuestion).Params, Compose: composeScenario,
	}
}

func composeScenario(ctx context.Context, r *store.Reader, q answer.ScenarioReportQuestion, preview bool) (c Composed, err error) {
	history, err := seeds.ShowHistory(ctx, r, answer.HistoryQuestion{Scenario: q.Of.Scenario, Spec: q.Spec, Limit: q.Limit})
	if err != nil {
		return c, err
	}
	of, err := seeds.NewSubject(ctx, r, q.Of, q.Spec, nil)
	if err != nil {
		return c, err
	}
	q.Of, q.Spec = of.Selector(), of.SpecVersion()
	c.Title = "Scenario " + q.Of.Scenario
	a, err := c.addStability(ctx, r, of, answer.SubjectQuestion{Of: q.Of, Spec: q.Spec}, preview)
	if err != nil {
		return c, err
	}
	for i := range history.Entries {
		history.Entries[i].FirstRecorded = time.Time{}
	}
	if p, ok := reports.HistoryPicture(history); ok {
		c.Add("History", history, p)
	} else {
		c.Add("History", history)
	}
	if err := c.addBaseline(ctx, r, a, q, preview); err != nil {
		return c, err
	}
	q.Of = shortened(q.Of)
	addCommands(&c, ScenarioReport(), q, preview)
	c.Commands[0] = reports.Command(track.NewHint("", "history", q.Of.Scenario).With("spec", fmt.Sprint(q.Spec)).With("limit", fmt.Sprint(q.Limit)))
	return c, c.addSources(ctx, r, []string{""}, of)
}

// addBaseline adds the pins of a scenario, and the comparison with its baseline, or why there is none.
func (c *Composed) addBaseline(ctx context.Context, r *store.Reader, a answer.Stability, q answer.ScenarioReportQuestion, preview bool) error {
	const title = "Improvement over the baseline"
	compared, err := seeds.Compare(ctx, r, answer.PairedQuestion{Candidate: q.Of, Spec: q.Spec}, a.Scenario)
	switch {
	case errors.Is(err, seeds.ErrSameConfiguration):
		c.Add(title, remark("not compared: the configuration is the baseline itself"))
	case errors.Is(err, track.ErrAmbiguous):
		c.Add(title, remark("not compared: several configurations match the baseline: pin one of them"))
	case errors.Is(err, track.ErrNotFound):
		c.Add(title, remark("not compared: "+strings.TrimSuffix(err.Error(), ": "+track.ErrNotFound.Error())))
	case err != nil:
		return err
	default:
		if err := c.addImprovement(ctx, r, compared, nil, title, preview); err != nil {
			return err
		}
	}
	pins, err := seeds.ShowBaseline(ctx, r, answer.BaselineQuestion{Scenario: a.Scenario})
	if errors.Is(err, track.ErrNotFound) {
		return nil
	}
	for i := range pins.Items {
		pins.Items[i].SetAt = time.Time{}
	}
	c.Add("Pinned baselines", pins)
	return err
}

// remark is a sentence in the place of an answer.
type remark string

func (s remark) Lead() []answer.Sentence {
	return []answer.Sentence{{Kind: answer.Note, Text: string(s)}}
}
func (s remark) Tables() []answer.Table { return nil }

// ParamsReport asks for the report on the parameters of a scenario.
func ParamsReport() Report[answer.ParamsReportQuestion] {
	return Report[answer.ParamsReportQuestion]{
		Name: "report params", Help: "report on the effects of parameters after a grid or design",
		About: `Ranks the configurations, shows the effect of each parameter with a picture and intervals, and a heat map of the two with the largest
effects. What was not compared is named. The same database gives the same bytes.`,
		Params: (*answer.ParamsReportQuestion).Params,
		Compose: func(ctx context.Context, r *store.Reader, q answer.ParamsReportQuestion, _ bool) (c Composed, err error) {
			a, err := seeds.LoadParamsReport(ctx, r, q.ParamsQuestion)
			if err != nil {
				return c, err
			}
			c.Title = "Parameters of " + a.Scenario
			c.Add("", a.ParamsAnalysis, reports.ParamsPictures(a)...)
			q.Spec = a.Spec.Version
			if a.Revision.Commit != "" || a.Revision.Unknown != "" {
				q.Commit = a.Revision.String()
			}
			addCommands(&c, ParamsReport(), q, false)
			return c, nil
		},
	}
}

// LineageReport asks for the report of a lineage.
func LineageReport() Report[answer.OptionalLineageQuestion] {
	return Report[answer.OptionalLineageQuestion]{
		Name: "report lineage", Help: "report on a lineage: its active version, every decision, and alerts",
		About: `Shows the active version with its score, n and interval, its gain over the root, the result of the replay, and alerts. Shows the tree with the
path to it, the scores of the path by task, the decisions with their draws, operators, the change of each step, rollbacks, noise, cost and hashes. Ends with
the commands that reproduce it. The same database gives the same bytes.`,
		Params: (*answer.OptionalLineageQuestion).Params, Compose: composeLineage,
	}
}

func composeLineage(ctx context.Context, r *store.Reader, q answer.OptionalLineageQuestion, _ bool) (c Composed, err error) {
	if q.Lineage, err = lineages.Resolve(ctx, r, q.Lineage); err != nil {
		return c, err
	}
	v, err := lineages.Review(ctx, r, q.Lineage)
	if err != nil {
		return c, err
	}
	tree, err := lineages.ShowTree(ctx, r, answer.LineageQuestion(q))
	if err != nil {
		return c, err
	}
	mutations, err := lineages.ListMutations(ctx, r, answer.MutationsQuestion{Lineage: q.Lineage})
	if err != nil {
		return c, err
	}
	operators, err := lineages.ShowOperators(ctx, r, answer.OperatorsQuestion{Lineage: q.Lineage})
	if err != nil {
		return c, err
	}
	c.Title = "Lineage " + q.Lineage
	c.Add("", v.LineageReview)
	c.Add("Tree", tree, reports.LineagePicture(tree, mutations, v.Decisions))
	path := pathOf(tree)
	if err := c.addTasks(ctx, r, q.Lineage, path); err != nil {
		return c, err
	}
	c.Add("Decisions", v.Decisions)
	c.Add("Operators", operators)
	if err := c.addSteps(ctx, r, q.Lineage, path); err != nil {
		return c, err
	}
	c.Add("Noise", v.Noise)
	front, err := lineages.ShowFront(ctx, r, answer.FrontQuestion{Lineage: q.Lineage})
	switch {
	case err == nil && front.Len() > 0 && !strings.HasPrefix(front.X.Name, "task:"): // the scores by task say that
		c.Add("Front of two objectives", front, document.Picture{Name: "front", Alt: "The versions by " + front.Y.Name + " and " + front.X.Name + ", with their front.", Chart: reports.FrontChart(front)})
	case err != nil && !hasNoReport(err):
		return c, err
	}
	c.Add("Cost and identity", answer.LineageFacts(v.LineageReview))
	c.Commands = []string{
		reports.Command(track.NewHint("", "replay").With("lineage", q.Lineage).With("strict", "")), reports.Command(track.NewHint("", "draws", q.Lineage)),
		reports.Command(track.NewHint("", "export lineage", q.Lineage)) + " | sha256sum",
	}
	addCommands(&c, LineageReport(), q, false)
	c.Commands = slices.Delete(c.Commands, 3, 4) // "track lineage" alone asks nothing
	return c, nil
}

// pathOf returns the versions from the root to the active one.
func pathOf(t answer.LineageTree) (path []answer.TreeVersion) {
	at := map[string]int{}
	for i, v := range t.Items {
		at[v.Version] = i
	}
	for name := t.Head; ; {
		i, found := at[name]
		if !found || !t.Items[i].OnPath || len(path) > len(t.Items) {
			return path
		}
		path = append([]answer.TreeVersion{t.Items[i]}, path...)
		if t.Items[i].Root || len(t.Items[i].Parents) == 0 {
			return path
		}
		name = t.Items[i].Parents[0]
	}
}

// addTasks adds the scores of the path by task: of its first version and the last ones.
func (c *Composed) addTasks(ctx context.Context, r *store.Reader, lineage string, path []answer.TreeVersion) error {
	const most = 12
	if len(path) > most {
		path = append(path[:1:1], path[len(path)-most+1:]...)
	}
	var q answer.CompareVersionsQuestion
	for _, v := range path {
		q.Of = append(q.Of, answer.VersionSelector{Lineage: lineage, Version: v.Version})
	}
	if len(path) < 2 || q.Check() != nil {
		return nil
	}
	a, err := lineages.CompareVersions(ctx, r, q)
	if err != nil && !hasNoReport(err) {
		return err
	}
	if err == nil && len(a.Tasks) > 1 {
		c.Add("Scores of the path by task", a, reports.TasksPicture(a))
	}
	return nil
}

// addSteps adds what each step of the path changed; of many the last.
func (c *Composed) addSteps(ctx context.Context, r *store.Reader, lineage string, path []answer.TreeVersion) error {
	const most = 30
	title := "What each step changed"
	for i := max(1, len(path)-most); i < len(path); i++ {
		from, to := path[i-1], path[i]
		a, err := lineages.DiffVersions(ctx, r, answer.VersionDiffQuestion{Of: answer.VersionSelector{Lineage: lineage, Version: from.Version}, To: to.Version})
		if errors.Is(err, track.ErrNotFound) {
			c.Add(title, remark(fmt.Sprintf("%s → %s by %s: the content is not recorded", from.Version, to.Version, to.Operator)))
		} else if err != nil {
			return err
		} else {
			summary := fmt.Sprintf("%s → %s by %s: +%d −%d", from.Version, to.Version, to.Operator, a.Added, a.Removed)
			if to.Delta != nil {
				summary += ", delta " + answer.Numbers{Scale: c.Parts[0].Answer.(answer.LineageReview).Scale}.Gain(*to.Delta)
			}
			c.AddFolded(title, summary, a)
		}
		title = ""
	}
	return nil
}

// IndexReport asks for the index of all reports, without the reports themselves.
func IndexReport() Report[answer.IndexQuestion] {
	return Report[answer.IndexQuestion]{
		Name: "report index", Help: "list the findings of all reports in a report", Judges: true,
		About:  `Lists the verdicts of the report of each scenario, the active version of each lineage with a ledger, and the agents that do not evolve.`,
		Params: (*answer.IndexQuestion).Params,
		Compose: func(ctx context.Context, r *store.Reader, q answer.IndexQuestion, preview bool) (Composed, error) {
			return composeIndex(ctx, r, q, preview, "index.md", nil)
		},
	}
}

// hasNoReport reports whether there is no report because of what is recorded.
func hasNoReport(err error) bool {
	return errors.Is(err, track.ErrNotFound) || errors.Is(err, track.ErrInvalid) || errors.Is(err, track.ErrAmbiguous) || errors.Is(err, evolution.ErrEvidence)
}

// addPage writes a report of an index, and returns its file.
type addPage func(kind, name, rest string, d document.Document) (page string, err error)

// composeIndex composes all reports, one by one, for an index of this name. Without pages, the configurations of a
// scenario have none.
func composeIndex(ctx context.Context, r *store.Reader, q answer.IndexQuestion, preview bool, file string, add addPage) (c Composed, err error) {
	index := &reports.Index{}
	c.Index = index
	report := func(kind, name, rest, about string, one Composed, err error) error {
		x := reports.Indexed{Kind: kind, Name: name + strings.Replace(rest, "-", "@", 1), About: about}
		switch {
		case err != nil && hasNoReport(err):
			x.Problem, _, _ = strings.Cut(err.Error(), "\n")
			for _, hint := range track.Hints(err) {
				x.Problem += "; " + reports.ShellHint(hint)
			}
		case err != nil:
			return err
		default:
			x.Verdicts = one.Findings()
			c.Looks = append(c.Looks, one.Looks...)
			if add != nil {
				if x.Page, err = add(kind, name, rest, one.Document()); err != nil {
					return err
				}
			}
		}
		index.Reports = append(index.Reports, x)
		return nil
	}
	scenarios, err := r.Scenarios(ctx)
	if err != nil {
		return c, err
	}
	for _, name := range scenarios {
		one, err := composeScenario(ctx, r, answer.ScenarioReportQuestion{Of: answer.Selector{Scenario: name}, Limit: q.Limit}, preview)
		if err := report("scenario", name, "", "", one, err); err != nil {
			return c, err
		}
		history, err := seeds.ShowHistory(ctx, r, answer.HistoryQuestion{Scenario: name, Limit: q.Limit})
		if add == nil || err != nil && hasNoReport(err) {
			continue
		}
		for i := len(history.Entries) - 1; err == nil && i >= 0; i-- {
			e := history.Entries[i]
			hash := e.Configuration.Hash
			one, composeErr := composeStability(ctx, r, answer.SubjectQuestion{Of: answer.Selector{Scenario: name, Configuration: hash}}, preview)
			err = report("stability", name, "-"+track.ShortHash(hash), strings.TrimSpace(e.Configuration.Label+" "+answer.Shorten(e.Differing)), one, composeErr)
		}
		if err != nil {
			return c, err
		}
	}
	all, err := lineages.ListLineages(ctx, r, answer.LineagesQuestion{})
	if err != nil {
		return c, err
	}
	var agents answer.Lineages
	for _, l := range all.Items {
		if l.Subject == "" {
			l.Last = time.Time{} // of an execution without a start, it is when it was recorded
			agents.Items = append(agents.Items, l)
			continue
		}
		one, err := composeLineage(ctx, r, answer.OptionalLineageQuestion{Lineage: l.Lineage}, preview)
		if err := report("lineage", l.Lineage, "", "", one, err); err != nil {
			return c, err
		}
	}
	if len(agents.Items) > 0 {
		index.Others.Add("Agents without a ledger", agents)
	}
	command := reports.Command(track.NewHint("", "report index").With("limit", fmt.Sprint(q.Limit)))
	file = reports.Command(track.NewHint("", "", file)) // as a shell reads it
	if index.Others.Commands = []string{command + " -o " + file, command + " --check " + file}; preview {
		index.Others.Preview = command
	}
	return c, nil
}

// addCommands adds the commands of the question that a report answers, and of the report. As a preview, it names the
// one that gives the verdicts.
func addCommands[Q any](c *Composed, d Report[Q], q Q, preview bool) {
	h := track.NewHint("", "")
	defaults := d.Params(new(Q))
	for i, p := range bind(&q, d.Params) {
		texts := p.Texts()
		if !p.Arg && slices.Equal(texts, defaults[i].Texts()) {
			continue
		}
		for _, text := range texts {
			switch {
			case p.Arg:
				h = h.With("", text)
			case p.Value.Type() == "boolean":
				h = h.With(p.Name, "")
			default:
				h = h.With(p.Name, text)
			}
		}
	}
	args := " " + reports.Command(h)
	command := "track " + d.Name + args
	c.Commands = append(c.Commands, "track "+strings.TrimPrefix(d.Name, "report ")+args, command+" -o report.md", command+" --check report.md")
	if preview {
		c.Preview = command
	}
}
