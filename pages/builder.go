package pages

import (
	"context"
	"errors"
	"html/template"
	"io"
	"maps"
	"net/url"
	"slices"
	"strings"
	"sync"

	"track/answer"
	"track/answer/param"
	"track/ask"
	"track/reports/chart"
	"track/reports/document"
	"track/reports/escape"
)

// builder makes the view of one request.
type builder struct {
	page    Page
	request Request
	asked   url.Values // of the request, without what only the view depends on
	view    view
	shown   *shownNames
	part    []section // that the address asks for instead of the page, if it takes long
	files   map[string]pageFile
	sweep   *answer.Sweep // that the page is about; nil for none
	without string        // a column that no table shows
	// pictures stand beside the text of cells.
	pictures map[pictureKey]template.HTML
}

func newBuilder(p Page, r Request) *builder {
	path := strings.TrimSuffix(p.Path, "{$}")
	b := &builder{page: p, request: r, asked: askedOf(r.In), shown: &shownNames{Asker: r.Asker}}
	b.request.Asker = b.shown
	b.shown.note(p.question, b.asked) // also if the answer was kept
	b.view = view{
		Base: r.Base, Path: path, Title: p.Title, Heading: p.Title, Who: r.Who, Live: r.Live && !p.question.Live, Assets: assetAddress(r.Base),
		Places: places(r.Base, path, r.Admin),
	}
	if p.question.Name != "" {
		b.view.Form = b.form(p.question)
		if b.missing() == nil {
			b.view.Command, b.view.Gives = commandOf(p.question, b.asked)
			if !isPreviewed(p.question) { // the API would record a look
				b.view.Downloads = b.downloads(p.question)
			}
		}
	}
	return b
}

// places returns the menu: the main pages, and which of them a path belongs to.
func places(base, path string, admin bool) []link {
	list := []link{
		{Text: "Scenarios", Href: base + "/", Here: slices.Contains([]string{"/", "/report/stability", "/report/scenario", "/report/improvement", "/report/index", "/history", "/stability", "/seeds", "/show/seed", "/compare", "/params", "/series/show", "/series/bands", "/gate", "/matrix", "/artifact/list", "/baseline/show"}, path)},
		{Text: "Lineages", Href: base + "/lineage/list", Here: strings.HasPrefix(path, "/lineage") || strings.HasPrefix(path, "/mutation") || strings.HasPrefix(path, "/version")},
		{Text: "Executions", Href: base + "/executions", Here: path == "/executions" || path == "/show/execution"},
		{Text: "Sweeps", Href: base + "/sweep/list", Here: strings.HasPrefix(path, "/sweep")},
		{Text: "SQL", Href: base + "/query", Here: path == "/query"},
	}
	if admin {
		list = append(list, link{Text: "Tokens", Href: base + "/token/list", Here: strings.HasPrefix(path, "/token/")}, link{Text: "Status", Href: base + "/status", Here: path == "/status"})
	}
	return list
}

// askedOf returns the parameters of a question. Those of the view have a dot in their names.
func askedOf(in url.Values) url.Values {
	asked := url.Values{}
	for name, values := range in {
		if given := slices.DeleteFunc(slices.Clone(values), func(v string) bool { return v == "" }); !strings.Contains(name, ".") && len(given) > 0 {
			asked[name] = given
		}
	}
	return asked
}

// head sets the heading of the page: a name. The title of the window has before it what the page is a part of.
func (b *builder) head(heading string, of ...string) {
	b.view.Heading = escape.Line(heading)
	b.view.Title = escape.Line(strings.Join(append(of, heading), " › "))
}

// note adds a sentence to the lead.
func (b *builder) note(text string) {
	b.view.Lead = append(b.view.Lead, sentence{Class: "note", Text: escape.Line(text)})
}

// fact adds a number with what it rests on.
func (b *builder) fact(name, value, interval, basis string) {
	b.view.Facts = append(b.view.Facts, fact{name, value, interval, basis})
}

// add adds a section.
func (b *builder) add(s section) { b.view.Sections = append(b.view.Sections, s) }

