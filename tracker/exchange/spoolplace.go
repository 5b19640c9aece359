package exchange

import (
	"context"
	"fmt"
	"iter"

	"track"
	"track/access"
	"track/importer/lines"
	"track/store"
	"track/tracker/names"
)

// SpoolPart is a part of a spool that a client sends.
type SpoolPart struct {
	ID     string       // of the spool: a ULID
	Sender access.Grant // who sends it
	From   int64        // lines before the part
	Lines  func() int64 // how many lines of the part were read, blank ones too
}

// SpoolGapError is the error for a part of a spool that begins behind its position.
type SpoolGapError struct{ From, Through int64 }

func (e *SpoolGapError) Error() string {
	return fmt.Sprintf("the lines begin at %d, and the server has the lines of this spool up to %d: send them from there", e.From, e.Through)
}

// Unwrap returns [track.ErrConflict].
func (*SpoolGapError) Unwrap() error { return track.ErrConflict }

// RecordSpool records the lines of a part of a spool that the database lacks, as [Group.RecordAll] does, and with them
// the position of the spool. It returns how many lines it left out, because they are below the position, and where the
// position is at the end.
func (g *Group) RecordSpool(ctx context.Context, part SpoolPart, checker *names.Checker, entries iter.Seq2[lines.Record, error], observer BatchObserver,
	enter func(context.Context) (leave func(), err error),
) (summary BatchSummary, skipped int64, p store.SpoolPosition, err error) {
	if p, err = g.store.SpoolPosition(ctx, part.ID); err != nil {
		return summary, 0, p, err
	}
	if part.From > p.Through {
		return summary, 0, p, &SpoolGapError{From: part.From, Through: p.Through}
	}
	known := max(p.Through-part.From, 0)
	summary, err = g.recordAll(ctx, checker, linesAfter(known, entries), observer, enter, &spoolPlace{part})
	if skipped = min(known, part.Lines()); err != nil {
		return summary, skipped, p, err
	}
	if p, err = g.store.SpoolPosition(ctx, part.ID); err != nil || p.Through >= part.From+part.Lines() {
		return summary, skipped, p, err
	}
	p.Through = part.From + part.Lines() // blank lines are at its end
	err = g.store.Update(ctx, func(tx *store.Tx) error {
		return tx.AdvanceSpool(part.ID, part.Sender.Name, store.SpoolPosition{Through: p.Through})
	})
	return summary, skipped, p, err
}

// linesAfter leaves out the first n lines.
func linesAfter(n int64, entries iter.Seq2[lines.Record, error]) iter.Seq2[lines.Record, error] {
	return func(yield func(lines.Record, error) bool) {
		for record, err := range entries {
			if (err != nil || int64(record.Line) > n) && !yield(record, err) {
				return
			}
		}
	}
}

// spoolPlace says where records stand in a spool.
type spoolPlace struct{ part SpoolPart }

// advance sets the position of the spool behind records that a transaction answers for.
func (s *spoolPlace) advance(tx *store.Tx, records []Record, answers [][]Answer) error {
	if len(records) == 0 {
		return nil
	}
	p := store.SpoolPosition{Through: s.part.From + lineOf(records[len(records)-1])}
	for _, list := range answers {
		for _, a := range list {
			if a.Outcome == Invalid || a.Outcome == conflicting {
				p.Refused++
			}
		}
	}
	return tx.AdvanceSpool(s.part.ID, s.part.Sender.Name, p)
}

// lineOf returns the line of an entry of a batch.
func lineOf(record Record) int64 {
	if e, ok := record.(*batchEntry); ok {
		return int64(e.Line)
	}
	return 0
}
