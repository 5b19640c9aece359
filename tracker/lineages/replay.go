package lineages

import (
	"cmp"
	"context"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"track/evolution"
	"track/store"
)

// ReplayOptions say what is replayed besides the ledger.
type ReplayOptions struct {
	Strict         bool             // compare the evidence with the executions and seeds that are recorded now
	Counterfactual evolution.Policy // also decide by this policy; nil for none
}

const notRecorded = "not recorded here"

// ReplayReport is the result of the replay of a lineage. Its differences are those in the ledger, then those between
// the ledger and the tables.
type ReplayReport struct {
	Lineage string
	evolution.Replayed
	End          evolution.Head
	NStrict      int           // trials of the evidence compared with what is recorded; 0 unless strict
	Elsewhere    int           // trials that the ledger counts and that were never recorded here
	Alternatives []Alternative // of each decision; nil without a counterfactual
}

// Alternative is what another policy would have decided instead of an entry of the ledger. Its Err says why that is
// unknown.
type Alternative struct {
	evolution.Alternative
	Entry evolution.Entry
}

// stored is what is stored of a lineage besides its trials.
type stored struct {
	store.StoredLineage
	entries   []evolution.Entry
	mutations []store.Mutation
}

func loadStored(ctx context.Context, r *store.Reader, name string) (s stored, err error) {
	if s.StoredLineage, err = r.StoredLineage(ctx, name); err != nil {
		return s, err
	}
	if s.entries, err = r.Entries(ctx, s.Evolving, store.EntryFilter{}); err != nil {
		return s, err
	}
	s.mutations, err = r.Mutations(ctx, s.Evolving, store.MutationFilter{})
	return s, err
}

// Replay computes the ledger of a lineage again. It compares the ledger with itself, with the mutations, versions and
// head that are stored and, if strict, with the executions and seeds that are its evidence.
func Replay(ctx context.Context, r *store.Reader, lineage string, o ReplayOptions) (report ReplayReport, err error) {
	err = r.Snapshot(ctx, func(r *store.Reader) error {
		s, err := loadStored(ctx, r, lineage)
		if err != nil {
			return err
		}
		report = replayStored(s)
		if o.Strict {
			if err := compareEvidence(ctx, r, s.Evolving, &report); err != nil {
				return err
			}
			if err := compareExecutions(ctx, r, s.Evolving, &report); err != nil {
				return err
			}
		}
		if o.Counterfactual != nil {
			report.Alternatives = alternatives(s.entries, o.Counterfactual)
		}
		return nil
	})
	return report, err
}

// replayStored replays a ledger and compares it with the tables.
func replayStored(s stored) ReplayReport {
	r := ReplayReport{Lineage: s.Name, Replayed: evolution.ReplayLedger(s.entries, s.End), End: s.End, Elsewhere: s.TrialsElsewhere}
	if len(s.entries) == 0 {
		r.differs("lineage", "", "ledger", "no entry", "a creation")
	}
	r.compareLineage(s)
	r.compareMutations(s.mutations)
	r.compareVersions(s.Versions)
	r.compareRows(s)
	return r
}

const (
	differsFromChecksum = "differs from its checksum"
	asRecorded          = "as it was recorded"
)

// compareRows names the rows of the lineage and its versions that differ from their checksums.
func (r *ReplayReport) compareRows(s stored) {
	for _, d := range s.Damage {
		r.differs(evolution.Kind(d.Table), "", d.Record, differsFromChecksum, asRecorded)
	}
}

// alternatives decides each decision that can be read by another policy.
func alternatives(entries []evolution.Entry, policy evolution.Policy) (list []Alternative) {
	for _, e := range entries {
		if e.Kind != evolution.KindDecision {
			continue
		}
		a := Alternative{Entry: e}
		if a.Err = e.Decode(&a.Record); a.Err == nil {
			a.Alternative = evolution.Counterfactual([]evolution.Record{a.Record}, policy)[0]
		} else {
			a.Record = evolution.Record{Mutation: e.Mutation} // its row says no more
			if e.Attempt != nil {
				a.Record.Attempt = *e.Attempt
			}
		}
		list = append(list, a)
	}
	return list
}

