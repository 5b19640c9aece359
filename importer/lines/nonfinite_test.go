package lines

import "testing"

// What the reference says of numbers that JSON does not have: an execution refuses them, and says what to write.
func TestNonFiniteScores(t *testing.T) {
	for score, want := range map[string]string{
		"NaN": "score: NaN is not a score: leave it out and set the status", `"NaN"`: "score: NaN is not a score: leave it out and set the status",
		"nan": "score: NaN is not a score: leave it out and set the status", `"-inf"`: "score: -Inf is not a score: leave it out and set the status",
		`"Infinity"`: "score: +Inf is not a score: leave it out and set the status", `"fifty"`: `score: "fifty" is not a number, nor "NaN", "Infinity" or "-Infinity"`, "50": "",
	} {
		_, problem := parseExecution([]byte(`{"kind":"execution","lineage":"l","score":` + score + `}`))
		got := ""
		if problem != nil {
			got = problem.Error()
		}
		if got != want {
			t.Errorf("%s: %q, want %q", score, got, want)
		}
	}
}
