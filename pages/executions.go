package pages

import (
	"context"
	"fmt"
	"net/url"
	"strconv"
	"strings"
	"time"

	"track/answer"
	"track/ask"
	"track/reports/escape"
	"track/scoring/format"
)

// composeExecution shows an execution with its scores, the reasons for them, and its trace.
func composeExecution(ctx context.Context, b *builder) error {
	in := url.Values{"trace": {"true"}, "all": {"true"}}
	for name, values := range b.asked {
		in[name] = values
	}
	a, err := get(ctx, b, ask.ShowExecution(), in)
	if err != nil {
		return err
	}
	b.shown.add(a.Lineage)
	b.executionsTrail(a.Lineage)
	trace := a.Trace
	failed := failedText(a)
	b.view.Facts = executionFacts(a, failed)
	notes := a.RequestNotes()
	a.Trace = nil
	b.show(a)
	for i, s := range b.view.Sections {
		if s.ID == "components" {
			b.view.Sections[i].Folded, b.view.Sections[i].Title = true, "Why this score: "+s.Title
		}
	}
	b.view.Heading = escape.Line("Execution " + a.ID[max(0, len(a.ID)-10):] + " of " + strings.TrimSuffix(a.Lineage+"@"+a.Version, "@"))
	b.view.Title = b.view.Heading
	if trace == nil || len(trace.Parts) == 0 && trace.Search == "" {
		return nil
	}
	return b.addTrace(*trace, notes, failed)
}

// failedText says how many calls failed: according to the source, as the trace shows it, and how many of these the
// rubric forgives. A search in the trace leaves out calls, so the rubric counts alone then.
func failedText(a answer.Execution) string {
	counted := a.NFailed
	for _, s := range a.Scores {
		if s.Rubric == a.ComponentsUnder {
			counted = s.NFailed
		}
	}
	if a.Trace == nil || a.Trace.Search != "" || a.ComponentsUnder == "" {
		return fmt.Sprintf("%d failed", counted)
	}
	inTrace := 0
	for _, s := range stepsOf(*a.Trace) {
		inTrace += boolNumber(s.failed && s.call() > 0)
	}
	return failedCounts(inTrace, counted, a.ComponentsUnder)
}

func failedCounts(inTrace, counted int, rubric string) string {
	switch {
	case inTrace > counted:
		return fmt.Sprintf("%d failed, %d of them benign under %s", inTrace, inTrace-counted, rubric)
	case inTrace < counted:
		return fmt.Sprintf("%d failed, %d under %s", inTrace, counted, rubric)
	}
	return fmt.Sprintf("%d failed", inTrace)
}

// composeExecutions lists executions, with a search in their texts.
func composeExecutions(ctx context.Context, b *builder) error {
	a, err := get(ctx, b, ask.Executions(), b.asked)
	if err != nil {
		return err
	}
	b.view.Heading, b.view.Title = "Executions", "Executions"
	of := answer.LineageSelector{}
	if text := b.asked.Get("lineage"); text != "" {
		if of, err = answer.ParseLineageSelector(text); err != nil {
			return err
		}
		b.view.Heading = escape.Line("Executions of " + text)
		b.view.Title = b.view.Heading
		b.lineageTrail(of.Lineage)
		b.lineageTabs(of.Lineage, "executions")
	}
	if err := b.addTextSearch(of.Lineage, ""); err != nil {
		return err
	}
	b.show(a)
	return nil
}

// composeSearch shows the names that hold a text, and the texts that hold its words, which are marked.
func composeSearch(ctx context.Context, b *builder) error {
	b.view.Heading, b.view.Title = "Search", "Search"
	if err := b.addTextSearch(b.asked.Get("lineage"), b.asked.Get("text")); err != nil {
		return err
	}
	a, err := get(ctx, b, ask.Search(), b.asked)
	if err != nil {
		return err
	}
	b.show(a)
	for i := range b.view.Sections {
		b.view.Sections[i].Title = capital(b.view.Sections[i].Title)
	}
	return nil
}

// addTextSearch adds a form that searches names, and the texts of executions.
func (b *builder) addTextSearch(lineage, text string) error {
	html, err := fragment("text-search", struct{ Action, Lineage, Text string }{b.address("search"), lineage, text})
	b.view.Sections = append(b.view.Sections, section{ID: "text-search", HTML: html})
	return err
}

// composeExecutionComparison shows two executions side by side; the first difference stands at the top.
func composeExecutionComparison(ctx context.Context, b *builder) error {
	a, err := get(ctx, b, ask.CompareExecutions(), b.asked)
	if err != nil {
		return err
	}
	b.view.Trail = []link{{Text: "Executions", Href: b.address("executions")}}
	b.show(a)
	b.view.Heading, b.view.Title = "Two executions side by side", "Two executions"
	return nil
}

func (b *builder) executionsTrail(lineage string) {
	b.view.Trail = []link{{Text: "Executions", Href: b.address("executions")}, {Text: lineage, Href: b.address("executions", "lineage", lineage)}}
}

// executionFacts returns the numbers of an execution; failed says how many calls failed.
func executionFacts(a answer.Execution, failed string) (list []fact) {
	if a.Score != nil {
		basis := "by " + a.Rubric
		if a.Grade != "" {
			basis = "grade " + a.Grade + " " + basis
		}
		list = append(list, fact{"score", format.Fixed(*a.Score, 2), "", basis})
	}
	list = append(list, fact{"calls", strconv.Itoa(a.NCalls), "", failed})
	if a.Duration != nil {
		list = append(list, fact{"time", a.Duration.Round(100 * time.Millisecond).String(), "", ""})
	}
	if t := a.Tokens; t != nil && (t.Input != nil || t.Output != nil) {
		f := fact{Name: "tokens", Value: tokenText(t.Input) + " + " + tokenText(t.Output), Basis: "input + output"}
		if t.CacheRead != nil {
			f.Basis += ", " + tokenText(t.CacheRead) + " from a cache"
		}
		list = append(list, f)
	}
	if a.CostUSD != nil {
		list = append(list, fact{"cost", format.Four(*a.CostUSD) + " USD", "", ""})
	}
	return list
}

func tokenText(n *int64) string {
	if n == nil {
		return "?"
	}
	return fmt.Sprint(*n)
}
