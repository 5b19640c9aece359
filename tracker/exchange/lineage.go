package exchange

import (
	"context"

	"track/evolution"
	"track/internal/admission"
	"track/store"
)

// lineageRecord is a lineage of another database with its versions. Its ledger is a record of its own.
type lineageRecord struct {
	store.LineageRecord
	Versions []store.VersionRecord
}

func (lineageRecord) needs() Rights { return BringFacts | bringLedgers }
func (lineageRecord) isKnown() bool { return false }

// settle compares the versions of a lineage with those here. Its ledger is stored before.
func (l lineageRecord) settle(ctx context.Context, d *Door, r *store.Reader, tx *store.Tx) (answers []Answer, err error) {
	here, err := r.VersionRecords(ctx, l.Name)
	if err != nil {
		return nil, err
	}
	recorded := make(map[string]store.VersionRecord, len(here))
	for _, v := range here {
		recorded[v.Name] = v
	}
	conflicts := map[string]bool{}
	for _, v := range l.Versions {
		own, known := recorded[v.Name]
		if own.ContentID == "" || v.ContentID == "" || own.ContentID == v.ContentID || own.Masking != v.Masking && r.Texts().Alike(*own.Content, *v.Content) {
			answers = append(answers, answerFor(kindVersion, known))
			continue
		}
		conflicts[v.Name], d.versions[versionKey(l.Name, v.Name)] = true, true
		answers = append(answers, Answer{Kind: kindVersion, Outcome: conflicting, Conflict: &Conflict{
			Kind: kindVersion, Scenario: l.Name, Name: v.Name, Reason: "it has other content here; its executions are left out",
		}})
	}
	if tx == nil {
		return answers, nil
	}
	if err := tx.CarryLineage(l.LineageRecord); err != nil {
		return nil, err
	}
	return answers, tx.CarryVersions(l.Name, l.Versions, conflicts)
}

// readLineage reads a lineage of another database. Contents are masked by the rules of the database that they go to,
// unless a ledger holds their hashes.
func readLineage(ctx context.Context, from *store.Reader, record store.LineageRecord, evolving bool, rules *admission.Rules) (l lineageRecord, err error) {
	l.LineageRecord = record
	l.Versions, err = from.VersionRecords(ctx, record.Name)
	for i := range l.Versions {
		if v := &l.Versions[i]; v.Content != nil && !evolving {
			if clean, n := rules.Text(*v.Content); n > 0 {
				v.Content, v.Masking, v.ContentID = &clean, rules.Version, evolution.VersionID([]byte(clean))
			}
		}
	}
	return l, err
}
