package evolution

// Standing is a version with its fitness.
type Standing struct {
	Version string   `json:"version"`
	Number  int      `json:"number"` // in the order of creation
	Score   *float64 `json:"score"`  // its fitness; nil if no trial has a score; the version is then never the best
}

// Best returns the version with the highest score, the oldest of equal ones. ok is false if none has a score.
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
