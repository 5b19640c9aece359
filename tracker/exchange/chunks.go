package exchange

import (
	"cmp"
	"context"
	"iter"
	"time"

	"track"
)

// What is recorded is safe from the end of the process once its transaction ends, so a slow stream is cut as well.
const (
	chunkWait  = time.Second
	chunkBytes = 4 << 20
)

// recordChunks reads ahead in a goroutine of its own, and hands over what it has read: at most longest items, fewer if
// they are large or the input is slow. It returns the first error of record, of the items or of ctx.
func recordChunks[T any](ctx context.Context, items iter.Seq2[T, error], longest int, size func(T) int, record func([]T) error) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	single, inputErr := make(chan T, longest), error(nil)
	go func() {
		defer close(single)
		defer track.CatchPanic(&inputErr)
		for item, err := range items {
			if err != nil {
				inputErr = err
				return
			}
			select {
			case single <- item:
			case <-ctx.Done():
				return
			}
		}
	}()
	for more := true; more; {
		var chunk []T
		if chunk, more = collect(ctx, single, longest, size); len(chunk) > 0 && ctx.Err() == nil {
			if err := record(chunk); err != nil {
				return err
			}
		}
		if ctx.Err() != nil { // the reader may be waiting for input that never comes
			return context.Cause(ctx)
		}
	}
	return cmp.Or(inputErr, context.Cause(ctx)) // a reader also ends when it is told to stop
}

// collect waits for one item and then for more, until it has enough or chunkWait is over.
func collect[T any](ctx context.Context, single <-chan T, longest int, size func(T) int) (chunk []T, more bool) {
	var late <-chan time.Time
	for bytes := 0; len(chunk) < longest && bytes < chunkBytes; {
		select {
		case item, isOpen := <-single:
			if !isOpen {
				return chunk, false
			}
			if len(chunk) == 0 {
				timer := time.NewTimer(chunkWait)
				defer timer.Stop()
				late = timer.C
			}
			chunk, bytes = append(chunk, item), bytes+size(item)
		case <-late:
			return chunk, true
		case <-ctx.Done():
			return nil, false
		}
	}
	return chunk, true
}
