// Package loop evolves a lineage: it proposes children by a command, evaluates them by another one, and decides.
package loop

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"time"

	"track"
	"track/answer"
	"track/answer/param"
	"track/evolution"
	"track/internal/process"
	"track/store"
	"track/tracker/agents"
	"track/tracker/lineages"
)

// Options say how a lineage is evolved.
type Options struct {
	answer.EvolveSettings
	Tasks []Task // nil for numbers
}

// Observer hears of a loop as it runs; each field may be nil.
type Observer struct {
	Ran        func(track.Execution, answer.Evolved) // it is recorded
	Running    func(name string, started bool)       // called from several goroutines
	Proposed   func(answer.Proposed)
	Decided    func(answer.Decision)
	RolledBack func(answer.Rollback)
	Notice     func(answer.Sentence)
}

// loop evolves one lineage. It belongs to one goroutine.
type loop struct {
	store    *store.Store
	options  Options
	observer Observer
	tasks    taskList
	recorder *agents.Recorder
	evolving store.Evolving
	claims   store.Claims
	guard    *process.Guard
	secrets  process.Secrets
	dir      string // for the files of commands
	began    time.Time
	last     time.Time        // start of the newest trial: the next one starts later
	running  map[string]trial // by key
	results  chan ran
	failures int  // trials in a row without a score
	proven   bool // a trial had a score since the last decision
	broken   bool // the evaluate command does not work
	refused  int  // children in a row that the lineage refused
	waiting  bool
	result   answer.Evolved
	// What runs a trial and makes a child: the commands of the options, unless a test has functions for them.
	evaluateTrial func(context.Context, trial) (track.Execution, error)
	proposeChild  func(context.Context, answer.Next, int, string) (madeChild, string, error)
}

// Run evolves a lineage until its budget is spent, or something else ends it, and records in a database. The end of ctx
// kills the running commands: their trials are not recorded, and run again in the next loop. What the result counts is
// recorded, whatever the error. entropy makes the ids of records unique.
func Run(ctx context.Context, st *store.Store, entropy io.Reader, options Options, observer Observer) (answer.Evolved, error) {
	return newLoop(st, entropy, options, observer).evolve(ctx)
}

func newLoop(st *store.Store, entropy io.Reader, options Options, observer Observer) *loop {
	l := &loop{
		store: st, options: options, observer: observer, tasks: newTaskList(options.Tasks, options.Measured), recorder: agents.NewRecorder(st, agents.Options{}, entropy),
		secrets: process.SecretsOf(os.Environ()), running: map[string]trial{}, results: make(chan ran, options.Parallel),
	}
	l.evaluateTrial, l.proposeChild = l.evaluate, l.makeChild
	return l
}

func (l *loop) evolve(ctx context.Context) (answer.Evolved, error) {
	if err := l.begin(ctx); err != nil {
		return l.result, err
	}
	defer l.close()
	err := l.run(ctx)
	if ctx.Err() != nil && err == nil {
		l.end(answer.EvolveInterrupted, "by its user")
	}
	return l.result, cmp.Or(err, l.finish())
}

// run takes one step after the other, and waits for what runs at the end.
func (l *loop) run(ctx context.Context) (err error) {
	running, cancel := context.WithCancel(ctx)
	defer cancel()
	for err == nil && l.result.Ending == "" && ctx.Err() == nil {
		err = l.turn(running)
	}
	if err != nil {
		cancel()
	}
	return cmp.Or(err, l.drain(running))
}

// begin prepares for running commands.
func (l *loop) begin(ctx context.Context) (err error) {
	if l.options.Lineage, err = lineages.Resolve(ctx, l.store.Reader, l.options.Lineage); err != nil {
		return err
	}
	if l.evolving, err = l.store.Evolving(ctx, l.options.Lineage); err != nil {
		return err
	}
	if l.evolving.Subject != lineages.SubjectAgent {
		err := fmt.Errorf("%w: lineage %s evolves the parameters of a simulation, and its trials are seeds", track.ErrInvalid, l.options.Lineage)
		return track.WithHint(err, track.NewHint("see what to run, by track sweep", "mutation next", l.options.Lineage))
	}
	ahead, err := lineages.LookAhead(ctx, l.store.Reader, l.options.Lineage)
	if err != nil {
		return err
	}
	if err := l.options.Until.CheckScale(ahead.Scale); err != nil {
		return &param.Error{Param: "until", Message: err.Error(), Cause: err}
	}
	if _, _, err := lineages.ChangeSettings(ctx, l.store, l.options.Lineage, l.tasks.set, "the tasks of the loop", time.Time{}); err != nil {
		return err
	}
	l.result.Lineage, l.result.HeadBefore, l.result.Rule = l.options.Lineage, l.evolving.Head, l.options.Until.String()
	if l.claims, err = l.store.Claims(); err != nil {
		return err
	}
	if l.dir, err = os.MkdirTemp("", "track-evolve-"); err != nil {
		return err
	}
	l.dir, err = filepath.Abs(l.dir)
	l.guard = process.NewGuard(l.dir)
	l.began = time.Now()
	return err
}

