package exchange

import (
	"cmp"
	"context"
	"fmt"
	"track"
	"track/importer"
	"track/store"
	"track/tracker/agents"
)

// importStep is an item on its way into the database: a [Record].
type importStep struct {
	importer.Item
	run       *importRun
	prepared  agents.Prepared
	version   *track.Version
	onlyFills bool // version completes what is unknown, and changes nothing else
	early     bool
	duplicate bool // it is recorded, and nothing about it is new
	result    agents.Result
	change    store.VersionChange
	goesOn    bool  // it was left out, because its log goes on
	err       error // of preparing it; a *track.FieldError makes it a skip
}

// skip makes the item of what was left out of one.
func (s *importStep) skip(field, reason string, hint *track.Hint) importer.Item {
	return importer.Item{File: s.File, Line: s.Line, Skip: &importer.Skip{File: s.File, Line: s.Line, Field: field, Reason: reason, Hint: hint}}
}

// step fills in what the options say.
func (r *importRun) step(item importer.Item) *importStep {
	s := &importStep{Item: item, run: r}
	switch {
	case item.Skip != nil && !item.Skip.Ends:
	case item.Execution != nil:
		e := *item.Execution
		e.Lineage, e.Version = cmp.Or(r.options.Lineage, e.Lineage), cmp.Or(e.Version, r.options.Version, item.AgentVersion)
		if item.Subagent {
			e.Task = cmp.Or(e.Task, taskSubagent)
		}
		s.Execution = &e
		s.early = !e.StartedAt.IsZero() && e.StartedAt.Before(r.options.Since)
	case item.Version != nil:
		v := item.Version
		s.version = &track.Version{
			Lineage: r.options.Lineage, Name: v.Name, Parent: v.Parent, Operator: v.Operator, Content: v.Content, Status: v.Status, Note: v.Note,
			Source: importer.SEPA, SourceScore: v.Score, SourceParentScore: v.ParentScore, CreatedAt: v.CreatedAt,
		}
	case item.Event != nil && item.Event.Kind == importer.EventEvolution:
		v := item.Event
		s.version, s.onlyFills = &track.Version{
			Lineage: r.options.Lineage, Name: v.To, Parent: v.From, Operator: v.Operator, Source: importer.SEPA, SourceParentScore: v.FromScore, CreatedAt: v.At,
		}, true
	}
	return s
}

// prepareStep does what needs no transaction. What is recorded already is not scored again.
func (r *importRun) prepareStep(ctx context.Context, s *importStep) {
	switch {
	case s.early:
	case s.Execution != nil:
		s.err = r.prepareExecution(ctx, s)
	case s.version != nil:
		v := s.version
		problem := v.Validate()
		if problem == nil {
			s.prepared.NMasked, problem = r.texts.Admit(v)
		}
		if problem != nil {
			s.err = problem
		}
	}
}

func (r *importRun) prepareExecution(ctx context.Context, s *importStep) (err error) {
	if s.prepared, err = r.Identify(*s.Execution, s.Open); err != nil {
		return err
	}
	if err := r.CheckScore(ctx, s.prepared); err != nil {
		return err
	}
	s.Execution = nil // the masked texts are in prepared
	if r.store != nil && !r.dryRun() {
		result, err := r.Find(ctx, s.prepared)
		if err != nil {
			return err
		}
		if result != nil {
			s.prepared.ID, s.result = result.ID, *result
			s.duplicate = s.result.Disposition == track.Duplicate
		}
	}
	if s.duplicate || r.dryRun() {
		return nil
	}
	keep, err := r.KeepsText(ctx, s.prepared.Lineage)
	if err != nil {
		return err
	}
	return r.Complete(&s.prepared, keep)
}

// isExecution reports whether the step has an execution to record.
func (s *importStep) isExecution() bool { return s.prepared.Lineage != "" && s.Skip == nil && !s.early }

// isVersion reports whether the step has a version to record.
func (s *importStep) isVersion() bool { return s.version != nil && s.Skip == nil }

func (*importStep) needs() (Rights, string) { return BringFacts, "" }

func (s *importStep) isKnown() bool {
	return s.duplicate || !s.isExecution() && !s.isVersion()
}

// settle stores the execution or the version.
func (s *importStep) settle(ctx context.Context, d *Door, _ *store.Reader, tx *store.Tx) (answers []Answer, err error) {
	switch {
	case s.Skip != nil:
		return []Answer{{Outcome: Invalid, Problem: &track.FieldError{Field: s.Skip.Field, Message: s.Skip.Reason}}}, nil
	case s.isVersion():
		err = s.settleVersion(ctx, d, tx)
		answers = []Answer{answerOf(kindVersion, dispositionOf(s.change), nil)}
	case s.isExecution():
		err = s.settleExecution(ctx, tx)
		answers = []Answer{answerOf(kindExecution, s.result.Disposition, nil)}
	}
	if err != nil {
		return nil, fmt.Errorf("%s, line %d: %w", s.File, s.Line, err)
	}
	return answers, nil
}

func (s *importStep) settleVersion(ctx context.Context, d *Door, tx *store.Tx) (err error) {
	switch {
	case tx != nil:
		if _, err := d.names.Version(ctx, tx.Reader, s.version.Lineage, s.version.Name); err != nil { // which warns
			return err
		}
		s.change, err = tx.AddVersion(*s.version, s.onlyFills)
	case !s.onlyFills && s.run.options.Keep == nil:
		s.change = store.VersionAdded
	}
	return err
}

func (s *importStep) settleExecution(ctx context.Context, tx *store.Tx) (err error) {
	switch {
	case tx == nil:
		if !s.duplicate {
			s.result, err = s.run.Foresee(ctx, s.prepared)
		}
		if err == nil && s.run.options.Keep != nil {
			err = s.keep()
		}
	case !s.duplicate:
		s.result, err = s.run.Add(ctx, tx, s.prepared)
	}
	return err
}

// keep hands over an execution without a database. One whose log goes on would differ from what is sent later.
func (s *importStep) keep() error {
	switch {
	case s.Open:
		s.goesOn = true
		return nil
	case s.result.Disposition == track.Duplicate:
		return nil
	}
	e := s.prepared.Execution
	if agents.IsContentKey(e.Key) {
		e.Key = "" // whoever records it makes the same
	}
	return s.run.options.Keep(e)
}

// dispositionOf returns the disposition of a version.
func dispositionOf(c store.VersionChange) track.Disposition {
	switch c {
	case store.VersionSame:
		return track.Duplicate
	case store.VersionConflict:
		return track.Conflict
	}
	return track.Recorded
}
