package agents

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"track"
	"track/answer"
	"track/answer/param"
	"track/store"
)

// watchedAtOnce bounds the executions of one answer.
const watchedAtOnce = 1000

// Watch lists the executions that were recorded behind a mark. Without a mark it answers with the mark behind all that
// are recorded. An execution of which more became known comes again.
func Watch(ctx context.Context, r *store.Reader, q answer.WatchQuestion) (a answer.Watched, err error) {
	if q.Mark == "" {
		return beginWatch(ctx, r, q)
	}
	mark, ok := parseMark(q.Mark)
	if !ok {
		return a, &param.Error{Param: "mark", Message: fmt.Sprintf("%q is not the mark of an answer", q.Mark)}
	}
	list, mark, err := r.ExecutionsAfter(ctx, mark, watchedAtOnce)
	if err != nil {
		return a, err
	}
	for _, e := range list {
		if q.Of.Lineage == "" || e.Lineage == q.Of.Lineage && (q.Of.Version == nil || e.Version == *q.Of.Version) {
			a.Items = append(a.Items, e)
		}
	}
	a.Mark, a.More = markText(mark), mark.Read > 0
	return a, nil
}

func beginWatch(ctx context.Context, r *store.Reader, q answer.WatchQuestion) (a answer.Watched, err error) {
	mark, err := r.ExecutionsEnd(ctx)
	if err != nil {
		return a, err
	}
	a.Mark = markText(mark)
	a.Known, err = r.KnownExecutions(ctx, mark, q.Of.Lineage)
	return a, err
}

func markText(m store.ExecutionMark) string {
	return fmt.Sprintf("%d-%d-%d-%d", m.Known, m.Next, m.Until, m.Read)
}

func parseMark(text string) (m store.ExecutionMark, ok bool) {
	words := strings.Split(text, "-")
	to := []*int64{&m.Known, &m.Next, &m.Until, &m.Read}
	if len(words) != len(to) {
		return m, false
	}
	for i, word := range words {
		n, err := strconv.ParseUint(word, 10, 63)
		if err != nil {
			return m, false
		}
		*to[i] = int64(n)
	}
	return m, true
}

// errLimit ends a watch that has shown as many executions as it was asked for.
var errLimit = errors.New("limit reached")

// Watcher shows executions that are recorded after it has begun, each once.
type Watcher struct {
	Question answer.WatchQuestion
	Limit    int // end after so many executions; 0 for never
	Ask      func(context.Context, answer.WatchQuestion) (answer.Watched, error)

	seen  map[string]bool
	shown int
}

// Begin finds out what is recorded, which is not shown.
func (w *Watcher) Begin(ctx context.Context) error {
	a, err := w.Ask(ctx, w.Question)
	w.seen, w.Question.Mark = map[string]bool{}, a.Mark
	for _, id := range a.Known {
		w.seen[id] = true
	}
	return err
}

// Watch calls show for each new execution, until the limit is reached or follow returns. Follow calls a function
// whenever something may have been recorded, and returns its error.
func (w *Watcher) Watch(ctx context.Context, follow func(changed func() error) error, show func(track.RecordedExecution) error) error {
	err := follow(func() error { return w.showNew(ctx, show) })
	if errors.Is(err, errLimit) {
		return nil
	}
	return err
}

func (w *Watcher) showNew(ctx context.Context, show func(track.RecordedExecution) error) error {
	for {
		a, err := w.Ask(ctx, w.Question)
		if err != nil {
			return err
		}
		w.Question.Mark = a.Mark
		for _, e := range a.Items {
			if w.seen[e.ID] {
				continue
			}
			w.seen[e.ID] = true
			if err := show(e); err != nil {
				return err
			}
			if w.shown++; w.shown == w.Limit {
				return errLimit
			}
		}
		if !a.More {
			return nil
		}
	}
}
