package seeds

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"

	"github.com/oklog/ulid/v2"

	"track"
	"track/answer"
	"track/scoring"
	"track/store"
	"track/tracker/names"
)

// RecordResult is what recording did with a seed, and how the seed was judged.
type RecordResult struct {
	Disposition track.Disposition
	SpecVersion int                    // 0 if the scenario has no spec or the seed failed
	Assessment  *scoring.Assessment    // nil then, and for a duplicate or conflict
	Spec        *scoring.Spec          // nil then
	Percents    []answer.PercentMetric // values that miss their targets by a factor of 100
	Unknown     []string               // values that the spec does not know, sorted: stored, not scored
	Differences []Difference           // of a conflict, by metric
	Files       []string               // of a conflict: names of files that differ
	Outcome     track.Outcome          // of a conflict: what was recorded
	Withdrawal  *track.Withdrawal      // of a seed that was withdrawn
	IsUnjudged  bool                   // it comes from another database, and is not judged under the newest spec
	Problem     *track.FieldError      // of a contradiction, of a misspelled name, or of an execution in conflict
}

// Options say how seeds are recorded.
type Options struct {
	SpecVersion int  // version to judge under; 0 for the newest
	Replace     bool // a conflicting seed supersedes the recorded one
	ValuesWin   bool // keep a given value that the series of the seed contradict
	Names       *names.Checker
}

// Recorder records seeds. It belongs to one goroutine.
type Recorder struct {
	Store   *store.Store
	options Options
	Entropy io.Reader // for ids
	specs   map[string]*activeSpec
	current map[string]*activeSpec // of specs, those that the running transaction has found active; nil if a scenario has none
}

type activeSpec struct {
	store.Spec
	decoded scoring.Spec
	metrics map[string]bool // their names
	series  []string        // those that its values are computed from
}

// NewRecorder returns a recorder into st. entropy makes the ids of records unique, as crypto/rand.Reader does.
func NewRecorder(st *store.Store, options Options, entropy io.Reader) *Recorder {
	return &Recorder{st, options, ulid.Monotonic(entropy, 0), map[string]*activeSpec{}, nil}
}

// Record stores one seed durably, and judges it.
func (r *Recorder) Record(ctx context.Context, seed track.Seed) (result RecordResult, err error) {
	if err := seed.Validate(); err != nil {
		return RecordResult{}, err
	}
	prepared, err := Prepare(seed, r.Store.Texts())
	if err != nil {
		return RecordResult{}, err
	}
	err = r.Store.Update(ctx, func(tx *store.Tx) error {
		r.Begin()
		result, err = r.RecordIn(ctx, tx, prepared)
		return err
	})
	return result, err
}

// Names returns what checks the names of seeds; nil if every name is taken.
func (r *Recorder) Names() *names.Checker { return r.options.Names }

// With returns a recorder that checks other names in the running transaction. It shares the specs of r, and belongs to
// the same goroutine.
func (r *Recorder) With(checker *names.Checker) *Recorder {
	shared := *r
	shared.options.Names = checker
	return &shared
}

// Begin starts a transaction: another process may have added a spec since the last one.
func (r *Recorder) Begin() { r.current = map[string]*activeSpec{} }

