// Command track records seeds of simulations and executions of agents, judges them against declared targets, and
// reports.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"slices"
	"strings"
	"syscall"
	"time"
	"unicode"

	"github.com/urfave/cli/v2"

	"track"
	"track/answer"
	"track/ask"
	"track/internal/reportfiles"
	"track/internal/shell"
	"track/internal/sizes"
	"track/reports/escape"
	"track/store"
)

// version is set by the linker in releases; see the Makefile.
var version string

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM, syscall.SIGHUP)
	context.AfterFunc(ctx, stop) // a second signal ends a command that the first one cannot, as in a pipe that nobody writes to
	code := run(ctx, os.Args, os.Stdin, os.Stdout, os.Stderr, os.LookupEnv)
	stop()
	os.Exit(code)
}

// program is one run of the command: where it reads, writes and looks.
type program struct {
	in        io.Reader
	out       io.Writer
	err       io.Writer                   // for text: nothing that is written to it steers a terminal
	screen    io.Writer                   // standard error as it is, where progress is drawn
	lookup    func(string) (string, bool) // a variable of the environment
	now       func() time.Time
	shared    sharedOptions
	command   string // such as track spec add; empty until it is known
	recording bool   // see records
	delimiter string // see textFormatFlags
	decimal   string
	maxSize   sizes.Size                                      // see maxSizeFlag
	typed     string                                          // the word to be completed, see complete
	insert    func(candidate string) (text string, safe bool) // quotes what the word can become; nil if the shell does
}

// run executes the command line args and returns the exit code.
func run(ctx context.Context, args []string, in io.Reader, out, errOut io.Writer, lookup func(string) (string, bool)) int {
	return runAt(ctx, time.Now, args, in, out, errOut, lookup)
}

// runAt is run by a clock.
func runAt(ctx context.Context, now func() time.Time, args []string, in io.Reader, out, errOut io.Writer, lookup func(string) (string, bool)) int {
	answers := &answerOutput{Writer: out}
	p := &program{in: newInterruptible(ctx, in), out: answers, err: escape.Writer(errOut), screen: errOut, maxSize: sizes.Unpacked, lookup: lookup, now: now}
	arranged, err := p.runApp(ctx, args)
	err = p.lost(err, answers.err)
	p.report(err)
	if isHookCall(arranged) {
		return exitOK
	}
	return exitCode(err)
}

// runApp runs the command, and returns the arguments in the order in which it took them. A panic is an error.
func (p *program) runApp(ctx context.Context, args []string) (arranged []string, err error) {
	defer track.CatchPanic(&err)
	if p.completeFor(ctx, args) {
		return nil, nil
	}
	first := ""
	if len(args) > 1 {
		first = args[1]
	}
	app := p.app(first)
	arranged = arrange(app, args)
	return arranged, app.RunContext(ctx, arranged)
}

// The exit codes; exitTable says what each means.
const (
	exitOK           = 0
	exitFail         = 1
	exitUsage        = 2
	exitNotFound     = 3
	exitInconclusive = 4
	exitInvalid      = 5
	exitRejected     = 10
	exitContinue     = 11
	exitMismatch     = 13
	exitConflict     = 14
	exitDamaged      = 15
	exitInternal     = 70
	exitInterrupted  = 130
)

// exit is an exit code with what leads to it.
type exit struct {
	code             int
	meaning, example string // in Markdown
	conclusions      []answer.Conclusion
	errors           []error
}