func (l *loop) close() {
	l.guard.Close()
	_ = os.RemoveAll(l.dir)
	_ = l.claims.Close()
}

// finish fills in where the lineage stands at the end.
func (l *loop) finish() (err error) {
	ctx := context.Background() // even if the loop was interrupted
	if l.result.Spent, err = l.store.Spending(ctx, l.evolving, source); err != nil {
		return err
	}
	next, err := lineages.NextAction(ctx, l.store, answer.NextQuestion{Lineage: l.options.Lineage, DryRun: true})
	if err != nil {
		return err
	}
	l.result.Undecided = next.Mutation
	shown, err := lineages.ShowLineage(ctx, l.store.Reader, answer.LineageQuestion{Lineage: l.options.Lineage})
	l.result.Head, l.result.Scale = shown.Head, shown.Settings.Scale
	for _, v := range shown.Versions {
		if v.Version == shown.Head {
			l.result.Fitness = v.Fitness
		}
	}
	return err
}

func (l *loop) end(ending answer.EvolveEnding, reason string) {
	l.result.Ending, l.result.Reason = ending, reason
}

func (l *loop) notice(format string, args ...any) {
	if l.observer.Notice != nil {
		l.observer.Notice(answer.Sentence{Kind: answer.Note, Text: fmt.Sprintf(format, args...)})
	}
}

// again is how long a loop waits before it looks whether other processes have recorded what they run.
const again = 200 * time.Millisecond

// turn takes one step, or waits for what is running. What is recorded is decided even if the budget is spent.
func (l *loop) turn(ctx context.Context) (err error) {
	if l.result.Spent, err = l.store.Spending(ctx, l.evolving, source); err != nil {
		return unlessEnded(ctx, err)
	}
	spent := l.options.Budget.Reached(l.result.Spent, time.Since(l.began))
	step, err := lineages.NextAction(ctx, l.store, answer.NextQuestion{Lineage: l.options.Lineage, DryRun: spent != ""})
	if err != nil {
		return unlessEnded(ctx, err)
	}
	if len(l.running) > 0 && (spent != "" || !isTrial(step)) { // what runs may change the step
		return l.receive(ctx)
	}
	switch step.Action {
	case answer.ActionDecide:
		err = l.decide(ctx, step.Mutation)
	case answer.ActionRollback:
		err = l.rollBack(ctx)
	default:
		err = l.goOn(ctx, step, spent)
	}
	return unlessEnded(ctx, err)
}

// isTrial reports whether a step is to run trials.
func isTrial(step answer.Next) bool {
	return step.Action == answer.ActionRun || step.Action == answer.ActionWait && step.Until.IsZero() && step.Executions > 0
}

// goOn takes a step that costs something, or ends the loop. spent is the bound of the budget that is reached.
func (l *loop) goOn(ctx context.Context, step answer.Next, spent string) error {
	if step.Action == answer.ActionRun && spent == "" {
		return l.runTrials(ctx, step)
	}
	ahead, err := lineages.LookAhead(ctx, l.store.Reader, l.options.Lineage)
	if err != nil {
		return err
	}
	reached := ""
	if step.Action != answer.ActionRun { // every child is decided
		reached = l.options.Until.Reached(ahead.Score, ahead.NAccepted)
	}
	switch {
	case reached != "":
		l.end(answer.EvolveReached, reached)
	case spent != "":
		l.end(answer.EvolveBudget, spent)
	case step.Action == answer.ActionMutate, isTrial(step):
		return l.prepare(ctx, step, ahead)
	case step.Action == answer.ActionWait:
		l.result.Until = step.Until
		l.end(answer.EvolveHeld, step.Reason)
	default:
		l.end(answer.EvolveStopped, step.Reason)
	}
	return nil
}

// prepare has a child proposed, or waits for that with trials of the active version. It ends the loop if the budget
// does not allow another child, or cannot pay for the decision on it.
func (l *loop) prepare(ctx context.Context, step answer.Next, ahead lineages.Outlook) error {
	budget, spent := l.options.Budget, l.result.Spent
	if budget.Proposed(spent) {
		l.end(answer.EvolveBudget, fmt.Sprintf("%d of %d mutations", spent.Mutations, budget.Mutations))
		return nil
	}
	n := ahead.Child + max(ahead.Parent, step.Executions)
	if short := budget.Short(spent, n); short != "" {
		l.end(answer.EvolveBudget, fmt.Sprintf("%s; the decision on another child can take %d trials, by policy %s", short, n, ahead.Policy))
		return nil
	}
	if step.Action == answer.ActionMutate {
		return l.mutate(ctx, step, ahead)
	}
	return l.runTrials(ctx, step)
}

