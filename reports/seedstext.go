package reports

import (
	"fmt"
	"slices"
	"strings"
)

// seedsText writes seed numbers in a few words, as 0..9, 12.
func seedsText[N ~uint64](numbers []N) string {
	const most = 20 // ranges
	sorted := slices.Clone(numbers)
	slices.Sort(sorted)
	var words []string
	for i := 0; i < len(sorted); {
		j := i
		for j+1 < len(sorted) && sorted[j+1] == sorted[j]+1 {
			j++
		}
		if len(words) == most {
			return strings.Join(words, ", ") + fmt.Sprintf(" and %d more", len(sorted)-i)
		}
		word := fmt.Sprint(sorted[i])
		switch j - i {
		case 0:
		case 1:
			word += fmt.Sprintf(", %d", sorted[j])
		default:
			word += fmt.Sprintf("..%d", sorted[j])
		}
		words, i = append(words, word), j+1
	}
	return strings.Join(words, ", ")
}
