package rubric

import (
	"strings"
	"testing"
)

// fiveKB is an answer of about 5 kB and 30 calls, without code unless with is given.
func fiveKB(with string) Execution {
	section := "## Part\n\nThe parser reads one token too far, so an empty list is never seen as empty. I changed the condition in loop.go.\n\n- first\n- second\n\n"
	e := textExecution(taskCoding, strings.Repeat(section, 5000/len(section)+1)+with+"\n## Next steps\n\nRun it.\n")
	for i := range 30 {
		output := strings.Repeat("ok  \ttrack/scoring\t0.012s\n", 10)
		e.Calls = append(e.Calls, Call{Tool: "Bash", Exit: ptr(i % 10 / 9), Command: "cd x && grep -rn pattern .", Output: &output, InputDigest: "a"})
	}
	return e
}

func BenchmarkScore(b *testing.B) {
	for _, c := range []struct{ name, code string }{
		{"prose", ""},
		{"go", "```go\nfunc f(x int) int { return x + 1 }\n```\n"},
		{"python", "```python\ndef f(x):\n    return x + 1\n```\n"},
		{"typescript", "```ts\nexport const f = (x: number): number => x + 1\n```\n"},
		{"yaml", "```yaml\na: 1\nb: [2, 3]\n```\n"},
	} {
		e := fiveKB(c.code)
		for _, name := range Names() {
			r := named(b, name)
			b.Run(c.name+"/"+strings.ReplaceAll(name, "/", ""), func(b *testing.B) {
				b.ReportAllocs()
				for b.Loop() {
					r.Score(e, Options{})
				}
			})
		}
	}
}
