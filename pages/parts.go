package pages

import (
	"context"
	"encoding/json"
	"maps"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"track/answer"
	"track/answer/param"
	"track/ask"
	"track/reports/document"
)

const (
	mostRows = 200_000 // of a list that is sorted or filtered
	keptRows = 2 * pageRows
)

// Keeper keeps what is large and asked for again while a reader scrolls. What it keeps is of one state of the database.
type Keeper interface {
	Kept(key string) (a answer.Answer, found bool)
	Keep(key string, a answer.Answer)
}

// askWhole asks the question of the page. A list of which the address sorts or filters the rows is asked page by page to
// its end: the first page alone would be sorted otherwise.
func (b *builder) askWhole(ctx context.Context, q ask.Question) (a answer.Answer, err error) {
	isWhole := b.needsWhole(q)
	key := q.Name + "?" + b.asked.Encode()
	if isWhole {
		key += "&whole"
	}
	if kept, found := b.request.Kept(key); found {
		return kept, nil
	}
	if isWhole {
		a, err = b.askPages(ctx, q)
	} else {
		a, err = b.request.Ask(ctx, q, b.asked)
	}
	if err != nil {
		return nil, err
	}
	a = tabled{a, a.Tables()}
	if !b.asked.Has("since") && slices.ContainsFunc(a.Tables(), func(t answer.Table) bool { return len(t.Rows) > keptRows }) {
		b.request.Keep(key, a)
	}
	return a, nil
}

// tabled is an answer whose tables are made once: those of a query take as long as the query.
type tabled struct {
	answer.Answer
	tables []answer.Table
}

// Tables implements [answer.Answer].
func (t tabled) Tables() []answer.Table { return t.tables }

// NextPage returns the cursor of the next page of a list; empty for the last page and for other answers.
func (t tabled) NextPage() string {
	if list, ok := t.Answer.(answer.Listing); ok {
		return list.NextPage()
	}
	return ""
}

// Limited implements [answer.LimitedAnswer].
func (t tabled) Limited() *answer.Sentence {
	if limited, ok := t.Answer.(answer.LimitedAnswer); ok {
		return limited.Limited()
	}
	return nil
}

// needsWhole reports whether the rows of all pages of a list are needed: unless the address names a page itself.
func (b *builder) needsWhole(q ask.Question) bool {
	if !slices.ContainsFunc(q.Params, func(p param.Param) bool { return p.Name == "after" }) || b.asked.Has("after") || b.asked.Has("limit") {
		return false
	}
	for name := range maps.Keys(b.request.In) {
		kind, _, _ := strings.Cut(name, ".")
		if slices.Contains([]string{"sort", "filter", "where"}, kind) && b.request.In.Get(name) != "" {
			return true
		}
	}
	return false
}

// askPages returns an answer with the rows of all pages.
func (b *builder) askPages(ctx context.Context, q ask.Question) (answer.Answer, error) {
	in := maps.Clone(b.asked)
	in.Set("limit", strconv.Itoa(answer.MaxPage))
	var whole *wholeList
	for {
		a, err := b.request.Ask(ctx, q, in)
		if err != nil {
			return nil, err
		}
		if whole == nil {
			whole = &wholeList{lead: a.Lead(), tables: a.Tables()}
		} else {
			whole.add(a.Tables())
		}
		list, ok := a.(answer.Listing)
		if !ok || list.NextPage() == "" {
			return whole, nil
		}
		if len(whole.tables) == 0 || len(whole.main().Rows) >= mostRows {
			whole.lead = append(whole.lead, answer.Sentence{Kind: answer.Warning, Text: "only the first " + strconv.Itoa(mostRows) + " rows are sorted and filtered; the parameters of this page choose fewer"})
			return whole, nil
		}
		in.Set("after", list.NextPage())
	}
}

// wholeList is an answer made of all pages of a list: its last table grows.
type wholeList struct {
	lead   []answer.Sentence
	tables []answer.Table
}

