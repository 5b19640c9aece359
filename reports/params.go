package reports

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"track"
	"track/answer"
	"track/reports/document"
	"track/scoring/effects"
	"track/scoring/format"
	"track/scoring/stats"
)

// shownConfigurations is how many configurations a report of parameters lists.
const shownConfigurations = 20

// Params returns the report of the parameters of a scenario.
func Params(r answer.ParamsReport) document.Document {
	d := paramsReport{r}
	return document.Document{
		Title:  fmt.Sprintf("Parameters of %s: %s", r.Scenario, r.Outcome()),
		Blocks: slices.Concat(d.summary(), d.warnings(), d.ranking(), d.losses(), d.effects(), d.mainEffects(), d.heatmap(), d.reproduce()),
	}
}

type paramsReport struct{ answer.ParamsReport }

func (d paramsReport) summary() []document.Block {
	var sentences []string
	for _, text := range d.Subject() {
		sentences = append(sentences, sentence(text))
	}
	return bullets(sentences)
}

func (d paramsReport) ranking() []document.Block {
	number := d.Number()
	t := columns("#rank", "configuration", "parameters", "#n", "#no result", "#mean", d.interval(), "#to the first", d.interval())
	for i, r := range d.Ranking[:min(len(d.Ranking), shownConfigurations)] {
		c := d.Configurations[r.Index]
		row := []document.Text{
			cell("%d", i+1), codeCell(track.ShortHash(c.Hash)), cell("%s", d.ParamsTextOf(r.Index)), cell("%d", r.N), cell("%d", c.NFailed),
			cell("%s", number(r.Mean)), d.intervalText(r.Interval),
		}
		if r.ToBest != nil {
			row = append(row, cell("%s", number(r.ToBest.Mean)), d.intervalText(r.ToBest.Interval))
		} else {
			row = append(row, faint("-"), faint("-"))
		}
		t.Rows = append(t.Rows, row)
	}
	blocks := []document.Block{heading("Configurations"), t}
	if more := len(d.Ranking) - shownConfigurations; more > 0 {
		blocks = append(blocks, paragraphOf(faint(format.Counted(more, "configuration")+" with lower means not shown.")))
	}
	return append(blocks, paragraphOf(faint("The first of many looks better than it is: run fresh seeds of it before you rely on its mean.")))
}

func (d paramsReport) interval() string { return format.Confidence(d.Confidence) + " interval" }

func (d paramsReport) intervalText(i stats.Interval) document.Text {
	if !i.Defined() {
		return faint("-")
	}
	return cell("%s", format.Interval(i, d.Number()))
}

// losses shows how many seeds of each level have no outcome.
func (d paramsReport) losses() []document.Block {
	if len(d.Losses.Levels) == 0 {
		return nil
	}
	t := columns("parameter", "level", "#seeds", "#lost", "#rate", d.interval(), "#p", "#p (Holm)")
	for _, l := range d.Losses.Levels {
		t.Rows = append(t.Rows, []document.Text{
			cell("%s", l.Parameter), cell("%s", l.Level), cell("%d", l.N), cell("%d", l.NLost), shareText(float64(l.NLost) / float64(l.N)),
			cell("%s", format.Interval(l.Interval, format.Share)), cell("%s", format.PValue(l.P)), cell("%s", format.PValue(l.PAdjusted)),
		})
	}
	return []document.Block{heading("Lost seeds"), t, paragraphOf(faint(sentence(d.LossNote())))}
}

func shareText(share float64) document.Text {
	if math.IsNaN(share) {
		return faint("-")
	}
	return cell("%s", format.Share(share))
}

