package exchange

import (
	"context"
	"iter"
	"time"

	"track"
	"track/importer/lines"
)

// What is recorded is safe from the end of the process once its transaction ends, so a slow stream is cut as well. The
// size is that of two transactions of judged seeds on a server.
const (
	chunkSize = 376
	chunkWait = time.Second
)

// chunk collects entries into slices of at most chunkSize, fewer if the input is slow. The error is set once the
// channel is closed.
func (b *batchRun) chunk(ctx context.Context, entries iter.Seq2[lines.Record, error]) (<-chan []*batchEntry, *error) {
	single := make(chan *batchEntry, chunkSize)
	inputErr := new(error)
	go func() {
		defer close(single)
		defer track.CatchPanic(inputErr)
		for entry, err := range entries {
			var prepared *batchEntry
			if err == nil {
				prepared, err = b.prepare(ctx, entry)
			}
			if err != nil {
				*inputErr = err
				return
			}
			select {
			case single <- prepared:
			case <-ctx.Done():
				return
			}
		}
	}()
	chunks := make(chan []*batchEntry, 1)
	go func() {
		defer close(chunks)
		for {
			collected, more := collect(single)
			if len(collected) > 0 {
				select {
				case chunks <- collected:
				case <-ctx.Done():
					return
				}
			}
			if !more {
				return
			}
		}
	}()
	return chunks, inputErr
}

// collect waits for one entry and then for more, until it has chunkSize or chunkWait is over.
func collect(single <-chan *batchEntry) (collected []*batchEntry, more bool) {
	entry, more := <-single
	if !more {
		return nil, false
	}
	collected = append(make([]*batchEntry, 0, chunkSize), entry)
	timer := time.NewTimer(chunkWait)
	defer timer.Stop()
	for len(collected) < chunkSize {
		select {
		case entry, more := <-single:
			if !more {
				return collected, false
			}
			collected = append(collected, entry)
		case <-timer.C:
			return collected, true
		}
	}
	return collected, true
}