// last returns the last section; one that is on no page if there is none.
func (b *builder) last() *section {
	if n := len(b.view.Sections); n > 0 {
		return &b.view.Sections[n-1]
	}
	return &section{}
}

// addFragment adds a section that a template of its own makes of a value.
func (b *builder) addFragment(id, title, name string, v any) error {
	html, err := fragment(name, v)
	b.add(section{ID: id, Title: title, HTML: html})
	return err
}

// titled adds a table with another title.
func (b *builder) titled(t answer.Table, title string) {
	t.Title = title
	b.addTable(t)
}

// addSentences adds a section of sentences, if there are any.
func (b *builder) addSentences(id, title string, list []answer.Sentence) {
	s := section{ID: id, Title: title}
	for _, one := range list {
		s.Sentences = append(s.Sentences, sentenceOf(one))
	}
	if len(list) > 0 {
		b.add(s)
	}
}

func (b *builder) write(w io.Writer) error {
	for _, f := range b.view.Facts {
		b.explain(f.Name)
	}
	for _, s := range b.part {
		if err := execute(w, "section", s); err != nil {
			return err
		}
	}
	if b.part != nil {
		return nil
	}
	part := b.request.In.Get(partParam)
	if part == panelPart {
		for i := range b.view.Sections {
			if t := b.view.Sections[i].Table; t != nil {
				t.Caption += ", " + b.view.Heading // the page around it may have a table of the same name
			}
		}
		return execute(w, "panel.html", b.view)
	}
	if i := slices.IndexFunc(b.view.Sections, func(s section) bool { return s.ID == part }); part != "" && i >= 0 {
		return execute(w, "section", b.view.Sections[i])
	}
	var err error
	if b.view.Shows, err = b.shown.list(); err != nil {
		return err
	}
	return execute(w, "page.html", b.view)
}

// partParam asks for one section of a page, for the sections that take long, or for what a panel of another page shows
// of it.
const (
	partParam = "part.page"
	panelPart = "panel"
)

// address returns the address of the page of a question; empty if it has none.
func (b *builder) address(question string, params ...string) string {
	return addressOf(b.request.Base, questionPaths()[question], params...)
}

// questionPaths returns the path of each question, by its name.
var questionPaths = sync.OnceValue(func() map[string]string { //nolint:gochecknoglobals // a constant
	paths := map[string]string{}
	for _, q := range slices.Concat(ask.All(), ask.Reports()) {
		paths[q.Name] = q.Path
	}
	return paths
})

func addressOf(base, path string, params ...string) string {
	in := url.Values{}
	for i := 0; i+1 < len(params); i += 2 {
		if params[i+1] != "" {
			in.Add(params[i], params[i+1])
		}
	}
	if len(in) == 0 {
		return base + "/" + path
	}
	return base + "/" + path + "?" + in.Encode()
}

// missing returns an error if a required parameter is not given: then the page is its form.
func (b *builder) missing() error {
	for _, p := range b.page.question.Params {
		if p.Required && !b.asked.Has(p.Name) {
			b.view.Lead = append([]sentence{{Class: "note", Text: capital(b.page.question.Help) + "."}}, b.unknownParams()...)
			return errors.New("a parameter is missing")
		}
	}
	return nil
}

// unknownParams warns of parameters of the address that the question has not: a form without them would look as if
// nothing had been asked.
func (b *builder) unknownParams() (list []sentence) {
	for _, name := range slices.Sorted(maps.Keys(b.asked)) {
		if !slices.ContainsFunc(b.page.question.Params, func(p param.Param) bool { return p.Name == name }) {
			list = append(list, sentence{Class: "warning", Text: escape.Line(name) + ": there is no such parameter. The form has the names of all."})
		}
	}
	return list
}

// get asks a question for the page.
func get[Q any, A answer.Answer](ctx context.Context, b *builder, def ask.Def[Q, A], in url.Values) (a A, err error) {
	got, err := b.request.Ask(ctx, def.Question(), in)
	if err != nil {
		return a, err
	}
	return got.(A), nil
}

