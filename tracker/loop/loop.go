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
	Lineage     string
	Propose     string // line of shell
	Evaluate    string // line of shell
	Tasks       []Task // nil for numbers
	Measured    int    // tasks that an accepted child is measured on; 0 for all
	Parallel    int
	Timeout     time.Duration // of each run of a command; 0 for none
	Retries     int           // runs of propose after one that made no child
	MaxFailures int           // trials in a row without a score
	Budget      evolution.Budget
	Until       evolution.Until
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