// differs notes what is stored and does not follow from the ledger.
func (r *ReplayReport) differs(kind evolution.Kind, mutation, field, stored, replayed string) {
	if stored != replayed {
		r.Differences = append(r.Differences, evolution.Difference{Kind: kind, Mutation: mutation, Field: field, Stored: stored, Replayed: replayed})
	}
}

// compareLineage compares the row of the lineage. What the replay of the ledger has named is not named again.
func (r *ReplayReport) compareLineage(s stored) {
	r.differs("lineage", "", "head", s.Head, r.Head)
	if last := len(s.entries) - 1; last >= 0 && s.End == (evolution.Head{}) { // an unknown end is compared with nothing
		r.differs("lineage", "", "end", "none", strconv.Itoa(s.entries[last].Number)+" "+s.entries[last].Hash)
	}
	if len(s.entries) == 0 || s.entries[0].Kind != evolution.KindCreation {
		return
	}
	if c, ok := r.Events[0].Body.(evolution.Creation); ok {
		r.differs("lineage", "", "seed", s.Seed.String(), strconv.FormatUint(c.Seed, 10))
		r.differs("lineage", "", "subject", s.Subject, c.Subject)
	}
}

// compareMutations compares the table of mutations.
func (r *ReplayReport) compareMutations(stored []store.Mutation) {
	byKey := map[string]store.Mutation{}
	for _, m := range stored {
		byKey[m.Key] = m
	}
	for _, want := range r.Mutations {
		m, found := byKey[want.Mutation]
		delete(byKey, want.Mutation)
		if !found {
			r.differs("mutation", want.Mutation, "row", "missing", "there")
			continue
		}
		r.compareMutation(m, want)
	}
	for _, m := range stored {
		if _, extra := byKey[m.Key]; extra {
			r.differs("mutation", m.Key, "row", "there", "never proposed")
		}
	}
}

func (r *ReplayReport) compareMutation(m store.Mutation, want evolution.ReplayedMutation) {
	expected := mutationOf(want.Proposal, want.State, m.ProposedAt)
	for _, f := range []struct{ field, stored, replayed string }{
		{"number", strconv.Itoa(m.Number), strconv.Itoa(expected.Number)},
		{"child", m.Child, expected.Child},
		{"parents", strings.Join(m.Parents, " "), strings.Join(expected.Parents, " ")},
		{"operator", m.Operator, expected.Operator},
		{"risk", string(m.Risk), string(expected.Risk)},
		{"note", m.Note, expected.Note},
		{"cost_usd", numberText(m.CostUSD), numberText(expected.CostUSD)},
		{"source", m.Source, expected.Source},
		{"state", string(m.State), string(expected.State)},
		{"n_attempts", strconv.Itoa(m.NAttempts), strconv.Itoa(want.Attempts)},
		{"delta", numberText(m.Delta), numberText(want.Delta)},
		{"proposed_at", microsText(m.ProposedAt), microsText(want.At)},
	} {
		r.differs("mutation", m.Key, f.field, f.stored, f.replayed)
	}
}

func microsText(at time.Time) string { return at.UTC().Format("2006-01-02T15:04:05.999999Z") }

func numberText(x *float64) string {
	if x == nil {
		return "none"
	}
	return strconv.FormatFloat(*x, 'g', -1, 64)
}

// compareVersions compares the contents of versions with their identities in the ledger.
func (r *ReplayReport) compareVersions(stored []store.VersionState) {
	versions := map[string]store.VersionState{}
	for _, v := range stored {
		versions[v.Name] = v
	}
	for _, label := range slices.Sorted(maps.Keys(r.Labels)) {
		v, found := versions[label]
		if !found {
			r.differs("version", "", label, "missing", "there")
			continue
		}
		id := ""
		if v.Content != nil {
			id = evolution.VersionID([]byte(*v.Content))
		}
		expected := cmp.Or(r.Labels[label], id) // the ledger may have known no content
		r.differs("version", "", label+".content", cmp.Or(id, "none"), cmp.Or(expected, "none"))
		r.differs("version", "", label+".content_digest", cmp.Or(v.ContentID, "none"), cmp.Or(expected, "none"))
	}
}
