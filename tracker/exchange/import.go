package exchange

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"runtime"
	"slices"
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

// importStep is an item on its way into the database: a [Record].
type importStep struct {
	importer.Item
	run       *importRun
	prepared  agents.Prepared
	version   *track.Version
	onlyFills bool // version completes what is unknown, and changes nothing else
	early     bool
	duplicate bool // it is recorded, and nothing about it is new
	result    agents.Result
	change    store.VersionChange
	goesOn    bool  // it was left out, because its log goes on
	err       error // of preparing it; a *track.FieldError makes it a skip
}

// skip makes the item of what was left out of one.
func (s *importStep) skip(field, reason string, hint *track.Hint) importer.Item {
	return importer.Item{File: s.File, Line: s.Line, Skip: &importer.Skip{File: s.File, Line: s.Line, Field: field, Reason: reason, Hint: hint}}
}

// step fills in what the options say.
func (r *importRun) step(item importer.Item) *importStep {
	s := &importStep{Item: item, run: r}
	switch {
	case item.Skip != nil && !item.Skip.Ends:
	case item.Execution != nil:
		e := *item.Execution
		e.Lineage, e.Version = cmp.Or(r.options.Lineage, e.Lineage), cmp.Or(e.Version, r.options.Version, item.AgentVersion)
		if item.Subagent {
			e.Task = cmp.Or(e.Task, taskSubagent)
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
		s.version, s.onlyFills = &track.Version{
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
		problem := v.Validate()
		if problem == nil {
			s.prepared.NMasked, problem = r.texts.Admit(v)
		}
		if problem != nil {
			s.err = problem
		}
	}
}

func (r *importRun) prepareExecution(ctx context.Context, s *importStep) (err error) {
	if s.prepared, err = r.Identify(*s.Execution, s.Open); err != nil {
		return err
	}
	if err := r.CheckScore(ctx, s.prepared); err != nil {
		return err
	}
	s.Execution = nil // the masked texts are in prepared
	if r.store != nil && !r.dryRun() {
		result, err := r.Find(ctx, s.prepared)
		if err != nil {
			return err
		}
		if result != nil {
			s.prepared.ID, s.result = result.ID, *result
			s.duplicate = s.result.Disposition == track.Duplicate
		}
	}
	if s.duplicate || r.dryRun() {
		return nil
	}
	keep, err := r.KeepsText(ctx, s.prepared.Lineage)
	if err != nil {
		return err
	}
	return r.Complete(&s.prepared, keep)
}

// isExecution reports whether the step has an execution to record.
func (s *importStep) isExecution() bool { return s.prepared.Lineage != "" && s.Skip == nil && !s.early }

// isVersion reports whether the step has a version to record.
func (s *importStep) isVersion() bool { return s.version != nil && s.Skip == nil }

func (*importStep) needs() (Rights, string) { return BringFacts, "" }

func (s *importStep) isKnown() bool {
	return s.duplicate || !s.isExecution() && !s.isVersion()
}

// settle stores the execution or the version.
func (s *importStep) settle(ctx context.Context, d *Door, _ *store.Reader, tx *store.Tx) (answers []Answer, err error) {
	switch {
	case s.Skip != nil:
		return []Answer{{Outcome: Invalid, Problem: &track.FieldError{Field: s.Skip.Field, Message: s.Skip.Reason}}}, nil
	case s.isVersion():
		err = s.settleVersion(ctx, d, tx)
		answers = []Answer{answerOf(kindVersion, dispositionOf(s.change), nil)}
	case s.isExecution():
		err = s.settleExecution(ctx, tx)
		answers = []Answer{answerOf(kindExecution, s.result.Disposition, nil)}
	}
	if err != nil {
		return nil, fmt.Errorf("%s, line %d: %w", s.File, s.Line, err)
	}
	return answers, nil
}

func (s *importStep) settleVersion(ctx context.Context, d *Door, tx *store.Tx) (err error) {
	switch {
	case tx != nil:
		if _, err := d.names.Version(ctx, tx.Reader, s.version.Lineage, s.version.Name); err != nil { // which warns
			return err
		}
		s.change, err = tx.AddVersion(*s.version, s.onlyFills)
	case !s.onlyFills && s.run.options.Keep == nil:
		s.change = store.VersionAdded
	}
	return err
}

func (s *importStep) settleExecution(ctx context.Context, tx *store.Tx) (err error) {
	switch {
	case tx == nil:
		if !s.duplicate {
			s.result, err = s.run.Foresee(ctx, s.prepared)
		}
		if err == nil && s.run.options.Keep != nil {
			err = s.keep()
		}
	case !s.duplicate:
		s.result, err = s.run.Add(ctx, tx, s.prepared)
	}
	return err
}

// keep hands over an execution without a database. One whose log goes on would differ from what is sent later.
func (s *importStep) keep() error {
	switch {
	case s.Open:
		s.goesOn = true
		return nil
	case s.result.Disposition == track.Duplicate:
		return nil
	}
	e := s.prepared.Execution
	if agents.IsContentKey(e.Key) {
		e.Key = "" // whoever records it makes the same
	}
	return s.run.options.Keep(e)
}

// dispositionOf returns the disposition of a version.
func dispositionOf(c store.VersionChange) track.Disposition {
	switch c {
	case store.VersionSame:
		return track.Duplicate
	case store.VersionConflict:
		return track.Conflict
	}
	return track.Recorded
}

// count counts what became of a step.
func (r *importRun) count(s *importStep) {
	r.items++
	switch {
	case s.Skip != nil:
		r.skip(*s.Skip)
	case s.early:
		r.summary.Early++
	case s.goesOn:
		r.summary.GoOn++
	case s.isExecution():
		r.countExecution(s)
	case s.change == store.VersionConflict:
		r.conflict(s, fmt.Sprintf("version %s of lineage %s is recorded with other content", s.version.Name, s.version.Lineage))
	case s.Version != nil && s.change != store.VersionSame:
		r.summary.Versions++
		r.summary.Masked += s.prepared.NMasked
	}
	if s.Event != nil {
		r.summary.Events++
	}
}

func (r *importRun) countExecution(s *importStep) {
	if s.result.Forgotten {
		r.summary.Forgotten++
	}
	r.summary.Repeated += s.result.NRepeated
	switch s.result.Disposition {
	case track.Duplicate:
		r.summary.Duplicates++
		r.summary.Uncompared += s.result.NUnknown
		r.summary.Equal += r.equal.count(s.prepared)
		return
	case track.Conflict:
		r.conflict(s, fmt.Sprintf("execution %s of lineage %s is recorded with other content, as %s", s.prepared.Key, s.prepared.Lineage, s.result.ID))
		return
	case track.Replaced:
		r.summary.Replaced++
	default:
		r.equal.count(s.prepared)
		r.summary.Executions++
	}
	if s.Subagent {
		r.summary.Subagents++
	}
	r.summary.Masked += s.prepared.NMasked
	r.countUsed(s.result.Execution, 1)
	r.countCost(s.result.Execution)
	for _, part := range s.result.Superseded {
		r.countUsed(part, -1)
		if part.Task == taskSubagent {
			r.summary.Subagents--
		}
	}
}

// countCost counts computed costs, and names models without a price.
func (r *importRun) countCost(e track.Execution) {
	table := r.options.Execution.Prices
	switch {
	case e.Priced != "":
		r.summary.Priced, r.summary.Prices = r.summary.Priced+1, e.Priced
	case table != nil && e.CostUSD == nil && e.Tokens != nil:
		r.summary.Unpriced++
		r.summary.Prices = table.Date
		if name := cmp.Or(e.Model, "unknown"); len(r.summary.UnpricedModels) < maxNamed && !slices.Contains(r.summary.UnpricedModels, name) {
			r.summary.UnpricedModels = append(r.summary.UnpricedModels, name)
		}
	}
}

// countUsed adds what an execution used, or takes it away again.
func (r *importRun) countUsed(e track.Execution, sign int) {
	r.summary.Calls += sign * len(e.Calls)
	for _, c := range e.Calls {
		switch {
		case c.Failed():
			r.summary.Failed += sign
		case c.Unknown():
			r.summary.Unknown += sign
		}
	}
	if t := e.Tokens; t != nil {
		sum := &r.summary.Tokens
		add(&sum.Input, t.Input, sign)
		add(&sum.Output, t.Output, sign)
		add(&sum.CacheRead, t.CacheRead, sign)
		add(&sum.CacheWrite, t.CacheWrite, sign)
		add(&sum.Reasoning, t.Reasoning, sign)
	}
}

// add adds a number, or its negative, to a sum, which is nil as long as none is known.
func add(sum **int64, n *int64, sign int) {
	if n == nil {
		return
	}
	if *sum == nil {
		*sum = new(int64)
	}
	**sum += int64(sign) * *n
}

func (r *importRun) skip(skip importer.Skip) {
	r.summary.Skipped++
	if r.observer.Skip != nil {
		r.observer.Skip(skip)
	}
}

func (r *importRun) conflict(s *importStep, reason string) {
	r.summary.Conflicts++
	if r.observer.Conflict != nil {
		r.observer.Conflict(*s.skip("", reason, nil).Skip)
	}
}

// use records into a database; nil: nothing is recorded yet.
func (r *importRun) use(st *store.Store) {
	o := r.options.Execution
	if st != nil {
		o.Texts = st.Texts()
	}
	o.Texts = cmp.Or(o.Texts, admission.New(false))
	r.store, r.texts, r.Recorder = st, o.Texts, agents.NewRecorder(st, o, r.entropy)
	r.door = NewDoor(st, BringFacts, o.Names, r.dryRun())
}

// dryRun reports whether nothing is recorded.
func (r *importRun) dryRun() bool {
	return r.options.DryRun || r.options.Keep != nil || r.store == nil && r.options.Create != nil
}

// create makes the database if there is none and something is to be recorded: damage alone is not.
func (r *importRun) create(ctx context.Context, items []importer.Item) error {
	isRecord := func(item importer.Item) bool { return item.Skip == nil }
	if r.store != nil || r.options.DryRun || r.options.Create == nil || !slices.ContainsFunc(items, isRecord) {
		return nil
	}
	st, err := r.options.Create(ctx)
	if err != nil {
		return err
	}
	r.use(st)
	return nil
}