// Lead implements [answer.Answer].
func (w *wholeList) Lead() []answer.Sentence { return w.lead }

// Tables implements [answer.Answer].
func (w *wholeList) Tables() []answer.Table { return w.tables }

func (w *wholeList) main() *answer.Table { return &w.tables[len(w.tables)-1] }

// add adds the rows of a further page. Its table can have other columns, such as tags if some of its rows have some.
func (w *wholeList) add(tables []answer.Table) {
	if len(tables) == 0 || len(w.tables) == 0 {
		return
	}
	to, from := w.main(), tables[len(tables)-1]
	to.Notes = nil // such as that there is another page
	places := make([]int, len(from.Columns))
	for i, c := range from.Columns {
		if places[i] = slices.Index(to.Columns, c); places[i] < 0 {
			places[i] = len(to.Columns)
			to.Columns = append(slices.Clone(to.Columns), c)
		}
	}
	for _, row := range from.Rows {
		cells := make([]any, len(to.Columns))
		for i, cell := range row {
			cells[places[i]] = cell
		}
		to.Rows = append(to.Rows, cells)
	}
	for i, row := range to.Rows { // of pages without the new columns
		if len(row) == len(to.Columns) {
			break
		}
		to.Rows[i] = append(slices.Clone(row), make([]any, len(to.Columns)-len(row))...)
	}
}

const (
	shown = "shown" // the value of a parameter that unfolds something
	// laterParam shows all parts of a page at once.
	laterParam = "later.page"
)

// later says where a part of a page is that takes long.
type later struct {
	Part  string // address of the part alone, for a script
	Whole string // address of the page with the part
}

// later adds sections that take long. A script asks for them once the page is shown; without a script, a link leads to
// the page with them.
func (b *builder) later(id string, isLong bool, add func() error) error {
	return b.laterInstead(id, isLong, func() error {
		b.view.Sections = append(b.view.Sections, section{})
		return nil
	}, add)
}

// laterInstead is [builder.later] with a section that stands there until then: what is quick of the whole one.
func (b *builder) laterInstead(id string, isLong bool, addQuick, add func() error) error {
	part := b.request.In.Get(partParam)
	if isLong && part != id && part != panelPart && !IsFile(b.request.In) && b.request.In.Get(laterParam) != shown {
		err := addQuick()
		b.view.Sections[len(b.view.Sections)-1].Later = &later{b.here(partParam, id), b.here(laterParam, shown)}
		return err
	}
	from := len(b.view.Sections)
	err := add()
	if part == id {
		b.part = slices.Clone(b.view.Sections[from:])
	}
	return err
}

// shownNames notes of which scenarios and lineages a page shows something: of those that its questions name. A question
// without names is about all of them, unless it is about one record.
type shownNames struct {
	Asker
	names   []string
	showAll bool
}

func (s *shownNames) Ask(ctx context.Context, q ask.Question, in url.Values) (answer.Answer, error) {
	s.note(q, in)
	return s.Asker.Ask(ctx, q, in)
}

func (s *shownNames) Compose(ctx context.Context, q ask.Question, in url.Values) (document.Document, error) {
	s.note(q, in)
	return s.Asker.Compose(ctx, q, in)
}

func (s *shownNames) note(q ask.Question, in url.Values) {
	names := q.Names(in)
	s.showAll = s.showAll || len(names) == 0 && q.Name != ask.Sweep().Name && q.Name != ask.ShowExecution().Name
	for _, n := range names {
		s.add(n.Text)
	}
}

func (s *shownNames) add(name string) {
	if !slices.Contains(s.names, name) {
		s.names = append(s.names, name)
	}
}

// list returns the names as JSON, after null for changes without a name; empty if a change of any other may matter too.
func (s *shownNames) list() (string, error) {
	if s.showAll || len(s.names) == 0 {
		return "", nil
	}
	list := []any{nil}
	for _, name := range s.names {
		list = append(list, name)
	}
	text, err := json.Marshal(list)
	return string(text), err
}
