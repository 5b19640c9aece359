package reports

import (
	"cmp"
	"slices"
	"strings"

	"track/evolution"
	"track/reports/document"
)

// mostAlerts of one kind are told one by one; the others are counted.
const mostAlerts = 10

// alert is a reason to look closer, with what it is about.
type alert struct {
	what  string          // of what there are several
	cases []document.Text // the oldest first
	n     int             // of what there are several, where cases are not one each
	// ranked: cases are in an order of their own, the worst first; others are shown the newest first.
	ranked bool
	kind   document.NoteKind
}

// foundAlerts returns what speaks against trusting the lineage.
func (l *lineageReport) foundAlerts() (found []alert) {
	for _, find := range []func() alert{
		l.differenceAlert, l.missingAlert, l.higherAlert, l.refusedAlert, l.withdrawnAlert, l.bestFailedAlert, l.identicalAlert, l.lostParentsAlert, l.insideNoiseAlert, l.rollbacksAlert, l.overriddenAlert, l.attemptsAlert, l.staleAlert, l.limitsAlert,
	} {
		if a := find(); len(a.cases) > 0 {
			found = append(found, a)
		}
	}
	return found
}

// alerts tells what was found; one sentence if nothing was.
func (l *lineageReport) alerts() []document.Block {
	blocks := []document.Block{document.Heading{Level: 2, Text: "Alerts"}}
	found := l.foundAlerts()
	for _, a := range found {
		list, more := slices.Clone(a.cases), "more"
		if !a.ranked {
			slices.Reverse(list)
			more = "older"
		}
		if n := len(list) - mostAlerts; n > 0 {
			list = append(list[:mostAlerts], cell("and %d %s", n, more))
		}
		blocks = append(blocks, document.Note{Kind: a.kind, Blocks: []document.Block{paragraph(strong("%s", a.what)), document.List{Items: list}}})
	}
	if len(found) == 0 {
		blocks = append(blocks, paragraph(plain("None. The replay agrees. No accepted version scores better than the active one. No decision was overridden or repeated, and no mutation was accepted within the noise. Fewer than half of the proposals were refused, and fewer than half were withdrawn. No limit of 24 hours was reached (max_per_day and max_high_per_day of the settings at the time). No parent is missing.")))
	}
	return blocks
}

// higherAlert returns the alert about accepted versions that score above the active one, the furthest first.
func (l *lineageReport) higherAlert() alert {
	a := alert{what: "Accepted versions with a " + l.better() + " mean score than the active version", ranked: true, kind: document.NoteInfo}
	head := l.scoresOf(l.replayed.Head)
	if len(head.scores) == 0 {
		return a
	}
	type higher struct {
		version string
		h       versionScores
		gain    *evolution.VersionGain
	}
	var list []higher
	for _, v := range l.Versions {
		if v.Label == l.replayed.Head || len(l.accepting[v.Label]) == 0 {
			continue
		}
		h := l.scoresOf(v.Label)
		if gain, err := evolution.NewVersionGain(h.trials, head.trials, l.Settings.Scale); err == nil && gain != nil && gain.Mean > 0 {
			list = append(list, higher{v.Label, h, gain})
		}
	}
	slices.SortStableFunc(list, func(a, b higher) int { return cmp.Compare(b.gain.Mean, a.gain.Mean) })
	for _, v := range list {
		text := document.Text{word(v.version), plain(": %s over ", l.change(v.gain.Mean)), word(l.replayed.Head), plain(", %s", l.gainDetail(v.gain))}
		if i := v.gain.Interval; i != nil && i.Lo > 0 {
			a.kind = document.NoteWarning
		}
		a.cases = append(a.cases, append(text, plain("%s", l.drifted(v.h.trials, head.trials))))
	}
	return a
}

// bestFailedAlert returns the alert about candidates that failed and that their source calls best.
func (l *lineageReport) bestFailedAlert() alert {
	a := alert{what: "Failed, but called best by their source", kind: document.NoteCaution}
	for _, v := range l.Versions {
		status, failed := strings.CutPrefix(v.Status, "best, ")
		if !failed {
			continue
		}
		text := document.Text{word(v.Label), plain(": %s", status)}
		if v.SourceScore != nil {
			text = append(text, plain("; the source gives it a score of %v, which is not used", *v.SourceScore))
		}
		a.cases = append(a.cases, text)
	}
	return a
}

// identicalAlert returns the alert about contents that were evaluated as several candidates, with different scores.
func (l *lineageReport) identicalAlert() alert {
	a := alert{what: "Identical content, different scores", kind: document.NoteWarning}
	made := map[string]int{}
	for _, m := range l.replayed.Mutations {
		if m.Source != "" {
			made[m.Child.Label]++
		}
	}
	for _, v := range l.Versions {
		if made[v.Label] < 2 {
			continue
		}
		var scores []string
		for _, t := range v.Trials {
			text := t.Failed
			if t.Score != nil {
				text = l.points(t.Score)
			}
			if !slices.Contains(scores, text) {
				scores = append(scores, text)
			}
		}
		if len(scores) > 1 {
			a.cases = append(a.cases, document.Text{word(v.Label), plain(": %s", strings.Join(scores, ", "))})
		}
	}
	return a
}

