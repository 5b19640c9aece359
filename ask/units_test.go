package ask_test

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"

	"track/answer"
)

// TestUnitsOfTables holds for every table of every sample: a column has one unit and one number of decimals, an
// interval those of its estimate, a target those of its value, and one value has no spread.
func TestUnitsOfTables(t *testing.T) {
	eachSample(t, moreSamples(), func(name string, a answer.Answer) {
		for _, table := range a.Tables() {
			t.Run(name+" "+table.Name, func(t *testing.T) { checkUnits(t, table) })
		}
	})
}

// moreSamples are of single seeds.
func moreSamples() map[string][]string {
	return map[string][]string{
		"stability":   {"scenario=growth_plus@theta-14&seeds=1"},
		"compare":     {"scenario=growth_plus@bam-engine-0.10.2&scenario=growth_plus@theta-14&seeds=1&all=true&values=true"},
		"improvement": {"candidate=growth_plus@theta-14&baseline=growth_plus@bam-engine-0.10.2&seeds=1"},
	}
}

// mixed reports whether the rows of a column are of different quantities, such as the values of metrics in their own
// units.
func mixed(table answer.Table, column answer.Column) bool {
	switch table.Name {
	case "estimates", "rules", "scores", "total", "sides", "values", "query", "sweep": // a row for each quantity
		return true
	}
	if table.Name == "metrics" && len(column.Name) == 1 { // a side of a comparison
		return true
	}
	return slices.Contains([]string{"value", "mean_value", "std_value", "pass", "warn", "target", "level"}, column.Name)
}

func checkUnits(t *testing.T, table answer.Table) {
	t.Helper()
	var shown []int
	for k, column := range table.Columns {
		if column.For != answer.ForData {
			shown = append(shown, k)
		}
	}
	for i, k := range shown {
		unit := ""
		for _, row := range table.Rows {
			of := unitsOf(row[k])
			if i > 0 && isInterval(row[k]) {
				checkInterval(t, table.Columns[k].Name, row[shown[i-1]], row[k])
			}
			if len(of) == 0 || mixed(table, table.Columns[k]) || !isNumbers(row[k]) {
				continue
			}
			for _, u := range of {
				if unit == "" {
					unit = u
				}
				if u != unit {
					t.Errorf("column %s: %v has %s, others %s", table.Columns[k].Name, shownText(row[k]), u, unit)
				}
			}
		}
	}
	for _, row := range table.Rows {
		checkTarget(t, table, row)
		checkSpread(t, table, row)
	}
}

// shownText returns what people read in a cell.
func shownText(cell any) string {
	switch cell := cell.(type) {
	case nil:
		return ""
	case answer.Cell:
		return cell.Text
	case float64:
		return fmt.Sprintf("%.4f", cell)
	case *float64:
		if cell == nil {
			return ""
		}
		return fmt.Sprintf("%.4f", *cell)
	}
	return fmt.Sprint(cell)
}

var (
	number    = regexp.MustCompile(`[+-]?\d+(\.\d+)?(e[+-]?\d+)?%?`)
	numbers   = regexp.MustCompile(`^` + number.String() + `( to ` + number.String() + `)?$`)
	ownTarget = regexp.MustCompile(`^[\[<>≥≤]? ?` + number.String() + `(, ` + number.String() + `\]|$| ± | \(min )`)
)

func isNumbers(cell any) bool { return numbers.MatchString(shownText(cell)) }

func isInterval(cell any) bool { return isNumbers(cell) && strings.Contains(shownText(cell), " to ") }

// unitsOf returns the unit of each number of a cell: its decimals and whether it is a percentage. Numbers with an
// exponent have none: they stand where decimals would show nothing.
func unitsOf(cell any) (units []string) {
	for _, found := range number.FindAllString(shownText(cell), -1) {
		if strings.Contains(found, "e") {
			continue
		}
		whole := strings.TrimSuffix(found, "%")
		_, after, _ := strings.Cut(whole, ".")
		unit := fmt.Sprintf("%d decimals", len(after))
		if whole != found {
			unit += " of a percentage"
		}
		units = append(units, unit)
	}
	return units
}

// checkInterval checks that an interval is written as its estimate is.
func checkInterval(t *testing.T, column string, estimate, interval any) {
	t.Helper()
	of := unitsOf(estimate)
	if len(of) != 1 || !isNumbers(estimate) {
		return
	}
	for _, unit := range unitsOf(interval) {
		if unit != of[0] {
			t.Errorf("%s %s of %s: %s, not %s", column, shownText(interval), shownText(estimate), unit, of[0])
		}
	}
	signed := func(s string) bool { return strings.HasPrefix(s, "+") || strings.HasPrefix(s, "-") }
	lo, hi, _ := strings.Cut(shownText(interval), " to ")
	if strings.HasPrefix(shownText(estimate), "+") && (!signed(lo) || !signed(hi)) {
		t.Errorf("%s %s of %s: some numbers have no sign", column, shownText(interval), shownText(estimate))
	}
}

// checkTarget checks that a value is a percentage if its target is, and that the limits are.
func checkTarget(t *testing.T, table answer.Table, row []any) {
	t.Helper()
	at := func(name string) string {
		k := slices.IndexFunc(table.Columns, func(c answer.Column) bool { return c.Name == name })
		if k < 0 {
			return ""
		}
		return shownText(row[k])
	}
	target := at("target")
	if !ownTarget.MatchString(target) {
		return
	}
	for _, name := range []string{"value", "mean_value", "pass"} {
		if name == "pass" && table.Columns[0].Name == "group" {
			continue
		}
		if other := at(name); strings.ContainsAny(other, "0123456789") && strings.Contains(other, "%") != strings.Contains(target, "%") {
			t.Errorf("the target is %s, and %s is %s", target, name, other)
		}
	}
}

// checkSpread checks that one value has no spread.
func checkSpread(t *testing.T, table answer.Table, row []any) {
	t.Helper()
	for k, column := range table.Columns {
		if column.Name == "n" && shownText(row[k]) == "1" {
			for j, other := range table.Columns {
				if (strings.HasPrefix(other.Name, "std") || other.Name == "sd") && shownText(row[j]) != "" {
					t.Errorf("one value with the spread %s", shownText(row[j]))
				}
			}
		}
		if strings.Contains(shownText(row[k]), "± 0.0000") {
			t.Errorf("%s: %s", column.Name, shownText(row[k]))
		}
	}
}
