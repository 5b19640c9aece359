package pages

import (
	"flag"
	"fmt"
	"os"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "write docs/reference/terms.md")

const termsReference = "../docs/reference/terms.md"

// TestTermReference holds docs/reference/terms.md to the terms that pages explain; make docs writes it.
func TestTermReference(t *testing.T) {
	t.Parallel()
	var b strings.Builder
	b.WriteString("# Terms\n\nThe words of `track`, as its pages explain them: in full on `/terms`, and at a `?`.\n\n")
	known := map[string]bool{}
	for _, one := range glossary() {
		if known[one.ID] {
			t.Errorf("%s is explained twice", one.Name)
		}
		known[one.ID] = true
		fmt.Fprintf(&b, "- **%s**: %s\n", one.Name, one.Text)
	}
	text, err := os.ReadFile(termsReference)
	if err == nil && string(text) == b.String() {
		return
	}
	if !*update {
		t.Fatalf("%s has other terms: make docs writes it (%v)", termsReference, err)
	}
	if err := os.WriteFile(termsReference, []byte(b.String()), 0o666); err != nil {
		t.Fatal(err)
	}
}
