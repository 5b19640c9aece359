package answer

import (
	"fmt"
	"slices"

	"track/scoring"
	"track/scoring/format"
	"track/scoring/verdict"
)

// Tables implements [Answer]. People see the rules about seeds, the losses of metrics, and what else metrics have that
// did not pass.
func (a Gate) Tables() []Table {
	rules := Table{Name: "rules", Columns: Columns{
		{Name: "verdict"}, a.scenarioColumn(), {Name: "rule"}, {Name: "measured"}, {Name: "limit"}, {Name: "margin"}, {Name: "n"}, {Name: "p"},
	}.drop("n", "margin", "p")}
	losses := Table{Name: "losses", HiddenIfEmpty: true, Shown: 40, Columns: Columns{
		{Name: "verdict"}, a.scenarioColumn(), {Name: "metric"}, {Name: "delta"}, {Name: "loss", Head: "mean loss"}, {Name: "may_lose", Head: "may lose"}, {Name: "n"}, {Name: "p"},
	}.drop("n", "p")}
	others := Table{Name: "remarks", HiddenIfEmpty: true, Shown: 40, Columns: Columns{
		{Name: "verdict"}, a.scenarioColumn(), {Name: "rule"}, {Name: "metric"}, {Name: "found"},
	}.wrap("found")}
	var bounded []verdict.Outcome
	for _, s := range a.Scenarios {
		for _, o := range s.Outcomes {
			p, _ := o.ShownP()
			switch {
			case o.Metric == "":
				measured := measuredCells(s.Measured, o.Rule)
				rules.Rows = append(rules.Rows, slices.Concat([]any{string(o.Verdict), s.Name, o.Rule}, measured[:], []any{o.N, optionalCell(p, format.PValue)}))
				rules.Notes = append(rules.Notes, a.foundNote(s, o, len(rules.Notes) > 0))
			case o.Verdict == scoring.VerdictPass:
			case o.Rule == verdict.RuleNoDegradation && o.Interval.Method != "":
				losses.Rows = append(losses.Rows, []any{
					string(o.Verdict), s.Name, o.Metric, Cell{format.WithSign(format.Four)(*o.Observed), *o.Observed}, lossCell(o), Cell{format.Four(-*o.Limit), -*o.Limit},
					o.N, optionalCell(p, format.PValue),
				})
				bounded = append(bounded, o)
			default:
				others.Rows = append(others.Rows, []any{string(o.Verdict), s.Name, o.Rule, o.Metric, foundText(o)})
			}
		}
	}
	slices.SortStableFunc(rules.Rows, compareVerdicts)
	slices.SortStableFunc(losses.Rows, compareVerdicts)
	slices.SortStableFunc(others.Rows, compareVerdicts)
	rules.Notes = append(rules.Notes, a.correctionNotes()...)
	losses.Title = fmt.Sprintf("metrics not shown to keep to their threshold (%d), the worst first", len(losses.Rows))
	losses.Notes = boundsText(bounded)
	others.Title = fmt.Sprintf("metrics with a remark (%d), the worst first", len(others.Rows))
	outcomes := a.outcomesTable()
	outcomes.Notes = append(a.needs(), warningNotes(a.warnings())...)
	return []Table{rules, losses, others, outcomes}
}

// scenarioColumn names the scenario of a row; people read it above if there is one alone.
func (a Gate) scenarioColumn() Column {
	if len(a.Scenarios) == 1 {
		return Column{Name: "scenario", For: ForData}
	}
	return Column{Name: "scenario"}
}

// foundNote says in words what was found of a rule.
func (a Gate) foundNote(s verdict.ScenarioOutcome, o verdict.Outcome, joined bool) Sentence {
	text := o.Rule + ": " + foundText(o)
	if len(a.Scenarios) > 1 {
		text = s.Name + ", " + text
	}
	return Sentence{Kind: Note, Text: text, Joined: joined}
}

// correctionNotes say what the p of the tables are corrected for.
func (a Gate) correctionNotes() []Sentence {
	if a.NTests < 2 {
		return nil
	}
	return []Sentence{{Kind: Note, Text: fmt.Sprintf("p of a rule is corrected by Holm for %d tests, that of a metric by max-T before", a.NTests), Joined: true}}
}

