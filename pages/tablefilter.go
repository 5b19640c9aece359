package pages

import (
	"slices"
	"strings"

	"track/reports/escape"
	"track/reports/render"
)

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
