package samebits

import (
	"bytes"
	"crypto/sha256"
	"flag"
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"track/answer"
	"track/evolution"
	"track/scoring"
	"track/scoring/design"
	"track/scoring/effects"
	"track/scoring/rubric"
	"track/scoring/stats"
	"track/scoring/verdict"
)

var update = flag.Bool("update", false, "write the golden file anew")

const golden = "hashes.txt"

// sentences are the texts with a space. They are left out of the hashes: a reworded sentence is no other result.
var sentences = regexp.MustCompile(`"[^" ]* [^"]*"`)

// TestSameBits compares the hashes of many seeded results, one for each group, with the golden file that amd64 wrote.
func TestSameBits(t *testing.T) {
	hashes := map[string]string{}
	for name, results := range groups(t) {
		var b bytes.Buffer
		for _, x := range results {
			if err := answer.Encode(&b, x); err != nil {
				t.Fatalf("%s: %v", name, err)
			}
			b.WriteByte('\n')
		}
		if dir := os.Getenv("SAMEBITS_DIR"); dir != "" { // to see what differs
			if err := os.WriteFile(filepath.Join(dir, name+"."+runtime.GOARCH), b.Bytes(), 0o666); err != nil {
				t.Fatal(err)
			}
		}
		hashes[name] = fmt.Sprintf("%x", sha256.Sum256(sentences.ReplaceAll(b.Bytes(), []byte(`""`))))[:16]
	}
	var text strings.Builder
	for _, name := range slices.Sorted(maps.Keys(hashes)) {
		fmt.Fprintf(&text, "%s %s\n", hashes[name], name)
	}
	path := filepath.Join("testdata", golden)
	if *update {
		if err := os.WriteFile(path, []byte(text.String()), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	for _, line := range strings.Split(strings.TrimSpace(string(want)), "\n") {
		hash, name, _ := strings.Cut(line, " ")
		if hashes[name] != hash {
			t.Errorf("%s on %s: %s, want %s", name, runtime.GOARCH, hashes[name], hash)
		}
		delete(hashes, name)
	}
	for name := range hashes {
		t.Errorf("%s is not in %s", name, path)
	}
}

// groups computes everything that is recorded or decides, from inputs that hold no rounding of their own.
func groups(t *testing.T) map[string][]any {
	g := &generator{t: t, rng: rand.New(rand.NewPCG(1, 2)), out: map[string][]any{}}
	g.scores()
	g.reductions()
	g.intervals()
	g.tests()
	g.plans()
	g.designs()
	g.sequences()
	g.verdicts()
	g.fitness()
	g.decisions()
	return g.out
}

type generator struct {
	t   *testing.T
	rng *rand.Rand
	out map[string][]any
}

// add records results; an error is one too.
func (g *generator) add(name string, results ...any) {
	for _, x := range results {
		if err, ok := x.(error); ok {
			x = err.Error()
		}
		g.out[name] = append(g.out[name], x)
	}
}

// series returns n numbers between lo and hi. Float64 of a generator is exact.
func (g *generator) series(n int, lo, hi float64) []float64 {
	xs := make([]float64, n)
	for i := range xs {
		width := float64(g.rng.Float64() * (hi - lo))
		xs[i] = lo + width
	}
	return xs
}

func (g *generator) targets() []scoring.Target {
	a, b := g.rng.Float64(), g.rng.Float64()
	return []scoring.Target{
		scoring.MeanTolerance{Target: a, Tolerance: b + 0.01}, scoring.MeanTolerance{Target: a, Tolerance: 0.1, Min: &b},
		scoring.Range{Min: min(a, b), Max: max(a, b)}, scoring.PctWithin{Target: max(a, b), Min: min(a, b)},
		scoring.Outlier{MaxOutlier: a / 5, PenaltyWeight: 1 + b}, scoring.Boolean{Threshold: a, Invert: b < 0.5},
	}
}

func (g *generator) scores() {
	for range 300 {
		spec := scoring.Spec{Scenario: "s"}
		for i, target := range g.targets() {
			spec.Metrics = append(spec.Metrics, scoring.Metric{Name: fmt.Sprint("m", i), Weight: 3 * g.rng.Float64(), Target: target})
		}
		var seeds []scoring.Assessment
		var accumulator scoring.Accumulator
		for range 12 {
			values := map[string]float64{}
			for _, m := range spec.Metrics {
				values[m.Name] = g.series(1, -0.2, 1.2)[0]
			}
			a := scoring.Assess(spec, values)
			accumulator.Add(a.TotalScore)
			seeds = append(seeds, a)
			g.add("scores", a)
		}
		g.add("aggregates", scoring.Aggregate(spec, seeds), accumulator.Moments())
	}
}

func (g *generator) reductions() {
	factor, lower, upper := 1.5, -0.5, 0.7
	for i := range 50 {
		xs, ys := g.series(20+i*7, -1, 1.1), g.series(20+i*7, -2, 3)
		find := func(name string) ([]float64, bool) { return map[string][]float64{"x": xs, "y": ys}[name], true }
		for _, reducer := range scoring.Reducers() {
			r := scoring.Reduction{Series: "x", With: "y", Reduce: reducer, Skip: i % 5, Q: 0.37, Lag: 1 + i%3, Min: &lower, Max: &upper}
			value, reason := r.Compute(find)
			g.add("reductions", value, reason)
			r.Min, r.Max, r.IQRFactor, r.DropOutliers = nil, nil, &factor, &factor
			value, _ = r.Compute(find)
			g.add("reductions", value)
		}
	}
}

func (g *generator) intervals() {
	for i := range 60 {
		n := 2 + i%25
		xs, ys := g.series(n, 0, 1), g.series(n, 0, 1)
		for _, c := range []float64{0.8, 0.9, 0.95, 0.99, 0.9987} {
			k := i % (n + 1)
			g.add("intervals", of(stats.NewMean(xs, c)), of(stats.NewSD(xs, c)), of(stats.NewPrediction(xs, c)))
			g.add("proportions", of(stats.Wilson(k, n, c)), of(stats.ClopperPearsonEnds(k, n, c)))
			g.add("binomial", stats.BinomialAtMost(k, n, c))
			g.add("auc", of(stats.NewAUC(xs, ys, c)))
		}
		g.add("summaries", of(stats.Summarize(xs)))
	}
}

func (g *generator) tests() {
	for i := range 40 {
		n := 2 + i
		xs, ys := g.series(n, 0, 1), g.series(n, 0.1, 1.1)
		d, err := stats.Differences(xs, ys)
		g.add("t tests", err, of(stats.WelchT(xs, ys, 0.95)))
		g.add("ranks", of(stats.NewMannWhitney(xs, ys)))
		g.add("flips", of(stats.SignFlip(d, 7)), of(stats.SignFlipJointly([][]float64{d, xs}, 7)))
		g.add("effects", of(stats.NewEffect(xs, ys, stats.EffectDz)), of(stats.NewProbImprovement(xs, ys, 0.95)))
		g.add("multiplicity", of(stats.Holm(xs, 0.05)))
	}
}

func (g *generator) plans() {
	for i := range 12 {
		d := stats.Design{Alpha: 0.05, Alternative: stats.TwoSided}
		xs := g.series(6+i, -0.1, 0.2)
		g.add("power", of(d.DetectableDz(6+i, 0.8)), of(d.SeedsFromPilot(xs, 0.05, 0.8)))
	}
}

func (g *generator) sequences() {
	for i := range 10 {
		xs, d := g.series(10+5*i, 0, 1), g.series(10+5*i, -1, 1.2)
		g.add("betting", of(stats.BettingInterval(xs, 0.95)), of(stats.MeanAtLeast(xs, 0.95)), of(stats.MeanAtMost(xs, 0.95)))
		g.add("e-values", of(stats.SymmetricEValue(d)))
		steps := append(g.series(15+i, 0, 1), g.series(15, 1.5, 2.5)...)
		g.add("change points", of(stats.NewHistory(steps, stats.HistoryMaxP, 3)))
		means := make([]stats.SampleMean, 5+i)
		for k := range means {
			means[k] = stats.SampleMean{N: 2 + 9*(k%3), Mean: xs[k], SD: xs[k+1] / 4}
		}
		g.add("next mean", of(stats.PredictMean(means, 1+2*i, 0.95)))
	}
}

func (g *generator) seeds(n, metrics int, lo, hi float64) []verdict.JudgedSeed {
	list := make([]verdict.JudgedSeed, n)
	for i := range list {
		scores := g.series(metrics, lo, hi)
		total := 0.0
		for _, x := range scores {
			total += x / float64(metrics)
		}
		list[i] = verdict.JudgedSeed{Number: uint64(i), Passed: i%9 != 0, Total: total, Scores: scores}
		if i%11 == 10 {
			list[i] = verdict.JudgedSeed{Number: uint64(i), Failed: "error"}
		}
	}
	return list
}

func (g *generator) verdicts() {
	spec := scoring.Spec{Scenario: "s"}
	for i := range 4 {
		spec.Metrics = append(spec.Metrics, scoring.Metric{Name: fmt.Sprint("m", i), Weight: 1 + float64(i)/2, Target: scoring.Range{Max: 1}})
	}
	least, most := 0.6, 0.2
	for i := range 12 {
		n := 4 + 3*i
		candidate, baseline := g.seeds(n, 4, 0.3, 1), g.seeds(n, 4, 0.2, 0.95)
		for _, look := range []verdict.Look{{}, {Plan: []int{n, n + 5}}, {Anytime: true}} {
			improvement, err := verdict.Compare(spec, candidate, baseline, verdict.Options{Confidence: 0.95, Margin: 0.01, Base: 0.25, Look: look})
			g.add("improvement", err, improvement)
			var scores []float64
			passed := 0
			for _, s := range candidate {
				if s.Failed == "" {
					scores = append(scores, s.Total)
				}
				if s.Passed {
					passed++
				}
			}
			totals := scoring.SeedTotals{NSeeds: n, NPassed: passed, NOK: len(scores), Score: scoring.NewMoments(scores)}
			values := scoring.MetricTotals{NNotFailed: passed, Value: totals.Score, Score: totals.Score}
			stability := scoring.NewStability(spec, totals, []scoring.MetricTotals{values, values, values, values})
			g.add("judgement", verdict.Judge(stability, verdict.Coverage{}, 0.95))
			gate, err := verdict.NewGate([]verdict.GateInput{{
				Rules: scoring.GateRules{MinPassRate: &least, Stable: true, MaxStd: &most, MinScore: &least, NoDegradation: true},
				Look:  look, Stability: stability, Seeds: candidate, Improvement: &improvement,
			}})
			g.add("gate", err, gate)
		}
	}
	g.add("noise", of(verdict.NewNoise(spec, g.seeds(12, 4, 0.3, 1), verdict.NoiseOptions{
		Rules: scoring.GateRules{MinScore: &least}, Comparison: verdict.Options{Confidence: 0.95, Base: 0.25}, Resamples: 40, Seed: 5, Sizes: []int{5, 20},
	})))
}

func (g *generator) fitness() {
	for i := range 30 {
		var list []rubric.ScoredExecution
		for k, x := range g.series(3+i, 0, 100) {
			list = append(list, rubric.ScoredExecution{ID: fmt.Sprint(k), Score: rubric.Score{Rubric: "rubric/2", Value: x, Defined: true}})
		}
		g.add("fitness", of(rubric.Fitness(list, rubric.FitnessOptions{})))
	}
}

func (g *generator) decisions() {
	epoch := time.Date(2026, 11, 1, 12, 0, 0, 0, time.UTC)
	trials := func(side string, n int, lo, hi float64) []evolution.Trial {
		list := make([]evolution.Trial, n)
		for i, x := range g.series(n, lo, hi) {
			x = math.Round(x*100) / 100
			list[i] = evolution.Trial{ID: fmt.Sprintf("%s%03d", side, i), Key: fmt.Sprint("k", i), At: epoch.Add(time.Duration(i) * time.Minute), Score: &x}
		}
		return list
	}
	for i := range 25 {
		spread := 2 + 20*g.rng.Float64()
		e := evolution.Evidence{Child: trials("c", 3+i, 60, 60+spread), Parent: trials("p", 4+i, 58, 58+spread)}
		draw := evolution.NewDraw(evolution.DrawKey{Seed: uint64(i), Lineage: "l", Mutation: "m", Label: evolution.LabelExplore})
		g.add("draws", draw)
		for _, name := range evolution.Policies() {
			p, err := evolution.DefaultPolicy(name)
			if err != nil {
				g.t.Fatal(err)
			}
			decision, err := evolution.Decide(p, e, draw)
			g.add("decisions "+name, err, decision)
		}
	}
	for i := range 50 {
		histories := evolution.Histories{}
		for k, o := range evolution.DefaultOperators() {
			histories[o.Name] = evolution.OperatorHistory{Uses: k, Improved: k%2 == 0, AvgDelta: g.series(1, -5, 9)[0], Accepted: k / 2, Success: float64(k) / 3}
		}
		draw := evolution.NewDraw(evolution.DrawKey{Seed: uint64(i), Lineage: "l", Mutation: "m", Label: evolution.LabelOperator})
		for _, rule := range evolution.OperatorRules() {
			g.add("operators "+rule, of(evolution.ChooseOperator(evolution.OperatorRule(rule), evolution.DefaultOperators(), evolution.Signals{}, histories, draw)))
		}
	}
}

// of returns a result, or its error.
func of[T any](x T, err error) any {
	if err != nil {
		return err.Error()
	}
	return x
}

// designs adds designs of experiments, effects of parameters, and the convergence of series. They come from a generator
// of their own.
func (g *generator) designs() {
	own := &generator{t: g.t, rng: rand.New(rand.NewPCG(17, 18)), out: g.out}
	var parameters []design.Parameter
	for _, text := range []string{"a=8:14", "b=1e-4:1e-1:log", "c=1:40:int", "d=x,y"} {
		p, err := design.ParseParameter(text)
		if err != nil {
			g.t.Fatal(err)
		}
		parameters = append(parameters, p)
	}
	for _, method := range design.Methods() {
		d, err := design.New(design.Method(method), parameters, 6, 5)
		own.add("designs", d.Points, err)
	}
	for range 20 {
		var list []effects.Configuration
		for range 12 {
			x := own.series(6, 0, 1)
			c := effects.Configuration{Values: []effects.Value{{Text: fmt.Sprint(x[0]), Number: x[0]}, {Text: fmt.Sprint(x[1] < 0.5), IsText: true}}}
			for s, v := range x[2:] {
				c.Outcomes = append(c.Outcomes, effects.Outcome{Seed: uint64(s), Value: v + float64(x[0]*0.3)})
			}
			list = append(list, c)
		}
		a, err := effects.Analyse([]string{"a", "d"}, list, effects.Options{Confidence: 0.95})
		own.add("parameters", a, err)
		c, err := stats.NewConvergence(own.series(120, 0, 1))
		own.add("convergence", c, err)
		over, n := stats.DriftOverSeeds([][]float64{own.series(40, 0, 1), own.series(40, 0, 1), own.series(40, 0, 1)})
		own.add("convergence", over, n)
	}
}
