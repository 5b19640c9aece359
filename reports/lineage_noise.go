package reports

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"track/answer"
	"track/evolution"
	"track/reports/document"
	"track/scoring/stats"
)

// noise tells how much the scores of one version vary, and what that makes of the active policy.
func (l *lineageReport) noise() []document.Block {
	blocks := []document.Block{document.Heading{Level: 2, Text: "Noise"}}
	pieces := l.pieces()
	all, p := pool(whole(pieces)), pool(pieces)
	if len(all.versions) == 0 {
		return append(blocks, paragraph(plain("Unknown: no version has two scores.")))
	}
	parted := p.pieces > 0 && p.df() != all.df()
	what := fmt.Sprintf("pooled over all trials of %s", counted(len(all.versions), "version", "versions"))
	if parted {
		what = fmt.Sprintf("pooled over %s of %s: the trials of each version are split at its acceptance and at rollbacks", counted(p.pieces, "part", "parts"), counted(len(p.versions), "version", "versions"))
	} else {
		p = all
	}
	sd, df := p.sd, p.df()
	items := append(l.newestNoise(), cell("all versions: pooled sd of scores within versions %s, %s", l.sdText(p), what))
	if parted {
		items = append(items, cell("pooled sd without the split: %s", l.sdText(all)))
	}
	policy, err := evolution.ParsePolicy(l.Settings.Policy, l.Settings.Params)
	switch unclear := l.Settings.Scale.CheckPoints(policy); {
	case err != nil || sd == 0:
	case unclear != nil:
		items = append(items, document.Text{plain("A/A: unknown, because the lineage does not say how many points one unit of score is; "), word(l.Settings.Policy), plain(" has parameters in points")})
	default:
		items = append(items, l.falseAccept(policy, sd), l.power(policy, sd))
		if df < fewestDF {
			items = append(items, cell("A/A and power are rough: %s with %s are too few for a precise sd", counted(p.trials, "score", "scores"), counted(df, "degree of freedom", "degrees of freedom")))
		}
	}
	items = append(items, l.recommended(policy, sd, df))
	return append(append(blocks, document.List{Items: items}), l.driftNote(pieces, p)...)
}

// sdText returns an sd with its interval.
func (l *lineageReport) sdText(p pooled) string {
	if i, err := stats.PooledSDInterval(p.sd, p.df(), evolution.Confidence); err == nil && p.sd > 0 {
		return fmt.Sprintf("%s (95%% chi-square interval %s to %s, n = %d, df = %d)", l.number(p.sd), l.number(i.Lo), l.number(i.Hi), p.trials, p.df())
	}
	return fmt.Sprintf("%s (n = %d, df = %d)", l.number(p.sd), p.trials, p.df())
}

// A policy is recommended if the sd has fewestDF degrees of freedom, and the active one accepts more than mostFalse of
// what changes nothing.
const (
	fewestDF  = 4
	mostFalse = 0.1
)

// recommended returns the policy that would serve, or why none is recommended. The active policy is nil if it is
// unknown.
func (l *lineageReport) recommended(policy evolution.Policy, sd float64, df int) document.Text {
	if why := l.noRecommendation(sd, df); why != "" {
		return cell("no policy is recommended: %s", why)
	}
	rate := 1.0
	if policy != nil {
		rate = l.activeRate(policy, sd)
	}
	if rate <= mostFalse {
		return cell("the active policy is strict enough for this noise")
	}
	return append(document.Text{plain("the active policy accepts too many mutations that change nothing; recommended: "), word(evolution.Confirm{}.Name())},
		plain(", which accepts at most 5%% of them"))
}

// noRecommendation says why the noise recommends no policy; empty if it does.
func (l *lineageReport) noRecommendation(sd float64, df int) string {
	for _, v := range l.Versions {
		for _, t := range v.Trials {
			if l.Settings.Scale == nil && t.Score != nil && (*t.Score < 0 || *t.Score > 100) {
				return fmt.Sprintf("the scores are not between 0 and 100 (%v of %s)", *t.Score, v.Label)
			}
		}
	}
	if l.Settings.Scale != nil && l.Settings.Scale.Points == 0 {
		return "policies are compared in points, and the lineage does not say how many points one unit of score is"
	}
	for _, m := range l.replayed.Mutations {
		if m.Source != "" {
			return "the scores were imported from " + m.Source + ", and may have another scale than 0 to 100"
		}
	}
	switch {
	case sd == 0:
		return "the scores within a version do not differ, which does not tell how noisy other versions are"
	case df < fewestDF:
		return "with " + counted(df, "degree of freedom", "degrees of freedom") + " the sd is not precise enough"
	}
	return ""
}

// newestNoise returns the noise of the newest decision, in its own words.
func (l *lineageReport) newestNoise() []document.Text {
	if len(l.decisions) == 0 {
		return nil
	}
	d := l.decisions[len(l.decisions)-1]
	return []document.Text{{plain("newest decision alone, on "), word(d.Mutation), plain(": %s", strings.TrimPrefix(answer.NoiseText(d.Policy, d.Decision.Noise, l.numbers()), "noise: "))}}
}

