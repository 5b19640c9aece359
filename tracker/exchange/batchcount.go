package exchange

import (
	"track"
	"track/answer"
	"track/importer/lines"
)

// BatchProblem is an entry that was not recorded.
type BatchProblem struct {
	answer.LineProblem
	Record   lines.Record
	Name     string      // of one of several parts of the record
	Hint     *track.Hint // the way out; nil for none
	Conflict bool        // the entry was whole, but another record has its identity
	Repeated bool        // the same was said of the names of an earlier entry
}

// BatchSummary counts what became of the entries of a batch.
type BatchSummary struct {
	Recorded, Replaced, Duplicates, Conflicts, Rejected  int
	Executions, Sweeps, Annotations, Withdrawals, Scored int      // of the recorded and replaced entries
	Forgotten                                            int      // executions whose texts were forgotten earlier
	Equal                                                int      // executions without a key that say the same as an earlier one
	WithoutRevision                                      int      // recorded seeds that name no commit
	WithoutSpec                                          []string // scenarios that have seeds and no spec
	UnknownMetrics                                       []string // "metric (scenario)", stored but not scored
	answer.Suspicions
}

// AddTo adds the counts to those of an answer.
func (s BatchSummary) AddTo(a *answer.RecordedLines) {
	a.Recorded += s.Recorded
	a.Replaced += s.Replaced
	a.Duplicates += s.Duplicates
	a.Conflicts += s.Conflicts
	a.Rejected += s.Rejected
	a.Executions += s.Executions
	a.Forgotten += s.Forgotten
	a.Suspicions = a.Suspicions.With(s.Suspicions)
}

// maxNamed bounds the names that a summary lists.
const maxNamed = 100

func (b *batchRun) count(e *batchEntry, answers []Answer) {
	b.entries++
	for _, a := range answers {
		b.countOne(e, a)
	}
}

func (b *batchRun) countOne(e *batchEntry, a Answer) {
	if e.forgotten {
		b.summary.Forgotten++
	}
	if e.Execution != nil && e.RecordedExecution == nil {
		b.summary.Equal += b.equal.count(e.execution)
	}
	switch {
	case a.Outcome == Invalid:
		b.summary.Rejected++
		b.problem(e, a)
	case a.Outcome == conflicting:
		b.summary.Conflicts++
		b.problem(e, a)
	case a.Outcome == known:
		b.summary.Duplicates++
	case a.Replaced:
		b.summary.Replaced++
		b.countKind(e, a.Kind)
	default:
		b.summary.Recorded++
		b.countKind(e, a.Kind)
	}
}

// countKind counts a recorded entry by its kind, and notes what people should know of it.
func (b *batchRun) countKind(e *batchEntry, kind Kind) {
	switch kind {
	case kindExecution:
		b.summary.Executions++
		return
	case kindSweep:
		b.summary.Sweeps++
		return
	case kindAnnotation:
		b.summary.Annotations++
		return
	case kindWithdrawal:
		b.summary.Withdrawals++
		return
	case kindSeed:
	default:
		return
	}
	if e.seed.Configuration.Revision.Commit == "" {
		b.summary.WithoutRevision++
	}
	if e.result.Assessment != nil {
		b.summary.Scored++
	} else if e.seed.Outcome == track.OutcomeOK {
		note(b.waiting, e.seed.Scenario)
	}
	b.percents.Add(e.result)
	for _, name := range e.result.Unknown {
		note(b.unknown, name+" ("+e.seed.Scenario+")")
	}
}

func (b *batchRun) problem(e *batchEntry, a Answer) {
	if b.observer.Problem != nil {
		p := answer.LineProblem{Line: e.Line}
		p.Field, _ = b.seeds.Store.Texts().Text(a.Problem.Field)
		p.Message, _ = b.seeds.Store.Texts().Text(a.Problem.Message)
		repeated := e.misnamed && (b.told[p.Message] || len(b.told) >= maxNamed)
		if e.misnamed && !repeated {
			b.told[p.Message] = true
		}
		b.observer.Problem(BatchProblem{p, e.Record, a.Name, a.Problem.Hint, a.Outcome == conflicting, repeated})
	}
}

// note adds a name to a set that stays small whatever the input.
func note(set map[string]bool, name string) {
	if len(set) < maxNamed {
		set[name] = true
	}
}
