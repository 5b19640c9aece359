package pages

import (
	"context"
	"encoding/json"
	"net/url"
	"slices"

	"track/answer"
	"track/ask"
	"track/reports/document"
)

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
