package pages_test

import (
	"context"
	"io"
	"net/url"
	"testing"

	"track/answer"
	"track/ask"
	"track/pages"
	"track/reports/document"
)

// countedAnswer counts how often its tables are made.
type countedAnswer struct{ made *int }

func (countedAnswer) Lead() []answer.Sentence { return nil }

func (a countedAnswer) Tables() []answer.Table {
	*a.made++
	rows := make([][]any, 1000)
	for i := range rows {
		rows[i] = []any{i}
	}
	return []answer.Table{{Name: "rows", Columns: answer.Columns{{Name: "i"}}, Rows: rows}}
}

// oneAnswer answers each question with the same, and keeps what is kept.
type oneAnswer struct {
	answer answer.Answer
	asked  *int
	kept   map[string]answer.Answer
}

func (o oneAnswer) Ask(context.Context, ask.Question, url.Values) (answer.Answer, error) {
	*o.asked++
	return o.answer, nil
}

func (oneAnswer) Compose(context.Context, ask.Question, url.Values) (document.Document, error) {
	return document.Document{}, nil
}

func (o oneAnswer) Kept(key string) (answer.Answer, bool) {
	a, found := o.kept[key]
	return a, found
}

func (o oneAnswer) Keep(key string, a answer.Answer) { o.kept[key] = a }

// The tables of a long answer are made once, however many pages of its rows are read.
func TestTablesAreMadeOnce(t *testing.T) {
	t.Parallel()
	made, asked := 0, 0
	from := oneAnswer{countedAnswer{&made}, &asked, map[string]answer.Answer{}}
	for _, p := range pages.All() {
		if p.Path != "/query" {
			continue
		}
		for _, row := range []string{"0", "100", "200"} {
			in := url.Values{"sql": {"SELECT 1"}, "from.rows": {row}, "part.page": {"rows"}}
			if err := p.Write(t.Context(), io.Discard, pages.Request{Asker: from, Keeper: from, In: in}); err != nil {
				t.Fatal(err)
			}
		}
	}
	if made != 1 || asked != 1 {
		t.Errorf("the tables were made %d times for %d answers, want once for one", made, asked)
	}
}
