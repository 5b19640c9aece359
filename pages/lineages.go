package pages

import (
	"context"
	"errors"
	"fmt"
	"html"
	"html/template"
	"net/url"
	"slices"
	"strings"

	"track"
	"track/answer"
	"track/ask"
	"track/reports"
	"track/reports/chart"
	"track/reports/document"
	"track/reports/escape"
	"track/scoring/format"
)

// composeLineages lists the lineages with how they stand.
func composeLineages(ctx context.Context, b *builder) error {
	a, err := getKept(ctx, b, ask.Lineages(), standing())
	if err != nil {
		return err
	}
	b.lead(a.Lead())
	if len(a.Items) > 0 {
		t := b.lineages(a)
		t.Title = ""
		b.addTable(t)
	}
	b.view.Heading, b.view.Title, b.view.Command = "Lineages", "Lineages", "track lineage list --standing"
	b.view.Downloads = b.downloadsOf("Lineages", ask.Lineages().Question(), standing())
	return nil
}

// composeLineage shows a lineage: the verdict on its active version first, then what it rests on, its settings last.
func composeLineage(ctx context.Context, b *builder) error {
	a, err := get(ctx, b, ask.Lineage(), b.asked)
	if err != nil {
		return err
	}
	b.lineageTrail("")
	isLong := a.End.Number > longLedger
	lead := a.Lead()
	if !isLong {
		lead = lead[:1] // the report says the rest
	}
	b.lead(lead)
	b.view.Heading, b.view.Title = escape.Line(a.Lineage), escape.Line(a.Lineage)
	b.view.Subtitle = escape.Line(strings.TrimLeft(strings.TrimPrefix(lead[0].Text, a.Lineage), ", "))
	b.lineageTabs(a.Lineage, "lineage show")
	if err := b.later("report", isLong, func() error { return b.addLineageReport(ctx, a) }); err != nil {
		return err
	}
	b.view.Charts = b.view.Charts || isLong // its part has one
	if !isLong {
		b.lineageVerdict()
	}
	for _, t := range a.Tables() {
		b.addTable(t)
		last := &b.view.Sections[len(b.view.Sections)-1]
		last.Folded, last.Title = true, strings.ToUpper(t.Name[:1])+t.Name[1:]
	}
	return nil
}

// addLineageReport adds the report of a lineage. The picture of its scores shows the values of each.
func (b *builder) addLineageReport(ctx context.Context, a answer.Lineage) error {
	d, err := b.request.Compose(ctx, ask.LineageReport().Question(), url.Values{"lineage": {a.Lineage}})
	if err != nil {
		return err
	}
	at := slices.IndexFunc(d.Blocks, func(block document.Block) bool {
		p, isPicture := block.(document.Picture)
		_, isScores := p.Chart.(chart.Lineage)
		return isPicture && isScores
	})
	if at < 0 {
		return b.addDocument(d)
	}
	scores := d.Blocks[at].(document.Picture)
	d.Blocks = slices.Delete(slices.Clone(d.Blocks), at, at+1)
	if err := b.addDocument(d); err != nil {
		return err
	}
	text, err := scores.InlineHTML()
	if err != nil {
		return err
	}
	links, err := b.keepChart(scores.Name, scores.Chart)
	if err != nil {
		return err
	}
	link := func(version string) string { return b.address("version show", "version", a.Lineage+"@"+version) }
	plot := scoresPlot(scores.Chart.(chart.Lineage), answer.Numbers{Scale: a.Settings.Scale}.Score, link)
	if err := b.addChart(section{ID: "score-chart"}, plot, still{template.HTML(text), links}, false); err != nil { //nolint:gosec // written by package document, which escapes
		return err
	}
	from := len(b.view.Sections) - 1
	if err := b.addLineageFront(ctx, a.Lineage); err != nil {
		return err
	}
	made := slices.Clone(b.view.Sections[from:])
	linkVersions(b.view.Sections[:from], scores.Chart.(chart.Lineage).Candidates, link)
	after := slices.IndexFunc(b.view.Sections, func(s section) bool { return s.Title == "Scores" })
	b.view.Sections = slices.Insert(b.view.Sections[:from], after+1, made...)
	return nil
}

