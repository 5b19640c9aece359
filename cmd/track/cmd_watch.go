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
	"track/ask"
	"track/remote"
	"track/reports/escape"
	"track/reports/render"
	"track/scoring/format"
	"track/store"
	"track/tracker/agents"
)

func (p *program) watchCommand() *cli.Command {
	o := watchOptions{interval: 500 * time.Millisecond}
	return &cli.Command{
		Name:      "watch",
		Usage:     ask.Watch().Help,
		UsageText: "track watch [LINEAGE[@VERSION]] [FLAGS]",
		Description: `Prints one line for each execution that is recorded from now on, until Ctrl-C: id, lineage and version, task, score, grade, calls,
failed calls, duration. With --format jsonl, the lines are the same as those of track executions. A server says itself when something was
recorded. If it is away for a while, the executions of that time are shown when it is back.

Examples:
   track watch
   track watch sepa@v002 --format jsonl`,
		BashComplete: p.completeLineages,
		Flags: []cli.Flag{
			&cli.IntFlag{Name: "limit", Usage: "end after `N` executions; 0 for never", Destination: &o.limit},
			&cli.DurationFlag{Name: "interval", Value: o.interval, Usage: "read the database every `TIME`; a server is not asked until it says that something was recorded", Destination: &o.interval},
		},
		Action: func(c *cli.Context) error {
			switch {
			case c.NArg() > 1:
				return usage("track watch takes at most one LINEAGE[@VERSION]")
			case o.limit < 0:
				return usage("--limit: %d is negative", o.limit)
			case o.interval < 10*time.Millisecond:
				return usage("--interval %v: must be at least 10ms", o.interval)
			case p.shared.format != "table" && p.shared.format != "jsonl":
				return usage("--format %s: track watch writes lines, as table or jsonl", p.shared.format)
			}
			if selector := c.Args().First(); selector != "" {
				of, err := answer.ParseLineageSelector(selector)
				if err != nil {
					return usage("%v", err)
				}
				o.question.Of = of
			}
			return p.watch(c.Context, o)
		},
	}
}

// watchOptions are the flags of track watch.
type watchOptions struct {
	question answer.WatchQuestion
	limit    int
	interval time.Duration // between two reads of a database
}

func (p *program) watch(ctx context.Context, o watchOptions) error {
	client, err := p.client()
	if err != nil {
		return err
	}
	from, release, err := sourceFor(ctx, p, ask.Watch(), o.question)
	if err != nil {
		return err
	}
	defer release()
	w := agents.Watcher{Question: o.question, Limit: o.limit, Ask: func(ctx context.Context, q answer.WatchQuestion) (answer.Watched, error) {
		return ask.Watch().Ask(ctx, from, q)
	}}
	if err := w.Begin(ctx); err != nil {
		return err
	}
	p.unpaged()
	var follow func(changed func() error) error
	if client != nil {
		p.notice("watching %s; Ctrl-C ends it", client.Address())
		follow = func(changed func() error) error { return p.follow(ctx, client, changed) }
	} else {
		p.notice("watching %s; Ctrl-C ends it", from.Store.Path())
		follow = func(changed func() error) error { return from.Store.Watch(ctx, o.interval, changed) }
	}
	if err = w.Watch(ctx, follow, p.writeWatched); errors.Is(err, context.Canceled) { // Ctrl-C is how it ends
		return nil
	}
	return err
}

// follow calls changed whenever executions were recorded on a server.
func (p *program) follow(ctx context.Context, client *remote.Client, changed func() error) error {
	return client.Follow(ctx, func(e remote.Event) error {
		if e.Concerns(string(store.ExecutionsChanged)) {
			return changed()
		}
		return nil
	}, func(text string) { p.notice("%s", text) })
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
	calls := fmt.Sprintf("%s, %d failed", format.Counted(e.NCalls, "call"), e.NFailed)
	if e.NUnknown > 0 {
		calls += fmt.Sprintf(", %d of unknown outcome", e.NUnknown)
	}
	words = append(words, calls)
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
