package answer

import (
	"strconv"
	"strings"

	"track/scoring/format"
	"track/scoring/verdict"
)

// measuredTable shows what seeds measured next to the limits of rules.
func measuredTable() Table {
	return Table{Name: "rules", Title: "Rules", HiddenIfEmpty: true, Columns: Columns{
		{Name: "scenario"}, {Name: "rule"}, {Name: "met"}, {Name: "measured"}, {Name: "at_most", For: ForData}, {Name: "limit"}, {Name: "margin"}, {Name: "of", Head: "measured of"}, {Name: "n"},
	}.drop("n", "of")}
}

func measuredRow(scenario string, m verdict.Measured) []any {
	limit, met := any(Cell{limitText(m), m.Limit}), any("no")
	switch {
	case m.Value == nil && m.Of == verdict.MeasuredMetrics: // their number is not known
		limit, met = nil, nil
	case m.Value == nil:
		met = nil
	case m.Met:
		met = "yes"
	}
	return []any{scenario, m.Rule, met, optionalCell(m.Value, measuredText(m)), m.AtMost, limit, optionalCell(m.Margin, marginText(m)), m.Of, m.N}
}

// measuredText returns how a number that a rule measures is written.
func measuredText(m verdict.Measured) func(float64) string {
	switch m.Of {
	case verdict.MeasuredPassRate:
		return format.Share
	case verdict.MeasuredSeeds, verdict.MeasuredMetrics:
		return func(x float64) string { return strconv.FormatFloat(x, 'f', -1, 64) }
	}
	return format.Four
}

func limitText(m verdict.Measured) string {
	if m.AtMost {
		return "≤ " + measuredText(m)(m.Limit)
	}
	return "≥ " + measuredText(m)(m.Limit)
}

// marginText writes a margin with its sign; that of a share is in percentage points.
func marginText(m verdict.Measured) func(float64) string {
	if m.Of == verdict.MeasuredPassRate {
		return func(x float64) string { return strings.TrimSuffix(format.WithSign(format.Percent)(x), "%") + " points" }
	}
	return format.WithSign(measuredText(m))
}

// measuredCells returns what was measured of a rule, its limit and the margin; nil if nothing is measured of it.
func measuredCells(list []verdict.Measured, rule string) (cells [3]any) {
	var texts [3][]string
	for _, m := range list {
		if m.Rule != rule || m.Value == nil {
			continue
		}
		for k, text := range []string{measuredText(m)(*m.Value), limitText(m), marginText(m)(*m.Margin)} {
			if k == 0 && len(texts[k]) > 0 { // a rule that measures two things
				text = m.Of + " " + text
			}
			texts[k] = append(texts[k], text)
		}
	}
	for k := range cells {
		if len(texts[k]) > 0 {
			cells[k] = strings.Join(texts[k], "; ")
		}
	}
	return cells
}
