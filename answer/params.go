package answer

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"track"
	"track/answer/param"
	"track/scoring"
	"track/scoring/effects"
	"track/scoring/format"
)

// ParamsQuestion asks what the parameters of a scenario's configurations do to the score or to a metric.
type ParamsQuestion struct {
	Scenario string
	Metric   string  // whose values are compared; empty for the total score
	Label    *string // of the configurations; nil for all
	Commit   string  // of the code; empty for the newest
	Spec     int     // version; 0 for the newest
	Seeds    []track.SeedRange
	Plot     string // parameter that the outcome is shown against; empty for none
	By       string // parameter whose values have a panel each; empty for one panel
	Heatmap  [2]string
}

func (q *ParamsQuestion) Params() param.List {
	return param.List{
		{Name: "scenario", Arg: true, Required: true, Unit: "SCENARIO", Help: "compare the configurations of this scenario", Value: param.Name(&q.Scenario)},
		{Name: "metric", Unit: "METRIC", Help: "compare the values of this `METRIC` instead of the score", Value: param.Name(&q.Metric)},
		{Name: "label", Unit: "LABEL", Help: "compare the configurations with this `LABEL`; none for those without one (default: all)", Value: param.Content(&q.Label)},
		{Name: "commit", Unit: "ID", Help: "compare the configurations of this revision `ID` of the code (default: the newest)", Value: param.Text(&q.Commit)},
		specParam(&q.Spec, "judge under this `VERSION` of the spec"),
		seedsParam(&q.Seeds),
		{Name: "plot", Unit: "PARAM", Help: "show the score or metric against this `PARAM`", Value: param.Text(&q.Plot)},
		{Name: "by", Unit: "PARAM", Help: "divide the plot by the values of this `PARAM`", Value: param.Text(&q.By)},
		{Name: "heatmap", Unit: "A,B", Help: "show the means for each pair of values of the parameters `A,B`", Value: param.Parsed(&q.Heatmap, parsePair, formatPair)},
	}
}

func parsePair(text string) (pair [2]string, err error) {
	a, b, ok := strings.Cut(text, ",")
	if !ok || a == "" || b == "" || a == b {
		return pair, fmt.Errorf("%q is not two parameters, as in theta,firms", text)
	}
	return [2]string{a, b}, nil
}

func formatPair(pair [2]string) string {
	if pair[0] == "" {
		return ""
	}
	return pair[0] + "," + pair[1]
}

func (q *ParamsQuestion) Check() error {
	switch {
	case strings.Contains(q.Scenario, "@"):
		return &param.Error{Param: "scenario", Message: "name the scenario alone: its configurations are compared"}
	case q.By != "" && q.Plot == "":
		return &param.Error{Param: "by", Message: "needs plot: a parameter to show the score against"}
	case q.By != "" && q.By == q.Plot:
		return &param.Error{Param: "by", Message: "is the parameter of the plot itself"}
	}
	return nil
}

// NoLabel selects configurations without a label.
const NoLabel = "none"

// ParamsAnalysis says what parameters do to the score or to a metric.
type ParamsAnalysis struct {
	Scenario string              `json:"scenario"`
	Spec     SpecRef             `json:"spec"`
	Metric   *scoring.MetricInfo `json:"metric"` // nil for the total score
	Label    string              `json:"label"`
	NLabels  int                 `json:"n_labels"` // of configurations that are compared together, if it is more than one
	Revision track.Revision      `json:"revision"`
	// Configurations are those that were compared, as Ranking, Points and others number them.
	Configurations []ComparedConfiguration `json:"configurations"`
	LeftOut        []LeftOut               `json:"left_out"`
	Losses         effects.Losses          `json:"losses"` // seeds without a score or a value
	effects.Analysis
	PlotOf  string           `json:"plot"`
	PlotBy  string           `json:"by"`
	Panels  []effects.Panel  `json:"panels"`
	Heatmap *effects.Heatmap `json:"heatmap"`
}

// ComparedConfiguration is a configuration with the counts of its seeds.
type ComparedConfiguration struct {
	Hash    string       `json:"hash"`
	Params  track.Params `json:"params"`
	NSeeds  int          `json:"n_seeds"`
	NFailed int          `json:"n_failed"` // without a score or a value
}

