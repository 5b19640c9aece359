package answer

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"track"
	"track/evolution"
	"track/scoring/format"
)

// sentences returns what people read of a decision, one paragraph. Of several warnings it has the first, unless all are
// wanted.
func (a Decision) sentences(joined, all bool) []Sentence {
	lines := []Sentence{a.sentence()}
	lines[0].Joined = joined
	add := func(text string) { lines = append(lines, Sentence{Kind: Note, Text: text, Joined: true}) }
	if a.Repeated {
		add("no new evidence: this was decided before")
	}
	add(a.scoreText())
	add(scoresText(a.Score))
	add(a.ruleText())
	switch {
	case a.HeadBefore == a.HeadAfter:
		add(fmt.Sprintf("active: %s, as before", orNoVersion(a.HeadAfter)))
	case a.DryRun:
		add(fmt.Sprintf("active: %s; recorded, the decision would make %s active", orNoVersion(a.HeadNow), a.HeadAfter))
	default:
		add(fmt.Sprintf("active: %s, before %s", a.HeadAfter, orNoVersion(a.HeadBefore)))
	}
	if a.HeadNow != a.HeadAfter && !a.DryRun {
		add("now active: " + orNoVersion(a.HeadNow))
	}
	add(NoiseText(a.Policy, a.Noise, Numbers{a.Scale}))
	return append(lines, a.warnings(all)...)
}

// Sentences returns all that people read of a decision, with all warnings.
func (a Decision) Sentences() []Sentence { return a.sentences(false, true) }

// Brief returns the sentence of a decision, and the warning that matters first.
func (a Decision) Brief() []Sentence { return append([]Sentence{a.sentence()}, a.warnings(false)...) }

// warnings returns all warnings, or the first one and how many more there are.
func (a Decision) warnings(all bool) (list []Sentence) {
	for _, w := range a.Warnings {
		list = append(list, Sentence{Kind: Warning, Text: "warning: " + w.Message, Hint: w.Hint, Joined: true})
	}
	if all || len(list) < 2 {
		return list
	}
	more := track.NewHint("show all", "mutation show", a.Mutation)
	return append(list[:1], Sentence{Kind: Note, Text: format.Counted(len(list)-1, "more warning"), Hint: &more, Joined: true})
}

// sentence says what became of the mutation: the verdict, the gain with its interval, the pairs, and the failures.
func (a Decision) sentence() Sentence {
	if a.Need != nil {
		plan := track.NewHint("list the trials", "mutation plan", a.Mutation)
		return Sentence{Kind: Verdict, Hint: &plan, Text: fmt.Sprintf("CONTINUE  %s: %s", a.Mutation, a.Need.sentence(a.Policy, a.Child, a.Parent))}
	}
	state := "REJECTED"
	if a.Accepted {
		state = "ACCEPTED"
	}
	text := fmt.Sprintf("%s  %s: %s%s; %s", state, a.Mutation, a.gainText(), a.reason(), a.failuresText())
	if a.Draw.Used {
		text += "; by the draw, " + a.Draw.comparison()
	}
	return Sentence{Kind: Verdict, Text: text}
}

