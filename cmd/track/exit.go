package main

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"unicode"

	"track"
	"track/answer"
	"track/internal/shell"
	"track/store"
)

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
			"`track replay`, `track repeat`", []answer.Conclusion{answer.Differs}, []error{track.ErrDiffers}},
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
