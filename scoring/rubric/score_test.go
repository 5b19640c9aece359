package rubric

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"
	"time"
)

// TestWorkedExamples are those of the reference, section 2. It gives two decimals.
func TestWorkedExamples(t *testing.T) {
	nineOfTen := Execution{Calls: append(slices.Repeat([]Call{ok("Read")}, 9), failing("Bash", ""))}
	minute := Execution{Complexity: medium, Duration: ptr(60 * time.Second), Calls: slices.Repeat([]Call{ok("Read")}, 15)}
	eightTools := Execution{Complexity: medium, Calls: slices.Repeat([]Call{ok("Read")}, 8)}
	twoAndRetry := Execution{Calls: []Call{failing("Bash", "a"), failing("Bash", "a"), ok("Read")}}
	for _, c := range []struct {
		name      string
		e         Execution
		component string
		want      float64
	}{
		{"9 of 10 calls succeed", nineOfTen, toolSuccessRate, 0.90},
		{"60 s of 120 s; the 15 calls do not count", minute, Efficiency, 0.50},
		{"8 of 15 tools", eightTools, Efficiency, 0.47},
		{"2 tool failures + 1 retry: error rate 0.30", twoAndRetry, OneMinusErrorRate, 0.70},
	} {
		for _, name := range Names() {
			s := named(t, name).Score(c.e, Options{})
			if got := value(t, s, c.component); math.Round(100*got)/100 != c.want {
				t.Errorf("%s under %s: %s is %v, want %v", c.name, name, c.component, got, c.want)
			}
		}
	}
	s := named(t, V2).Score(twoAndRetry, Options{})
	d := component(t, s, OneMinusErrorRate).Detail.(errorsDetail)
	if d.FailedCalls != 2 || d.Retries != 1 || !near(d.ErrorRate, 0.3) {
		t.Errorf("counted %+v", d)
	}
	s = named(t, V2).Score(minute, Options{})
	if d := component(t, s, Efficiency).Detail.(efficiencyDetail); d.Used != "time" {
		t.Errorf("efficiency says that it used %q", d.Used)
	}
}

// TestPerfect: both rubrics reach 100 in a coding task. In others rubric/1 ends at 96.25: 0.25·0.5·0.3 = 3.75 % are
// for code.
func TestPerfect(t *testing.T) {
	prose := perfect()
	prose.TaskType = "analysis"
	for _, c := range []struct {
		rubric string
		e      Execution
		want   float64
	}{{v1, perfect(), 100}, {V2, perfect(), 100}, {v1, prose, 96.25}, {V2, prose, 100}} {
		s := named(t, c.rubric).Score(c.e, Options{})
		if !s.Defined || s.Value != c.want || s.Grade != gradeAPlus || s.Rubric != c.rubric {
			out, _ := json.MarshalIndent(s, "", " ")
			t.Errorf("%s, %s: %v, want %v\n%s", c.rubric, c.e.TaskType, s.Value, c.want, out)
		}
	}
}

// TestFormula: 0.35·0.5 + 0.25·((1 + 1)/2) + 0.20·0.25 + 0.15·0.9 + 0.05·1 = 0.66.
func TestFormula(t *testing.T) {
	e := perfect()
	e.Calls = []Call{ok("Bash"), failing("Bash", "")}
	e.Duration = ptr(90 * time.Second)
	for _, name := range Names() {
		if s := named(t, name).Score(e, Options{}); s.Value != 66 || s.NCalls != 2 || s.NFailed != 1 || s.Grade != gradeC {
			t.Errorf("%s: %v %s, %d of %d calls failed", name, s.Value, s.Grade, s.NFailed, s.NCalls)
		}
	}
}