func foundText(o verdict.Outcome) string {
	if o.Reason != "" {
		return o.Reason + ": " + o.Message
	}
	return o.Message
}

// lossCell is the bound of a mean loss: at least as much if a test refutes the rule, else at most.
func lossCell(o verdict.Outcome) Cell {
	if o.Verdict == scoring.VerdictFail {
		return Cell{"≥ " + format.Four(-o.Interval.Hi), -o.Interval.Hi}
	}
	return Cell{"≤ " + format.Four(-o.Interval.Lo), -o.Interval.Lo}
}

// boundsText says how the bounds of losses were made, each way once, and what they assume.
func boundsText(list []verdict.Outcome) []Sentence {
	counts := map[string]int{}
	var ways []string
	for _, o := range list {
		sign := "≤"
		if o.Verdict == scoring.VerdictFail {
			sign = "≥"
		}
		way := fmt.Sprintf("%s: %s, with %s", sign, verdict.MethodName(o.Interval.Method), format.Confidence(o.Interval.Confidence)+" confidence")
		if condition := o.Assumption.Condition(); condition != "" {
			way += ", assumes that " + condition
		}
		if counts[way]++; counts[way] == 1 {
			ways = append(ways, way)
		}
	}
	var notes []Sentence
	for i, way := range ways {
		notes = append(notes, Sentence{Kind: Note, Text: fmt.Sprintf("mean loss %s (%s)", way, format.Counted(counts[way], "metric")), Joined: i > 0})
	}
	return notes
}

// compareVerdicts puts rows that begin with a worse verdict first.
func compareVerdicts(a, b []any) int {
	rank := func(row []any) int { return slices.Index(scoring.Verdicts(), scoring.Verdict(row[0].(string))) }
	return rank(b) - rank(a)
}

// needs says what would change the verdicts of the rules about seeds. Of one scenario, the first stands above.
func (a Gate) needs() (notes []Sentence) {
	above := ""
	if len(a.Scenarios) == 1 {
		for _, s := range a.why() {
			above = s.Text // the last one is the next step
		}
	}
	for _, s := range a.Scenarios {
		for _, o := range s.Outcomes {
			if o.Need != "" && o.Metric == "" && o.Need != above {
				notes = append(notes, Sentence{Kind: Need, Text: s.Name + ", " + o.Rule + ": " + o.Need})
			}
		}
	}
	return notes
}

func (a Gate) warnings() (list []verdict.Warning) {
	for _, s := range a.Scenarios {
		for _, w := range s.Warnings {
			list = append(list, verdict.Warning{Code: w.Code, Message: s.Name + ": " + w.Message})
		}
		for _, w := range s.ComparisonWarnings {
			list = append(list, verdict.Warning{Code: w.Code, Message: s.Name + ", against the baseline: " + w.Message})
		}
	}
	return list
}

// outcomesTable has every rule and metric of every scenario, for programs.
func (a Gate) outcomesTable() Table {
	t := Table{Name: "outcomes", Main: true, ForPrograms: true, Columns: columns(
		"scenario", "configuration", "rule", "metric", "verdict", "reason", "observed", "limit", "ci_lo", "ci_hi", "ci_method", "n", "p", "p_tests", "p_corrected", "n_needed", "assumption", "unseen_share", "assumed_loss", "message", "need")}
	for _, s := range a.Scenarios {
		for _, o := range s.Outcomes {
			var lo, hi, needed any
			if o.NNeeded > 0 {
				needed = o.NNeeded
			}
			if o.Interval.Method != "" {
				lo, hi = defined(o.Interval.Lo), defined(o.Interval.Hi)
			}
			t.Rows = append(t.Rows, []any{
				s.Scenario, s.Configuration, o.Rule, o.Metric, string(o.Verdict), o.Reason, o.Observed, o.Limit, lo, hi, o.Interval.Method,
				o.N, o.P, o.PTests, o.PCorrected, needed, string(o.Assumption), o.UnseenShare, o.AssumedLoss, o.Message, o.Need,
			})
		}
	}
	return t
}
