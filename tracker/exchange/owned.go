package exchange

import (
	"context"
	"errors"
	"fmt"

	"track"
	"track/importer/lines"
	"track/internal/admission"
	"track/scoring"
	"track/spec"
	"track/store"
	"track/tracker/lineages"
	"track/tracker/seeds"
)

// prepareOwned prepares what another database recorded. What is wrong with it is the entry's error.
func (b *batchRun) prepareOwned(e *batchEntry) (err error) {
	rules := b.seeds.Store.Texts()
	switch {
	case e.RecordedSeed != nil:
		e.seed, err = seeds.PrepareRecorded(e.Seed, *e.RecordedSeed, rules)
	case e.RecordedExecution != nil:
		execution := store.RecordOf(*e.RecordedExecution).Execution
		_, e.Err = rules.Admit(&execution) // its names: texts are masked when it is stored
	case e.Configuration != nil:
		_, e.Err = rules.Admit(&e.Configuration.Configuration)
	case e.Spec != nil:
		e.owned, err = storedSpec(*e.Spec, rules)
	case e.Baseline != nil:
		if e.Err = rules.Name("actor", e.Baseline.Actor); e.Err == nil && e.Baseline.Configuration != nil {
			_, e.Err = rules.Admit(e.Baseline.Configuration)
		}
	case e.Look != nil:
		if e.Err = rules.Name("of", e.Look.Of); e.Err == nil {
			e.Err = rules.Name("verdict", e.Look.Verdict)
		}
	case e.hasLedger():
		b.evolving[e.Lineage.Name] = true
	case e.Lineage != nil:
		for i := range e.Lineage.Versions {
			v := &e.Lineage.Versions[i]
			if v.Content != nil && !b.evolving[e.Lineage.Name] { // a ledger has the hashes of contents
				if clean, n := rules.Text(*v.Content); n > 0 {
					v.Content, v.Masking = &clean, rules.Version
				}
			}
			for _, name := range []string{e.Lineage.Name, v.Name, v.Operator, v.Status, v.Source} {
				if e.Err == nil {
					e.Err = rules.Name("version", name)
				}
			}
		}
	}
	return err
}

func storedSpec(s lines.Spec, rules *admission.Rules) (store.Spec, error) {
	decoded, err := spec.Decode([]byte(s.Document))
	if err == nil && decoded.Scenario != s.Scenario {
		err = fmt.Errorf("is of scenario %s", decoded.Scenario)
	}
	if err != nil {
		return store.Spec{}, (&track.FieldError{Field: "document", Message: err.Error()}).Shorten()
	}
	stored := store.Spec{Scenario: s.Scenario, Version: s.Version, Title: s.Title, Document: spec.Canonical(decoded), Hash: spec.Hash(decoded), CreatedAt: s.At}
	if problem := rules.Unchanged("spec", string(stored.Document)); problem != nil {
		return stored, problem
	}
	return stored, nil
}

// settleOwned stores what another database recorded.
func (e *batchEntry) settleOwned(ctx context.Context, d *Door, tx *store.Tx) ([]Answer, error) {
	var a Answer
	var err error
	added := false
	switch {
	case e.RecordedSeed != nil:
		a, err = e.recordWholeSeed(ctx, d, tx)
	case e.RecordedExecution != nil:
		a, err = e.recordWholeExecution(ctx, d, tx)
	case e.Configuration != nil:
		added, err = tx.AddConfiguration(e.Configuration.Configuration)
		a = answerFor(kindConfiguration, !added)
	case e.Spec != nil:
		a, err = recordSpec(ctx, tx, e.owned)
	case e.Baseline != nil:
		added, err = tx.AddBaseline(baseline(*e.Baseline))
		a = answerFor(kindPin, !added)
	case e.Look != nil:
		a, err = recordLook(ctx, tx, *e.Look)
	case e.Forgotten != nil:
		a, err = recordForgotten(ctx, tx, *e.Forgotten)
	case e.Lineage != nil:
		return recordVersions(d, tx, *e.Lineage)
	}
	return []Answer{a}, err
}

func (e *batchEntry) recordWholeSeed(ctx context.Context, d *Door, tx *store.Tx) (Answer, error) {
	e.batch.begins(tx)
	result, err := e.batch.seeds.RecordWhole(ctx, tx, e.seed, *e.RecordedSeed)
	e.result = result
	problem := result.Problem
	if problem == nil && result.Disposition == track.Conflict {
		problem = &track.FieldError{Message: result.DescribeConflict(e.seed.Outcome)}
	}
	if result.IsUnjudged {
		d.counts.Unjudged[e.seed.Scenario]++
	}
	return answerOf(kindSeed, result.Disposition, problem), err
}

func (e *batchEntry) recordWholeExecution(ctx context.Context, d *Door, tx *store.Tx) (Answer, error) {
	whole := *e.RecordedExecution
	if d.refused[whole.Lineage] {
		return Answer{Kind: kindExecution, Outcome: Invalid, Problem: refusedLedger(whole.Lineage)}, nil
	}
	if d.versions[versionKey(whole.Lineage, whole.Version)] {
		problem := &track.FieldError{Message: "its version " + whole.Version + " has other content here"}
		return Answer{Kind: kindExecution, Outcome: conflicting, Problem: problem}, nil
	}
	result, err := e.batch.executions.AddRecorded(ctx, tx, whole)
	d.counts.Uncompared += result.NUnknown
	if result.Disposition == track.Replaced { // it was here, and had not come as far
		result.Disposition = track.Duplicate
	}
	return answerOf(kindExecution, result.Disposition, result.Problem), err
}

func refusedLedger(lineage string) *track.FieldError {
	return &track.FieldError{Message: "the ledger of lineage " + lineage + " was refused"}
}