// LeftOut is something that was not compared, and why.
type LeftOut struct {
	N      int    `json:"n"`
	What   string `json:"what"` // "configuration" or "seed"
	Reason string `json:"reason"`
}

// Outcome names what is compared.
func (a ParamsAnalysis) Outcome() string {
	if a.Metric == nil {
		return "score"
	}
	return a.Metric.Name
}

// Number writes a value of what is compared.
func (a ParamsAnalysis) Number() func(float64) string {
	if a.Metric == nil {
		return format.Four
	}
	return func(x float64) string { return format.Mean(x, a.Metric.Format) }
}

func (a ParamsAnalysis) Lead() []Sentence {
	texts := a.Subject()
	lead := []Sentence{{Kind: Heading, Text: texts[0]}}
	for _, text := range texts[1:] {
		lead = append(lead, Sentence{Kind: Heading, Text: text, Joined: true})
	}
	for _, text := range a.Warnings() {
		lead = append(lead, Sentence{Kind: Warning, Text: text})
	}
	return lead
}

// Subject says what was compared, and how.
func (a ParamsAnalysis) Subject() []string {
	of := fmt.Sprintf("scenario %s, spec version %d", a.Scenario, a.Spec.Version)
	if a.Label != "" {
		of += ", label " + a.Label
	}
	if a.NLabels > 0 {
		of += ", " + format.Counted(a.NLabels, "label")
	}
	if a.Revision != (track.Revision{}) {
		of += ", revision " + a.Revision.String()
	}
	what := "compared is the total score, in which a seed without one counts as 0"
	if a.Metric != nil {
		what = "compared are the values of " + a.Metric.Name
	}
	texts := []string{
		fmt.Sprintf("%s: %s, %s", of, format.Counted(a.NConfigurations, "configuration"), format.Counted(a.NSeeds, "seed")),
		what,
	}
	return append(texts, a.methodText())
}

// methodText says how the effects were computed.
func (a ParamsAnalysis) methodText() string {
	confidence := format.Confidence(a.Confidence)
	switch {
	case a.Factorial && a.Paired:
		return fmt.Sprintf("effects: full factorial, paired over the %d seeds that all configurations share; %s t intervals over seeds", a.NCommonSeeds, confidence)
	case a.Paired:
		return fmt.Sprintf("effects: means over the %d seeds that all configurations share; %s intervals over configurations (t, Welch)", a.NCommonSeeds, confidence)
	}
	return fmt.Sprintf("effects: the configurations share %s, so they are not paired; %s intervals over configurations (t, Welch)",
		format.Counted(a.NCommonSeeds, "seed"), confidence)
}

// VarianceTexts say how much of the variance single parameters, pairs of them and seeds explain.
func (a ParamsAnalysis) VarianceTexts() (list []string) {
	const most = 3 // interactions that are named
	v := a.Variance
	if v.NoShares != "" {
		text := "no shares of variance: " + v.NoShares
		if v.P != nil {
			text += fmt.Sprintf(" (F test, p %s)", format.PValue(*v.P))
		}
		return []string{text}
	}
	if !math.IsNaN(v.Unexplained) {
		list = append(list, fmt.Sprintf("not explained by single parameters: %s of the variance between configurations (interactions and the rest)", format.Share(v.Unexplained)))
	}
	for i, pair := range v.Interactions {
		if i < most && pair.PAdjusted != nil && *pair.PAdjusted <= interactionAlpha {
			list = append(list, fmt.Sprintf("%s and %s together: %s beyond what each does alone (F test, p %s, Holm over %s)", pair.A, pair.B, format.Share(pair.Share),
				format.PValue(*pair.PAdjusted), format.Counted(len(v.Interactions), "pair")))
		}
	}
	if math.IsNaN(v.Noise) {
		return append(list, "each configuration has one seed: total effects and what single parameters do not explain include the noise of seeds")
	}
	return append(list, fmt.Sprintf("noise of seeds: %s of the variance of single outcomes; it is no part of the other shares", format.Share(v.Noise)))
}

// interactionAlpha is the largest p-value of an interaction that is named.
const interactionAlpha = 0.05

// Warnings say what the losses of seeds depend on, and what was not compared.
func (a ParamsAnalysis) Warnings() []string { return append(a.lossTexts(), a.LeftOutTexts()...) }

