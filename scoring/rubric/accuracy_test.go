package rubric

import (
	"errors"
	"fmt"
	"strings"
	"testing"
)

func TestObviousErrors(t *testing.T) {
	failedTest := Call{Tool: "Bash", Exit: ptr(1), Command: "cd x && go test ./... 2>&1"}
	goodTest := Call{Tool: "Bash", Exit: ptr(0), Command: "go test ./..."}
	grep := Call{Tool: "Bash", Exit: ptr(2), Command: "grep test x"}
	for _, c := range []struct {
		name, output string
		calls        []Call
		want         string // kind of the first finding; empty for none
		line         int
	}{
		{"nothing", "All is well.", nil, "", 0},
		{"Python crash", "It says\n\n```\nTraceback (most recent call last):\n```", nil, "crash", 4},
		{"Go crash", "panic: runtime error", nil, "crash", 1},
		{"npm crash", "  npm ERR! code 1", nil, "crash", 1},
		{"Rust error", "error[E0308]: mismatched types", nil, "crash", 1},
		{"a crash spoken of", "There was no panic: all is well.", nil, "", 0},
		{"open fence", "text\n\n```go\nfunc f() {}\n", nil, "odd number of fences", 4},
		{"open fence at the end", "text\n\n```", nil, "odd number of fences", 3},
		{"fence in a fence", "````md\n```go\n````", nil, "", 0},
		{"closed fence in a list", "- a\n  ```go\n  x := 1\n  ```\n- b", nil, "", 0},
		{"closed fence in a quote", "> ```\n> x\n> ```", nil, "", 0},
		{"empty fence", "```\n```", nil, "", 0},
		{"inline", "use ```x``` here", nil, "", 0},
		{"placeholder", "export KEY=YOUR_API_KEY", nil, "placeholder", 1},
		{"another placeholder", "a\nkey: INSERT_KEY_HERE", nil, "placeholder", 2},
		{"no placeholder", "yours, YOUR_, MY_API_KEY", nil, "", 0},
		{"false claim", "All tests pass.", []Call{failedTest}, "claim of success", 1},
		{"false claim after another call", "I fixed it.\n\nThe build succeeded with no errors!", []Call{failedTest, grep}, "claim of success", 3},
		{"true claim", "All tests pass.", []Call{failedTest, goodTest}, "", 0},
		{"claim without a test", "All tests pass.", []Call{grep}, "", 0},
		{"no claim", "Not all tests pass.", []Call{failedTest}, "", 0},
		{"condition", "Once the tests pass, merge it.", []Call{failedTest}, "", 0},
		{"claim in Vietnamese", "Đã sửa xong và chạy thành công.", []Call{failedTest}, "claim of success", 1},
		{"no claim in Vietnamese", "Chạy không thành công.", []Call{failedTest}, "", 0},
	} {
		e := textExecution("", c.output)
		e.Calls = c.calls
		part := component(t, score(t, e), noObviousErrors)
		d := part.Detail.(findingsDetail)
		got, line := "", 0
		if d.Found > 0 {
			got, line = d.Findings[0].Kind, d.Findings[0].Line
		}
		if got != c.want || line != c.line || (*part.Value == 1) != (c.want == "") {
			t.Errorf("%s: %q at line %d, want %q at %d: %s", c.name, got, line, c.want, c.line, part.Reason)
		}
	}
	e := textExecution("", "All is well.")
	e.Truncated = ptr(true)
	if got := value(t, score(t, e), noObviousErrors); got != 0 {
		t.Error("a truncated output has no obvious error")
	}
	e.Truncated = nil
	if d := component(t, score(t, e), noObviousErrors).Detail.(findingsDetail); len(d.NotKnown) != 1 {
		t.Errorf("%+v", d)
	}
}

func TestTestAndBuildCommands(t *testing.T) {
	for command, want := range map[string]bool{
		"go test ./...": true, "go vet ./...": true, "go run .": false, "pytest -q": true, "python3 -m pytest": true, "python -m http.server": false, "npm test": true, "npm run build": true,
		"npm run test:unit": true, "npm install": false, "npx jest": true, "npx npx": false, "npx": false, "uv run pytest": true, "cargo build --release": true, "make": true, "cmake --build .": true,
		"./gradlew build": true, "bash -lc 'go test'": true, "FOO=1 go test": true, "timeout 60 go test": true, "echo go test": false, "ls && tsc --noEmit": true, "docker build .": true,
	} {
		e := textExecution("", "All tests pass.")
		e.Calls = []Call{{Tool: "Bash", Exit: ptr(2), Command: command}}
		if got := value(t, score(t, e), noObviousErrors) == 0; got != want {
			t.Errorf("%s: %v, want %v", command, got, want)
		}
	}
}

