package answer

import (
	"fmt"
	"slices"

	"track/scoring"
	"track/scoring/format"
	"track/scoring/verdict"
)

// Tables implements [Answer]. People see the rules about seeds, and the metrics that did not pass.
func (a Gate) Tables() []Table {
	columns := Columns{{Name: "verdict"}, {Name: "scenario"}, {Name: "rule"}, {Name: "metric"}, {Name: "n"}, {Name: "p"}, {Name: "p_of", Head: "p of"}, {Name: "found"}}.drop("p_of", "n", "p").wrap("p_of", "found")
	rules := Table{Name: "rules", Columns: ruleColumns(columns)}
	metrics := Table{Name: "remarks", Columns: columns, HiddenIfEmpty: true, Shown: 40}
	for _, s := range a.Scenarios {
		for _, o := range s.Outcomes {
			switch {
			case o.Metric == "":
				rules.Rows = append(rules.Rows, ruleRow(s, o))
			case o.Verdict != scoring.VerdictPass:
				metrics.Rows = append(metrics.Rows, outcomeRow(s.Name, o))
			}
		}
	}
	slices.SortStableFunc(rules.Rows, compareVerdicts)
	slices.SortStableFunc(metrics.Rows, compareVerdicts)
	metrics.Title = fmt.Sprintf("metrics with a remark (%d), the worst first", len(metrics.Rows))
	metrics.Notes = append(a.needs(), warningNotes(a.warnings())...)
	return []Table{rules, metrics, a.outcomesTable()}
}

func outcomeRow(name string, o verdict.Outcome) []any {
	found := o.Message
	if o.Reason != "" {
		found = o.Reason + ": " + found
	}
	p, of := o.ShownP()
	return []any{string(o.Verdict), name, o.Rule, o.Metric, o.N, optionalCell(p, format.PValue), of, found}
}

// ruleRow returns the row of a rule about seeds: with what was measured, and without a metric.
func ruleRow(s verdict.ScenarioOutcome, o verdict.Outcome) []any {
	row, measured := outcomeRow(s.Name, o), measuredCells(s.Measured, o.Rule)
	return slices.Concat(row[:3], measured[:], row[4:])
}

// compareVerdicts puts rows that begin with a worse verdict first.
func compareVerdicts(a, b []any) int {
	rank := func(row []any) int { return slices.Index(scoring.Verdicts(), scoring.Verdict(row[0].(string))) }
	return rank(b) - rank(a)
}

// needs says what would change the verdicts of the rules about seeds.
func (a Gate) needs() (notes []Sentence) {
	for _, s := range a.Scenarios {
		for _, o := range s.Outcomes {
			if o.Need != "" && o.Metric == "" {
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