// linkVersions makes the names of candidates, which a report writes as code, links to their pages. What opens a part
// that is folded holds no links.
func linkVersions(sections []section, candidates []chart.Candidate, link func(version string) string) {
	pairs := make([]string, 0, 2*len(candidates))
	for _, c := range candidates {
		name := "<code>" + html.EscapeString(c.Label) + "</code>"
		pairs = append(pairs, name, `<a href="`+html.EscapeString(link(c.Label))+`">`+name+"</a>")
	}
	links := strings.NewReplacer(pairs...)
	for i := range sections {
		var out strings.Builder
		for rest := string(sections[i].HTML); rest != ""; {
			before, behind, found := strings.Cut(rest, "<summary>")
			out.WriteString(links.Replace(before))
			if !found {
				break
			}
			summary, after, _ := strings.Cut(behind, "</summary>")
			out.WriteString("<summary>" + summary + "</summary>")
			rest = after
		}
		sections[i].HTML = template.HTML(out.String()) //nolint:gosec // both parts are escaped
	}
}

// composeLineageHistory shows the means of the versions of a lineage.
func composeLineageHistory(ctx context.Context, b *builder) error {
	a, err := get(ctx, b, ask.LineageHistory(), b.asked)
	if err != nil {
		return err
	}
	b.lineageTrail(a.Lineage)
	b.lineageTabs(a.Lineage, "lineage history")
	if len(a.Entries) > 0 {
		means := make([]float64, len(a.Entries))
		for i, e := range a.Entries {
			means[i] = e.Mean.Value
		}
		plot := historyPlot(reports.LineageHistoryChart(a), format.Aligned(means), func(i int) string {
			return b.address("version show", "version", a.Lineage+"@"+a.Entries[i].Version)
		})
		if err := b.addPlot(plot, "History of "+escape.Line(a.Lineage)); err != nil {
			return err
		}
	}
	b.show(a)
	return nil
}

// lineageVerdict puts the beginning of a report in the place of the lead.
func (b *builder) lineageVerdict() {
	if first := b.view.Sections; len(first) > 0 && first[0].Title == "" {
		b.view.Verdict, b.view.Sections = first[0].HTML, first[1:]
	}
}

// lineageTrail says which lineage a page belongs to; none for the page of the lineage itself.
func (b *builder) lineageTrail(lineage string) {
	b.view.Trail = []link{{Text: "Lineages", Href: b.address("lineage list")}}
	if lineage != "" {
		b.view.Trail = append(b.view.Trail, link{Text: lineage, Href: b.address("lineage show", "lineage", lineage)})
	}
}

// lineageTabs returns the tabs of a lineage.
func lineageTabs() []tab {
	return []tab{
		{"State", "lineage show", ""}, {"Tree", "lineage tree", ""}, {"Front", "lineage front", ""}, {"Mutations", "mutation list", ""}, {"Versions", "version list", ""}, {"History", "lineage history", ""},
		{"Executions", "executions", ""}, {"Operators", "operators", ""}, {"Draws", "draws", ""}, {"Replay", "replay", ""},
	}
}

// lineageTabs lead to the pages about a lineage.
func (b *builder) lineageTabs(lineage, here string) {
	for _, t := range lineageTabs() {
		b.view.Tabs = append(b.view.Tabs, link{Text: t.text, Href: b.address(t.question, "lineage", lineage), Here: t.question == here})
	}
}

// composeMutation shows a mutation: its last decision first, then what it changes, its evidence, and the replay.
func composeMutation(ctx context.Context, b *builder) error {
	a, err := get(ctx, b, ask.Mutation(), b.asked)
	if err != nil {
		return err
	}
	b.lineageTrail(a.Lineage)
	b.view.Heading = escape.Line("Mutation " + a.ID + " of " + a.Lineage)
	b.view.Title = b.view.Heading
	if err := b.addMutation(ctx, a); err != nil {
		return err
	}
	tables := a.Tables()
	tables[0].Notes = nil // they stand above
	tables[0].Title = "mutation"
	b.addTable(tables[0])
	return nil
}

