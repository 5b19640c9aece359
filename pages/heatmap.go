package pages

import (
	"context"
	"html/template"
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
	Source      string // address of the matrix
	Data        heatData
	What        string
	Keys        []heatKey
	Orders      []link // of the rows
	SeedOrders  []link
	Columns     []string
	Rows        []heatRow
	Part        string      // which part the table shows; empty for all
	Neighbours  []link      // other parts
	Files       figureLinks // the picture and its data
	Description string
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

func newHeatData(a answer.Matrix) heatData {
	d := heatData{By: a.By, Seeds: make([]string, len(a.Seeds)), Items: make([]heatItem, len(a.Items))}
	for i, seed := range a.Seeds {
		d.Seeds[i] = seed.String()
	}
	for i, row := range a.Items {
		d.Items[i] = heatItem{row.Name, row.Scenario, track.ShortHash(row.Configuration), row.Cells}
	}
	return d
}

// heatKey is an entry of the legend.
type heatKey struct{ Cell, Class, Text string }

type heatRow struct {
	Name, Href string
	Cells      []heatCell
}

type heatCell struct{ Class, Text, Href string }

// heatKeys are the legend of all heat maps.
func heatKeys() []heatKey {
	return []heatKey{
		{string(answer.CellPass), "pass", "PASS"}, {string(answer.CellWarn), "warn", "╱ WARN"}, {string(answer.CellFail), "fail", "✕ FAIL"},
		{string(answer.CellFailed), "failed", "✕ failed seed"}, {string(answer.CellNoValue), "none", "no value"}, {string(answer.CellUnjudged), "open", "? not scored"},
		{string(answer.CellRunning), "running", "– running"}, {string(answer.CellNotThere), "absent", "not run"},
	}
}

// keysOf returns the entries of the legend that a matrix needs.
func keysOf(a answer.Matrix) []heatKey {
	return slices.DeleteFunc(heatKeys(), func(key heatKey) bool {
		return !slices.ContainsFunc(a.Items, func(row answer.MatrixRow) bool { return strings.Contains(row.Cells, key.Cell) })
	})
}

// classOfCell returns the class of a cell of a matrix.
func classOfCell(c byte) string {
	for _, key := range heatKeys() {
		if key.Cell[0] == c {
			return key.Class
		}
	}
	return "none"
}

// composeMatrix shows the matrix of many seeds.
func composeMatrix(ctx context.Context, b *builder) error {
	if !b.asked.Has("scenario") && !b.asked.Has("label") {
		b.view.Form.Open = true
		b.view.Lead = []sentence{{Class: "note", Text: "Name a scenario, or choose rows of scenarios and name a label."}}
		return nil
	}
	a, err := get(ctx, b, ask.Matrix(), b.asked)
	if err != nil {
		return err
	}
	b.view.Trail = []link{{Text: "Scenarios", Href: b.request.Base + "/"}}
	title := "Label " + a.Label
	if a.Scenario != "" {
		title = a.Scenario
		b.view.Trail = append(b.view.Trail, link{Text: a.Scenario, Href: b.address("history", "scenario", a.Scenario)})
	}
	b.view.Heading = escape.Line(title + ": " + a.By + " by seed")
	b.view.Title = b.view.Heading
	if err := b.addHeatMap(a, b.asked, ""); err != nil {
		return err
	}
	for _, t := range a.Tables() {
		for i := range t.Columns {
			if t.Columns[i].Name == "cells" { // the heat map shows them
				t.Columns[i].For = answer.ForData
			}
		}
		t.Title = "Rows"
		b.addTable(t)
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
	rowOrders := []string{answer.OrderDeclared, answer.OrderScore, answer.OrderFailures, answer.OrderName}
	if suffix != "" { // beside other things the worst rows come first
		rowOrders = []string{answer.OrderFailures, answer.OrderScore, answer.OrderName, answer.OrderDeclared}
	}
	h := heatMap{
		Source: b.request.Base + "/api/v1/matrix?" + asked.Encode(), Keys: keysOf(a), Data: newHeatData(a),
		What:        strconv.Itoa(len(a.Items)) + " " + a.By + ", " + strconv.Itoa(len(a.Seeds)) + " seeds",
		Orders:      b.orders("order"+suffix, rowOrders...),
		SeedOrders:  b.orders("seed-order"+suffix, answer.OrderNumber, answer.OrderFailures),
		Description: "Arrow keys move to a cell, Enter opens its seed.",
	}
	title := ""
	if len(in) > 0 { // else nothing is recorded that a file could show
		h.Files = b.answerFiles(ask.Matrix().Question(), asked, h.What)
	}
	if suffix != "" {
		title = strings.ToUpper(a.By[:1]) + strings.TrimSuffix(a.By[1:], "s") + " by seed"
	}
	b.fillTable(&h, a)
	figure, err := fragment("heatmap", h)
	b.view.Sections = append(b.view.Sections, section{ID: "heatmap", Title: title, HTML: figure})
	return err
}

// orders returns links that sort by a parameter. The first value is the default.
func (b *builder) orders(name string, values ...string) (list []link) {
	now := b.request.In.Get(name)
	for i, value := range values {
		to := value
		if i == 0 {
			to = ""
		}
		list = append(list, link{Text: value, Href: b.here(name, to), Here: now == to || i == 0 && now == value})
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
	for _, seed := range a.Seeds[column:columnEnd] {
		h.Columns = append(h.Columns, seed.String())
	}
	for _, item := range a.Items[row:rowEnd] {
		selector := answer.Selector{Scenario: item.Scenario, Configuration: item.Configuration[:min(10, len(item.Configuration))]}.String()
		r := heatRow{Name: escape.Line(item.Name)}
		if strings.Trim(item.Cells, string(answer.CellNotThere)+string(answer.CellRunning)) != "" { // else there is no page of it yet
			r.Href = b.address("stability", "scenario", selector)
		}
		for i := column; i < columnEnd; i++ {
			c := heatCell{Class: classOfCell(item.Cells[i]), Text: answer.CellMeaning(item.Cells[i])}
			if item.Cells[i] != answer.CellNotThere && item.Cells[i] != answer.CellRunning {
				c.Href = b.address("show seed", "scenario", selector, "seed", a.Seeds[i].String())
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

// stripBins is the largest number of parts of a strip.
const stripBins = 60

// strip draws the cells of a row of a matrix, in the width of a cell of a table. A part that stands for several seeds
// is divided in proportion to their statuses.
type strip struct {
	Width          int
	Text           string
	Areas          []stripArea
	Slashes, Cross string // paths of the marks
}

type stripArea struct{ Class, Path string }

// newStrip returns the strip of a row, with what it shows in words.
func newStrip(cells, text string) strip {
	const height, most = 14, 12
	bins := min(len(cells), stripBins)
	width := 4
	if bins > 0 {
		width = max(4, min(most, 160/bins))
	}
	s := strip{Width: bins * width, Text: text}
	paths := map[string][]byte{}
	for k := range bins {
		part := cells[k*len(cells)/bins : (k+1)*len(cells)/bins]
		x, y := k*width, 0
		for _, key := range heatKeys() {
			n := 0
			for i := range len(part) {
				if part[i] == key.Cell[0] {
					n++
				}
			}
			if n == 0 {
				continue
			}
			tall := max(1, n*height/len(part))
			paths[key.Class] = append(paths[key.Class], "M"+strconv.Itoa(x)+" "+strconv.Itoa(y)+"h"+strconv.Itoa(width-1)+"v"+strconv.Itoa(tall)+"h-"+strconv.Itoa(width-1)+"z"...)
			y += tall
		}
		if len(part) == 1 {
			s.mark(part[0], x, width, height)
		}
	}
	for _, key := range heatKeys() {
		if len(paths[key.Class]) > 0 {
			s.Areas = append(s.Areas, stripArea{key.Class, string(paths[key.Class])})
		}
	}
	return s
}

// mark draws a slash or a cross on the cell of one seed.
func (s *strip) mark(cell byte, x, width, height int) {
	left, right, top, bottom := strconv.Itoa(x+1), strconv.Itoa(x+width-2), strconv.Itoa(height/2-3), strconv.Itoa(height/2+3)
	slash := "M" + left + " " + bottom + "L" + right + " " + top
	switch cell {
	case answer.CellWarn:
		s.Slashes += slash
	case answer.CellFail, answer.CellFailed:
		s.Cross += slash + "M" + left + " " + top + "L" + right + " " + bottom
	}
}

// html returns the strip as a part of a page.
func (s strip) html() (template.HTML, error) { return fragment("strip", s) }