func TestSyntax(t *testing.T) {
	for _, c := range []struct {
		lang, code string
		result     string
		line       int // of the error within the code
	}{
		{"go", "package p\n\nfunc f() {}", "ok", 0},
		{"go", "import \"fmt\"\n\nfunc f() { fmt.Println() }", "ok", 0},
		{"golang", "x := 1\nfmt.Println(x)", "ok", 0},
		{"go", "x := 1\ny := := 2", "error", 2},
		{"go", "func f() {\n\treturn", "error", 2},
		{"go", "package p\nfunc {", "error", 2},
		{"sh", "for i in 1 2; do echo $i; done", "ok", 0},
		{"bash", "if true; then\necho", "error", 1},
		{"js", "const x = <a>{1}</a>; export default x", "ok", 0},
		{"javascript", "let x = 1\nlet y = ;", "error", 2},
		{"ts", "interface A<T> { x?: T }\nenum B { C }", "ok", 0},
		{"ts", "let x: = 1", "error", 1},
		{"tsx", "const f = (p: {a: string}) => <b>{p.a}</b>", "ok", 0},
		{"tsx", "const f = <b>", "error", 1},
		{"jsx", "const f = <b/>", "ok", 0},
		{"ts", "@decorated class A { @x() y = 1 }", "ok", 0},
		{"css", "a { color: red; & b { top: 0 } }", "ok", 0},
		{"css", "a { color: red;\n", "error", 1},
		{"json", `{"a": [1, null]}`, "ok", 0},
		{"json", "{\n\"a\": 1,\n}", "error", 3},
		{"jsonl", "{}\n\n[1]", "ok", 0},
		{"ndjson", "{}\n{", "error", 2},
		{"yaml", "a: &x [1]\nb: *x\n---\nc: 1", "ok", 0},
		{"yml", "a: 1\n b: 2", "error", 2},
		{"toml", "[a]\nb = 1979-05-27", "ok", 0},
		{"toml", "a = 1\na = 2", "error", 2},
		{"xml", "<?xml version=\"1.0\" encoding=\"ISO-8859-1\"?>\n<a b=\"c\"/>", "ok", 0},
		{"xml", "<a>\n<b></a>", "error", 2},
		{"xml", "hello", "error", 1},
		{"python", "def f(x):\n    return [1,\n  2]\n", "ok", 0},
		{"py", "print('a)", "error", 1},
		{"sql", "SELECT 1", "unchecked", 0},
		{"rust", "fn main() {}", "unchecked", 0},
		{"", "text", "unchecked", 0},
		{"go", " \n", "unchecked", 0},
		{"go", strings.Repeat("(", 100), "unchecked", 0},
		{"js", "x=" + strings.Repeat("x=>", 100) + "1", "unchecked", 0},
		{"py", ">>> 1 +", "unchecked", 0},
	} {
		output := "Here it is:\n\n~~~" + c.lang + "\n" + c.code + "\n~~~\n" // the code begins at line 4
		part := component(t, score(t, textExecution("", output)), syntaxValid)
		r := part.Detail.(syntaxDetail).Results[0]
		line := c.line
		if line > 0 {
			line += 3
		}
		if r.Result != c.result || r.ErrorLine != line || r.Result != "ok" && r.Message == "" {
			t.Errorf("%s %q: %+v, want %s at line %d", c.lang, c.code, r, c.result, line)
		}
		if part.Vacuous != (c.result == "unchecked") || (*part.Value == 0) != (c.result == "error") {
			t.Errorf("%s %q: %+v", c.lang, c.code, part)
		}
	}
}

func TestSyntaxOfFiles(t *testing.T) {
	e := textExecution("coding", "I wrote three files.")
	e.Files = []File{{"a/b.go", "package b"}, {"x.json", "{\n"}, {"Makefile", "all:"}, {`c\d.py`, "x = 1"}}
	d := component(t, score(t, e), syntaxValid).Detail.(syntaxDetail)
	if d.OK != 2 || d.Errors != 1 || d.Unchecked != 1 || d.Results[1].File != "x.json" || d.Results[1].ErrorLine != 1 {
		t.Errorf("%+v", d)
	}
	e.Files = []File{{"b.go", "x := 1"}} // a fragment is no file
	if got := value(t, score(t, e), syntaxValid); got != 0 {
		t.Error("a file without a package clause is valid")
	}
}

