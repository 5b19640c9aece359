package reports

// cut returns s, shortened to at most that many characters, so that a table stays narrower than a screen.
func cut(s string, most int) string {
	if runes := []rune(s); len(runes) > most {
		return string(runes[:most-1]) + "…"
	}
	return s
}
