package exchange

import (
	"context"
	"errors"
	"fmt"

	"track"
	"track/answer"
	"track/evolution"
	"track/importer/lines"
	"track/store"
	"track/tracker/lineages"
)

// Lineage is a lineage of another database: its versions, and its ledger if it has one.
type Lineage struct {
	store.LineageRecord
	Versions []store.VersionRecord
	Ledger   *lines.Lineage // nil for a lineage without a ledger
	// TrialsElsewhere counts the trials that the ledger counts and that are not there either.
	TrialsElsewhere int
}

func (Lineage) owned() bool   { return true }
func (Lineage) isKnown() bool { return false }

// settle compares the versions of a lineage with those here. A ledger is stored before, by [Door.putLedger].
func (l Lineage) settle(ctx context.Context, d *Door, r *store.Reader) (answers []Answer, write func(*store.Tx) error, err error) {
	here, err := r.VersionRecords(ctx, l.Name)
	if err != nil {
		return nil, nil, err
	}
	contents := make(map[string]string, len(here))
	for _, v := range here {
		contents[v.Name] = v.ContentID
	}
	conflicts := map[string]bool{}
	for _, v := range l.Versions {
		content, known := contents[v.Name]
		if content == "" || v.ContentID == "" || content == v.ContentID {
			answers = append(answers, answerFor(KindVersion, known))
			continue
		}
		conflicts[v.Name], d.versions[versionKey(l.Name, v.Name)] = true, true
		answers = append(answers, Answer{Kind: KindVersion, Outcome: Conflicting, Problem: &Conflict{
			Kind: KindVersion, Scenario: l.Name, Name: v.Name, Reason: "it has another content here; its executions are left out",
		}})
	}
	return answers, func(tx *store.Tx) error {
		if err := tx.CarryLineage(l.LineageRecord); err != nil {
			return err
		}
		return tx.CarryVersions(l.Name, l.Versions, conflicts)
	}, nil
}

// readLineage reads a lineage of another database. A ledger that is known here is left out.
func readLineage(ctx context.Context, from *store.Reader, record store.LineageRecord) (l Lineage, err error) {
	l.LineageRecord = record
	l.Versions, err = from.VersionRecords(ctx, record.Name)
	return l, err
}

// putLedger stores the ledger of a lineage, if it continues the one here. A ledger in conflict is not an error: problem says why it is left out.
func (d *Door) putLedger(ctx context.Context, from *store.Reader, name string) (l answer.MergedLedger, problem *Conflict, err error) {
	l, err = d.mergeLedger(ctx, from, name)
	if errors.Is(err, track.ErrConflict) || errors.Is(err, lineages.ErrReplay) || errors.Is(err, track.ErrInvalid) {
		return answer.MergedLedger{Lineage: name, Conflict: true}, &Conflict{Kind: KindLineage, Scenario: name, Reason: err.Error()}, nil
	}
	return l, nil, err
}

func (d *Door) mergeLedger(ctx context.Context, from *store.Reader, name string) (answer.MergedLedger, error) {
	there, err := from.Evolving(ctx, name)
	if err != nil {
		return answer.MergedLedger{}, err
	}
	here, err := d.store.Evolving(ctx, name)
	if err == nil && here.End == there.End && here.End.Number > 0 && here.TrialsElsewhere <= there.TrialsElsewhere {
		return answer.MergedLedger{Lineage: name, Known: here.End.Number}, nil
	}
	if err != nil && !errors.Is(err, track.ErrNotFound) {
		return answer.MergedLedger{}, &hereError{err}
	}
	x, err := lineages.Export(ctx, from, name)
	if err != nil {
		return answer.MergedLedger{}, err
	}
	if d.dryRun {
		return foreseeLedger(ctx, d.store.Reader, here, x.Entries, x.End)
	}
	replayed, err := lineages.CheckExport(x)
	if err != nil {
		return answer.MergedLedger{}, err
	}
	var r lineages.Imported
	err = d.store.Update(ctx, func(tx *store.Tx) error {
		if r, err = lineages.Write(ctx, tx, x, replayed); err != nil {
			return err
		}
		l, err := tx.Evolving(ctx, name)
		if err != nil {
			return err
		}
		if n := there.TrialsElsewhere; r.Created || n < l.TrialsElsewhere { // its trials come along
			return tx.SetTrialsElsewhere(l.ID, n)
		}
		return nil
	})
	return answer.MergedLedger{Lineage: name, Entries: r.Entries, Known: r.Known}, err
}

// foreseeLedger finds out what importing a ledger would come to.
func foreseeLedger(ctx context.Context, r *store.Reader, here store.Evolving, there []evolution.Entry, end evolution.Head) (answer.MergedLedger, error) {
	if len(there) == 0 {
		return answer.MergedLedger{}, fmt.Errorf("%w: the lineage has no entry of a ledger", track.ErrInvalid)
	}
	l := answer.MergedLedger{Lineage: there[0].Lineage}
	if replayed := evolution.ReplayLedger(there, end); len(replayed.Differences) > 0 {
		return l, fmt.Errorf("%w: %s", lineages.ErrReplay, replayed.Differences[0])
	}
	var entries []evolution.Entry
	if here.ID != 0 {
		var err error
		if entries, err = r.Entries(ctx, here, store.EntryFilter{}); err != nil {
			return l, err
		}
	}
	l.Known = min(len(entries), len(there))
	l.Entries = len(there) - l.Known
	return l, lineages.CheckSameHistory(l.Lineage, entries[:l.Known], there)
}
