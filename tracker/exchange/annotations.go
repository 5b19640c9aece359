package exchange

import (
	"context"

	"track"
	"track/store"
)

// annotationRecord is a note or a tag that was added to a configuration, or removed from it.
type annotationRecord struct{ track.Annotation }

func (annotationRecord) needs() Rights { return BringFacts }
func (annotationRecord) isKnown() bool { return false }

func (a annotationRecord) settle(ctx context.Context, d *Door, r *store.Reader, tx *store.Tx) ([]Answer, error) {
	if err := d.countConfiguration(ctx, r, a.Configuration.Hash()); err != nil {
		return nil, err
	}
	known, err := r.HasAnnotation(ctx, a.ID)
	if err == nil && tx != nil {
		_, err = tx.AddAnnotation(a.Annotation)
	}
	return []Answer{answerFor(kindAnnotation, known)}, err
}

// annotations brings in the notes and tags of scenarios. All that was added and removed comes, so that the last one
// counts, whatever is merged first.
func (m *merge) annotations(ctx context.Context, scenarios map[string]bool) error {
	list, err := m.from.Annotations(ctx, "")
	if err != nil {
		return err
	}
	for _, a := range list {
		if scenarios[a.Scenario] {
			if err := m.put(ctx, annotationRecord{a.Annotation}); err != nil {
				return err
			}
		}
	}
	return nil
}
