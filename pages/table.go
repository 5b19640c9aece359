package pages

import (
	"cmp"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

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
	view.numeric = make([]bool, len(t.Columns))
	for k := range t.Columns {
		view.numeric[k] = render.IsNumericColumn(t.Rows, k)
	}
	view.few, view.bars = view.columnsOfFew(), barColumns(t)
	return view.build()
}

const (
	fewRows  = 6   // that need no filter
	pageRows = 100 // of one page of a table
	longText = 30  // letters of a cell that stay on one line
)

// tableView is a table on its way to a page.
type tableView struct {
	*builder
	table   answer.Table
	all     []int        // columns for people
	numeric []bool       // by column
	few     map[int]bool // columns with few different texts, which can be chosen
	bars    map[int]bool // columns of scores from 0 to 1
}

// key returns the name of a parameter of this table.
func (v tableView) key(name string) string { return name + "." + v.table.Name }

func (v tableView) build() *table {
	shown := v.shown()
	rows := v.chosen()
	from, to := v.part(len(rows))
	t := &table{Name: v.table.Name, Caption: cmp.Or(v.table.Title, strings.ReplaceAll(v.table.Name, "_", " ")), N: len(v.table.Rows), NShown: len(rows), Empty: v.table.Empty}
	for _, k := range shown {
		t.Heads = append(t.Heads, v.head(k))
	}
	t.Groups = v.groups(rows[from:to], shown)
	t.Compare = comparisonOf(v.request.Base, v.table.Name, t.Groups)
	t.Where = v.conditions()
	if t.Filter = v.filter(); len(v.table.Rows) < fewRows && t.Filter.Value == "" && len(t.Where) == 0 {
		t.Small = true
	}
	for _, k := range v.all {
		c := v.table.Columns[k]
		t.Columns = append(t.Columns, choice{Name: c.Name, Text: headText(c), Shown: slices.Contains(shown, k), Href: v.toggle(shown, k)})
	}
	t.Long = to-from > fewRows*4 && len(t.Groups) == 1
	t.Compact = v.request.In.Get(v.key("density")) == "compact"
	if t.Density = v.here(v.key("density"), "compact"); t.Compact {
		t.Density = v.here(v.key("density"), "")
	}
	if t.From = from + 1; from > 0 {
		t.First = v.here(v.key("from"), "")
	}
	if to < len(rows) {
		t.More = v.here(v.key("from"), strconv.Itoa(to))
	}
	return t
}

// part returns which rows a page shows: from the one that the address names.
func (v tableView) part(n int) (from, to int) {
	from, err := strconv.Atoi(v.request.In.Get(v.key("from")))
	if err != nil || from < 0 || from >= n {
		from = 0
	}
	return from, min(n, from+pageRows)
}

func headText(c answer.Column) string {
	return cmp.Or(strings.TrimSpace(escape.Line(c.Head)), strings.ReplaceAll(escape.Line(c.Name), "_", " "))
}

// shown returns the columns that the address chooses; without a choice all that have something in some row.
func (v tableView) shown() []int {
	names := v.request.In.Get(v.key("columns"))
	if names == "" && v.page.question.Name == "query" { // whose statement chose them
		return v.all
	}
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
			if name != f.Name && name != v.key("from") {
				f.Keep = append(f.Keep, field{name, value})
			}
		}
	}
	slices.SortFunc(f.Keep, func(a, b field) int { return cmp.Or(cmp.Compare(a.Name, b.Name), cmp.Compare(a.Value, b.Value)) })
	return f
}

func (v tableView) head(k int) head {
	c := v.table.Columns[k]
	h := head{Text: headText(c), Name: c.Name, Numeric: v.numeric[k], Term: v.explain(c.Name)}
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
	h.Sort = v.anew(v.key("sort"), next)
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
	from := linked{base: v.request.Base, asked: v.asked, sweep: v.sweep, table: v.table, row: cells}
	r := row{Href: from.rowAddress(), Key: from.tickKey()}
	for _, k := range shown {
		c := v.cell(k, cells[k])
		if c.Href = from.address(v.table.Columns[k].Name); c.Text == "-" {
			c.Href = ""
		} else if c.Href == "" && v.few[k] && c.Text != "" {
			c.Only = v.only(k, cells[k])
		}
		if c.Picture = v.pictures[pictureKey{v.table.Name, v.table.Columns[k].Name, render.ExactText(cells[0])}]; c.Picture != "" {
			c.Bar = nil
		}
		r.Cells = append(r.Cells, c)
	}
	return r
}

// statusColumns are those whose cells are verdicts, statuses and the like.
var statusColumns = []string{"status", "verdict", "state", "outcome", "gate", "stability", "ending", "grade", "differs"} //nolint:gochecknoglobals // a constant

func (v tableView) cell(k int, value any) cell {
	column := v.table.Columns[k]
	c := cell{Text: escape.Line(render.PeopleText(value)), Numeric: v.numeric[k]}
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
	c.Long = utf8.RuneCountInString(c.Text) > longText || strings.Contains(c.Text, "\n")
	if slices.Contains(statusColumns, column.Name) && value != nil {
		c.Status = statusClass(exact)
	}
	if x, ok := number(value); ok && v.bars[k] {
		c.Bar = &bar{math.Round(x * 40)}
	}
	return c
}

// barColumns returns the columns of scores that are all from 0 to 1: a 0 among scores up to 100 has no bar.
func barColumns(t answer.Table) map[int]bool {
	columns := map[int]bool{}
	for k, c := range t.Columns {
		columns[k] = slices.Contains([]string{"score", "score", "fitness"}, c.Name) && !slices.ContainsFunc(t.Rows, func(row []any) bool {
			x, ok := number(row[k])
			return ok && (x < 0 || x > 1)
		})
	}
	return columns
}

// statusClass returns the class of a verdict or a status; empty for another text.
func statusClass(text string) string {
	switch strings.ToUpper(text) {
	case "PASS", "OK", "ACCEPTED", "ACTIVE", "VALID", "COMPLETED":
		return "pass"
	case "WARN", "INPUT", "RESULT", "INPUT AND RESULT", "ONLY THE FIRST", "ONLY THE SECOND":
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
