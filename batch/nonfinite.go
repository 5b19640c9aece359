package batch

import "bytes"

// quoteNonFinite writes the bare NaN, Infinity and -Infinity that Python's json module and others print as the strings that stand for
// them, and says whether there were any. They are no JSON, so nothing that is changes its meaning. Text within strings stays.
func quoteNonFinite(text []byte) (quoted []byte, found bool) {
	for i := 0; i < len(text); {
		if text[i] == '"' {
			end := stringEnd(text, i)
			quoted = append(quoted, text[i:end]...)
			i = end
			continue
		}
		word := nonFiniteAt(text[i:])
		if word == "" {
			quoted = append(quoted, text[i])
			i++
			continue
		}
		quoted = append(append(append(quoted, '"'), word...), '"')
		i += len(word)
		found = true
	}
	return quoted, found
}

func nonFiniteAt(text []byte) string {
	for _, word := range [...]string{"NaN", "Infinity", "-Infinity"} {
		if bytes.HasPrefix(text, []byte(word)) {
			return word
		}
	}
	return ""
}

// stringEnd returns the index behind the JSON string that begins at i, or the length of text where it does not end.
func stringEnd(text []byte, i int) int {
	for i++; i < len(text); i++ {
		switch text[i] {
		case '\\':
			i++
		case '"':
			return i + 1
		}
	}
	return len(text)
}

// unmarshal calls decode with text, and again with bare non-finite numbers quoted where that is what was wrong with it.
func unmarshal(text []byte, decode func([]byte) error) error {
	err := decode(text)
	if err == nil {
		return nil
	}
	quoted, found := quoteNonFinite(text)
	if !found {
		return err
	}
	return decode(quoted)
}