// TestNoCalls: 0/0 has no value. Rubric/2 scores the rest: (0.25 + 0.20 + 0.15 + 0.05)/0.65 = 1. Rubric/1 has a sum
// with a hole.
func TestNoCalls(t *testing.T) {
	e := perfect()
	e.Calls = nil
	s := named(t, V2).Score(e, Options{})
	if c := component(t, s, toolSuccessRate); c.Value != nil || c.Weight != 0 || !strings.Contains(c.Reason, "renormalised") {
		t.Errorf("%+v", c)
	}
	if c := component(t, s, OutputQuality); !near(c.Weight, 0.25/0.65) {
		t.Errorf("output quality weighs %v", c.Weight)
	}
	if !s.Defined || s.Value != 100 {
		t.Errorf("scored %v", s.Value)
	}
	s = named(t, v1).Score(e, Options{})
	if c := component(t, s, toolSuccessRate); c.Value != nil || !strings.Contains(c.Reason, "rubric/1") {
		t.Errorf("%+v", c)
	}
	if s.Defined || s.Grade != noGrade {
		t.Errorf("rubric/1 gives %v for 0/0", s.Value)
	}
	if out, err := json.Marshal(s); err != nil || !strings.Contains(string(out), `"value":null`) {
		t.Errorf("%v %s", err, out)
	}
}

// TestNothingKnown: no component has a value, each says why, and there is no score.
func TestNothingKnown(t *testing.T) {
	for _, name := range Names() {
		s := named(t, name).Score(Execution{CallsUnknown: true}, Options{})
		if s.Defined || len(s.Components) != 5 {
			t.Errorf("%s: %+v", name, s)
		}
		for _, c := range s.Components {
			if c.Value != nil || c.Reason == "" || c.Weight != 0 {
				t.Errorf("%s: %+v", name, c)
			}
		}
		if !slices.Contains(s.Warnings, warnNoOutput) {
			t.Errorf("%s warns of %v", name, s.Warnings)
		}
	}
}

// TestPartlyKnown: what is not known is left out by name.
func TestPartlyKnown(t *testing.T) {
	r := named(t, V2)
	log := Execution{Calls: []Call{ok("Bash"), failing("Bash", "")}} // all that a log of tools knows
	s := r.Score(log, Options{})
	if got := value(t, s, toolSuccessRate); got != 0.5 {
		t.Errorf("tool success %v", got)
	}
	if !math.IsNaN(value(t, s, Efficiency)) { // no complexity, nothing expected
		t.Error("efficiency has a value")
	}
	d := component(t, s, OneMinusErrorRate).Detail.(errorsDetail)
	if d.Errors != 1 || len(d.NotCounted) != 2 {
		t.Errorf("%+v", d)
	}
	// (0.35·0.5 + 0.15·0.9)/0.5 = 0.62
	if s.Value != 62 {
		t.Errorf("score %v", s.Value)
	}
	s = r.Score(log, Options{Complexity: simple}) // 2 of 5
	if c := component(t, s, Efficiency); !near(*c.Value, 0.6) || !c.Detail.(efficiencyDetail).Assumed || !strings.Contains(c.Reason, "assumed") {
		t.Errorf("%+v", c)
	}
	log.Complexity = "huge"
	if c := component(t, r.Score(log, Options{}), Efficiency); c.Value != nil || !strings.Contains(c.Reason, `"huge"`) {
		t.Errorf("%+v", c)
	}
	log.Complexity, log.CallsUnknown, log.Calls = simple, true, nil
	if c := component(t, r.Score(log, Options{}), Efficiency); c.Value != nil {
		t.Errorf("%+v", c)
	}
}

func TestEfficiencyClamps(t *testing.T) {
	for _, c := range []struct {
		complexity Complexity
		seconds    float64
		calls      int // where there are no seconds
		want       float64
	}{
		{simple, 30, 0, 0},
		{simple, 15, 0, 0.5},
		{simple, 31, 0, 0},
		{medium, 0, 0, 1},
		{complex, 75, 0, 0.75},
		{simple, -1, 1, 0.8}, // a negative time is none
		{complex, -1, 31, 0},
	} {
		e := Execution{Complexity: c.complexity, Calls: slices.Repeat([]Call{ok("x")}, c.calls)}
		e.Duration = ptr(time.Duration(c.seconds * float64(time.Second)))
		if got := value(t, named(t, V2).Score(e, Options{}), Efficiency); !near(got, c.want) {
			t.Errorf("%+v: %v", c, got)
		}
	}
}

