package seeds

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"

	"track"
	"track/answer"
	"track/internal/admission"
	"track/internal/near"
	"track/scoring"
	"track/spec"
	"track/store"
	"track/tracker/names"
)

// AddSpec stores a spec as the next version of its scenario, unless the scenario has it. Seeds that were recorded
// before the scenario had any spec are judged under it; seeds judged under an earlier version keep their results (see
// [Rescore]). The name of the scenario is checked by checker.
func AddSpec(ctx context.Context, st *store.Store, s scoring.Spec, checker *names.Checker) (answer.SpecAdded, error) {
	s, err := Admitted(s, st.Texts())
	if err != nil {
		return answer.SpecAdded{}, err
	}
	record := store.Spec{Scenario: s.Scenario, Title: s.Title, Document: spec.Canonical(s), Hash: spec.Hash(s)}
	a := answer.SpecAdded{Scenario: s.Scenario, NMetrics: len(s.Metrics)}
	err = st.Update(ctx, func(tx *store.Tx) error {
		stored, err := newestIfSame(ctx, tx, record)
		added := false
		if err == nil && stored == nil {
			if problem, err := checker.Scenario(ctx, tx.Reader, s.Scenario); problem != nil || err != nil {
				return cmp.Or(err, error(problem))
			}
			stored = &store.Spec{}
			*stored, added, err = tx.AddSpec(record, specMetrics(s))
		}
		if err != nil {
			return err
		}
		a.Version, a.Hash, a.Added = stored.Version, stored.Hash, added
		return nil
	})
	if err != nil || a.Version != 1 {
		return a, err
	}
	rescored, err := Rescore(ctx, st, answer.RescoreQuestion{Scenario: s.Scenario, Spec: 1})
	a.Scored = rescored.NScored
	return a, err
}

// AddSpecDocument is [AddSpec] of a document.
func AddSpecDocument(ctx context.Context, st *store.Store, q answer.AddSpecQuestion) (answer.SpecAdded, error) {
	s, err := parseDocument(*q.Document, q.Scenario)
	if err != nil {
		return answer.SpecAdded{}, err
	}
	var checker *names.Checker
	if !q.New {
		checker = names.New(names.Refuse)
	}
	return AddSpec(ctx, st, s, checker)
}

// parseDocument reads a spec, which must be one of the scenario if that is named.
func parseDocument(document, scenario string) (scoring.Spec, error) {
	s, err := spec.Parse("document", []byte(document))
	if err == nil && scenario != "" && scenario != s.Scenario {
		err = &track.FieldError{Field: "scenario", Message: fmt.Sprintf("the document is a spec of %q, not of %q", s.Scenario, scenario)}
	}
	return s, err
}

