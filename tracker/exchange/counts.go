package exchange

import "maps"

// Count counts records of one kind.
type Count struct {
	Recorded  int `json:"recorded"`
	Known     int `json:"known"`
	Conflicts int `json:"conflicts"`
}

func (c Count) all() int { return c.Recorded + c.Known + c.Conflicts }

// Counts counts what a door answered.
type Counts struct {
	Scenarios, Specs, Configurations, Seeds Count
	Baselines, Looks, Sweeps, Repetitions   Count
	Versions, Executions                    Count
	Assessments                             int // judgements of known seeds, under specs that they had not been judged under here
	Scores                                  int // scores of known executions, under rubrics that they had not been scored under here
	Superseded                              int // seeds that another one has replaced
	Replaced                                int // executions that had come further elsewhere
	Forgotten                               int // executions whose texts were removed elsewhere, and now here
	Unjudged                                map[string]int
}

func (c Counts) clone() Counts {
	c.Unjudged = maps.Clone(c.Unjudged)
	return c
}

// of returns the counter of a kind; nil for a kind that is not counted.
func (c *Counts) of(kind Kind) *Count {
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

func (c *Counts) add(a Answer) {
	count := c.of(a.Kind)
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
