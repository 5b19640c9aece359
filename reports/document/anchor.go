package document

import (
	"cmp"
	"strconv"
	"strings"
	"unicode"

	"track/reports/escape"
)

// Anchor returns the fragment, without its #, of the first heading of that text, in HTML as on GitHub.
func Anchor(heading string) string {
	slug := strings.Map(func(r rune) rune {
		switch {
		case r == ' ':
			return '-'
		case r == '-', alphanumeric(r), unicode.Is(unicode.M, r), unicode.Is(unicode.Pc, r):
			return unicode.ToLower(r)
		}
		return -1
	}, strings.Trim(escape.Line(heading), " "))
	return cmp.Or(slug, "section")
}

// anchors gives each heading a fragment of its own.
type anchors map[string]int

func (a anchors) next(heading string) string {
	slug := Anchor(heading)
	for anchor := slug; ; anchor = slug + "-" + strconv.Itoa(a[slug]) {
		if _, taken := a[anchor]; !taken {
			a[anchor] = 0
			return anchor
		}
		a[slug]++
	}
}