// gainText says how much better the child is than its parent: as measured on all tasks, else as it was compared.
func (a Decision) gainText() string {
	if a.Measured != nil {
		g := a.Measured.Gain
		text := a.gains(g.Mean) + ", measured on " + format.Counted(g.N, "task")
		switch {
		case g.Interval != nil:
			text += fmt.Sprintf(" (%s)", a.intervalText(*g.Interval))
		case g.N > 1:
			text += " (each by as much, so no interval)"
		default:
			text += " (no interval)"
		}
		if h := a.Measured.Holdout; h != nil {
			text += fmt.Sprintf(", and %s on %s that never %s", Numbers{a.Scale}.Gain(h.Mean), format.Counted(h.N, "task"), agree(h.N, "decides", "decide"))
		}
		return text + ", after " + format.Counted(a.NPairs, "pair")
	}
	if a.Delta == nil {
		return fmt.Sprintf("%s of %s", a.Child, orNoVersion(a.Parent))
	}
	text := a.gains(*a.Delta)
	switch inFitness := a.Policy == (evolution.Threshold{}).Name(); {
	case inFitness && a.CI == nil:
		text += " in fitness"
	case a.CI != nil && a.CI.N > 0 && a.CI.Estimate != *a.Delta:
		text += fmt.Sprintf(" in fitness, %s in %s (%s)", Numbers{a.Scale}.Gain(a.CI.Estimate), format.Counted(a.CI.N, "pair"), a.intervalText(*a.CI))
	case a.CI != nil:
		text += fmt.Sprintf(" (%s)", a.intervalText(*a.CI))
	case a.NPairs > 0:
		text += " in " + format.Counted(a.NPairs, "pair")
	}
	return text
}

func (a Decision) gains(points float64) string {
	numbers := Numbers{a.Scale}
	verb, preposition := "gains", "over"
	if points < 0 {
		verb, preposition = "loses", "against"
	}
	text := fmt.Sprintf("%s %s %s", a.Child, verb, numbers.Score(math.Abs(points)))
	if a.Scale == nil || numbers.hasPoints() {
		text += " points"
	}
	return text + " " + preposition + " " + orNoVersion(a.Parent)
}

func (a Decision) intervalText(i evolution.Interval) string {
	numbers := Numbers{a.Scale}
	return fmt.Sprintf("%s %s interval %s to %s", format.Confidence(i.Confidence), i.Method, numbers.Gain(i.Lo), numbers.Gain(i.Hi))
}

// reason says why a child was rejected, where the gain does not.
func (a Decision) reason() string {
	if text := a.Label.Reason(); text != "" {
		return ": " + text
	}
	return ""
}

// failuresText says how many trials failed, and how they count.
func (a Decision) failuresText() string {
	if a.FailedChild+a.FailedParent == 0 {
		return "no trial failed"
	}
	text := fmt.Sprintf("%d of %s of %s and %d of %d of %s failed", a.FailedChild, format.Counted(a.trials(a.NChild, a.FailedChild), "trial"), a.Child,
		a.FailedParent, a.trials(a.NParent, a.FailedParent), orNoVersion(a.Parent))
	if a.Failures == evolution.FailuresExclude {
		return text + " and are left out"
	}
	return text + " and count as the worst score"
}

// trials returns how many trials there were, of which n count.
func (a Decision) trials(n, failed int) int {
	if a.Failures == evolution.FailuresExclude {
		return n + failed
	}
	return n
}

func agree(n int, one, many string) string {
	if n == 1 {
		return one
	}
	return many
}

func (a Decision) scoreText() string {
	n := fmt.Sprintf("n %d and %d", a.NChild, a.NParent)
	if a.FailedChild+a.FailedParent > 0 {
		n += fmt.Sprintf(" (%d and %d failed)", a.FailedChild, a.FailedParent)
	}
	if a.NPairs > 0 {
		n += ", " + format.Counted(a.NPairs, "pair")
	}
	if a.Delta == nil || a.OldScore == nil || a.NewScore == nil {
		return fmt.Sprintf("%s: %s, child and parent", a.Policy, n)
	}
	numbers := Numbers{a.Scale}
	text := fmt.Sprintf("%s: delta %s, from %s to %s", a.Policy, numbers.gainWithUnit(*a.Delta), numbers.Score(*a.OldScore), numbers.Score(*a.NewScore))
	if a.Scale != nil && a.Scale.Minimize {
		text += " (less is better)"
	}
	if i := a.CI; i != nil {
		text += "; "
		if i.N > 0 && i.Estimate != *a.Delta { // ledgers of "decide/1" have no n
			text += fmt.Sprintf("mean of %s %s, ", format.Counted(i.N, "pair"), numbers.Gain(i.Estimate))
		}
		text += fmt.Sprintf("%s %s interval %s to %s", format.Confidence(i.Confidence), i.Method, numbers.Gain(i.Lo), numbers.Gain(i.Hi))
		if i.LeftOut > 0 {
			text += fmt.Sprintf(", %s without a partner left out", format.Counted(i.LeftOut, "trial"))
		}
	}
	if a.PImprove != nil {
		text += "; " + wonText(*a.PImprove)
	}
	return text + "; " + n
}

