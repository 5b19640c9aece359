package rubric_test

import (
	"math"
	"strings"
	"testing"

	"track/scoring/rubric"
)

// TestDifferences are the rows of the table in the reference, section 3. "No tool call" is TestNoCalls, "efficiency" TestWorkedExamples.
func TestDifferences(t *testing.T) {
	nan := math.NaN()
	call := func(c rubric.Call) rubric.Execution { return rubric.Execution{Calls: []rubric.Call{c}} }
	for _, c := range []struct {
		name      string
		e         rubric.Execution
		component string
		v1, v2    float64
	}{
		{"heading", textExecution("", "text\n\n## Title\n"), rubric.Headings, 1, 1},
		{"comment in a fence is a heading to rubric/1", textExecution("", "```sh\n# comment\nls\n```"), rubric.Headings, 1, 0},
		{"underlined heading is none to rubric/1", textExecution("", "Title\n=====\n"), rubric.Headings, 0, 1},
		{"a hash without a space", textExecution("", "#tag"), rubric.Headings, 0, 0},
		{"seven hashes", textExecution("", "####### deep"), rubric.Headings, 1, 0},

		{"bullets", textExecution("", "- a\n- b"), rubric.Lists, 1, 1},
		{"numbered list is none to rubric/1", textExecution("", "1. item\n2. item"), rubric.Lists, 0, 1},
		{"a digit and a space is a list to rubric/1", textExecution("", "7 dwarfs"), rubric.Lists, 1, 0},
		{"nested list", textExecution("", "> - quoted"), rubric.Lists, 0, 1},
		{"plus", textExecution("", "+ a"), rubric.Lists, 0, 1},

		{"fence", textExecution("", "```\nx\n```"), rubric.CodeBlocks, 1, 1},
		{"indented code is none to rubric/1", textExecution("", "see\n\n    x = 1\n"), rubric.CodeBlocks, 0, 1},
		{"tildes are none to rubric/1", textExecution("", "~~~\nx\n~~~"), rubric.CodeBlocks, 0, 1},
		{"three backticks in a line are code to rubric/1", textExecution("", "write ```x``` so"), rubric.CodeBlocks, 1, 0},

		{"code in a coding task", textExecution("coding", "```\nx\n```"), rubric.Code, 1, 1},
		{"no code in a coding task", textExecution("coding", "done"), rubric.Code, 0, 0},
		{"code in another task", textExecution("analysis", "```\nx\n```"), rubric.Code, 0, nan},
		{"unknown task", textExecution("", "```\nx\n```"), rubric.Code, 0, nan},

		{"word of error in a good output", call(rubric.Call{Exit: ptr(0), Output: ptr("0 errors, none Failed")}), rubric.ToolSuccessRate, 0, 1},
		{"part of a word", call(rubric.Call{Exit: ptr(0), Output: ptr("see terrors.txt")}), rubric.ToolSuccessRate, 0, 1},
		{"exit status first", call(rubric.Call{Exit: ptr(0), Output: ptr("Traceback (most recent call last)")}), rubric.ToolSuccessRate, 0, 1},
		{"bad exit, good words", call(rubric.Call{Exit: ptr(3), Output: ptr("fine")}), rubric.ToolSuccessRate, 0, 0},
		{"unknown exit, word in the middle", call(rubric.Call{Output: ptr("2 tests, 0 failed")}), rubric.ToolSuccessRate, 0, 1},
		{"unknown exit, anchored pattern", call(rubric.Call{Output: ptr("go run .\n  panic: runtime")}), rubric.ToolSuccessRate, 1, 0},
		{"unknown exit, Error at the start", call(rubric.Call{Output: ptr("Error: user not found")}), rubric.ToolSuccessRate, 0, 0},
		{"unknown exit, Errors at the start", call(rubric.Call{Output: ptr("Errors.go was read")}), rubric.ToolSuccessRate, 0, 1},

		{"exit 1 of grep", call(rubric.Call{Exit: ptr(1), Command: "grep x y"}), rubric.ToolSuccessRate, 0, 1},
		{"exit 2 of grep", call(rubric.Call{Exit: ptr(2), Command: "grep x y"}), rubric.ToolSuccessRate, 0, 0},
	} {
		for name, want := range map[string]float64{rubric.V1: c.v1, rubric.V2: c.v2} {
			if got := value(t, named(t, name).Score(c.e, rubric.Options{}), c.component); !near(got, want) {
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
		outcome, why := named(t, rubric.V2).Judge(rubric.Call{Tool: "Bash", Exit: ptr(1), Command: command})
		if (outcome == rubric.Benign) != benign || why == "" {
			t.Errorf("%q: %s (%s)", command, outcome, why)
		}
	}
	for tool, benign := range map[string]bool{"Grep": true, "rg": true, "diff": true, "test": false, "Bash": false} {
		if outcome, _ := named(t, rubric.V2).Judge(rubric.Call{Tool: tool, Exit: ptr(1)}); (outcome == rubric.Benign) != benign {
			t.Errorf("tool %s: %s", tool, outcome)
		}
	}
	noFolder := rubric.Call{Tool: "Bash", Exit: ptr(1), Command: "cd a && grep x f", Error: "bash: line 1: cd: a: No such file or directory"}
	if outcome, _ := named(t, rubric.V2).Judge(noFolder); outcome != rubric.Failed {
		t.Errorf("cd into nowhere: %s", outcome)
	}
	// Recorded, not counted as a failure.
	s := named(t, rubric.V2).Score(rubric.Execution{Calls: []rubric.Call{{Exit: ptr(1), Command: "grep x f"}, ok("Read")}}, rubric.Options{})
	if d := component(t, s, rubric.ToolSuccessRate).Detail.(rubric.CallsDetail); d.Benign != 1 || d.Failed != 0 || len(d.Notable) != 1 || s.NFailed != 0 {
		t.Errorf("%+v", d)
	}
}

func TestJudge(t *testing.T) {
	for _, c := range []struct {
		name   string
		call   rubric.Call
		v1, v2 rubric.Outcome
	}{
		{"no result", rubric.Call{}, rubric.Failed, rubric.Failed},
		{"a result of which nothing is known", rubric.Call{Answered: true}, rubric.Undetermined, rubric.Undetermined},
		{"no error reported", rubric.Call{IsError: ptr(false)}, rubric.Succeeded, rubric.Succeeded},
		{"no error reported, words of error", rubric.Call{IsError: ptr(false), Output: ptr("error.go")}, rubric.Failed, rubric.Succeeded},
		{"error reported", rubric.Call{IsError: ptr(true), Output: ptr("fine")}, rubric.Failed, rubric.Failed},
		{"error given", rubric.Call{Error: "refused", Exit: ptr(0)}, rubric.Failed, rubric.Failed},
		{"exit 0", rubric.Call{Exit: ptr(0)}, rubric.Succeeded, rubric.Succeeded},
		{"exit -1", rubric.Call{Exit: ptr(-1)}, rubric.Failed, rubric.Failed},
		{"exit code in the output", rubric.Call{Output: ptr("Exit code 2\nls: no")}, rubric.Succeeded, rubric.Failed},
		{"exit code 0 in the output", rubric.Call{Output: ptr("Exit code 0")}, rubric.Succeeded, rubric.Succeeded},
		{"empty output", rubric.Call{Output: ptr("")}, rubric.Succeeded, rubric.Succeeded},
	} {
		for name, want := range map[string]rubric.Outcome{rubric.V1: c.v1, rubric.V2: c.v2} {
			if got, why := named(t, name).Judge(c.call); got != want || why == "" {
				t.Errorf("%s under %s: %s (%s), want %s", c.name, name, got, why, want)
			}
		}
	}
	s := named(t, rubric.V2).Score(rubric.Execution{Calls: []rubric.Call{{Answered: true}, ok("x")}}, rubric.Options{})
	if d := component(t, s, rubric.ToolSuccessRate).Detail.(rubric.CallsDetail); d.Undetermined != 1 || d.Successful != 1 {
		t.Errorf("%+v", d)
	}
}
