package exchange

import (
	"bytes"
	"cmp"
	"context"

	"track/store"
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
}

// lacks reports whether the execution here lacks something that belongs to the same execution elsewhere.
func (s executionStep) lacks() bool { return s.class == executionKnown && s.rubrics+s.truths > 0 }

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
		steps[i] = compareExecution(p.heads[i], m, d.versions[versionKey(p.heads[i].Lineage, p.heads[i].Version)])
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
	for name := range there.Rubrics {
		if !here.Rubrics[name] {
			s.rubrics++
		}
	}
}

func versionKey(lineage, version string) string { return lineage + "\x00" + version }

// compareExecution classifies an execution. Its place is its lineage, source and key. Of two records of one
// execution, the one that has come further counts, with the ID and the time of the one that was recorded first.
func compareExecution(head store.ExecutionHead, m store.ExecutionMatch, versionDiffers bool) executionStep {
	s := executionStep{here: m.InPlace, version: versionDiffers}
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
