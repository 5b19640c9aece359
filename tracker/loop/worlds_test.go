package loop

import (
	"context"
	cryptorand "crypto/rand"
	"fmt"
	"hash/fnv"
	"math"
	"math/rand/v2"
	"strconv"
	"strings"
	"testing"
	"time"

	"track"
	"track/answer"
	"track/evolution"
	"track/internal/lineagetest"
	"track/internal/testdb"
	"track/tracker/lineages"
)

// world is an evaluator whose truth is known. The content of a version ends with a line that says what it gains, and on
// what share of the tasks it crashes.
type world struct {
	tasks   int
	sorted  bool    // easy tasks first
	sd      float64 // of one trial
	held    int     // so many of the tasks never decide, and gain nothing: the last ones
	overfit evolution.OverfitAction
	measure int     // tasks that an accepted child is measured on; 0 for all
	base    float64 // of the hardest task, without any gain
	drift   float64 // points over the whole loop
	trials  int     // so many made the whole drift
	rng     *rand.Rand
	started int
}

func (w *world) names() (list []Task) {
	for i := range w.tasks {
		list = append(list, Task{Name: fmt.Sprintf("t%03d", i+1)})
	}
	return list
}

// difficulty is what a version without any gain scores on a task: up to 20 points above the base.
func (w *world) difficulty(task string) float64 {
	n, _ := strconv.Atoi(strings.TrimLeft(task[1:], "0"))
	if w.sorted {
		return w.base + 20 - 20*float64(n)/float64(w.tasks)
	}
	return w.base + 20*share("difficulty", task)
}

// share is a fixed number from 0 to 1.
func share(parts ...string) float64 {
	h := fnv.New64a()
	for _, p := range parts {
		_, _ = h.Write([]byte(p + "\x00"))
	}
	return rand.New(rand.NewPCG(h.Sum64(), 1)).Float64()
}

// effect is what the content of a version says: its gain, and the share of the tasks on which it crashes.
func effect(content string) (gain, crash float64, name string) {
	last := content[strings.LastIndex(content, "\n")+1:]
	if _, err := fmt.Sscanf(last, "gain %g crash %g name %s", &gain, &crash, &name); err != nil {
		return 0, 0, ""
	}
	return gain, crash, name
}

func (w *world) score(content, task string) *float64 {
	gain, crash, name := effect(content)
	if w.crashes(crash, name, task) {
		return nil
	}
	w.started++
	moved := w.drift * min(1, float64(w.started)/float64(w.trials))
	if w.isHeld(task) {
		gain = 0
	}
	x := w.difficulty(task) + gain + moved + w.sd*w.rng.NormFloat64()
	x = math.Min(100, math.Max(0, x))
	return &x
}

func (w *world) isHeld(task string) bool {
	n, _ := strconv.Atoi(strings.TrimLeft(task[1:], "0"))
	return n > w.tasks-w.held
}

// crashes reports whether a version crashes on a task: on exactly that share of the tasks, which its name chooses.
func (w *world) crashes(crash float64, name, task string) bool {
	before := 0
	for _, other := range w.names() {
		if share(name, other.Name) < share(name, task) {
			before++
		}
	}
	return before < int(math.Ceil(crash*float64(w.tasks)-1e-9))
}

// child is what a propose command makes of a parent: its gain on top of that of the parent.
type child struct{ gain, crash float64 }

// outcome counts what became of children.
type outcome struct {
	children, accepted, trials int
	result                     answer.Evolved // of the last loop
	decided                    []answer.Decision
	gains, errors              []float64 // measured gain of accepted children, less the true one
	covered                    int
}