// conditions returns those of a typical decision: as many trials and pairs as were looked at, and as much of the noise
// shared in a pair, in the middle.
func (l *lineageReport) conditions(sd float64) evolution.Conditions {
	c := evolution.Conditions{SD: sd, SDPairs: sd * math.Sqrt2, NChild: 5, NParent: 5, NPairs: 5}
	var child, parent, pairs []int
	var ratios []float64
	for _, d := range l.decisions {
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

// reportedRates returns the false-accept rates that decisions by the active policy reported, in increasing order.
func (l *lineageReport) reportedRates() (rates []float64) {
	for _, d := range l.decisions {
		active := d.Policy == l.Settings.Policy && string(d.Params) == string(l.Settings.Params)
		if n := d.Decision.Noise; active && d.Decision.State != evolution.Continue && n != nil && n.FalseAccept != nil {
			rates = append(rates, *n.FalseAccept)
		}
	}
	slices.Sort(rates)
	return rates
}

// activeRate returns the false-accept rate of the active policy: in the middle of what its decisions reported, else
// from a formula.
func (l *lineageReport) activeRate(policy evolution.Policy, sd float64) float64 {
	if rates := l.reportedRates(); len(rates) > 0 {
		return middle(rates)
	}
	rate, _ := evolution.FalseAccept(policy, l.conditions(sd))
	return rate
}

func (l *lineageReport) falseAccept(policy evolution.Policy, sd float64) document.Text {
	text := document.Text{plain("A/A: "), word(l.Settings.Policy), plain(" accepts %s of mutations that change nothing", share(l.activeRate(policy, sd)))}
	if rates := l.reportedRates(); len(rates) > 0 {
		return append(text, plain(": the median of the rates of its %s, which are from %s to %s", counted(len(rates), "decision", "decisions"), share(rates[0]), share(rates[len(rates)-1])))
	}
	c := l.conditions(sd)
	_, method := evolution.FalseAccept(policy, c)
	return append(text, plain(", at this noise and with %d and %d trials, an assumption, since it decided nothing (%s)", c.NChild, c.NParent, method))
}

// power tells how often the active policy accepts a mutation that is better, at the pooled noise.
func (l *lineageReport) power(policy evolution.Policy, sd float64) document.Text {
	c := l.conditions(sd)
	half, _ := evolution.Power(policy, c, sd/2)
	whole, method := evolution.Power(policy, c, sd)
	return document.Text{plain("power: "), word(l.Settings.Policy), plain(" accepts %s of mutations that gain half a pooled sd (%s), and %s of those that gain one (%s; %s)",
		share(half), l.number(sd/2), share(whole), l.number(sd), method)}
}

// costs sums up what the lineage took.
func (l *lineageReport) costs() []document.Block {
	t := l.Totals
	what := "execution"
	if l.Subject != "agent" {
		what = "seed"
	}
	items := []document.Text{cell("%s, %d failed", counted(t.Executions, what, what+"s"), t.Failed)}
	known := func(n int) string {
		if n == t.Executions {
			return ""
		}
		return fmt.Sprintf(" (known for %d of %d)", n, t.Executions)
	}
	unknown := []string{}
	if t.NSeconds == 0 {
		unknown = append(unknown, "time")
	} else {
		items = append(items, cell("time: %s%s", duration(t.Seconds), known(t.NSeconds)))
	}
	if t.NTokens == 0 {
		unknown = append(unknown, "tokens")
	} else {
		items = append(items, cell("tokens: %d in, %d out%s", t.TokensInput, t.TokensOutput, known(t.NTokens)))
	}
	if t.NCost == 0 {
		unknown = append(unknown, "cost")
	} else {
		items = append(items, cell("cost of the executions: %.4g USD%s", t.CostUSD, known(t.NCost)))
	}
	if len(unknown) > 0 {
		items = append(items, cell("not recorded: %s", strings.Join(unknown, ", ")))
	}
	cost, n := 0.0, 0
	for _, m := range l.replayed.Mutations {
		if m.CostUSD != nil {
			cost, n = cost+*m.CostUSD, n+1
		}
	}
	if n > 0 {
		items = append(items, cell("cost of the mutations: %.4g USD (known for %d of %d)", cost, n, len(l.replayed.Mutations)))
	}
	return []document.Block{document.Heading{Level: 2, Text: "Cost and time"}, document.List{Items: items}}
}

func duration(seconds float64) string {
	switch {
	case seconds < 120:
		return fmt.Sprintf("%.1f s", seconds)
	case seconds < 7200:
		return fmt.Sprintf("%.1f min", seconds/60)
	}
	return fmt.Sprintf("%.1f h", seconds/3600)
}

// reproduce gives the commands that lead to the same, and what to compare.
func (l *lineageReport) reproduce() []document.Block {
	algorithms := map[string]bool{}
	for _, d := range l.decisions {
		algorithms[d.Draw.Algorithm] = true
	}
	draws := sortedNames(algorithms)
	if draws == "" {
		draws = "none yet"
	}
	commands := fmt.Sprintf("track replay --lineage %[1]s --strict\ntrack draws %[1]s\ntrack export lineage %[1]s | sha256sum\ntrack report lineage %[1]s -o report.md\ntrack report lineage %[1]s --check report.md\n", shellWord(l.Name))
	return []document.Block{
		document.Heading{Level: 2, Text: "How to reproduce"},
		document.Code{Language: "sh", Text: commands},
		document.List{Items: []document.Text{
			{plain("seed of all draws: "), word(l.Seed), plain("; algorithm: %s", draws)},
			{plain("end of the ledger: entry %d, ", l.End.Number), word(l.End.Hash)},
			{plain("SHA-256 of the export: "), word(l.SHA256)},
			{plain("schema of the database: %d; settings: version %d", l.Schema, l.Settings.Number)},
		}},
	}
}
