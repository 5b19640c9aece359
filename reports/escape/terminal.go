package escape

import (
	"bytes"
	"fmt"
	"io"
	"unicode"
)

// Writer returns a writer of text that a terminal may show. Everything that is written passes through [Code], so that
// no recorded text can steer the terminal. A write ends with a whole character.
func Writer(w io.Writer) io.Writer { return textWriter{w} }

type textWriter struct{ to io.Writer }

func (w textWriter) Write(p []byte) (int, error) {
	if _, err := io.WriteString(w.to, Code(string(p))); err != nil {
		return 0, err
	}
	return len(p), nil
}

// JSON returns a JSON text that a terminal may show. It is the same value: the control characters that JSON allows in a
// string, and the marks that turn the direction of writing, become escapes such as \u009b.
func JSON(text []byte) []byte {
	if isASCII(text) || !bytes.ContainsFunc(text, steers) {
		return text
	}
	var b bytes.Buffer
	for _, r := range string(text) {
		if steers(r) {
			fmt.Fprintf(&b, `\u%04x`, r)
			continue
		}
		b.WriteRune(r)
	}
	return b.Bytes()
}

// isASCII reports whether a text has only characters below DEL. It reads a large answer in a tenth of the time that its
// characters take.
func isASCII(text []byte) bool {
	for _, c := range text {
		if c >= '\x7f' {
			return false
		}
	}
	return true
}

func steers(r rune) bool {
	return r == '\x7f' || r >= 0x80 && (unicode.IsControl(r) || unicode.Is(unicode.Bidi_Control, r) || r == '\u2028' || r == '\u2029')
}
