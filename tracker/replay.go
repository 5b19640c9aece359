package tracker

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"track"
	"track/evolution"
	"track/store"
)

// ReplayOptions say what is replayed besides the ledger.
type ReplayOptions struct {
	Strict bool // compare the evidence with the executions and seeds that are recorded now
}

// ReplayReport is what the replay of a lineage came to. Its differences are those of the ledger, then those of what follows from it and is stored beside it.
type ReplayReport struct {
	Lineage string
	evolution.Replayed
	End     evolution.Head
	NStrict int // trials of the evidence compared with what is recorded; 0 unless strict
}

// Replay computes the ledger of a lineage again, and compares it with itself, with the mutations, versions and head that are stored beside it, and, where that
// is asked for, with the executions and seeds that its evidence came from.
func Replay(ctx context.Context, st *store.Store, lineage string, o ReplayOptions) (r ReplayReport, err error) {
	err = st.Snapshot(ctx, func(st *store.Store) error {
		l, err := st.Evolving(ctx, lineage)
		if err != nil {
			return err
		}
		entries, err := st.Entries(ctx, l, store.EntryFilter{})
		if err != nil {
			return err
		}
		r = ReplayReport{Lineage: lineage, Replayed: evolution.ReplayLedger(entries, l.End), End: l.End}
		if len(entries) == 0 {
			r.differs("lineage", "", "ledger", "no entry", "a creation")
		}
		for _, compare := range []func(context.Context, *store.Store, store.Evolving, []evolution.Entry) error{r.lineage, r.mutations, r.versions} {
			if err := compare(ctx, st, l, entries); err != nil {
				return err
			}
		}
		if o.Strict {
			return r.strict(ctx, st, l, entries)
		}
		return nil
	})
	return r, err
}

// differs notes what is stored beside the ledger and does not follow from it.
func (r *ReplayReport) differs(kind evolution.Kind, mutation, field, stored, replayed string) {
	if stored != replayed {
		r.Differences = append(r.Differences, evolution.Difference{Kind: kind, Mutation: mutation, Field: field, Stored: stored, Replayed: replayed})
	}
}

// lineage compares the row of the lineage.
func (r *ReplayReport) lineage(_ context.Context, _ *store.Store, l store.Evolving, entries []evolution.Entry) error {
	r.differs("lineage", "", "head", l.Head, r.Head)
	if last := len(entries) - 1; last >= 0 && l.End == (evolution.Head{}) { // an end that is not known is compared with nothing
		r.differs("lineage", "", "end", "none", strconv.Itoa(entries[last].Number)+" "+entries[last].Hash)
	}
	if len(entries) == 0 || entries[0].Kind != evolution.KindCreation {
		return nil // named already
	}
	var c evolution.Creation
	if err := entries[0].Decode(&c); err != nil {
		return nil // named already
	}
	r.differs("lineage", "", "seed", l.Seed.String(), strconv.FormatUint(c.Seed, 10))
	r.differs("lineage", "", "subject", l.Subject, c.Subject)
	return nil
}

// mutations compares the table of mutations.
func (r *ReplayReport) mutations(ctx context.Context, st *store.Store, l store.Evolving, _ []evolution.Entry) error {
	stored, err := st.Mutations(ctx, l, store.MutationFilter{})
	if err != nil {
		return err
	}
	byKey := map[string]store.Mutation{}
	for _, m := range stored {
		byKey[m.Key] = m
	}
	for _, want := range r.Mutations {
		m, there := byKey[want.Mutation]
		delete(byKey, want.Mutation)
		if !there {
			r.differs("mutation", want.Mutation, "row", "missing", "there")
			continue
		}
		r.mutation(m, want)
	}
	for _, m := range stored {
		if _, extra := byKey[m.Key]; extra {
			r.differs("mutation", m.Key, "row", "there", "never proposed")
		}
	}
	return nil
}

