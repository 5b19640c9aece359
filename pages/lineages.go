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
	"track/internal/textdiff"
	"track/reports/chart"
	"track/reports/document"
	"track/reports/escape"
	"track/scoring/format"
)

const (
	// longLedger and longTree are how many entries a ledger has that takes long to replay, and to draw.
	longLedger, longTree = 500, 2000
	// mostObjectives is the largest number of objectives that links choose; the form takes any.
	mostObjectives = 16
)

// standing are the parameters of a list of lineages with how they stand.
func standing() url.Values { return url.Values{"standing": {"true"}} }

// composeLineages lists the lineages with how they stand.
func composeLineages(ctx context.Context, b *builder) error {
	a, err := get(ctx, b, ask.Lineages(), standing())
	if err != nil {
		return err
	}
	b.lead(a.Lead())
	if len(a.Items) > 0 {
		b.titled(lineageTable(a), "")
	}
	b.head("Lineages")
	b.view.Command = "track lineage list --standing"
	b.view.Downloads = b.downloadsOf("Lineages", ask.Lineages().Question(), standing())
	return nil
}

// lineageTable returns the table of lineages, the gain and the replay of each beside its active version.
func lineageTable(a answer.Lineages) answer.Table {
	t := a.Tables()[0]
	if !slices.ContainsFunc(t.Columns, func(c answer.Column) bool { return c.Name == "gain" }) {
		return t
	}
	t = columnsOf(t, "lineage", "head", "gain", "gain_interval", "gain_n", "replay", "n_mutations", "n_versions", "n_executions", "last")
	t.Notes = nil // the column is not shown
	if slices.ContainsFunc(t.Rows, func(row []any) bool { return !isEmpty(row[2]) }) {
		t.Notes = []answer.Sentence{{Kind: answer.Note, Text: fmt.Sprintf("The gain is that of the active version over the root, of the %d lineages with the newest executions. Ledgers of more than %d entries are not replayed here.", answer.MostStanding, answer.MostReplayed)}}
	}
	return t
}

// composeLineage shows a lineage: the verdict on its active version first, then what it rests on, its settings last.
func composeLineage(ctx context.Context, b *builder) error {
	a, err := get(ctx, b, ask.Lineage(), b.asked)
	if err != nil {
		return err
	}
	isLong := a.End.Number > longLedger
	lead := a.Lead()
	if !isLong {
		lead = lead[:1] // the report says the rest
	}
	b.lead(lead)
	b.head(a.Lineage)
	b.view.Subtitle = escape.Line(strings.TrimLeft(strings.TrimPrefix(lead[0].Text, a.Lineage), ", "))
	b.lineageTabs(a.Lineage, "lineage show")
	if err := b.later("report", isLong, func() error { return b.addLineageReport(ctx, a) }); err != nil {
		return err
	}
	b.view.Charts = b.view.Charts || isLong // its part has one
	if first := b.view.Sections; !isLong && len(first) > 0 && first[0].Title == "" {
		b.view.Verdict, b.view.Sections = first[0].HTML, first[1:]
	}
	for _, t := range a.Tables() {
		b.titled(t, t.Name)
		b.last().Folded = true
	}
	return nil
}

// addLineageReport adds the report of a lineage. The picture of its scores shows the values of each.
func (b *builder) addLineageReport(ctx context.Context, a answer.Lineage) error {
	d, err := b.request.Compose(ctx, ask.LineageReport().Question(), url.Values{"lineage": {a.Lineage}})
	if err != nil {
		return err
	}
	link := func(m chart.Mark) string { return b.address("version show", "version", a.Lineage+"@"+m.Label) }
	at := slices.IndexFunc(d.Blocks, func(block document.Block) bool {
		p, _ := block.(document.Picture)
		_, isScores := p.Chart.(chart.Lineage)
		return isScores
	})
	if at < 0 {
		return b.addDocument(d, nil, nil)
	}
	scores := d.Blocks[at].(document.Picture)
	d.Blocks = slices.Delete(slices.Clone(d.Blocks), at, at+1)
	first := len(b.view.Sections)
	if err := b.addDocument(d, nil, nil); err != nil {
		return err
	}
	c := scores.Chart.(chart.Lineage)
	c.Number = answer.Numbers{Scale: a.Settings.Scale}.Score
	linkVersions(b.view.Sections[first:], c.Candidates, func(version string) string { return link(chart.Mark{Label: version}) })
	from := len(b.view.Sections)
	if err := b.addChart(section{ID: "score-chart"}, c, link, scores.Name, nil, false); err != nil {
		return err
	}
	if err := b.addLineageFront(ctx, a.Lineage); err != nil {
		return err
	}
	made := slices.Clone(b.view.Sections[from:])
	after := slices.IndexFunc(b.view.Sections, func(s section) bool { return s.Title == "Tree" })
	b.view.Sections = slices.Insert(b.view.Sections[:from], after+1, made...)
	return nil
}

