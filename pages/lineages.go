package pages

import (
	"context"
	"errors"
	"net/url"
	"strings"

	"track"
	"track/answer"
	"track/ask"
	"track/reports/escape"
)

// composeLineage shows a lineage: its state, then its report with the tree of its versions, and its mutations.
func composeLineage(ctx context.Context, b *builder) error {
	a, err := get(ctx, b, ask.Lineage(), b.asked)
	if err != nil {
		return err
	}
	b.lineageTrail("")
	b.show(a)
	of := url.Values{"lineage": {a.Lineage}}
	b.lineageTabs(a.Lineage, "lineage show")
	d, err := b.request.Compose(ctx, ask.LineageReport().Question(), of)
	if err != nil {
		return err
	}
	return b.addDocument(d)
}

// lineageTrail says which lineage a page belongs to; none for the page of the lineage itself.
func (b *builder) lineageTrail(lineage string) {
	b.view.Trail = []link{{Text: "Lineages", Href: b.address("lineage list")}}
	if lineage != "" {
		b.view.Trail = append(b.view.Trail, link{Text: lineage, Href: b.address("lineage show", "lineage", lineage)})
	}
}

func (b *builder) lineageTabs(lineage, here string) {
	for _, tab := range []struct{ text, question string }{
		{"State", "lineage show"}, {"Mutations", "mutation list"}, {"Versions", "version list"}, {"History", "lineage history"}, {"Executions", "executions"},
		{"Operators", "operators"}, {"Draws", "draws"}, {"Replay", "replay"},
	} {
		b.view.Tabs = append(b.view.Tabs, link{Text: tab.text, Href: b.address(tab.question, "lineage", lineage), Here: tab.question == here})
	}
}

// composeMutation shows a mutation with its decisions, and what it changes.
func composeMutation(ctx context.Context, b *builder) error {
	a, err := get(ctx, b, ask.Mutation(), b.asked)
	if err != nil {
		return err
	}
	b.lineageTrail(a.Lineage)
	b.show(a)
	b.view.Heading = escape.Line("Mutation " + a.ID + " of " + a.Lineage)
	b.view.Title = b.view.Heading
	diff, err := get(ctx, b, ask.MutationDiff(), url.Values{"mutation": {a.ID}, "lineage": {a.Lineage}})
	if errors.Is(err, track.ErrNotFound) || errors.Is(err, track.ErrInvalid) { // a root has nothing to differ from
		return nil
	}
	if err == nil {
		b.addDiff(diff)
	}
	return err
}

// composeVersion shows a version with its content, line by line.
func composeVersion(ctx context.Context, b *builder) error {
	a, err := get(ctx, b, ask.Version(), b.asked)
	if err != nil {
		return err
	}
	lineage, _, _ := strings.Cut(b.asked.Get("version"), "@")
	b.lineageTrail(lineage)
	b.show(a)
	return nil
}

// addDiff adds the sentences of a difference: the lines of it keep their signs.
func (b *builder) addDiff(a answer.Answer) {
	s := section{ID: "difference", Title: "Difference"}
	for _, line := range a.Lead() {
		if line.Kind == answer.Diff {
			s.Diff = append(s.Diff, diffLines(line.Text)...)
		} else if line.Kind != answer.Heading {
			s.Sentences = append(s.Sentences, sentenceOf(line))
		}
	}
	b.view.Sections = append(b.view.Sections, s)
}

// diffLine is a line of a unified difference.
type diffLine struct{ Class, Text string }

func diffLines(text string) (list []diffLine) {
	for line := range strings.Lines(text) {
		class := ""
		switch {
		case strings.HasPrefix(line, "@@"):
			class = "hunk"
		case len(list) < 2 && (strings.HasPrefix(line, "--- ") || strings.HasPrefix(line, "+++ ")):
			class = "file"
		case strings.HasPrefix(line, "+"):
			class = "added"
		case strings.HasPrefix(line, "-"):
			class = "removed"
		}
		list = append(list, diffLine{class, escape.Code(line)})
	}
	return list
}
