package main

import (
	"bytes"
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/urfave/cli/v2"
)

// runTrack runs track as a process in dir.
func runTrack(t *testing.T, dir string, args ...string) (stdout, stderr string, code int) {
	t.Helper()
	var out, errOut bytes.Buffer
	cmd := exec.Command("track", args...)
	cmd.Dir = dir
	cmd.Env = environ()
	cmd.Stdout, cmd.Stderr = &out, &errOut
	if err := cmd.Run(); err != nil && cmd.ProcessState == nil {
		t.Error(err)
	}
	return out.String(), errOut.String(), cmd.ProcessState.ExitCode()
}

// mustTrack is runTrack of what has to succeed.
func mustTrack(t *testing.T, dir string, args ...string) string {
	t.Helper()
	stdout, stderr, code := runTrack(t, dir, args...)
	if code != exitOK {
		t.Fatalf("track %s: exit code %d\n%s%s", strings.Join(args, " "), code, stdout, stderr)
	}
	return stdout
}

// eachCommand calls visit for every command, with the words that name it.
func eachCommand(commands []*cli.Command, path []string, visit func(path []string, c *cli.Command)) {
	for _, c := range commands {
		path := append(path[:len(path):len(path)], c.Name)
		visit(path, c)
		eachCommand(c.Subcommands, path, visit)
	}
}

// TestHelp asks every command for its help: it works without a database, shows an example that begins with the
// command, says what each flag is for, and hides nothing behind a flag of another command.
func TestHelp(t *testing.T) {
	t.Chdir(t.TempDir())
	eachCommand((&program{}).app("").Commands, nil, func(path []string, c *cli.Command) {
		name := strings.Join(path, " ")
		t.Run(name, func(t *testing.T) {
			code, stdout, stderr := inProcess(t, append(path, "--help"))
			if code != exitOK || stderr != "" {
				t.Fatalf("exit code %d, standard error %q", code, stderr)
			}
			if !mayBeVerb(c.Usage) {
				t.Errorf("the help does not begin with a verb: %s", c.Usage)
			}
			if c.Usage == "" || !strings.Contains(stdout, "track "+name+" - "+c.Usage) {
				t.Errorf("help does not say what the command is for:\n%s", stdout)
			}
			for _, sub := range c.Subcommands {
				if !strings.Contains(stdout, sub.Name) || !strings.Contains(stdout, sub.Usage) {
					t.Errorf("help does not list %s:\n%s", sub.Name, stdout)
				}
			}
			if len(c.Subcommands) > 0 {
				return
			}
			if _, examples, found := strings.Cut(stdout, "Example"); !found || !strings.Contains(examples, "track "+name) {
				t.Errorf("help has no example:\n%s", stdout)
			}
			if !strings.Contains(c.UsageText, "track "+name) {
				t.Errorf("usage text is %q", c.UsageText)
			}
			for _, flag := range c.VisibleFlags() {
				documented := flag.(cli.DocGenerationFlag)
				if documented.GetUsage() == "" || !strings.Contains(stdout, "--"+flag.Names()[0]) {
					t.Errorf("help does not say what --%s is for:\n%s", flag.Names()[0], stdout)
				}
				if !mayBeVerb(documented.GetUsage()) {
					t.Errorf("the help of --%s does not begin with a verb: %s", flag.Names()[0], documented.GetUsage())
				}
			}
		})
	})
}

// mayBeVerb reports whether a help text can begin with a verb: its first word is in lower case, and is none that
// begins a noun or a clause.
func mayBeVerb(help string) bool {
	word, _, _ := strings.Cut(help, " ")
	others := " a an as every fewer for from given how if in it no of only that the these this those what when where which who why with "
	return word != "" && word[0] >= 'a' && word[0] <= 'z' && !strings.Contains(others, " "+strings.Trim(word, ",:;")+" ")
}

// TestUnknownFlag gives every command a flag that none has.
func TestUnknownFlag(t *testing.T) {
	dir := t.TempDir()
	t.Chdir(dir)
	eachCommand((&program{}).app("").Commands, nil, func(path []string, command *cli.Command) {
		for _, args := range [][]string{{"--no-such-flag"}, {"argument", "--no-such-flag"}} {
			code, stdout, stderr := inProcess(t, append(path, args...))
			want, told := exitUsage, "no-such-flag"
			if len(command.Subcommands) > 0 && len(command.Flags) == 0 && len(args) > 1 { // whose flags nobody knows
				told = `unknown command "argument"`
			}
			if isHookCall(append([]string{"track"}, path...)) {
				want = exitOK
			}
			if code != want || stdout != "" || !strings.Contains(stderr, told) {
				t.Errorf("track %s %s: exit code %d, standard output %q, standard error %q", strings.Join(path, " "), strings.Join(args, " "), code, stdout, stderr)
			}
		}
	})
	if entries, err := os.ReadDir(dir); err != nil || len(entries) > 0 {
		t.Errorf("the folder has %v, %v; want nothing", entries, err)
	}
}

// TestCommandEntries holds that each command is found by its own name.
func TestCommandEntries(t *testing.T) {
	for _, g := range (&program{}).commandGroups() {
		for _, entry := range g.commands {
			if c := entry.build(); c.Name != entry.name {
				t.Errorf("%s builds %s", entry.name, c.Name)
			}
		}
	}
}
