package pages

import (
	"context"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"track"
	"track/answer"
	"track/ask"
	"track/reports/escape"
)

// heatWindow is the number of rows and of columns that the table of a heat map shows at once.
const heatWindow = 20

// heatMap is a heat map of seeds: a canvas that the script draws, and the visible part as a table.
type heatMap struct {
	Source     string // address of the matrix
	Data       heatData
	What       string
	Keys       []heatKey
	Orders     []choices // of the rows, and of the seeds
	Columns    []string
	Rows       []heatRow
	Part       string // which part the table shows; empty for all
	Neighbours []link // other parts
	Name       string // of the files
	Files      []link // the picture and its data
}

// heatData is what the script draws. It comes with the page: to ask for it would compute the matrix again.
type heatData struct {
	By    string     `json:"by"`
	Seeds []string   `json:"seeds"`
	Items []heatItem `json:"items"`
}

type heatItem struct {
	Name          string `json:"name"`
	Scenario      string `json:"scenario"`
	Configuration string `json:"configuration"` // the beginning of its hash
	Cells         string `json:"cells"`
}

// heatKey is an entry of the legend.
type heatKey struct{ Cell, Class, Text string }

type heatRow struct {
	Name, Href string
	Cells      []heatCell
}

type heatCell struct{ Class, Text, Href string }

// heatKeys are the legend of all heat maps.
var heatKeys = []heatKey{ //nolint:gochecknoglobals // a constant
	{string(answer.CellPass), "pass", "PASS"}, {string(answer.CellWarn), "warn", "╱ WARN"}, {string(answer.CellFail), "fail", "✕ FAIL"},
	{string(answer.CellFailed), "failed", "✕ failed seed"}, {string(answer.CellNoValue), "none", "no value"}, {string(answer.CellUnjudged), "open", "? not scored"},
	{string(answer.CellRunning), "running", "– running"}, {string(answer.CellNotThere), "absent", "not run"},
}

// composeMatrix shows the matrix of many seeds.
func composeMatrix(ctx context.Context, b *builder) error {
	if !b.asked.Has("scenario") && !b.asked.Has("label") {
		b.view.Form.Open = true
		b.note("Name a scenario, or choose rows of scenarios and name a label.")
		return nil
	}
	a, err := get(ctx, b, ask.Matrix(), b.asked)
	if err != nil {
		return err
	}
	title := "Label " + a.Label
	b.scenarioTrail(answer.Selector{Scenario: a.Scenario})
	if a.Scenario != "" {
		title = a.Scenario
	}
	b.head(title + ": " + a.By + " by seed")
	if err := b.addHeatMap(a, b.asked, ""); err != nil {
		return err
	}
	for _, t := range a.Tables() {
		for i := range t.Columns {
			if t.Columns[i].Name == "cells" { // the heat map shows them
				t.Columns[i].For = answer.ForData
			}
		}
		b.titled(t, "Rows")
	}
	return nil
}

// addHeatMap adds the heat map of a matrix. suffix ends the names of the parameters that sort it: on its own page they
// are those of the question.
func (b *builder) addHeatMap(a answer.Matrix, in url.Values, suffix string) error {
	asked := url.Values{}
	for name, values := range in {
		if name != "limit" && name != "after" {
			asked[name] = values
		}
	}
	rowOrders, title := []string{answer.OrderDeclared, answer.OrderScore, answer.OrderFailures, answer.OrderName}, ""
	if suffix != "" { // beside other things the worst rows come first
		rowOrders = []string{answer.OrderFailures, answer.OrderScore, answer.OrderName, answer.OrderDeclared}
		title = capital(strings.TrimSuffix(a.By, "s")) + " by seed"
	}
	h := heatMap{
		Source: b.request.Base + "/api/v1/matrix?" + asked.Encode(), Data: heatData{By: a.By, Seeds: make([]string, len(a.Seeds)), Items: make([]heatItem, len(a.Items))},
		What:   strconv.Itoa(len(a.Items)) + " " + a.By + ", " + strconv.Itoa(len(a.Seeds)) + " seeds",
		Orders: []choices{b.orders("Rows", "order"+suffix, rowOrders), b.orders("Seeds", "seed-order"+suffix, []string{answer.OrderNumber, answer.OrderFailures})},
	}
	for i, seed := range a.Seeds {
		h.Data.Seeds[i] = seed.String()
	}
	all := ""
	for i, row := range a.Items {
		h.Data.Items[i] = heatItem{row.Name, row.Scenario, track.ShortHash(row.Configuration), row.Cells}
		all += row.Cells
	}
	h.Keys = slices.DeleteFunc(slices.Clone(heatKeys), func(key heatKey) bool { return !strings.Contains(all, key.Cell) })
	if h.Name = h.What; len(in) > 0 { // else nothing is recorded that a file could show
		h.Files = b.answerFiles(ask.Matrix().Question(), asked)
	}
	b.fillTable(&h, a)
	return b.addFragment("heatmap", title, "heatmap", h)
}

