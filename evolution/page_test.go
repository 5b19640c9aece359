package evolution_test

import (
	"encoding/json"
	"fmt"
	"os"
	"strings"
	"testing"

	"track/evolution"
)

// TestPageOfPolicies checks that the page of decisions has a row for every policy, with its parameters and their
// defaults.
func TestPageOfPolicies(t *testing.T) {
	t.Parallel()
	const page = "../docs/reference/decisions.md"
	text, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range evolution.Policies() {
		_, row, found := strings.Cut(string(text), "\n| `"+name+"` |")
		row, _, _ = strings.Cut(row, "\n")
		if !found {
			t.Errorf("%s has no row for the policy %s", page, name)
			continue
		}
		policy, err := evolution.DefaultPolicy(name)
		if err != nil {
			t.Fatal(err)
		}
		encoded, err := json.Marshal(policy)
		if err != nil {
			t.Fatal(err)
		}
		var params map[string]float64
		if err := json.Unmarshal(encoded, &params); err != nil {
			t.Fatal(err)
		}
		for param, value := range params {
			if want := strings.ReplaceAll(fmt.Sprintf("`%s` %v", param, value), "-", "−"); !strings.Contains(row+" ", want) {
				t.Errorf("%s, policy %s: the row does not have %s", page, name, want)
			}
		}
	}
}
