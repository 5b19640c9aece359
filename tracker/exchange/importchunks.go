package exchange

import (
	"context"
	"iter"

	"track"
	"track/importer"
)

// Limits of what an import holds in memory between reading and recording: it is cut by number and by size, whichever
// comes first.
const (
	importChunkItems = 200
	importChunkBytes = 4 << 20
)

// chunkItems collects items. The error is set once the channel is closed.
func chunkItems(ctx context.Context, items iter.Seq2[importer.Item, error]) (<-chan []importer.Item, *error) {
	chunks, inputErr := make(chan []importer.Item), new(error)
	go func() {
		defer close(chunks)
		defer track.CatchPanic(inputErr)
		var chunk []importer.Item
		size := 0
		pass := func() bool {
			select {
			case chunks <- chunk:
				chunk, size = nil, 0
				return true
			case <-ctx.Done():
				return false
			}
		}
		for item, err := range items {
			if err != nil {
				*inputErr = err
				break
			}
			chunk, size = append(chunk, item), size+itemSize(item)
			if (len(chunk) == importChunkItems || size >= importChunkBytes) && !pass() {
				return
			}
		}
		if len(chunk) > 0 {
			pass()
		}
	}()
	return chunks, inputErr
}

// itemSize is about how many bytes an item takes.
func itemSize(item importer.Item) int {
	const fixed = 200
	size := fixed
	if v := item.Version; v != nil && v.Content != nil {
		size += len(*v.Content)
	}
	e := item.Execution
	if e == nil {
		return size
	}
	if e.Prompt != nil {
		size += len(*e.Prompt)
	}
	if e.Output != nil {
		size += len(*e.Output)
	}
	for _, c := range e.Calls {
		if size += fixed + len(c.Input) + len(c.Command) + len(c.Error); c.Output != nil {
			size += len(*c.Output)
		}
	}
	size += fixed * len(e.Requests)
	for _, f := range e.Files {
		size += len(f.Content)
	}
	return size
}
