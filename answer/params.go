package answer

import (
	"fmt"
	"math"
	"slices"
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
