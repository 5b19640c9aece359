package pages

import (
	"cmp"
	"math"
	"slices"
	"strings"
	"time"

	"track/answer"
	"track/reports/escape"
	"track/reports/render"
)

// table returns a table as the address sorts, filters and cuts it.
func (b *builder) table(t answer.Table) *table {
	view := tableView{builder: b, table: t, all: render.ShownColumns(t, answer.ForPeople)}
	if t.Grouped {
		view.all = view.all[1:]
	}
	return view.build()
}

// fewRows are those that need no filter.
const fewRows = 6

// tableView is a table on its way to a page.
type tableView struct {
	*builder
	table answer.Table
	all   []int // columns for people
}

// key returns the name of a parameter of this table.
func (v tableView) key(name string) string { return name + "." + v.table.Name }

func (v tableView) build() *table {
	shown := v.shown()
	rows := v.filtered()
	v.sort(rows)
	t := &table{Name: v.table.Name, Caption: cmp.Or(v.table.Title, strings.ReplaceAll(v.table.Name, "_", " ")), N: len(v.table.Rows), NShown: len(rows), Empty: v.table.Empty}
	for _, k := range shown {
		t.Heads = append(t.Heads, v.head(k))
	}
	t.Groups = v.groups(rows, shown)
	if t.Filter = v.filter(); len(v.table.Rows) < fewRows && t.Filter.Value == "" {
		t.Small = true
	}
	for _, k := range v.all {
		c := v.table.Columns[k]
		t.Columns = append(t.Columns, choice{Name: c.Name, Text: headText(c), Shown: slices.Contains(shown, k), Href: v.toggle(shown, k)})
	}
	return t
}

func headText(c answer.Column) string {
	return cmp.Or(strings.TrimSpace(escape.Line(c.Head)), strings.ReplaceAll(escape.Line(c.Name), "_", " "))
}

// shown returns the columns that the address chooses; without a choice all that have something in some row.
func (v tableView) shown() []int {
	names := v.request.In.Get(v.key("columns"))
	if names == "" {
		return slices.DeleteFunc(slices.Clone(v.all), func(k int) bool {
			return len(v.table.Rows) > 0 && !slices.ContainsFunc(v.table.Rows, func(row []any) bool { return !isEmpty(row[k]) })
		})
	}
	chosen := strings.Split(names, ",")
	return slices.DeleteFunc(slices.Clone(v.all), func(k int) bool { return !slices.Contains(chosen, v.table.Columns[k].Name) })
}

// toggle returns the address that shows a column, or takes it away.
func (v tableView) toggle(shown []int, column int) string {
	var names []string
	for _, k := range v.all {
		if slices.Contains(shown, k) != (k == column) {
			names = append(names, v.table.Columns[k].Name)
		}
	}
	if len(names) == 0 || len(names) == len(v.all) {
		return v.here(v.key("columns"), "")
	}
	return v.here(v.key("columns"), strings.Join(names, ","))
}

func (v tableView) filter() filter {
	f := filter{Name: v.key("filter"), Value: v.request.In.Get(v.key("filter"))}
	for name, values := range v.request.In {
		for _, value := range values {
			if name != f.Name {
				f.Keep = append(f.Keep, field{name, value})
			}
		}
	}
	slices.SortFunc(f.Keep, func(a, b field) int { return cmp.Or(cmp.Compare(a.Name, b.Name), cmp.Compare(a.Value, b.Value)) })
	return f
}

// filtered returns the rows in which some cell has the text that the address wants; case does not matter.
func (v tableView) filtered() [][]any {
	rows := slices.Clone(v.table.Rows)
	wanted := strings.ToLower(v.request.In.Get(v.key("filter")))
	if wanted == "" {
		return rows
	}
	return slices.DeleteFunc(rows, func(row []any) bool {
		return !slices.ContainsFunc(row, func(cell any) bool {
			return cell != nil && (strings.Contains(strings.ToLower(render.PeopleText(cell)), wanted) || strings.Contains(strings.ToLower(render.ExactText(cell)), wanted))
		})
	})
}

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
		return strings.Compare(render.ExactText(b), render.ExactText(a))
	}
	return strings.Compare(render.ExactText(a), render.ExactText(b))
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
	case int:
		return float64(c), true
	case int64:
		return float64(c), true
	case float64:
		return c, !math.IsNaN(c)
	case *float64:
		if c != nil {
			return *c, !math.IsNaN(*c)
		}
	}
	return 0, false
}