// unlessEnded returns an error, but none if the context has ended, which may be its reason.
func unlessEnded(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return nil
	}
	return err
}

// runTrials starts as many of the planned trials as may run now, and waits for one.
func (l *loop) runTrials(ctx context.Context, step answer.Next) error {
	planned, err := l.planTrials(ctx, step)
	if err != nil {
		return err
	}
	for _, t := range planned {
		if len(l.running) == l.options.Parallel || !l.mayStart() {
			break
		}
		if _, runs := l.running[t.Key]; runs {
			continue
		}
		if claimed, err := l.claim(ctx, t); err != nil {
			return err
		} else if claimed {
			l.start(ctx, t)
		}
	}
	return l.await(ctx)
}

// mayStart reports whether the budget has a trial left beside those that run.
func (l *loop) mayStart() bool {
	most := l.options.Budget.Trials
	return most == 0 || l.result.Spent.Trials+len(l.running) < most
}

// claim takes a trial, unless another process runs it or has recorded it meanwhile.
func (l *loop) claim(ctx context.Context, t trial) (bool, error) {
	ok, err := l.claims.TakeStep(l.options.Lineage, t.Key)
	if err != nil || !ok {
		return false, err
	}
	recorded, err := l.store.HasKey(ctx, l.evolving, source, t.Key)
	if err != nil || recorded {
		return false, cmp.Or(err, l.claims.ReleaseStep(l.options.Lineage, t.Key))
	}
	return true, nil
}

// await waits for a trial. If none runs here, all are run by other processes, and it waits for a while.
func (l *loop) await(ctx context.Context) error {
	if len(l.running) > 0 {
		return l.receive(ctx)
	}
	if !l.waiting {
		l.notice("waiting for another process, which runs what is next")
	}
	l.waiting = true
	timer := time.NewTimer(again)
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-ctx.Done():
	}
	return nil
}

func (l *loop) decide(ctx context.Context, mutation string) error {
	d, err := lineages.DecideMutation(ctx, l.store, answer.DecideQuestion{Mutation: mutation, Lineage: l.options.Lineage, IfOpen: true})
	if err != nil || d.Repeated { // another process was first
		return err
	}
	l.proven = false // the next child may be the first one to fail
	switch {
	case d.Accepted:
		l.result.NAccepted++
	case d.Need != nil:
		l.result.NContinued++
	default:
		l.result.NRejected++
	}
	if l.observer.Decided != nil {
		l.observer.Decided(d)
	}
	return l.overfitted(ctx, d)
}

// overfitted ends the loop, or goes back, after a version became active that gains less on the holdout tasks.
func (l *loop) overfitted(ctx context.Context, d answer.Decision) error {
	if !d.Measured.Overfits() || d.HeadNow != d.Child {
		return nil
	}
	lineage, err := lineages.Load(ctx, l.store.Reader, l.options.Lineage)
	if err != nil {
		return err
	}
	reason := fmt.Sprintf("%s overfits: it gains %.3g points on the tasks that decide, and %.3g on the holdout tasks", d.Child, d.Measured.Gain.Mean, d.Measured.Holdout.Mean)
	switch lineage.Settings.Overfit {
	case evolution.OverfitIgnore:
		l.notice("%s", reason)
		return nil
	case evolution.OverfitRollback:
		r, err := lineages.RollBack(ctx, l.store, answer.RollbackQuestion{Lineage: l.options.Lineage, To: d.Parent, Reason: reason})
		if err != nil {
			return err
		}
		if l.result.NRollbacks++; l.observer.RolledBack != nil {
			l.observer.RolledBack(r)
		}
		return nil
	}
	l.end(answer.EvolveStopped, reason)
	return nil
}

func (l *loop) rollBack(ctx context.Context) error {
	r, err := lineages.RollBack(ctx, l.store, answer.RollbackQuestion{Lineage: l.options.Lineage, IfTriggered: true})
	if err != nil || !r.RolledBack {
		return err
	}
	if l.result.NRollbacks++; l.observer.RolledBack != nil {
		l.observer.RolledBack(r)
	}
	return nil
}

// isStill reports whether a step is still the next one, after it was claimed.
func (l *loop) isStill(ctx context.Context, step answer.Next) (bool, error) {
	now, err := lineages.NextAction(ctx, l.store, answer.NextQuestion{Lineage: l.options.Lineage, DryRun: true})
	return err == nil && now.Action == step.Action && now.Head == step.Head && now.Considered != nil && now.Considered.Number == step.Considered.Number, err
}

// mutations counts the mutations of the lineage.
func (l *loop) mutations(ctx context.Context) (n int, err error) {
	err = l.store.Snapshot(ctx, func(r *store.Reader) error {
		n, err = r.NMutations(ctx, l.evolving)
		return err
	})
	return n, err
}
