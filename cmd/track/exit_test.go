package main

import (
	"cmp"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"
)

const exitReference = "../../docs/reference/exit-codes.md"

// TestExitCodeReference holds the table of docs/reference/exit-codes.md to the exit codes; make docs writes it.
func TestExitCodeReference(t *testing.T) {
	want := []string{"| code | meaning | example |", "|---:|---|---|"}
	for _, e := range slices.SortedFunc(slices.Values(exitTable()), func(a, b exit) int { return cmp.Compare(a.code, b.code) }) {
		want = append(want, fmt.Sprintf("| %d | %s | %s |", e.code, e.meaning, e.example))
	}
	text, err := os.ReadFile(exitReference)
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(string(text), "\n")
	isRow := func(line string) bool { return strings.HasPrefix(line, "|") }
	from := slices.IndexFunc(lines, isRow)
	if from < 0 {
		t.Fatalf("%s has no table", exitReference)
	}
	to := from
	for to < len(lines) && isRow(lines[to]) {
		to++
	}
	if slices.Equal(lines[from:to], want) {
		return
	}
	if !*update {
		t.Fatalf("%s has another table; make docs writes it:\n%s", exitReference, strings.Join(want, "\n"))
	}
	text = []byte(strings.Join(slices.Replace(lines, from, to, want...), "\n"))
	if err := os.WriteFile(exitReference, text, 0o666); err != nil {
		t.Fatal(err)
	}
}

// TestExits holds the exit codes to one row each, and the errors and conclusions to one code each.
func TestExits(t *testing.T) {
	seen := map[any]int{}
	for _, e := range exitTable() {
		seen[e.code]++
		for _, c := range e.conclusions {
			seen[c]++
		}
		for _, err := range e.errors {
			seen[err]++
			if got := exitCode(fmt.Errorf("reading: %w", err)); got != e.code {
				t.Errorf("%v ends with %d, want %d", err, got, e.code)
			}
		}
	}
	for what, n := range seen {
		if n > 1 {
			t.Errorf("%v stands in %d rows", what, n)
		}
	}
}
