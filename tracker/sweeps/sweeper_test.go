package sweeps_test

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"maps"
	"math"
	mathrand "math/rand/v2"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"track"
	"track/answer"
	"track/internal/property"
	"track/internal/testdb"
	"track/internal/trackertest"
	"track/scoring"
	"track/scoring/verdict"
	"track/store"
	"track/sweep"
	"track/tracker/seeds"
	"track/tracker/sweeps"
)

// simulator runs jobs of a sweep: a value for each seed of each configuration, without a process.
type simulator struct {
	mutex sync.Mutex
	ran   map[string][]track.SeedNumber // by parameters, in the order in which they began
	seed  func(j sweep.Job, again int) track.Seed
}

// noisy is a value of a that looks random from 0 to 1, and is the same each time.
func noisy(j sweep.Job) float64 {
	random := mathrand.New(mathrand.NewPCG(uint64(j.Seed), uint64(len(j.Configuration.Params))+uint64(j.Configuration.Hash()[0])))
	return random.Float64()
}

func newSimulator(value func(j sweep.Job) float64) *simulator {
	return &simulator{ran: map[string][]track.SeedNumber{}, seed: func(j sweep.Job, _ int) track.Seed {
		return measured(j, value(j))
	}}
}

// measured is a seed that ran well.
func measured(j sweep.Job, a float64) track.Seed {
	s := trackertest.Seed(j.Scenario, j.Seed, map[string]float64{"a": a})
	s.Configuration, s.Run = j.Configuration, &track.Run{Attempts: 1, ExitCode: new(int)}
	return s
}

func failedRun(j sweep.Job) track.Seed {
	s := measured(j, 0)
	s.Outcome, s.Message, s.Values = track.OutcomeError, "why", nil
	return s
}

func (m *simulator) run(_ context.Context, j sweep.Job) (track.Seed, error) {
	m.mutex.Lock()
	params := string(j.Configuration.Params.JSON())
	again := 0
	for _, n := range m.ran[params] {
		if n == j.Seed {
			again++
		}
	}
	m.ran[params] = append(m.ran[params], j.Seed)
	m.mutex.Unlock()
	return m.seed(j, again), nil
}

func (m *simulator) numbers(params string) []track.SeedNumber {
	list := slices.Clone(m.ran[params])
	slices.Sort(list)
	return list
}

func upTo(n int) track.SeedRanges {
	return track.SeedRanges{{Last: track.SeedNumber(n - 1)}}
}

func sweepPlan(t testing.TB, n int, params ...string) sweep.Plan {
	t.Helper()
	list, err := sweep.Grid(nil, params)
	if err != nil {
		t.Fatal(err)
	}
	return sweep.Plan{Scenario: "s", Command: []string{"sim", "{seed}"}, Grid: list, Seeds: upTo(n)}
}

// swept is what became of a sweep, and what it told while it ran.
type swept struct {
	answer.SweepResult
	last      sweeps.Progress
	differing []sweeps.SweptSeed
}

// sweeps runs a plan to its end.
func (m *simulator) sweeps(t testing.TB, st *store.Store, o sweeps.Options) (s swept) {
	t.Helper()
	if o.Jobs == 0 {
		o.Jobs = 2
	}
	observer := sweeps.Observer{
		Planned: func(p sweeps.Progress) { s.last = p },
		Finished: func(seed sweeps.SweptSeed, p sweeps.Progress) {
			if s.last = p; len(seed.Differences) > 0 {
				s.differing = append(s.differing, seed)
			}
		},
	}
	var err error
	if s.SweepResult, err = sweeps.NewSweeper(st, rand.Reader, m.run, o, observer).Sweep(t.Context(), nil); err != nil {
		t.Fatal(err)
	}
	return s
}

func wantNumbers(t testing.TB, what string, got []track.SeedNumber, want track.SeedRanges) {
	t.Helper()
	slices.Sort(got)
	if all := slices.Collect(want.All()); !slices.Equal(got, all) {
		t.Errorf("%s: %v, want %s", what, got, want)
	}
}

