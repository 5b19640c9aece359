package render

import (
	"bytes"
	"strings"
	"testing"
	"unicode/utf8"

	"track/answer"
)

type wideAnswer struct{}

func (wideAnswer) Lead() []answer.Sentence {
	return []answer.Sentence{{Kind: answer.Heading, Text: strings.Repeat("a long sentence ", 10)}}
}

func (wideAnswer) Tables() []answer.Table {
	columns := answer.Columns{{Name: "metric"}, {Name: "text", Wrap: true}, {Name: "p", Priority: 1}}
	return []answer.Table{{Name: "wide", Columns: columns, Rows: [][]any{{"m", strings.Repeat("word ", 40), 0.5}}}}
}

type fittingAnswer struct{ wideAnswer }

func (fittingAnswer) FitsLogs() {}

// Without a width, the tables of an answer that fits logs are laid out for one, and its sentences stay whole; other
// answers are as wide as they are.
func TestFittingAnswersInLogs(t *testing.T) {
	widest := func(a answer.Answer, o Options) (sentence, table int) {
		var b bytes.Buffer
		if err := Write(&b, a, o); err != nil {
			t.Fatal(err)
		}
		for i, line := range strings.Split(b.String(), "\n") {
			if n := utf8.RuneCountInString(line); i == 0 {
				sentence = n
			} else {
				table = max(table, n)
			}
		}
		return sentence, table
	}
	logs := Options{Format: Table, LogWidth: 60}
	if sentence, table := widest(fittingAnswer{}, logs); sentence < 150 || table > 60 {
		t.Errorf("in a log: sentence %d, table %d", sentence, table)
	}
	if _, table := widest(wideAnswer{}, logs); table < 200 {
		t.Errorf("another answer: table %d", table)
	}
	if _, table := widest(fittingAnswer{}, Options{Format: Table}); table < 200 {
		t.Errorf("of any width: table %d", table)
	}
	if sentence, table := widest(fittingAnswer{}, Options{Format: Table, Width: 40, LogWidth: 60}); sentence > 40 || table > 40 {
		t.Errorf("on a terminal: sentence %d, table %d", sentence, table)
	}
}
