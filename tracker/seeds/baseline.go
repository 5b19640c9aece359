package seeds

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/oklog/ulid/v2"

	"track"
	"track/answer"
	"track/store"
)

// NewID returns an id for something recorded at a time.
func NewID(at time.Time, entropy io.Reader) (string, error) {
	id, err := ulid.New(ulid.Timestamp(at), entropy)
	if err != nil {
		return "", fmt.Errorf("new id: %w", err)
	}
	return id.String(), nil
}

// SetBaseline records that the seeds of a configuration are what others of its scenario are compared with. If that
// configuration is pinned already, nothing is recorded.
func SetBaseline(ctx context.Context, st *store.Store, q answer.SetBaselineQuestion) (answer.BaselineChange, error) {
	choice, err := Choose(ctx, st.Reader, q.Of, false)
	if err != nil {
		return answer.BaselineChange{}, err
	}
	return recordPin(ctx, st, store.Baseline{Scenario: q.Of.Scenario, Configuration: &choice.Configurations[0], Reason: q.Reason, Actor: q.Actor})
}

// UnsetBaseline records that a scenario has no pinned configuration any more.
func UnsetBaseline(ctx context.Context, st *store.Store, q answer.UnsetBaselineQuestion) (answer.BaselineChange, error) {
	a, err := recordPin(ctx, st, store.Baseline{Scenario: q.Scenario, Reason: q.Reason, Actor: q.Actor})
	if err == nil && !a.Changed {
		err = track.WithHint(fmt.Errorf("scenario %s has no pinned baseline: %w", q.Scenario, track.ErrNotFound), answer.PinHint(q.Scenario))
	}
	return a, err
}

func recordPin(ctx context.Context, st *store.Store, pin store.Baseline) (a answer.BaselineChange, err error) {
	if strings.TrimSpace(pin.Reason) == "" {
		return a, fmt.Errorf("%w: the reason for the change of the baseline is empty", track.ErrInvalid)
	}
	asked := pin
	err = st.Update(ctx, func(tx *store.Tx) error {
		a, pin = answer.BaselineChange{}, asked
		current, err := tx.Baseline(ctx, pin.Scenario)
		if err != nil {
			return err
		}
		switch {
		case current == nil && pin.Configuration == nil:
			return nil
		case current != nil && pin.Configuration != nil && current.Configuration.ID == pin.Configuration.ID:
			pin = *current
			return nil
		case current != nil:
			pin.Replaced = current.Configuration.Hash
		}
		a.Changed, pin.SetAt = true, st.Now() // in the transaction: pins are set in the order of their times
		if pin.ULID, err = NewID(pin.SetAt, rand.Reader); err != nil {
			return err
		}
		return tx.SetBaseline(pin)
	})
	a.Baseline = newBaseline(pin)
	return a, err
}

func newBaseline(b store.Baseline) answer.Baseline {
	a := answer.Baseline{Scenario: b.Scenario, Replaced: b.Replaced, Reason: b.Reason, Actor: b.Actor, SetAt: b.SetAt}
	if b.Configuration != nil {
		c := recordedConfiguration(*b.Configuration)
		a.Configuration = &c
	}
	return a
}

func newBaselines(pins []store.Baseline) []answer.Baseline {
	list := make([]answer.Baseline, len(pins))
	for i, pin := range pins {
		list[i] = newBaseline(pin)
	}
	return list
}

// ListBaselines returns the pins of all scenarios that are active.
func ListBaselines(ctx context.Context, r *store.Reader, _ answer.BaselinesQuestion) (a answer.Baselines, err error) {
	pins, err := r.Baselines(ctx, "")
	a.Items = newBaselines(pins)
	return a, err
}

// ShowBaseline returns the pins of a scenario, the newest first.
func ShowBaseline(ctx context.Context, r *store.Reader, q answer.BaselineQuestion) (a answer.Baselines, err error) {
	pins, err := r.Baselines(ctx, q.Scenario)
	if err == nil && len(pins) == 0 {
		err = track.WithHint(fmt.Errorf("scenario %s never had a baseline: %w", q.Scenario, track.ErrNotFound), answer.PinHint(q.Scenario))
	}
	a.Items = newBaselines(pins)
	return a, err
}

// ErrSameConfiguration is wrapped if a candidate and its baseline are one configuration.
var ErrSameConfiguration = errors.New("candidate and baseline are the same configuration")

// resolveBaseline returns what a candidate is compared with: the given configuration, else the one that the spec of its
// scenario names, else the pinned one of its scenario. A scenario without a configuration stands for its pinned one,
// else its newest.
func resolveBaseline(ctx context.Context, r *store.Reader, candidate Choice, given *answer.Selector) (choice Choice, source answer.BaselineSource, err error) {
	sel, source, err := namedBaseline(ctx, r, candidate.Scenario, given)
	if err != nil {
		return choice, source, err
	}
	if sel.Configuration == "" {
		pin, err := r.Baseline(ctx, sel.Scenario)
		switch {
		case err != nil:
			return choice, source, err
		case pin != nil:
			sel.Configuration = pin.Configuration.Hash
		case source == answer.BaselinePinned:
			err := fmt.Errorf("scenario %s has no baseline: %w", sel.Scenario, track.ErrNotFound)
			err = track.WithHint(err, track.Hint{Text: "name one"}.With("baseline", "SCENARIO@CONFIGURATION"))
			err = track.WithHint(err, track.Hint{Text: "or name its scenario in the spec: improvement.baseline"})
			return choice, source, track.WithHint(err, answer.PinHint(sel.Scenario))
		}
	}
	if choice, err = Choose(ctx, r, sel, false); err != nil {
		return choice, source, fmt.Errorf("baseline: %w", err)
	}
	if choice.Scenario == candidate.Scenario && choice.Configurations[0].ID == candidate.Configurations[0].ID {
		err := fmt.Errorf("%w: %w: %s@%s", track.ErrInvalid, ErrSameConfiguration, choice.Scenario, track.ShortHash(choice.Configurations[0].Hash))
		if source == answer.BaselinePinned {
			err = fmt.Errorf("%w is the pinned baseline, and no newer revision of it was chosen", err)
			err = track.WithHint(err, track.Hint{Text: "name another candidate, such as " + choice.Scenario + "@" + latest + ", the one that was recorded last"})
		}
		return choice, source, track.WithHint(err, track.NewHint("list the configurations and name two of them", "history", choice.Scenario))
	}
	return choice, source, nil
}

// namedBaseline returns what is named as the baseline of a scenario, and by what: the given selector, the spec, or a
// pin.
func namedBaseline(ctx context.Context, r *store.Reader, scenario string, given *answer.Selector) (answer.Selector, answer.BaselineSource, error) {
	if given != nil {
		return *given, answer.BaselineGiven, nil
	}
	_, spec, err := LoadSpec(ctx, r, scenario, 0)
	switch {
	case err != nil && !errors.Is(err, track.ErrNotFound):
		return answer.Selector{}, answer.BaselineSpec, err
	case err == nil && spec.Improvement != nil && spec.Improvement.Baseline != "" && spec.Improvement.Baseline != scenario:
		return answer.Selector{Scenario: spec.Improvement.Baseline}, answer.BaselineSpec, nil
	}
	return answer.Selector{Scenario: scenario}, answer.BaselinePinned, nil
}
