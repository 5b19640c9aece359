package main

import (
	"bufio"
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"strconv"
	"strings"
	"time"

	"github.com/urfave/cli/v2"

	"track"
	"track/answer"
	"track/ask"
	"track/evolution"
	"track/importer/lines"
	"track/internal/shell"
	"track/scoring/format"
	"track/tracker/loop"
)

func (p *program) evolveCommand() *cli.Command {
	var q answer.EvolveSettings
	var tasks []loop.Task
	bound := p.bindParams("evolve", q.Params(), readers{"tasks": func(file string) (string, error) {
		text, err := p.readInput("tasks", file, 256<<20)
		if err == nil {
			tasks, err = loop.ParseTasks(inputName(file), string(text))
		}
		return string(text), err
	}})
	return p.admitting(&cli.Command{
		Name:      "evolve",
		Usage:     "evolve a lineage by commands that propose and evaluate",
		UsageText: "track evolve --lineage L --propose COMMAND --evaluate COMMAND [FLAGS]",
		Description: `Runs the whole loop: proposes children by one command, runs trials of child and parent by the other one, decides by the lineage's policy,
rolls back if a trigger applies, and goes on. Both commands are lines of shell. They find the content of a version in the file $TRACK_CONTENT.

The propose command writes the child to $TRACK_CHILD, or prints it; $TRACK_OPERATOR says how to change the parent. The evaluate command
tries the version on $TRACK_TASK. Its last line of output is a score, or a JSON object with a score. A trial whose command fails has no score.

Every trial is recorded when it ends. The same command resumes after Ctrl-C or a crash. Several track evolve of one lineage share the work.

Examples:
   track evolve --lineage sepa --propose ./propose.sh --evaluate ./evaluate.sh --max-trials 60
   track evolve --lineage sepa --propose 'python propose.py' --evaluate 'python evaluate.py' --tasks tasks.jsonl --parallel 4 --until 'score>=95' --max-cost 5`,
		Flags: bound.flags(),
		Action: func(c *cli.Context) error {
			if err := bound.set(c); err != nil {
				return err
			}
			if most := q.Budget.CostUSD; most != nil && !(*most > 0) {
				return usage("--max-cost %v: must be above 0", *most)
			}
			return bound.usageError(p.evolve(c.Context, q, tasks))
		},
	})
}

// evolve runs a loop and writes what became of it.
func (p *program) evolve(ctx context.Context, q answer.EvolveSettings, tasks []loop.Task) error {
	st, err := p.openForUpdate(ctx)
	if err != nil {
		return err
	}
	display := p.newEvolveDisplay(q.Budget)
	a, err := loop.Run(ctx, st, bufio.NewReader(rand.Reader), loop.Options{EvolveSettings: q, Tasks: tasks}, display.observer())
	display.end()
	if err = errors.Join(err, st.Close()); err != nil {
		if a.NTrials > 0 {
			err = fmt.Errorf("evolve %s: %w; recorded before that: %s", a.Lineage, err, format.Counted(a.NTrials, "trial"))
		}
		return err
	}
	for _, s := range a.Notices() {
		p.noticeSentence(s)
	}
	err = p.writeAnswer(a)
	var verdict verdictExit
	if a.Ending == answer.EvolveInterrupted && (err == nil || errors.As(err, &verdict)) {
		return track.WithHint(interruption("evolve "+a.Lineage+": interrupted"), track.Hint{Text: "the same command goes on where it stopped"})
	}
	return err
}

// evolveDisplay tells how far a loop is, and what it decides.
type evolveDisplay struct {
	*statusLine
	budget   evolution.Budget
	result   answer.Evolved
	running  map[string]int
	failures int // that were reported in full
	shownAt  time.Time
}

func (p *program) newEvolveDisplay(budget evolution.Budget) *evolveDisplay {
	d := &evolveDisplay{budget: budget, running: map[string]int{}}
	d.statusLine = p.newStatusLine(d.text)
	return d
}

func (d *evolveDisplay) observer() loop.Observer {
	return loop.Observer{
		Ran: d.ran, Running: d.run, Notice: d.tell,
		Proposed:   func(a answer.Proposed) { d.tellLine("", firstTwo(a.Lead())) },
		Decided:    func(a answer.Decision) { d.tellLine("", a.Brief()) },
		RolledBack: func(a answer.Rollback) { d.tellLine("ROLLED BACK  ", firstTwo(a.Lead())) },
	}
}

// tell writes a sentence.
func (d *evolveDisplay) tell(s answer.Sentence) {
	d.mutex.Lock()
	defer d.mutex.Unlock()
	d.clear()
	d.p.noticeSentence(s)
	d.draw(true)
}

// firstTwo returns the first sentences of an answer: what became of something, and the reason.
func firstTwo(lead []answer.Sentence) []answer.Sentence { return lead[:min(2, len(lead))] }

// tellLine writes sentences on one line.
func (d *evolveDisplay) tellLine(before string, sentences []answer.Sentence) {
	var texts []string
	for _, s := range sentences {
		texts = append(texts, s.Text)
	}
	d.tell(answer.Sentence{Text: before + strings.Join(texts, "; ")})
}

func (d *evolveDisplay) run(name string, started bool) {
	d.mutex.Lock()
	defer d.mutex.Unlock()
	if d.running[name]++; !started {
		if d.running[name] -= 2; d.running[name] == 0 {
			delete(d.running, name)
		}
	}
	d.draw(false)
}

