package pages

import (
	"cmp"
	"math"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"track/answer"
	"track/reports/render"
)

// sort sorts rows by the column that the address names: a minus before it means descending. Nothing comes last.
func (v tableView) sort(rows [][]any) {
	name, descending := strings.CutPrefix(v.request.In.Get(v.key("sort")), "-")
	i := slices.IndexFunc(v.all, func(k int) bool { return v.table.Columns[k].Name == name })
	if i < 0 {
		return
	}
	column := v.all[i]
	slices.SortStableFunc(rows, func(a, b []any) int { return compareCells(a[column], b[column], descending) })
}

func compareCells(a, b any, descending bool) int {
	x, xIsNumber := number(a)
	y, yIsNumber := number(b)
	xEmpty, yEmpty := isEmpty(a), isEmpty(b)
	switch {
	case xEmpty || yEmpty:
		return cmp.Compare(boolNumber(xEmpty), boolNumber(yEmpty))
	case xIsNumber && yIsNumber && descending:
		return cmp.Compare(y, x)
	case xIsNumber && yIsNumber:
		return cmp.Compare(x, y)
	case descending:
		return compareTexts(render.ExactText(b), render.ExactText(a))
	}
	return compareTexts(render.ExactText(a), render.ExactText(b))
}

// compareTexts compares texts, or whole numbers if both are: numbers of seeds are texts, because many programs round
// those above 2^53.
func compareTexts(a, b string) int {
	x, errA := strconv.ParseUint(a, 10, 64)
	y, errB := strconv.ParseUint(b, 10, 64)
	if errA == nil && errB == nil {
		return cmp.Compare(x, y)
	}
	return strings.Compare(a, b)
}

func boolNumber(b bool) int {
	if b {
		return 1
	}
	return 0
}

func isEmpty(c any) bool {
	return c == nil || render.PeopleText(c) == "-" || render.PeopleText(c) == ""
}

// number returns the number in a cell.
func number(c any) (float64, bool) {
	switch c := c.(type) {
	case answer.Cell:
		return number(c.Exact)
	case *float64:
		if c != nil {
			return *c, !math.IsNaN(*c)
		}
		return 0, false
	}
	switch v := reflect.ValueOf(c); {
	case v.CanFloat():
		return v.Float(), !math.IsNaN(v.Float())
	case v.CanInt():
		return float64(v.Int()), true
	case v.CanUint():
		return float64(v.Uint()), true
	}
	return 0, false
}
