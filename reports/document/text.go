package document

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// merged returns the spans that have text, each pair of neighbours of one style as one.
func (t Text) merged() Text {
	var list Text
	for _, s := range t {
		last := len(list) - 1
		switch {
		case s.Text == "":
		case last >= 0 && list[last].Style == s.Style && list[last].Href == s.Href:
			list[last].Text += s.Text
		default:
			list = append(list, s)
		}
	}
	return list
}

// reference returns a relative path with its fragment, as a URL writes it. Whatever is in it, it leads to no other
// host and runs nothing.
func reference(href string) string {
	path, fragment, hasFragment := strings.Cut(href, "#")
	if strings.HasPrefix(path, "/") {
		path = "." + path
	}
	if hasFragment {
		return percent(path) + "#" + percent(fragment)
	}
	return percent(path)
}

// percent writes all bytes in hexadecimal but those that mean nothing in a URL, and the slashes of a path.
func percent(s string) string {
	const hex = "0123456789ABCDEF"
	var b strings.Builder
	for i := range len(s) {
		switch c := s[i]; {
		case 'a' <= c && c <= 'z', 'A' <= c && c <= 'Z', '0' <= c && c <= '9', strings.IndexByte("-._~/", c) >= 0:
			b.WriteByte(c)
		default:
			b.Write([]byte{'%', hex[c>>4], hex[c&15]})
		}
	}
	return b.String()
}

// wordlike reports whether a text begins and ends in letters or digits.
func wordlike(s string) bool {
	first, _ := utf8.DecodeRuneInString(s)
	last, _ := utf8.DecodeLastRuneInString(s)
	return alphanumeric(first) && alphanumeric(last)
}

func alphanumeric(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) }