// run evolves one lineage with n children, one after the other, each of the version that is active then.
func (w *world) run(t testing.TB, policy string, n, seed int, make func(i int) child, o *outcome) {
	t.Helper()
	text := func(i int, gain, crash float64) string {
		return fmt.Sprintf("Be brief.\nAnswer in order.\ngain %g crash %g name c%d-%d", gain, crash, seed, i)
	}
	st := testdb.NewTicking(t)
	settings := func(s *evolution.Settings) {
		lineagetest.Calm(s)
		s.Policy, s.ScoreFrom, s.Loop.Interval = policy, track.RubricOwn, 1
		p, err := evolution.DefaultPolicy(policy)
		if err != nil {
			t.Fatal(err)
		}
		s.Params, err = evolution.Params(p)
		if err != nil {
			t.Fatal(err)
		}
		s.Rollback = evolution.RollbackRules{ErrorRate: 1}
		s.Loop.MaxPerDay, s.Loop.MaxHighPerDay = 1000, 1000
		s.Overfit = w.overfit
		if w.held > 0 {
			s.Holdout = &evolution.Holdout{}
		}
		for _, task := range w.names() {
			if w.isHeld(task.Name) {
				s.Holdout.Tasks = append(s.Holdout.Tasks, task.Name)
			}
		}
	}
	created := lineages.NewOptions{Name: "l", Subject: "agent", Root: new(string), Settings: evolution.DefaultSettings()}
	*created.Root = text(0, 0, 0)
	s := uint64(seed)
	created.Seed = &s
	settings(&created.Settings)
	if _, _, err := lineages.New(t.Context(), st, created, cryptorand.Reader); err != nil {
		t.Fatal(err)
	}
	l := newLoop(st, cryptorand.Reader, Options{
		answer.EvolveSettings{Lineage: "l", Measured: w.measure, Parallel: 1, MaxFailures: 1000, Budget: evolution.Budget{Mutations: n}}, w.names(),
	}, Observer{})
	contents := map[string]string{}
	content := func(ctx context.Context, version string) string {
		if contents[version] == "" {
			c, err := st.Content(ctx, "l", version)
			if err != nil || c == nil {
				t.Fatal(version, err)
			}
			contents[version] = *c
		}
		return contents[version]
	}
	l.evaluateTrial = func(ctx context.Context, tr trial) (track.Execution, error) {
		e := track.Execution{Lineage: "l", Version: tr.Version, Task: tr.Task, Key: tr.Key, Source: source, Status: track.ExecutionOK, Duration: new(time.Duration)}
		if e.Score = w.score(content(ctx, tr.Version), tr.Task); e.Score == nil {
			e.Status, e.Message = track.ExecutionError, "crashed"
		}
		return e, nil
	}
	made := 0
	l.proposeChild = func(ctx context.Context, step answer.Next, _ int, _ string) (madeChild, string, error) {
		parent, crash, _ := effect(content(ctx, step.Head))
		made++
		c := make(made)
		return madeChild{content: text(made, parent+c.gain, max(crash, c.crash))}, "", nil
	}
	l.observer.Decided = func(d answer.Decision) {
		if d.State == evolution.Continue {
			return
		}
		o.decided = append(o.decided, d)
		o.children++
		if !d.Accepted {
			return
		}
		o.accepted++
		now, _, _ := effect(content(context.Background(), d.Child))
		before, _, _ := effect(content(context.Background(), d.Parent))
		if m := d.Measured; m != nil {
			o.errors = append(o.errors, m.Gain.Mean-(now-before))
			if i := m.Gain.Interval; i != nil && i.Lo <= now-before && now-before <= i.Hi {
				o.covered++
			}
		}
		o.gains = append(o.gains, now-before)
	}
	result, err := l.evolve(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	o.trials, o.result = o.trials+result.NTrials, result
}

// The loop decides by what is true, in worlds that fooled it once: tasks of different difficulty in the order of their
// difficulty, no noise, crashes.
func TestLoopInKnownWorlds(t *testing.T) {
	for name, c := range map[string]struct {
		world  world
		child  child
		accept func(share float64) bool
	}{
		"better, sorted tasks, no noise": {world{tasks: 20, base: 40, sorted: true}, child{gain: 3}, func(x float64) bool { return x == 1 }},
		"worse, sorted tasks, no noise":  {world{tasks: 20, base: 40, sorted: true}, child{gain: -3}, func(x float64) bool { return x == 0 }},
		"crashes on two tasks of five":   {world{tasks: 20, base: 40}, child{gain: 6, crash: 0.4}, func(x float64) bool { return x == 0 }},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w, o := c.world, outcome{}
			w.rng = rand.New(rand.NewPCG(1, 2))
			w.run(t, "confirm", 4, 1, func(int) child { return c.child }, &o)
			if o.children != 4 || !c.accept(float64(o.accepted)/float64(o.children)) {
				t.Errorf("%+v", o)
			}
			for _, e := range o.errors {
				if math.Abs(e) > 1e-6 {
					t.Errorf("a gain without noise is off by %v", e)
				}
			}
		})
	}
}

