package exchange

import (
	"fmt"
	"track"
	"track/importer"
	"track/store"
)

// count counts what became of a step.
func (r *importRun) count(s *importStep) {
	r.items++
	switch {
	case s.Skip != nil && s.duplicate:
		r.summary.Known++
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
	switch s.result.Disposition {
	case track.Duplicate:
		r.summary.Duplicates++
		r.summary.Uncompared += s.result.NUnknown
		return
	case track.Conflict:
		r.conflict(s, fmt.Sprintf("execution %s of lineage %s is recorded with other content, as %s", s.prepared.Key, s.prepared.Lineage, s.result.ID))
		return
	case track.Replaced:
		r.summary.Replaced++
	default:
		r.summary.Executions++
	}
	if s.Subagent {
		r.summary.Subagents++
	}
	r.summary.Masked += s.prepared.NMasked
	r.summary.Calls += len(s.prepared.Calls)
	for _, c := range s.prepared.Calls {
		if c.Failed() {
			r.summary.Failed++
		}
	}
	if t := s.prepared.Tokens; t != nil {
		sum := &r.summary.Tokens
		add(&sum.Input, t.Input)
		add(&sum.Output, t.Output)
		add(&sum.CacheRead, t.CacheRead)
		add(&sum.CacheWrite, t.CacheWrite)
		add(&sum.Reasoning, t.Reasoning)
	}
}

// add adds a number to a sum, which is nil as long as none is known.
func add(sum **int64, n *int64) {
	if n == nil {
		return
	}
	if *sum == nil {
		*sum = new(int64)
	}
	**sum += *n
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
