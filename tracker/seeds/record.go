package seeds

import (
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"math"
	"slices"
	"strings"

	"github.com/oklog/ulid/v2"

	"track"
	"track/scoring"
	"track/spec"
	"track/store"
)

// Difference is a value that two records of one seed do not share; nil where a record has none.
type Difference struct {
	Metric        string
	Recorded, New *float64
}

// RecordResult says what became of a seed, and how it was judged.
type RecordResult struct {
	Disposition track.Disposition
	SpecVersion int                 // 0 where the scenario has no spec or the seed is a failed one
	Assessment  *scoring.Assessment // nil likewise, and for a duplicate or conflict
	Spec        *scoring.Spec       // nil likewise
	Unknown     []string            // values that the spec does not know, sorted: stored, not scored
	Differences []Difference        // of a conflict, by metric
	Outcome     track.Outcome       // of a conflict: what was recorded
	Problem     *track.FieldError   // of a contradiction, or of an execution in conflict
}

// Options say how seeds are recorded.
type Options struct {
	SpecVersion int  // version to judge under; 0 for the newest
	Replace     bool // a conflicting seed supersedes the recorded one
	ValuesWin   bool // a given value stands where the series of the seed give another
}

// Recorder records seeds. It belongs to one goroutine.
type Recorder struct {
	Store   *store.Store
	options Options
	Entropy io.Reader // for ids
	specs   map[string]*specInForce
	current map[string]*specInForce // of specs, what the running transaction has found in force
}

type specInForce struct {
	store.Spec
	decoded    scoring.Spec
	known      map[string]bool // names of its metrics
	fromSeries bool            // some of its values are computed
}

// NewRecorder returns a recorder into st. entropy makes the ids of records unique, as crypto/rand.Reader does.
func NewRecorder(st *store.Store, options Options, entropy io.Reader) *Recorder {
	return &Recorder{st, options, ulid.Monotonic(entropy, 0), map[string]*specInForce{}, nil}
}

// Record stores one seed durably, and judges it.
func (r *Recorder) Record(ctx context.Context, seed track.Seed) (result RecordResult, err error) {
	if err := seed.Validate(); err != nil {
		return RecordResult{}, err
	}
	prepared := Prepare(seed)
	err = r.Store.Update(ctx, func(tx *store.Tx) error {
		r.Begin()
		result, err = r.RecordIn(ctx, tx, prepared)
		return err
	})
	return result, err
}

// begin starts a transaction: another process may have added a spec since the last one.
func (r *Recorder) Begin() { r.current = map[string]*specInForce{} }

func (r *Recorder) RecordIn(ctx context.Context, tx *store.Tx, seed Prepared) (RecordResult, error) {
	inForce, err := r.specFor(ctx, tx, seed.Scenario)
	if err != nil {
		return RecordResult{}, err
	}
	judged := inForce != nil && seed.Outcome == track.OutcomeOK
	var computed []scoring.ComputedValue
	if judged && inForce.fromSeries {
		var contradictions []scoring.Contradiction
		computed, contradictions = inForce.decoded.Compute(seed.Values, seed.source(), r.options.ValuesWin)
		if len(contradictions) > 0 {
			return RecordResult{Disposition: track.Contradicted, Problem: describeContradictions(contradictions)}, nil
		}
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
		err = tx.AddSeries(rowID, seed.series)
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
	assessment := assess(inForce.decoded, seed.Values, computed)
	result.SpecVersion, result.Assessment, result.Spec = inForce.Version, &assessment, &inForce.decoded
	if matched(assessment) < len(seed.Values)+len(computed) { // or some computed value is missing
		result.Unknown = inForce.unknown(seed.Values)
	}
	return result, addAssessment(tx, rowID, inForce.ID, assessment, computed)
}

func assess(spec scoring.Spec, values map[string]float64, computed []scoring.ComputedValue) scoring.Assessment {
	if len(computed) == 0 {
		return scoring.Assess(spec, values)
	}
	return scoring.AssessComputed(spec, values, computed)
}

func addAssessment(tx *store.Tx, seedID, specID int64, a scoring.Assessment, computed []scoring.ComputedValue) error {
	if err := tx.AddAssessment(seedID, specID, a); err != nil {
		return err
	}
	return tx.AddComputed(seedID, specID, computed)
}

// specFor returns the spec that seeds of a scenario are judged under, nil where it has none. It asks the database once in each
// transaction, and decodes a version once.
func (r *Recorder) specFor(ctx context.Context, tx *store.Tx, scenario string) (*specInForce, error) {
	if inForce, known := r.current[scenario]; known {
		return inForce, nil
	}
	inForce, err := r.loadSpec(ctx, tx, scenario)
	if err == nil {
		r.current[scenario] = inForce
	}
	return inForce, err
}

func (r *Recorder) loadSpec(ctx context.Context, tx *store.Tx, scenario string) (*specInForce, error) {
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
	decoded, err := spec.Decode(stored.Document)
	if err != nil {
		return nil, fmt.Errorf("spec %s@%d: %w", scenario, stored.Version, err)
	}
	inForce := &specInForce{Spec: stored, decoded: decoded, known: map[string]bool{}, fromSeries: decoded.Computes()}
	for _, m := range decoded.Metrics {
		inForce.known[m.Name] = true
	}
	r.specs[scenario] = inForce
	return inForce, tx.PreloadMetrics(stored.ID)
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

func (s *specInForce) unknown(values map[string]float64) (names []string) {
	for name := range values {
		if !s.known[name] {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return names
}

func conflict(ctx context.Context, tx *store.Tx, recordedID int64, seed track.Seed) (RecordResult, error) {
	recorded, err := tx.Values(ctx, recordedID)
	if err != nil {
		return RecordResult{}, err
	}
	outcome, _, err := tx.Outcome(ctx, recordedID)
	return RecordResult{Disposition: track.Conflict, Differences: Differences(recorded, seed.Values), Outcome: outcome}, err
}

// Differences returns the values in which two records of one seed differ, by metric.
func Differences(recorded, given map[string]float64) (list []Difference) {
	names := maps.Clone(recorded)
	maps.Copy(names, given)
	for _, name := range slices.Sorted(maps.Keys(names)) {
		a, inRecorded := recorded[name]
		b, inGiven := given[name]
		if inRecorded && inGiven && (math.Float64bits(a) == math.Float64bits(b) || math.IsNaN(a) && math.IsNaN(b)) {
			continue
		}
		d := Difference{Metric: name}
		if inRecorded {
			d.Recorded = &a
		}
		if inGiven {
			d.New = &b
		}
		list = append(list, d)
	}
	return list
}

// DescribeConflict says in one line how a seed differs from the recorded one.
func (r RecordResult) DescribeConflict(given track.Outcome) string {
	const shown = 3
	var parts []string
	if r.Outcome != given {
		parts = append(parts, fmt.Sprintf("outcome: recorded %s, now %s", r.Outcome, given))
	}
	for i, d := range r.Differences {
		if i == shown {
			parts = append(parts, fmt.Sprintf("and %d more values", len(r.Differences)-shown))
			break
		}
		parts = append(parts, fmt.Sprintf("%s: recorded %s, now %s", d.Metric, FormatValue(d.Recorded), FormatValue(d.New)))
	}
	return strings.Join(parts, "; ")
}

func FormatValue(x *float64) string {
	if x == nil {
		return "nothing"
	}
	switch {
	case math.IsInf(*x, 1):
		return "Infinity"
	case math.IsInf(*x, -1):
		return "-Infinity"
	}
	return fmt.Sprint(*x)
}