// linkVersions makes the names of candidates, which stand in cells of a report, links to their pages. What opens a part
// that is folded holds no links.
func linkVersions(sections []section, candidates []chart.Candidate, link func(version string) string) {
	pairs := make([]string, 0, 2*len(candidates))
	for _, c := range candidates {
		name := html.EscapeString(c.Label)
		pairs = append(pairs, "<td>"+name+"</td>", `<td><a href="`+html.EscapeString(link(c.Label))+`">`+name+"</a></td>")
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
	b.lineageTabs(a.Lineage, "lineage history")
	if err := b.addPicture(a); err != nil {
		return err
	}
	b.show(a)
	return nil
}

// lineageTabList are the tabs of a lineage.
var lineageTabList = []tab{ //nolint:gochecknoglobals // a constant
	{"State", "lineage show", ""}, {"Tree", "lineage tree", ""}, {"Front", "lineage front", ""}, {"Mutations", "mutation list", ""}, {"Versions", "version list", ""}, {"History", "lineage history", ""},
	{"Executions", "executions", ""}, {"Operators", "operators", ""}, {"Draws", "draws", ""}, {"Replay", "replay", ""},
}

// lineageTabs says which lineage a page belongs to, and leads to the pages about it; none if here is empty.
func (b *builder) lineageTabs(lineage, here string) {
	b.view.Trail = []link{{Text: "Lineages", Href: b.address("lineage list")}}
	if here != "lineage show" {
		b.view.Trail = append(b.view.Trail, link{Text: escape.Line(lineage), Href: b.address("lineage show", "lineage", lineage)})
	}
	for _, t := range lineageTabList {
		if here != "" {
			b.view.Tabs = append(b.view.Tabs, link{Text: t.text, Href: b.address(t.question, "lineage", lineage), Here: t.question == here})
		}
	}
}

// composeMutation shows a mutation: its last decision first, then what it changes, its evidence, and the replay.
func composeMutation(ctx context.Context, b *builder) error {
	a, err := get(ctx, b, ask.Mutation(), b.asked)
	if err != nil {
		return err
	}
	b.lineageTabs(a.Lineage, "")
	b.head("Mutation " + a.ID + " of " + a.Lineage)
	if err := b.addMutation(ctx, a); err != nil {
		return err
	}
	t := a.Tables()[0]
	t.Notes = nil // they stand above
	b.titled(t, "Mutation")
	return nil
}

// composeVersion shows a version: how it came to be, and its content.
func composeVersion(ctx context.Context, b *builder) error {
	a, err := get(ctx, b, ask.Version(), b.asked)
	if err != nil {
		return err
	}
	b.lineageTabs(a.Lineage, "")
	b.head("Version " + a.Version.Version + " of " + a.Lineage)
	for i, id := range a.Mutations {
		b.add(section{ID: "mutation-" + fmt.Sprint(i+1), Link: link{Text: "Mutation " + escape.Line(id), Href: b.address("mutation show", "mutation", id, "lineage", a.Lineage)}})
		if i > 0 { // the page says all of the first one
			continue
		}
		m, err := get(ctx, b, ask.Mutation(), url.Values{"mutation": {id}, "lineage": {a.Lineage}})
		if err != nil {
			return err
		}
		if err := b.addMutation(ctx, m); err != nil {
			return err
		}
	}
	t := a.Tables()[0]
	t.Notes = nil
	b.titled(t, "Version")
	content := section{ID: "content", Title: "Content"}
	if a.Content == nil {
		content.Sentences = []sentence{{Class: "note", Text: "The content is not recorded."}}
	} else {
		content.Code = escape.Code(*a.Content)
	}
	b.add(content)
	return nil
}

// addMutation adds what a page says of a mutation.
func (b *builder) addMutation(ctx context.Context, a answer.MutationDetail) error {
	n := len(a.Decisions)
	if n > 0 {
		last := a.Decisions[n-1]
		b.lead(slices.Concat(last.Brief()[:1], warningsOf(last.Sentences())))
		b.view.Facts = decisionFacts(last)
	} else {
		b.lead([]answer.Sentence{{Kind: answer.Verdict, Text: strings.ToUpper(string(a.State)) + "  " + a.ID + ": " + a.Child}})
	}
	undecided := a
	undecided.Decisions = nil
	b.addSentences("about", "About", undecided.Tables()[0].Notes)
	diff, err := get(ctx, b, ask.MutationDiff(), url.Values{"mutation": {a.ID}, "lineage": {a.Lineage}})
	if err == nil {
		b.addDiff(diff)
	} else if !isAbsent(err) { // a root has nothing to differ from
		return err
	}
	if len(a.Parents) > 0 {
		compared, err := get(ctx, b, ask.CompareVersions(), url.Values{"version": {a.Lineage + "@" + a.Parents[0], a.Lineage + "@" + a.Child}})
		if err != nil && !isAbsent(err) {
			return err
		}
		for i, t := range compared.Tables() {
			if err != nil {
				break
			}
			if i == 0 {
				t.Title = "Evidence by task"
				if n > 0 {
					d := a.Decisions[n-1]
					t.Notes = append(t.Notes, answer.Sentence{Kind: answer.Note, Text: fmt.Sprintf("These are all trials of both versions, also those that came after the decision. The decision had %s of the child and %d of the parent.", format.Counted(d.NChild, "trial"), d.NParent)})
				}
			}
			b.addTable(t)
		}
	}
	if n == 0 {
		return nil
	}
	b.addDecision(a.Decisions[n-1])
	var earlier []answer.Sentence
	for _, d := range a.Decisions[:n-1] {
		earlier = append(earlier, d.Brief()...)
	}
	b.addSentences("earlier", "Earlier decisions", earlier)
	lineage, err := get(ctx, b, ask.Lineage(), url.Values{"lineage": {a.Lineage}})
	if err != nil {
		return err
	}
	return b.later("replay", lineage.End.Number > longLedger, func() error { return b.addReplay(ctx, a.Lineage, a.Decisions[n-1]) })
}

// addDecision adds what a decision says besides the lead of the page.
func (b *builder) addDecision(d answer.Decision) {
	s := section{ID: "decision", Title: "Decision"}
	for _, line := range d.Lead() {
		if shown := sentenceOf(line); !slices.Contains(b.view.Lead, shown) {
			s.Sentences = append(s.Sentences, shown)
		}
	}
	b.add(s)
}

func warningsOf(list []answer.Sentence) []answer.Sentence {
	return slices.DeleteFunc(slices.Clone(list), func(s answer.Sentence) bool { return s.Kind != answer.Warning })
}

// isAbsent reports whether an error says that there is nothing to show.
func isAbsent(err error) bool {
	return errors.Is(err, track.ErrNotFound) || errors.Is(err, track.ErrInvalid)
}

// addReplay adds whether a decision replays.
func (b *builder) addReplay(ctx context.Context, lineage string, d answer.Decision) error {
	replay, err := get(ctx, b, ask.Replay(), url.Values{"lineage": {lineage}, "decision": {d.ID}})
	if err != nil {
		return err
	}
	b.addSentences("replay", "Replay", replay.Lead()[min(len(d.Lead()), len(replay.Lead())):])
	if s := b.last(); s.ID == "replay" {
		hint := track.NewHint("replay it", "replay").With("lineage", lineage).With("decision", d.ID)
		s.Sentences = append(s.Sentences, hintSentence(b.request.Base, hint))
	}
	return nil
}

// decisionFacts returns the numbers that a decision rests on.
func decisionFacts(d answer.Decision) (list []fact) {
	numbers := answer.Numbers{Scale: d.Scale}
	if d.Delta != nil {
		list = append(list, fact{Name: "delta", Value: numbers.Gain(*d.Delta), Basis: fmt.Sprintf("n = %d and %d", d.NChild, d.NParent)})
		if i := d.CI; i != nil {
			if i.N > 0 && i.Estimate != *d.Delta { // the policy compared something else than the means of the pairs
				list = append(list, fact{Name: "mean of pairs", Value: numbers.Gain(i.Estimate), Basis: format.Counted(i.N, "pair")})
			}
			of := &list[len(list)-1]
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

// diffLine is a line of a unified difference.
type diffLine struct {
	Class  string
	Pieces []piece // the words that changed are marked
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
	b.add(s)
}

// diffLines returns the lines of a unified difference. Lines that take the place of others are compared word by word.
func diffLines(text string) (list []diffLine) {
	var removed, added, notes []string
	flush := func() {
		from, to := strings.Join(removed, ""), strings.Join(added, "")
		old, changed := []textdiff.Piece{{Text: from}}, []textdiff.Piece{{Text: to}}
		if from != "" && to != "" {
			old, changed = textdiff.Words(from, to)
		}
		list = slices.Concat(list, signedLines("removed", "-", old), signedLines("added", "+", changed))
		for _, note := range notes {
			list = append(list, diffLine{"", []piece{{Text: escape.Code(note)}}})
		}
		removed, added, notes = nil, nil, nil
	}
	for line := range strings.Lines(text) {
		class := ""
		switch {
		case strings.HasPrefix(line, "@@"):
			class = "hunk"
		case len(list) < 2 && (strings.HasPrefix(line, "--- ") || strings.HasPrefix(line, "+++ ")):
			class = "file"
		case strings.HasPrefix(line, "-"):
			if len(added) > 0 {
				flush()
			}
			removed = append(removed, line[1:])
			continue
		case strings.HasPrefix(line, "+"):
			added = append(added, line[1:])
			continue
		case strings.HasPrefix(line, `\ `): // a text has no newline at its end
			if notes = append(notes, line); len(added) == 0 {
				closeLine(removed)
			} else {
				closeLine(added)
			}
			continue
		}
		flush()
		list = append(list, diffLine{class, []piece{{Text: escape.Code(line)}}})
	}
	flush()
	return list
}

// closeLine ends the last of some lines.
func closeLine(lines []string) {
	if last := len(lines) - 1; last >= 0 && !strings.HasSuffix(lines[last], "\n") {
		lines[last] += "\n"
	}
}

// signedLines cuts pieces into lines, each with its sign.
func signedLines(class, sign string, list []textdiff.Piece) (lines []diffLine) {
	begun := false
	for _, p := range list {
		for text := range strings.Lines(p.Text) {
			if !begun {
				lines = append(lines, diffLine{class, []piece{{Text: sign}}})
			}
			last := &lines[len(lines)-1]
			last.Pieces = append(last.Pieces, piece{escape.Code(text), p.Changed && strings.TrimSpace(text) != ""})
			begun = !strings.HasSuffix(text, "\n")
		}
	}
	return lines
}

// composeFront shows the versions of a lineage by two objectives, as a chart and as a table.
func composeFront(ctx context.Context, b *builder) error {
	return b.composeLong(ctx, "Front", "lineage front", func(isLong bool) error {
		a, err := get(ctx, b, ask.LineageFront(), b.asked)
		if err != nil {
			return err
		}
		b.about(a.About(), isLong)
		if len(a.Items) > 0 {
			if err := b.addFront(a, "", b.asked); err != nil {
				return err
			}
			if err := b.addObjectives(a); err != nil {
				return err
			}
		}
		for _, t := range a.Tables() {
			b.addTable(t)
		}
		return nil
	})
}

// composeLong shows what takes long of a lineage with a long ledger after the rest of its page.
func (b *builder) composeLong(ctx context.Context, title, question string, add func(isLong bool) error) error {
	lineage, err := get(ctx, b, ask.Lineage(), url.Values{"lineage": b.asked["lineage"]})
	if err != nil {
		return err
	}
	b.lineageTabs(lineage.Lineage, question)
	isLong := lineage.End.Number > longTree
	err = b.later("whole-"+strings.ToLower(title), isLong, func() error { return add(isLong) })
	b.view.Charts = b.view.Charts || isLong
	b.head(title + " of " + lineage.Lineage)
	return err
}

// about shows the lead of an answer; in a part that comes later without its heading, which the page has.
func (b *builder) about(lead []answer.Sentence, isLater bool) {
	if isLater {
		b.addSentences("about", "", lead[1:])
	} else {
		b.lead(lead)
	}
}

// addLineageFront adds the front of a lineage to its page, if there are two objectives.
func (b *builder) addLineageFront(ctx context.Context, lineage string) error {
	in := url.Values{"lineage": {lineage}}
	a, err := get(ctx, b, ask.LineageFront(), in)
	if isAbsent(err) {
		return nil
	}
	if err != nil || len(a.Items) < 2 || strings.HasPrefix(a.X.Name, answer.ObjectiveTask) { // the report compares tasks
		return err
	}
	if err := b.addFront(a, capital(a.Y.Name)+" against "+a.X.Name, in); err != nil {
		return err
	}
	made := b.last()
	for _, s := range append(a.About()[1:2], a.Directions()...) {
		made.Sentences = append(made.Sentences, sentenceOf(s))
	}
	made.Link = link{Text: "Choose the objectives", Href: b.address("lineage front", "lineage", lineage)}
	b.titled(a.Tables()[0], "Versions by "+a.Y.Name+" and "+a.X.Name)
	b.last().Folded = true
	return nil
}

// addFront adds the chart of a front.
func (b *builder) addFront(a answer.LineageFront, title string, in url.Values) error {
	c, link := b.chartOf(a)
	return b.addChart(section{ID: "front-chart", Title: escape.Line(title)}, c, link, "The front of "+a.Lineage, b.answerFiles(ask.LineageFront().Question(), in), false)
}

// addObjectives adds links that choose what the axes are, and of ground truth whether more or less is better.
func (b *builder) addObjectives(a answer.LineageFront) error {
	list := []choices{{Text: "Along"}, {Text: "Up"}}
	axes := [2]answer.Objective{a.X, a.Y}
	for _, o := range a.Objectives[:min(len(a.Objectives), mostObjectives)] {
		for k := range axes {
			if o.Name != axes[1-k].Name {
				in, names := b.params(), [2]string{a.X.Name, a.Y.Name}
				names[k] = o.Name
				in.Set("x", names[0])
				in.Set("y", names[1])
				list[k].Choices = append(list[k].Choices, link{Text: escape.Line(o.Name), Href: b.at(in), Here: o.Name == axes[k].Name})
			}
		}
	}
	for _, o := range axes {
		if strings.HasPrefix(o.Name, answer.ObjectiveTruth) {
			more, less := b.params(), b.params()
			others := slices.DeleteFunc(slices.Clone(more["minimize"]), func(name string) bool { return name == o.Name })
			more["minimize"], less["minimize"] = others, append(slices.Clone(others), o.Name)
			list = append(list, choices{escape.Line(o.Name), []link{{Text: "more is better", Href: b.at(more), Here: !o.Minimize}, {Text: "less is better", Href: b.at(less), Here: o.Minimize}}})
		}
	}
	err := b.addFragment("objectives", "", "choices", list)
	if more := len(a.Objectives) - mostObjectives; more > 0 {
		b.last().Sentences = []sentence{{Class: "note", Text: format.Counted(more, "more objective") + ": name them in the parameters."}}
	}
	return err
}
