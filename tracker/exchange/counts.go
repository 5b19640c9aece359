package exchange

import "track/answer"

// counter returns the counter of a kind; nil for a kind that is not counted.
func counter(c *answer.MergeCounts, kind Kind) *answer.Count {
	switch kind {
	case KindScenario:
		return &c.Scenarios
	case KindSpec:
		return &c.Specs
	case kindConfiguration:
		return &c.Configurations
	case KindSeed:
		return &c.Seeds
	case KindSweep:
		return &c.Sweeps
	case KindPin:
		return &c.Baselines
	case KindLook:
		return &c.Looks
	case KindVersion:
		return &c.Versions
	case KindExecution:
		return &c.Executions
	}
	return nil
}

// add counts an answer.
func (d *Door) add(a Answer) {
	count := counter(&d.counts, a.Kind)
	if count == nil {
		return
	}
	switch a.Outcome {
	case Recorded:
		count.Recorded++
	case Known:
		count.Known++
	case Conflicting:
		count.Conflicts++
	}
}
