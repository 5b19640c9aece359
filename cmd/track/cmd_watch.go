package main

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/urfave/cli/v2"

	"track/scoring/format"
	"track/scoring/rubric"
	"track/store"
)

type watchOptions struct {
	limit    int
	interval time.Duration
}

func (p *program) watchCommand() *cli.Command {
	var o watchOptions
	return &cli.Command{
		Name:      "watch",
		Usage:     "show executions as they are recorded",
		UsageText: "track watch [LINEAGE[@VERSION]] [FLAGS]",
		Description: `One line for each execution that is recorded from now on, until Ctrl-C: id, lineage and version, task, score, grade, calls, failed
calls, duration. --format jsonl writes the same as track executions does.

Examples:
   track watch
   track watch sepa@v002 --format jsonl`,
		BashComplete: p.completeLineages,
		Flags: []cli.Flag{
			&cli.IntFlag{Name: "limit", Usage: "end after `N` executions; 0 for never", Destination: &o.limit},
			&cli.DurationFlag{Name: "interval", Value: 500 * time.Millisecond, Usage: "`TIME` between two looks at the database", Destination: &o.interval},
		},
		Action: func(c *cli.Context) error {
			switch {
			case c.NArg() > 1:
				return usage("track watch takes at most one LINEAGE[@VERSION]")
			case o.limit < 0:
				return usage("--limit: %d is negative", o.limit)
			case o.interval < 10*time.Millisecond:
				return usage("--interval: %v is too often: 10ms is the least", o.interval)
			case p.shared.format != "table" && p.shared.format != "jsonl":
				return usage("--format %s: track watch writes lines, as table or jsonl", p.shared.format)
			}
			err := p.watch(c.Context, c.Args().First(), o)
			if errors.Is(err, context.Canceled) { // Ctrl-C is how it ends
				return nil
			}
			return err
		},
	}
}

// enough ends a watch that has shown what it was asked for.
var errEnough = errors.New("enough")

// watcher knows which executions were there, or were shown.
type watcher struct {
	store *store.Store
	seen  map[string]bool
	mark  int64 // see [store.Store.ExecutionsAfter]
}

// recordedAgain is how many of the last executions may be recorded again, in other rows, between two looks.
const recordedAgain = 1000

func newWatcher(ctx context.Context, st *store.Store) (*watcher, error) {
	w := &watcher{store: st, seen: map[string]bool{}}
	open, err := st.OpenExecutions(ctx)
	if err != nil {
		return nil, err
	}
	for _, id := range open {
		w.seen[id] = true
	}
	if w.mark, err = st.LastExecutionRow(ctx); err != nil {
		return nil, err
	}
	_, err = w.next(ctx)
	return w, err
}

// next returns the executions that are new.
func (w *watcher) next(ctx context.Context) (fresh []store.ExecutionSummary, err error) {
	list, mark, err := w.store.ExecutionsAfter(ctx, max(0, w.mark-recordedAgain))
	if err != nil {
		return nil, err
	}
	for _, e := range list {
		if !w.seen[e.ID] {
			w.seen[e.ID] = true
			fresh = append(fresh, e)
		}
	}
	w.mark = max(w.mark, mark)
	return fresh, nil
}

func (p *program) watch(ctx context.Context, selector string, o watchOptions) error {
	var filter store.ExecutionFilter
	var err error
	if selector != "" {
		if filter.Lineage, filter.Version, err = parseLineage(selector); err != nil {
			return err
		}
	}
	st, err := p.open(ctx)
	if err != nil {
		return err
	}
	defer func() { _ = st.Close() }()
	w, err := newWatcher(ctx, st)
	if err != nil {
		return err
	}
	p.notice("watching %s; Ctrl-C ends it", st.Path())
	shown := 0
	err = st.Watch(ctx, o.interval, func() error {
		fresh, err := w.next(ctx)
		if err != nil {
			return err
		}
		for _, e := range fresh {
			if filter.Lineage != "" && (e.Lineage != filter.Lineage || filter.Version != nil && e.Version != *filter.Version) {
				continue
			}
			if err := p.writeWatched(e); err != nil {
				return err
			}
			if shown++; shown == o.limit {
				return errEnough
			}
		}
		return nil
	})
	if errors.Is(err, errEnough) {
		return nil
	}
	return err
}

func (p *program) writeWatched(e store.ExecutionSummary) error {
	if p.shared.format == "jsonl" {
		return writeJSON(p.out, newExecutionDocument(e))
	}
	_, err := fmt.Fprintln(p.out, printable(watchedLine(e)))
	return err
}

func watchedLine(e store.ExecutionSummary) string {
	words := []string{e.ID, nameOf(e.Lineage, e.Version)}
	if e.Task != "" {
		words = append(words, shorten(e.Task))
	}
	switch {
	case e.Score != nil:
		words = append(words, fmt.Sprintf("score %s, grade %s", format.Fixed(*e.Score, 2), rubric.Grade(e.Grade)))
	case e.Status != "ok":
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
