package lineages

import (
	"fmt"
	"math"
	"slices"

	"track/answer"
	"track/evolution"
	"track/scoring/format"
	"track/scoring/stats"
)

// noise tells how much the scores of one version vary, and what that makes of the active policy.
func (v *review) noise() (a answer.LineageNoise) {
	add := func(format string, args ...any) { a.Facts = append(a.Facts, fmt.Sprintf(format, args...)) }
	pieces := v.pieces()
	all, p := pool(whole(pieces)), pool(pieces)
	if len(all.versions) == 0 {
		add("unknown: no version has two scores")
		return a
	}
	parted := p.pieces > 0 && p.df() != all.df()
	what := "pooled over all trials of " + format.Counted(len(all.versions), "version")
	if parted {
		what = fmt.Sprintf("pooled over %s of %s: the trials of each version are split at its acceptance and at rollbacks", format.Counted(p.pieces, "part"), format.Counted(len(p.versions), "version"))
	} else {
		p = all
	}
	if n := len(v.decisions); n > 0 {
		d := v.decisions[n-1]
		add("newest decision alone, on %s: %s", d.Mutation, answer.NoiseText(d.Policy, d.Decision.Noise, v.numbers))
	}
	add("all versions: pooled sd of scores within versions %s, %s", v.sdText(p), what)
	if parted {
		add("pooled sd without the split: %s", v.sdText(all))
	}
	settings := v.lineage.Settings
	policy, err := evolution.ParsePolicy(settings.Policy, settings.Params)
	switch unclear := settings.Scale.CheckPoints(policy); {
	case err != nil || p.sd == 0:
	case unclear != nil:
		add("A/A: unknown, because the lineage does not say how many points one unit of score is; %s has parameters in points", settings.Policy)
	default:
		c := v.conditions(p.sd)
		rate, from := v.falseAccept(policy, c)
		half, _ := evolution.Power(policy, c, p.sd/2)
		one, method := evolution.Power(policy, c, p.sd)
		add("A/A: %s accepts %s of mutations that change nothing: %s", settings.Policy, format.Percent(rate), from)
		add("power: %s accepts %s of mutations that gain half a pooled sd (%s), and %s of those that gain one (%s; %s)",
			settings.Policy, format.Percent(half), v.numbers.Score(p.sd/2), format.Percent(one), v.numbers.Score(p.sd), method)
		if p.df() < fewestDF {
			add("A/A and power are rough: %s with %d degrees of freedom are too few for a precise sd", format.Counted(p.trials, "score"), p.df())
		} else if rate > mostFalse && settings.Scale == nil && !v.isImported() {
			add("the active policy accepts too many mutations that change nothing; recommended: %s, which accepts at most 5%% of them", evolution.Confirm{}.Name())
		}
	}
	a.Moved, a.Uneven = v.moved(), v.uneven(pieces, p.sd)
	return a
}

// A policy is recommended if the sd has fewestDF degrees of freedom, and the active one accepts more than mostFalse of
// what changes nothing.
const (
	fewestDF  = 4
	mostFalse = 0.1
)

// isImported reports whether the lineage is a run of another evolver, whose scores may have another scale.
func (v *review) isImported() bool {
	return slices.ContainsFunc(v.replay.Mutations, func(m evolution.ReplayedMutation) bool { return m.Source != "" })
}

// sdText returns an sd with its interval.
func (v *review) sdText(p pooled) string {
	if i, err := stats.PooledSDInterval(p.sd, p.df(), evolution.Confidence); err == nil && p.sd > 0 {
		return fmt.Sprintf("%s (95%% chi-square interval %s to %s, n = %d, df = %d)", v.numbers.Score(p.sd), v.numbers.Score(i.Lo), v.numbers.Score(i.Hi), p.trials, p.df())
	}
	return fmt.Sprintf("%s (n = %d, df = %d)", v.numbers.Score(p.sd), p.trials, p.df())
}

// falseAccept returns the false-accept rate of the active policy: the median of what its decisions reported, else by a
// formula.
func (v *review) falseAccept(policy evolution.Policy, c evolution.Conditions) (rate float64, from string) {
	var rates []float64
	for _, d := range v.decisions {
		active := d.Policy == v.lineage.Settings.Policy && string(d.Params) == string(v.lineage.Settings.Params)
		if n := d.Decision.Noise; active && d.Decision.State != evolution.Continue && n != nil && n.FalseAccept != nil {
			rates = append(rates, *n.FalseAccept)
		}
	}
	if slices.Sort(rates); len(rates) > 0 {
		return rates[(len(rates)-1)/2], fmt.Sprintf("the median of the rates of its %s, which are from %s to %s", format.Counted(len(rates), "decision"), format.Percent(rates[0]), format.Percent(rates[len(rates)-1]))
	}
	rate, method := evolution.FalseAccept(policy, c)
	return rate, fmt.Sprintf("at this noise and with %d and %d trials, an assumption, since it decided nothing (%s)", c.NChild, c.NParent, method)
}

