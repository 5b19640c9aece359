package exchange

import (
	"cmp"
	"context"
	"crypto/sha256"
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
	"track/internal/masking"
	"track/store"
	"track/tracker/agents"
)

// Limits of what an import holds in memory between reading and recording: it is cut by number and by size, whichever comes first.
const (
	importChunkItems = 200
	importChunkBytes = 4 << 20
)

// TaskSubagent is the task of an execution that another agent, not a person, gave its task, where the log names none.
const TaskSubagent = "subagent"

// ImportOptions say what is imported, and as whose.
type ImportOptions struct {
	Lineage   string    // stands in place of the lineage that a log names; empty: that of the log
	Version   string    // of executions whose log names none
	Since     time.Time // leave out what is known to have started before
	DryRun    bool      // count and record nothing
	Execution agents.Options
}

// ImportObserver hears of an import as it goes on, in the order of the items; each field may be nil.
type ImportObserver struct {
	Skip     func(importer.Skip)
	Conflict func(importer.Skip) // what is whole, and recorded with other content
	Progress func(executions int)
}

// Import records the items of logs. It reads ahead in a goroutine of its own, and returns when all is safe on the disk, or with the first
// error of the items or the database, after which what the summary counts stays recorded. In a dry run st may be nil: nothing is recorded yet.
func Import(ctx context.Context, st *store.Store, items iter.Seq2[importer.Item, error], options ImportOptions, entropy io.Reader, observer ImportObserver) (answer.ImportCounts, error) {
	options.Execution.ContentKeys, options.Execution.Growing = true, true
	run := &importRun{Recorder: agents.NewRecorder(st, options.Execution, entropy), store: st, options: options, observer: observer, seen: map[[sha256.Size]byte]bool{}}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	chunks, inputErr := chunkItems(ctx, items)
	err := run.chunks(ctx, chunks, inputErr)
	if st != nil && !options.DryRun {
		if syncErr := st.Sync(); err == nil && syncErr != nil {
			err = fmt.Errorf("sync the database: %w", syncErr)
		}
	}
	return run.summary, err
}