// composeAnswer shows the answer to the question of the page: its lead and its tables, or a report.
func composeAnswer(ctx context.Context, b *builder) error {
	q := b.page.question
	if q.Ask == nil {
		d, err := b.request.Compose(ctx, q, b.asked)
		if err != nil {
			return err
		}
		b.head(d.Title)
		if isPreviewed(q) {
			b.keepDocument(d)
		}
		return b.addDocument(d, nil, nil)
	}
	a, err := b.askWhole(ctx, q)
	if err == nil {
		b.show(a)
	}
	return err
}

// show adds the lead and the tables of an answer.
func (b *builder) show(a answer.Answer) {
	b.lead(a.Lead())
	for _, t := range a.Tables() {
		b.addTable(t)
	}
	if list, ok := a.(interface{ NextPage() string }); ok && list.NextPage() != "" && b.last().Table != nil {
		if t := b.last().Table; t.More == "" {
			in := b.params()
			in.Del("from." + t.Name)
			in.Set("after", list.NextPage())
			t.More = b.at(in)
		}
		b.last().Table.Open = true
	}
}

// lead shows the first sentences: a heading becomes that of the page.
func (b *builder) lead(list []answer.Sentence) {
	for _, s := range list {
		if s.Kind == answer.Heading && len(b.view.Lead) == 0 {
			b.heading(s.Text)
			if s.Hint != nil {
				b.view.Lead = append(b.view.Lead, hintSentence(b.request.Base, *s.Hint))
			}
			continue
		}
		b.view.Lead = append(b.view.Lead, sentenceOf(s))
	}
	if first := slices.IndexFunc(b.view.Lead, func(s sentence) bool { return s.Class == string(answer.Verdict) }); first > 0 {
		b.view.Lead = slices.Concat(b.view.Lead[first:], b.view.Lead[:first]) // the verdict comes first
	}
}

// longHeading is the number of bytes from which on a heading is cut after the name that it begins with.
const longHeading = 56

// heading sets the heading of the page from the first sentence of an answer: a name. The rest stands below it, and
// parameters are folded.
func (b *builder) heading(text string) {
	name, params, hasParams := strings.Cut(escape.Line(text), ", params {")
	if hasParams {
		b.view.About = append(b.view.About, about{Name: "parameters", Value: "{" + params})
	}
	b.view.Title = name
	if at := strings.IndexAny(name, ",:;"); len(name) > longHeading && at > 0 && at < longHeading {
		b.view.Subtitle = strings.TrimSpace(name[at+1:])
		name = name[:at]
	}
	b.view.Heading = name
}

func sentenceOf(s answer.Sentence) sentence {
	out := sentence{Class: string(s.Kind), Text: escape.Lines(s.Text), Verdict: string(s.Verdict)}
	if state, rest, _ := strings.Cut(out.Text, " "); s.Kind == answer.Verdict && out.Verdict == "" && state == strings.ToUpper(state) { // ACCEPTED m-0001
		if out.Status = statusClass(state); out.Status != "" {
			out.Verdict, out.Text = state, strings.TrimLeft(rest, " ")
		}
	}
	if s.Kind == answer.Need {
		out.Text = "Next: " + out.Text
	}
	if s.Hint != nil {
		hint := hintSentence("", *s.Hint)
		if s.Text != "" {
			out.Text += "; "
		}
		out.Text, out.Command = out.Text+hint.Text, hint.Command
	}
	return out
}

// addTable adds a table as a section of its own.
func (b *builder) addTable(t answer.Table) {
	if t.ForPrograms || len(t.Rows) == 0 && t.HiddenIfEmpty {
		return
	}
	if b.without != "" {
		t = columnsOf(t, slices.DeleteFunc(namesOf(t), func(name string) bool { return name == b.without })...)
	}
	t.Title = capital(t.Title)
	s := section{ID: t.Name, Title: escape.Line(t.Title), Table: b.table(t)}
	for _, n := range t.Notes {
		s.Sentences = append(s.Sentences, sentenceOf(n))
	}
	b.view.Sections = append(b.view.Sections, s)
}

