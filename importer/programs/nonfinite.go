package programs

import "bytes"

// quoteNonFinite puts the numbers that Python writes and JSON does not have, NaN, Infinity and -Infinity, between quotes, so that the rest
// of a text can be read. Texts in it stay as they are.
func quoteNonFinite(text []byte) []byte {
	if !bytes.Contains(text, []byte("NaN")) && !bytes.Contains(text, []byte("Infinity")) {
		return text
	}
	quoted := make([]byte, 0, len(text)+16)
	inString := false
	for i := 0; i < len(text); {
		switch {
		case inString && text[i] == '\\' && i+1 < len(text):
			quoted = append(quoted, text[i], text[i+1])
			i += 2
			continue
		case text[i] == '"':
			inString = !inString
		case !inString:
			if word := nonFinite(text[i:]); word != "" {
				quoted = append(append(append(quoted, '"'), word...), '"')
				i += len(word)
				continue
			}
		}
		quoted = append(quoted, text[i])
		i++
	}
	return quoted
}

// nonFinite returns the word for a number that is none with which a text begins; the empty string where it does not.
func nonFinite(text []byte) string {
	for _, word := range []string{"NaN", "Infinity", "-Infinity"} {
		if bytes.HasPrefix(text, []byte(word)) {
			return word
		}
	}
	return ""
}
