package lineages

import (
	"context"
	"time"

	"track/evolution"
	"track/store"
)

// change calls write in one durable transaction on a lineage. Concurrent changes follow one another: each sees what the
// one before has written.
func change(ctx context.Context, st *store.Store, name string, write func(tx *store.Tx, l *Lineage) error) error {
	return st.Update(ctx, func(tx *store.Tx) error {
		l, err := Load(ctx, tx.Reader, name)
		if err != nil {
			return err
		}
		return write(tx, &l)
	})
}

// appendEntry seals what happened as the next entry of the ledger. headAfter is the version that is active after it.
func appendEntry(tx *store.Tx, l *Lineage, kind evolution.Kind, body any, headAfter string, at time.Time) (evolution.Entry, error) {
	e, err := nextEntry(*l, kind, body, headAfter, at)
	if err != nil {
		return e, err
	}
	if err := tx.Append(l.ID, e); err != nil {
		return e, err
	}
	l.End, l.Head = evolution.Head{Number: e.Number, Hash: e.Hash}, headAfter
	return e, nil
}

// nextEntry returns the entry that [appendEntry] would write.
func nextEntry(l Lineage, kind evolution.Kind, body any, headAfter string, at time.Time) (evolution.Entry, error) {
	prev := evolution.Entry{Number: l.End.Number, Hash: l.End.Hash, HeadAfter: l.Head}
	return evolution.NewEntry(prev, l.Name, kind, body, headAfter, at)
}

// VersionRef returns the label and the identity of a version.
func VersionRef(ctx context.Context, r *store.Reader, l Lineage, name string) (evolution.VersionRef, error) {
	v, err := r.VersionState(ctx, l.Name, name)
	return evolution.VersionRef{Label: name, ID: v.ContentID}, err
}

// withoutSecrets masks what looks like a secret in a text for the ledger, from which nothing can be removed.
func withoutSecrets(r *store.Reader, text string) string {
	masked, _ := r.Texts().Text(text)
	return masked
}

// orNow returns a time to the microsecond, as it is stored, so that a replay decides at the same time; now if it is
// zero.
func orNow(at time.Time, r *store.Reader) time.Time {
	if at.IsZero() {
		return r.Now()
	}
	return at.UTC().Truncate(time.Microsecond)
}

func orDash(s string) string {
	if s == "" {
		return "-"
	}
	return s
}
