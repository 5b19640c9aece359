package main

import (
	"fmt"
	"math/rand/v2"

	"track/scoring"
	"track/scoring/stats"
	"track/scoring/verdict"
)

// powerSD is the standard deviation of the simulated differences.
const powerSD = 0.02

// power prints how often a comparison of normal scores finds a difference that is there, next to the power that is
// printed.
func power(p *page) error {
	runs := max(1, p.runs/20)
	p.text("Differences of total scores are normal with mean dz · sd. `track improvement` decides by the t interval and the exact test together. Printed: the dz that n pairs detect with power %v,\n"+
		"before as of a t test alone, now of both tests. Found: how often the comparison says better. %d repetitions, standard error %s.", verdict.TargetPower, runs, percent(0.4/rootOf(runs)))
	p.table("pairs", "dz printed before", "found", "dz printed now", "found now")
	design := stats.Design{Alpha: 0.05, Alternative: stats.TwoSided}
	for _, n := range []int{5, 6, 7, 8, 10, 15, 20, 30} {
		row := []string{fmt.Sprint(n)}
		for _, confirmed := range []bool{false, true} {
			design.Confirmed = confirmed
			cells, err := detected(p, design, n, runs)
			if err != nil {
				return err
			}
			row = append(row, cells...)
		}
		p.row(row...)
	}
	return plannedPower(p, runs)
}

// detected is the detectable dz of n pairs, and how often it is found.
func detected(p *page, design stats.Design, n, runs int) ([]string, error) {
	if design.Confirmed && stats.LeastPairs(design.Alpha) > n {
		return []string{"none", "-"}, nil
	}
	dz, err := design.DetectableDz(n, verdict.TargetPower)
	if err != nil {
		return nil, err
	}
	if before := (stats.Design{Alpha: design.Alpha, Alternative: design.Alternative}); design.Confirmed && n > stats.ExactSignFlip {
		if same, err := before.DetectableDz(n, verdict.TargetPower); err == nil && same == dz {
			return []string{fmt.Sprintf("%.2f", dz), "the same"}, nil
		}
	}
	found, err := powerFound(p, dz, n, runs)
	return []string{fmt.Sprintf("%.2f", dz), percent(found)}, err
}

// plannedPower prints the pairs that seeds-needed plans if the sd is the upper bound of the pilot's, and what they
// find.
func plannedPower(p *page, runs int) error {
	p.text("\nThe pairs that `track seeds-needed` plans with power %v for a difference of dz times the upper bound of the pilot's sd, if the sd is that bound:", verdict.TargetPower)
	p.table("dz", "pairs before", "found", "pairs now", "power printed", "found now")
	pilot := []float64{-1, 0, 1}
	for _, dz := range []float64{2, 1.5, 1, 0.8} {
		row := []string{fmt.Sprint(dz)}
		for _, confirmed := range []bool{false, true} {
			design := stats.Design{Alpha: 0.05, Alternative: stats.TwoSided, Confirmed: confirmed}
			plan, err := design.SeedsFromPilot(pilot, 1, verdict.TargetPower)
			if err == nil {
				plan, err = design.SeedsFromPilot(pilot, dz*plan.SDUpper, verdict.TargetPower)
			}
			if err != nil {
				return err
			}
			found, err := powerFound(p, dz, plan.N, runs)
			if err != nil {
				return err
			}
			row = append(row, fmt.Sprint(plan.N))
			if confirmed {
				row = append(row, percent(plan.Power))
			}
			row = append(row, percent(found))
		}
		p.row(row...)
	}
	return nil
}

// powerFound is how often the comparison of n pairs says better.
func powerFound(p *page, dz float64, n, runs int) (float64, error) {
	var failed error
	share := p.share(fmt.Sprint(n, " ", dz), runs, func(r *rand.Rand) bool {
		candidate, baseline := make([]verdict.JudgedSeed, n), make([]verdict.JudgedSeed, n)
		for i := range n {
			baseline[i] = oneScore(i, 0.5)
			candidate[i] = oneScore(i, 0.5+powerSD*(dz+r.NormFloat64()))
		}
		i, err := verdict.Compare(noiseSpec(), candidate, baseline, verdict.Options{Confidence: 0.95, Base: scoring.DefaultMeanDegradationBase})
		if err != nil {
			failed = err
		}
		return i.Difference == verdict.Better
	})
	return share, failed
}

// oneScore is a seed of a spec with one metric.
func oneScore(number int, score float64) verdict.JudgedSeed {
	return verdict.JudgedSeed{Number: uint64(number), Passed: true, Total: score, Scores: []float64{score}}
}