// exitTable returns all exit codes. They are part of the interface: scripts and CI jobs tell answers apart by them.
// If several fit an error, the first one counts.
func exitTable() []exit {
	return []exit{
		{exitOK, "The command did its work. For a gate: PASS, or a verdict that does not fail. For a decision: accepted.",
			"`track record seed …`", []answer.Conclusion{answer.Done, answer.Passed, answer.Accepted}, nil},
		{exitFail, "The verdict is FAIL, or WARN with `--fail-on warn`. A report is out of date. All seeds of a sweep failed, or lack a metric of the spec. The commands of `track evolve` failed. Records wait to be sent or recorded, or were refused.",
			"`track gate growth_plus`; `track report … --check FILE`; `track status`", []answer.Conclusion{answer.Failed, answer.Waits}, nil},
		{exitUsage, "The command line is wrong, or names more than one thing.",
			"an unknown flag; a label that two configurations have", nil, []error{errUsage, track.ErrAmbiguous}},
		{exitInconclusive, "The verdict is INCONCLUSIVE.", "too few seeds for a gate", []answer.Conclusion{answer.Inconclusive}, nil},
		{exitRejected, "The mutation is rejected, or refused when it is proposed.",
			"`track mutation decide m-0001`", []answer.Conclusion{answer.Rejected}, nil},
		{exitContinue, "The decision needs more executions.", "`track mutation decide m-0001`", []answer.Conclusion{answer.NeedsEvidence}, nil},
		{exitInterrupted, "The command was interrupted.", "Ctrl-C", nil, []error{context.Canceled}},
		{exitMismatch, "Something that was done again gives another result, or its evidence is not recorded here.",
			"`track replay`, `track sweep --repeat-check`", []answer.Conclusion{answer.Differs}, []error{track.ErrDiffers}},
		{exitInvalid, "The input is invalid. Good records of the same input are recorded. The file that is named as the database is not one that this `track` can use.",
			"a batch with a broken line; `--db notes.txt`", []answer.Conclusion{answer.PartlyInvalid}, []error{track.ErrInvalid}},
		{exitConflict, "Another record has the same identity. The one that was recorded first stays.",
			"the same seed with other values", []answer.Conclusion{answer.Conflicting}, []error{track.ErrConflict}},
		{exitDamaged, "The database that was checked is damaged.", "`track check`", []answer.Conclusion{answer.FoundDamage}, nil},
		{exitNotFound, "Something does not exist.", "no database, scenario, seed or lineage of that name", nil, []error{track.ErrNotFound}},
		{exitInternal, "The disk, the database, the server or standard output failed, or `track` has a defect.", "a full disk; a server that is down or whose certificate is not trusted (a closed pipe, as of `head`, ends `track` with SIGPIPE instead)", nil, nil},
	}
}

// errUsage is wrapped by every [usageError].
var errUsage = errors.New("usage")

// usageError is a command line that cannot be carried out.
type usageError struct{ message string }

func (e *usageError) Error() string { return e.message }

// Unwrap returns what all of these errors have in common.
func (e *usageError) Unwrap() error { return errUsage }

func usage(format string, args ...any) error { return &usageError{fmt.Sprintf(format, args...)} }

// verdictExit ends a command whose answer is written with the exit code of a verdict.
type verdictExit int

func (verdictExit) Error() string { return "the verdict is the exit code" }

// exitCode returns the exit code of a command that ended with err.
func exitCode(err error) int {
	var verdict verdictExit
	switch {
	case err == nil:
		return exitOK
	case errors.As(err, &verdict):
		return int(verdict)
	}
	for _, e := range exitTable() {
		if slices.ContainsFunc(e.errors, func(target error) bool { return errors.Is(err, target) }) {
			return e.code
		}
	}
	return exitInternal
}

// conclude returns the error that carries the exit code of a conclusion; nil for one that is 0.
func conclude(c answer.Conclusion) error {
	for _, e := range exitTable() {
		switch {
		case !slices.Contains(e.conclusions, c):
		case e.code == exitOK:
			return nil
		default:
			return verdictExit(e.code)
		}
	}
	return fmt.Errorf("conclusion %q has no exit code", c)
}

// exitCodes says which exit codes the conclusions of a command have; empty for none.
func exitCodes(conclusions []answer.Conclusion) string {
	var words []string
	for _, c := range conclusions {
		for _, e := range exitTable() {
			if slices.Contains(e.conclusions, c) {
				words = append(words, fmt.Sprintf("%d %s", e.code, strings.ReplaceAll(string(c), "_", " ")))
			}
		}
	}
	if len(words) == 0 {
		return ""
	}
	return "\n\nExit codes: " + strings.Join(words, ", ") + "."
}

// report writes an error, and then the ways out, to standard error.
func (p *program) report(err error) {
	var verdict verdictExit
	if err == nil || errors.As(err, &verdict) {
		return
	}
	err = p.explainDamage(err)
	text := strings.TrimPrefix(err.Error(), "track: ")
	if errors.Is(err, context.Canceled) {
		text = strings.ReplaceAll(text, context.Canceled.Error(), "interrupted")
	}
	p.writeProblem("track: ", text)
	var usage *usageError
	for _, hint := range track.Hints(err) {
		p.writeProblem("hint: ", shellHint(hint))
	}
	if errors.As(err, &usage) {
		command := p.command
		if command == "" || command == "track" {
			command = "track COMMAND"
		}
		fmt.Fprintf(p.err, "hint: %s --help shows how the command is used\n", command)
	}
	if caught := (*track.PanicError)(nil); errors.As(err, &caught) && p.getenv("TRACK_DEBUG") != "" {
		fmt.Fprintln(p.err, caught.Stack)
	}
}