func (d *evolveDisplay) ran(e track.Execution, result answer.Evolved) {
	const mostFailures, seldom = 10, time.Second
	d.mutex.Lock()
	defer d.mutex.Unlock()
	d.result = result
	if e.Status != track.ExecutionOK {
		if d.failures++; d.failures <= mostFailures {
			d.report("trial of %s on task %s failed (%s): %s", e.Version, e.Task, e.Status, e.Message)
		}
		if d.failures == mostFailures {
			d.report("further failures are only counted here")
		}
	}
	if d.draw(false); d.plain && d.p.now().Sub(d.shownAt) >= seldom {
		d.shownAt = d.p.now()
		d.print()
	}
}

// text returns the line.
func (d *evolveDisplay) text() string {
	r, elapsed := d.result, d.p.now().Sub(d.began)
	text := format.Counted(r.Spent.Trials, "trial")
	if n := d.budget.Trials; n > 0 {
		text = d.bar(float64(r.Spent.Trials)/float64(n)) + fmt.Sprintf("%d/%d trials", r.Spent.Trials, n)
	}
	if r.NFailed > 0 {
		text += fmt.Sprintf(", %d failed", r.NFailed)
	}
	text += fmt.Sprintf(", %d proposed, %d accepted", r.NProposed, r.NAccepted)
	if r.Spent.CostUSD > 0 {
		text += fmt.Sprintf(", %s USD", significant(r.Spent.CostUSD))
	}
	text += d.runningText(d.running)
	if left := d.budget.Trials - r.Spent.Trials; r.NTrials > 0 && left > 0 && elapsed > 0 {
		text += ", " + shortDuration(time.Duration(float64(left)/float64(r.NTrials)*float64(elapsed))) + " left"
	}
	return text
}

// readSettingFile reads the file that a setting such as operators=@FILE names.
func readSettingFile(text string) (string, error) {
	s, err := answer.ParseSetting(text)
	if err != nil {
		return text, nil // the parameter refuses it
	}
	switch s.Key {
	case "operators":
		s.Value, err = readOperatorsFile(strings.TrimPrefix(s.Value, "@"))
	case "forbidden":
		s.Value, err = readNamedFile("forbidden", strings.TrimPrefix(s.Value, "@"), func(content string) error {
			_, err := answer.ParsePatterns(content)
			return err
		})
	}
	return s.Key + "=" + s.Value, err
}

func readOperatorsFile(file string) (string, error) {
	return readNamedFile("operators", file, func(content string) error {
		_, err := answer.ParseOperators(content)
		return err
	})
}

// readNamedFile returns the content of a file, if check accepts it.
func readNamedFile(what, file string, check func(content string) error) (string, error) {
	content, err := os.ReadFile(file)
	if err != nil {
		return "", fmt.Errorf("%s: %w", what, notFound(err))
	}
	if err := check(string(content)); err != nil {
		return "", fmt.Errorf("%w: %s: %w", track.ErrInvalid, file, err)
	}
	return string(content), nil
}

// readContentFile returns a reader of the content of a version: a file, standard input, or of a simulation the object
// itself.
func (p *program) readContentFile(flag string) func(file string) (string, error) {
	return func(file string) (string, error) {
		if strings.HasPrefix(file, "{") {
			return file, nil
		}
		if file == "" {
			return "", usage("%s is empty: name a file, or - for standard input", flag)
		}
		text, err := p.readText(file)
		if err != nil {
			err = fmt.Errorf("%s: %w", flag, err)
		}
		return text, err
	}
}

// readManifestFile reads the end of a ledger from the manifest of an export.
func readManifestFile(file string) (string, error) {
	text, err := os.ReadFile(file)
	if err != nil {
		return "", notFound(err)
	}
	m, err := lines.ReadManifest(file, text)
	if err != nil {
		return "", err
	}
	kept, err := json.Marshal(answer.KeptEnd{Lineage: m.Lineage, End: m.End})
	return string(kept), err
}

func (p *program) mutationNextCommand() *cli.Command {
	text := commandHelp{examples: `
track mutation next sepa --format json
eval "$(track mutation next sepa --shell)" && echo "$action: $reason"`}
	command := customCommand(p, ask.Next(), text, func(c *cli.Context, a answer.Next) error {
		if c.Bool("shell") {
			return p.writeNextShell(a)
		}
		return p.writeAnswer(a)
	})
	command.Flags = append(command.Flags, &cli.BoolFlag{
		Name: "shell", Usage: "print quoted variables for the eval of a shell: action, version, task, executions, mutation, operator, until and reason",
	})
	next := command.Action
	command.Action = func(c *cli.Context) error {
		if c.Bool("shell") && p.shared.format != "table" {
			return usage("--shell and --format: one of them says how to print it")
		}
		return next(c)
	}
	return command
}

// writeNextShell writes what to do as variables of a shell.
func (p *program) writeNextShell(a answer.Next) error {
	until := ""
	if !a.Until.IsZero() {
		until = a.Until.UTC().Format(time.RFC3339Nano)
	}
	for _, variable := range [][2]string{
		{"action", string(a.Action)}, {"version", a.Version}, {"task", a.Task}, {"executions", strconv.Itoa(a.Executions)}, {"mutation", a.Mutation},
		{"operator", a.Operator}, {"until", until}, {"reason", a.Reason},
	} {
		if _, err := fmt.Fprintf(p.out, "%s=%s\n", variable[0], shellQuoted(variable[1])); err != nil {
			return err
		}
	}
	return nil
}

// shellQuoted returns a word that every shell reads as the text.
func shellQuoted(text string) string {
	if word := shell.Word(text); word != text {
		return word
	}
	return "'" + text + "'"
}

func (p *program) replayCommand() *cli.Command {
	text := commandHelp{examples: `
track replay
track replay --lineage sepa --strict
track replay --lineage sepa --counterfactual confirm`}
	return customCommand(p, ask.Replay(), text, func(_ *cli.Context, a answer.Replays) error {
		err := p.writeAnswer(a)
		if problem := a.Err(); problem != nil {
			return problem
		}
		return err
	})
}