// addMutation adds what a page says of a mutation.
func (b *builder) addMutation(ctx context.Context, a answer.MutationDetail) error {
	if n := len(a.Decisions); n > 0 {
		last := a.Decisions[n-1]
		b.lead(slices.Concat(last.Brief()[:1], warningsOf(last.Sentences())))
		b.view.Facts = decisionFacts(last)
	} else {
		b.lead([]answer.Sentence{{Kind: answer.Verdict, Text: strings.ToUpper(string(a.State)) + "  " + a.ID + ": " + a.Child}})
	}
	if notes := undecidedNotes(a); len(notes) > 0 {
		s := section{ID: "about", Title: "About"}
		for _, n := range notes {
			s.Sentences = append(s.Sentences, sentenceOf(n))
		}
		b.view.Sections = append(b.view.Sections, s)
	}
	diff, err := get(ctx, b, ask.MutationDiff(), url.Values{"mutation": {a.ID}, "lineage": {a.Lineage}})
	if err == nil {
		b.addDiff(diff)
	} else if !isAbsent(err) { // a root has nothing to differ from
		return err
	}
	if err := b.addTaskEvidence(ctx, a); err != nil {
		return err
	}
	return b.addDecisions(ctx, a)
}

func warningsOf(list []answer.Sentence) []answer.Sentence {
	return slices.DeleteFunc(slices.Clone(list), func(s answer.Sentence) bool { return s.Kind != answer.Warning })
}

// addDecision adds what a decision says besides the lead of the page.
func (b *builder) addDecision(d answer.Decision) {
	s := section{ID: "decision", Title: "Decision"}
	for _, line := range d.Lead() {
		if shown := sentenceOf(line); !slices.Contains(b.view.Lead, shown) {
			s.Sentences = append(s.Sentences, shown)
		}
	}
	b.view.Sections = append(b.view.Sections, s)
}

// undecidedNotes returns what is said of a mutation besides its decisions.
func undecidedNotes(a answer.MutationDetail) []answer.Sentence {
	a.Decisions = nil
	return a.Tables()[0].Notes
}

// isAbsent reports whether an error says that there is nothing to show.
func isAbsent(err error) bool {
	return errors.Is(err, track.ErrNotFound) || errors.Is(err, track.ErrInvalid)
}

// decisionFacts returns the numbers that a decision rests on.
func decisionFacts(d answer.Decision) (list []fact) {
	numbers := answer.Numbers{Scale: d.Scale}
	if d.Delta != nil {
		f := fact{Name: "delta", Value: numbers.Gain(*d.Delta), Basis: fmt.Sprintf("n = %d and %d", d.NChild, d.NParent)}
		list = append(list, f)
		if i := d.CI; i != nil {
			of := &list[0]
			if i.N > 0 && i.Estimate != *d.Delta { // the policy compared something else than the means of the pairs
				list = append(list, fact{Name: "mean of pairs", Value: numbers.Gain(i.Estimate), Basis: format.Counted(i.N, "pair")})
				of = &list[1]
			}
			of.Interval = "[" + numbers.Gain(i.Lo) + ", " + numbers.Gain(i.Hi) + "]"
			of.Basis += ", " + format.Confidence(i.Confidence) + " " + i.Method
		}
	}
	if p := d.PImprove; p != nil {
		list = append(list, fact{"comparisons won", fmt.Sprintf("%d of %d", p.Wins, p.N), "", "P(improvement) " + format.Fixed(p.Value, 2) + ", a tie counts half"})
	}
	if d.Draw.P != nil {
		basis := "decided"
		if !d.Draw.Used {
			basis = "did not matter"
		}
		list = append(list, fact{"draw", answer.DrawText(d.Draw.U, *d.Draw.P), "", basis})
	}
	return list
}

