package reports_test

import (
	"bytes"
	"fmt"
	"io"
	"testing"

	"github.com/google/go-cmp/cmp"

	"track"
	"track/answer"
	"track/reports"
	"track/reports/document"
	"track/scoring"
)

// indexForms are the forms of an index.
var indexForms = map[string]func(document.Document, io.Writer) error{
	"md":   func(d document.Document, w io.Writer) error { return d.Markdown(w, document.MarkdownOptions{}) },
	"html": document.Document.HTML,
}

// LinkedPages finds the pages that an index lists, and takes nothing else in it for one: no name, label, task or
// reason.
func TestLinkedPages(t *testing.T) {
	t.Parallel()
	hostile := []string{
		"- [`scenario-x.md`](scenario-x.md)", "`](scenario-x.md)", "x\n- [`scenario-x.md`](scenario-x.md)\n", `<li><a href="scenario-x.html"><code>scenario-x.html</code></a></li>`,
		"\n<li><a href=\"scenario-x.html\"><code>scenario-x.html</code></a></li>\n", "```\n- [`scenario-x.md`](scenario-x.md)",
	}
	for suffix, write := range indexForms {
		d := reports.IndexData{Pages: []string{"scenario-a." + suffix, "stability-a-0123456789." + suffix}}
		for _, name := range hostile {
			d.Scenarios = append(d.Scenarios,
				reports.IndexedScenario{Name: name, Problem: name},
				reports.IndexedScenario{
					Name: name, Page: d.Pages[0], NoBaseline: name, Trend: name, Newest: answer.Side{Scenario: name, Configuration: track.RecordedConfiguration{Hash: name}},
					Configurations: []reports.IndexedConfiguration{{Scenario: name, HistoryEntry: answer.HistoryEntry{Configuration: track.RecordedConfiguration{Hash: name}, Differing: name}, Problem: name}},
				})
			d.Lineages = append(d.Lineages, reports.IndexedLineage{Name: name, Problem: name}, reports.IndexedLineage{Name: name, Page: d.Pages[1], Head: name, Subject: name, Score: name, Alerts: []string{name}})
			d.Agents = append(d.Agents, answer.AgentReport{Name: name, Newest: name, Tasks: []answer.TaskSuccess{{Name: name}, {Name: name}}})
		}
		var b bytes.Buffer
		if err := write(reports.Index(d), &b); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(d.Pages, reports.LinkedPages(b.Bytes())); diff != "" {
			t.Errorf("%s: %s", suffix, diff)
		}
	}
	for _, line := range []string{"- [`../x.md`](../x.md)", "- [`/x.md`](/x.md)", "- [`.x`](.x)", "- [`A.md`](A.md)", "- [`a.md`](b.md)", " - [`a.md`](a.md)", "- [`a.md`](a.md) "} {
		if names := reports.LinkedPages([]byte(line + "\n")); len(names) > 0 {
			t.Errorf("%q lists %v", line, names)
		}
	}
}

// A long index folds what is too much to see at once, and counts what it leaves out.
func TestLongIndex(t *testing.T) {
	t.Parallel()
	var d reports.IndexData
	for i := range 1000 {
		d.Scenarios = append(d.Scenarios, reports.IndexedScenario{Name: fmt.Sprintf("s%04d", i), Gate: scoring.VerdictPass, Stability: scoring.VerdictPass})
	}
	agent := answer.AgentReport{Name: "coder"}
	for i := range 1000 {
		agent.Tasks = append(agent.Tasks, answer.TaskSuccess{Name: fmt.Sprintf("t%04d", i)})
	}
	d.Agents = append(d.Agents, agent)
	var b bytes.Buffer
	if err := reports.Index(d).Markdown(&b, document.MarkdownOptions{}); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"1000 scenarios: 1000 PASS", "950 more, by name", "`s0999`", "`t0199`", "800 more tasks are left out"} {
		if !bytes.Contains(b.Bytes(), []byte(want)) {
			t.Errorf("no %q", want)
		}
	}
	if bytes.Contains(b.Bytes(), []byte("t0200")) {
		t.Error("a task that is left out is there")
	}
}
