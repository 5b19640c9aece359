package lineages

import (
	"context"
	"time"

	"track/evolution"
	"track/store"
)

// recordedDraw is a draw with what came of it.
type recordedDraw struct {
	Number  int // of the entry in the ledger
	At      time.Time
	Draw    evolution.Draw
	P       *float64 // probability that it decided against; nil for a choice among several
	Used    bool     // another number would have led elsewhere
	Outcome string
}

// listDraws lists every draw of a lineage, in the order in which they were made.
func listDraws(ctx context.Context, r *store.Reader, lineage string) ([]recordedDraw, error) {
	l, err := r.Evolving(ctx, lineage)
	if err != nil {
		return nil, err
	}
	entries, err := r.Entries(ctx, l, store.EntryFilter{Kinds: []evolution.Kind{evolution.KindConsideration, evolution.KindDecision}})
	if err != nil {
		return nil, err
	}
	var list []recordedDraw
	for _, e := range entries {
		drawn, err := drawsOf(e)
		if err != nil {
			return nil, err
		}
		list = append(list, drawn...)
	}
	return list, nil
}

func drawsOf(e evolution.Entry) ([]recordedDraw, error) {
	if e.Kind == evolution.KindDecision {
		var r evolution.Record
		err := e.Decode(&r)
		return []recordedDraw{{e.Number, e.At, r.Draw, &r.Decision.P, r.Decision.DrawUsed, string(r.Decision.State)}}, err
	}
	var c evolution.Consideration
	if err := e.Decode(&c); err != nil {
		return nil, err
	}
	outcome := "wait"
	if c.Permission.Mutate {
		outcome = "mutate"
	}
	list := []recordedDraw{{e.Number, e.At, c.Draw, nil, c.Permission.DrawUsed, outcome}}
	if c.Operator != nil && c.Choice != nil {
		list = append(list, recordedDraw{e.Number, e.At, *c.Operator, nil, c.Choice.DrawUsed, c.Choice.Operator.Name})
	}
	return list, nil
}
