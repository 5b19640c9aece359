package rubric

import (
	"fmt"
	"path"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// parseShell parses a command line as bash; nil where it is none, or is too large or nested to look at.
func parseShell(command string) (file *syntax.File) {
	if len(command) > maxCode || deeperThan(command, maxNesting) {
		return nil
	}
	defer func() {
		if recover() != nil { // a bug in the parser is no reason to fail a score
			file = nil
		}
	}()
	file, err := syntax.NewParser(syntax.Variant(syntax.LangBash)).Parse(strings.NewReader(command), "")
	if err != nil {
		return nil
	}
	return file
}

// exitCommands returns the arguments of every simple command that may have set a non-zero exit status of the command
// line: the last of a pipeline or list, and both sides of &&. None where the status may be that of anything else.
func exitCommands(command string) [][]string { return exitCommandsOf(command, 0) }

func exitCommandsOf(command string, depth int) [][]string {
	const deepest = 3 // bash -c "bash -c …"
	file := parseShell(command)
	if file == nil || len(file.Stmts) == 0 || depth > deepest {
		return nil
	}
	list, ok := lastOf(file.Stmts, depth)
	if !ok {
		return nil
	}
	return list
}

func lastOf(statements []*syntax.Stmt, depth int) (list [][]string, ok bool) {
	if len(statements) == 0 {
		return nil, false
	}
	last := statements[len(statements)-1]
	if last.Negated || last.Background || last.Cmd == nil {
		return nil, false
	}
	switch c := last.Cmd.(type) {
	case *syntax.CallExpr:
		argv := arguments(c)
		if inner, is := shellString(argv); is {
			list = exitCommandsOf(inner, depth+1)
			return list, len(list) > 0
		}
		return [][]string{argv}, len(argv) > 0
	case *syntax.TestClause:
		return [][]string{{"[["}}, true
	case *syntax.TimeClause:
		return lastOf([]*syntax.Stmt{c.Stmt}, depth)
	case *syntax.Subshell:
		return lastOf(c.Stmts, depth)
	case *syntax.Block:
		return lastOf(c.Stmts, depth)
	case *syntax.BinaryCmd:
		right, ok := lastOf([]*syntax.Stmt{c.Y}, depth)
		if !ok || c.Op != syntax.AndStmt {
			return right, ok
		}
		left, ok := lastOf([]*syntax.Stmt{c.X}, depth)
		return append(left, right...), ok
	}
	return nil, false
}

// simpleCommands returns the arguments of every simple command in the command line, in their order.
func simpleCommands(command string) [][]string { return simpleCommandsOf(command, 0) }

func simpleCommandsOf(command string, depth int) [][]string {
	file := parseShell(command)
	if file == nil || depth > 3 {
		return nil
	}
	var list [][]string
	syntax.Walk(file, func(n syntax.Node) bool {
		if call, ok := n.(*syntax.CallExpr); ok {
			argv := arguments(call)
			if inner, is := shellString(argv); is {
				list = append(list, simpleCommandsOf(inner, depth+1)...)
			} else if len(argv) > 0 {
				list = append(list, argv)
			}
		}
		return true
	})
	return list
}

// arguments are the words of a simple command, without quotes, from its name on: what only runs another command is
// left out. A word that only the shell could expand is empty.
func arguments(call *syntax.CallExpr) []string {
	var argv []string
	for _, word := range call.Args {
		argv = append(argv, literal(word))
	}
	for len(argv) > 0 {
		switch path.Base(argv[0]) {
		case "sudo", "command", "env", "nice", "nohup", "timeout", "time", "stdbuf":
		default:
			return argv
		}
		argv = argv[1:]
		// Their own options, VAR=value of env, and the duration of timeout.
		for len(argv) > 0 && (strings.HasPrefix(argv[0], "-") || strings.Contains(argv[0], "=") || startsWithDigit(argv[0])) {
			argv = argv[1:]
		}
	}
	return nil
}

func startsWithDigit(s string) bool { return s != "" && s[0] >= '0' && s[0] <= '9' }

// literal is the text of a word made of text and quotes alone.
func literal(word *syntax.Word) string {
	var text strings.Builder
	for _, p := range word.Parts {
		switch p := p.(type) {
		case *syntax.Lit:
			text.WriteString(p.Value)
		case *syntax.SglQuoted:
			text.WriteString(p.Value)
		case *syntax.DblQuoted:
			for _, inner := range p.Parts {
				lit, ok := inner.(*syntax.Lit)
				if !ok {
					return ""
				}
				text.WriteString(lit.Value)
			}
		default:
			return ""
		}
	}
	return text.String()
}

// shellString returns the command line in bash -c "…" and its like.
func shellString(argv []string) (string, bool) {
	switch commandName(argv) {
	case "sh", "bash", "zsh":
	default:
		return "", false
	}
	for i, arg := range argv[:len(argv)-1] {
		if i > 0 && strings.HasPrefix(arg, "-") && !strings.HasPrefix(arg, "--") && strings.HasSuffix(arg, "c") {
			return argv[i+1], true
		}
	}
	return "", false
}

func commandName(argv []string) string {
	if len(argv) == 0 {
		return ""
	}
	return path.Base(argv[0])
}

// testsOrBuilds says that a call runs tests or a build.
func testsOrBuilds(c Call) bool {
	for _, argv := range simpleCommands(c.Command) {
		if testOrBuild(argv) {
			return true
		}
	}
	return false
}

func testOrBuild(argv []string) bool {
	switch commandName(argv) {
	case "pytest", "py.test", "tox", "nox", "make", "ninja", "ctest", "jest", "vitest", "mocha", "tsc", "rspec", "phpunit",
		"gotestsum", "msbuild", "xcodebuild":
		return true
	case "python", "python3":
		return len(argv) > 2 && argv[1] == "-m" && among(argv[2], "pytest", "unittest", "build", "tox", "nox")
	case "npx", "bunx", "uvx", "pipx", "poetry", "uv", "bundle", "pipenv", "hatch": // they run another command
		rest := argv[1:]
		for len(rest) > 0 && (among(rest[0], "run", "exec") || strings.HasPrefix(rest[0], "-")) {
			rest = rest[1:]
		}
		return testOrBuild(rest)
	case "go", "cargo", "dotnet", "swift", "mix", "bazel", "zig", "deno", "flutter", "sbt", "stack", "cabal", "docker",
		"npm", "pnpm", "yarn", "bun", "mvn", "gradle", "gradlew", "cmake":
		for _, arg := range argv[1:] {
			if among(arg, "test", "tests", "build", "--build", "check", "verify", "package", "vet", "compile", "t") ||
				strings.HasPrefix(arg, "test:") || strings.HasPrefix(arg, "build:") {
				return true
			}
		}
	}
	return false
}

func among(s string, list ...string) bool {
	for _, item := range list {
		if s == item {
			return true
		}
	}
	return false
}

// outcome is how a tool call ended.
type outcome string

// The outcomes.
const (
	succeeded    outcome = "ok"
	failed       outcome = "failed"
	benignExit   outcome = "benign"       // a non-zero exit that says no more than "nothing found" or "they differ"
	undetermined outcome = "undetermined" // nothing is known that would tell
)

// callsDetail is what [toolSuccessRate] was computed from.
type callsDetail struct {
	Calls        int          `json:"calls"`
	Successful   int          `json:"successful"` // benign exits included
	Failed       int          `json:"failed"`
	Benign       int          `json:"benign"`
	Undetermined int          `json:"undetermined"`           // counted in neither
	FailedTools  []toolCount  `json:"failed_tools,omitempty"` // in the order of their first failure
	Notable      []judgedCall `json:"notable,omitempty"`      // the first calls that did not simply succeed
}

// toolCount says how often a tool failed.
type toolCount struct {
	Tool  string `json:"tool"`
	Count int    `json:"count"`
}

// judgedCall says how a call ended, and why that is so.
type judgedCall struct {
	Call    int     `json:"call"` // number from 1
	Tool    string  `json:"tool"`
	Outcome outcome `json:"outcome"`
	Why     string  `json:"why"`
}

// statusMissing is why the outcome of a call with [Call.StatusMissing] is not known.
const statusMissing = "the log has no exit status of this call, and its output shows no failure"

type verdict struct {
	outcome outcome
	why     string
}

// judge says how a call ended under the rubric, and why.
func (r Rubric) judge(c Call) verdict {
	switch {
	case r.literal:
		return judgeLiterally(c)
	case c.Exit != nil && *c.Exit != 0:
		if *c.Exit == 1 {
			if command := benignCommand(c); command != "" {
				return verdict{benignExit, "exit 1 of " + command}
			}
		}
		return verdict{failed, fmt.Sprintf("exit %d", *c.Exit)}
	case c.Error != "":
		return verdict{failed, "error: " + excerpt(c.Error)}
	case c.IsError != nil && *c.IsError:
		return verdict{failed, "the tool reported an error"}
	case c.Exit != nil:
		return verdict{succeeded, "exit 0"}
	case c.IsError != nil:
		return verdict{succeeded, "the tool reported no error"}
	case c.Output != nil:
		if pattern := anchoredFailure(clip(*c.Output, maxText)); pattern != "" {
			return verdict{failed, fmt.Sprintf("no exit status, and the output has %q at the start of a line", pattern)}
		}
		if c.StatusMissing {
			return verdict{undetermined, statusMissing}
		}
		return verdict{succeeded, "no exit status, and no failure in the output"}
	case !c.Answered:
		return verdict{undetermined, noResult}
	}
	return verdict{undetermined, "neither exit status nor output is known"}
}

const noResult = "no result"

// judgeLiterally is rubric/1: exit code 0 and no word of error anywhere in the output. Where one of the two is not
// known, the other decides.
func judgeLiterally(c Call) verdict {
	switch {
	case c.Exit != nil && *c.Exit != 0:
		return verdict{failed, fmt.Sprintf("exit %d", *c.Exit)}
	case c.Error != "":
		return verdict{failed, "error: " + excerpt(c.Error)}
	case c.IsError != nil && *c.IsError:
		return verdict{failed, "the tool reported an error"}
	case c.Output != nil:
		if word := errorWord.FindString(clip(*c.Output, maxText)); word != "" {
			return verdict{failed, fmt.Sprintf("the output contains %q", word)}
		}
		if c.StatusMissing {
			return verdict{undetermined, statusMissing}
		}
		return verdict{succeeded, "no word of error in the output"}
	case c.Exit != nil:
		return verdict{succeeded, "exit 0; the output is not known"}
	case c.IsError != nil:
		return verdict{succeeded, "the tool reported no error; the output is not known"}
	case !c.Answered:
		return verdict{undetermined, noResult}
	}
	return verdict{undetermined, "neither exit status nor output is known"}
}

func (s *scorer) count(outcome outcome) int {
	n := 0
	for _, v := range s.verdicts {
		if v.outcome == outcome {
			n++
		}
	}
	return n
}

// toolSuccess is successful / all tool calls, where all are those of which the outcome is known. Under rubric/2 a
// one-sided minority of known outcomes is no evidence, and gives no value.
func (s *scorer) toolSuccess() Component {
	if s.e.CallsUnknown {
		return missing(toolSuccessRate, "the tool calls were not recorded")
	}
	d := s.callsDetail()
	counted := d.Successful + d.Failed
	if reason := s.noRate(d); reason != "" {
		c := missing(toolSuccessRate, reason)
		c.Detail = d
		return c
	}
	reason := fmt.Sprintf("%d of %s succeeded", d.Successful, plural(counted, "call"))
	if d.Benign > 0 {
		reason += fmt.Sprintf(", %s among them", plural(d.Benign, "benign exit"))
	}
	if d.Undetermined > 0 {
		reason += fmt.Sprintf("; %d left out, their outcome is not known", d.Undetermined)
	}
	return measured(toolSuccessRate, float64(d.Successful)/float64(counted), d, "%s", reason)
}

// noRate returns why the outcomes that are known give no rate; empty if they give one.
func (s *scorer) noRate(d callsDetail) string {
	counted := d.Successful + d.Failed
	reason := ""
	switch {
	case counted == 0 && d.Undetermined > 0:
		reason = "of none of the calls is it known whether it succeeded"
	case counted == 0:
		reason = "no tool call, and 0/0 is no rate"
	case !s.rubric.literal && d.oneSidedMinority():
		reason = fmt.Sprintf("only %d of %s have a known outcome, and all of them %s", counted, plural(d.Calls, "call"), d.onlyOutcome())
	default:
		return ""
	}
	if s.rubric.literal {
		return reason + ": rubric/1 gives it no value, so its sum has none either"
	}
	return reason + ": left out, and the weights of the others renormalised"
}

// oneSidedMinority reports whether fewer than half of the outcomes are known, and all of them are equal. A log that
// writes down only failures, or only what succeeded, looks like this.
func (d callsDetail) oneSidedMinority() bool {
	return 2*(d.Successful+d.Failed) < d.Calls && (d.Successful == 0 || d.Failed == 0)
}

func (d callsDetail) onlyOutcome() string {
	if d.Failed > 0 {
		return "failed"
	}
	return "succeeded"
}

func (s *scorer) callsDetail() callsDetail {
	d := callsDetail{Calls: len(s.e.Calls), Failed: s.count(failed), Benign: s.count(benignExit), Undetermined: s.count(undetermined)}
	d.Successful = s.count(succeeded) + d.Benign
	position := map[string]int{}
	for i, v := range s.verdicts {
		tool := s.e.Calls[i].Tool
		if v.outcome != succeeded && len(d.Notable) < maxListed {
			d.Notable = append(d.Notable, judgedCall{Call: i + 1, Tool: tool, Outcome: v.outcome, Why: v.why})
		}
		if v.outcome != failed {
			continue
		}
		if _, ok := position[tool]; !ok {
			position[tool] = len(d.FailedTools)
			d.FailedTools = append(d.FailedTools, toolCount{Tool: tool})
		}
		d.FailedTools[position[tool]].Count++
	}
	return d
}

// benignCommand returns the grep, rg, diff or test whose exit 1 is that of the call; empty where another command may
// have set it.
func benignCommand(c Call) string {
	if c.Command == "" {
		switch tool := strings.ToLower(c.Tool); tool {
		case "grep", "rg", "diff": // not test: a tool of that name runs tests
			return tool
		}
		return ""
	}
	benign := ""
	for _, argv := range exitCommands(c.Command) {
		name := commandName(argv)
		switch name {
		case "grep", "egrep", "fgrep", "rg", "diff", "test", "[", "[[":
			benign = name
		case "cd": // on the way: its own failure shows in what it prints
			if strings.Contains(c.Error, "cd: ") || c.Output != nil && strings.Contains(clip(*c.Output, maxText), "cd: ") {
				return ""
			}
		default:
			return ""
		}
	}
	return benign
}