func (v tableView) head(k int) head {
	c := v.table.Columns[k]
	h := head{Text: headText(c), Name: c.Name, Numeric: render.IsNumericColumn(v.table.Rows, k), Term: v.explain(c.Name)}
	next := c.Name
	if h.Numeric {
		next = "-" + c.Name // the largest is what people look for first
	}
	switch v.request.In.Get(v.key("sort")) {
	case c.Name:
		h.Sorted = "ascending"
		if next = "-" + c.Name; h.Numeric {
			next = ""
		}
	case "-" + c.Name:
		h.Sorted = "descending"
		if next = ""; h.Numeric {
			next = c.Name
		}
	}
	h.Sort = v.here(v.key("sort"), next)
	return h
}

// groups returns the rows as they stand, in groups where the table has some.
func (v tableView) groups(rows [][]any, shown []int) (list []group) {
	at := map[string]int{}
	for _, cells := range rows {
		title := ""
		if v.table.Grouped && v.request.In.Get(v.key("sort")) == "" {
			title = render.PeopleText(cells[0])
		}
		i, seen := at[title]
		if !seen {
			i = len(list)
			at[title] = i
			list = append(list, group{Title: escape.Line(title)})
		}
		list[i].Rows = append(list[i].Rows, v.row(cells, shown))
	}
	return list
}

func (v tableView) row(cells []any, shown []int) row {
	from := linked{base: v.request.Base, asked: v.asked, table: v.table, row: cells}
	r := row{Href: from.rowAddress(), Key: from.selector()}
	for _, k := range shown {
		c := v.cell(k, cells[k])
		c.Href = from.address(v.table.Columns[k].Name)
		if c.Text == "-" {
			c.Href = ""
		}
		r.Cells = append(r.Cells, c)
	}
	return r
}

// statusColumns are those whose cells are verdicts, statuses and the like.
var statusColumns = []string{"status", "verdict", "state", "outcome", "gate", "stability", "ending", "grade"} //nolint:gochecknoglobals // a constant

func (v tableView) cell(k int, value any) cell {
	column := v.table.Columns[k]
	c := cell{Text: escape.Line(render.PeopleText(value)), Numeric: render.IsNumericColumn(v.table.Rows, k)}
	exact := render.ExactText(value)
	switch value := value.(type) {
	case answer.MarkedText:
		c.Marked = pieces(value)
	case answer.Cell:
		if text, ok := value.Exact.(string); ok && text != value.Text {
			if _, err := time.Parse(time.RFC3339Nano, text); err == nil {
				c.Time = text
			} else {
				c.Full = escape.Line(text)
			}
		}
	}
	if slices.Contains(statusColumns, column.Name) && value != nil {
		c.Status = statusClass(exact)
	}
	if x, ok := number(value); ok && x >= 0 && x <= 1 && slices.Contains([]string{"score", "mean_score", "fitness"}, column.Name) {
		c.Bar = &bar{math.Round(x * 40)}
	}
	return c
}

// statusClass returns the class of a verdict or a status; empty for another text.
func statusClass(text string) string {
	switch strings.ToUpper(text) {
	case "PASS", "OK", "ACCEPTED", "ACTIVE", "VALID", "COMPLETED":
		return "pass"
	case "WARN":
		return "warn"
	case "FAIL", "FAILED", "ERROR", "CRASHED", "TIMEOUT", "REJECTED", "REFUSED", "REVOKED", "EXPIRED", "DIVERGED":
		return "fail"
	case "INCONCLUSIVE", "PROPOSED", "OPEN":
		return "open"
	}
	return ""
}

// pieces cuts a text where its marks begin and end.
func pieces(m answer.MarkedText) (list []piece) {
	at := 0
	for _, r := range m.Marks {
		if r.Start < at || r.End > len(m.Text) || r.End < r.Start {
			continue
		}
		list = append(list, piece{Text: escape.Line(m.Text[at:r.Start])}, piece{escape.Line(m.Text[r.Start:r.End]), true})
		at = r.End
	}
	return append(list, piece{Text: escape.Line(m.Text[at:])})
}
