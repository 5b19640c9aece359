package rubric

import (
	"encoding/json"
	"strings"
	"testing"
)

func FuzzScore(f *testing.F) {
	f.Add(thorough, "")
	f.Add("```ts\nlet x: = 1\n```\n~~~py\nif a:\n", "grep x y | sort")
	f.Add("> - 1. ```css\n> a{\n\n# T\n===\n- [ ] x", "bash -lc 'go test'")
	f.Add("```yaml\na: &a [*a]\n```\n```toml\na=[{}]\n```\n```xml\n<a/>\n```", "[[ -f x ]] && cd y")
	f.Add("```sh\ncat <<E\n$((1))\nE\n```\n```go\nfunc f()\n```\n```json\n{}\n```", "")
	f.Fuzz(func(t *testing.T, output, command string) {
		e := perfect()
		e.Output = &output
		e.Calls = append(e.Calls, Call{Tool: "Bash", Exit: ptr(1), Command: command}, Call{Tool: "Bash", Output: &output, Command: command})
		for _, name := range Names() {
			s := named(t, name).Score(e, Options{})
			if !(s.Value >= 0 && s.Value <= 100) {
				t.Errorf("%s: %v", name, s.Value)
			}
			if _, err := json.Marshal(s); err != nil {
				t.Error(err)
			}
			lines := 1 + strings.Count(output, "\n")
			for _, part := range []string{headings, hasLists, codeBlocks, directAnswer, explanation, nextSteps} {
				if c, _ := s.component(part); c.Detail != nil && (c.Detail.(matchDetail).Line < 0 || c.Detail.(matchDetail).Line > lines) {
					t.Errorf("%s is at line %d of %d", part, c.Detail.(matchDetail).Line, lines)
				}
			}
			if c, _ := s.component(syntaxValid); c.Detail != nil {
				for _, r := range c.Detail.(syntaxDetail).Results {
					if r.ErrorLine < 0 || r.ErrorLine > lines {
						t.Errorf("%+v, of %d lines", r, lines)
					}
				}
			}
		}
	})
}

func FuzzParseFormat(f *testing.F) {
	f.Add([]byte(schema))
	f.Add([]byte(`{"required_headings": ["a"], "patterns": ["^a+$"], "min_words": 1, "max_words": 2}`))
	f.Add([]byte("json_schema: {enum: [!!binary aGk=, 0x1F, .inf, ~, 2020-01-01, {a: b}]}"))
	f.Add([]byte("a: &a\n  <<: *a\n"))
	f.Fuzz(func(t *testing.T, data []byte) {
		spec, err := ParseFormat(data)
		if (spec == nil) == (err == nil) {
			t.Fatalf("%v, %v", spec, err)
		}
		if err != nil {
			if err.Error() == "format: " {
				t.Error("the error says nothing")
			}
			return
		}
		e := textExecution("", `{"a": [1, "b", null, {"c": true}]}`)
		e.Format = spec
		if s := named(t, V2).Score(e, Options{}); !s.Defined {
			t.Error("no score")
		}
	})
}
