package pages

import (
	"cmp"
	"context"
	"maps"
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

// sideNames names the sides of a comparison by letters and by what people call their configurations.
func sideNames(sides []answer.ComparedSide) []string {
	count := map[string]int{}
	for _, side := range sides {
		count[configurationName(side.Configuration)]++
	}
	names := make([]string, len(sides))
	for i, side := range sides {
		name := configurationName(side.Configuration)
		if hash := track.ShortHash(side.Configuration.Hash); count[name] > 1 && name != hash {
			name += " (" + hash + ")"
		}
		names[i] = string(rune('A'+i%26)) + " " + name
	}
	return names
}

// composeCompare shows configurations side by side; of two also the scores of each seed on both sides, and the change
// of each metric with its interval.
func composeCompare(ctx context.Context, b *builder) error {
	quick := maps.Clone(b.asked)
	quick.Del("values")
	quick.Del("all")
	quick.Set("totals", "true")
	a, err := getKept(ctx, b, ask.Compare(), quick)
	if err != nil {
		return err
	}
	names := sideNames(a.Sides)
	b.view.Trail = []link{{Text: "Scenarios", Href: b.request.Base + "/"}, {Text: escape.Line(a.Spec.Scenario), Href: b.address("history", "scenario", a.Spec.Scenario)}}
	b.view.Heading = escape.Line(strings.Join(names, " and "))
	b.view.Title = b.view.Heading
	ofTotals := b.asked.Has("totals")
	isLong := !ofTotals && nPairsOfValues(a) > longPairs
	if !isLong && !ofTotals {
		if a, err = getKept(ctx, b, ask.Compare(), b.asked); err != nil {
			return err
		}
	}
	b.compareLead(a)
	for _, t := range a.Tables() {
		if t.Name == "scores" {
			b.addTable(t)
		}
	}
	err = b.laterInstead("differences", isLong, func() error {
		b.addDifferences(a)
		return nil
	}, func() error {
		whole, err := getKept(ctx, b, ask.Compare(), b.asked)
		if err == nil {
			b.addDifferences(whole)
		}
		return err
	})
	if err == nil && len(a.Sides) == 2 && a.Differences[0].NPairs > 0 && !ofTotals {
		err = b.later("pairs", isLong, func() error { return b.addPairs(ctx, a) })
	}
	if err := cmp.Or(err, b.addCodeRange(a)); err != nil {
		return err
	}
	if len(a.Sides) == 2 {
		report := b.address("report improvement", "candidate", a.Sides[1].Selector(), "baseline", a.Sides[0].Selector())
		b.view.Sections = append(b.view.Sections, section{ID: "report", Link: link{Text: "Report of this comparison, as a preview", Href: report}})
	}
	return nil
}

// nPairsOfValues returns how many pairs of values a comparison of all metrics has.
func nPairsOfValues(a answer.Comparison) (n int) {
	for _, d := range a.Differences {
		n += d.NPairs * a.NMetrics
	}
	return n
}

// addDifferences adds all tables but the one of the scores, and of two sides all metrics, the numbers of a picture.
func (b *builder) addDifferences(a answer.Comparison) {
	for _, t := range a.Tables() {
		isPicture := t.Name == "metrics" && len(a.Sides) == 2 && !a.OfTotals
		if isPicture {
			t.ForPrograms, t.Title, t.Notes = false, "All metrics as a table", nil
		}
		if strings.HasPrefix(t.Name, "difference_") { // the lead says what the title says
			if t.Title = "Differences"; len(a.Sides) > 2 {
				t.Title += ", " + strings.TrimPrefix(t.Name, "difference_") + " − A"
			}
		}
		if t.Name != "scores" {
			b.addTable(t)
		}
		if isPicture {
			b.view.Sections[len(b.view.Sections)-1].Folded = true
		}
	}
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
	b.seedsOf(a.Sides[0].Selector(), a.Sides[1].Selector())
	sections, err := b.inlineSections(d)
	if err != nil {
		return err
	}
	var others []string
	for _, s := range sections {
		if !slices.ContainsFunc(comparedParts(), func(title string) bool { return strings.HasPrefix(s.Title, title) }) {
			others = append(others, s.Title)
		}
	}
	return b.addDocument(d, others...)
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
