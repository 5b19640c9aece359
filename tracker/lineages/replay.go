package lineages

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
	Strict         bool             // compare the evidence with the executions and seeds that are recorded now
	Counterfactual evolution.Policy // tell what this policy would have decided; nil for none
}

const notRecorded = "not recorded here"

// MissingEvidence says that a strict replay found nothing that evidence could be compared with: its executions are elsewhere, forgotten or deleted.
func MissingEvidence(d evolution.Difference) bool {
	return d.Replayed == notRecorded || d.Field == "evidence" && d.Stored == "recorded"
}

// ReplayReport is what the replay of a lineage came to. Its differences are those of the ledger, then those of what follows from it and is stored beside it.
type ReplayReport struct {
	Lineage string
	evolution.Replayed
	End          evolution.Head
	NStrict      int           // trials of the evidence compared with what is recorded; 0 unless strict
	Alternatives []Alternative // of each decision; none without a counterfactual
}

// Alternative is what another policy would have decided in place of an entry of the ledger. Its Err says why that cannot be told.
type Alternative struct {
	evolution.Alternative
	Entry evolution.Entry
}

// Replay computes the ledger of a lineage again, and compares it with itself, with the mutations, versions and head that are stored beside it, and, where that
// is asked for, with the executions and seeds that its evidence came from.
func Replay(ctx context.Context, st *store.Reader, lineage string, o ReplayOptions) (r ReplayReport, err error) {
	err = st.Snapshot(ctx, func(st *store.Reader) error {
		l, err := st.Evolving(ctx, lineage)
		if err == nil {
			r, _, err = replay(ctx, st, l, o)
		}
		return err
	})
	return r, err
}

// replay also returns the entries that it found.
func replay(ctx context.Context, st *store.Reader, l store.Evolving, o ReplayOptions) (r ReplayReport, entries []evolution.Entry, err error) {
	if entries, err = st.Entries(ctx, l, store.EntryFilter{}); err != nil {
		return r, nil, err
	}
	r = ReplayReport{Lineage: l.Name, Replayed: evolution.ReplayLedger(entries, l.End), End: l.End}
	if len(entries) == 0 {
		r.differs("lineage", "", "ledger", "no entry", "a creation")
	}
	compare := []func(context.Context, *store.Reader, store.Evolving, []evolution.Entry) error{r.lineage, r.mutations, r.versions}
	if o.Strict {
		compare = append(compare, r.strict)
	}
	for _, compare := range compare {
		if err := compare(ctx, st, l, entries); err != nil {
			return r, nil, err
		}
	}
	if o.Counterfactual != nil {
		r.Alternatives = alternatives(entries, o.Counterfactual)
	}
	return r, entries, nil
}

// alternatives asks another policy about each decision that can be read.
func alternatives(entries []evolution.Entry, policy evolution.Policy) (list []Alternative) {
	for _, e := range entries {
		if e.Kind != evolution.KindDecision {
			continue
		}
		a := Alternative{Entry: e}
		if a.Err = e.Decode(&a.Record); a.Err == nil {
			a.Alternative = evolution.Counterfactual([]evolution.Record{a.Record}, policy)[0]
		} else {
			a.Record = evolution.Record{Mutation: e.Mutation} // as far as its row tells
			if e.Attempt != nil {
				a.Record.Attempt = *e.Attempt
			}
		}
		list = append(list, a)
	}
	return list
}

// differs notes what is stored beside the ledger and does not follow from it.
func (r *ReplayReport) differs(kind evolution.Kind, mutation, field, stored, replayed string) {
	if stored != replayed {
		r.Differences = append(r.Differences, evolution.Difference{Kind: kind, Mutation: mutation, Field: field, Stored: stored, Replayed: replayed})
	}
}