// lossTexts name the parameters that losses of seeds depend on, and levels that lose all seeds.
func (a ParamsAnalysis) lossTexts() (list []string) {
	consequence := "a lost seed counts as 0 in what follows"
	if a.Metric != nil {
		consequence = "what follows compares only seeds that survived"
	}
	named := map[string][]string{}
	for _, l := range a.Losses.Levels {
		dependent := slices.Contains(a.Losses.DependOn, l.Parameter)
		switch {
		case l.NLost == l.N && !dependent:
			list = append(list, fmt.Sprintf("%s = %s loses all of %s; %s", l.Parameter, l.Level, format.Counted(l.N, "seed"), consequence))
		case l.NLost == l.N:
			named[l.Parameter] = append(named[l.Parameter], fmt.Sprintf("%s = %s loses all of %s", l.Parameter, l.Level, format.Counted(l.N, "seed")))
		case l.Excess:
			named[l.Parameter] = append(named[l.Parameter], fmt.Sprintf("%s = %s loses %d of %d", l.Parameter, l.Level, l.NLost, l.N))
		}
	}
	for i, name := range a.Losses.DependOn {
		levels := strings.Join(named[name], ", ")
		if levels == "" {
			levels = "see the table of lost seeds"
		}
		list = slices.Insert(list, i, fmt.Sprintf("losses depend on %s: %s; %s", name, levels, consequence))
	}
	return list
}

// LeftOutTexts name what was not compared.
func (a ParamsAnalysis) LeftOutTexts() (list []string) {
	for _, l := range a.LeftOut {
		list = append(list, fmt.Sprintf("left out: %s %s", format.Counted(l.N, l.What), l.Reason))
	}
	if a.Paired {
		if n := a.NSeeds - a.NCommonSeeds*a.NConfigurations; n > 0 {
			list = append(list, fmt.Sprintf("left out of the effects, and not of the ranking: %s that not all configurations have", format.Counted(n, "seed")))
		}
	}
	return list
}

// ParamsTextOf writes the parameters of a compared configuration that differ.
func (a ParamsAnalysis) ParamsTextOf(index int) string {
	if index < 0 || index >= len(a.Configurations) {
		return ""
	}
	texts := ParamTexts(a.Configurations[index].Params)
	var words []string
	for _, e := range a.Effects {
		words = append(words, e.Parameter+"="+Shorten(texts[e.Parameter]))
	}
	return strings.Join(words, " ")
}

// ParamsReport is everything that a report of parameters shows.
type ParamsReport struct {
	ParamsAnalysis
	Plots      [][]effects.Panel // of each parameter, in the order of Effects
	LabelGiven bool
	Ranges     string // of the seeds that were asked for; empty for all
}

// shownRanking is how many configurations people are shown.
const shownRanking = 20

func (a ParamsAnalysis) Tables() []Table {
	tables := []Table{a.ranking()}
	if len(a.Losses.Levels) > 0 {
		tables = append(tables, a.losses())
	}
	tables = append(tables, a.effects())
	if len(a.Variance.Interactions) > 0 {
		tables = append(tables, a.interactions())
	}
	tables = append(tables, a.levels())
	if len(a.Panels) > 0 {
		tables = append(tables, a.panels())
	}
	if a.Heatmap != nil {
		tables = append(tables, a.heatmap())
	}
	return tables
}

