package rubric

import (
	"math"
	"slices"
	"strings"
	"testing"
)

// TestDifferences are the rows of the table in the reference, section 3. "No tool call" is TestNoCalls, "efficiency"
// TestWorkedExamples.
func TestDifferences(t *testing.T) {
	nan := math.NaN()
	call := func(c Call) Execution { return Execution{Calls: []Call{c}} }
	for _, c := range []struct {
		name      string
		e         Execution
		component string
		v1, v2    float64
	}{
		{"heading", textExecution("", "text\n\n## Title\n"), headings, 1, 1},
		{"comment in a fence is a heading to rubric/1", textExecution("", "```sh\n# comment\nls\n```"), headings, 1, 0},
		{"underlined heading is none to rubric/1", textExecution("", "Title\n=====\n"), headings, 0, 1},
		{"a hash without a space", textExecution("", "#tag"), headings, 0, 0},
		{"seven hashes", textExecution("", "####### deep"), headings, 1, 0},

		{"bullets", textExecution("", "- a\n- b"), hasLists, 1, 1},
		{"numbered list is none to rubric/1", textExecution("", "1. item\n2. item"), hasLists, 0, 1},
		{"a digit and a space is a list to rubric/1", textExecution("", "7 dwarfs"), hasLists, 1, 0},
		{"nested list", textExecution("", "> - quoted"), hasLists, 0, 1},
		{"plus", textExecution("", "+ a"), hasLists, 0, 1},

		{"fence", textExecution("", "```\nx\n```"), codeBlocks, 1, 1},
		{"indented code is none to rubric/1", textExecution("", "see\n\n    x = 1\n"), codeBlocks, 0, 1},
		{"tildes are none to rubric/1", textExecution("", "~~~\nx\n~~~"), codeBlocks, 0, 1},
		{"three backticks in a line are code to rubric/1", textExecution("", "write ```x``` so"), codeBlocks, 1, 0},

		{"code in a coding task", textExecution("coding", "```\nx\n```"), code, 1, 1},
		{"no code in a coding task", textExecution("coding", "done"), code, 0, 0},
		{"code in another task", textExecution("analysis", "```\nx\n```"), code, 0, nan},
		{"unknown task", textExecution("", "```\nx\n```"), code, 0, nan},

		{"word of error in a good output", call(Call{Exit: ptr(0), Output: ptr("0 errors, none Failed")}), toolSuccessRate, 0, 1},
		{"part of a word", call(Call{Exit: ptr(0), Output: ptr("see terrors.txt")}), toolSuccessRate, 0, 1},
		{"exit status first", call(Call{Exit: ptr(0), Output: ptr("Traceback (most recent call last)")}), toolSuccessRate, 0, 1},
		{"bad exit, good words", call(Call{Exit: ptr(3), Output: ptr("fine")}), toolSuccessRate, 0, 0},
		{"unknown exit, word in the middle", call(Call{Output: ptr("2 tests, 0 failed")}), toolSuccessRate, 0, 1},
		{"unknown exit, anchored pattern", call(Call{Output: ptr("go run .\n  panic: runtime")}), toolSuccessRate, 1, 0},
		{"unknown exit, Error at the start", call(Call{Output: ptr("Error: user not found")}), toolSuccessRate, 0, 0},
		{"unknown exit, Errors at the start", call(Call{Output: ptr("Errors.go was read")}), toolSuccessRate, 0, 1},

		{"1 known failure of 21", Execution{Calls: append(unknown(20), failing("Bash", ""))}, toolSuccessRate, 0, nan},
		{"1 known success of 21", Execution{Calls: append(unknown(20), ok("Bash"))}, toolSuccessRate, 1, nan},
		{"10 equal of 21", Execution{Calls: append(unknown(11), times(10, ok("Bash"))...)}, toolSuccessRate, 1, nan},
		{"half of the outcomes, all equal", Execution{Calls: append(unknown(10), times(10, ok("Bash"))...)}, toolSuccessRate, 1, 1},
		{"2 of 21, one of each", Execution{Calls: append(unknown(19), failing("Bash", ""), ok("Bash"))}, toolSuccessRate, 0.5, 0.5},

		{"exit 1 of grep", call(Call{Exit: ptr(1), Command: "grep x y"}), toolSuccessRate, 0, 1},
		{"exit 2 of grep", call(Call{Exit: ptr(2), Command: "grep x y"}), toolSuccessRate, 0, 0},
	} {
		for name, want := range map[string]float64{v1: c.v1, V2: c.v2} {
			if got := value(t, named(t, name).Score(c.e, Options{}), c.component); !near(got, want) {
				t.Errorf("%s under %s: %s is %v, want %v", c.name, name, c.component, got, want)
			}
		}
	}
}