func TestSweepResumes(t *testing.T) {
	st := testdb.New(t)
	trackertest.AddSpec(t, st, trackertest.Ranges("s", [2]float64{0, 1}))
	m := newSimulator(noisy)
	trackertest.Record(t, st, seeds.Options{}, trackertest.Seed("s", 3, map[string]float64{"a": 0.5, "extra": 1}))
	first := m.sweeps(t, st, sweeps.Options{Plan: sweepPlan(t, 6)})
	wantNumbers(t, "ran", m.numbers("{}"), track.SeedRanges{{First: 0, Last: 2}, {First: 4, Last: 5}})
	if p := first.last; p != (sweeps.Progress{NPlanned: 6, NKnown: 1, NRound: 5, NRan: 5, NScored: 5, NPassed: 5}) || first.Ending != track.SweepFinished {
		t.Errorf("%+v, %s", p, first.Ending)
	}
	run, err := st.Run(t.Context(), trackertest.Find(t, st, "s", 5).ID)
	if err != nil || run == nil || run.Sweep != first.ID {
		t.Errorf("%+v, error %v", run, err)
	}
	second := m.sweeps(t, st, sweeps.Options{Plan: sweepPlan(t, 10, "p=1,2")})
	wantNumbers(t, "ran of other parameters", m.numbers(`{"p":1}`), upTo(10))
	if second.NRan != 20 || second.NKnown != 0 || len(second.Configurations) != 2 || second.Configurations[1].NSeeds != 10 {
		t.Errorf("%+v", second)
	}
	third := m.sweeps(t, st, sweeps.Options{Plan: sweepPlan(t, 10, "p=1,2")})
	if third.NRan != 0 || third.NKnown != 20 || third.Ending != track.SweepFinished || third.ID == second.ID {
		t.Errorf("%+v", third)
	}
	list, err := st.Sweeps(t.Context(), store.SweepFilter{})
	if err != nil || len(list) != 3 {
		t.Fatalf("%d sweeps, error %v", len(list), err)
	}
	for _, s := range list {
		if s.Ending != track.SweepFinished || s.EndedAt.IsZero() {
			t.Errorf("%+v", s)
		}
	}
}

func hasWarning(list []verdict.Warning, code string) bool {
	return slices.ContainsFunc(list, func(w verdict.Warning) bool { return w.Code == code })
}

// gateOfRuns lets runs go on one by one: each says that it began, and waits.
type gateOfRuns struct {
	*simulator
	began chan *heldRun
}

type heldRun struct {
	sweep.Job
	goOn chan struct{}
}

func (g *gateOfRuns) run(ctx context.Context, j sweep.Job) (track.Seed, error) {
	held := &heldRun{j, make(chan struct{})}
	g.began <- held
	select {
	case <-held.goOn:
	case <-ctx.Done():
		return track.Seed{}, context.Cause(ctx)
	}
	return g.simulator.run(ctx, j)
}

// Who stops a sweep gets what runs, and nothing that waited.
func TestSweepStopped(t *testing.T) {
	for jobs := 1; jobs <= 3; jobs++ {
		st := testdb.New(t)
		g := &gateOfRuns{newSimulator(noisy), make(chan *heldRun)}
		stop := make(chan struct{})
		type result struct {
			answer.SweepResult
			error
		}
		answered := make(chan result)
		stopping := make(chan struct{})
		go func() {
			summary, err := sweeps.NewSweeper(st, rand.Reader, g.run, sweeps.Options{Plan: sweepPlan(t, 20, "p=1,2"), Jobs: jobs}, sweeps.Observer{}).Sweep(t.Context(), stop)
			answered <- result{summary, err}
		}()
		var held []*heldRun
		for range jobs { // all of them are at work
			held = append(held, <-g.began)
		}
		close(held[0].goOn)
		held[0] = <-g.began
		close(stop)
		go func() {
			for h := range g.began {
				t.Errorf("%d jobs: seed %s began after the end", jobs, h.Seed)
				close(h.goOn)
			}
			close(stopping)
		}()
		for range 100 { // whoever waits for the stop may hear of it first
			runtime.Gosched()
		}
		for _, h := range held {
			close(h.goOn)
		}
		a := <-answered
		close(g.began)
		<-stopping
		if a.error != nil || a.Ending != track.SweepInterrupted || a.NRan != jobs+1 || len(trackertest.Numbers(t, st, "s")) != jobs+1 {
			t.Errorf("%d jobs: %v, %s, %d ran, %v recorded", jobs, a.error, a.Ending, a.NRan, trackertest.Numbers(t, st, "s"))
		}
		m := newSimulator(noisy)
		if again := m.sweeps(t, st, sweeps.Options{Plan: sweepPlan(t, 20, "p=1,2")}); again.NRan != 40-jobs-1 || again.NKnown != jobs+1 {
			t.Errorf("%d jobs: %d ran, %d known", jobs, again.NRan, again.NKnown)
		}
	}
}

// The end of the context ends what runs, and nothing of it is recorded.
func TestSweepKilled(t *testing.T) {
	st := testdb.New(t)
	g := &gateOfRuns{newSimulator(noisy), make(chan *heldRun)}
	ctx, cancel := context.WithCancel(t.Context())
	type result struct {
		answer.SweepResult
		error
	}
	answered := make(chan result)
	go func() {
		summary, err := sweeps.NewSweeper(st, rand.Reader, g.run, sweeps.Options{Plan: sweepPlan(t, 20), Jobs: 2}, sweeps.Observer{}).Sweep(ctx, nil)
		answered <- result{summary, err}
	}()
	first, second := <-g.began, <-g.began
	close(first.goOn)
	<-g.began // so the first is recorded, or will be
	cancel()
	a := <-answered
	if a.error != nil || a.Ending != track.SweepInterrupted || a.NRan > 1 || slices.Contains(trackertest.Numbers(t, st, "s"), second.Seed) {
		t.Errorf("%v, %s, %d ran, %v recorded", a.error, a.Ending, a.NRan, trackertest.Numbers(t, st, "s"))
	}
	list, err := st.Sweeps(t.Context(), store.SweepFilter{})
	if err != nil || len(list) != 1 || list[0].Ending != track.SweepInterrupted || list[0].Planned[0].Seeds.Len() != 20 {
		t.Errorf("%+v, error %v", list, err)
	}
}

