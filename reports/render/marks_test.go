package render

import (
	"bytes"
	"strings"
	"testing"

	"track/answer"
)

type markedAnswer struct{ text answer.MarkedText }

func (a markedAnswer) Lead() []answer.Sentence { return nil }
func (a markedAnswer) Tables() []answer.Table {
	return []answer.Table{{Name: "texts", Columns: answer.Columns{{Name: "text", Wrap: true}, {Name: "n"}}, Rows: [][]any{{a.text, 7}}}}
}

// Marks are bold on a terminal that wants colours, in each line anew; elsewhere there is the text alone.
func TestMarks(t *testing.T) {
	const bold, reset = "\x1b[1m", "\x1b[0m"
	whole := answer.MarkedText{Text: "one twice\u200ctwo three four five", Marks: []answer.TextRange{{Start: 4, End: 21}}}
	for _, tt := range []struct {
		options Options
		want    string
	}{
		{Options{Format: Table, Colour: true}, "one " + bold + "twice\ufffdtwo three" + reset + " four five  7"},
		{Options{Format: Table, Colour: true, Width: 20}, bold + "three" + reset + " four five"},
		{Options{Format: Table}, "one twice\ufffdtwo three four five  7"},
		{Options{Format: Markdown, Colour: true}, "one twice\ufffdtwo three four five | 7"},
		{Options{Format: CSV, Colour: true}, "one twice\u200ctwo three four five,7"},
	} {
		var b bytes.Buffer
		if err := Write(&b, markedAnswer{whole}, tt.options); err != nil || !strings.Contains(b.String(), tt.want) {
			t.Errorf("%+v: %q, want %q in it, %v", tt.options, b.String(), tt.want, err)
		}
		for line := range strings.Lines(b.String()) {
			if strings.Count(line, bold) != strings.Count(line, reset) {
				t.Errorf("%+v: a mark goes on behind its line: %q", tt.options, line)
			}
		}
	}
}
