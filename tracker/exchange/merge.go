package exchange

import (
	"bufio"
	"cmp"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"iter"
	"maps"
	"os"
	"slices"
	"time"

	"track"
	"track/answer"
	"track/importer"
	"track/importer/lines"
	"track/internal/admission"
	"track/internal/sizes"
	"track/scoring"
	"track/spec"
	"track/store"
	"track/tracker/integrity"
	"track/tracker/lineages"
	"track/tracker/seeds"
)

// MergeOptions say how files are merged.
type MergeOptions struct {
	DryRun   bool                                                  // the target is a copy that is thrown away
	Parts    Parts                                                 // of databases
	Stream   io.Reader                                             // of the file -
	Largest  sizes.Size                                            // what a compressed file may hold
	Progress func(verb string) (update func(done int), end func()) // is called for each file; may be nil
}

// MergeFiles merges files into a database: other databases, and files of lines that were written of one. here is the
// path of the target, which open opens, or creates. All files are checked before: if one of them cannot be merged,
// nothing is.
func MergeFiles(ctx context.Context, here string, open func() (st *store.Store, done func(), err error), files []string, o MergeOptions) (a answer.Merged, err error) {
	a = answer.Merged{DryRun: o.DryRun, Files: []answer.MergedFile{}}
	isLines := make([]bool, len(files))
	for i, file := range files {
		if isLines[i], err = isLinesFile(file); err == nil && !isLines[i] {
			err = checkDatabase(ctx, here, file, o)
		}
		if err != nil {
			return a, fmt.Errorf("merge %s: %w", file, err)
		}
	}
	st, done, err := open()
	if err != nil {
		return a, err
	}
	defer done()
	for i, file := range files {
		f := answer.NewMergedFile(file)
		if isLines[i] {
			err = mergeLines(ctx, st, &f, o)
		} else {
			err = mergeDatabase(ctx, st, &f, o)
		}
		a.Files = append(a.Files, f)
		if errors.Is(err, context.Canceled) {
			err = track.WithHint(err, track.Hint{Text: "run the same command again: it continues"})
		}
		if err != nil {
			return a, fmt.Errorf("merge %s: %w", file, err)
		}
	}
	return a, a.Err()
}

// isLinesFile reports whether a file has lines, and is not a database.
func isLinesFile(path string) (bool, error) {
	if path == "-" {
		return true, nil
	}
	if info, err := os.Stat(path); err != nil || !info.Mode().IsRegular() {
		return false, nil // a server, or nothing that can be merged
	}
	in, err := os.Open(path)
	if err != nil {
		return false, err
	}
	defer func() { _ = in.Close() }()
	unzipped, err := importer.Decompress(in)
	if err != nil {
		return false, fmt.Errorf("%w: %w", track.ErrInvalid, err)
	}
	first, _ := unzipped.Peek(1) // an empty file is none
	return string(first) == "{", nil
}

// mergeDatabase merges the database in a file.
func mergeDatabase(ctx context.Context, st *store.Store, f *answer.MergedFile, o MergeOptions) (err error) {
	other, err := store.OpenOther(ctx, f.File, st.Now)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, other.Close()) }()
	return Merge(ctx, st, other, f, o)
}

// Merge records what another database holds.
func Merge(ctx context.Context, to, from *store.Store, f *answer.MergedFile, o MergeOptions) error {
	return mergeRecords(ctx, to, f, DatabaseLines(ctx, from, o.Parts), o)
}

// mergeLines merges a file of lines.
func mergeLines(ctx context.Context, st *store.Store, f *answer.MergedFile, o MergeOptions) error {
	in, name := o.Stream, "standard input"
	if f.File != "-" {
		opened, err := os.Open(f.File)
		if err != nil {
			return err
		}
		defer func() { _ = opened.Close() }()
		in, name = opened, f.File
	}
	unzipped, err := importer.Decompress(in)
	if err != nil {
		return fmt.Errorf("%w: %w", track.ErrInvalid, err)
	}
	records := lines.Read(name, bufio.NewReader(o.Largest.Reader(unzipped)))
	return mergeRecords(ctx, st, f, wholeExport(records), o)
}

