package ask_test

import (
	"bytes"
	"fmt"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/jedib0t/go-pretty/v6/text"

	"track"
	"track/access"
	"track/answer"
	"track/ask"
	"track/internal/sample"
	"track/reports/render"
)

// widths of terminals that everything fits into.
var widths = []int{80, 100, 120}

// TestAnswersFit shows every sample on terminals of several widths: no line is wider, a column without priority is
// never left out while another could be, and no number, status or short name is cut.
func TestAnswersFit(t *testing.T) {
	eachSample(t, nil, func(name string, a answer.Answer) {
		for _, width := range widths {
			t.Run(fmt.Sprintf("%s %d", name, width), func(t *testing.T) { checkFits(t, a, width) })
		}
	})
}

// eachSample asks the samples of all questions that read, and more of some.
func eachSample(t *testing.T, more map[string][]string, check func(name string, a answer.Answer)) {
	t.Helper()
	st, names := sample.New(t)
	for _, q := range ask.All() {
		if q.Scope != access.Read {
			continue
		}
		for _, in := range append(slices.Clone(sample.Questions()[q.Name]), more[q.Name]...) {
			params, err := url.ParseQuery(names.Replace(in))
			if err != nil {
				t.Fatal(err)
			}
			a, err := q.Ask(t.Context(), ask.Source{Store: st}, params)
			if err != nil {
				t.Fatal(err)
			}
			check(q.Name+" "+in, a)
		}
	}
}

// TestHostileNamesFit shows names of characters that are wide, have no width or are written from right to left.
func TestHostileNamesFit(t *testing.T) {
	long := []string{
		strings.Repeat("失業率", 30), strings.Repeat("é̂", 90), strings.Repeat("معدل البطالة ", 12), strings.Repeat("👩‍👩‍👧", 30), strings.Repeat("unemployment_rate_", 9),
		strings.Repeat("x", 200), "a\tb\nc" + strings.Repeat(" ", 100) + "d",
	}
	list := answer.Seeds{}
	executions := answer.Executions{}
	for i, name := range long {
		var seed track.RecordedSeed
		seed.Scenario, seed.Number = name, track.SeedNumber(i)
		seed.Configuration.Label = name
		list.Items = append(list.Items, seed)
		executions.Items = append(executions.Items, track.RecordedExecution{ID: name, Lineage: name, Version: name, Task: name})
	}
	for _, a := range []answer.Answer{list, executions} {
		for _, width := range append([]int{40}, widths...) {
			checkFits(t, a, width)
		}
	}
}

var leftOut = regexp.MustCompile(`(?s)\d+ columns? left out: (.*?); WIDE`)

func checkFits(t *testing.T, a answer.Answer, width int) {
	t.Helper()
	shown := shownAt(t, a, width)
	for line := range strings.Lines(withoutDiff(a, shown)) {
		line = strings.TrimSuffix(line, "\n")
		if n := text.StringWidthWithoutEscSequences(line); n > width {
			t.Errorf("a line takes %d columns: %s", n, line)
		}
	}
	for _, table := range a.Tables() {
		if !table.ForPrograms && len(table.Rows) > 0 {
			checkTableFits(t, table, width)
		}
	}
}

// oneTable is an answer that has one table.
type oneTable struct{ table answer.Table }

func (a oneTable) Lead() []answer.Sentence { return nil }
func (a oneTable) Tables() []answer.Table  { return []answer.Table{a.table} }

func checkTableFits(t *testing.T, table answer.Table, width int) {
	t.Helper()
	shown := shownAt(t, oneTable{table}, width)
	var left []string
	for _, found := range leftOut.FindAllStringSubmatch(shown, -1) {
		left = append(left, strings.Split(strings.Join(strings.Fields(found[1]), " "), ", ")...)
	}
	for i, column := range table.Columns {
		if column.Priority > 0 || column.For == answer.ForData || table.Grouped && i == 0 {
			continue
		}
		if name := strings.ReplaceAll(column.Name, "_", " "); width >= widths[0] && (slices.Contains(left, name) || column.Head != "" && slices.Contains(left, column.Head)) {
			t.Errorf("table %s: column %s has no priority and is left out", table.Name, name)
		}
		for _, row := range table.Rows[:min(len(table.Rows), max(table.Shown, 40))] {
			checkWhole(t, shown, row[i])
		}
	}
}

func shownAt(t *testing.T, a answer.Answer, width int) string {
	t.Helper()
	var page bytes.Buffer
	if err := render.Write(&page, a, render.Options{Format: render.Table, Width: width, WideHint: "WIDE"}); err != nil {
		t.Fatal(err)
	}
	return page.String()
}

// checkWhole checks that a cell with a short word is shown as it is.
func checkWhole(t *testing.T, shown string, cell any) {
	t.Helper()
	if c, ok := cell.(answer.Cell); ok {
		cell = c.Text
	}
	word, ok := cell.(string)
	if ok && len(word) <= 12 && !strings.Contains(word, " ") && !strings.Contains(shown, word) {
		t.Errorf("%q is cut:\n%s", word, shown)
	}
}

// withoutDiff returns a page without the differences of texts, which are shown as they are.
func withoutDiff(a answer.Answer, page string) string {
	for _, s := range a.Lead() {
		if s.Kind == answer.Diff {
			page = strings.Replace(page, s.Text, "", 1)
		}
	}
	return page
}