func (d paramsReport) effects() []document.Block {
	t := columns("parameter", "#levels", "#range of means", "#first-order share", "#total effect", "#rank correlation", d.interval(), "#p", "#p (Holm)")
	for _, e := range d.Effects {
		row := []document.Text{cell("%s", e.Parameter), cell("%d", len(e.Levels)), cell("%s", d.Number()(e.Range)), shareText(e.Share), shareText(e.Total)}
		if s := e.Spearman; s != nil {
			interval := faint("-")
			if s.Interval.Defined() {
				interval = cell("%s", format.Interval(s.Interval, format.Four))
			}
			row = append(row, cell("%s", format.Four(s.Rho)), interval, cell("%s", format.PValue(s.P)), cell("%s", format.PValue(*e.PAdjusted)))
		} else {
			row = append(row, faint("-"), faint("-"), faint("-"), faint("-"))
		}
		t.Rows = append(t.Rows, row)
	}
	var notes []string
	for _, text := range d.EffectNotes() {
		notes = append(notes, sentence(text))
	}
	return slices.Concat([]document.Block{heading("Effects"), t}, bullets(notes))
}

// mainEffects shows each parameter with its picture and its levels.
func (d paramsReport) mainEffects() (blocks []document.Block) {
	for i, e := range d.Effects {
		blocks = append(blocks, subheading(e.Parameter))
		if i < len(d.Plots) {
			alt := fmt.Sprintf("Mean %s of %s against %s.", d.Outcome(), format.Counted(d.NConfigurations, "configuration"), e.Parameter)
			blocks = append(blocks, document.Picture{
				Name: "parameter-" + strconv.Itoa(i+1), Alt: alt, Chart: parameterChart(d.ParamsAnalysis, e.Parameter, "", d.Plots[i]),
			})
		}
		blocks = append(blocks, d.levels(e))
	}
	return append(blocks, paragraphOf(faint(sentence(d.SimultaneousNote()))))
}

func (d paramsReport) levels(e effects.Effect) document.Block {
	number := d.Number()
	t := columns("level", "#configurations", "#seeds", "#mean", d.interval(), "#effect", "#simultaneous interval")
	for _, l := range e.Levels {
		t.Rows = append(t.Rows, []document.Text{
			cell("%s", l.Name), cell("%d", l.NConfigurations), cell("%d", l.NSeeds), cell("%s", number(l.Mean)), d.intervalText(l.Interval),
			cell("%s", number(l.Effect)), d.intervalText(l.EffectInterval),
		})
	}
	return t
}

// heatmap shows the two parameters with the largest effects together.
func (d paramsReport) heatmap() []document.Block {
	if d.Heatmap == nil {
		return nil
	}
	alt := fmt.Sprintf("Mean %s for each pair of values of %s and %s.", d.Outcome(), d.Heatmap.X, d.Heatmap.Y)
	return []document.Block{
		heading(fmt.Sprintf("%s and %s", d.Heatmap.X, d.Heatmap.Y)),
		document.Picture{Name: "means", Alt: alt, Chart: MeansChart(d.ParamsAnalysis, *d.Heatmap)},
	}
}

func (d paramsReport) warnings() []document.Block {
	var list []string
	for _, text := range d.Warnings() {
		list = append(list, sentence(text))
	}
	return warningBlocks(list)
}

func (d paramsReport) reproduce() []document.Block {
	command := ParamsCommand(d.ParamsReport)
	text := strings.Replace(command, " report", "", 1) + "\n" + command + " -o report.md\n" + command + " --check report.md\n"
	return []document.Block{heading("Reproduce"), document.Code{Language: "sh", Text: text}}
}

// ParamsCommand returns the command that makes the report.
func ParamsCommand(r answer.ParamsReport) string {
	command := fmt.Sprintf("track report params %s --spec %d", shellWord(r.Scenario), r.Spec.Version)
	if r.Metric != nil {
		command += " --metric " + shellWord(r.Metric.Name)
	}
	if r.Revision.Commit != "" || r.Revision.Unknown != "" {
		command += " --commit " + shellWord(r.Revision.String())
	}
	if r.LabelGiven {
		label := r.Label
		if label == "" {
			label = answer.NoLabel
		}
		command += " --label " + shellWord(label)
	}
	return command + seedsFlag(r.Ranges)
}