// newestIfSame returns the newest spec of a scenario if a spec differs from it only because its texts are masked by
// better rules; nil if it does not.
func newestIfSame(ctx context.Context, tx *store.Tx, s store.Spec) (*store.Spec, error) {
	newest, err := tx.Spec(ctx, s.Scenario, 0)
	if errors.Is(err, track.ErrNotFound) || err == nil && newest.Hash == s.Hash {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	decoded, err := decodeSpec(newest)
	if err != nil {
		return nil, err
	}
	if decoded, err = Admitted(decoded, tx.Texts()); err != nil || spec.Hash(decoded) != s.Hash {
		return nil, nil
	}
	return &newest, nil
}

// Admitted returns a spec whose free texts are masked. An error is about a name that the rules refuse.
func Admitted(s scoring.Spec, rules *admission.Rules) (scoring.Spec, error) {
	fact := specFact{normal(s)}
	if _, problem := rules.Admit(&fact); problem != nil {
		return s, problem
	}
	return fact.Spec, nil
}

// normal returns a spec whose names are in the form of [admission.Normal].
func normal(s scoring.Spec) scoring.Spec {
	s.Scenario, s.Metrics = admission.Normal(s.Scenario), slices.Clone(s.Metrics)
	for i := range s.Metrics {
		m := &s.Metrics[i]
		m.Name, m.Group = admission.Normal(m.Name), admission.Normal(m.Group)
		if m.From != nil {
			from := *m.From
			from.Series, from.With = admission.Normal(from.Series), admission.Normal(from.With)
			m.From = &from
		}
	}
	return s
}

// specFact is a spec as a [track.Fact].
type specFact struct{ scoring.Spec }

func (s *specFact) EachText(v track.TextVisitor) {
	v.Name("scenario", s.Scenario)
	v.Free("title", &s.Title)
	if s.Improvement != nil {
		v.Name("improvement.baseline", s.Improvement.Baseline)
	}
	s.Metrics = slices.Clone(s.Metrics)
	for i := range s.Metrics {
		m := &s.Metrics[i]
		v.Name("metrics.name", m.Name)
		v.Name("metrics.group", m.Group)
		v.Free("metrics.target_desc", &m.TargetDesc)
		if m.From != nil {
			v.Name("metrics.from.series", m.From.Series)
			v.Name("metrics.from.with", m.From.With)
		}
	}
}

// ListSpecs lists all versions of all specs.
func ListSpecs(ctx context.Context, r *store.Reader, _ answer.SpecsQuestion) (a answer.Specs, err error) {
	specs, err := r.Specs(ctx)
	if err != nil {
		return a, err
	}
	a.Items = make([]answer.SpecInfo, len(specs))
	for i, stored := range specs {
		decoded, err := decodeSpec(stored)
		if err != nil {
			return a, err
		}
		a.Items[i] = newSpecInfo(stored, decoded)
	}
	return a, nil
}

// ShowSpec returns a version of a spec.
func ShowSpec(ctx context.Context, r *store.Reader, q answer.SpecQuestion) (a answer.Spec, err error) {
	stored, decoded, err := LoadSpec(ctx, r, q.Of.Scenario, q.Of.Version)
	if err != nil {
		return a, err
	}
	a = answer.Spec{SpecInfo: newSpecInfo(stored, decoded), Improvement: decoded.Improvement, Document: stored.Document}
	if decoded.Gate != nil {
		a.Gate = decoded.Gate.String()
	}
	for _, m := range decoded.Metrics {
		a.Metrics = append(a.Metrics, answer.Declare(m))
	}
	return a, nil
}

func newSpecInfo(stored store.Spec, decoded scoring.Spec) answer.SpecInfo {
	return answer.SpecInfo{
		Scenario: stored.Scenario, Version: stored.Version, Hash: stored.Hash, Title: stored.Title, NMetrics: len(decoded.Metrics), AddedAt: stored.CreatedAt,
	}
}

// LoadSpec returns a version of a scenario's spec, the newest for version 0, as it is stored and decoded.
func LoadSpec(ctx context.Context, st *store.Reader, scenario string, version int) (store.Spec, scoring.Spec, error) {
	stored, err := st.Spec(ctx, scenario, version)
	if errors.Is(err, track.ErrNotFound) {
		known, listErr := st.Scenarios(ctx)
		if err = didYouMean(err, scenario, known); listErr != nil {
			err = listErr
		}
	}
	if err != nil {
		return stored, scoring.Spec{}, err
	}
	decoded, err := decodeSpec(stored)
	if err == nil && spec.Hash(decoded) != stored.Hash {
		err = fmt.Errorf("%w: spec %s@%d does not have its hash", track.ErrDamaged, scenario, stored.Version)
	}
	return stored, decoded, err
}

// didYouMean adds to an error the known name that was probably meant.
func didYouMean(err error, name string, known []string) error {
	if meant := near.Nearest(name, known); meant != "" && meant != name {
		return track.WithHint(err, track.Hint{Text: "did you mean " + meant + "?"})
	}
	return err
}

func decodeSpec(stored store.Spec) (scoring.Spec, error) {
	decoded, err := spec.Decode(stored.Document)
	if err != nil {
		err = fmt.Errorf("%w: spec %s@%d: %w", track.ErrDamaged, stored.Scenario, stored.Version, err)
	}
	return decoded, err
}

// specMetrics returns what is stored of the metrics of a spec.
func specMetrics(s scoring.Spec) []store.SpecMetric {
	metrics := make([]store.SpecMetric, len(s.Metrics))
	for i, m := range s.Metrics {
		metrics[i] = store.SpecMetric{Name: m.Name, Type: string(m.Target.Type()), Group: m.Group, Weight: m.Weight, Computed: m.From != nil}
	}
	return metrics
}

// StoredMetrics returns the metrics of a stored spec. It refuses a spec whose document does not have its hash.
func StoredMetrics(stored store.Spec) ([]store.SpecMetric, error) {
	decoded, err := spec.Decode(stored.Document)
	if err == nil && (spec.Hash(decoded) != stored.Hash || decoded.Scenario != stored.Scenario) {
		err = errors.New("its content does not have its hash")
	}
	if err != nil {
		return nil, fmt.Errorf("%w: spec %s@%d: %w", track.ErrInvalid, stored.Scenario, stored.Version, err)
	}
	return specMetrics(decoded), nil
}

// LintSpec says what deserves a look in a spec, and in the recorded seeds of its scenario.
func LintSpec(ctx context.Context, r *store.Reader, q answer.LintSpecQuestion) (a answer.SpecLint, err error) {
	declared, err := parseDocument(*q.Document, q.Scenario)
	if err != nil {
		return a, err
	}
	a = answer.NewSpecLint("", declared)
	warnings, err := lintSeeds(ctx, r, declared)
	a.Items = append(a.Items, warnings...)
	return a, err
}

// lintSeeds warns about what the recorded seeds show of a spec: means over series that still drift, and values that
// miss their targets by a factor of 100. Without seeds it warns about nothing.
func lintSeeds(ctx context.Context, r *store.Reader, declared scoring.Spec) (warnings []spec.Warning, err error) {
	sel := answer.Selector{Scenario: declared.Scenario}
	choice, err := Choose(ctx, r, sel, false)
	several := errors.Is(err, track.ErrAmbiguous)
	if several {
		choice, err = Choose(ctx, r, sel, true)
	}
	if errors.Is(err, track.ErrNotFound) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	selection := store.Selection{Scenario: declared.Scenario}
	for _, c := range choice.Configurations {
		selection.Configurations = append(selection.Configurations, c.ID)
	}
	if warnings, err = lintPercents(ctx, r, selection, declared); err != nil {
		return nil, err
	}
	if several {
		if slices.ContainsFunc(declared.Metrics, takesMeanOfSeries) {
			warnings = append(warnings, spec.Warning{Field: "from.skip", Message: "not tested: several configurations match, and none is pinned as the baseline"})
		}
		return warnings, nil
	}
	drifts, err := driftsOf(ctx, r, selection, declared)
	for _, d := range drifts {
		for _, metric := range d.Metrics {
			of := " of " + declared.Scenario + "@" + track.ShortHash(choice.Configurations[0].Hash)
			warnings = append(warnings, spec.Warning{Metric: metric, Field: "from.skip", Message: d.Text(of)})
		}
	}
	return warnings, err
}

// takesMeanOfSeries reports whether the value of a metric is the mean over a series.
func takesMeanOfSeries(m scoring.Metric) bool {
	return m.From != nil && m.From.Reduce == scoring.ReduceMean
}

// lintPercents warns about metrics whose values miss the target by a factor of 100, or are shares above 1.
func lintPercents(ctx context.Context, r *store.Reader, sel store.Selection, declared scoring.Spec) (warnings []spec.Warning, err error) {
	for _, m := range declared.Metrics {
		values, err := r.OneMeasured(ctx, sel, m.Name)
		if err != nil {
			return nil, err
		}
		missed, above := 0, 0
		for _, value := range values {
			switch _, is := m.MeantAsPercent(value); {
			case is && m.IsShare() && value > 1:
				above++
			case is:
				missed++
			}
		}
		warn := func(format string, args ...any) {
			warnings = append(warnings, spec.Warning{Metric: m.Name, Field: "target", Message: fmt.Sprintf(format, args...)})
		}
		if missed > 0 {
			warn("%s: %d of %d seeds miss it by a factor of 100: is one of them in percent?", m.Target, missed, len(values))
		}
		if above > 0 {
			warn("%s: %d of %d seeds are above 1, which no share can be: are they in percent?", m.Target, above, len(values))
		}
	}
	return warnings, nil
}