// addDocument adds the sections of a report whose titles begin with one of some texts; nil for all. Below each picture
// are links to it as files, and its marks lead where link says; nil for nowhere.
func (b *builder) addDocument(d document.Document, titles []string, link func(chart.Mark) string) error {
	sections, err := d.InlineSections(func(p document.Picture) (string, error) {
		files, err := fragment("figure-links", figure{Name: p.Name, Files: b.chartFile(p.Name, p.Chart)})
		return string(files), err
	}, link)
	for _, s := range sections {
		if s.Text != "" && (titles == nil || slices.ContainsFunc(titles, func(title string) bool { return strings.HasPrefix(s.Title, title) })) {
			b.add(section{ID: s.Anchor, Title: s.Title, HTML: b.linkSelectors(timedHTML(s.Text))})
		}
	}
	return err
}

// addPicture adds the chart of the answer to the question of the page, with links to it and to its data as files.
func (b *builder) addPicture(a answer.Answer) error {
	c, link := b.chartOf(a)
	if plot, ok := c.(plotted); !ok || len(plot.Plot().X) == 0 {
		return nil
	}
	return b.addChart(section{ID: "picture"}, c, link, b.view.Heading, b.answerFiles(b.page.question, b.asked), false)
}

// here returns the address of this page with another value of a parameter; an empty one takes it away.
func (b *builder) here(name, value string) string {
	in := b.params()
	if in.Del(name); value != "" {
		in.Set(name, value)
	}
	return b.at(in)
}

// params returns the parameters of the address, to be changed.
func (b *builder) params() url.Values {
	in := url.Values{}
	for key, values := range b.request.In {
		if key != partParam && key != fileParam {
			in[key] = values
		}
	}
	return in
}

// at returns the address of this page with other parameters.
func (b *builder) at(in url.Values) string {
	if len(in) == 0 {
		return b.request.Base + b.view.Path
	}
	return b.request.Base + b.view.Path + "?" + in.Encode()
}

// form returns a form for the parameters of a question.
func (b *builder) form(q ask.Question) *form {
	f := &form{Action: b.request.Base + b.view.Path, Open: b.missing() != nil}
	for _, p := range q.Params {
		if p.Local || p.Name == "after" {
			continue
		}
		i := inputOf(p, b.asked[p.Name])
		i.Help = strings.ReplaceAll(i.Help, "`", "")
		if p.Value.Type() == "array" {
			i.Value = strings.Join(b.asked[p.Name], " ")
		}
		f.Fields = append(f.Fields, i)
	}
	if len(f.Fields) == 0 {
		return nil
	}
	return f
}

// downloads lists the forms in which the API gives the answer.
func (b *builder) downloads(q ask.Question) (list []link) {
	formats := []link{{Text: "JSON", Href: "application/json"}, {Text: "CSV", Href: "text/csv"}, {Text: "Markdown", Href: "text/markdown"}}
	if q.Ask == nil {
		formats = []link{{Text: "HTML", Href: ask.HTML}, {Text: "Markdown", Href: "text/markdown"}}
	}
	for _, media := range q.Media {
		if q.Name == "params" && !b.asked.Has("plot") && !b.asked.Has("heatmap") {
			continue // a picture shows one of them
		}
		if _, suffix, found := strings.Cut(media, "image/"); found {
			formats = append(formats, link{Text: strings.ToUpper(strings.TrimSuffix(suffix, "+xml")), Href: media})
		}
	}
	for _, f := range formats {
		list = append(list, link{Text: f.Text, Href: b.download(q, b.asked, f.Href)})
	}
	return list
}

// downloadsOf lists the answer to a question that a page shows among others, as data.
func (b *builder) downloadsOf(name string, q ask.Question, in url.Values) []link {
	return []link{{Text: name + " as JSON", Href: b.download(q, in, "application/json")}, {Text: name + " as CSV", Href: b.download(q, in, "text/csv")}}
}

// download returns the address of the answer to a question as a file.
func (b *builder) download(q ask.Question, asked url.Values, media string) string {
	in := url.Values{"as": {media}}
	maps.Copy(in, asked)
	return b.request.Base + "/download/" + q.Path + "?" + in.Encode()
}
