package exchange

import (
	"cmp"
	"fmt"
	"slices"
	"track"
	"track/importer"
	"track/store"
)

// count counts what became of a step.
func (r *importRun) count(s *importStep) {
	r.items++
	switch {
	case s.Skip != nil:
		r.skip(*s.Skip)
	case s.early:
		r.summary.Early++
	case s.goesOn:
		r.summary.GoOn++
	case s.isExecution():
		r.countExecution(s)
	case s.change == store.VersionConflict:
		r.conflict(s, fmt.Sprintf("version %s of lineage %s is recorded with other content", s.version.Name, s.version.Lineage))
	case s.Version != nil && s.change != store.VersionSame:
		r.summary.Versions++
		r.summary.Masked += s.prepared.NMasked
	}
	if s.Event != nil {
		r.summary.Events++
	}
}

func (r *importRun) countExecution(s *importStep) {
	if s.result.Forgotten {
		r.summary.Forgotten++
	}
	r.summary.Repeated += s.result.NRepeated
	switch s.result.Disposition {
	case track.Duplicate:
		r.summary.Duplicates++
		r.summary.Uncompared += s.result.NUnknown
		r.summary.Equal += r.equal.count(s.prepared)
		return
	case track.Conflict:
		r.conflict(s, fmt.Sprintf("execution %s of lineage %s is recorded with other content, as %s", s.prepared.Key, s.prepared.Lineage, s.result.ID))
		return
	case track.Replaced:
		r.summary.Replaced++
	default:
		r.equal.count(s.prepared)
		r.summary.Executions++
	}
	if s.Subagent {
		r.summary.Subagents++
	}
	r.summary.Masked += s.prepared.NMasked
	r.countUsed(s.result.Execution, 1)
	r.countCost(s.result.Execution)
	for _, part := range s.result.Superseded {
		r.countUsed(part, -1)
		if part.Task == taskSubagent {
			r.summary.Subagents--
		}
	}
}

// countCost counts computed costs, and names models without a price.
func (r *importRun) countCost(e track.Execution) {
	table := r.options.Execution.Prices
	switch {
	case e.Priced != "":
		r.summary.Priced, r.summary.Prices = r.summary.Priced+1, e.Priced
	case table != nil && e.CostUSD == nil && e.Tokens != nil:
		r.summary.Unpriced++
		r.summary.Prices = table.Date
		if name := cmp.Or(e.Model, "unknown"); len(r.summary.UnpricedModels) < maxNamed && !slices.Contains(r.summary.UnpricedModels, name) {
			r.summary.UnpricedModels = append(r.summary.UnpricedModels, name)
		}
	}
}

// countUsed adds what an execution used, or takes it away again.
func (r *importRun) countUsed(e track.Execution, sign int) {
	r.summary.Calls += sign * len(e.Calls)
	for _, c := range e.Calls {
		switch {
		case c.Failed():
			r.summary.Failed += sign
		case c.Unknown():
			r.summary.Unknown += sign
		}
	}
	if t := e.Tokens; t != nil {
		sum := &r.summary.Tokens
		add(&sum.Input, t.Input, sign)
		add(&sum.Output, t.Output, sign)
		add(&sum.CacheRead, t.CacheRead, sign)
		add(&sum.CacheWrite, t.CacheWrite, sign)
		add(&sum.Reasoning, t.Reasoning, sign)
	}
}

// add adds a number, or its negative, to a sum, which is nil as long as none is known.
func add(sum **int64, n *int64, sign int) {
	if n == nil {
		return
	}
	if *sum == nil {
		*sum = new(int64)
	}
	**sum += int64(sign) * *n
}

func (r *importRun) skip(skip importer.Skip) {
	r.summary.Skipped++
	if r.observer.Skip != nil {
		r.observer.Skip(skip)
	}
}

func (r *importRun) conflict(s *importStep, reason string) {
	r.summary.Conflicts++
	if r.observer.Conflict != nil {
		r.observer.Conflict(*s.skip("", reason, nil).Skip)
	}
}