// RecordIn stores a seed in a transaction, and judges it.
func (r *Recorder) RecordIn(ctx context.Context, tx *store.Tx, seed Prepared) (RecordResult, error) {
	active, err := r.specFor(ctx, tx, seed.Scenario)
	if err != nil {
		return RecordResult{}, err
	}
	judged := active != nil && seed.Outcome == track.OutcomeOK
	var computed []scoring.ComputedValue
	if judged && len(active.series) > 0 {
		var contradictions []scoring.Contradiction
		computed, contradictions = active.decoded.Compute(seed.Values, seed.source(), r.options.ValuesWin)
		if len(contradictions) > 0 {
			return RecordResult{Disposition: track.Contradicted, Problem: describeContradictions(contradictions)}, nil
		}
	}
	if problem, err := r.checkNames(ctx, tx, seed.Seed, active, judged && len(computed) == 0); problem != nil || err != nil {
		return RecordResult{Disposition: track.Misnamed, Problem: problem}, err
	}
	now := r.Store.Now()
	id, err := ulid.New(ulid.Timestamp(now), r.Entropy)
	if err != nil {
		return RecordResult{}, fmt.Errorf("new id: %w", err)
	}
	seed.ID, seed.RecordedAt = id.String(), now
	rowID, existing, err := tx.AddSeed(seed.Seed, seed.digest)
	disposition := track.Recorded
	if err == nil && existing != nil {
		if existing.Withdrawn != nil {
			return RecordResult{Disposition: track.Withdrawn, Withdrawal: existing.Withdrawn}, nil
		}
		if existing.Same {
			return RecordResult{Disposition: track.Duplicate}, nil
		}
		if !r.options.Replace {
			return conflict(ctx, tx, existing.ID, seed.Seed)
		}
		disposition = track.Replaced
		if err := tx.Supersede(existing.ID); err != nil {
			return RecordResult{}, err
		}
		rowID, _, err = tx.AddSeed(seed.Seed, seed.digest)
	}
	if err == nil {
		err = cmp.Or(tx.AddSeries(rowID, seed.series), tx.AddArtifacts(rowID, seed.Artifacts))
	}
	if err == nil && seed.Run != nil {
		err = tx.AddRun(rowID, *seed.Run)
	}
	if err != nil {
		return RecordResult{}, err
	}
	result := RecordResult{Disposition: disposition}
	if !judged {
		return result, nil
	}
	assessment := assess(active.decoded, seed.Values, computed)
	result.SpecVersion, result.Assessment, result.Spec = active.Version, &assessment, &active.decoded
	result.Percents = likePercent(active.decoded, seed.Seed, assessment)
	if matched(assessment) < len(seed.Values)+len(computed) { // or some computed value is missing
		result.Unknown = active.unknown(seed.Values)
	}
	return result, addAssessment(tx, rowID, active.ID, assessment, computed)
}

// checkNames returns what is wrong with the names of a seed; nil for nothing. judged says that its spec must know one
// of its values.
func (r *Recorder) checkNames(ctx context.Context, tx *store.Tx, seed track.Seed, active *activeSpec, judged bool) (*track.FieldError, error) {
	if r.options.Names.Policy() == names.Accept {
		return nil, nil
	}
	if active != nil {
		if problem := r.options.Names.Series(tx.Reader, active.series, seed); problem != nil {
			return problem, nil
		}
		return r.options.Names.Metrics(ctx, tx.Reader, names.Spec{ID: active.ID, Metrics: active.metrics}, seed, judged)
	}
	if problem, err := r.options.Names.Scenario(ctx, tx.Reader, seed.Scenario); problem != nil || err != nil {
		return problem, err
	}
	return r.options.Names.Metrics(ctx, tx.Reader, names.Spec{}, seed, false)
}

func assess(spec scoring.Spec, values map[string]float64, computed []scoring.ComputedValue) scoring.Assessment {
	if len(computed) == 0 {
		return scoring.Assess(spec, values)
	}
	return scoring.AssessComputed(spec, values, computed)
}

func addAssessment(tx *store.Tx, seedID, specID int64, a scoring.Assessment, computed []scoring.ComputedValue) error {
	return tx.AddAssessment(seedID, specID, a, computed...)
}

// specFor returns the spec that seeds of a scenario are judged under, or nil if it has none. It asks the database once
// in each transaction, and decodes a version once.
func (r *Recorder) specFor(ctx context.Context, tx *store.Tx, scenario string) (*activeSpec, error) {
	if active, found := r.current[scenario]; found {
		return active, nil
	}
	active, err := r.loadSpec(ctx, tx, scenario)
	if err == nil {
		r.current[scenario] = active
	}
	return active, err
}

func (r *Recorder) loadSpec(ctx context.Context, tx *store.Tx, scenario string) (*activeSpec, error) {
	if cached := r.specs[scenario]; cached != nil && r.options.SpecVersion == 0 {
		if isNewest, err := tx.IsNewestSpec(scenario, cached.ID); err != nil || isNewest {
			return cached, err
		}
	}
	stored, err := tx.Spec(ctx, scenario, r.options.SpecVersion)
	if errors.Is(err, track.ErrNotFound) && r.options.SpecVersion == 0 {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	if cached := r.specs[scenario]; cached != nil && cached.ID == stored.ID {
		return cached, nil
	}
	active, err := newActiveSpec(stored)
	if err != nil {
		return nil, err
	}
	r.specs[scenario] = active
	return active, nil
}

// matched counts the values that the spec of the assessment knows.
func matched(a scoring.Assessment) (n int) {
	for _, r := range a.Results {
		if !r.Missing() {
			n++
		}
	}
	return n
}

func (s *activeSpec) unknown(values map[string]float64) (names []string) {
	for name := range values {
		if !s.metrics[name] {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return names
}