// lineage compares the row of the lineage.
func (r *ReplayReport) lineage(_ context.Context, _ *store.Reader, l store.Evolving, entries []evolution.Entry) error {
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
func (r *ReplayReport) mutations(ctx context.Context, st *store.Reader, l store.Evolving, _ []evolution.Entry) error {
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
func (r *ReplayReport) versions(ctx context.Context, st *store.Reader, l store.Evolving, entries []evolution.Entry) error {
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
func (r *ReplayReport) strict(ctx context.Context, st *store.Reader, evolving store.Evolving, entries []evolution.Entry) error {
	l := Lineage{Evolving: evolving, Settings: r.Settings}
	recorded := recordedTrials{}
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
		if err := r.strictDecision(ctx, st, l, e, record, m.Child.Label, m.Parents[0].Label, recorded); err != nil {
			return err
		}
	}
	return nil
}

// strictDecision compares the evidence of one decision.
func (r *ReplayReport) strictDecision(ctx context.Context, st *store.Reader, l Lineage, e evolution.Entry, record evolution.Record, child, parent string, recorded recordedTrials) error {
	now, err := recorded.evidence(ctx, st, l, child, parent)
	if errors.Is(err, track.ErrNotFound) || errors.Is(err, track.ErrInvalid) { // nothing that it could be compared with
		r.Differences = append(r.Differences, evolution.Difference{
			Number: e.Number, Kind: e.Kind, Mutation: e.Mutation, Attempt: record.Attempt, Field: "evidence", Stored: "recorded", Replayed: err.Error(),
		})
		return nil
	}
	if err == nil {
		r.strictSide(e, "child", record.Evidence.Child, now.Child)
		r.strictSide(e, "parent", record.Evidence.Parent, now.Parent)
	}
	return err
}

// recordedTrials are the executions of a lineage by rubric and version: for many decisions they are read once.
type recordedTrials map[string]map[string][]store.ExecutionTrial

// evidence is what [Lineage.evidence] finds.
func (t recordedTrials) evidence(ctx context.Context, st *store.Reader, l Lineage, child, parent string) (e evolution.Evidence, err error) {
	if l.Scenario() != "" {
		e, _, err = l.evidence(ctx, st, child, parent, 0)
		return e, err
	}
	all, known := t[l.Settings.Rubric]
	if !known {
		if all, err = st.LineageTrials(ctx, l.Evolving, l.Settings.Rubric); err != nil {
			return e, err
		}
		t[l.Settings.Rubric] = all
	}
	return evolution.Evidence{Child: trialsOfExecutions(all[child]).Trials, Parent: trialsOfExecutions(all[parent]).Trials}, nil
}

func (r *ReplayReport) strictSide(e evolution.Entry, side string, then, now []evolution.Trial) {
	recorded := make(map[string]evolution.Trial, len(now))
	for _, t := range now {
		recorded[t.ID] = t
	}
	for _, t := range then {
		r.NStrict++
		is, there := recorded[t.ID]
		d := evolution.Difference{Number: e.Number, Kind: e.Kind, Mutation: e.Mutation, Field: fmt.Sprintf("evidence.%s[%s]", side, t.ID), Stored: trialText(t), Replayed: notRecorded}
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

// ReplayedDecision is a decision with the replay of the ledger that it stands in.
type ReplayedDecision struct {
	DecideResult
	Problem error                  // why there is no decision to show, of a ledger that differs
	Own     []evolution.Difference // those of the replay that are of this decision
	Replay  ReplayReport
}

// ReplayDecision shows one decision, and replays the ledger that it stands in; where strict, its evidence too. id is its ID, the beginning of it, or its
// number in the ledger. Where the ledger differs, that a decision is missing, or cannot be read, is no error but a problem.
func ReplayDecision(ctx context.Context, st *store.Reader, lineage, id string, strict bool) (r ReplayedDecision, err error) {
	err = st.Snapshot(ctx, func(st *store.Reader) error {
		evolving, err := st.Evolving(ctx, lineage)
		if err != nil {
			return err
		}
		var entries []evolution.Entry
		if r.Replay, entries, err = replay(ctx, st, evolving, ReplayOptions{}); err != nil {
			return err
		}
		l := Lineage{Evolving: evolving, Settings: r.Replay.Settings}
		if err = r.find(ctx, st, l, entries, id, strict); len(r.Replay.Differences) > 0 && ctx.Err() == nil {
			r.Problem, err = err, nil
		}
		return err
	})
	return r, err
}

// find fills in the decision.
func (r *ReplayedDecision) find(ctx context.Context, st *store.Reader, l Lineage, entries []evolution.Entry, id string, strict bool) error {
	e, err := findDecision(l.Name, entries, id)
	if err != nil {
		return err
	}
	err = r.show(ctx, st, l, e, strict)
	for _, d := range r.Replay.Differences {
		if d.Number == e.Number {
			r.Own = append(r.Own, d)
		}
	}
	return err
}

func (r *ReplayedDecision) show(ctx context.Context, st *store.Reader, l Lineage, e evolution.Entry, strict bool) error {
	story, err := l.tell(ctx, st, e.Mutation)
	if err != nil {
		return err
	}
	for _, d := range story.Decisions {
		if d.Number == e.Number {
			r.DecideResult = d
		}
	}
	if !strict || r.Parent == "" {
		return nil
	}
	return r.Replay.strictDecision(ctx, st, l, e, r.Record, r.Mutation.Child, r.Parent, recordedTrials{})
}

func findDecision(lineage string, entries []evolution.Entry, id string) (evolution.Entry, error) {
	number, notNumber := strconv.Atoi(id)
	var found []evolution.Entry
	for _, e := range entries {
		if e.Kind == evolution.KindDecision && (notNumber == nil && e.Number == number || notNumber != nil && strings.HasPrefix(e.ID(), id)) {
			found = append(found, e)
		}
	}
	switch len(found) {
	case 0:
		return evolution.Entry{}, track.WithHint(fmt.Errorf("decision %s of lineage %s: %w", id, lineage, track.ErrNotFound), track.Hint{Text: "decisions are named as in d-0123456789abcdef, or by their number in the ledger: track mutation show M lists those on a mutation"})

	case 1:
		return found[0], nil
	}
	err := fmt.Errorf("decision %s of lineage %s is %w: %d begin so", id, lineage, track.ErrAmbiguous, len(found))
	return evolution.Entry{}, track.WithHint(err, track.Hint{Text: "give more of it: the first two are " + found[0].ID() + " and " + found[1].ID()})
}