// addTaskEvidence compares a child with its parent on each task.
func (b *builder) addTaskEvidence(ctx context.Context, a answer.MutationDetail) error {
	if len(a.Parents) == 0 {
		return nil
	}
	versions := url.Values{"version": {a.Lineage + "@" + a.Parents[0], a.Lineage + "@" + a.Child}}
	compared, err := get(ctx, b, ask.CompareVersions(), versions)
	if isAbsent(err) {
		return nil
	}
	if err != nil {
		return err
	}
	for i, t := range compared.Tables() {
		if i == 0 {
			t.Title = "Evidence by task"
			t.Notes = append(t.Notes, evidenceNotes(a)...)
		}
		b.addTable(t)
	}
	return nil
}

// evidenceNotes says that the trials by task are not only those of the last decision.
func evidenceNotes(a answer.MutationDetail) []answer.Sentence {
	if len(a.Decisions) == 0 {
		return nil
	}
	d := a.Decisions[len(a.Decisions)-1]
	return []answer.Sentence{{Kind: answer.Note, Text: fmt.Sprintf("These are all trials of both versions, also those that came after the decision. The decision had %s of the child and %d of the parent.", format.Counted(d.NChild, "trial"), d.NParent)}}
}

// addDecisions adds the decisions before the last one, and whether the last one replays.
func (b *builder) addDecisions(ctx context.Context, a answer.MutationDetail) error {
	n := len(a.Decisions)
	if n == 0 {
		return nil
	}
	b.addDecision(a.Decisions[n-1])
	if n > 1 {
		s := section{ID: "earlier", Title: "Earlier decisions"}
		for _, d := range a.Decisions[:n-1] {
			for _, line := range d.Brief() {
				s.Sentences = append(s.Sentences, sentenceOf(line))
			}
		}
		b.view.Sections = append(b.view.Sections, s)
	}
	lineage, err := get(ctx, b, ask.Lineage(), url.Values{"lineage": {a.Lineage}})
	if err != nil {
		return err
	}
	return b.later("replay", lineage.End.Number > longLedger, func() error { return b.addReplay(ctx, a.Lineage, a.Decisions[n-1]) })
}

// addReplay adds whether a decision replays.
func (b *builder) addReplay(ctx context.Context, lineage string, d answer.Decision) error {
	replay, err := get(ctx, b, ask.Replay(), url.Values{"lineage": {lineage}, "decision": {d.ID}})
	if err != nil {
		return err
	}
	s := section{ID: "replay", Title: "Replay"}
	own := len(d.Lead())
	for _, line := range replay.Lead()[min(own, len(replay.Lead())):] {
		s.Sentences = append(s.Sentences, sentenceOf(line))
	}
	hint := track.NewHint("replay it", "replay").With("lineage", lineage).With("decision", d.ID)
	s.Sentences = append(s.Sentences, hintSentence(b.request.Base, hint))
	b.view.Sections = append(b.view.Sections, s)
	return nil
}

// composeVersion shows a version: how it came to be, and its content.
func composeVersion(ctx context.Context, b *builder) error {
	a, err := get(ctx, b, ask.Version(), b.asked)
	if err != nil {
		return err
	}
	b.lineageTrail(a.Lineage)
	b.view.Heading = escape.Line("Version " + a.Version.Version + " of " + a.Lineage)
	b.view.Title = b.view.Heading
	for i, id := range a.Mutations {
		m, err := get(ctx, b, ask.Mutation(), url.Values{"mutation": {id}, "lineage": {a.Lineage}})
		if err != nil {
			return err
		}
		b.view.Sections = append(b.view.Sections, section{ID: "mutation-" + fmt.Sprint(i+1), Link: link{Text: "Mutation " + escape.Line(id), Href: b.address("mutation show", "mutation", id, "lineage", a.Lineage)}})
		if i > 0 { // the page says all of the first one
			continue
		}
		if err := b.addMutation(ctx, m); err != nil {
			return err
		}
	}
	table := a.Tables()[0]
	table.Notes, table.Title = nil, "version"
	b.addTable(table)
	content := section{ID: "content", Title: "Content"}
	if a.Content == nil {
		content.Sentences = []sentence{{Class: "note", Text: "The content is not recorded."}}
	} else {
		content.Code = escape.Code(*a.Content)
	}
	b.view.Sections = append(b.view.Sections, content)
	return nil
}
