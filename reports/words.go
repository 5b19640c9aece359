package reports

import (
	"maps"
	"slices"
	"strings"

	"track/internal/shell"
)

// middle returns the median of numbers, the lower of two.
func middle[N int | float64](list []N) N {
	sorted := slices.Sorted(slices.Values(list))
	return sorted[(len(sorted)-1)/2]
}

// sortedNames returns the names of a set, with commas between.
func sortedNames(set map[string]bool) string {
	return strings.Join(slices.Sorted(maps.Keys(set)), ", ")
}

// shellWord quotes a word for a shell if it must.
func shellWord(s string) string { return shell.Word(s) }

// commandText writes the words of a command as a shell reads them.
func commandText(words []string) string {
	quoted := make([]string, len(words))
	for i, word := range words {
		quoted[i] = shellWord(word)
	}
	return strings.Join(quoted, " ")
}
