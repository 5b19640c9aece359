package exchange

import (
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"runtime"
	"sync"
	"time"

	"track"
	"track/answer"
	"track/importer"
	"track/internal/admission"
	"track/store"
	"track/tracker/agents"
	"track/tracker/names"
)

// taskSubagent is the task of an execution that another agent, not a person, gave its task, if the log names none.
const taskSubagent = "subagent"

// ImportOptions say what is imported, and as whose.
type ImportOptions struct {
	Lineage   string    // of all executions; empty for the lineage that each log names
	Version   string    // of executions whose log names none
	Since     time.Time // leave out what is known to have started before
	DryRun    bool      // count and record nothing
	Execution agents.Options
	// Create makes the database when the first record comes, if there is none yet. If nothing is to be recorded, there
	// is none afterwards.
	Create func(context.Context) (*store.Store, error)
	// Keep takes each execution whose log has ended, in place of a database; nil to record them.
	Keep func(track.Execution) error
}

// ImportObserver hears of an import as it goes on, in the order of the items; each field may be nil.
type ImportObserver struct {
	Skip     func(importer.Skip)
	Conflict func(importer.Skip) // what is whole, and recorded with other content
	Progress func(executions int)
}

// Import records the items of logs. It reads ahead in a goroutine of its own, and returns when all is safe on the
// disk, or with the first error of the items or the database, after which what the summary counts stays recorded. st
// may be nil in a dry run, or if the options create the database: nothing is recorded yet.
func Import(ctx context.Context, st *store.Store, items iter.Seq2[importer.Item, error], options ImportOptions, entropy io.Reader, observer ImportObserver) (answer.ImportCounts, error) {
	options.Execution.Once, options.Execution.ContentKeys, options.Execution.Growing, options.Execution.Names = true, true, true, names.New(names.Warn)
	run := &importRun{options: options, observer: observer, entropy: entropy}
	run.use(st)
	err := recordChunks(ctx, items, importChunkItems, itemSize, func(chunk []importer.Item) error {
		err := run.chunk(ctx, chunk)
		if err == nil && observer.Progress != nil {
			observer.Progress(run.items)
		}
		return err
	})
	err = run.door.sync(err) // of the database that there is by now
	run.summary.NearNames = options.Execution.Names.Found()
	return run.summary, err
}

type importRun struct {
	*agents.Recorder
	texts    *admission.Rules
	store    *store.Store // nil in a dry run without a database
	door     *Door
	options  ImportOptions
	observer ImportObserver
	summary  answer.ImportCounts
	entropy  io.Reader
	items    int
	equal    equalLines
}

// importChunkItems is how many items an import records together.
const importChunkItems = 200

// chunk records some items: what takes time is done before the transactions, by as many goroutines as there are
// processors.
func (r *importRun) chunk(ctx context.Context, items []importer.Item) error {
	if err := r.create(ctx, items); err != nil {
		return err
	}
	steps, records := make([]*importStep, len(items)), make([]Record, len(items))
	for i, item := range items {
		steps[i] = r.step(item)
		records[i] = steps[i]
	}
	if !r.dryRun() {
		for i := range steps {
			if e := steps[i].Execution; e != nil {
				if _, err := r.KeepsText(ctx, e.Lineage); err != nil { // which remembers it for the goroutines
					return err
				}
			}
		}
	}
	inParallel(len(steps), func(i int) { r.prepareStep(ctx, steps[i]) })
	for i := range steps {
		var field *track.FieldError
		switch err := steps[i].err; {
		case errors.As(err, &field):
			steps[i].Item = steps[i].skip(field.Field, field.Message, field.Hint)
		case err != nil:
			return fmt.Errorf("%s: %w", steps[i].File, err)
		}
	}
	return r.door.putAll(ctx, records, func(first int, answers [][]Answer) {
		for i := range answers {
			r.count(steps[first+i])
		}
	})
}

// inParallel calls do with 0 to n-1.
func inParallel(n int, do func(i int)) {
	var next, all = make(chan int), sync.WaitGroup{}
	for range min(n, runtime.GOMAXPROCS(0)) {
		all.Go(func() {
			for i := range next {
				do(i)
			}
		})
	}
	for i := range n {
		next <- i
	}
	close(next)
	all.Wait()
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
