package spec

import "strings"

// suggest asks for the valid name that was probably meant. Failing that it lists them all after intro.
func suggest(name string, known []string, intro string) string {
	if best := Nearest(name, known); best != "" {
		return "did you mean " + best + "?"
	}
	return intro + strings.Join(known, ", ")
}

// Nearest returns the known name that was probably meant: at most two edits and a third of the name away, or with name
// as its beginning. It returns nothing if there is none.
func Nearest(name string, known []string) string {
	best, bestDistance := "", min(2, len(name)/3)+1
	for _, candidate := range known {
		distance := editDistance(name, candidate)
		if len(name) >= 3 && strings.HasPrefix(candidate, name) {
			distance = min(distance, 1)
		}
		if distance < bestDistance && distance < len(candidate) {
			best, bestDistance = candidate, distance
		}
	}
	return best
}

// editDistance is the number of bytes to insert, delete, replace or exchange with the next one. Names much longer than
// any known one are not worth comparing.
func editDistance(a, b string) int {
	if len(a) > len(b)+2 {
		return len(a)
	}
	rows := make([][]int, len(a)+1)
	for i := range rows {
		rows[i] = make([]int, len(b)+1)
		rows[i][0] = i
	}
	for j := range rows[0] {
		rows[0][j] = j
	}
	for i := 1; i <= len(a); i++ {
		for j := 1; j <= len(b); j++ {
			cost := 1
			if a[i-1] == b[j-1] {
				cost = 0
			}
			rows[i][j] = min(rows[i-1][j-1]+cost, rows[i-1][j]+1, rows[i][j-1]+1)
			if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
				rows[i][j] = min(rows[i][j], rows[i-2][j-2]+1)
			}
		}
	}
	return rows[len(a)][len(b)]
}
