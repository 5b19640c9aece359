package answer

import (
	"fmt"
	"strconv"
	"strings"

	"track"
	"track/evolution"
	"track/scoring/format"
)

// sentences returns what people read of a decision, one paragraph.
func (a Decision) sentences(joined bool) []Sentence {
	state := map[evolution.State]string{evolution.Accept: "ACCEPTED", evolution.Reject: "REJECTED", evolution.Continue: "CONTINUE: more evidence is needed"}[a.State]
	lines := []Sentence{{Kind: Verdict, Text: fmt.Sprintf("%s  %s: %s of %s by %s", state, a.Mutation, a.Child, orNoVersion(a.Parent), operatorName(a.Operator)), Joined: joined}}
	add := func(text string) { lines = append(lines, Sentence{Kind: Note, Text: text, Joined: true}) }
	if a.Repeated {
		add("no new evidence: this was decided before")
	}
	add(a.scoreText())
	add(scoresText(a.Score))
	add(a.ruleText())
	if a.Draw.Used {
		add(a.drawText())
	}
	if a.Need != nil {
		plan := track.NewHint("list the trials", "mutation plan", a.Mutation)
		lines = append(lines, Sentence{Kind: Note, Text: a.Need.sentence(a.Child, a.Parent), Hint: &plan, Joined: true})
	}
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
	for _, w := range a.Warnings {
		lines = append(lines, Sentence{Kind: Warning, Text: "warning: " + w.Message, Hint: w.Hint, Joined: true})
	}
	return lines
}

// Brief returns what became of a mutation, the compared scores, and the draw if it decided.
func (a Decision) Brief() []Sentence {
	brief := a.sentences(false)[:1]
	texts := []string{a.scoreText()}
	if a.Draw.Used {
		texts = append(texts, a.drawText())
	}
	for _, text := range texts {
		brief = append(brief, Sentence{Kind: Note, Text: text, Joined: true})
	}
	return brief
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

// drawText says what the draw decided. A draw that decided nothing is not mentioned.
func (a Decision) drawText() string {
	outcome := "rejected"
	if a.Accepted {
		outcome = "accepted"
	}
	return outcome + " by the draw: " + a.Draw.comparison()
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
func (n MissingEvidence) sentence(child, parent string) string {
	text := "needs " + n.text(child, parent)
	if n.Pairs > 0 {
		text += ", in " + format.Counted(n.Pairs, "pair") + " of the same task or seed"
	}
	if n.Fresh {
		text += ", made from now on"
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
	if less := n.ServesFalseAccept != nil && n.FalseAccept != nil && *n.ServesFalseAccept > *n.FalseAccept; n.Serves != policy && less {
		return text + fmt.Sprintf("; at so little noise %s is cheaper, and accepts %s", n.Serves, format.Percent(*n.ServesFalseAccept))
	}
	if n.Serves != policy {
		text += "; " + n.Serves + " would serve"
		if n.ServesFalseAccept != nil {
			text += ": " + format.Percent(*n.ServesFalseAccept)
		}
	}
	return text
}
