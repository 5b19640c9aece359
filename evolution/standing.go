package evolution

// Standing is a version with what is on record of it.
type Standing struct {
	Version string   `json:"version"`
	Number  int      `json:"number"` // in the order of creation
	Score   *float64 `json:"score"`  // its fitness; nil where no trial has a score, so that it is never the best
}

// Best is the version with the highest score, the oldest of equal ones: scores of versions that did not beat it are no reason to leave it. ok is false
// where none has a score.
func Best(list []Standing) (best Standing, ok bool) {
	for _, s := range list {
		if s.Score == nil || *s.Score != *s.Score {
			continue
		}
		better := !ok || *s.Score > *best.Score || *s.Score == *best.Score && s.Number < best.Number
		if better {
			best, ok = s, true
		}
	}
	return best, ok
}