// wholeExport yields lines, and an error if an export was cut off.
func wholeExport(records iter.Seq2[lines.Record, error]) iter.Seq2[lines.Record, error] {
	return func(yield func(lines.Record, error) bool) {
		n, isOpen := 0, false
		for record, err := range records {
			if errors.Is(err, io.ErrUnexpectedEOF) {
				break // of what is compressed
			}
			if err == nil && record.Export != nil {
				if isOpen && record.Export.Lines != n {
					yield(record, fmt.Errorf("%w: %d records stand between its first and its last line, not %d", track.ErrInvalid, n-1, record.Export.Lines-1))
					return
				}
				isOpen = !isOpen
			}
			if err != nil {
				err = fmt.Errorf("%w: %w", track.ErrInvalid, err)
			}
			n++
			if !yield(record, err) {
				return
			}
		}
		if isOpen {
			err := fmt.Errorf("%w: its last line is missing: it was cut off", track.ErrInvalid)
			yield(lines.Record{}, track.WithHint(err, track.Hint{Text: "what was merged before is whole; ask for the file again"}))
		}
	}
}

// mergeRecords records what another database recorded, as its owner. Recorded again, it changes nothing: after an
// interruption, the same merge continues.
func mergeRecords(ctx context.Context, st *store.Store, f *answer.MergedFile, records iter.Seq2[lines.Record, error], o MergeOptions) error {
	observer := BatchObserver{Problem: func(p BatchProblem) {
		if !p.Conflict {
			f.Rejected++
			f.Hint = cmp.Or(f.Hint, p.Hint)
		}
		f.N++
		f.Conflicts = append(f.Conflicts, mergeConflict(p))
	}}
	if o.Progress != nil {
		update, end := o.Progress("merging")
		defer end()
		observer.Progress = update
	}
	run := newBatchRun(seeds.NewRecorder(st, seeds.Options{}, rand.Reader), nil, observer, Owner)
	scenarios := map[string]bool{}
	err := run.recordChunks(ctx, ofScenarios(scenarios, records))
	f.MergeCounts = run.door.counts
	if err == nil {
		err = run.complete(ctx, scenarios)
	}
	return run.door.sync(store.WriteError(f.File, err))
}

// ofScenarios notes the scenarios of the seeds among some records.
func ofScenarios(scenarios map[string]bool, records iter.Seq2[lines.Record, error]) iter.Seq2[lines.Record, error] {
	return func(yield func(lines.Record, error) bool) {
		for record, err := range records {
			if err == nil && record.RecordedSeed != nil {
				scenarios[record.Seed.Scenario] = true
			}
			if !yield(record, err) {
				return
			}
		}
	}
}

// complete does what needs all records: it orders configurations by their first seeds, and counts the trials that a
// ledger has and that did not come along. It does so even if no record is new, since the merge before may have been cut
// short.
func (b *batchRun) complete(ctx context.Context, scenarios map[string]bool) error {
	st := b.seeds.Store
	for _, scenario := range slices.Sorted(maps.Keys(scenarios)) {
		if err := st.UpdateRelaxed(ctx, func(tx *store.Tx) error { return tx.OrderConfigurations(scenario) }); err != nil {
			return err
		}
	}
	for _, name := range b.ledgers {
		if err := st.Update(ctx, func(tx *store.Tx) error { return lineages.CountTrialsElsewhere(ctx, tx, name, false) }); err != nil {
			return err
		}
	}
	return nil
}

// checkDatabase refuses a database that is damaged: merging would spread the damage.
func checkDatabase(ctx context.Context, here, file string, o MergeOptions) (err error) {
	if err := store.CheckOther(ctx, here, file); err != nil {
		return err
	}
	st, err := store.OpenOther(ctx, file, time.Now)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, st.Close()) }()
	var progress func(int)
	if o.Progress != nil {
		update, end := o.Progress("checking")
		defer end()
		progress = update
	}
	checked, err := integrity.Check(ctx, st, progress)
	if err != nil {
		return store.ReadError(file, err)
	}
	if damage := checked.Err(); damage != nil {
		err = track.WithHint(fmt.Errorf("%w: %s: %w", track.ErrInvalid, st.Path(), damage), track.NewHint("see all that is damaged", "check", st.Path()))
		return track.WithHint(err, track.Hint{Text: "nothing was merged; ask for the file again, record its lines or run its shard again"})
	}
	return nil
}

// mergeConflict says what was left out.
func mergeConflict(p BatchProblem) answer.MergeConflict {
	c := answer.MergeConflict{Kind: p.Record.Kind(), Name: p.Record.Name(), Reason: p.Message, Refused: !p.Conflict}
	if p.Field != "" {
		c.Reason = p.Field + ": " + p.Message
	}
	if p.Name != "" { // of a version of a lineage
		c.Kind, c.Name = string(kindVersion), p.Name+" of "+c.Name
	}
	return c
}

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
