package masking

import "strings"

const (
	longestLabel = 60
	longestKey   = 16 << 10
)

// privateKey returns the block of a private key that begins or ends at the dashes at i.
func (s *scanner) privateKey(i int) span {
	if !strings.HasPrefix(s.text[i:], "-----") {
		return span{}
	}
	for strings.HasPrefix(s.text[i:], "------") {
		i++
	}
	text := s.text[i+len("-----"):]
	text = text[:min(len(text), longestKey)]
	switch {
	case strings.HasPrefix(text, "BEGIN "):
		label, ok := pemLabel(text[len("BEGIN "):])
		if !ok {
			return span{}
		}
		if next := strings.Index(text[len("BEGIN "):], "-----BEGIN "); next >= 0 {
			text = text[:len("BEGIN ")+next] // the key is cut off before the next one
		}
		ending := "-----END " + label + "-----"
		if n := strings.Index(text, ending); n >= 0 {
			return span{i, i + len("-----") + n + len(ending), "private-key"}
		}
		head := len("BEGIN ") + len(label) + len("-----")
		return span{i, i + len("-----") + head + pemLines(text[head:]), "private-key"}
	case strings.HasPrefix(text, "END "):
		label, ok := pemLabel(text[len("END "):])
		if !ok {
			return span{}
		}
		start := i - pemLinesBack(s.text[max(s.floor, i-longestKey):i])
		return span{start, i + len("-----END -----") + len(label), "private-key"}
	}
	return span{}
}

// pemLabel returns the label of a private key.
func pemLabel(text string) (string, bool) {
	label, _, ok := strings.Cut(text[:min(len(text), longestLabel)], "-----")
	return label, ok && strings.Contains(label, "PRIVATE KEY")
}

// pemLines returns how much of a text is the rest of a key that is cut off: lines of base64, indented or quoted, and
// the headers of old keys.
func pemLines(text string) int {
	n := 0
	for n < len(text) {
		line := text[n:]
		size := run(line, &isPEM)
		if size == len(line) {
			if isProse(line) {
				return n
			}
			return len(text)
		}
		switch {
		case line[size] == '\n' && !isProse(line[:size]):
			n += size + 1
		case strings.HasPrefix(line, "Proc-Type:") || strings.HasPrefix(line, "DEK-Info:"):
			end := strings.IndexByte(line, '\n')
			if end < 0 {
				return len(text)
			}
			n += end + 1
		case strings.IndexByte("\"'`", line[size]) >= 0 && !isProse(line[:size]):
			return n + size
		default:
			return n
		}
	}
	return n
}

// isProse reports whether a line has several words that are no base64.
func isProse(line string) bool {
	words := 0
	for word := range strings.FieldsSeq(line) {
		if words++; words > 1 && len(word) < 12 || words == 1 && len(word) < 16 &&
			strings.Contains(strings.TrimSpace(line), " ") {
			return true
		}
	}
	return false
}

// pemLinesBack returns how much of a text is the end of a key whose beginning is cut off.
func pemLinesBack(text string) int {
	n := runBack(text, &isPEMSpace)
	first := n
	for n < len(text) {
		rest := text[:len(text)-n]
		size := runBack(rest, &isBase64)
		if size == 0 {
			break
		}
		if strings.HasSuffix(rest[:len(rest)-size], "\\n") || size < 40 && n > first && size > 1 {
			n += size
			break
		}
		n += size
		n += runBack(rest[:len(rest)-size], &isPEMSpace)
	}
	if n < 16 {
		return 0
	}
	return n - run(text[len(text)-n:], &isPEMSpace)
}

// keyLines returns the lines of a key of PuTTY. i is where their number stands.
func (s *scanner) keyLines(i int) span {
	n := i + run(s.text[i:min(len(s.text), i+longestSpace)], &isDigit)
	rest := s.text[n:min(len(s.text), n+longestKey)]
	space := run(rest, &isPEMSpace)
	if end := strings.Index(rest, "Private-"); end > space {
		rest = rest[:end]
	}
	size := 0
	for size < len(rest) && (isBase64.has(rest[size]) || isPEMSpace.has(rest[size])) {
		size++
	}
	end := n + len(strings.TrimRight(rest[:size], " \t\r\n"))
	if end <= n+space {
		return span{}
	}
	return span{n + space, end, "private-key"}
}

var (
	isPEM      = set{digitBits | 1<<'+' | 1<<'/' | 1<<'=' | 1<<' ' | 1<<'\t' | 1<<'\r', letterBits | 1<<('\\'-64)}
	isPEMSpace = set{1<<' ' | 1<<'\t' | 1<<'\r' | 1<<'\n'}
)