func (l *lineageReport) lostParentsAlert() alert {
	a := alert{what: "Missing parents", kind: document.NoteWarning}
	for _, m := range l.replayed.Mutations {
		for _, p := range m.Parents {
			if p.ID == "" {
				a.cases = append(a.cases, document.Text{word(p.Label), plain(", the parent of "), word(m.Child.Label)})
			}
		}
	}
	return a
}

func (l *lineageReport) insideNoiseAlert() alert {
	a := alert{what: "Accepted, but no interval shows a difference above 0", kind: document.NoteWarning}
	for _, d := range l.decisions {
		if !slices.Contains(d.Decision.Warnings, evolution.WarnUnclear) {
			continue
		}
		text := append(l.named(d.Mutation), plain(": %s", l.changeOf(d.Decision.Delta)))
		if i := d.Decision.Interval; i != nil {
			text = append(text, plain("%s, 95%% %s interval %s to %s", l.pairsText(*i, d.Decision.Delta), methodName(i.Method), l.change(i.Lo), l.change(i.Hi)))
		} else {
			text = append(text, plain(", no interval"))
		}
		text = append(text, plain(", n = %d and %d", d.Decision.NChild, d.Decision.NParent))
		if n := d.Decision.Noise; n != nil && n.FalseAccept != nil {
			text = append(text, plain("; at this noise the policy accepts %s of mutations that change nothing", share(*n.FalseAccept)))
		}
		a.cases = append(a.cases, text)
	}
	return a
}

// rollbacksAlert returns the alert about rollbacks that follow each other with nothing accepted between: the version
// restored did not hold either.
func (l *lineageReport) rollbacksAlert() alert {
	const several = 3
	a := alert{what: "Several rollbacks in a row, with nothing accepted between them", kind: document.NoteWarning}
	var run []lineageRollback
	end := func() {
		if len(run) >= several {
			first, last := run[0], run[len(run)-1]
			a.cases = append(a.cases, document.Text{plain("%d rollbacks, entries %d to %d, from ", len(run), first.Number, last.Number), word(first.From), plain(" to "), word(last.To)})
		}
		run = nil
	}
	decisions := l.decisions
	for _, r := range l.rollbacks {
		for ; len(decisions) > 0 && decisions[0].entry.Number < r.Number; decisions = decisions[1:] {
			if decisions[0].Decision.Accepted {
				end()
			}
		}
		run = append(run, r)
	}
	end()
	return a
}

func (l *lineageReport) overriddenAlert() alert {
	a := alert{what: "Decided by a policy other than the lineage's", kind: document.NoteWarning}
	for _, d := range l.decisions {
		if d.Override {
			a.cases = append(a.cases, append(l.named(d.Mutation), plain(" by "), word(d.Policy+" "+string(d.Params)), plain(": %s", d.Decision.State)))
		}
	}
	return a
}

// attemptsAlert returns the alert about mutations that were decided again after they had been accepted or rejected.
func (l *lineageReport) attemptsAlert() alert {
	a := alert{what: "Decided more than once: each attempt is another chance to pass", kind: document.NoteWarning}
	ended := map[string]int{}
	for _, d := range l.decisions {
		if d.Decision.State != evolution.Continue {
			ended[d.Mutation]++
		}
	}
	for _, m := range l.replayed.Mutations {
		if n := ended[m.Mutation]; n > 1 {
			a.cases = append(a.cases, append(l.named(m.Mutation), plain(": %d times, finally %s", n, m.State)))
		}
	}
	return a
}

func (l *lineageReport) staleAlert() alert {
	a := alert{what: "Accepted against a version that was no longer active: not activated", kind: document.NoteInfo}
	for _, d := range l.decisions {
		if m := l.mutations[d.Mutation]; d.Decision.Accepted && d.entry.HeadAfter != m.Child.Label {
			a.cases = append(a.cases, append(l.named(d.Mutation), plain(" was compared with "), word(firstParent(m)), plain(", and "), word(d.entry.HeadBefore), plain(" was active")))
		}
	}
	return a
}

// named returns a mutation as the decisions, the picture and the commands know it: by its child, its number and its id.
func (l *lineageReport) named(mutation string) document.Text {
	m := l.mutations[mutation]
	return document.Text{word(m.Child.Label), plain(" (mutation %d, ", m.Number), word(mutation), plain(")")}
}

func firstParent(m evolution.ReplayedMutation) string {
	if len(m.Parents) == 0 {
		return "-"
	}
	return m.Parents[0].Label
}