// conditions returns those of a typical decision: as many trials and pairs as were looked at, and as much of the noise
// shared in a pair, in the middle.
func (v *review) conditions(sd float64) evolution.Conditions {
	c := evolution.Conditions{SD: sd, SDPairs: sd * math.Sqrt2, NChild: 5, NParent: 5, NPairs: 5}
	var child, parent, pairs []int
	var ratios []float64
	for _, d := range v.decisions {
		if d.Decision.State == evolution.Continue {
			continue
		}
		child, parent, pairs = append(child, d.Decision.NChild), append(parent, d.Decision.NParent), append(pairs, max(1, d.Decision.NPairs))
		if n := d.Decision.Noise; n != nil && n.NPairs > 0 && *n.SD > 0 {
			ratios = append(ratios, *n.SDPairs / *n.SD)
		}
	}
	if len(child) > 0 {
		c.NChild, c.NParent, c.NPairs = middle(child), middle(parent), middle(pairs)
	}
	if len(ratios) > 0 {
		c.SDPairs = sd * middle(ratios)
	}
	if c.NChild == c.NParent && c.NPairs == c.NChild && len(ratios) > 0 {
		c = c.Paired(c.NChild)
	}
	return c
}

// middle returns the median of numbers, the lower of two.
func middle[N int | float64](list []N) N {
	sorted := slices.Sorted(slices.Values(list))
	return sorted[(len(sorted)-1)/2]
}

// piece are the scores, in points, of a version from a time at which the world may have changed for it to the next.
type piece struct {
	version string
	scores  []float64
}

// pieces parts the scores of each version at every rollback, and where it was accepted: scores that it was chosen by
// are too high, and a rollback says that something became worse.
func (v *review) pieces() (list []piece) {
	for _, own := range v.versions {
		last := -1
		for _, t := range own.Trials {
			if t.Score == nil || t.Failed != "" {
				continue
			}
			passed := v.turnedBy(t.At)
			for _, d := range v.accepting[own.Name] {
				if !t.At.Before(d.entry.At) {
					passed++
				}
			}
			if passed != last {
				list, last = append(list, piece{version: own.Name}), passed
			}
			p := &list[len(list)-1]
			p.scores = append(p.scores, v.numbers.Scale.Gain(*t.Score))
		}
	}
	return list
}

// whole puts the pieces of each version together.
func whole(pieces []piece) (list []piece) {
	for _, p := range pieces {
		if n := len(list); n > 0 && list[n-1].version == p.version {
			list[n-1].scores = append(list[n-1].scores, p.scores...)
			continue
		}
		list = append(list, piece{p.version, slices.Clone(p.scores)})
	}
	return list
}

// pooled is the sd within pieces, √(Σss/Σ(n-1)), of those with two scores or more.
type pooled struct {
	sd             float64
	trials, pieces int
	versions       map[string]bool
}

func (p pooled) df() int { return p.trials - p.pieces }

func pool(pieces []piece) pooled {
	p := pooled{versions: map[string]bool{}}
	squares := 0.0
	for _, piece := range pieces {
		own, err := stats.PopulationSD(piece.scores)
		if err != nil || len(piece.scores) < 2 {
			continue
		}
		squares += own * own * float64(len(piece.scores))
		p.trials, p.pieces = p.trials+len(piece.scores), p.pieces+1
		p.versions[piece.version] = true
	}
	p.sd = math.Sqrt(squares / float64(max(1, p.df())))
	return p
}

// moved returns the versions whose later trials have another level than their earlier ones. Trials that a version was
// accepted by are left out: their scores tend to be too high.
func (v *review) moved() (cases []string) {
	looked := map[string]bool{}
	for _, decisions := range v.accepting {
		for _, d := range decisions {
			for _, t := range d.Evidence.Child {
				looked[t.ID] = true
			}
		}
	}
	unchosen := map[string][]evolution.Trial{}
	for _, own := range v.versions {
		list := slices.DeleteFunc(slices.Clone(own.Trials), func(t evolution.Trial) bool { return looked[t.ID] })
		if shift, err := evolution.NewLevelShift(list, v.numbers.Scale, evolution.Confidence); err == nil && shift != nil {
			unchosen[own.Name] = list
		}
	}
	strict := 1 - (1-evolution.Confidence)/float64(max(1, len(unchosen)))
	for _, own := range v.versions {
		shift, err := evolution.NewLevelShift(unchosen[own.Name], v.numbers.Scale, strict)
		if err != nil || !shift.Moved() {
			continue
		}
		how := fmt.Sprintf("n = %d, Welch", shift.N)
		if shift.Tasks > 0 {
			how = fmt.Sprintf("%d tasks, %d trials, paired t", shift.Tasks, shift.N)
		}
		if len(unchosen) > 1 {
			how += fmt.Sprintf(", corrected for %d versions", len(unchosen))
		}
		cases = append(cases, fmt.Sprintf("%s: %s from its earlier to its later trials (95%% interval %s; %s)", own.Name, v.numbers.Gain(shift.Mean), format.Interval(shift.Interval, v.numbers.Gain), how))
	}
	return cases
}

// uneven returns the pieces whose sd is not that of all, by its chi-square interval, corrected for their number.
func (v *review) uneven(pieces []piece, sd float64) (cases []string) {
	const fewest = 3
	pieces = slices.DeleteFunc(slices.Clone(pieces), func(p piece) bool { return len(p.scores) < fewest })
	for _, p := range pieces {
		own := pool([]piece{p})
		i, err := stats.PooledSDInterval(own.sd, own.df(), 1-(1-evolution.Confidence)/float64(len(pieces)))
		if err != nil || own.sd == 0 || i.Lo <= sd && sd <= i.Hi || len(pieces) < 2 {
			continue
		}
		cases = append(cases, fmt.Sprintf("%s: sd %s (n = %d), of all %s", p.version, v.numbers.Score(own.sd), own.trials, v.numbers.Score(sd)))
	}
	return cases
}
