package masking

import "strings"

// MaskWords returns the words of a command with [masked:KIND] in place of each secret, and the number of secrets. It
// reads them as one command line: in --password VALUE, the first word makes the second a secret.
func MaskWords(words []string) (masked []string, n int) {
	masked = make([]string, len(words))
	for i, word := range words {
		clean, found := Mask(word)
		masked[i], n = clean, n+found
	}
	const most = 20 // as in Mask
	for range most {
		found := maskLine(masked)
		if found == 0 {
			break
		}
		n += found
	}
	return masked, n
}

// maskLine masks what the words show as a line, once. A secret that reaches over several words becomes a mask in each.
func maskLine(words []string) (n int) {
	var line strings.Builder
	ends := make([]span, len(words)) // of the words in the line
	for i, word := range words {
		quote := ""
		if strings.ContainsAny(word, " \t\n") && !strings.Contains(word, `"`) {
			quote = `"`
		}
		line.WriteString(quote)
		start := line.Len()
		line.WriteString(word)
		ends[i] = span{start: start, end: line.Len()}
		line.WriteString(quote + " ")
	}
	scan := newScanner(line.String())
	var secrets []span
	for found := scan.next(0); found.kind != ""; found = scan.next(max(found.end, found.start+1)) {
		if text := scan.text[found.start:found.end]; !isMask(text) {
			secrets = append(secrets, found)
		}
	}
	for i := len(secrets) - 1; i >= 0; i-- { // from behind, so that the places before stay
		secret := secrets[i]
		for w := range words {
			from, to := max(secret.start, ends[w].start), min(secret.end, ends[w].end)
			if from < to {
				words[w] = scan.text[ends[w].start:from] + "[masked:" + secret.kind + "]" + words[w][to-ends[w].start:]
				n++
			}
		}
	}
	return n
}
