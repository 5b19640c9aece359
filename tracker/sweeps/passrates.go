package sweeps

import (
	"cmp"
	"fmt"
	"slices"

	"track"
	"track/answer"
	"track/scoring"
	"track/scoring/format"
	"track/scoring/stats"
)

// PassRates counts the seeds of a running sweep that pass, by configuration. The zero value has counted nothing.
type PassRates struct {
	rates []*passRate // in the order in which the first seeds of the configurations ended
}

type passRate struct {
	configuration track.Configuration
	n, nPassed    int // n of them scored or failed
}

func (r *passRate) share() float64 { return float64(r.nPassed) / float64(r.n) }

// Add counts a seed.
func (p *PassRates) Add(swept SweptSeed) {
	a, failed := swept.Result.Assessment, swept.Seed.Outcome != track.OutcomeOK
	if scored := a != nil && a.Scored; swept.Repeated || !scored && !failed {
		return
	}
	i := slices.IndexFunc(p.rates, func(r *passRate) bool { return r.configuration == swept.Seed.Configuration })
	if i < 0 {
		i = len(p.rates)
		p.rates = append(p.rates, &passRate{configuration: swept.Seed.Configuration})
	}
	p.rates[i].n++
	if !failed && a.NFail == 0 {
		p.rates[i].nPassed++
	}
}

// Text returns the pass rate with its interval, or the lowest and the highest of several configurations; empty if
// nothing was counted.
func (p *PassRates) Text(several bool) string {
	if len(p.rates) == 0 {
		return ""
	}
	byShare := func(a, b *passRate) int { return cmp.Compare(a.share(), b.share()) }
	lowest, highest := slices.MinFunc(p.rates, byShare), slices.MaxFunc(p.rates, byShare)
	if !several || lowest == highest {
		return "pass rate " + highest.text(several)
	}
	return "pass rates from " + lowest.text(several) + " to " + highest.text(several)
}

func (r *passRate) text(named bool) string {
	rate, err := stats.ClopperPearsonEnds(r.nPassed, r.n, scoring.DefaultConfidence)
	if err != nil {
		return "?"
	}
	text := fmt.Sprintf("%s (95%% Clopper–Pearson %s)", format.Percent(rate.Value), format.Interval(rate.Interval, format.Percent))
	if named {
		text += " (" + answer.ParamsText(r.configuration.Params) + ")"
	}
	return text
}
