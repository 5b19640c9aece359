package seeds

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/oklog/ulid/v2"

	"track"
	"track/answer"
	"track/scoring"
	"track/scoring/stats"
	"track/store"
)

// ListScenarios says of each scenario how its newest configuration stands.
func ListScenarios(ctx context.Context, r *store.Reader, q answer.ScenariosQuestion) (a answer.Scenarios, err error) {
	names, err := r.Scenarios(ctx)
	if err != nil {
		return a, err
	}
	if q.Page.After != "" {
		i := slices.Index(names, q.Page.After)
		if i < 0 {
			return a, q.Page.UnknownCursor()
		}
		names = names[i+1:]
	}
	a.Items = []answer.ScenarioState{}
	limit := q.Page.PageLimit()
	for i, name := range names {
		if i == limit {
			a.Next = names[i-1]
			break
		}
		state, err := scenarioState(ctx, r, name, q.Configurations)
		if err != nil {
			return a, err
		}
		a.Items = append(a.Items, state)
	}
	return a, nil
}

func scenarioState(ctx context.Context, r *store.Reader, name string, configurations int) (answer.ScenarioState, error) {
	s := answer.ScenarioState{Scenario: name, Means: []float64{}, MeanLines: []int{}}
	h, err := ShowHistory(ctx, r, answer.HistoryQuestion{Scenario: name, Limit: configurations})
	switch {
	case errors.Is(err, track.ErrNotFound), errors.Is(err, track.ErrInvalid):
		s.Reason = err.Error()
		_, s.NConfigurations, err = r.Configurations(ctx, name, 1)
		if errors.Is(err, track.ErrNotFound) { // a spec without seeds
			err = nil
		}
		return s, err
	case err != nil:
		return s, err
	}
	s.Spec, s.NOlder, s.NConfigurations = &h.Spec, h.NOlder, h.NOlder+len(h.Entries)
	lines, known := h.Lines(), map[string]int{}
	for i, e := range h.Entries {
		if mean, _ := e.Mean(); mean.N > 0 {
			if _, is := known[lines[i]]; !is {
				known[lines[i]] = len(known)
			}
			s.Means, s.MeanLines = append(s.Means, mean.Value), append(s.MeanLines, known[lines[i]])
		}
	}
	if len(h.Entries) > 0 {
		newest := h.Entries[len(h.Entries)-1]
		s.Configuration, s.FirstRecorded, s.Verdict, s.Estimates = newest.Configuration, newest.FirstRecorded, newest.Verdict, newest.Estimates
		s.Change = newest.Change
		if newest.Estimates == nil {
			s.Reason = "some seeds were never judged under the newest spec"
			return s, nil
		}
		s.Reason, err = meantBy(ctx, r, name, newest.Configuration)
	}
	return s, err
}

// meantBy says that the name of a scenario alone does not mean its newest configuration; empty if it does.
func meantBy(ctx context.Context, r *store.Reader, scenario string, newest track.RecordedConfiguration) (string, error) {
	candidates, found, err := candidatesOf(ctx, r, answer.Selector{Scenario: scenario}, false)
	if err != nil {
		return "", err
	}
	if isAmbiguous(candidates, found) {
		return "the newest configuration; " + scenario + " alone is ambiguous", nil
	}
	meant, err := listed(ctx, r, candidates, 1)
	if err != nil || len(meant) == 0 || meant[0].Hash == newest.Hash {
		return "", err
	}
	return "the newest configuration; " + scenario + " alone means " + scenario + "@" + track.ShortHash(meant[0].Hash), nil
}

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

// finiteAfter returns the finite values of a series after its first skip.
func finiteAfter(values []float64, skip int) []float64 {
	rest := slices.Clone(values[min(skip, len(values)):])
	return slices.DeleteFunc(rest, func(x float64) bool { return math.IsNaN(x) || math.IsInf(x, 0) })
}

// maxDriftSeeds is how many seeds show whether a mean drifts: more would only take longer to read.
const maxDriftSeeds = 30

// meanSource is a series over which a metric takes the mean.
type meanSource struct {
	series string
	skip   int
}

// driftsOf returns the means over series, of metrics of a spec, that still drift after their skip. It tests the first
// seeds of a selection that have them, with Holm's correction over series.
func driftsOf(ctx context.Context, st *store.Reader, sel store.Selection, declared scoring.Spec) ([]answer.MetricDrift, error) {
	metrics := map[meanSource][]string{}
	var sources []meanSource
	for _, m := range declared.Metrics {
		if !takesMeanOfSeries(m) {
			continue
		}
		source := meanSource{m.From.Series, m.From.Skip}
		if metrics[source] == nil {
			sources = append(sources, source)
		}
		metrics[source] = append(metrics[source], m.Name)
	}
	if len(sources) == 0 {
		return nil, nil
	}
	seeds, err := st.SeedIDs(ctx, sel)
	if err != nil {
		return nil, err
	}
	var list []answer.MetricDrift
	var p []float64
	for _, source := range sources {
		values, err := seriesOfSeeds(ctx, st, seeds[:min(len(seeds), maxDriftSeeds)], source)
		if err != nil {
			return nil, err
		}
		if d, n := stats.DriftOverSeeds(values); d.Part != "" {
			list = append(list, answer.MetricDrift{Metrics: metrics[source], Series: source.series, Skip: source.skip, NSeeds: n, Drift: d})
			p = append(p, d.P)
		}
	}
	adjusted, err := stats.Holm(p, 0.05)
	if err != nil {
		return nil, err
	}
	var drifting []answer.MetricDrift
	for i, d := range list {
		if d.P = adjusted.P[i]; adjusted.Reject[i] {
			drifting = append(drifting, d)
		}
	}
	return drifting, nil
}

// seriesOfSeeds returns a series of each seed that has it, after its skip.
func seriesOfSeeds(ctx context.Context, st *store.Reader, seeds []track.RecordedSeed, source meanSource) (list [][]float64, err error) {
	for _, seed := range seeds {
		values, err := loadSeries(ctx, st, seed.ID, source.series)
		switch {
		case errors.Is(err, track.ErrNotFound): // pruned, or never recorded
		case err != nil:
			return nil, err
		default:
			list = append(list, finiteAfter(values, source.skip))
		}
	}
	return list, nil
}
