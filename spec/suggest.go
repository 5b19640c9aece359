package spec

import "strings"

// suggest returns the valid name that was probably meant: at most two edits away, or with name as its beginning.
// Failing that it lists them all after intro.
func suggest(name string, known []string, intro string) string {
	best, bestDistance := "", 3
	for _, candidate := range known {
		distance := editDistance(name, candidate)
		if len(name) >= 3 && strings.HasPrefix(candidate, name) {
			distance = min(distance, 2)
		}
		if distance < bestDistance && distance < len(candidate) {
			best, bestDistance = candidate, distance
		}
	}
	if best != "" {
		return "did you mean " + best + "?"
	}
	return intro + strings.Join(known, ", ")
}

// editDistance is the Levenshtein distance in bytes: insertions, deletions and substitutions. Names much longer than
// any known one are not worth comparing.
func editDistance(a, b string) int {
	if len(a) > len(b)+2 {
		return len(a)
	}
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		diagonal := row[0]
		row[0] = i + 1
		for j := range len(b) {
			cost := 1
			if a[i] == b[j] {
				cost = 0
			}
			diagonal, row[j+1] = row[j+1], min(diagonal+cost, row[j+1]+1, row[j]+1)
		}
	}
	return row[len(b)]
}