// wonText says how many comparisons the child won, and what ties count.
func wonText(p evolution.PImprove) string {
	text := fmt.Sprintf("P(improvement) %s, %d of %s won", format.Fixed(p.Value, 2), p.Wins, format.Counted(p.N, "comparison"))
	if p.Ties > 0 {
		text += fmt.Sprintf(", %d tied; a tie counts half", p.Ties)
	}
	return text
}

// ruleText says what the policy compared with which limits.
func (a Decision) ruleText() string {
	parts := []string{a.Label.Text(a.Policy, a.PolicyParams, a.CI.IsAbove())}
	for _, s := range a.Rule {
		text := s.Name + " "
		if s.Value == nil {
			text += "undefined"
		} else {
			text += format.Fixed(*s.Value, 4)
		}
		if s.Accept != nil {
			text += ", accept at " + format.Fixed(*s.Accept, 4)
		}
		if s.Reject != nil {
			text += ", reject at " + format.Fixed(*s.Reject, 4)
		}
		parts = append(parts, text)
	}
	return strings.Join(parts, "; ")
}

// comparison returns the draw next to the probability that decided.
func (d Draw) comparison() string {
	if d.P == nil {
		return fmt.Sprintf("u = %.4f", d.U)
	}
	return DrawText(d.U, *d.P)
}

// DrawText compares a draw with the probability that it decided against.
func DrawText(u, p float64) string {
	sign := ">="
	if u < p {
		sign = "<"
	}
	return fmt.Sprintf("u = %.4f %s p = %s", u, sign, strconv.FormatFloat(p, 'g', 4, 64))
}

// sentence says how many trials the policy needs.
func (n MissingEvidence) sentence(policy, child, parent string) string {
	text := policy + " needs " + n.text(child, parent)
	if n.Measure {
		text = policy + " accepts " + child + "; to measure its gain on all tasks it needs " + n.text(child, parent)
	}
	if n.Pairs > 0 {
		text += ", in " + format.Counted(n.Pairs, "pair") + " of the same task or seed"
	}
	return text
}

func (n MissingEvidence) text(child, parent string) string {
	text := ""
	if n.Child > 0 {
		text = fmt.Sprintf("%d more of %s", n.Child, child)
	}
	if n.Parent > 0 && text != "" {
		return text + fmt.Sprintf(" and %d of %s", n.Parent, parent)
	}
	if n.Parent > 0 {
		return fmt.Sprintf("%d more of %s", n.Parent, parent)
	}
	return text
}

// NoiseText says what a decision of a policy is worth at this noise.
func NoiseText(policy string, n *evolution.Noise, numbers Numbers) string {
	if n == nil || n.SD == nil {
		return "noise: unknown, because no version has two scores yet"
	}
	text := fmt.Sprintf("noise: sd of scores within the two sides %s (n %d)", numbers.Score(*n.SD), n.N)
	if n.NPairs > 0 && n.SDPairs != nil {
		text += fmt.Sprintf(", sd of differences of pairs %s (%s)", numbers.Score(*n.SDPairs), format.Counted(n.NPairs, "pair"))
	}
	if n.FalseAccept != nil {
		text += fmt.Sprintf("; at it %s accepts %s of mutations that change nothing (%s", policy, format.Percent(*n.FalseAccept), n.Method)
		if i := n.FalseAcceptCI; i != nil {
			text += fmt.Sprintf("; %s interval %s to %s", format.Confidence(i.Confidence), format.Percent(i.Lo), format.Percent(i.Hi))
		}
		text += ")"
	}
	return text
}