// choices are links of which one is chosen.
type choices struct {
	Text    string
	Choices []link
}

// orders returns links that sort by a parameter. The first value is the default.
func (b *builder) orders(text, name string, values []string) choices {
	now, list := b.request.In.Get(name), choices{Text: text}
	for i, value := range values {
		to := value
		if i == 0 {
			to = ""
		}
		list.Choices = append(list.Choices, link{Text: value, Href: b.here(name, to), Here: now == to || i == 0 && now == value})
	}
	return list
}

// fillTable fills in the part of the matrix that the address names.
func (b *builder) fillTable(h *heatMap, a answer.Matrix) {
	from := func(name string, most int) int {
		n, _ := strconv.Atoi(b.request.In.Get(name)) // 0 for anything else
		return max(0, min(n, (most-1)/heatWindow*heatWindow))
	}
	const rowName, columnName = "row.heatmap", "seed.heatmap"
	row, column := from(rowName, len(a.Items)), from(columnName, len(a.Seeds))
	rowEnd, columnEnd := min(len(a.Items), row+heatWindow), min(len(a.Seeds), column+heatWindow)
	h.Columns = h.Data.Seeds[column:columnEnd]
	for _, item := range a.Items[row:rowEnd] {
		selector := selectorOf(item.Scenario, item.Configuration)
		r := heatRow{Name: escape.Line(item.Name)}
		if strings.Trim(item.Cells, string(answer.CellNotThere)+string(answer.CellRunning)) != "" { // else there is no page of it yet
			r.Href = b.address("stability", "scenario", selector)
		}
		for i := column; i < columnEnd; i++ {
			c := heatCell{Text: answer.CellMeaning(item.Cells[i])}
			if item.Cells[i] != answer.CellNotThere && item.Cells[i] != answer.CellRunning {
				c.Href = b.address("show seed", "scenario", selector, "seed", h.Data.Seeds[i])
			}
			for _, key := range heatKeys {
				if key.Cell[0] == item.Cells[i] {
					c.Class = key.Class
				}
			}
			r.Cells = append(r.Cells, c)
		}
		h.Rows = append(h.Rows, r)
	}
	if len(a.Items) <= heatWindow && len(a.Seeds) <= heatWindow {
		return
	}
	h.Part = "Rows " + strconv.Itoa(row+1) + " to " + strconv.Itoa(rowEnd) + ", seeds " + strconv.Itoa(column+1) + " to " + strconv.Itoa(columnEnd)
	for _, n := range []struct {
		text, name string
		to, most   int
	}{
		{"rows before", rowName, row - heatWindow, len(a.Items)}, {"rows after", rowName, row + heatWindow, len(a.Items)},
		{"seeds before", columnName, column - heatWindow, len(a.Seeds)}, {"seeds after", columnName, column + heatWindow, len(a.Seeds)},
	} {
		if n.to >= 0 && n.to < n.most {
			h.Neighbours = append(h.Neighbours, link{Text: n.text, Href: b.here(n.name, strconv.Itoa(n.to)) + "#heatmap"})
		}
	}
}