func (a ParamsAnalysis) ranking() Table {
	t := Table{Name: "ranking", Title: "Configurations, the highest first", Main: true, Shown: shownRanking, Columns: Columns{
		{Name: "rank"}, {Name: "configuration"}, {Name: "differing", Head: "parameters", For: ForPeople}, {Name: "params", For: ForData}, {Name: "n"},
		{Name: "n_failed", Head: "no " + a.valueWord()}, {Name: "mean_of_seeds", Head: "mean"}, {Name: "lo", For: ForData}, {Name: "hi", For: ForData},
		{Name: "interval", Head: a.intervalHead(), For: ForPeople}, {Name: "to_best", Head: "to the first"}, {Name: "to_best_lo", For: ForData},
		{Name: "to_best_hi", For: ForData}, {Name: "to_best_interval", Head: a.intervalHead(), For: ForPeople},
	}.drop("n_failed", "to_best_interval", "to_best", "configuration", "interval").wrap("differing")}
	number, signed := a.Number(), format.WithSign(a.Number())
	for i, r := range a.Ranking {
		row := []any{i + 1, nil, a.ParamsTextOf(r.Index), nil, r.N, nil, numberCell(r.Mean, number), defined(r.Interval.Lo), defined(r.Interval.Hi), intervalCell(r.Interval, number)}
		if r.Index >= 0 && r.Index < len(a.Configurations) {
			c := a.Configurations[r.Index]
			row[1], row[3], row[5] = hashCell(c.Hash), string(c.Params.JSON()), c.NFailed
		}
		if d := r.ToBest; d != nil {
			row = append(row, numberCell(d.Mean, signed), defined(d.Interval.Lo), defined(d.Interval.Hi), intervalCell(d.Interval, signed))
		} else {
			row = append(row, nil, nil, nil, nil)
		}
		t.Rows = append(t.Rows, row)
	}
	t.Notes = []Sentence{{Kind: Note, Text: "the first of many looks better than it is: run fresh seeds of it before you rely on its score"}}
	return t
}

func (a ParamsAnalysis) valueWord() string {
	if a.Metric == nil {
		return "score"
	}
	return "value"
}

func (a ParamsAnalysis) intervalHead() string { return format.Confidence(a.Confidence) + " interval" }

func (a ParamsAnalysis) effects() Table {
	t := Table{Name: "effects", Title: "Parameters, the largest effect first", Columns: Columns{
		{Name: "parameter"}, {Name: "levels"}, {Name: "binned", For: ForData}, {Name: "range", Head: "range of means"}, {Name: "share", Head: "first-order share"},
		{Name: "total", Head: "total effect"},
		{Name: "rho", Head: "rank correlation"}, {Name: "rho_lo", For: ForData}, {Name: "rho_hi", For: ForData},
		{Name: "rho_interval", Head: a.intervalHead(), For: ForPeople}, {Name: "p"}, {Name: "p_holm", Head: "p (Holm)"}, {Name: "n"},
	}.drop("n", "p", "levels", "rho_interval")}
	number := a.Number()
	for _, e := range a.Effects {
		levels := strconv.Itoa(len(e.Levels))
		if e.Binned {
			levels += " ranges"
		}
		row := []any{e.Parameter, Cell{levels, len(e.Levels)}, yesNo(e.Binned), numberCell(e.Range, number), shareCell(e.Share), shareCell(e.Total)}
		if s := e.Spearman; s != nil {
			row = append(row, s.Rho, defined(s.Interval.Lo), defined(s.Interval.Hi), intervalCell(s.Interval, format.Four), numberCell(s.P, format.PValue),
				optionalCell(e.PAdjusted, format.PValue), s.N)
		} else {
			row = append(row, nil, nil, nil, nil, nil, nil, nil)
		}
		t.Rows = append(t.Rows, row)
	}
	for i, text := range a.EffectNotes() {
		t.Notes = append(t.Notes, Sentence{Kind: Note, Text: text, Joined: i > 0})
	}
	return t
}

// EffectNotes explain the columns of the effects.
func (a ParamsAnalysis) EffectNotes() []string {
	notes := append(a.VarianceTexts(),
		"first-order share: of the variance between configurations, by one parameter alone; total effect: with its interactions",
		"rank correlation: Spearman's, of parameter and mean of a configuration, with the interval of Bonett and Wright; it sees monotone effects only",
	)
	for _, e := range a.Effects {
		if e.Spearman != nil {
			notes = append(notes, "p-values: "+e.Spearman.Method+"; Holm's correction is over parameters")
			break
		}
	}
	for _, e := range a.Effects {
		if e.NoTest != "" {
			notes = append(notes, "the parameter "+e.Parameter+" has no rank correlation: "+e.NoTest)
		}
	}
	if len(a.Constant) > 0 {
		notes = append(notes, "the same in all configurations: "+joined(a.Constant))
	}
	return notes
}

func joined(names []string) string {
	text := ""
	for i, name := range names {
		if i > 0 {
			text += ", "
		}
		text += name
	}
	return text
}

