package seeds

import (
	"cmp"
	"slices"

	"track"
	"track/answer"
	"track/scoring"
)

// likePercent returns the values of a seed that miss their targets by a factor of 100, and shares above 1.
func likePercent(spec scoring.Spec, seed track.Seed, a scoring.Assessment) (list []answer.PercentMetric) {
	for i, m := range spec.Metrics {
		r := a.Results[i]
		if r.Reason != "" {
			continue
		}
		if meant, is := m.MeantAsPercent(r.Value); is {
			list = append(list, answer.PercentMetric{Scenario: seed.Scenario, Metric: m.Name, Target: m.Target.String(), Value: r.Value, Meant: meant,
				IsShare: m.IsShare() && r.Value > 1, NSeeds: 1})
		}
	}
	return list
}

// Percents counts values that miss their targets by a factor of 100, by scenario and metric.
type Percents map[[2]string]*answer.PercentMetric

// Add counts those of a recorded seed.
func (p Percents) Add(r RecordResult) {
	for _, found := range r.Percents {
		key := [2]string{found.Scenario, found.Metric}
		if p[key] == nil {
			p[key] = &answer.PercentMetric{}
			*p[key] = found
			continue
		}
		p[key].NSeeds++
	}
}

// List returns one for each metric, by scenario and name.
func (p Percents) List() (list []answer.PercentMetric) {
	for _, found := range p {
		list = append(list, *found)
	}
	slices.SortFunc(list, func(a, b answer.PercentMetric) int {
		return cmp.Or(cmp.Compare(a.Scenario, b.Scenario), cmp.Compare(a.Metric, b.Metric))
	})
	return list
}