// An error of the machine ends the sweep, and what ran before is recorded.
func TestSweepBroken(t *testing.T) {
	st := testdb.New(t)
	broken := errors.New("no space left")
	m := newSimulator(noisy)
	run := func(ctx context.Context, j sweep.Job) (track.Seed, error) {
		if j.Seed == 5 {
			return track.Seed{}, broken
		}
		return m.run(ctx, j)
	}
	summary, err := sweeps.NewSweeper(st, rand.Reader, run, sweeps.Options{Plan: sweepPlan(t, 100), Jobs: 1}, sweeps.Observer{}).Sweep(t.Context(), nil)
	if !errors.Is(err, broken) || !strings.Contains(err.Error(), "seed 5") || summary.Ending != track.SweepInterrupted || summary.NRan < 5 || summary.NRan > 7 {
		t.Errorf("%v, %+v", err, summary)
	}
}

// shuffled lets runs end in an order that is drawn.
func shuffled(m *simulator, random *mathrand.Rand) (run func(context.Context, sweep.Job) (track.Seed, error), end func()) {
	g := &gateOfRuns{m, make(chan *heldRun)}
	done, ended := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(ended)
		var held []*heldRun
		for {
			if len(held) == 0 {
				select {
				case h := <-g.began:
					held = append(held, h)
				case <-done:
					return
				}
			}
			for range random.IntN(4) {
				runtime.Gosched()
				select {
				case h := <-g.began:
					held = append(held, h)
				default:
				}
			}
			i := random.IntN(len(held))
			close(held[i].goOn)
			held = slices.Delete(held, i, i+1)
		}
	}()
	return g.run, func() { close(done); <-ended }
}

// A rule ends a sweep at the same seed, however many run at a time and in whichever order they end.
func TestStopRuleKnowsNoOrder(t *testing.T) {
	minScore := 0.7
	rules := map[string]func() *sweeps.StopRule{
		"se": func() *sweeps.StopRule {
			return &sweeps.StopRule{Precision: &sweeps.Precision{Of: sweeps.PrecisionSE, Less: 0.018}}
		},
		"pass_width": func() *sweeps.StopRule {
			return &sweeps.StopRule{Precision: &sweeps.Precision{Of: sweeps.PrecisionPassWidth, Less: 0.18}}
		},
		"gate": func() *sweeps.StopRule { return &sweeps.StopRule{Rules: scoring.GateRules{MinScore: &minScore}} },
		"looks": func() *sweeps.StopRule {
			return &sweeps.StopRule{Rules: scoring.GateRules{MinScore: &minScore}, Looks: []int{10, 25, 60}}
		},
	}
	names := slices.Sorted(maps.Keys(rules))
	const n = 60
	type end struct {
		Params  string
		Planned string
		N       int
		Reason  string
	}
	ends := func(s answer.SweepResult) (list []end) {
		for _, c := range s.Configurations {
			e := end{Params: string(c.Params), Planned: c.Planned}
			if c.Decision != nil {
				e.N, e.Reason = c.Decision.N, c.Decision.Reason
			}
			list = append(list, e)
		}
		return list
	}
	value := func(j sweep.Job) float64 {
		if strings.Contains(string(j.Configuration.Params), "1") {
			return noisy(j) * 1.2 // some of them are out of range
		}
		return noisy(j)
	}
	options := func(t testing.TB, name string, jobs int) sweeps.Options {
		return sweeps.Options{Plan: sweepPlan(t, n, "p=1,2"), Jobs: jobs, Until: rules[name]()}
	}
	want := map[string][]end{}
	for _, name := range names {
		st := testdb.New(t)
		trackertest.AddSpec(t, st, trackertest.Ranges("s", [2]float64{0, 1}))
		want[name] = ends(newSimulator(value).sweeps(t, st, options(t, name, 1)).SweepResult)
		t.Logf("%s: %+v", name, want[name])
		if first := want[name][0]; first.N == 0 || first.N == n {
			t.Errorf("%s decides nothing, or all: %+v", name, want[name])
		}
	}
	property.Check(t, func(r *rapid.T) {
		name := rapid.SampledFrom(names).Draw(r, "rule")
		jobs := rapid.IntRange(1, 8).Draw(r, "jobs")
		random := mathrand.New(mathrand.NewPCG(rapid.Uint64().Draw(r, "order"), 1))
		st := testdb.New(t)
		trackertest.AddSpec(t, st, trackertest.Ranges("s", [2]float64{0, 1}))
		for range random.IntN(15) { // some seeds are there before
			j := sweep.Job{Scenario: "s", Seed: track.SeedNumber(random.IntN(n)), Configuration: options(t, name, jobs).Plan.Configurations()[random.IntN(2)]}
			trackertest.Record(t, st, seeds.Options{}, measured(j, value(j)))
		}
		run, stop := shuffled(newSimulator(value), random)
		defer stop()
		summary, err := sweeps.NewSweeper(st, rand.Reader, run, options(t, name, jobs), sweeps.Observer{}).Sweep(t.Context(), nil)
		if err != nil {
			r.Fatal(err)
		}
		if diff := cmp.Diff(want[name], ends(summary)); diff != "" {
			r.Errorf("%s with %d jobs (-want +got):\n%s", name, jobs, diff)
		}
	})
}