func TestErrorRate(t *testing.T) {
	bad := failing("Bash", "x")
	for _, c := range []struct {
		name string
		e    Execution
		want float64 // errors
	}{
		{"none", Execution{Corrections: ptr(0)}, 0},
		{"another input is no retry", Execution{Calls: []Call{bad, {Tool: "Bash", Exit: ptr(0), InputDigest: "y"}}}, 1},
		{"another tool is no retry", Execution{Calls: []Call{bad, {Tool: "Read", Exit: ptr(0), InputDigest: "x"}}}, 1},
		{"the same later is no retry", Execution{Calls: []Call{bad, ok("Read"), {Tool: "Bash", Exit: ptr(0), InputDigest: "x"}}}, 1},
		{"the same after a success is no retry", Execution{Calls: []Call{{Tool: "Bash", Exit: ptr(0), InputDigest: "x"}, bad}}, 1},
		{"two retries", Execution{Calls: []Call{bad, bad, {Tool: "Bash", Exit: ptr(0), InputDigest: "x"}}}, 4},
		{"unknown inputs are no retry", Execution{Calls: []Call{failing("Bash", ""), failing("Bash", "")}}, 2},
		{"corrections", Execution{Corrections: ptr(3)}, 3},
		{"crash in the final text", Execution{Output: ptr("It says:\n\n    panic: no\n")}, 1},
		{"at most 10", Execution{Corrections: ptr(11)}, 10},
	} {
		if got := value(t, named(t, V2).Score(c.e, Options{}), OneMinusErrorRate); !near(got, 1-c.want/10) {
			t.Errorf("%s: %v", c.name, got)
		}
	}
}

func TestGrades(t *testing.T) {
	for _, c := range []struct {
		score float64
		want  Grade
	}{
		{100, "A+"}, {90, "A+"}, {89.99, "A"}, {80, "A"}, {79.99, "B"}, {70, "B"}, {69.99, "C"}, {60, "C"}, {59.99, "D"}, {50, "D"}, {49.99, "F"}, {0, "F"},
		{math.NaN(), noGrade},
	} {
		got := GradeOf(c.score)
		if got != c.want || got.Action() == "" {
			t.Errorf("%v: %q, want %q", c.score, got, c.want)
		}
	}
	if gradeF.Action() != "consider rollback" || gradeAPlus.Action() != "rare mutation needed" {
		t.Error("the actions are not those of the reference")
	}
}

func TestByName(t *testing.T) {
	for _, name := range Names() {
		checkWeights(t, name, named(t, name).Parts)
	}
	if _, err := ByName("rubric/3"); err == nil || !strings.Contains(err.Error(), v1) || !strings.Contains(err.Error(), V2) {
		t.Errorf("the error does not list the rubrics: %v", err)
	}
}

func checkWeights(t *testing.T, name string, parts []Part) {
	t.Helper()
	if len(parts) == 0 {
		return
	}
	sum := 0.0
	for _, p := range parts {
		sum += p.Weight
		if p.Description == "" {
			t.Errorf("%s: %s is not described", name, p.Name)
		}
		checkWeights(t, p.Name, p.Parts)
	}
	if !near(sum, 1) {
		t.Errorf("%s: the weights sum to %v", name, sum)
	}
}

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