// shareCell is empty for a share that is not known.
func shareCell(share float64) any {
	if math.IsNaN(share) {
		return nil
	}
	return numberCell(share, format.Share)
}

// losses shows how many seeds of each level have no outcome.
func (a ParamsAnalysis) losses() Table {
	t := Table{Name: "losses", Title: "Seeds without a " + a.valueWord() + ", by level", Columns: Columns{
		{Name: "parameter"}, {Name: "level"}, {Name: "n_configurations", Head: "configurations"}, {Name: "n", Head: "seeds"}, {Name: "n_lost", Head: "lost"}, {Name: "rate"},
		{Name: "rate_lo", For: ForData}, {Name: "rate_hi", For: ForData}, {Name: "rate_interval", Head: a.intervalHead(), For: ForPeople}, {Name: "p"}, {Name: "p_holm", Head: "p (Holm)"},
	}.drop("n_configurations", "rate_interval", "p")}
	for _, l := range a.Losses.Levels {
		t.Rows = append(t.Rows, []any{l.Parameter, l.Level, l.NConfigurations, l.N, l.NLost, numberCell(float64(l.NLost)/float64(l.N), format.Share),
			defined(l.Interval.Lo), defined(l.Interval.Hi), intervalCell(l.Interval, format.Share), numberCell(l.P, format.PValue), numberCell(l.PAdjusted, format.PValue)})
	}
	t.Notes = []Sentence{{Kind: Note, Text: a.LossNote()}}
	return t
}

// LossNote says how the levels were tested.
func (a ParamsAnalysis) LossNote() string {
	var tests []string
	for _, l := range a.Losses.Levels {
		if !slices.Contains(tests, l.Test) {
			tests = append(tests, l.Test)
		}
	}
	return "p-values: " + joined(tests) + ", each level against the others of its parameter; Holm's correction is over all levels"
}

// shownInteractions is how many pairs of parameters people are shown.
const shownInteractions = 10

func (a ParamsAnalysis) interactions() Table {
	t := Table{Name: "interactions", Title: "Interactions of two parameters, the largest first", Shown: shownInteractions, Columns: Columns{
		{Name: "a", Head: "parameter"}, {Name: "b", Head: "with"}, {Name: "share", Head: "share of variance"}, {Name: "p"}, {Name: "p_holm", Head: "p (Holm)"},
	}}
	for _, i := range a.Variance.Interactions {
		t.Rows = append(t.Rows, []any{i.A, i.B, shareCell(i.Share), optionalCell(i.P, format.PValue), optionalCell(i.PAdjusted, format.PValue)})
	}
	if a.Variance.Interactions[len(a.Variance.Interactions)-1].P == nil {
		t.Notes = []Sentence{{Kind: Note, Text: "a pair without p is not tested: there are too few configurations"}}
	}
	return t
}

func (a ParamsAnalysis) levels() Table {
	t := Table{Name: "levels", Title: "Main effects: mean of each level, and its difference to the mean of all", Grouped: true, Columns: append([]Column{{Name: "parameter"}}, a.levelColumns()...)}
	t.Columns = append(t.Columns, Column{Name: "effect"}, Column{Name: "effect_lo", For: ForData}, Column{Name: "effect_hi", For: ForData},
		Column{Name: "effect_interval", Head: "simultaneous interval", For: ForPeople})
	t.Notes = []Sentence{{Kind: Note, Text: a.SimultaneousNote()}}
	if len(a.Losses.DependOn) > 0 && a.Metric != nil {
		t.Notes = append(t.Notes, Sentence{Kind: Warning, Text: "losses depend on " + joined(a.Losses.DependOn) + ": these are effects on the seeds that survived, and may come from the losses alone"})
	}
	t.Columns.drop("n_configurations", "n_seeds", "interval")
	signed := format.WithSign(a.Number())
	for _, e := range a.Effects {
		for _, l := range e.Levels {
			row := append([]any{e.Parameter}, a.levelCells(l)...)
			t.Rows = append(t.Rows, append(row, numberCell(l.Effect, signed), defined(l.EffectInterval.Lo), defined(l.EffectInterval.Hi), intervalCell(l.EffectInterval, signed)))
		}
	}
	return t
}