func versionKey(lineage, version string) string { return lineage + "\x00" + version }

// recordSpec adds a version of a spec that continues the list here. If both sides added versions, the list here stays.
func recordSpec(ctx context.Context, tx *store.Tx, s store.Spec) (Answer, error) {
	here, err := tx.SpecHashes(ctx, s.Scenario)
	if err != nil {
		return Answer{}, err
	}
	known := false
	for _, h := range here {
		known = known || h.Hash == s.Hash
	}
	if !known && s.Version != len(here)+1 {
		problem := &track.FieldError{Message: "both sides added a version after the last one that they share; its judgements are left out"}
		return Answer{Kind: kindSpec, Outcome: conflicting, Problem: problem}, nil
	}
	metrics, err := seeds.StoredMetrics(s)
	if err == nil {
		err = tx.AddSpecAs(s, metrics)
	}
	return answerFor(kindSpec, known), err
}

func recordLook(ctx context.Context, tx *store.Tx, l lines.Look) (Answer, error) {
	known, err := tx.HasLook(ctx, l.ID)
	if err != nil || known {
		return answerFor(kindLook, true), err
	}
	added, err := tx.AddLook(store.Look{
		ULID: l.ID, Kind: store.LookKind(l.Of), Question: l.Question, Evidence: l.Evidence, N: l.N, Plan: l.Plan, Anytime: l.Anytime, Verdict: scoring.Verdict(l.Verdict), LookedAt: l.At,
	})
	return answerFor(kindLook, !added), err
}

// recordForgotten forgets the texts of an execution that was forgotten elsewhere.
func recordForgotten(ctx context.Context, tx *store.Tx, f lines.Forgotten) (Answer, error) {
	list := []store.Tombstone{{ID: f.ID, Digest: f.Digest, Identity: f.Identity, Reason: f.Reason, At: f.At}}
	missing, err := tx.MissingTombstones(ctx, list)
	if err != nil || len(missing) == 0 {
		return answerFor(kindTombstone, true), err
	}
	found, err := tx.Forgettables(ctx, missing)
	if err == nil {
		err = tx.AddTombstone(missing[0])
	}
	for _, execution := range found {
		err = errors.Join(err, tx.ForgetAt(execution.ID, execution.At))
	}
	return answerFor(kindTombstone, false), err
}

// recordVersions stores a lineage with its versions, and answers for each version. Its ledger is stored before.
func recordVersions(d *Door, tx *store.Tx, l lines.Lineage) (answers []Answer, err error) {
	if d.refused[l.Name] {
		return []Answer{{Kind: kindVersion, Outcome: Invalid, Problem: refusedLedger(l.Name)}}, nil
	}
	conflicts, added, err := tx.AddLineage(store.WholeLineage{Name: l.Name, KeepText: l.KeepText, CreatedAt: l.At}, l.Versions)
	if err != nil {
		return nil, err
	}
	for i, v := range l.Versions {
		if !conflicts[v.Name] {
			answers = append(answers, answerFor(kindVersion, i >= added))
			continue
		}
		d.versions[versionKey(l.Name, v.Name)] = true
		answers = append(answers, Answer{Kind: kindVersion, Outcome: conflicting, Name: v.Name, Problem: &track.FieldError{
			Message: "it has other content here; its executions are left out",
		}})
	}
	return answers, nil
}

// recordLedger stores the ledger of another database, if it continues the one here.
func (b *batchRun) recordLedger(ctx context.Context, e *batchEntry) (Answer, error) {
	if b.door.rights != Owner {
		return Answer{Outcome: Invalid, Problem: refuse(e.Kind())}, nil
	}
	x := *e.Lineage
	here, err := b.seeds.Store.Evolving(ctx, x.Name)
	switch {
	case errors.Is(err, track.ErrNotFound):
	case err != nil:
		return Answer{}, err
	case here.End == x.End && (x.TrialsElsewhere == nil || here.TrialsElsewhere <= *x.TrialsElsewhere):
		b.door.counts.Entries.Known += len(x.Entries)
		return answerFor(kindLineage, true), nil
	}
	l := ledgerRecord{Lineage: x}
	if l.replayed, err = lineages.CheckExport(x); err == nil {
		_, err = b.door.Put(ctx, &l)
	}
	var refused *track.FieldError
	switch {
	case errors.As(err, &refused):
		b.door.refused[x.Name] = true
		return Answer{Kind: kindLineage, Outcome: Invalid, Problem: refused}, nil
	case errors.Is(err, track.ErrDiffers), errors.Is(err, track.ErrInvalid):
		b.door.refused[x.Name] = true
		return Answer{Kind: kindLineage, Outcome: Invalid, Problem: &track.FieldError{Message: err.Error()}}, nil
	case errors.Is(err, track.ErrConflict):
		b.door.counts.Entries.Conflicts++
		return Answer{Kind: kindLineage, Outcome: conflicting, Problem: &track.FieldError{Message: err.Error()}}, nil
	case err != nil:
		return Answer{}, err
	}
	b.ledgers = append(b.ledgers, x.Name)
	b.door.counts.Entries.Recorded += l.result.Entries
	b.door.counts.Entries.Known += l.result.Known
	return answerFor(kindLineage, l.result.Entries == 0), nil
}

func baseline(b lines.Baseline) store.Baseline {
	made := store.Baseline{ULID: b.ID, Scenario: b.Scenario, Previous: b.Previous, Reason: b.Reason, Actor: b.Actor, SetAt: b.At}
	if b.Configuration != nil {
		made.Configuration = &store.Configuration{RecordedConfiguration: track.RecordedConfiguration{Configuration: *b.Configuration}}
	}
	return made
}
