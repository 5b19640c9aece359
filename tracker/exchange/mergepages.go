package exchange

import (
	"context"

	"track"
	"track/store"
)

// How many seeds and executions a transaction takes; seeds with series or artifacts are large.
const (
	pageOfSeeds      = 1000
	pageOfSeries     = 100
	pageOfExecutions = 500
	rowsOfSeed       = 4 // on a server, of a seed with values that was judged once
)

// pages puts pages that read returns, until there is none, while the next one is read.
func pages[P Record](ctx context.Context, m *merge, read func(ctx context.Context) (P, bool, error)) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	type result struct {
		page P
		err  error
	}
	results := make(chan result, 1)
	go func() {
		defer close(results)
		for {
			page, more, err := readPage(ctx, read)
			if err == nil && !more {
				return
			}
			select {
			case results <- result{page, err}:
			case <-ctx.Done():
				return
			}
			if err != nil {
				return
			}
		}
	}()
	defer func() { // the reader must be done with the snapshot
		cancel()
		for range results {
		}
	}()
	for r := range results {
		if r.err != nil {
			return r.err
		}
		if err := m.put(ctx, r.page); err != nil {
			return err
		}
		m.options.Progress(m.counts.Seeds.All() + m.counts.Executions.All())
	}
	return ctx.Err()
}

// readPage reads a page in a goroutine, where nobody else catches a panic.
func readPage[P Record](ctx context.Context, read func(ctx context.Context) (P, bool, error)) (page P, more bool, err error) {
	defer track.CatchPanic(&err)
	return read(ctx)
}

// seeds brings in the seeds of scenarios.
func (m *merge) seeds(ctx context.Context, scenarios []store.ScenarioRecord) error {
	var names []string
	if m.options.isNarrowed() {
		for _, s := range scenarios {
			names = append(names, s.Name)
		}
	}
	if len(scenarios) == 0 {
		return nil
	}
	from := m.from.SeedPages()
	size := m.options.Page
	if size == 0 {
		size = pageOfSeeds
		has, err := from.HasContents(ctx)
		if err != nil {
			return err
		}
		if has {
			size = pageOfSeries
		}
		if rows := m.store.MaxRows(); rows > 0 {
			size = min(size, rows/rowsOfSeed)
		}
	}
	after := int64(0)
	return pages(ctx, m, func(ctx context.Context) (*seedPage, bool, error) {
		page, err := m.readSeeds(ctx, from, after, size, names)
		if err != nil || page == nil {
			return nil, false, err
		}
		after = page.heads[len(page.heads)-1].Row
		return page, true, nil
	})
}

// executions brings in the executions of lineages.
func (m *merge) executions(ctx context.Context, records []store.LineageRecord) error {
	var names []string
	if m.options.isNarrowed() {
		for _, l := range records {
			names = append(names, l.Name)
		}
	}
	if len(records) == 0 {
		return nil
	}
	size := m.options.Page
	if size == 0 {
		size = pageOfExecutions
	}
	after := int64(0)
	return pages(ctx, m, func(ctx context.Context) (*executionPage, bool, error) {
		page, err := m.readExecutions(ctx, m.from, after, size, names)
		if err != nil || page == nil {
			return nil, false, err
		}
		after = page.heads[len(page.heads)-1].Row
		return page, true, nil
	})
}
