package main

import (
	"bufio"
	"cmp"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"os"
	"strings"
	"time"

	"github.com/urfave/cli/v2"

	"track"
	"track/answer"
	"track/importer/formats"
	"track/scoring/rubric"
	"track/store"
	"track/tracker/agents"
)

type recordExecutionOptions struct {
	lineage, version, task, taskType, complexity, session, status, message string
	duration, startedAt, model, tokens, key                                string
	trial                                                                  int
	cost, score                                                            *float64
	events, output, formatSpec                                             string
	keepText, dryRun, statusGiven, spool, isNew                            bool
	spoolDir                                                               string // empty where it is recorded at once
	awayDir                                                                string // for a server that cannot be reached; empty if nothing goes into a spool
	truth                                                                  truthOptions
}

func (p *program) recordExecutionCommand() *cli.Command {
	var o recordExecutionOptions
	return p.admitting(&cli.Command{
		Name:      "execution",
		Usage:     "record one execution of an agent and score it",
		UsageText: "track record execution --lineage L [--version V] [FLAGS]",
		Description: `An execution is one task that an agent did with one version of its prompt. Its tool calls are read from --events: a transcript, a
hook log, or JSON lines of calls. Its final text is read from --output. It is scored under the rubric at once; --score replaces
the rubric's score, and --judge says which model gave it. An execution that failed (timeout, error) has no score. Inputs and outputs of calls are kept as digests unless
--keep-text is given. Recognized secrets are masked. Recording the same --key again does nothing.

Examples:
   track record execution --lineage sepa --version v002 --events executions.jsonl --output answer.md --duration 60s --complexity medium
   track record execution --lineage sepa --version v002 --task t-17 --status timeout
   track record execution --lineage sepa --version v002 --task t-17 --junit results.xml
   my-agent | track record execution --lineage mine --task-type coding --output - --dry-run`,
		Flags: append([]cli.Flag{
			&cli.StringFlag{Name: "lineage", Usage: "record in the lineage `NAME`", Destination: &o.lineage},
			&cli.StringFlag{Name: "version", Usage: "record as the version `NAME` of the prompt", Destination: &o.version},
			&cli.StringFlag{Name: "task", Usage: "give the `NAME` of the task", Destination: &o.task},
			&cli.StringFlag{Name: "task-type", Usage: "give the type of the task: coding, or any other `WORD`", Destination: &o.taskType},
			&cli.StringFlag{Name: "complexity", Usage: "expect the time and tools of a simple, medium or complex task", Destination: &o.complexity},
			&cli.IntFlag{Name: "trial", Usage: "give the number of the repetition of the task", Destination: &o.trial},
			&cli.StringFlag{Name: "session", Usage: "give the `ID` of the session", Destination: &o.session},
			&cli.StringFlag{Name: "status", Value: "ok", Usage: "record as ok, timeout, error or invalid", Destination: &o.status},
			&cli.StringFlag{Name: "message", Usage: "say why it failed", Destination: &o.message},
			&cli.StringFlag{Name: "duration", Usage: "give the `TIME` it took, such as 60s or 2m", Destination: &o.duration},
			&cli.StringFlag{Name: "started-at", Usage: "give the `TIME` of the start, such as 2026-01-02T15:04:05Z", Destination: &o.startedAt},
			&cli.StringFlag{Name: "model", Usage: "give the `NAME` of the model", Destination: &o.model},
			&cli.StringFlag{Name: "tokens", Usage: "give counts of tokens, as in `in=1200,out=300`; also cache_read, cache_write, reasoning", Destination: &o.tokens},
			&cli.Float64Flag{Name: "cost", Usage: "give the cost in `USD`"},
			&cli.StringFlag{Name: "events", Usage: "read the tool calls from `FILE`", Destination: &o.events},
			&cli.StringFlag{Name: "output", Usage: "read the final text from `FILE`, - for standard input", Destination: &o.output},
			&cli.StringFlag{Name: "format-spec", Usage: "check the final text against the format that `FILE` describes", Destination: &o.formatSpec},
			&cli.Float64Flag{Name: "score", Usage: "record a `SCORE` of your own, 0 to 100, instead of the rubric's"},
			&cli.StringFlag{Name: "key", Usage: "identify the execution by `ID`: recording it again does nothing", Destination: &o.key},
			&cli.BoolFlag{Name: "keep-text", Usage: "keep the masked inputs and outputs of the calls", Destination: &o.keepText},
			&cli.BoolFlag{Name: "dry-run", Usage: "score the execution, and record nothing", Destination: &o.dryRun},
			newFlag(&o.isNew), spoolFlag(&o.spool),
		}, o.truth.flags()...),
		Action: func(c *cli.Context) error {
			if o.lineage == "" {
				return usage("track record execution needs --lineage NAME")
			}
			if c.NArg() > 0 {
				return usage("track record execution takes no argument: --events FILE and --output FILE name its files")
			}
			o.cost, o.score, o.statusGiven = optional(c, "cost"), optional(c, "score"), c.IsSet("status")
			dir, spooled, err := p.spooling(c, o.spool)
			if err != nil {
				return err
			}
			switch {
			case spooled:
				o.spoolDir = dir
			case !c.IsSet("spool"):
				o.awayDir = dir
			}
			return p.recordExecution(c.Context, o)
		},
	})
}