func (r *ReplayReport) mutation(m store.Mutation, want evolution.ReplayedMutation) {
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

// versions compares the contents of versions with the identities that the ledger gives them.
func (r *ReplayReport) versions(ctx context.Context, st *store.Store, l store.Evolving, entries []evolution.Entry) error {
	want := map[string]string{} // by label
	for _, ref := range refsOf(entries) {
		want[ref.Label] = cmp.Or(ref.ID, want[ref.Label])
	}
	for _, label := range slices.Sorted(maps.Keys(want)) {
		state, err := st.VersionState(ctx, l.Name, label)
		if errors.Is(err, track.ErrNotFound) {
			r.differs("version", "", label, "missing", "there")
			continue
		}
		if err != nil {
			return err
		}
		content, err := st.Content(ctx, l.Name, label)
		if err != nil {
			return err
		}
		is := ""
		if content != nil {
			is = evolution.VersionID([]byte(*content))
		}
		expected := cmp.Or(want[label], is) // the ledger may have known no content
		r.differs("version", "", label+".content", cmp.Or(is, "none"), cmp.Or(expected, "none"))
		r.differs("version", "", label+".content_digest", cmp.Or(state.ContentID, "none"), cmp.Or(expected, "none"))
	}
	return nil
}

// refsOf are the versions that a ledger names.
func refsOf(entries []evolution.Entry) (list []evolution.VersionRef) {
	for _, e := range entries {
		switch e.Kind {
		case evolution.KindCreation:
			var c evolution.Creation
			if e.Decode(&c) == nil && c.Root != nil {
				list = append(list, *c.Root)
			}
		case evolution.KindProposal, evolution.KindRefusal:
			var p evolution.Proposal
			if e.Decode(&p) == nil {
				list = append(append(list, p.Child), p.Parents...)
			}
		case evolution.KindRollback:
			var r evolution.RollbackEvent
			if e.Decode(&r) == nil && r.Version != nil {
				list = append(list, *r.Version)
			}
		}
	}
	return list
}

// strict compares the evidence of decisions with what is recorded now.
func (r *ReplayReport) strict(ctx context.Context, st *store.Store, evolving store.Evolving, entries []evolution.Entry) error {
	l := Lineage{Evolving: evolving, Settings: r.Settings}
	place := map[string]int{}
	for i, m := range r.Mutations {
		place[m.Mutation] = i
	}
	for _, e := range entries {
		if settings, err := settingsOf(e); err == nil && (e.Kind == evolution.KindCreation || e.Kind == evolution.KindSettings) {
			l.Settings = settings
		}
		var record evolution.Record
		i, known := place[e.Mutation]
		if e.Kind != evolution.KindDecision || !known || len(r.Mutations[i].Parents) == 0 || e.Decode(&record) != nil {
			continue // named already
		}
		m := r.Mutations[i]
		now, _, err := l.evidence(ctx, st, m.Child.Label, m.Parents[0].Label, record.Evidence.Step)
		if errors.Is(err, track.ErrNotFound) || errors.Is(err, track.ErrInvalid) { // nothing that it could be compared with
			r.Differences = append(r.Differences, evolution.Difference{
				Number: e.Number, Kind: e.Kind, Mutation: e.Mutation, Attempt: record.Attempt, Field: "evidence", Stored: "recorded", Replayed: err.Error(),
			})
			continue
		}
		if err != nil {
			return err
		}
		r.strictSide(e, "child", record.Evidence.Child, now.Child)
		r.strictSide(e, "parent", record.Evidence.Parent, now.Parent)
	}
	return nil
}

func (r *ReplayReport) strictSide(e evolution.Entry, side string, then, now []evolution.Trial) {
	recorded := make(map[string]evolution.Trial, len(now))
	for _, t := range now {
		recorded[t.ID] = t
	}
	for _, t := range then {
		r.NStrict++
		is, there := recorded[t.ID]
		d := evolution.Difference{Number: e.Number, Kind: e.Kind, Mutation: e.Mutation, Field: fmt.Sprintf("evidence.%s[%s]", side, t.ID), Stored: trialText(t), Replayed: "not recorded here"}
		if e.Attempt != nil {
			d.Attempt = *e.Attempt
		}
		if there {
			d.Replayed = trialText(is)
		}
		if d.Stored != d.Replayed {
			r.Differences = append(r.Differences, d)
		}
	}
}

// trialText is all that counts of a trial.
func trialText(t evolution.Trial) string {
	score := numberText(t.Score)
	if t.Score != nil && *t.Score == 0 && math.Signbit(*t.Score) {
		score = "0"
	}
	return fmt.Sprintf("key %q, at %s, score %s %s, failed %q", t.Key, microsText(t.At), score, t.Under, t.Failed)
}

// Alternatives are what another policy would have decided, decision by decision.
func Alternatives(ctx context.Context, st *store.Store, lineage string, policy evolution.Policy) ([]evolution.Entry, []evolution.Alternative, error) {
	l, err := st.Evolving(ctx, lineage)
	if err != nil {
		return nil, nil, err
	}
	entries, err := st.Entries(ctx, l, store.EntryFilter{Kinds: []evolution.Kind{evolution.KindDecision}})
	if err != nil {
		return nil, nil, err
	}
	records := make([]evolution.Record, len(entries))
	for i, e := range entries {
		if err := e.Decode(&records[i]); err != nil {
			return nil, nil, track.WithHint(err, "track replay --lineage "+lineage+" says more")
		}
	}
	return entries, evolution.Counterfactual(records, policy), nil
}

// ReplayedDecision is a decision with what its own replay finds.
type ReplayedDecision struct {
	DecideResult
	Differences []evolution.Difference
}

// ReplayDecision replays one decision: its record, its hash and, where strict, its evidence. id is its ID, the beginning of it, or its number in the ledger.
func ReplayDecision(ctx context.Context, st *store.Store, lineage, id string, strict bool) (r ReplayedDecision, err error) {
	err = st.Snapshot(ctx, func(st *store.Store) error {
		l, err := LoadLineage(ctx, st, lineage)
		if err != nil {
			return err
		}
		e, err := findDecision(ctx, st, l, id)
		if err != nil {
			return err
		}
		story, err := TellMutation(ctx, st, lineage, e.Mutation)
		if err != nil {
			return err
		}
		for _, d := range story.Decisions {
			if d.Number == e.Number {
				r.DecideResult = d
			}
		}
		report := ReplayReport{Lineage: lineage}
		report.Differences = evolution.ReplayEntry(e)
		if strict && r.Parent != "" {
			now, _, err := l.evidence(ctx, st, r.Mutation.Child, r.Parent, r.Record.Evidence.Step)
			if err != nil {
				return err
			}
			report.strictSide(e, "child", r.Record.Evidence.Child, now.Child)
			report.strictSide(e, "parent", r.Record.Evidence.Parent, now.Parent)
		}
		r.Differences = report.Differences
		return nil
	})
	return r, err
}

func findDecision(ctx context.Context, st *store.Store, l Lineage, id string) (evolution.Entry, error) {
	entries, err := st.Entries(ctx, l.Evolving, store.EntryFilter{Kinds: []evolution.Kind{evolution.KindDecision}})
	if err != nil {
		return evolution.Entry{}, err
	}
	number, notNumber := strconv.Atoi(id)
	var found []evolution.Entry
	for _, e := range entries {
		if notNumber == nil && e.Number == number || notNumber != nil && strings.HasPrefix(e.ID(), id) {
			found = append(found, e)
		}
	}
	switch len(found) {
	case 0:
		return evolution.Entry{}, track.WithHint(fmt.Errorf("decision %s of lineage %s: %w", id, l.Name, track.ErrNotFound),
			"decisions are named as in d-0123456789abcdef, or by their number in the ledger: track mutation show M lists those on a mutation")
	case 1:
		return found[0], nil
	}
	err = fmt.Errorf("decision %s of lineage %s is %w: %d begin so", id, l.Name, track.ErrAmbiguous, len(found))
	return evolution.Entry{}, track.WithHint(err, "give more of it: the first two are "+found[0].ID()+" and "+found[1].ID())
}
