package agents

import (
	"context"
	"errors"
	"time"

	"track"
	"track/answer"
	"track/store"
)

// WatchOptions say which executions are watched, and for how long.
type WatchOptions struct {
	Of       answer.LineageSelector // empty for all lineages
	Interval time.Duration          // between two reads of the database
	Limit    int                    // end after so many executions; 0 for never
}

// errLimit ends a watch that has shown as many executions as it was asked for.
var errLimit = errors.New("limit reached")

// Watcher shows executions that are recorded after it was made.
type Watcher struct {
	store   *store.Store
	options WatchOptions
	seen    map[string]bool
	mark    int64 // see [store.Reader.ExecutionsAfter]
	shown   int
}

// rereadRows is how many of the newest rows are read again each time: an execution that grows is stored anew in
// another row.
const rereadRows = 1000

// NewWatcher returns a watcher of all that is recorded from now on.
func NewWatcher(ctx context.Context, st *store.Store, o WatchOptions) (*Watcher, error) {
	w := &Watcher{store: st, options: o, seen: map[string]bool{}}
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

// Watch calls show for each new execution, until the limit is reached or ctx ends.
func (w *Watcher) Watch(ctx context.Context, show func(track.RecordedExecution) error) error {
	err := w.store.Watch(ctx, w.options.Interval, func() error { return w.showNew(ctx, show) })
	if errors.Is(err, errLimit) {
		return nil
	}
	return err
}

func (w *Watcher) showNew(ctx context.Context, show func(track.RecordedExecution) error) error {
	fresh, err := w.next(ctx)
	if err != nil {
		return err
	}
	of := w.options.Of
	for _, e := range fresh {
		if of.Lineage != "" && (e.Lineage != of.Lineage || of.Version != nil && e.Version != *of.Version) {
			continue
		}
		if err := show(e); err != nil {
			return err
		}
		if w.shown++; w.shown == w.options.Limit {
			return errLimit
		}
	}
	return nil
}

// next returns the executions that are new.
func (w *Watcher) next(ctx context.Context) (fresh []track.RecordedExecution, err error) {
	list, mark, err := w.store.ExecutionsAfter(ctx, max(0, w.mark-rereadRows))
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
