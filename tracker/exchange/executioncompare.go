package exchange

import (
	"bytes"
	"cmp"
	"context"

	"track/store"
	"track/tracker/agents"
)

// executionClass compares an execution elsewhere with the database here.
type executionClass int

const (
	executionNew      executionClass = iota // no record here has its identity
	executionKnown                          // it is here, and has come as far
	executionFurther                        // it has come further than the record of it here
	executionConflict                       // another record here has its identity, and stays
)

// executionStep is what becomes of an execution.
type executionStep struct {
	class   executionClass
	here    *store.ExecutionHead // in its place; nil if there is none
	earlier bool                 // it was recorded earlier than the record of it here
	version bool                 // its version has other content here
	rubrics int                  // scores that the same execution here lacks
	truths  int                  // truths that it lacks
	used    bool                 // it lacks what the requests to the model used
	alike   bool                 // only its texts differ, which other rules masked
	unknown int                  // texts that cannot be compared then
}

// lacks reports whether the execution here lacks something that belongs to the same execution elsewhere.
func (s executionStep) lacks() bool {
	return s.class == executionKnown && (s.rubrics+s.truths > 0 || s.used)
}

// forgets reports whether the execution here is to be forgotten as it was elsewhere: its texts are removed, at the
// earlier time of the two.
func (s executionStep) forgets(head store.ExecutionHead) bool {
	return s.class == executionKnown && !head.ForgottenAt.IsZero() && (s.here.ForgottenAt.IsZero() || head.ForgottenAt.Before(s.here.ForgottenAt))
}

func (s executionStep) changes(head store.ExecutionHead) bool {
	return s.class == executionNew || s.class == executionFurther || s.class == executionKnown && (s.earlier || s.lacks() || s.forgets(head))
}

// compare classifies the executions of a page.
func (p *executionPage) compare(ctx context.Context, d *Door, r *store.Reader) ([]executionStep, error) {
	matches, err := r.MatchExecutions(ctx, p.heads)
	if err != nil {
		return nil, err
	}
	steps := make([]executionStep, len(p.heads))
	var rows []int64
	for i, m := range matches {
		alike, unknown, err := p.compareMasked(ctx, r, p.heads[i], &m)
		if err != nil {
			return nil, err
		}
		steps[i] = compareExecution(p.heads[i], m, d.versions[versionKey(p.heads[i].Lineage, p.heads[i].Version)], alike)
		steps[i].unknown = unknown
		if steps[i].class == executionKnown {
			rows = append(rows, steps[i].here.Row)
		}
	}
	parts, err := r.ExecutionParts(ctx, rows)
	if err != nil {
		return nil, err
	}
	for i := range steps {
		if s := &steps[i]; s.class == executionKnown {
			s.compareParts(p.heads[i], p.parts[p.heads[i].Row], parts[s.here.Row])
		}
	}
	return steps, nil
}

func (s *executionStep) compareParts(head store.ExecutionHead, there, here *store.ExecutionParts) {
	for name := range there.Truths {
		if !here.Truths[name] {
			s.truths++
		}
	}
	if head.Digest != s.here.Digest {
		return // its scores are of less than what is here
	}
	s.used = there.HasRequests && !here.HasRequests
	for name := range there.Rubrics {
		if !here.Rubrics[name] {
			s.rubrics++
		}
	}
}

// compareMasked compares the texts of an execution with those of the one in its place, if other rules masked them. If
// its key was made of its content, it also finds the one that has another key for that reason alone.
func (p *executionPage) compareMasked(ctx context.Context, r *store.Reader, head store.ExecutionHead, m *store.ExecutionMatch) (alike bool, unknown int, err error) {
	var candidates []store.ExecutionHead
	if m.InPlace != nil {
		candidates = []store.ExecutionHead{*m.InPlace}
	} else if candidates, err = agents.CandidatesFor(ctx, r, head); err != nil {
		return false, 0, err
	}
	for _, c := range candidates {
		if c.Digest == head.Digest || c.Structure != head.Structure || c.Masking == head.Masking {
			continue
		}
		there, err := p.record(ctx, head)
		if err != nil || there == nil {
			return false, 0, err
		}
		here, err := r.CarriedExecution(ctx, c)
		if err != nil {
			return false, 0, err
		}
		if alike, unknown = agents.Alike(here.ExecutionRecord, there.ExecutionRecord, r.Texts()); alike {
			m.InPlace = &c
			return true, unknown, nil
		}
	}
	return false, 0, nil
}

// record returns an execution of the other database; nil if the page did not load it and is not being read any more.
func (p *executionPage) record(ctx context.Context, head store.ExecutionHead) (*store.CarriedExecution, error) {
	record, loaded := p.records[head.Row]
	switch {
	case loaded:
		return &record, nil
	case p.from == nil:
		return nil, nil
	}
	record, err := p.from.CarriedExecution(ctx, head)
	p.records[head.Row] = record
	return &record, err
}

func versionKey(lineage, version string) string { return lineage + "\x00" + version }

// compareExecution classifies an execution. Its place is its lineage, source and key. Of two records of one
// execution, the one that has come further counts, with the ID and the time of the one that was recorded first.
func compareExecution(head store.ExecutionHead, m store.ExecutionMatch, versionDiffers, alike bool) executionStep {
	s := executionStep{here: m.InPlace, version: versionDiffers, alike: alike}
	switch {
	case versionDiffers, m.InPlace == nil && m.Same != nil:
		s.class = executionConflict
		return s
	case m.InPlace == nil:
		return s
	}
	here := *m.InPlace
	if m.Same == nil || m.Same.Row == here.Row {
		s.earlier = cmp.Or(head.RecordedAt.Compare(here.RecordedAt), cmp.Compare(head.ID, here.ID)) < 0
	}
	switch {
	case head.Open == here.Open && head.Digest == here.Digest:
		s.class = executionKnown
	case head.Open == here.Open && alike: // the better masked record counts, in any order of merging
		if s.class = executionKnown; head.Masking > here.Masking {
			s.class = executionFurther
		}
	case !head.Open && !here.Open:
		s.class = executionConflict
	case isFurther(head, here):
		s.class = executionFurther
	default:
		s.class = executionKnown
	}
	return s
}

// isFurther reports whether one record of an execution is more complete than another: it is closed, or else has more
// calls.
func isFurther(a, b store.ExecutionHead) bool {
	if a.Open != b.Open {
		return b.Open
	}
	return cmp.Or(cmp.Compare(a.NCalls, b.NCalls), cmp.Compare(a.NAnswered, b.NAnswered), cmp.Compare(a.Duration, b.Duration),
		bytes.Compare(a.Digest[:], b.Digest[:])) > 0
}
