package near

// distance returns the number of letters to insert, delete, replace or exchange with the next one, each letter once; a
// greater number than limit if there are more. Source: Boytsov, Indexing methods for approximate dictionary searching,
// 2011, section 2.1 (restricted Damerau-Levenshtein distance).
func distance(a, b []rune, limit int) int {
	if len(a)-len(b) > limit || len(b)-len(a) > limit {
		return limit + 1
	}
	before, last, row := make([]int, len(b)+1), make([]int, len(b)+1), make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := 1; i <= len(a); i++ {
		before, last, row = last, row, before
		row[0] = i
		fewest := i
		for j := 1; j <= len(b); j++ {
			cost := 1
			if a[i-1] == b[j-1] {
				cost = 0
			}
			row[j] = min(last[j-1]+cost, last[j]+1, row[j-1]+1)
			if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
				row[j] = min(row[j], before[j-2]+1)
			}
			fewest = min(fewest, row[j])
		}
		if fewest > limit+1 { // an exchange reaches back over one row
			return limit + 1
		}
	}
	return row[len(b)]
}
