package rubric

import (
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
