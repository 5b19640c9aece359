package gunzip

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"errors"
	"io"
	"strings"
	"testing"
)

func zipped(t *testing.T, text string) string {
	t.Helper()
	var b bytes.Buffer
	w := gzip.NewWriter(&b)
	if _, err := io.WriteString(w, text); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// Whatever follows what is compressed, however short, is named: zeros, a line, half the head of another part.
func TestRead(t *testing.T) {
	a, b := zipped(t, "one\n"), zipped(t, "two\n")
	for name, tt := range map[string]struct {
		in, text string
		err      error
	}{
		"whole":                  {a, "one\n", nil},
		"two parts":              {a + b, "one\ntwo\n", nil},
		"empty":                  {"", "", errNotGzip},
		"one byte":               {a[:1], "", errNotGzip},
		"nine bytes of text":     {"123456789", "", errNotGzip},
		"text":                   {strings.Repeat("text ", 10), "", errNotGzip},
		"cut off":                {a[:len(a)-1], "one\n", io.ErrUnexpectedEOF},
		"a byte behind":          {a + "x", "one\n", ErrTrailing},
		"nine bytes behind":      {a + "123456789", "one\n", ErrTrailing},
		"zeros behind":           {a + string(make([]byte, 512)), "one\n", ErrTrailing},
		"second part cut off":    {a + b[:len(b)-9], "one\n", io.ErrUnexpectedEOF},
		"second head cut off":    {a + b[:5], "one\n", io.ErrUnexpectedEOF},
		"second head, two bytes": {a + b[:2], "one\n", io.ErrUnexpectedEOF},
	} {
		r, err := NewReader(bufio.NewReader(strings.NewReader(tt.in)))
		var text []byte
		if err == nil {
			text, err = io.ReadAll(r)
		}
		if !errors.Is(err, tt.err) || string(text[:min(len(text), len(tt.text))]) != tt.text[:min(len(text), len(tt.text))] || tt.err == nil && string(text) != tt.text {
			t.Errorf("%s: %q, %v; want %q, %v", name, text, err, tt.text, tt.err)
		}
	}
}
