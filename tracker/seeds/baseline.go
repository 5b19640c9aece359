package seeds

import (
	"context"
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

// PinBaseline records that the seeds of a configuration are what others of its scenario are compared with. It returns false where
// that configuration is pinned already; then nothing is recorded.
func PinBaseline(ctx context.Context, st *store.Store, sel answer.Selector, reason, actor string, entropy io.Reader) (pin store.Baseline, changed bool, err error) {
	choice, err := Choose(ctx, st.Reader, sel, false)
	if err != nil {
		return pin, false, err
	}
	return recordPin(ctx, st, store.Baseline{Scenario: sel.Scenario, Configuration: &choice.Configurations[0], Reason: reason, Actor: actor}, entropy)
}

// UnpinBaseline records that a scenario has no pinned configuration any more.
func UnpinBaseline(ctx context.Context, st *store.Store, scenario, reason, actor string, entropy io.Reader) (store.Baseline, error) {
	pin, changed, err := recordPin(ctx, st, store.Baseline{Scenario: scenario, Reason: reason, Actor: actor}, entropy)
	if err == nil && !changed {
		err = noPin(scenario)
	}
	return pin, err
}

func noPin(scenario string) error {
	return track.WithHint(fmt.Errorf("scenario %s has no pinned baseline: %w", scenario, track.ErrNotFound), track.Hint{Text: "track baseline set " + scenario + "@CONFIGURATION --reason TEXT pins one"})

}

func recordPin(ctx context.Context, st *store.Store, pin store.Baseline, entropy io.Reader) (store.Baseline, bool, error) {
	if strings.TrimSpace(pin.Reason) == "" {
		return pin, false, fmt.Errorf("%w: a baseline is changed for a reason, and it is empty", track.ErrInvalid)
	}
	changed := false
	err := st.Update(ctx, func(tx *store.Tx) error {
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
		changed, pin.SetAt = true, st.Now() // in the transaction: pins are set in the order of their times
		if pin.ULID, err = NewID(pin.SetAt, entropy); err != nil {
			return err
		}
		return tx.SetBaseline(pin)
	})
	return pin, changed, err
}

// BaselineSource says where a baseline comes from.
type BaselineSource string

// The sources.
const (
	BaselineGiven  BaselineSource = "given"
	BaselineSpec   BaselineSource = "spec"   // improvement.baseline of the candidate's spec
	BaselinePinned BaselineSource = "pinned" // track baseline set
)

// ErrSameConfiguration is wrapped where a candidate and its baseline are one configuration.
var ErrSameConfiguration = errors.New("candidate and baseline are the same configuration")

// resolveBaseline finds what a candidate is compared with: the configuration that is given, else the one that the spec of its
// scenario names, else the pinned one of its scenario. Of a scenario without a configuration the pinned one counts, else the newest.
func resolveBaseline(ctx context.Context, st *store.Reader, candidate Choice, given *answer.Selector) (choice Choice, source BaselineSource, err error) {
	sel, source := answer.Selector{Scenario: candidate.Scenario}, BaselinePinned
	if given != nil {
		sel, source = *given, BaselineGiven
	} else {
		_, spec, err := LoadSpec(ctx, st, candidate.Scenario, 0)
		switch {
		case err == nil && spec.Improvement != nil && spec.Improvement.Baseline != "" && spec.Improvement.Baseline != candidate.Scenario:
			sel, source = answer.Selector{Scenario: spec.Improvement.Baseline}, BaselineSpec
		case err != nil && !errors.Is(err, track.ErrNotFound):
			return choice, source, err
		}
	}
	if sel.Configuration == "" {
		pin, err := st.Baseline(ctx, sel.Scenario)
		switch {
		case err != nil:
			return choice, source, err
		case pin != nil:
			sel.Configuration = pin.Configuration.Hash
		case source == BaselinePinned:
			return choice, source, track.WithHint(fmt.Errorf("scenario %s has no baseline: %w", sel.Scenario, track.ErrNotFound), track.Hint{Text: "--baseline SCENARIO[@CONFIGURATION] names one; track baseline set " + sel.Scenario + "@CONFIGURATION --reason TEXT pins one; so does improvement.baseline in the spec"})

		}
	}
	if choice, err = Choose(ctx, st, sel, false); err != nil {
		return choice, source, fmt.Errorf("baseline: %w", err)
	}
	if choice.Scenario == candidate.Scenario && choice.Configurations[0].ID == candidate.Configurations[0].ID {
		return choice, source, track.WithHint(fmt.Errorf("%w: %w: %s@%s", track.ErrInvalid, ErrSameConfiguration, choice.Scenario, ShortHash(choice.Configurations[0].Hash)), track.Hint{Text: "track history " + choice.Scenario + " lists the configurations; name two of them"})

	}
	return choice, source, nil
}