func TestDirectAnswer(t *testing.T) {
	for _, c := range []struct {
		name, taskType, output string
		want                   float64
	}{
		{"an answer", "", "The port is 8080.", 1},
		{"empty", "", "", 0},
		{"two words", "", "Port 8080.", 0},
		{"marks are no words", "", "- * 8080 --- port", 0},
		{"code in a coding task", "coding", "```\nx\n```", 1},
		{"code in another task", "analysis", "```\nx y z\n```", 0},
		{"empty code", "coding", "```\n```", 0},
		{"a heading alone", "", "# The port is 8080", 0},
		{"only a refusal", "", "I'm sorry. I can't help with that.", 0},
		{"typographic apostrophe", "", "I can’t help with that.", 0},
		{"a refusal and an answer", "", "I can't open the file. Its name suggests a list of ports.", 1},
		{"only a question", "", "Which file do you mean?", 0},
		{"bold question", "", "**Which file do you mean?**", 0},
		{"only an announcement", "", "Let me check the file first.", 0},
		{"polite announcement", "", "Sure! I'll check the file now.", 0},
		{"filler and announcement in one sentence", "", "Okay, let me look into it", 0},
		{"an announcement after an answer", "", "The port is 8080. I'll check the others.", 1},
		{"yes and a question", "", "Yes. Shall I go on?", 1}, // three words of prose, and not only a question
		{"refusal in Vietnamese", "", "Xin lỗi, tôi không thể giúp việc này.", 0},
		{"announcement in Vietnamese", "", "Vâng, để tôi kiểm tra tệp.", 0},
		{"question in Vietnamese", "", "Bạn muốn dùng tệp nào?", 0},
		{"answer in Vietnamese", "", "Cổng đang dùng là 8080.", 1},
	} {
		if got := value(t, score(t, textExecution(c.taskType, c.output)), directAnswer); got != c.want {
			t.Errorf("%s: %v, want %v", c.name, got, c.want)
		}
	}
}

func score(t testing.TB, e Execution) Score {
	t.Helper()
	return named(t, V2).Score(e, Options{})
}

func TestExplanation(t *testing.T) {
	words := func(n int) string { return strings.TrimSpace(strings.Repeat("word ", n)) }
	for _, c := range []struct {
		name, output string
		want         float64
	}{
		{"24 words and a reason", words(23) + " because", 0},
		{"25 words and a reason", words(24) + " because", 1},
		{"25 words without a reason, in one block", words(25), 0},
		{"two blocks, one too short", words(18) + "\n\n" + words(7), 0},
		{"two blocks of 8 among 25 words", words(17) + "\n\n" + words(8), 1},
		{"items are blocks", "- " + words(13) + "\n- " + words(12), 1},
		{"words in code do not count", words(10) + "\n\n```\n" + words(30) + " because\n```", 0},
		{"a reason is a whole word", words(24) + " becauses", 0},
		{"a reason of two words over a line end", words(24) + " due\nto", 1},
		{"Vietnamese", words(23) + " vì vậy", 1},
	} {
		if got := value(t, score(t, textExecution("", c.output)), explanation); got != c.want {
			t.Errorf("%s: %v, want %v", c.name, got, c.want)
		}
	}
	c := component(t, score(t, textExecution("", "First.\n\n"+words(24)+" because")), explanation)
	if d := c.Detail.(matchDetail); d.Line != 3 || d.Matched != "because" || d.Words != 26 {
		t.Errorf("%+v", d)
	}
}

func TestNextSteps(t *testing.T) {
	for _, c := range []struct {
		name, output string
		want         float64
	}{
		{"nothing", "It is done.", 0},
		{"heading with content", "## Next steps\n\nRun it.", 1},
		{"heading with a list under a heading", "## Recommendations\n\n### First\n\n- Run it", 1},
		{"heading with nothing under it", "## Next steps\n", 0},
		{"heading with the next heading under it", "## Next steps\n\n## Notes\n\nNone.", 0},
		{"heading in a fence", "```md\n## Next steps\nRun it.\n```", 0},
		{"open task", "- [ ] run it\n- [x] write it", 1},
		{"done tasks", "- [x] write it", 0},
		{"open task that is text", "It prints [ ] only.", 0},
		{"recommendation at the end", "It is done.\n\nI recommend to run it.", 1},
		{"recommendation in the last item", "It is done.\n\n- a\n- you should run it", 1},
		{"recommendation at the beginning", "I recommend to run it.\n\nIt is done.", 0},
		{"recommendation, then code", "You should run:\n\n```sh\nls\n```", 1},
		{"Vietnamese heading", "## Bước tiếp theo\n\nChạy lại.", 1},
		{"Vietnamese recommendation", "Đã xong.\n\nBạn nên chạy lại.", 1},
	} {
		if got := value(t, score(t, textExecution("", c.output)), nextSteps); got != c.want {
			t.Errorf("%s: %v, want %v", c.name, got, c.want)
		}
	}
}

