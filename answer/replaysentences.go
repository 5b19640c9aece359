package answer

import (
	"fmt"
	"slices"
	"strings"

	"track/evolution"
	"track/scoring/format"
)

func (a Replays) Lead() (lead []Sentence) {
	if a.Decision != nil {
		lead = a.decisionLead()
	} else {
		for _, r := range a.Items {
			lead = append(lead, r.lead()...)
		}
	}
	return lead
}

func (a Replays) decisionLead() (lead []Sentence) {
	d := a.Decision
	if d.Decision != nil {
		lead = d.Decision.sentences(false, true)
		if len(d.Own) == 0 && d.Problem == "" {
			lead = append(lead, Sentence{Kind: Note, Text: "replayed: the same", Joined: true})
		}
	} else {
		lead = []Sentence{{Kind: Heading, Text: "decision " + d.Asked}}
	}
	if d.Problem != "" {
		lead = append(lead, Sentence{Kind: Note, Text: "cannot be replayed: " + d.Problem, Joined: true})
	}
	lead = append(lead, differenceSentences(d.Own)...)
	for _, r := range a.Items {
		others := slices.DeleteFunc(slices.Clone(r.Differences), func(x evolution.Difference) bool { return slices.Contains(d.Own, x) })
		if len(others) > 0 {
			lead = append(lead, Sentence{Kind: Note, Text: "elsewhere in the ledger:", Joined: true})
			lead = append(lead, differenceSentences(others)...)
		}
	}
	return lead
}

func (a Replay) lead() []Sentence {
	lead := []Sentence{{Kind: Heading, Text: fmt.Sprintf("%s: %d/%d decisions verified, %s of the ledger; active: %s",
		a.Lineage, a.Verified, a.Decisions, entries(a.Entries), orNoVersion(a.Head))}}
	if a.StrictTrials != nil {
		lead = append(lead, Sentence{Kind: Note, Text: a.comparedText(), Joined: true})
	}
	if n := a.TrialsElsewhere; n > 0 && a.StrictTrials == nil {
		hint := mergeHint()
		lead = append(lead, Sentence{Kind: Note, Text: elsewhereText(n), Hint: &hint, Joined: true})
	}
	lead = append(lead, differenceSentences(slices.DeleteFunc(slices.Clone(a.Differences), func(d evolution.Difference) bool { return d.Missing }))...)
	if a.Policy != "" {
		lead = append(lead, Sentence{Kind: Note, Text: a.alternativesText()})
	}
	return lead
}

func (a Replay) comparedText() string {
	text := format.Counted(*a.StrictTrials, "trial") + " of evidence compared with what is recorded now"
	missing := a.missing()
	if len(missing) == 0 {
		return text
	}
	return fmt.Sprintf("%s: %d of them not recorded here, the first is %s of entry %d", text, len(missing), missing[0].Field, missing[0].Number)
}

func elsewhereText(n int) string {
	text := "trials that the ledger counts are not recorded here"
	if n == 1 {
		text = "trial that the ledger counts is not recorded here"
	}
	return fmt.Sprintf("%d %s: the decisions are verified from the evidence in the ledger, and not compared with executions", n, text)
}

// differenceSentences returns the first differences.
func differenceSentences(list []evolution.Difference) (lines []Sentence) {
	const most = 50
	for _, d := range list[:min(most, len(list))] {
		lines = append(lines, Sentence{Kind: Note, Text: DifferenceText(d), Joined: true})
	}
	if more := len(list) - most; more > 0 {
		lines = append(lines, Sentence{Kind: Note, Text: fmt.Sprintf("and %d more; the format json lists all", more), Joined: true})
	}
	return lines
}

// DifferenceText says what differs.
func DifferenceText(d evolution.Difference) string {
	text := d.String()
	if d.Number == 0 { // outside the ledger
		text = string(d.Kind)
		if d.Mutation != "" {
			text += " " + d.Mutation
		}
		text += fmt.Sprintf(": %s: stored %s, replayed %s", d.Field, d.Stored, d.Replayed)
	}
	const longest = 300
	if len(text) > longest {
		text = strings.ToValidUTF8(text[:longest], "") + "…"
	}
	return text
}

func (a Replay) alternativesText() string {
	if len(a.Counterfactual) == 0 {
		return "no decision yet, so " + a.Policy + " would have decided none otherwise"
	}
	same, accepted, would, needs, unknown := 0, 0, 0, 0, 0
	for _, alternative := range a.Counterfactual {
		if alternative.Problem != "" {
			unknown++
		}
		if alternative.Same {
			same++
		}
		if alternative.Was == evolution.Accept {
			accepted++
		}
		switch alternative.Would {
		case evolution.Accept:
			would++
		case evolution.Continue:
			needs++
		}
	}
	text := fmt.Sprintf("accepted %d of %d; %s would have accepted %d, asked for more evidence in %d, and decided the same in %d",
		accepted, len(a.Counterfactual), a.Policy, would, needs, same)
	if unknown > 0 {
		text += fmt.Sprintf("; %d cannot be decided by it", unknown)
	}
	return text
}