func TestCheckers(t *testing.T) {
	output := "```sql\nSELECT\n1\n```\n\n```py\nx = = 1\n```\n\n```rust\nfn\n```"
	o := Options{Checkers: map[string]Checker{
		"sql":    {Name: "explain", Check: func(string) error { return fmt.Errorf("wrapped: %w", syntaxError{Line: 2, Message: "no"}) }},
		"python": {Name: "ast 3.13", Check: func(string) error { return fmt.Errorf("%w: no interpreter", ErrUnchecked) }},
		"rust":   {Name: "rustc", Check: func(string) error { panic("bug") }},
	}}
	d := component(t, named(t, V2).Score(textExecution("", output), o), syntaxValid).Detail.(syntaxDetail)
	want := []syntaxResult{
		{Line: 2, Language: "sql", Checker: "explain", Result: "error", ErrorLine: 3, Message: "no"},
		{Line: 7, Language: "python", Checker: "ast 3.13", Result: "unchecked", Message: "no interpreter"},
		{Line: 11, Language: "rust", Checker: "rustc", Result: "unchecked", Message: "the parser gave up: bug"},
	}
	for i := range want {
		if d.Results[i] != want[i] {
			t.Errorf("%+v, want %+v", d.Results[i], want[i])
		}
	}
	o.Checkers["sql"] = Checker{Name: "explain", Check: func(string) error { return errors.New("plain") }}
	d = component(t, named(t, V2).Score(textExecution("", output), o), syntaxValid).Detail.(syntaxDetail)
	if r := d.Results[0]; r.Result != "error" || r.Message != "plain" || r.ErrorLine != 0 {
		t.Errorf("%+v", r)
	}
}

// TestPythonLexically: what the check accepts, Python may still refuse; what it refuses, Python refuses.
func TestPythonLexically(t *testing.T) {
	for _, c := range []struct {
		code string
		line int // of the error; 0 for none
	}{
		{"if a:\n    b\nelse:\n    c", 0},
		{"if a: b\nc", 0},
		{"    x = 1\n    y = 2", 0}, // indented as a whole
		{"x = '''a\n  'b'\n'''\ny", 0},
		{"x = r'\\''", 0},
		{"x = f\"{a['b']}\"", 0},
		{"x = \"\"", 0},
		{"x = (1 +\n        2)\ny = {\n'a': 1,\n}", 0},
		{"x = 1 + \\\n      2\ny = 1", 0},
		{"# ( [\nx = 1  # '", 0},
		{"class A:\n\n    # comment\n\n    def f(self):\n        pass\n\nx = 1", 0},
		{"class A:\n\tdef f(self):\n\t\tpass\n", 0},
		{"x = a[1:\n2]\ny", 0},
		{"if a:  # why\n    b", 0},
		{"if a:\r\n    b\r\nc", 0},
		{"", 0},

		{"x = (1", 1},
		{"x = 1)\n", 1},
		{"x = (1]\n", 1},
		{"a\nx = 'abc\n", 2},
		{"a\n'''\nabc\n\n", 2},
		{"x = 'a\\", 1},
		{"if a:\nb", 2},
		{"if a:", 1},
		{"a\n    b", 2},
		{"if a:\n        b\n    c", 3},
		{"    a\nb", 2},
	} {
		r := component(t, score(t, textExecution("", "~~~py\n"+c.code+"\n~~~")), syntaxValid).Detail.(syntaxDetail).Results[0]
		line := c.line
		if line > 0 {
			line++
		}
		if r.ErrorLine != line || (r.Result == "error") != (c.line > 0) {
			t.Errorf("%q: %+v, want line %d", c.code, r, line)
		}
		if strings.TrimSpace(c.code) != "" && !strings.HasPrefix(r.Checker, "lexical") {
			t.Errorf("the check is labelled %q", r.Checker)
		}
	}
}

// TestVacuous: no code and no format leave nothing to be wrong, and the score says so.
func TestVacuous(t *testing.T) {
	s := score(t, textExecution("", "The port is 8080."))
	for _, name := range []string{syntaxValid, followsFormat} {
		if c := component(t, s, name); !c.Vacuous || *c.Value != 1 || !strings.Contains(c.Reason, "vacuous") {
			t.Errorf("%+v", c)
		}
	}
	if c := component(t, s, accuracy); !strings.Contains(c.Reason, "vacuous") {
		t.Errorf("%s", c.Reason)
	}
}