func (p *program) recordExecution(ctx context.Context, o recordExecutionOptions) error {
	execution, err := o.parse()
	if err != nil {
		return err
	}
	if o.events != "" {
		log, err := agents.JoinExecutions(o.events, formats.ReadPath("", o.events))
		if err != nil {
			return err
		}
		if !o.statusGiven {
			execution.Status, execution.Message = log.Status, cmp.Or(execution.Message, log.Message)
		}
		agents.FillIn(&execution, log)
	}
	if o.output != "" {
		if execution.Output, err = p.readOutput(ctx, o.output); err != nil {
			return err
		}
	}
	if err := o.truth.add(p, &execution); err != nil {
		return err
	}
	options := agents.Options{KeepText: o.keepText, Names: newNames(o.isNew), Once: o.events != ""}
	if o.formatSpec != "" {
		if options.Format, err = readFormatSpec(o.formatSpec); err != nil {
			return err
		}
	}
	if o.dryRun {
		result, err := agents.Score(execution, options)
		if err != nil {
			return err
		}
		return p.writeReceipt(ctx, nil, execution, result)
	}
	if o.spoolDir != "" {
		if o.keepText || o.formatSpec != "" {
			return usage("--keep-text and --format-spec cannot be used with a spool, which is scored when it is ingested: give --spool=false, or leave them out")
		}
		return p.spoolExecution(o.spoolDir, execution)
	}
	if o.keepText || o.formatSpec != "" {
		o.awayDir = ""
	}
	keep := func(dir string) error { return p.spoolExecution(dir, execution) }
	st, err := p.openOrCreate(ctx)
	if err != nil {
		return p.orKeep(o.awayDir, err, keep)
	}
	defer func() { _ = st.Close() }()
	recorder := agents.NewRecorder(st, options, bufio.NewReader(rand.Reader))
	if store.IsServer(st.Path()) && execution.Key == "" { // what is kept may have been recorded
		if execution.Key, err = p.newID(); err != nil {
			return err
		}
	}
	results, err := recorder.Record(ctx, []track.Execution{execution}, false)
	if err != nil {
		return p.orKeep(o.awayDir, err, keep)
	}
	if problem := results[0].Problem; problem != nil {
		return problem
	}
	if results[0].Disposition == track.Conflict {
		return track.WithHint(fmt.Errorf("%w: key %s of lineage %s is recorded with other content, as %s", track.ErrConflict, o.key, o.lineage, results[0].ID),
			track.NewHint("compare with the recorded execution, or use another key", "show execution", results[0].ID))
	}
	return p.writeReceipt(ctx, st, execution, results[0], options.Names.Found()...)
}

// writeReceipt says what became of an execution; st is nil if it is not recorded.
func (p *program) writeReceipt(ctx context.Context, st *store.Store, e track.Execution, r agents.Result, suspicious ...answer.NearName) error {
	a, err := r.Receipt(e)
	if err == nil && st != nil {
		err = agents.KeepGrade(ctx, st.Reader, a.Lineage, a.Rubric, &a.Grade)
	}
	if err != nil {
		return err
	}
	a.NearNames = suspicious
	return p.writeAnswer(a)
}

func (o recordExecutionOptions) parse() (e track.Execution, err error) {
	e = track.Execution{
		Lineage: o.lineage, Version: o.version, Task: o.task, TaskType: o.taskType, Trial: o.trial, Session: o.session, Message: o.message,
		Model: o.model, Key: o.key, CostUSD: o.cost, Score: o.score,
	}
	if e.Status, err = track.ParseExecutionStatus(o.status); err != nil {
		return e, usage("--status: %v", err)
	}
	if o.score != nil && e.Status != track.ExecutionOK {
		return e, usage("--score: an execution with status %s has no score", e.Status)
	}
	if e.Complexity, err = track.ParseComplexity(o.complexity); err != nil {
		return e, usage("--complexity: %v", err)
	}
	if o.duration != "" {
		d, err := time.ParseDuration(o.duration)
		if err != nil || d < 0 {
			return e, usage("--duration: %q is not a time such as 60s or 2m", o.duration)
		}
		e.Duration = &d
	}
	if o.startedAt != "" {
		if e.StartedAt, err = time.Parse(time.RFC3339Nano, o.startedAt); err != nil {
			return e, usage("--started-at: %q is not a time such as 2026-01-02T15:04:05Z", o.startedAt)
		}
	}
	if e.Tokens, err = agents.ParseTokens(o.tokens); err != nil {
		return e, usage("--tokens: %v", err)
	}
	if problem := e.Validate(); problem != nil {
		return e, usage("--%s: %s", strings.ReplaceAll(problem.Field, "_", "-"), problem.Message)
	}
	return e, nil
}

func (p *program) readOutput(ctx context.Context, path string) (*string, error) {
	text, err := p.readText(path)
	if err != nil {
		return nil, err
	}
	text = strings.ToValidUTF8(text, "\uFFFD")
	return &text, nil
}

// readText reads a file as it is, - for standard input.
func (p *program) readText(path string) (string, error) {
	data, err := p.readInput("file", path, 64<<20)
	return string(data), err
}

func notFound(err error) error {
	if errors.Is(err, os.ErrNotExist) {
		return fmt.Errorf("%w: %w", track.ErrNotFound, err)
	}
	return err
}

func readFormatSpec(path string) (*rubric.FormatSpec, error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, notFound(err)
	}
	spec, err := rubric.ParseFormat(data)
	if err != nil {
		return nil, fmt.Errorf("%w: %s: %w", track.ErrInvalid, path, err)
	}
	return spec, nil
}