// SimultaneousNote says what the intervals of effects promise.
func (a ParamsAnalysis) SimultaneousNote() string {
	return fmt.Sprintf("simultaneous intervals: with %s confidence all %s of all levels hold (t, Bonferroni)", format.Confidence(a.Confidence), format.Counted(a.NSimultaneous, "interval"))
}

func (a ParamsAnalysis) levelColumns() []Column {
	return []Column{
		{Name: "level"}, {Name: "n_configurations", Head: "configurations"}, {Name: "n_seeds", Head: "seeds"}, {Name: "mean_of_configurations", Head: "mean"}, {Name: "lo", For: ForData}, {Name: "hi", For: ForData},
		{Name: "interval", Head: a.intervalHead(), For: ForPeople},
	}
}

func (a ParamsAnalysis) levelCells(l effects.Level) []any {
	number := a.Number()
	return []any{Cell{Shorten(l.Name), l.Name}, l.NConfigurations, l.NSeeds, numberCell(l.Mean, number), defined(l.Interval.Lo), defined(l.Interval.Hi), intervalCell(l.Interval, number)}
}

// panels draw the mean of each level as a bar of text.
func (a ParamsAnalysis) panels() Table {
	t := Table{Name: "plot", Title: a.plotTitle(), Columns: append([]Column{{Name: "panel", Head: a.PlotBy}}, a.levelColumns()...)}
	t.Columns = append(t.Columns, Column{Name: "bar", Head: a.Outcome(), For: ForPeople})
	t.Columns.drop("n_configurations", "n_seeds", "interval")
	lo, hi := math.Inf(1), math.Inf(-1)
	for _, p := range a.Panels {
		for _, l := range p.Levels {
			lo, hi = min(lo, lowest(l)), max(hi, highest(l))
		}
	}
	for _, p := range a.Panels {
		for _, l := range p.Levels {
			row := append([]any{Cell{Shorten(p.Name), p.Name}}, a.levelCells(l)...)
			t.Rows = append(t.Rows, append(row, textBar(l, lo, hi)))
		}
	}
	if a.PlotBy == "" {
		t.Columns[0].For = ForData
	}
	return t
}

// plotTitle says what is shown against what.
func (a ParamsAnalysis) plotTitle() string {
	text := fmt.Sprintf("%s against %s", a.Outcome(), a.PlotOf)
	if a.PlotBy != "" {
		text += " for each " + a.PlotBy
	}
	return text
}

func lowest(l effects.Level) float64 {
	if l.Interval.Defined() {
		return l.Interval.Lo
	}
	return l.Mean
}

func highest(l effects.Level) float64 {
	if l.Interval.Defined() {
		return l.Interval.Hi
	}
	return l.Mean
}

// textBar draws an interval and its mean: "   ├──●──┤  ".
func textBar(l effects.Level, lo, hi float64) string {
	const width = 30
	if !(lo < hi) || math.IsInf(hi-lo, 0) || math.IsNaN(l.Mean) {
		return ""
	}
	at := func(x float64) int { return int(math.Round(max(0, min(1, (x-lo)/(hi-lo))) * (width - 1))) }
	bar := make([]rune, width)
	for i := range bar {
		bar[i] = '·'
	}
	if l.Interval.Defined() {
		for i := at(l.Interval.Lo); i <= at(l.Interval.Hi); i++ {
			bar[i] = '─'
		}
	}
	bar[at(l.Mean)] = '●'
	return string(bar)
}

func (a ParamsAnalysis) heatmap() Table {
	h := a.Heatmap
	t := Table{Name: "heatmap", Title: fmt.Sprintf("mean %s by %s (down) and %s (across)", a.Outcome(), h.Y, h.X), Columns: []Column{{Name: h.Y, Head: h.Y + " \\ " + h.X}}}
	for _, name := range h.XLevels {
		t.Columns = append(t.Columns, Column{Name: name})
	}
	number := a.Number()
	for i, name := range h.YLevels {
		row := []any{name}
		for k := range h.XLevels {
			var cell any
			if i < len(h.Cells) && k < len(h.Cells[i]) && !math.IsNaN(h.Cells[i][k].Mean) {
				cell = numberCell(h.Cells[i][k].Mean, number)
			}
			row = append(row, cell)
		}
		t.Rows = append(t.Rows, row)
	}
	return t
}