func TestParsePrecision(t *testing.T) {
	for text, want := range map[string]sweeps.Precision{
		"se<0.01": {Of: sweeps.PrecisionSE, Less: 0.01}, " width < 5e-2 ": {Of: sweeps.PrecisionWidth, Less: 0.05}, "pass_width<0.1": {Of: sweeps.PrecisionPassWidth, Less: 0.1},
	} {
		if got, err := sweeps.ParsePrecision(text); err != nil || *got != want {
			t.Errorf("%q: %+v, error %v, want %+v", text, got, err, want)
		}
	}
	for _, text := range []string{"", "se", "se<", "se<0", "se<-1", "se<NaN", "se<Inf", "se>0.01", "sd<0.01", "se<=0.01", "se<0.01<1"} {
		if got, err := sweeps.ParsePrecision(text); err == nil {
			t.Errorf("%q: %+v", text, got)
		}
	}
}

// A sweep that was cut short under a rule, and then decided, lacks nothing.
func TestStopRuleAfterInterruption(t *testing.T) {
	st := testdb.New(t)
	trackertest.AddSpec(t, st, trackertest.Ranges("s", [2]float64{0, 1}))
	stop := make(chan struct{})
	m := newSimulator(noisy)
	run := func(ctx context.Context, j sweep.Job) (track.Seed, error) {
		if j.Seed == 4 {
			close(stop)
		}
		return m.run(ctx, j)
	}
	options := sweeps.Options{Plan: sweepPlan(t, 1000), Jobs: 1, Until: &sweeps.StopRule{Precision: &sweeps.Precision{Of: sweeps.PrecisionSE, Less: 0.06}}}
	options.Plan.Until = "se<0.06"
	first, err := sweeps.NewSweeper(st, rand.Reader, run, options, sweeps.Observer{}).Sweep(t.Context(), stop)
	if err != nil || first.Ending != track.SweepInterrupted {
		t.Fatalf("%+v, error %v", first, err)
	}
	if c := coverage(t, st, nil); c.NPlanned != 1000 || c.NMissing != 1000-first.NRan {
		t.Errorf("before: %+v", c)
	}
	second := m.sweeps(t, st, options)
	if n := second.Configurations[0].NPlanned; second.Ending != track.SweepDecided || n >= 100 {
		t.Fatalf("%+v", second)
	} else if c := coverage(t, st, nil); c.NPlanned != n || c.NMissing != 0 {
		t.Errorf("after: %+v, want %d planned", c, n)
	}
	// What another plan asks for is missing until it is there.
	options.Plan.Seeds, options.Plan.Until, options.Until = upTo(200), "", nil
	closed := make(chan struct{})
	close(closed)
	if _, err := sweeps.NewSweeper(st, rand.Reader, m.run, options, sweeps.Observer{}).Sweep(t.Context(), closed); err != nil {
		t.Fatal(err)
	}
	if c := coverage(t, st, nil); c.NPlanned != 200 || c.NMissing == 0 {
		t.Errorf("of another plan: %+v", c)
	}
}

// coverage is what stability says of the seeds of scenario s, of all or of some.
func coverage(t testing.TB, st *store.Store, ranges track.SeedRanges) verdict.Coverage {
	t.Helper()
	return sweptStability(t, st, ranges).Coverage
}

