package pages

import (
	"cmp"
	"math"
	"reflect"
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

// fewValues is the largest number of values of a column that can be chosen by a click.
const fewValues = 20

// chosen returns the rows that the address chooses, in its order.
func (v tableView) chosen() [][]any {
	rows := v.filtered()
	v.sort(rows)
	return rows
}

// filtered returns the rows in which some cell has the text that the address wants, and which have all values that it
// wants; case does not matter.
func (v tableView) filtered() [][]any {
	wanted, where := strings.ToLower(v.request.In.Get(v.key("filter"))), v.where()
	return slices.DeleteFunc(slices.Clone(v.table.Rows), func(row []any) bool {
		for _, c := range where {
			if render.PeopleText(row[c.column]) != c.value {
				return true
			}
		}
		return wanted != "" && !slices.ContainsFunc(row, func(cell any) bool {
			return cell != nil && (strings.Contains(strings.ToLower(render.PeopleText(cell)), wanted) || strings.Contains(strings.ToLower(render.ExactText(cell)), wanted))
		})
	})
}

// condition is a value that rows must have.
type condition struct {
	column int
	value  string
	param  string // as the address has it
}

// where returns the conditions of the address, each written as COLUMN=VALUE.
func (v tableView) where() (list []condition) {
	for _, param := range v.request.In[v.key("where")] {
		for _, k := range v.all {
			if value, found := strings.CutPrefix(param, v.table.Columns[k].Name+"="); found {
				list = append(list, condition{k, value, param})
			}
		}
	}
	return list
}

// conditions returns links that take one condition each away.
func (v tableView) conditions() (list []link) {
	for _, c := range v.where() {
		rest := slices.DeleteFunc(slices.Clone(v.request.In[v.key("where")]), func(param string) bool { return param == c.param })
		list = append(list, link{Text: headText(v.table.Columns[c.column]) + ": " + escape.Line(c.value), Href: v.anew(v.key("where"), rest...)})
	}
	return list
}

// only returns the address of the rows with a value; empty if the address wants it already.
func (v tableView) only(column int, value any) string {
	param := v.table.Columns[column].Name + "=" + render.PeopleText(value)
	wanted := v.request.In[v.key("where")]
	if slices.Contains(wanted, param) {
		return ""
	}
	return v.anew(v.key("where"), append(slices.Clone(wanted), param)...)
}

// anew returns the address of this page with other values of a parameter, from the first row of the table on.
func (v tableView) anew(name string, values ...string) string {
	in := v.builder.params()
	in.Del(v.key("from"))
	in.Del(name)
	for _, value := range values {
		if value != "" {
			in.Add(name, value)
		}
	}
	return v.builder.at(in)
}

// columnsOfFew returns the columns of texts of which the rows have few.
func (v tableView) columnsOfFew() map[int]bool {
	few := map[int]bool{}
	if len(v.table.Rows) < fewRows {
		return few
	}
	for _, k := range v.all {
		values := map[string]bool{}
		for _, row := range v.table.Rows {
			if values[render.PeopleText(row[k])] = true; len(values) > min(fewValues, len(v.table.Rows)/2) {
				break
			}
		}
		few[k] = (!v.numeric[k] || strings.HasPrefix(v.table.Columns[k].Name, paramColumn)) && len(values) > 1 && len(values) <= min(fewValues, len(v.table.Rows)/2)
	}
	return few
}

// namesOf returns the names of the columns of a table.
func namesOf(t answer.Table) (names []string) {
	for _, c := range t.Columns {
		names = append(names, c.Name)
	}
	return names
}

// columnsOf returns a table with some columns of another, in that order.
func columnsOf(t answer.Table, names ...string) answer.Table {
	all, rows, columns := namesOf(t), t.Rows, t.Columns
	t.Columns, t.Rows = nil, nil
	places := make([]int, len(names))
	for i, name := range names {
		places[i] = slices.Index(all, name)
		t.Columns = append(t.Columns, columns[places[i]])
	}
	for _, row := range rows {
		cells := make([]any, len(places))
		for i, k := range places {
			cells[i] = row[k]
		}
		t.Rows = append(t.Rows, cells)
	}
	return t
}

// columnsFirst returns a table that begins with some of its columns, so that a narrow window shows them. It need not
// have all of them.
func columnsFirst(t answer.Table, names ...string) answer.Table {
	all := namesOf(t)
	first := slices.DeleteFunc(slices.Clone(names), func(name string) bool { return !slices.Contains(all, name) })
	rest := slices.DeleteFunc(all, func(name string) bool { return slices.Contains(first, name) })
	return columnsOf(t, slices.Concat(first, rest)...)
}
