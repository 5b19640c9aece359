package ask_test

import (
	"bytes"
	"encoding/json"
	"regexp"
	"slices"
	"strings"
	"testing"

	"track/answer"
	"track/reports/render"
)

// Every mean of an answer says in its name of what it is, in JSON and in tables: score and score of seeds that ran are
// the means of a configuration, and other means are of or over something.
func TestMeansAreNamed(t *testing.T) {
	mean := regexp.MustCompile(`(^|_)(mean|means|avg|average)(_|$)`)
	named := regexp.MustCompile(`mean_(of|over)_|_mean_over_|^mean_delta$|^mean_value$`) // of the pairs that stand beside it; of finite values
	others := []string{
		"mean_abs_difference", "mean_largest_metric_loss", // over the repetitions of a simulation
		"mean_success", "mean_failure", // of a number over the successes and failures of a rubric's check
		"early_mean", "late_mean", "stable_mean", // of the parts of a series, and of the setting that names it
	}
	seen := map[string]bool{}
	eachSample(t, nil, func(name string, a answer.Answer) {
		check := func(where, key string) {
			if mean.MatchString(key) && !named.MatchString(key) && !slices.Contains(others, key) {
				t.Errorf("%s: %s %q does not say what it is a mean of", name, where, key)
			}
			seen[key] = true
		}
		var text bytes.Buffer
		if err := render.Write(&text, a, render.Options{Format: render.JSON}); err != nil {
			t.Fatal(err)
		}
		var decoded any
		if err := json.Unmarshal(text.Bytes(), &decoded); err != nil {
			t.Fatal(err)
		}
		eachKey(decoded, func(key string) { check("the key", key) })
		for _, table := range a.Tables() {
			for _, c := range table.Columns {
				check("the column", strings.ReplaceAll(c.Name, " ", "_"))
			}
		}
	})
	for _, key := range []string{"score", "score_of_seeds_that_ran", "score_of_seeds_with_value", "mean_delta"} {
		if !seen[key] {
			t.Errorf("no sample has %s: what is walked?", key)
		}
	}
}

// eachKey visits the keys of all objects in a JSON value. Names that a user gave are keys of values and params.
func eachKey(value any, visit func(string)) {
	switch v := value.(type) {
	case map[string]any:
		for key, inner := range v {
			visit(key)
			if key != "values" && key != "params" {
				eachKey(inner, visit)
			}
		}
	case []any:
		for _, inner := range v {
			eachKey(inner, visit)
		}
	}
}
