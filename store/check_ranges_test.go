package store

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
)

// Every CHECK constraint of the schema is tested by a query, and that query asks for its opposite.
func TestCheckedRanges(t *testing.T) {
	var want []string
	for _, c := range checkedRanges() {
		want = append(want, c.table+": "+c.constraint)
		if !strings.Contains(c.query, " FROM "+c.table+" WHERE NOT ("+c.constraint+")") {
			t.Errorf("the query for %s of %s tests something else: %s", c.constraint, c.table, c.query)
		}
	}
	own, err := newOwnSchema(t.Context(), false)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, statement := range own.newest {
		for rest := statement; strings.HasPrefix(statement, "CREATE TABLE "); {
			_, after, found := strings.Cut(rest, "CHECK (")
			if !found {
				break
			}
			constraint := insideParentheses(after)
			got, rest = append(got, createdName(statement)+": "+constraint), after[len(constraint):]
		}
	}
	if diff := cmp.Diff(want, got, cmpopts.SortSlices(strings.Compare)); diff != "" {
		t.Errorf("CHECK constraints (-tested +schema):\n%s", diff)
	}
}

// insideParentheses returns a text up to the parenthesis that closes one before it.
func insideParentheses(text string) string {
	depth := 0
	for i, r := range text {
		switch {
		case r == '(':
			depth++
		case r == ')' && depth == 0:
			return text[:i]
		case r == ')':
			depth--
		}
	}
	return text
}