// TestCompletenessOverParts: an analysis with answer and explanation has 0.5 of the 0.7 that apply; rubric/1 gives
// 0.5 of 1.
func TestCompletenessOverParts(t *testing.T) {
	e := textExecution("analysis", "The loop never ended because the parser read one token too far and so an empty list was never seen as empty at all by anyone here.")
	for name, want := range map[string]float64{v1: 0.5, V2: 0.5 / 0.7} {
		s := named(t, name).Score(e, Options{})
		if got := value(t, s, completeness); !near(got, want) {
			t.Errorf("%s: %v, want %v: %s", name, got, want, component(t, s, completeness).Reason)
		}
	}
}

// TestWrittenFilesAreCode: an agent that writes files and answers in prose has delivered code; rubric/1 knows the
// text only.
func TestWrittenFilesAreCode(t *testing.T) {
	e := textExecution("coding", "I wrote it.")
	e.Files = []File{{Name: "a.go", Content: "package a"}}
	for name, want := range map[string]float64{v1: 0, V2: 1} {
		if got := value(t, named(t, name).Score(e, Options{}), code); got != want {
			t.Errorf("%s: %v, want %v", name, got, want)
		}
	}
}

const schema = `
json_schema:
  type: object
  required: [name, n]
  properties:
    name: {type: string, enum: [a, b]}
    n: {type: integer, minimum: 1, maximum: 3}
    list: {type: array, items: {type: [number, "null"]}}
    open: {type: object, additionalProperties: {type: boolean}}
  additionalProperties: false
`

func TestFollowsFormat(t *testing.T) {
	for _, c := range []struct {
		name, format, output string
		missed               string // part of why; empty where the format is followed
	}{
		{"heading", "required_headings: [Risks, next steps]", "## Next Steps\n\n# **Risks:**\n", ""},
		{"no heading", "required_headings: [Risks]", "Risks\n", "no such heading"},
		{"heading in a fence", "required_headings: [Risks]", "```\n# Risks\n```", "no such heading"},
		{"pattern", `{"patterns": ["(?m)^Total: \\d+$"]}`, "a\nTotal: 12\n", ""},
		{"no pattern", `{"patterns": ["^Total"]}`, "a\nTotal: 12\n", "matches nowhere"},
		{"words", "{min_words: 2, max_words: 3}", "one two - three", ""},
		{"too few words", "min_words: 2", "one", "there are 1"},
		{"too many words", "max_words: 2", "one two three", "there are 3"},

		{"JSON", schema, `{"name": "a", "n": 2, "list": [1.5, null], "open": {"x": true}}`, ""},
		{"JSON in a block", schema, "So:\n\n```json\n{\"name\": \"a\", \"n\": 2}\n```", ""},
		{"no JSON", schema, "So be it.", "nor is there a block of JSON"},
		{"broken JSON", schema, "```json\n{\n```", "not valid"},
		{"missing", schema, `{"n": 2}`, "$.name is missing"},
		{"not in the enum", schema, `{"name": "c", "n": 2}`, "$.name is none of"},
		{"wrong type", schema, `{"name": 1, "n": 2}`, "$.name is not of type"},
		{"no integer", schema, `{"name": "a", "n": 1.5}`, "$.n is not of type"},
		{"too small", schema, `{"name": "a", "n": 0}`, "below 1"},
		{"too large", schema, `{"name": "a", "n": 4}`, "above 3"},
		{"item", schema, `{"name": "a", "n": 2, "list": [1, "x"]}`, "$.list[1] is not of type"},
		{"not allowed", schema, `{"name": "a", "n": 2, "more": 1}`, "$.more is not allowed"},
		{"additional", schema, `{"name": "a", "n": 2, "open": {"x": 1}}`, "$.open.x is not of type"},
		{"not an object", schema, `[]`, "$ is not of type"},
	} {
		spec, err := ParseFormat([]byte(c.format))
		if err != nil {
			t.Fatalf("%s: %v", c.name, err)
		}
		e := textExecution("", c.output)
		e.Format = spec
		part := component(t, score(t, e), followsFormat)
		if (*part.Value == 1) != (c.missed == "") || !strings.Contains(part.Reason, c.missed) || part.Vacuous {
			t.Errorf("%s: %+v", c.name, part)
		}
	}
}

