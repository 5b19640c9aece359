package textdiff_test

import (
	"strings"
	"testing"

	"track/internal/textdiff"
)

// marked writes pieces with what is changed in brackets.
func marked(list []textdiff.Piece) string {
	var text strings.Builder
	for _, p := range list {
		if p.Changed {
			text.WriteString("[" + p.Text + "]")
		} else {
			text.WriteString(p.Text)
		}
	}
	return text.String()
}

func TestWords(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ from, to, old, changed string }{
		{"Be brief, and answer in English.", "Be brief, and answer in German.", "Be brief, and answer in [English].", "Be brief, and answer in [German]."},
		{"a b\nc d", "a b c\nd", "a b[\n]c[ ]d", "a b[ ]c[\n]d"},
		{"one two three", "one three", "one [two ]three", "one three"},
		{"", "new", "", "[new]"},
		{"alpha beta gamma", "un deux trois quatre", "alpha beta gamma", "un deux trois quatre"}, // nothing in common: not marked
		{"grün und grün", "grün oder grün", "grün [und] grün", "grün [oder] grün"},
	} {
		old, changed := textdiff.Words(tt.from, tt.to)
		if marked(old) != tt.old && tt.from != "" || marked(changed) != tt.changed {
			t.Errorf("%q, %q: %s, %s; want %s, %s", tt.from, tt.to, marked(old), marked(changed), tt.old, tt.changed)
		}
	}
}

// TestWordsOfLongTexts holds that the pieces are always the whole texts, and that long texts do not take long.
func TestWordsOfLongTexts(t *testing.T) {
	t.Parallel()
	from, to := strings.Repeat("a b ", 3000), strings.Repeat("b a ", 3000)
	old, changed := textdiff.Words(from, to)
	if strings.NewReplacer("[", "", "]", "").Replace(marked(old)) != from || strings.NewReplacer("[", "", "]", "").Replace(marked(changed)) != to {
		t.Error("a piece is missing")
	}
}
