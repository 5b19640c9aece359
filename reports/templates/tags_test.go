package templates_test

import (
	"strings"
)

// tagNames reads the tags of a page as browsers do, in a few words: values of attributes may be in quotes, and are left
// out. The marks that escaping itself makes are left out too: <code>, <span> around a dollar sign.
func tagNames(page string) string {
	var names []string
	for {
		at := strings.IndexByte(page, '<')
		if at < 0 || at+1 == len(page) {
			return strings.Join(names, " ")
		}
		page = page[at+1:]
		if strings.HasPrefix(page, "!") || !strings.ContainsAny(page[:1], "/abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ") {
			if strings.HasPrefix(page, "!") {
				names = append(names, "!")
			}
			continue
		}
		var name string
		name, page = readTag(page)
		switch first, _, _ := strings.Cut(strings.TrimPrefix(name, "/"), " "); first {
		case "code", "span", "br":
		default:
			names = append(names, name)
		}
	}
}

// readTag gives the name of a tag with the names of its attributes, and what is behind it.
func readTag(page string) (name, rest string) {
	var b strings.Builder
	for i := 0; i < len(page); i++ {
		switch c := page[i]; c {
		case '>':
			return strings.Join(strings.Fields(b.String()), " "), page[i+1:]
		case '=':
			b.WriteByte('=')
			if i+1 < len(page) && strings.IndexByte(`"'`, page[i+1]) >= 0 {
				end := strings.IndexByte(page[i+2:], page[i+1])
				if end < 0 {
					return b.String(), ""
				}
				i += 2 + end
				continue
			}
			for i+1 < len(page) && strings.IndexByte(" \n\t>", page[i+1]) < 0 {
				i++
			}
		default:
			b.WriteByte(c)
		}
	}
	return b.String(), ""
}