// writeProblem writes a text that may quote names. What it quotes shows all of its characters, and passes for no other
// problem or hint.
func (p *program) writeProblem(prefix, text string) {
	seen := func(r rune) rune {
		if r > unicode.MaxASCII && track.IsHidden(r) {
			return unicode.ReplacementChar
		}
		return r
	}
	lines := strings.Split(strings.Map(seen, p.withoutSecrets(text)), "\n")
	for i, line := range lines[1:] {
		if strings.HasPrefix(line, "track: ") || strings.HasPrefix(line, "hint: ") {
			lines[i+1] = "  " + line
		}
	}
	fmt.Fprintln(p.err, prefix+strings.Join(lines, "\n"))
}

// explainDamage names the database that is damaged, and the ways out. A panic may come of damage too.
func (p *program) explainDamage(err error) error {
	var caught *track.PanicError
	isPanic, isDamage := errors.As(err, &caught), errors.Is(err, track.ErrDamaged) && !errors.Is(err, track.ErrInvalid)
	path, unknown := p.databasePath()
	if isPanic && !isDamage {
		err = track.WithHint(fmt.Errorf("%w: track has a defect, or its database is damaged", err), track.Hint{Text: "report it with what is printed if TRACK_DEBUG is 1"})
	}
	if !isPanic && !isDamage || unknown != nil {
		return err
	}
	path = store.WithoutPassword(path)
	if isDamage && !strings.Contains(err.Error(), path) {
		err = fmt.Errorf("%s: %w", path, err)
	}
	rescue := "sqlite3 " + shell.Word(path) + " .dump"
	if store.IsServer(path) {
		rescue = "pg_dump"
	}
	return track.WithHint(track.WithHint(err, track.NewHint("see what is damaged", "check", path)),
		track.Hint{Text: "restore a backup, or save what can be read with: " + rescue})
}

func isNotFound(err error) bool { return errors.Is(err, track.ErrNotFound) }

func (p *program) versionExportCommand() *cli.Command {
	text := commandHelp{examples: `
track version export sepa@v002 > prompt.md
track version export sepa@$(track lineage head sepa) -o prompt.md`}
	command := customCommand(p, ask.VersionContent(), text, func(c *cli.Context, a answer.VersionContent) error {
		file := c.String("output")
		if err := p.writeFile(file, []byte(a.Content)); err != nil {
			return fmt.Errorf("--output %s: %w", file, notFound(err))
		}
		return nil
	})
	command.Flags = append(command.Flags, &cli.StringFlag{Name: "output", Aliases: []string{"o"}, Usage: "write to this `FILE`; - is standard output", Value: "-"})
	return command
}

// writeFile writes a whole file: it is complete, or unchanged. - is standard output.
func (p *program) writeFile(file string, data []byte) error {
	if file == "-" {
		_, err := p.text().Write(data)
		return err
	}
	return reportfiles.Replace([]reportfiles.File{{Path: file, Data: data}})
}

func (p *program) completionCommand() *cli.Command {
	return &cli.Command{
		Name:      "completion",
		Usage:     "print the completion script of a shell",
		UsageText: "track completion bash|zsh|fish",
		Description: `Examples:
   source <(track completion bash)
   track completion zsh > "${fpath[1]}/_track"
   track completion fish > ~/.config/fish/completions/track.fish`,
		BashComplete: func(*cli.Context) { p.offer("bash", "zsh", "fish") },
		Action: func(c *cli.Context) error {
			script, known := completionScripts()[c.Args().First()]
			if c.NArg() != 1 || !known {
				return usage("track completion takes one of bash, zsh and fish")
			}
			_, err := io.WriteString(p.out, script)
			return err
		},
	}
}

// completionScripts hand the words typed so far to track itself, which knows its commands, flags and scenarios; see
// [program.complete]. Where it has nothing to offer, the shell offers files.
func completionScripts() map[string]string {
	return map[string]string{
		"bash": `_track() {
  local word
  COMPREPLY=()
  while IFS= read -r word; do COMPREPLY+=("$word"); done < <("$1" "${COMP_LINE:0:COMP_POINT}" "$COMP_WORDBREAKS" --complete-bash-line 2>/dev/null)
}
complete -o default -F _track track
`,
		"zsh": `#compdef track
_track() {
  local -a options
  options=("${(@f)$("${(@Q)words[1,CURRENT-1]}" "${(Q)PREFIX}" --generate-bash-completion 2>/dev/null)}")
  if [[ -n ${options[1]} ]]; then compadd -- "${options[@]}"; else _files; fi
}
if [[ $funcstack[1] == _track ]]; then _track "$@"; else compdef _track track; fi
`,
		"fish": `function __track_complete
  set -l words (commandline -opc)
  set -l current (string unescape -- (commandline -ct); or commandline -ct | string trim -l -c '\'"')
  $words "$current" --generate-bash-completion 2>/dev/null
end
complete -c track -f -a '(__track_complete)'
complete -c track -n 'not __track_complete | string length -q' -F
`,
	}
}
