package exchange

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"strings"

	"track/store"
)

// ExecutionPage is a page of executions of another database. Those that may be needed here are there in full.
type ExecutionPage struct {
	heads   []store.ExecutionHead
	parts   map[int64]*store.ExecutionParts
	records map[int64]store.CarriedExecution // by row there
	steps   []executionStep                  // as they were found when the page was read
	changes bool                             // something is to be stored
}

func (*ExecutionPage) owned() bool { return true } // they bring their scores

func (p *ExecutionPage) isKnown() bool { return !p.changes }

// readExecutions returns the next page of executions, and loads those that the database here lacks or that have come further there.
func (d *Door) readExecutions(ctx context.Context, from *store.Reader, after int64, n int, lineages []string) (*ExecutionPage, error) {
	heads, err := from.ExecutionHeads(ctx, after, n, lineages)
	if err != nil || len(heads) == 0 {
		return nil, err
	}
	page := &ExecutionPage{heads: heads, records: map[int64]store.CarriedExecution{}}
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
	return page, nil
}

// executionClass says what an execution elsewhere is to the database here.
type executionClass int

const (
	executionNew      executionClass = iota // nothing stands in its place
	executionKnown                          // it is here, and has come as far
	executionFurther                        // it has come further than the record of it here
	executionConflict                       // another one stands in its place, and stays
)

// executionStep is what becomes of an execution.
type executionStep struct {
	class   executionClass
	here    *store.ExecutionHead // in its place; nil if there is none
	earlier bool                 // it was recorded earlier than the record of it here
	version bool                 // its version has another content here
	rubrics int                  // scores that the same execution here lacks
	truths  int                  // truths that it lacks
}

// lacks reports whether the execution here lacks something that belongs to the same execution elsewhere.
func (s executionStep) lacks() bool { return s.class == executionKnown && s.rubrics+s.truths > 0 }

// forgets reports whether the texts of the execution here are to be removed, as they were elsewhere.
func (s executionStep) forgets(head store.ExecutionHead) bool {
	return s.class == executionKnown && !head.ForgottenAt.IsZero() && s.here.ForgottenAt.IsZero()
}

func (s executionStep) changes(head store.ExecutionHead) bool {
	return s.class == executionNew || s.class == executionFurther || s.class == executionKnown && (s.earlier || s.lacks() || s.forgets(head))
}

// compare classifies the executions of a page.
func (p *ExecutionPage) compare(ctx context.Context, d *Door, r *store.Reader) ([]executionStep, error) {
	matches, err := r.MatchExecutions(ctx, p.heads)
	if err != nil {
		return nil, err
	}
	steps := make([]executionStep, len(p.heads))
	var rows []int64
	for i, m := range matches {
		steps[i] = compareExecution(p.heads[i], m, d.versions[versionKey(p.heads[i].Lineage, p.heads[i].Version)])
		if steps[i].class == executionKnown {
			rows = append(rows, steps[i].here.Row)
		}
	}
	parts, err := r.ExecutionParts(ctx, rows)
	if err != nil {
		return nil, err
	}
	for i := range steps {
		if s := &steps[i]; s.class == executionKnown {
			s.compareParts(p.heads[i], p.parts[p.heads[i].Row], parts[s.here.Row])
		}
	}
	return steps, nil
}

func (s *executionStep) compareParts(head store.ExecutionHead, there, here *store.ExecutionParts) {
	for name := range there.Truths {
		if !here.Truths[name] {
			s.truths++
		}
	}
	if head.Digest != s.here.Digest {
		return // its scores are of less than what is here
	}
	for name := range there.Rubrics {
		if !here.Rubrics[name] {
			s.rubrics++
		}
	}
}

func versionKey(lineage, version string) string { return lineage + "\x00" + version }

// compareExecution classifies an execution. Its place is its lineage, source and key. Of two records of one execution, the one that has come further
// counts, with the ID and the time of the one that was recorded first.
func compareExecution(head store.ExecutionHead, m store.ExecutionMatch, versionDiffers bool) executionStep {
	s := executionStep{here: m.InPlace, version: versionDiffers}
	switch {
	case versionDiffers, m.InPlace == nil && m.Same != nil:
		s.class = executionConflict
		return s
	case m.InPlace == nil:
		return s
	}
	here := *m.InPlace
	if m.Same == nil || m.Same.Row == here.Row {
		s.earlier = cmp.Or(head.RecordedAt.Compare(here.RecordedAt), cmp.Compare(head.ID, here.ID)) < 0
	}
	switch {
	case head.Open == here.Open && head.Digest == here.Digest:
		s.class = executionKnown
	case !head.Open && !here.Open:
		s.class = executionConflict
	case isFurther(head, here):
		s.class = executionFurther
	default:
		s.class = executionKnown
	}
	return s
}

// isFurther reports whether an execution has come further than another record of it: complete ones have, then those of more calls.
func isFurther(a, b store.ExecutionHead) bool {
	if a.Open != b.Open {
		return b.Open
	}
	return cmp.Or(cmp.Compare(a.NCalls, b.NCalls), cmp.Compare(a.NAnswered, b.NAnswered), cmp.Compare(a.Duration, b.Duration),
		bytes.Compare(a.Digest[:], b.Digest[:])) > 0
}

func (p *ExecutionPage) settle(ctx context.Context, d *Door, r *store.Reader) (answers []Answer, write func(*store.Tx) error, err error) {
	steps := p.steps
	if !d.dryRun && p.changes { // other processes may have recorded since the page was read
		if steps, err = p.compare(ctx, d, r); err != nil {
			return nil, nil, err
		}
	}
	for i, s := range steps {
		answers = append(answers, p.answer(d, p.heads[i], s))
	}
	return answers, func(tx *store.Tx) error { return p.write(tx, steps) }, nil
}

// answer answers for an execution, and counts what it brings along.
func (p *ExecutionPage) answer(d *Door, head store.ExecutionHead, s executionStep) Answer {
	a := Answer{Kind: KindExecution, Outcome: Known}
	switch s.class {
	case executionNew:
		a.Outcome = Recorded
	case executionConflict:
		a.Outcome, a.Problem = Conflicting, s.conflict(head)
	case executionFurther:
		d.counts.Completed++
	case executionKnown:
		d.counts.Scores += s.rubrics
		if s.forgets(head) && !d.dryRun {
			d.counts.Forgotten++
		}
	}
	return a
}

// conflict names an execution that is left out, and how it differs from the one here.
func (s executionStep) conflict(there store.ExecutionHead) *Conflict {
	c := &Conflict{Kind: KindExecution, Scenario: there.Lineage, Name: strings.TrimPrefix(there.Source+" "+there.Key, " ")}
	switch {
	case s.version:
		c.Reason = "its version " + there.Version + " has another content here"
		return c
	case s.here == nil:
		c.Reason = "another execution has its id here"
		return c
	}
	reasons := []string{"it was recorded otherwise here"}
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
func (p *ExecutionPage) write(tx *store.Tx, steps []executionStep) error {
	for i, s := range steps {
		if err := p.writeOne(tx, p.heads[i], s); err != nil {
			return err
		}
	}
	return nil
}

func (p *ExecutionPage) writeOne(tx *store.Tx, head store.ExecutionHead, s executionStep) error {
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
		if err := tx.ForgetCarried(*s.here, head.ForgottenAt); err != nil {
			return err
		}
	}
	if s.earlier {
		return tx.TakeEarlierExecution(*s.here, head)
	}
	return nil
}