func sweptStability(t testing.TB, st *store.Store, ranges track.SeedRanges) seeds.StabilityReport {
	t.Helper()
	r, err := seeds.Stability(t.Context(), st.Reader, answer.Selector{Scenario: "s"}, seeds.StabilityOptions{Seeds: ranges})
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// Halving runs the seeds of each tier, of the best configurations of the tier before.
func TestHalving(t *testing.T) {
	st := testdb.New(t)
	trackertest.AddSpec(t, st, trackertest.Ranges("s", [2]float64{0, 1}))
	quality := map[string]float64{`{"p":1}`: 0.2, `{"p":2}`: 0.9, `{"p":3}`: 0.5, `{"p":4}`: 0.5, `{"p":5}`: 0}
	m := newSimulator(nil)
	m.seed = func(j sweep.Job, _ int) track.Seed {
		q := quality[string(j.Configuration.Params.JSON())]
		if j.Seed < 10 && float64(j.Seed)/10 >= q { // a share q of the first seeds is well
			return failedRun(j)
		}
		return measured(j, 0.5)
	}
	options := sweeps.Options{Plan: sweepPlan(t, 100, "p=1,2,3,4,5"), Jobs: 3}
	options.Plan.Halving = []sweep.Tier{{Configurations: 5, Seeds: 10}, {Configurations: 3, Seeds: 20}, {Configurations: 1, Seeds: 30}}
	s := m.sweeps(t, st, options)
	for params, want := range map[string]int{`{"p":1}`: 10, `{"p":2}`: 30, `{"p":3}`: 20, `{"p":4}`: 20, `{"p":5}`: 10} {
		wantNumbers(t, params, m.numbers(params), upTo(want))
	}
	var ranked [][]string
	params := map[string]track.Params{}
	for _, c := range s.Configurations {
		params[c.Hash] = c.Params
	}
	for _, tier := range s.Halving {
		var names []string
		for _, r := range tier.Ranked {
			names = append(names, string(params[r.Hash]))
			if r.NSeeds != tier.Seeds {
				t.Errorf("%+v", r)
			}
		}
		ranked = append(ranked, names)
	}
	want := [][]string{{`{"p":2}`, `{"p":3}`, `{"p":4}`, `{"p":1}`, `{"p":5}`}, {`{"p":2}`, `{"p":3}`, `{"p":4}`}, {`{"p":2}`}} // of equal ones the first
	if diff := cmp.Diff(want, ranked); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if mean := s.Halving[0].Ranked[0].MeanScore; !trackertest.Near(mean, 0.9*s.Halving[2].Ranked[0].MeanScore/(1-1.0/30)) {
		t.Errorf("a failed seed does not count as 0: %v", mean)
	}
	for i, c := range s.Configurations {
		if c.Dropped != (i != 1) || c.NSeeds != c.NPlanned {
			t.Errorf("%+v", c)
		}
	}
	// Resumed, it comes to the same.
	again := m.sweeps(t, st, options)
	if again.NRan != 0 || !cmp.Equal(again.Halving, s.Halving) {
		t.Errorf("again: %d ran, %+v", again.NRan, again.Halving)
	}
	options.Plan.Scenario = "unknown"
	if _, err := sweeps.NewSweeper(st, rand.Reader, m.run, options, sweeps.Observer{}).Sweep(t.Context(), nil); !errors.Is(err, track.ErrNotFound) {
		t.Errorf("halving without a spec: %v", err)
	}
}

// The seeds that are run again follow from their numbers, and none is run a third time.
func TestRepeatCheck(t *testing.T) {
	m := newSimulator(noisy)
	m.seed = func(j sweep.Job, again int) track.Seed {
		if j.Seed == 7 {
			return failedRun(j)
		}
		return measured(j, noisy(j)+float64(again)*float64(j.Seed%2))
	}
	options := sweeps.Options{Plan: sweepPlan(t, 41)}
	options.Plan.RepeatShare = 0.25
	var chosen []track.SeedNumber
	for round := range 2 {
		st := testdb.New(t)
		trackertest.AddSpec(t, st, trackertest.Ranges("s", [2]float64{0, 1}))
		m.ran = map[string][]track.SeedNumber{}
		options.Jobs = 1 + 4*round
		s := m.sweeps(t, st, options)
		var twice, odd []track.SeedNumber
		for i, n := range m.numbers("{}") {
			if i > 0 && m.numbers("{}")[i-1] == n {
				if twice = append(twice, n); n%2 == 1 {
					odd = append(odd, n)
				}
			}
		}
		if s.NRepeated != 10 || len(twice) != 10 || slices.Contains(twice, 7) || round > 0 && !slices.Equal(twice, chosen) { // of 40 that ran well
			t.Errorf("%d repeated, %v, before %v", s.NRepeated, twice, chosen)
		}
		chosen = twice
		var differing []track.SeedNumber
		for _, d := range s.differing {
			differing = append(differing, d.Seed.Number)
			if len(d.Differences) != 1 || !strings.HasPrefix(d.Differences[0], "a 0.") {
				t.Errorf("%q", d.Differences)
			}
		}
		slices.Sort(differing)
		if !slices.Equal(differing, odd) || len(odd) == 0 || len(odd) == 10 {
			t.Errorf("%v differ, want %v", differing, odd)
		}
		c := coverage(t, st, nil)
		if c.NRepeated != 10 || c.NDiffering != len(odd) || !strings.Contains(c.Differing, fmt.Sprintf("seed %d: a 0.", odd[0])) {
			t.Errorf("%+v", c)
		}
		if r := sweptStability(t, st, nil); !hasWarning(r.Warnings, verdict.WarnNotDeterministic) {
			t.Errorf("%+v", r.Warnings)
		}
		if again := m.sweeps(t, st, options); again.NRepeated != 0 || again.NRan != 0 {
			t.Errorf("again: %d repeated, %d ran", again.NRepeated, again.NRan)
		}
		options.Plan.RepeatShare = 0.5 // those that were repeated count
		if more := m.sweeps(t, st, options); more.NRepeated != 10 {
			t.Errorf("%d more repeated, want 10", more.NRepeated)
		}
		options.Plan.RepeatShare = 0.25
	}
}

// A value that its series contradict makes a failed seed, as the spec says what it is.
func TestSweepContradiction(t *testing.T) {
	st := testdb.New(t)
	spec := trackertest.Ranges("s", [2]float64{0, 10})
	spec.Metrics[0].From = &scoring.Reduction{Series: "x", Reduce: scoring.ReduceMean}
	trackertest.AddSpec(t, st, spec)
	m := newSimulator(nil)
	m.seed = func(j sweep.Job, _ int) track.Seed {
		s := measured(j, 2+float64(j.Seed)) // the mean is 2
		s.Series = []track.Series{{Name: "x", Values: []float64{1, 2, 3}}}
		return s
	}
	s := m.sweeps(t, st, sweeps.Options{Plan: sweepPlan(t, 3)})
	if s.NRan != 3 || s.NFailed != 2 || s.Configurations[0].NFailed != 2 {
		t.Errorf("%+v", s)
	}
	if d := trackertest.Find(t, st, "s", 0); d.Outcome != track.OutcomeOK {
		t.Errorf("%s %s", d.Outcome, d.Message)
	}
	d := trackertest.Find(t, st, "s", 1)
	if d.Outcome != track.OutcomeError || !strings.Contains(d.Message, "a") || !strings.Contains(d.Message, "3") || d.Values["a"] != 3 {
		t.Errorf("%s %s %v", d.Outcome, d.Message, d.Values)
	}
	if again := m.sweeps(t, st, sweeps.Options{Plan: sweepPlan(t, 3)}); again.NRan != 0 {
		t.Errorf("%d ran again", again.NRan)
	}
}

// Failed seeds run again where that is asked for, and the better result takes the place of the other.
func TestRerunFailed(t *testing.T) {
	st := testdb.New(t)
	trackertest.AddSpec(t, st, trackertest.Ranges("s", [2]float64{0, 1}))
	m := newSimulator(nil)
	m.seed = func(j sweep.Job, again int) track.Seed {
		if j.Seed == 3 || j.Seed == 4 && again == 0 {
			return failedRun(j)
		}
		return measured(j, noisy(j))
	}
	options := sweeps.Options{Plan: sweepPlan(t, 6)}
	if s := m.sweeps(t, st, options); s.NFailed != 2 {
		t.Errorf("%+v", s)
	}
	if s := m.sweeps(t, st, options); s.NRan != 0 || s.Configurations[0].NFailed != 2 {
		t.Errorf("%+v", s)
	}
	options.RerunFailed = true
	s := m.sweeps(t, st, options)
	if s.NRan != 2 || s.NKnown != 4 || s.NFailed != 1 || s.Configurations[0].NFailed != 1 || s.NConflicts != 0 {
		t.Errorf("%+v", s)
	}
	if d := trackertest.Find(t, st, "s", 4); d.Outcome != track.OutcomeOK {
		t.Errorf("%s", d.Outcome)
	}
	if got := testdb.Rows(t, st, "SELECT count(*) FROM seed WHERE superseded_at IS NOT NULL"); !cmp.Equal(got, [][]any{{int64(1)}}) {
		t.Errorf("%v superseded, want 1: the other failed alike", got)
	}
	if list, err := st.Sweeps(t.Context(), store.SweepFilter{}); err != nil || list[0].NRuns+list[1].NRuns+list[2].NRuns != 6 {
		t.Errorf("%+v, error %v", list, err)
	}
}

// What somebody recorded while a seed ran stands, and the sweep says so.
func TestSweepConflict(t *testing.T) {
	st := testdb.New(t)
	trackertest.AddSpec(t, st, trackertest.Ranges("s", [2]float64{0, 1}))
	m := newSimulator(noisy)
	run := func(ctx context.Context, j sweep.Job) (track.Seed, error) {
		switch j.Seed {
		case 2: // another value, the same one, and a failure
			trackertest.Record(t, st, seeds.Options{}, trackertest.Seed("s", 2, map[string]float64{"a": 0.125}))
		case 3:
			trackertest.Record(t, st, seeds.Options{}, trackertest.Seed("s", 3, map[string]float64{"a": noisy(j)}))
		case 4:
			trackertest.Record(t, st, seeds.Options{}, track.Seed{Scenario: "s", Number: 4, Outcome: track.OutcomeError})
		}
		return m.run(ctx, j)
	}
	var dispositions []track.Disposition
	observer := sweeps.Observer{Finished: func(s sweeps.SweptSeed, _ sweeps.Progress) {
		dispositions = append(dispositions, s.Result.Disposition)
	}}
	s, err := sweeps.NewSweeper(st, rand.Reader, run, sweeps.Options{Plan: sweepPlan(t, 6), Jobs: 1}, observer).Sweep(t.Context(), nil)
	if err != nil || s.NConflicts != 2 || s.Configurations[0].NSeeds != 6 || s.Configurations[0].NFailed != 1 {
		t.Errorf("%v, %+v", err, s)
	}
	if want := []track.Disposition{track.Recorded, track.Recorded, track.Conflict, track.Duplicate, track.Conflict, track.Recorded}; !slices.Equal(dispositions, want) {
		t.Errorf("%v, want %v", dispositions, want)
	}
	if d := trackertest.Find(t, st, "s", 2); d.Values["a"] != 0.125 {
		t.Errorf("%v", d.Values)
	}
	// A seed that was recorded before its turn came does not run.
	m = newSimulator(noisy)
	run = func(ctx context.Context, j sweep.Job) (track.Seed, error) {
		if j.Seed == 6 {
			trackertest.Record(t, st, seeds.Options{}, track.Seed{Scenario: "s", Number: 15, Outcome: track.OutcomeError})
		}
		return m.run(ctx, j)
	}
	s, err = sweeps.NewSweeper(st, rand.Reader, run, sweeps.Options{Plan: sweepPlan(t, 16), Jobs: 1}, sweeps.Observer{}).Sweep(t.Context(), nil)
	if err != nil || s.NRan != 9 || slices.Contains(m.numbers("{}"), 15) || s.Configurations[0].NSeeds != 16 || s.Configurations[0].NFailed != 2 {
		t.Errorf("%v, %+v, ran %v", err, s, m.numbers("{}"))
	}
}

// Planned seeds that are missing leave every answer open.
func TestPlannedSeedsMissing(t *testing.T) {
	st := testdb.New(t)
	trackertest.AddSpec(t, st, trackertest.Ranges("s", [2]float64{0, 1}))
	m := newSimulator(noisy)
	stop := make(chan struct{})
	run := func(ctx context.Context, j sweep.Job) (track.Seed, error) {
		if j.Seed == 80 {
			close(stop)
		}
		return m.run(ctx, j)
	}
	options := sweeps.Options{Plan: sweepPlan(t, 100), Jobs: 1}
	if _, err := sweeps.NewSweeper(st, rand.Reader, run, options, sweeps.Observer{}).Sweep(t.Context(), stop); err != nil {
		t.Fatal(err)
	}
	minScore := 0.1
	rules := scoring.GateRules{MinScore: &minScore}
	planned := func(list []track.SeedRange) (v scoring.Verdict, rule *verdict.Outcome) {
		t.Helper()
		r, err := seeds.Gate(t.Context(), st.Reader, answer.GateQuestion{Of: []answer.Selector{{Scenario: "s"}}, Rules: rules, Judging: answer.Judging{Seeds: list}}, 0)
		if err != nil {
			t.Fatal(err)
		}
		for _, outcome := range r.Scenarios[0].Outcomes {
			if outcome.Rule == verdict.RulePlanned {
				rule = &outcome
			}
		}
		return r.Verdict, rule
	}
	n := len(trackertest.Numbers(t, st, "s"))
	want := verdict.Coverage{NCommands: 1, NPlanned: 100, NMissing: 100 - n, Missing: fmt.Sprintf("%d..99", n)}
	if r := sweptStability(t, st, nil); r.Coverage != want || r.Finding.Verdict != scoring.VerdictInconclusive || !hasWarning(r.Warnings, verdict.WarnPlannedMissing) {
		t.Errorf("%+v, %+v, %+v", r.Coverage, r.Finding, r.Warnings)
	}
	if v, rule := planned(nil); v != scoring.VerdictInconclusive || rule == nil || rule.Verdict != scoring.VerdictInconclusive || rule.N != n || rule.Reason != verdict.WarnPlannedMissing {
		t.Errorf("%s, %+v", v, rule)
	}
	// Of some seeds those count that were planned among them.
	for _, tt := range []struct {
		ranges track.SeedRanges
		want   verdict.Coverage
	}{
		{upTo(50), verdict.Coverage{NCommands: 1, NPlanned: 50}},
		{track.SeedRanges{{First: 70, Last: 94}}, verdict.Coverage{NCommands: 1, NPlanned: 25, NMissing: 95 - n, Missing: fmt.Sprintf("%d..94", n)}},
		{track.SeedRanges{{First: 0, Last: 9}, {First: 99, Last: 1000}}, verdict.Coverage{NCommands: 1, NPlanned: 11, NMissing: 1, Missing: "99"}},
	} {
		if got := coverage(t, st, tt.ranges); got != tt.want {
			t.Errorf("%s: %+v, want %+v", tt.ranges, got, tt.want)
		}
	}
	if v, rule := planned(upTo(50)); v != scoring.VerdictPass || rule == nil || rule.Verdict != scoring.VerdictPass || rule.N != 50 {
		t.Errorf("%s, %+v", v, rule)
	}
	m.sweeps(t, st, options)
	if c := coverage(t, st, nil); c != (verdict.Coverage{NCommands: 1, NPlanned: 100}) {
		t.Errorf("%+v", c)
	}
	if v, rule := planned(nil); v != scoring.VerdictPass || rule == nil || rule.N != 100 {
		t.Errorf("%s, %+v", v, rule)
	}
	// Seeds that nobody planned are no part of it.
	trackertest.Record(t, st, seeds.Options{}, trackertest.Seed("s", 500, map[string]float64{"a": math.Pi / 4}))
	if c := coverage(t, st, nil); c != (verdict.Coverage{NCommands: 1, NPlanned: 100}) {
		t.Errorf("%+v", c)
	}
	// A withdrawn seed stays planned, and no later sweep shortens the plan.
	for _, n := range []track.SeedNumber{13, 500} {
		withdraw := answer.WithdrawSeedQuestion{Of: answer.Selector{Scenario: "s"}, Seed: n, Change: answer.Change{Reason: "disk full"}}
		if _, err := seeds.WithdrawSeed(t.Context(), st, withdraw); err != nil {
			t.Fatal(err)
		}
	}
	withdrawn := verdict.Coverage{NCommands: 1, NPlanned: 100, NMissing: 1, Missing: "13", NWithdrawn: 2, NMissingWithdrawn: 1}
	if c := coverage(t, st, nil); c != withdrawn {
		t.Errorf("%+v", c)
	}
	if v, rule := planned(nil); v != scoring.VerdictInconclusive || rule == nil || rule.N != 99 || !strings.Contains(rule.Message, "1 of 100 planned seeds missing (13), 1 of them withdrawn") {
		t.Errorf("%s, %+v", v, rule)
	}
	again := m.sweeps(t, st, options)
	if c := again.Configurations[0]; again.NRan != 0 || again.NWithdrawn != 1 || c.NPlanned != 100 || c.NSeeds != 99 || c.NWithdrawn != 1 {
		t.Errorf("%+v", again)
	}
	shown, err := sweeps.Show(t.Context(), st.Reader, answer.SweepQuestion{ID: again.ID})
	if p := shown.Progress; err != nil || p.NPlanned != 100 || p.NLeft != 0 || p.NWithdrawn != 1 || p.NRecorded() != 99 {
		t.Errorf("%+v, %v", p, err)
	}
	if c := coverage(t, st, nil); c != withdrawn {
		t.Errorf("after another sweep: %+v", c)
	}
	trackertest.Record(t, st, seeds.Options{}, track.Seed{
		Scenario: "s", Number: 13, Values: map[string]float64{"a": 0.5}, Configuration: again.Configurations[0].Configuration, Outcome: track.OutcomeOK,
	})
	if c := coverage(t, st, nil); c != (verdict.Coverage{NCommands: 1, NPlanned: 100, NWithdrawn: 1}) {
		t.Errorf("recorded anew: %+v", c)
	}
}

// A plan of one shard is a plan that can be read, whatever its shards.
func TestRecordedPlan(t *testing.T) {
	st := testdb.New(t)
	plan := sweepPlan(t, 3)
	plan.Shards, plan.Env = 3, []string{"PASSWORD=hunter2hunter2"}
	plan.Command = append(plan.Command, "--token=hunter2hunter2")
	shard, err := plan.Shard(2)
	if err != nil {
		t.Fatal(err)
	}
	newSimulator(noisy).sweeps(t, st, sweeps.Options{Plan: shard, Shard: 2})
	list, err := st.Sweeps(t.Context(), store.SweepFilter{})
	if err != nil || len(list) != 1 || list[0].Shard != 2 || list[0].NShards != 3 || list[0].Planned[0].Seeds.String() != "1" {
		t.Fatalf("%+v, error %v", list, err)
	}
	if read, err := sweep.ReadPlan("plan", []byte(list[0].Plan)); err != nil || read.Seeds.String() != "1" || strings.Contains(list[0].Plan, "hunter2") {
		t.Errorf("%s: %v", list[0].Plan, err)
	}
}