// A child that gains on the tasks that decide, and nothing on holdout tasks, is shown to overfit: the loop ends, goes
// back or goes on, as set.
func TestLoopFindsOverfitting(t *testing.T) {
	for action, c := range map[evolution.OverfitAction]struct {
		ending    answer.EvolveEnding
		rollbacks int
		head      string
	}{
		evolution.OverfitStop:     {answer.EvolveStopped, 0, "v002"},
		evolution.OverfitRollback: {answer.EvolveBudget, 1, "v001"},
		evolution.OverfitIgnore:   {answer.EvolveBudget, 0, "v002"},
	} {
		t.Run(string(action), func(t *testing.T) {
			t.Parallel()
			w, o := world{tasks: 12, base: 40, held: 4, overfit: action, rng: rand.New(rand.NewPCG(1, 2))}, outcome{}
			w.run(t, "confirm", 1, 1, func(int) child { return child{gain: 6} }, &o)
			if o.accepted != 1 || o.result.Ending != c.ending || o.result.NRollbacks != c.rollbacks || o.result.Head != c.head {
				t.Fatalf("%+v", o.result)
			}
			m := o.decided[0].Measured
			if math.Abs(m.Gain.Mean-6) > 1e-9 || m.Gain.N != 8 || math.Abs(m.Holdout.Mean) > 1e-9 || m.Holdout.N != 4 || !m.Overfits() {
				t.Errorf("%+v", m)
			}
			if c.ending == answer.EvolveStopped && !strings.Contains(o.result.Reason, "v002 overfits: it gains 6 points on the tasks that decide, and 0 on the holdout tasks") {
				t.Error(o.result.Reason)
			}
		})
	}
}

// The gain is measured on as many tasks as the loop is told, and on all holdout tasks.
func TestLoopMeasuresSomeTasks(t *testing.T) {
	w, o := world{tasks: 12, base: 40, measure: 5, rng: rand.New(rand.NewPCG(1, 2))}, outcome{}
	w.run(t, "confirm", 1, 1, func(int) child { return child{gain: 6} }, &o)
	if len(o.decided) != 1 || o.decided[0].Measured.Gain.N != 5 || o.decided[0].Measured.Holdout != nil {
		t.Errorf("%+v", o.decided)
	}
}

// All tasks come round: those that earlier decisions used least come first.
func TestLoopRotatesTasks(t *testing.T) {
	w, o := world{tasks: 20, base: 40, sorted: true, rng: rand.New(rand.NewPCG(1, 2))}, outcome{}
	w.run(t, "confirm", 8, 1, func(int) child { return child{gain: -6} }, &o)
	used := map[string]int{}
	for _, d := range o.decided {
		for _, u := range d.UsedChild {
			used[u.Key]++
		}
	}
	for _, task := range w.names() {
		if n := used[task.Name]; n < 1 || n > 3 {
			t.Errorf("%s decided %d times of %d children", task.Name, n, len(o.decided))
		}
	}
}
