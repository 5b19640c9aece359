package pages

import (
	"context"
	"net/url"
	"slices"
	"strings"

	"track"
	"track/answer"
	"track/ask"
	"track/reports/escape"
)

// comparedParts are the sections of the report of two sides that the page shows: none with a verdict.
func comparedParts() []string {
	return []string{"Total score by seed", "Change of each metric", "Unmatched seeds"}
}

// composeCompare shows configurations side by side; of two also the scores of each seed on both sides, and the change
// of each metric with its interval.
func composeCompare(ctx context.Context, b *builder) error {
	a, err := getKept(ctx, b, ask.Compare(), b.asked) // again for the part that comes later
	if err != nil {
		return err
	}
	var names []string
	for i, side := range a.Sides {
		names = append(names, string(rune('A'+i%26))+" "+side.Name())
	}
	b.view.Trail = []link{{Text: "Scenarios", Href: b.request.Base + "/"}, {Text: escape.Line(a.Spec.Scenario), Href: b.address("history", "scenario", a.Spec.Scenario)}}
	b.view.Heading = escape.Line(strings.Join(names, " and "))
	b.view.Title = b.view.Heading
	b.compareLead(a)
	for _, t := range a.Tables() {
		b.addTable(t)
		if t.Name == "scores" && len(a.Sides) == 2 && len(a.Differences) > 0 && a.Differences[0].NPairs > 0 {
			isLong := a.Differences[0].NPairs*len(a.Differences[0].Metrics) > longPairs
			if err := b.later("pairs", isLong, func() error { return b.addPairs(ctx, a) }); err != nil {
				return err
			}
		}
	}
	return b.addCodeRange(a)
}

// compareLead says in a sentence what the pairs show.
func (b *builder) compareLead(a answer.Comparison) {
	for _, s := range a.Lead() {
		if s.Kind != answer.Heading {
			b.view.Lead = append(b.view.Lead, sentenceOf(s))
		}
	}
	for _, t := range a.Tables() {
		if strings.HasPrefix(t.Name, "difference_") && len(t.Rows) > 0 {
			b.view.Lead = append(b.view.Lead, sentence{Class: "verdict", Text: escape.Line(strings.ToUpper(t.Title[:1]) + t.Title[1:])})
		}
	}
}

// addPairs adds the pictures of two sides. The first side is the baseline.
func (b *builder) addPairs(ctx context.Context, a answer.Comparison) error {
	in := url.Values{"candidate": {a.Sides[1].Selector()}, "baseline": {a.Sides[0].Selector()}}
	if b.asked.Has("seeds") {
		in["seeds"] = b.asked["seeds"]
	}
	d, err := b.request.Compose(ctx, ask.ImprovementReport().Question(), in)
	if err != nil {
		return err
	}
	sections, err := d.InlineSections()
	if err != nil {
		return err
	}
	var others []string
	for _, s := range sections {
		if !slices.ContainsFunc(comparedParts(), func(title string) bool { return strings.HasPrefix(s.Title, title) }) {
			others = append(others, s.Title)
		}
	}
	if err := b.addDocument(d, others...); err != nil {
		return err
	}
	for _, t := range a.Tables() {
		if t.Name == "metrics" { // the numbers of the picture
			t.ForPrograms, t.Title, t.Notes = false, "All metrics as a table", nil
			b.addTable(t)
			b.view.Sections[len(b.view.Sections)-1].Folded = true
		}
	}
	return nil
}

// addCodeRange says how to see what code differs, if all sides have a revision.
func (b *builder) addCodeRange(a answer.Comparison) error {
	first := a.Sides[0].Configuration.Revision
	if first.Commit == "" {
		return nil
	}
	var commands []string
	for _, side := range a.Sides[1:] {
		other := side.Configuration.Revision
		if other.Commit == "" || other.Commit == first.Commit {
			continue
		}
		commands = append(commands, "git log --oneline "+first.Commit+".."+other.Commit, "git diff "+first.Commit+" "+other.Commit)
	}
	s := section{ID: "code", Title: "Code that differs", Commands: commands}
	if len(commands) == 0 {
		s.Sentences = []sentence{{Class: "note", Text: "Each side with a recorded commit has the same one: " + track.ShortHash(first.Commit) + "."}}
	}
	b.view.Sections = append(b.view.Sections, s)
	return nil
}
