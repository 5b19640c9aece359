package reports

import (
	"fmt"
	"math"
	"slices"

	"track/evolution"
	"track/reports/document"
	"track/scoring/stats"
)

// versionScores are the scores of a version that count.
type versionScores struct {
	scores []float64
	trials []evolution.Trial // that have them
	failed int
	// chosen: the scores served to choose the version, so they tend to be too high.
	chosen bool
}

// scoresOf returns the trials of a version that no decision that accepted it looked at, where there are enough; else
// all.
func (l *lineageReport) scoresOf(label string) (h versionScores) {
	v := l.versions[label]
	looked := map[string]bool{}
	for _, d := range l.accepting[label] {
		for _, t := range d.Evidence.Child {
			looked[t.ID] = true
		}
	}
	c := evolution.Count(v.Trials, looked)
	return versionScores{c.Scores(), c.Trials, c.Failed, c.Chosen}
}

// mean returns the mean of the scores that count of a version; NaN if there are none.
func (l *lineageReport) mean(label string) (mean float64, n int) {
	if h := l.scoresOf(label); len(h.scores) > 0 {
		return average(h.scores), len(h.scores)
	}
	return math.NaN(), 0
}

// verdict returns the state of the lineage in two lines.
func (l *lineageReport) verdict() []document.Block {
	head := l.replayed.Head
	if head == "" {
		return append([]document.Block{paragraph(strong("No version is active."), plain(" %s%s.", l.replaySentence(), l.undecidedSentence()))}, l.units()...)
	}
	h := l.scoresOf(head)
	first := document.Text{word(head), plain(" "), strong("is active"), plain(": %s", l.scoreSentence(h))}
	if gain := l.gain(head, h); gain != "" {
		first = append(first, plain("%s", gain))
	}
	return append([]document.Block{
		document.Paragraph{Text: append(first, plain("."))},
		paragraph(plain("%s; policy ", l.replaySentence()), word(l.Settings.Policy), plain("; %s%s.", l.statesSentence(), l.undecidedSentence())),
	}, l.units()...)
}

// units says which unit and direction the numbers of the report have, if they are not points of a rubric.
func (l *lineageReport) units() []document.Block {
	text := l.numbers().Units()
	if text == "" {
		return nil
	}
	return []document.Block{paragraph(plain("%s", text))}
}

func (l *lineageReport) scoreSentence(h versionScores) string {
	if len(h.scores) == 0 {
		if h.failed > 0 {
			return fmt.Sprintf("no score, %s failed", counted(h.failed, "trial", "trials"))
		}
		return "no score yet"
	}
	m, err := stats.NewMean(h.scores, evolution.Confidence)
	if err != nil {
		return "no score: " + err.Error()
	}
	text := "mean score " + l.number(m.Mean)
	if m.Interval.Defined() {
		text += fmt.Sprintf(" (95%% t interval %s to %s, n = %d)", l.number(m.Interval.Lo), l.number(m.Interval.Hi), m.N)
	} else {
		text += fmt.Sprintf(" (no interval, n = %d)", m.N)
	}
	switch {
	case h.chosen:
		text += ", from the trials it was chosen by, so the mean tends to be too high"
	case len(h.scores) < len(l.scored(l.replayed.Head)):
		text += ", from trials after it was chosen"
	}
	if h.failed > 0 {
		text += fmt.Sprintf(", %d failed and %s", h.failed, l.failuresCount())
	}
	return text
}

// gain returns how much better the head is than the root.
func (l *lineageReport) gain(head string, h versionScores) string {
	if head == l.root || l.root == "" {
		return ""
	}
	root, chosen := l.scored(l.root), ""
	gain, err := evolution.NewVersionGain(h.trials, root, l.Settings.Scale)
	if gain == nil && err == nil {
		gain, err = evolution.NewVersionGain(l.scored(head), root, l.Settings.Scale)
		chosen = ", with trials it was chosen by"
	}
	switch {
	case err == nil && gain != nil:
		return fmt.Sprintf("; gain over the root %s: %s (%s%s)%s", l.root, l.change(gain.Mean), l.gainDetail(gain), chosen, l.drifted(root, h.trials))
	case len(root) > 0 && len(h.scores) > 0:
		return "; the gain over the root " + l.root + " is unknown, because they share no task"
	}
	return "; the gain over the root " + l.root + " is unknown"
}

// gainDetail says how sure a gain is, and what it follows from.
func (l *lineageReport) gainDetail(g *evolution.VersionGain) string {
	text := "no interval"
	if i := g.Interval; i != nil {
		text = fmt.Sprintf("95%% %s interval %s to %s", g.Method, l.change(i.Lo), l.change(i.Hi))
	}
	if g.Tasks > 0 {
		return text + ", on " + counted(g.Tasks, "common task", "common tasks")
	}
	return text + fmt.Sprintf(", n = %d and %d", g.N, g.NOther)
}

// failuresCount says how failed trials count.
func (l *lineageReport) failuresCount() string {
	if l.Settings.Failures == evolution.FailuresExclude {
		return "are left out, as set"
	}
	return "count as the worst score"
}

// scored returns the trials of a version that have a score.
func (l *lineageReport) scored(label string) []evolution.Trial {
	return slices.DeleteFunc(slices.Clone(l.versions[label].Trials), func(t evolution.Trial) bool { return t.Score == nil })
}

func average(xs []float64) float64 {
	sum := 0.0
	for _, x := range xs {
		sum += x
	}
	return sum / float64(len(xs))
}

// undecidedSentence says, where there are mutations and none was decided, that it is so, and which candidate has the
// highest score.
func (l *lineageReport) undecidedSentence() string {
	_, decided := l.bestPath()
	if decided {
		return ""
	}
	best := l.bestOfUndecided()
	mean, n := l.mean(best)
	if best == l.replayed.Head && l.isImported() {
		return "; there are no decisions, and the active version is the best of the imported run"
	}
	return fmt.Sprintf("; there are no decisions, and the candidate with the %s mean score is %s with %s (n = %d)", l.best(), best, l.points(&mean), n)
}

func (l *lineageReport) statesSentence() string {
	counts := map[evolution.MutationState]int{}
	for _, m := range l.replayed.Mutations {
		counts[m.State]++
	}
	text := counted(len(l.replayed.Mutations), "mutation", "mutations")
	sep := ": "
	for _, state := range []evolution.MutationState{
		evolution.MutationAccepted, evolution.MutationRejected, evolution.MutationContinued, evolution.MutationProposed, evolution.MutationRefused, evolution.MutationWithdrawn,
	} {
		if n := counts[state]; n > 0 {
			name := string(state)
			switch state {
			case evolution.MutationContinued:
				name = "waiting for evidence"
			case evolution.MutationProposed:
				name = "not decided"
			}
			text += fmt.Sprintf("%s%d %s", sep, n, name)
			sep = ", "
		}
	}
	return text
}
