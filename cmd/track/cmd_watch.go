package main

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/urfave/cli/v2"

	"track"
	"track/answer"
	"track/reports/escape"
	"track/reports/render"
	"track/scoring/format"
	"track/tracker/agents"
)

func (p *program) watchCommand() *cli.Command {
	var o agents.WatchOptions
	return &cli.Command{
		Name:      "watch",
		Usage:     "show executions as they are recorded",
		UsageText: "track watch [LINEAGE[@VERSION]] [FLAGS]",
		Description: `Prints one line for each execution that is recorded from now on, until Ctrl-C: id, lineage and version, task, score, grade, calls,
failed calls, duration. With --format jsonl, the lines are the same as those of track executions.

Examples:
   track watch
   track watch sepa@v002 --format jsonl`,
		BashComplete: p.completeLineages,
		Flags: []cli.Flag{
			&cli.IntFlag{Name: "limit", Usage: "end after `N` executions; 0 for never", Destination: &o.Limit},
			&cli.DurationFlag{Name: "interval", Value: 500 * time.Millisecond, Usage: "read the database every `TIME`", Destination: &o.Interval},
		},
		Action: func(c *cli.Context) error {
			switch {
			case c.NArg() > 1:
				return usage("track watch takes at most one LINEAGE[@VERSION]")
			case o.Limit < 0:
				return usage("--limit: %d is negative", o.Limit)
			case o.Interval < 10*time.Millisecond:
				return usage("--interval %v: must be at least 10ms", o.Interval)
			case p.shared.format != "table" && p.shared.format != "jsonl":
				return usage("--format %s: track watch writes lines, as table or jsonl", p.shared.format)
			}
			if selector := c.Args().First(); selector != "" {
				of, err := answer.ParseLineageSelector(selector)
				if err != nil {
					return usage("%v", err)
				}
				o.Of = of
			}
			return p.watch(c.Context, o)
		},
	}
}

func (p *program) watch(ctx context.Context, o agents.WatchOptions) error {
	st, err := p.open(ctx)
	if err != nil {
		return err
	}
	defer func() { _ = st.Close() }()
	w, err := agents.NewWatcher(ctx, st, o)
	if err != nil {
		return err
	}
	p.unpaged()
	p.notice("watching %s; Ctrl-C ends it", st.Path())
	err = w.Watch(ctx, p.writeWatched)
	if errors.Is(err, context.Canceled) { // Ctrl-C is how it ends
		return nil
	}
	return err
}

func (p *program) writeWatched(e track.RecordedExecution) error {
	if p.shared.format == "jsonl" {
		one := answer.Executions{List: answer.List[track.RecordedExecution]{Items: []track.RecordedExecution{e}}}
		return render.Write(p.out, one, p.renderOptions())
	}
	_, err := fmt.Fprintln(p.out, escape.Line(watchedLine(e)))
	return err
}

func watchedLine(e track.RecordedExecution) string {
	words := []string{e.ID, nameOf(e.Lineage, e.Version)}
	if e.Task != "" {
		words = append(words, shorten(e.Task))
	}
	switch {
	case e.Score != nil:
		words = append(words, fmt.Sprintf("score %s, grade %s", format.Fixed(*e.Score, 2), e.Grade))
	case e.Status != track.ExecutionOK:
		words = append(words, "status "+string(e.Status))
	default:
		words = append(words, "no score")
	}
	words = append(words, fmt.Sprintf("%s, %d failed", format.Counted(e.NCalls, "call"), e.NFailed))
	if e.Duration != nil {
		words = append(words, e.Duration.Round(100*time.Millisecond).String())
	}
	return strings.Join(words, "  ")
}

// shorten keeps a text from being longer than a line.
func shorten(s string) string {
	const longest = 80
	if runes := []rune(s); len(runes) > longest {
		return string(runes[:longest-1]) + "…"
	}
	return s
}