// TestBenignExits: exit 1 is benign where nothing but grep, rg, diff or test can have set it.
func TestBenignExits(t *testing.T) {
	for command, benign := range map[string]bool{
		"grep -q x file":                       true,
		"/usr/bin/grep x file":                 true,
		"rg pattern src":                       true,
		"diff a b":                             true,
		"test -f x":                            true,
		"[ -f x ]":                             true,
		"[[ -f x ]]":                           true,
		"cat f | grep x":                       true,
		"cat f | grep x | sort":                false, // it is sort that ended with 1
		"cd dir && grep x f":                   true,
		"make; grep x f":                       true,
		"make && grep x f":                     false, // it may have been make
		"grep x f || grep y f":                 true,
		"grep x f && diff a b":                 true,
		"grep x f; go test ./...":              false,
		"! grep x f":                           false, // it found something
		"(cd a; rg x)":                         true,
		"{ rg x; }":                            true,
		"timeout 10 grep x f":                  true,
		"sudo -n env A=b rg x":                 true,
		`bash -lc "grep x f"`:                  true,
		`bash -lc "go test"`:                   false,
		"if grep x f; then ls; fi":             false,
		"grep x f &":                           false,
		"go test ./... | tee log":              false,
		"time grep x f":                        true,
		"grep 'open":                           false, // no shell command
		"":                                     false,
		"$GREP x":                              false,
		strings.Repeat("(", 1000) + "grep x f": false,
	} {
		v := named(t, V2).judge(Call{Tool: "Bash", Exit: ptr(1), Command: command})
		if (v.outcome == benignExit) != benign || v.why == "" {
			t.Errorf("%q: %s (%s)", command, v.outcome, v.why)
		}
	}
	for tool, benign := range map[string]bool{"Grep": true, "rg": true, "diff": true, "test": false, "Bash": false} {
		if outcome := named(t, V2).judge(Call{Tool: tool, Exit: ptr(1)}).outcome; (outcome == benignExit) != benign {
			t.Errorf("tool %s: %s", tool, outcome)
		}
	}
	noFolder := Call{Tool: "Bash", Exit: ptr(1), Command: "cd a && grep x f", Error: "bash: line 1: cd: a: No such file or directory"}
	if outcome := named(t, V2).judge(noFolder).outcome; outcome != failed {
		t.Errorf("cd into nowhere: %s", outcome)
	}
	// Recorded, not counted as a failure.
	s := named(t, V2).Score(Execution{Calls: []Call{{Exit: ptr(1), Command: "grep x f"}, ok("Read")}}, Options{})
	if d := component(t, s, toolSuccessRate).Detail.(callsDetail); d.Benign != 1 || d.Failed != 0 || len(d.Notable) != 1 || s.NFailed != 0 {
		t.Errorf("%+v", d)
	}
}

func TestJudge(t *testing.T) {
	for _, c := range []struct {
		name   string
		call   Call
		v1, v2 outcome
	}{
		{"no result", Call{}, undetermined, undetermined},
		{"a result of which nothing is known", Call{Answered: true}, undetermined, undetermined},
		{"no error reported", Call{IsError: ptr(false)}, succeeded, succeeded},
		{"no error reported, words of error", Call{IsError: ptr(false), Output: ptr("error.go")}, failed, succeeded},
		{"error reported", Call{IsError: ptr(true), Output: ptr("fine")}, failed, failed},
		{"error given", Call{Error: "refused", Exit: ptr(0)}, failed, failed},
		{"exit 0", Call{Exit: ptr(0)}, succeeded, succeeded},
		{"exit -1", Call{Exit: ptr(-1)}, failed, failed},
		{"exit code in the output", Call{Output: ptr("Exit code 2\nls: no")}, succeeded, failed},
		{"exit code 0 in the output", Call{Output: ptr("Exit code 0")}, succeeded, succeeded},
		{"empty output", Call{Output: ptr("")}, succeeded, succeeded},
		{"exit code missing, quiet output", Call{StatusMissing: true, Answered: true, Output: ptr("done")}, undetermined, undetermined},
		{"exit code missing, words of error", Call{StatusMissing: true, Output: ptr("error.go")}, failed, undetermined},
		{"exit code missing, a crash", Call{StatusMissing: true, Output: ptr("Traceback (most recent call last):\n")}, failed, failed},
		{"exit code missing, error given", Call{StatusMissing: true, Error: "refused"}, failed, failed},
	} {
		for name, want := range map[string]outcome{v1: c.v1, V2: c.v2} {
			if got := named(t, name).judge(c.call); got.outcome != want || got.why == "" {
				t.Errorf("%s under %s: %s (%s), want %s", c.name, name, got.outcome, got.why, want)
			}
		}
	}
	s := named(t, V2).Score(Execution{Calls: []Call{{Answered: true}, ok("x")}}, Options{})
	if d := component(t, s, toolSuccessRate).Detail.(callsDetail); d.Undetermined != 1 || d.Successful != 1 {
		t.Errorf("%+v", d)
	}
}

func unknown(n int) []Call { return times(n, Call{Tool: "Bash", Answered: true}) }

func times(n int, c Call) []Call { return slices.Repeat([]Call{c}, n) }