func TestParseFormatProblems(t *testing.T) {
	for _, c := range []struct {
		name, format string
		fields       string // those that the error names, in order
	}{
		{"empty", "", ""},
		{"no requirement", "{}", ""},
		{"a list", "[1]", ""},
		{"broken", "a: [", ""},
		{"unknown field", "headings: [a]", "headings"},
		{"twice", `{"min_words": 1, "min_words": 2}`, "min_words"},
		{"headings as a string", "required_headings: Risks", "required_headings"},
		{"no headings", "required_headings: []", "required_headings"},
		{"heading without words", "required_headings: [a, '##']", "required_headings[1]"},
		{"number as a heading", "required_headings: [1]", "required_headings[0]"},
		{"bad pattern", "patterns: [a, '(']", "patterns[1]"},
		{"huge pattern", "patterns: ['a{1000}', 'b{1000}']", "patterns[1]"},
		{"half a word", "min_words: 1.5", "min_words"},
		{"negative", "max_words: -1", "max_words"},
		{"text", "max_words: many", "max_words"},
		{"NaN", "max_words: .nan", "max_words"},
		{"crossed", "{min_words: 3, max_words: 2}", "min_words"},
		{"unknown keyword", "json_schema: {properties: {a: {pattern: x}}}", "json_schema.properties.a.pattern"},
		{"reference", `json_schema: {$ref: "#"}`, "json_schema.$ref"},
		{"unknown type", "json_schema: {type: text}", "json_schema.type"},
		{"bad bound", "json_schema: {items: {minimum: low}}", "json_schema.items.minimum"},
		{"bad enum", "json_schema: {enum: a}", "json_schema.enum"},
		{"bad properties", "json_schema: {properties: [a]}", "json_schema.properties"},
		{"bad schema", "json_schema: true", "json_schema"},
		{"bad required", "json_schema: {required: a}", "json_schema.required"},
		{"alias", "required_headings: &a [x]\npatterns: *a", "patterns"},
		{"several", "{min_words: x, max_words: y}", "min_words max_words"},
		{"deep", "json_schema: " + strings.Repeat("{items: ", 100) + "{}" + strings.Repeat("}", 100), "json_schema" + strings.Repeat(".items", 64)},
		{"large", "#" + strings.Repeat("x", 300<<10), ""},
	} {
		spec, err := ParseFormat([]byte(c.format))
		var problems formatError
		if spec != nil || !errors.As(err, &problems) {
			t.Errorf("%s: %v %v", c.name, spec, err)
			continue
		}
		var fields []string
		for _, p := range problems.Problems {
			fields = append(fields, p.Field)
			if p.Message == "" || !strings.Contains(err.Error(), p.Message) {
				t.Errorf("%s: %v lacks %q", c.name, err, p.Message)
			}
		}
		if got := strings.Join(fields, " "); got != c.fields {
			t.Errorf("%s: names %q, want %q: %v", c.name, got, c.fields, err)
		}
	}
}

// TestParseFormatOfJSON: JSON is YAML, and annotations say nothing.
func TestParseFormatOfJSON(t *testing.T) {
	spec, err := ParseFormat([]byte(`{"json_schema": {"$schema": "x", "title": "t", "type": ["object", "null"], "required": [], "enum": [null, {"a": [1, true, "b"]}]}, "max_words": 5}`))
	if err != nil || *spec.MaxWords != 5 || len(spec.Schema.Types) != 2 || len(spec.Schema.Enum) != 2 {
		t.Fatalf("%+v %v", spec, err)
	}
	for output, want := range map[string]float64{"null": 1, `{"a": [1.0, true, "b"]}`: 1, `{"a": [2, true, "b"]}`: 0} {
		e := textExecution("", output)
		e.Format = spec
		if got := value(t, score(t, e), followsFormat); got != want {
			t.Errorf("%s: %v", output, got)
		}
	}
}
