package spec

import (
	"os"
	"testing"

	"track/scoring"
)

// The store decodes the spec once in every process that records: 66 metrics should stay under 300 µs.
func BenchmarkDecode(b *testing.B) {
	canonical := Canonical(readExample(b, "growth_plus"))
	for b.Loop() {
		if _, err := Decode(canonical); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkCanonical(b *testing.B) {
	s := readExample(b, "growth_plus")
	for b.Loop() {
		Canonical(s)
	}
}

func BenchmarkParseYAML(b *testing.B) {
	data, err := os.ReadFile("../examples/bam/growth_plus.yaml")
	if err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		if _, err := Parse("growth_plus.yaml", data); err != nil {
			b.Fatal(err)
		}
	}
}

func readExample(t testing.TB, name string) scoring.Spec {
	t.Helper()
	file := "../examples/bam/" + name + ".yaml"
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	s, err := Parse(file, data)
	if err != nil {
		t.Fatal(err)
	}
	return s
}
