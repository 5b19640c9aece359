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
	"track/answer"
	"track/evolution"
	"track/store"
)

const notRecorded = "not recorded here"

// ReplayReport is the result of the replay of a lineage. Its differences are those in the ledger, then those between
// the ledger and the tables.
type ReplayReport struct {
	Lineage string
	evolution.Replayed
	End          evolution.Head
	NStrict      int                  // trials of the evidence compared with what is recorded; 0 unless strict
	Elsewhere    int                  // trials that the ledger counts and that were never recorded here
	Alternatives []answer.Alternative // of each decision; nil without a counterfactual
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
func Replay(ctx context.Context, r *store.Reader, lineage string, o answer.ReplayQuestion) (report ReplayReport, err error) {
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
func alternatives(entries []evolution.Entry, policy evolution.Policy) []answer.Alternative {
	list := []answer.Alternative{}
	for _, e := range entries {
		if e.Kind != evolution.KindDecision {
			continue
		}
		a := answer.Alternative{Number: e.Number, Decision: e.ID(), Mutation: e.Mutation}
		if e.Attempt != nil {
			a.Attempt = *e.Attempt
		}
		var record evolution.Record
		if err := e.Decode(&record); err != nil {
			a.Problem = err.Error() // its row says no more
		} else {
			would := evolution.Counterfactual([]evolution.Record{record}, policy)[0]
			d := would.Decision
			a.Mutation, a.Attempt, a.Was, a.Would, a.Label, a.Delta = record.Mutation, record.Attempt, record.Decision.State, d.State, d.Label, d.Delta
			a.Same, a.Need, a.Noise, a.P = would.Same, d.Need, d.Noise, d.P
			if would.Err != nil {
				a.Problem = would.Err.Error()
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

// settingsBefore returns the settings that were active when an entry was made.
func settingsBefore(r ReplayReport, number int) (s evolution.Settings, err error) {
	for _, e := range r.Events {
		if e.Number < number && (e.Kind == evolution.KindCreation || e.Kind == evolution.KindSettings) {
			if s, err = settingsOf(e.Entry); err != nil {
				return s, err
			}
		}
	}
	return s, nil
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
		err := fmt.Errorf("decision %s of lineage %s: %w", id, lineage, track.ErrNotFound)
		err = track.WithHint(err, track.Hint{Text: "name a decision as in d-0123456789abcdef, or by its number in the ledger"})
		return evolution.Entry{}, track.WithHint(err, track.NewHint("list the decisions on a mutation", "mutation show", "MUTATION"))
	case 1:
		return found[0], nil
	}
	err := fmt.Errorf("decision %s of lineage %s is %w: %d begin with it", id, lineage, track.ErrAmbiguous, len(found))
	return evolution.Entry{}, track.WithHint(err, track.Hint{Text: "give more of it: the first two are " + found[0].ID() + " and " + found[1].ID()})
}

// compareEvidence compares the evidence of decisions with what is recorded now.
func compareEvidence(ctx context.Context, r *store.Reader, evolving store.Evolving, report *ReplayReport) error {
	byMeasure := evidenceReader{reader: r, trials: map[string]recorded{}}
	l := Lineage{Evolving: evolving, Settings: report.Settings}
	index := map[string]int{}
	for i, m := range report.Mutations {
		index[m.Mutation] = i
	}
	for _, e := range report.Events {
		switch body := e.Body.(type) {
		case evolution.Creation:
			l.Settings = body.Settings
		case evolution.SettingsChange:
			l.Settings = body.Settings
		case evolution.Record:
			i, exists := index[e.Mutation]
			if !exists || len(report.Mutations[i].Parents) == 0 {
				continue // the replay has named it
			}
			m := report.Mutations[i]
			trials, err := byMeasure.of(ctx, l)
			if err != nil {
				return err
			}
			if err := report.compareDecision(trials, e.Entry, body, m.Child.Label, m.Parents[0].Label); err != nil {
				return err
			}
		}
	}
	return nil
}

// compareExecutions names the executions of the lineage, and their scores, that differ from their checksums.
func compareExecutions(ctx context.Context, r *store.Reader, evolving store.Evolving, report *ReplayReport) error {
	_, err := r.CheckExecutions(ctx, evolving.ID, func(d store.Damage) {
		report.differs(evolution.Kind(d.Table), "", d.Record, differsFromChecksum, asRecorded)
	})
	return err
}

// evidenceReader reads the trials of all versions of a lineage once for all settings that choose the same trials and
// scores.
type evidenceReader struct {
	reader *store.Reader
	trials map[string]recorded
}

func (c evidenceReader) of(ctx context.Context, l Lineage) (recorded, error) {
	measure := l.measure()
	trials, found := c.trials[measure]
	if !found {
		var err error
		if trials, err = loadTrials(ctx, c.reader, l); err != nil {
			return trials, err
		}
		c.trials[measure] = trials
	}
	return trials, nil
}

// compareDecision compares the evidence of one decision.
func (r *ReplayReport) compareDecision(trials recorded, e evolution.Entry, record evolution.Record, child, parent string) error {
	sides, err := trials.sides(child, parent)
	if errors.Is(err, track.ErrNotFound) || errors.Is(err, track.ErrInvalid) { // nothing to compare with
		r.Differences = append(r.Differences, evolution.Difference{
			Number: e.Number, Kind: e.Kind, Mutation: e.Mutation, Attempt: record.Attempt, Field: "evidence", Stored: "recorded", Replayed: err.Error(), Missing: true,
		})
		return nil
	}
	if err == nil {
		r.compareSide(e, "child", record.Evidence.Child, sides[0].Trials)
		r.compareSide(e, "parent", record.Evidence.Parent, sides[1].Trials)
		if m := record.Evidence.Measurement; m != nil {
			r.compareSide(e, "measurement.child", m.Child, sides[0].Measured[measuredSide(record.Mutation, SideChild)])
			r.compareSide(e, "measurement.parent", m.Parent, sides[1].Measured[measuredSide(record.Mutation, SideParent)])
		}
	}
	return err
}

func (r *ReplayReport) compareSide(e evolution.Entry, side string, then, now []evolution.Trial) {
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
		if d.Missing = !there; there {
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

func ReplayLineages(ctx context.Context, r *store.Reader, q answer.ReplayQuestion) (a answer.Replays, err error) {
	if q.Decision != "" {
		return replayOneDecision(ctx, r, q)
	}
	name := q.Lineage
	if name == "" {
		name = q.Kept.Lineage
	}
	names := []string{name}
	if name == "" {
		if names, err = r.EvolvingNames(ctx); err != nil {
			return a, err
		}
		if len(names) == 0 {
			_, err := Resolve(ctx, r, "")
			return a, err
		}
	}
	for _, name := range names {
		replayed, err := replayLineage(ctx, r, name, q)
		if err != nil {
			return a, err
		}
		a.Items = append(a.Items, replayed)
	}
	return a, nil
}

func replayLineage(ctx context.Context, r *store.Reader, name string, q answer.ReplayQuestion) (a answer.Replay, err error) {
	report, err := Replay(ctx, r, name, q)
	if err != nil {
		return a, err
	}
	if q.Kept != (answer.KeptEnd{}) {
		truncated, err := checkEnd(ctx, r, name, q.Kept.End)
		if err != nil {
			return a, err
		}
		if truncated != nil {
			report.Differences = append(report.Differences, *truncated)
		}
	}
	a = replayAnswer(report, q.Strict)
	if q.Counterfactual != nil {
		a.Policy, a.Counterfactual = q.Counterfactual.Name(), report.Alternatives
	}
	return a, nil
}

// replayAnswer returns the replay of a lineage as an answer.
func replayAnswer(r ReplayReport, strict bool) answer.Replay {
	a := answer.Replay{
		Lineage: r.Lineage, OK: len(r.Differences) == 0, Entries: r.Entries, Decisions: r.Decisions, Verified: r.Verified, Head: r.Head, Scale: r.Settings.Scale, End: r.End,
		Differences: r.Differences, TrialsElsewhere: r.Elsewhere,
	}
	if strict {
		a.StrictTrials = &r.NStrict
	}
	return a
}

// replayOneDecision returns one decision with the replay of its ledger and, if strict, of its evidence. The decision is
// named by its ID, a prefix of it, or its number in the ledger. If the ledger differs, a decision that is missing or
// cannot be read is a problem, not an error.
func replayOneDecision(ctx context.Context, r *store.Reader, q answer.ReplayQuestion) (a answer.Replays, err error) {
	lineage, err := Resolve(ctx, r, q.Lineage)
	if err != nil {
		return a, err
	}
	s, err := loadStored(ctx, r, lineage)
	if err != nil {
		return a, err
	}
	replay := replayStored(s)
	shown := answer.DecisionReplay{Asked: q.Decision + " of lineage " + lineage}
	if err := showDecision(ctx, r, s, q, &replay, &shown); err != nil {
		if len(replay.Differences) == 0 || ctx.Err() != nil {
			return a, err
		}
		shown.Problem = err.Error()
	}
	a.Items, a.Decision = []answer.Replay{replayAnswer(replay, q.Strict)}, &shown
	return a, nil
}

// showDecision fills in a decision, with its differences.
func showDecision(ctx context.Context, r *store.Reader, s stored, q answer.ReplayQuestion, replay *ReplayReport, shown *answer.DecisionReplay) error {
	e, err := findDecision(s.Name, s.entries, q.Decision)
	if err != nil {
		return err
	}
	l := Lineage{Evolving: s.Evolving, Settings: replay.Settings}
	_, decisions, err := loadMutation(ctx, r, l, e.Mutation)
	for _, d := range decisions {
		if d.Number != e.Number {
			continue
		}
		decision := decisionAnswer(d)
		shown.Decision, shown.Evidence = &decision, &d.Record.Evidence
		if q.Strict && d.Parent != "" {
			err = compareStrictly(ctx, r, l, replay, d)
		}
	}
	for _, difference := range replay.Differences {
		if difference.Number == e.Number {
			shown.Own = append(shown.Own, difference)
		}
	}
	return err
}

// compareStrictly compares the evidence of a decision with what is recorded, under the settings that were active then.
func compareStrictly(ctx context.Context, r *store.Reader, l Lineage, replay *ReplayReport, d DecideResult) (err error) {
	if l.Settings, err = settingsBefore(*replay, d.Number); err != nil {
		return err
	}
	trials, err := loadTrials(ctx, r, l, d.Mutation.Child, d.Parent)
	if err != nil {
		return err
	}
	return replay.compareDecision(trials, d.Entry, d.Record, d.Mutation.Child, d.Parent)
}
