package files

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// The name of a page depends on what it is the page of, not on what else there is.
func TestPageNames(t *testing.T) {
	t.Parallel()
	list := []string{"a-b", "a/b", "a b", "A-b", "a-B", "growth_plus", "growth+plus", strings.Repeat("x", 200)}
	namesOf := func(order []string) map[string]string {
		pages := NewPages("index.md", nil)
		names := map[string]string{}
		for _, name := range order {
			names[name] = pages.name("scenario", name, "")
		}
		return names
	}
	backwards := slices.Clone(list)
	slices.Reverse(backwards)
	names := namesOf(list)
	if diff := cmp.Diff(names, namesOf(backwards)); diff != "" {
		t.Error(diff)
	}
	// sha256("scenario\0a/b\0") begins with 082e348207
	for name, want := range map[string]string{"a-b": "scenario-a-b.md", "growth_plus": "scenario-growth_plus.md", "a/b": "scenario-a-b~082e348207.md"} {
		if names[name] != want {
			t.Errorf("the page of %q is %s, want %s", name, names[name], want)
		}
	}
}
