package exchange

import (
	"context"
	"fmt"
	"strings"

	"track/store"
)

// executionPage is a page of executions of another database. Those that may be needed here are loaded in full.
type executionPage struct {
	heads   []store.ExecutionHead
	parts   map[int64]*store.ExecutionParts
	records map[int64]store.CarriedExecution // by row there
	steps   []executionStep                  // as they were found when the page was read
	changes bool                             // something is to be stored
	from    *store.Reader                    // while the page is read; then nil
}

func (*executionPage) needs() Rights { return BringFacts | bringJudgements | bringTombstones }

func (p *executionPage) isKnown() bool { return !p.changes }

// readExecutions returns the next page of executions, and loads those that the database here lacks or that have come
// further there.
func (d *Door) readExecutions(ctx context.Context, from *store.Reader, after int64, n int, lineages []string) (*executionPage, error) {
	heads, err := from.ExecutionHeads(ctx, after, n, lineages)
	if err != nil || len(heads) == 0 {
		return nil, err
	}
	page := &executionPage{heads: heads, records: map[int64]store.CarriedExecution{}, from: from}
	defer func() { page.from = nil }()
	rows := make([]int64, len(heads))
	for i, h := range heads {
		rows[i] = h.Row
	}
	if page.parts, err = from.ExecutionParts(ctx, rows); err != nil {
		return nil, err
	}
	if page.steps, err = page.compare(ctx, d, d.store.Reader); err != nil {
		return nil, &hereError{err}
	}
	for i, s := range page.steps {
		page.changes = page.changes || s.changes(heads[i])
		if s.class != executionNew && s.class != executionFurther && !s.lacks() {
			continue
		}
		if page.records[heads[i].Row], err = from.CarriedExecution(ctx, heads[i]); err != nil {
			return nil, err
		}
	}
	page.bound(d.store.MaxRows())
	return page, nil
}

// bound shortens the page to what writes at most n rows, but to no less than an execution; 0 for any number of rows.
func (p *executionPage) bound(n int) {
	rows := 0
	for i, h := range p.heads {
		if record, isWanted := p.records[h.Row]; isWanted {
			rows += 2 + len(record.Calls) + len(record.Requests) + len(record.Truths) // it waits to be indexed
			for _, score := range record.Scores {
				rows += 2 + len(score.Components)
			}
		}
		if n == 0 || rows <= n || i == 0 {
			continue
		}
		for _, left := range p.heads[i:] {
			delete(p.records, left.Row)
		}
		p.heads, p.steps = p.heads[:i], p.steps[:i]
		return
	}
}

func (p *executionPage) settle(ctx context.Context, d *Door, r *store.Reader, tx *store.Tx) (answers []Answer, err error) {
	steps := p.steps
	if tx != nil { // other processes may have recorded since the page was read
		if steps, err = p.compare(ctx, d, r); err != nil {
			return nil, err
		}
	}
	for i, s := range steps {
		answers = append(answers, p.answer(d, p.heads[i], s))
	}
	if tx == nil {
		return answers, nil
	}
	return answers, p.write(tx, steps)
}

// answer answers for an execution, and counts its scores and texts.
func (p *executionPage) answer(d *Door, head store.ExecutionHead, s executionStep) Answer {
	a := Answer{Kind: kindExecution, Outcome: known}
	d.counts.Uncompared += s.unknown
	switch s.class {
	case executionNew:
		a.Outcome = Recorded
	case executionConflict:
		a.Outcome, a.Conflict = conflicting, s.conflict(head)
	case executionFurther:
		if !s.alike {
			d.counts.Completed++
		}
	case executionKnown:
		d.counts.Scores += s.rubrics
		if s.forgets(head) && s.here.ForgottenAt.IsZero() && !d.dryRun { // in a dry run, the tombstones were counted
			d.counts.Forgotten++
		}
	}
	return a
}

// conflict names an execution that is left out, and how it differs from the one here.
func (s executionStep) conflict(there store.ExecutionHead) *Conflict {
	c := &Conflict{Kind: kindExecution, Scenario: there.Lineage, Name: strings.TrimPrefix(there.Source+" "+there.Key, " ")}
	switch {
	case s.version:
		c.Reason = "its version " + there.Version + " has other content here"
		return c
	case s.here == nil:
		c.Reason = "another execution here has its id"
		return c
	}
	reasons := []string{"the record here differs"}
	for _, field := range []struct{ name, here, there string }{
		{"version", s.here.Version, there.Version}, {"task", s.here.Task, there.Task}, {"status", string(s.here.Status), string(there.Status)},
		{"calls", fmt.Sprint(s.here.NCalls), fmt.Sprint(there.NCalls)}, {"failed calls", fmt.Sprint(s.here.NFailed), fmt.Sprint(there.NFailed)},
	} {
		if field.here != field.there {
			reasons = append(reasons, fmt.Sprintf("%s: recorded %s, there %s", field.name, field.here, field.there))
		}
	}
	c.Reason = strings.Join(reasons, "; ")
	return c
}

// write stores what the steps say.
func (p *executionPage) write(tx *store.Tx, steps []executionStep) error {
	for i, s := range steps {
		if err := p.writeOne(tx, p.heads[i], s); err != nil {
			return err
		}
	}
	return nil
}

func (p *executionPage) writeOne(tx *store.Tx, head store.ExecutionHead, s executionStep) error {
	record, loaded := p.records[head.Row]
	switch {
	case s.class == executionNew && loaded:
		return tx.CarryExecution(record)
	case s.class == executionFurther && loaded:
		if !s.earlier {
			record.ID, record.RecordedAt = s.here.ID, s.here.RecordedAt
		}
		return tx.ReplaceCarried(*s.here, record)
	case s.class != executionKnown:
		return nil
	}
	if loaded {
		if err := tx.AddCarriedParts(*s.here, record, record.Digest == s.here.Digest); err != nil {
			return err
		}
	}
	if s.forgets(head) {
		if err := tx.ForgetAt(s.here.ID, head.ForgottenAt); err != nil {
			return err
		}
	}
	if s.earlier {
		return tx.TakeEarlierExecution(*s.here, head)
	}
	return nil
}