// chunkItems collects items. The error is set once the channel is closed.
func chunkItems(ctx context.Context, items iter.Seq2[importer.Item, error]) (<-chan []importer.Item, *error) {
	chunks, inputErr := make(chan []importer.Item), new(error)
	go func() {
		defer close(chunks)
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
	if e.Output != nil {
		size += len(*e.Output)
	}
	for _, c := range e.Calls {
		if size += fixed + len(c.Input) + len(c.Command) + len(c.Error); c.Output != nil {
			size += len(*c.Output)
		}
	}
	for _, f := range e.Files {
		size += len(f.Content)
	}
	return size
}

type importRun struct {
	*agents.Recorder
	store    *store.Store // nil in a dry run without a database
	options  ImportOptions
	observer ImportObserver
	summary  answer.ImportCounts
	items    int
	seen     map[[sha256.Size]byte]bool // in a dry run, what would be recorded by now
}

func (r *importRun) chunks(ctx context.Context, chunks <-chan []importer.Item, inputErr *error) error {
	for {
		select {
		case chunk, more := <-chunks:
			if !more {
				return cmp.Or(*inputErr, context.Cause(ctx))
			}
			if err := r.chunk(ctx, chunk); err != nil {
				return err
			}
			if r.observer.Progress != nil {
				r.observer.Progress(r.items)
			}
		case <-ctx.Done(): // the reader may be waiting for input that never comes
			return context.Cause(ctx)
		}
	}
}

// importStep is an item on its way: what it became so far.
type importStep struct {
	importer.Item
	prepared agents.Prepared
	version  *track.Version
	fill     bool // version stands only where nothing is known
	early    bool
	known    bool // it is recorded, and nothing about it is new
	result   agents.Result
	change   store.VersionChange
	err      error // of preparing it; a *track.FieldError makes it a skip
}

// chunk records some items: what takes time is done before the transactions, by as many goroutines as there are processors.
func (r *importRun) chunk(ctx context.Context, items []importer.Item) error {
	steps := make([]importStep, len(items))
	for i, item := range items {
		steps[i] = r.step(item)
	}
	if !r.options.DryRun {
		for i := range steps {
			if e := steps[i].Execution; e != nil {
				if _, err := r.KeepsText(ctx, e.Lineage); err != nil { // which remembers it for the goroutines
					return err
				}
			}
		}
	}
	inParallel(len(steps), func(i int) { r.prepareStep(ctx, &steps[i]) })
	for i := range steps {
		var field *track.FieldError
		switch err := steps[i].err; {
		case errors.As(err, &field):
			steps[i].Item = steps[i].skip(field.Field, field.Message)
		case err != nil:
			return fmt.Errorf("%s: %w", steps[i].File, err)
		}
	}
	if err := r.write(ctx, steps); err != nil {
		return err
	}
	for _, s := range steps {
		r.count(s)
	}
	return nil
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

// skip makes the item of what was left out of one.
func (s importStep) skip(field, reason string) importer.Item {
	return importer.Item{File: s.File, Line: s.Line, Skip: &importer.Skip{File: s.File, Line: s.Line, Field: field, Reason: reason}}
}

// step fills in what the options say.
func (r *importRun) step(item importer.Item) importStep {
	s := importStep{Item: item}
	switch {
	case item.Execution != nil:
		e := *item.Execution
		e.Lineage, e.Version = cmp.Or(r.options.Lineage, e.Lineage), cmp.Or(e.Version, r.options.Version)
		if item.Subagent {
			e.Task = cmp.Or(e.Task, TaskSubagent)
		}
		s.Execution = &e
		s.early = !e.StartedAt.IsZero() && e.StartedAt.Before(r.options.Since)
	case item.Version != nil:
		v := item.Version
		s.version = &track.Version{
			Lineage: r.options.Lineage, Name: v.Name, Parent: v.Parent, Operator: v.Operator, Content: v.Content, Status: v.Status, Note: v.Note,
			Source: importer.SEPA, SourceScore: v.Score, SourceParentScore: v.ParentScore, CreatedAt: v.CreatedAt,
		}
	case item.Event != nil && item.Event.Kind == importer.EventEvolution:
		v := item.Event
		s.version, s.fill = &track.Version{
			Lineage: r.options.Lineage, Name: v.To, Parent: v.From, Operator: v.Operator, Source: importer.SEPA, SourceParentScore: v.FromScore, CreatedAt: v.At,
		}, true
	}
	return s
}

// prepareStep does what needs no transaction. What is recorded already is not scored again.
func (r *importRun) prepareStep(ctx context.Context, s *importStep) {
	switch {
	case s.early:
	case s.Execution != nil:
		s.err = r.prepareExecution(ctx, s)
	case s.version != nil:
		v := s.version
		if v.Content != nil {
			clean, n := masking.Mask(*v.Content)
			v.Content, s.prepared.NMasked = &clean, n
		}
		note, n := masking.Mask(v.Note)
		v.Note, s.prepared.NMasked = note, s.prepared.NMasked+n
		if problem := v.Validate(); problem != nil {
			s.err = problem
		}
	}
}

func (r *importRun) prepareExecution(ctx context.Context, s *importStep) (err error) {
	if s.prepared, err = r.Identify(*s.Execution, s.Open); err != nil {
		return err
	}
	s.Execution = nil // its texts are those that are masked from here on
	if r.store != nil {
		existing, err := r.store.FindExecution(ctx, s.prepared.ExecutionRecord)
		if err != nil {
			return err
		}
		if existing != nil {
			s.prepared.ID = existing.ULID
			s.prepared.ID = existing.ULID
			s.result = r.Compare(*existing, s.prepared)
			s.known = s.result.Disposition == track.Duplicate
		}
	}
	if s.known || r.options.DryRun {
		return nil
	}
	keep, err := r.KeepsText(ctx, s.prepared.Lineage)
	if err != nil {
		return err
	}
	return r.Complete(&s.prepared, keep)
}

// isExecution says whether the step has an execution to record.
func (s importStep) isExecution() bool { return s.prepared.Lineage != "" && s.Skip == nil && !s.early }

// write stores steps in as many transactions as it takes.
func (r *importRun) write(ctx context.Context, steps []importStep) error {
	if r.options.DryRun {
		for i := range steps {
			r.pretend(&steps[i])
		}
		return nil
	}
	pending := make([]*importStep, 0, len(steps))
	for i := range steps {
		if s := &steps[i]; s.isExecution() && !s.known || s.version != nil && s.Skip == nil {
			pending = append(pending, s)
		}
	}
	for len(pending) > 0 {
		done := 0
		err := r.store.UpdateRelaxed(ctx, func(tx *store.Tx) (err error) {
			started := time.Now()
			for done < len(pending) && (done == 0 || time.Since(started) <= maxTransaction) {
				s := pending[done]
				if s.version != nil {
					s.change, err = tx.AddVersion(*s.version, s.fill)
				} else {
					s.result, err = r.Add(ctx, tx, s.prepared)
				}
				if err != nil {
					return fmt.Errorf("%s, line %d: %w", s.File, s.Line, err)
				}
				done++
			}
			return nil
		})
		if err != nil {
			return err
		}
		pending = pending[done:]
	}
	return nil
}

// pretend finds out what a step would become.
func (r *importRun) pretend(s *importStep) {
	if s.version != nil && !s.fill && s.Skip == nil {
		s.change = store.VersionAdded
	}
	if !s.isExecution() {
		return
	}
	p := s.prepared
	key := sha256.Sum256([]byte(p.Lineage + "\x00" + p.Source + "\x00" + p.Key))
	if r.seen[key] {
		s.result.Disposition = track.Duplicate
	}
	r.seen[key] = true
}

// count tells what became of a step.
func (r *importRun) count(s importStep) {
	r.items++
	switch {
	case s.Skip != nil:
		r.skip(*s.Skip)
	case s.early:
		r.summary.Early++
	case s.isExecution():
		r.countExecution(s)
	case s.change == store.VersionConflict:
		r.conflict(s, fmt.Sprintf("version %s of lineage %s is recorded with another content", s.version.Name, s.version.Lineage))
	case s.Version != nil && s.change != store.VersionSame:
		r.summary.Versions++
		r.summary.Masked += s.prepared.NMasked
	}
	if s.Event != nil {
		r.summary.Events++
	}
}

func (r *importRun) countExecution(s importStep) {
	switch s.result.Disposition {
	case track.Duplicate:
		r.summary.Duplicates++
		return
	case track.Conflict:
		r.conflict(s, fmt.Sprintf("execution %s of lineage %s is recorded with other content, as %s", s.prepared.Key, s.prepared.Lineage, s.result.ID))
		return
	case track.Replaced:
		r.summary.Replaced++
	default:
		r.summary.Executions++
	}
	if s.Subagent {
		r.summary.Subagents++
	}
	r.summary.Masked += s.prepared.NMasked
	r.summary.Calls += len(s.prepared.Calls)
	for _, c := range s.prepared.Calls {
		if c.Failed() {
			r.summary.Failed++
		}
	}
	if t := s.prepared.Tokens; t != nil {
		sum := &r.summary.Tokens
		add(&sum.Input, t.Input)
		add(&sum.Output, t.Output)
		add(&sum.CacheRead, t.CacheRead)
		add(&sum.CacheWrite, t.CacheWrite)
		add(&sum.Reasoning, t.Reasoning)
	}
}

// add adds a number to a sum, which is nil as long as none is known.
func add(sum **int64, n *int64) {
	if n == nil {
		return
	}
	if *sum == nil {
		*sum = new(int64)
	}
	**sum += *n
}

func (r *importRun) skip(skip importer.Skip) {
	r.summary.Skipped++
	if r.observer.Skip != nil {
		r.observer.Skip(skip)
	}
}

func (r *importRun) conflict(s importStep, reason string) {
	r.summary.Conflicts++
	if r.observer.Conflict != nil {
		r.observer.Conflict(*s.skip("", reason).Skip)
	}
}
