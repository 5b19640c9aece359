package store

import (
	"context"
	"crypto/sha256"
	"fmt"
	"maps"
	"math"
	"slices"
	"time"

	"track"
	"track/scoring"
)

// SeedFilter narrows a list of seeds; the zero value of each field asks for everything.
type SeedFilter struct {
	Scenario       string
	Label          string
	Configurations []int64 // ids of configurations of Scenario; nil for all
	Outcome        track.Outcome
	Status         scoring.Status
	MinScore       *float64
	MaxScore       *float64
	Since          time.Time // recorded at or after
	Number         *track.SeedNumber
	Withdrawn      bool   // those that were withdrawn, in place of those that count
	After          string // only what follows the seed with this ULID in the list; empty for the beginning
	Limit          int    // at most so many; 0 for all
}

const (
	whichCount         = ` WHERE seed.superseded_at IS NULL`
	whichAreWithdrawn  = ` WHERE seed.withdrawn_at IS NOT NULL`
	withNumber         = ` AND seed.number = $1`
	ofConfigurations   = ` AND seed.configuration_id IN ({list})`
	withOutcome        = ` AND seed.outcome = $1`
	withLabel          = ` AND configuration.label = $1`
	seedsOfScenario    = ` AND seed.scenario_id = (SELECT id FROM scenario WHERE name = $1)`
	whichRanWell       = ` AND seed.outcome = 'ok'`
	whichFail          = ` AND (seed.outcome <> 'ok' OR assessment.n_fail > 0)`
	whichWarn          = ` AND seed.outcome = 'ok' AND assessment.n_fail = 0 AND assessment.n_warn > 0`
	whichPass          = ` AND seed.outcome = 'ok' AND assessment.n_fail = 0 AND assessment.n_warn = 0`
	totalAtLeast       = ` AND assessment.total_score >= $1`
	totalAtMost        = ` AND assessment.total_score <= $1`
	recordedSince      = ` AND seed.recorded_at >= $1`
	recordedBeforeSeed = ` AND (seed.recorded_at, seed.id) < (SELECT last.recorded_at, last.id FROM seed AS last WHERE last.ulid = $1)`
	newestRecorded     = ` ORDER BY seed.recorded_at DESC, seed.id DESC` // not by id: what was merged came later than it was recorded
	atMost             = ` LIMIT $1`

	rareSeeds            = ` AND seed.id IN (SELECT rare.id FROM seed AS rare WHERE rare.superseded_at IS NULL`
	rareOfScenario       = ` AND rare.scenario_id = (SELECT id FROM scenario WHERE name = $1)`
	rareOfAnyScenario    = ` AND rare.scenario_id IN (SELECT id FROM scenario)` // with which the index begins
	rareWithLabel        = ` AND rare.configuration_id IN (SELECT id FROM configuration WHERE label = $1)`
	rareOfConfigurations = ` AND rare.configuration_id IN ({list})`
	rareWithNumber       = ` AND rare.number = $1`
	rareWithOutcome      = ` AND rare.outcome = $1 AND rare.outcome <> 'ok'` // the latter is the condition of the index
	anyOfScenario        = ` AND rare.configuration_id IN (SELECT configuration_id FROM scenario_configuration WHERE scenario_id = (SELECT id FROM scenario WHERE name = $1))`
)

// query returns the statement that lists the seeds of the filter, newest first, and its arguments.
func (f SeedFilter) query() (query string, args []any) {
	c := clauses{}
	c.add(selectSeeds)
	hasFailed := f.Outcome != "" && f.Outcome != track.OutcomeOK
	switch {
	case f.Withdrawn: // an index lists them
		c.add(whichAreWithdrawn)
		if f.Scenario != "" {
			c.add(seedsOfScenario, f.Scenario)
		}
		if f.Label != "" {
			c.add(withLabel, f.Label)
		}
		if f.Configurations != nil {
			c.add(ofConfigurations, anys(f.Configurations))
		}
		if hasFailed {
			c.add(withOutcome, string(f.Outcome))
		}
		if f.Number != nil {
			c.add(withNumber, int64(*f.Number))
		}
	case f.Label != "" || f.Configurations != nil || f.Number != nil || hasFailed:
		c.add(whichCount)
		f.addRare(&c, hasFailed)
	default:
		if c.add(whichCount); f.Scenario != "" {
			c.add(seedsOfScenario, f.Scenario)
		}
	}
	if f.Outcome == track.OutcomeOK {
		c.add(whichRanWell)
	}
	switch f.Status {
	case scoring.Fail:
		c.add(whichFail)
	case scoring.Warn:
		c.add(whichWarn)
	case scoring.Pass:
		c.add(whichPass)
	}
	if f.MinScore != nil {
		c.add(totalAtLeast, *f.MinScore)
	}
	if f.MaxScore != nil {
		c.add(totalAtMost, *f.MaxScore)
	}
	if !f.Since.IsZero() {
		c.add(recordedSince, micros(f.Since))
	}
	if f.After != "" {
		c.add(recordedBeforeSeed, f.After)
	}
	c.add(newestRecorded)
	if f.Limit > 0 {
		c.add(atMost, f.Limit)
	}
	return c.statement()
}

// addRare adds the condition for what few seeds have: a label, a configuration, a number or a failure. An index yields
// their ids, so that the list reads no other seeds.
func (f SeedFilter) addRare(c *clauses, hasFailed bool) {
	c.add(rareSeeds)
	if f.Scenario != "" {
		c.add(rareOfScenario, f.Scenario)
	} else {
		c.add(rareOfAnyScenario)
	}
	if f.Label != "" {
		c.add(rareWithLabel, f.Label)
	}
	switch {
	case f.Configurations != nil:
		c.add(rareOfConfigurations, anys(f.Configurations))
	case f.Number != nil && f.Label == "" && f.Scenario != "":
		c.add(anyOfScenario, f.Scenario)
	}
	if f.Number != nil {
		c.add(rareWithNumber, int64(*f.Number))
	}
	if hasFailed {
		c.add(rareWithOutcome, string(f.Outcome))
	}
	c.add(")")
}

const selectSeeds = `
	SELECT seed.id, seed.digest, seed.ulid, scenario.name, seed.number, seed.outcome, seed.message, seed.recorded_at, seed.started_at, seed.duration_us,
	       spec.version, assessment.total_score, assessment.n_pass, assessment.n_warn, assessment.n_fail,` + configurationColumns + `
	  FROM seed
	  JOIN scenario ON scenario.id = seed.scenario_id
	  JOIN configuration ON configuration.id = seed.configuration_id
	  LEFT JOIN assessment ON assessment.seed_id = seed.id
	        AND assessment.spec_id = (SELECT max(spec_id) FROM assessment WHERE seed_id = seed.id)
	  LEFT JOIN spec ON spec.id = assessment.spec_id`

// seedRow is a row of [selectSeeds].
type seedRow struct {
	id     int64
	digest [sha256.Size]byte
	seed   track.RecordedSeed
}

func (c *cells) seedRow() seedRow {
	row := seedRow{id: c.integer(), digest: c.digest(), seed: track.RecordedSeed{
		ID: c.text(), Scenario: c.text(), Number: c.number(), Outcome: track.Outcome(c.text()), Message: c.text(), RecordedAt: c.time(), StartedAt: c.time(),
		Duration: c.duration(), SpecVersion: c.count(), TotalScore: c.realOrNil(), NPass: c.count(), NWarn: c.count(), NFail: c.count(),
		Configuration: c.configuration().RecordedConfiguration,
	}}
	s := &row.seed
	s.Status = track.SeedStatus(s.Outcome, s.SpecVersion > 0, s.NWarn, s.NFail)
	return row
}

// Seeds lists seeds, the newest first.
func (r *Reader) Seeds(ctx context.Context, filter SeedFilter) (seeds []track.RecordedSeed, err error) {
	err = r.Snapshot(ctx, func(r *Reader) error {
		rows, err := r.seedRows(ctx, filter)
		seeds = make([]track.RecordedSeed, len(rows))
		for i, row := range rows {
			seeds[i] = row.seed
		}
		return err
	})
	return seeds, err
}

// seedRows lists seeds; withdrawn ones with who withdrew them, and why.
func (r *Reader) seedRows(ctx context.Context, filter SeedFilter) ([]seedRow, error) {
	query, args := filter.query()
	rows, err := list(ctx, r, query, args, (*cells).seedRow)
	if !filter.Withdrawn {
		return rows, err
	}
	known := map[string]Withdrawn{}
	for i := range rows {
		s := &rows[i].seed
		key := s.Scenario + "\x00" + s.Configuration.Hash
		of, has := known[key]
		if !has && err == nil {
			of, err = r.Withdrawn(ctx, s.Scenario, s.Configuration.Hash)
			known[key] = of
		}
		s.Withdrawn = of.of(s.Number, rows[i].digest)
	}
	return rows, err
}

const countSeedByULID = `SELECT 1 FROM seed WHERE ulid = $1`

// HasSeed reports whether a seed with this ULID is recorded.
func (r *Reader) HasSeed(ctx context.Context, ulid string) (bool, error) {
	return r.exists(ctx, countSeedByULID, ulid)
}

const (
	getSeedParts        = `SELECT environment.document, seed.numbers FROM seed JOIN environment ON environment.id = seed.environment_id WHERE seed.id = $1`
	listSeedAssessments = `
	SELECT spec.version FROM assessment JOIN spec ON spec.id = assessment.spec_id WHERE assessment.seed_id = $1 ORDER BY spec.version`
	getMeasured = `SELECT outcome, numbers FROM seed WHERE id = $1`
)

// SeedByNumber returns the seed of a scenario with this number, as recorded last, and the same seed under other
// configurations, the newest first. An id narrows it to that configuration, 0 does not. If no such seed counts, it
// returns one that was withdrawn.
func (r *Reader) SeedByNumber(ctx context.Context, scenario string, number track.SeedNumber, configuration int64) (detail track.RecordedSeed, others []track.RecordedSeed, err error) {
	filter := SeedFilter{Scenario: scenario, Number: &number}
	if configuration != 0 {
		filter.Configurations = []int64{configuration}
	}
	err = r.Snapshot(ctx, func(r *Reader) error {
		rows, err := r.seedRows(ctx, filter)
		if err == nil && len(rows) == 0 {
			filter.Withdrawn, filter.Limit = true, 1
			rows, err = r.seedRows(ctx, filter)
		}
		if err != nil {
			return err
		}
		if len(rows) == 0 {
			if _, err := r.NewestConfiguration(ctx, scenario); err != nil {
				return err
			}
			return track.WithHint(fmt.Errorf("seed %s of scenario %s: %w", number, scenario, track.ErrNotFound), track.NewHint("list the seeds", "seeds", scenario))
		}
		for _, row := range rows[1:] {
			others = append(others, row.seed)
		}
		detail = rows[0].seed
		err = r.each(ctx, getSeedParts, []any{rows[0].id}, func(c *cells) {
			c.json("environment", &detail.Environment)
			detail.Values = c.numbers()
		})
		if err != nil {
			return err
		}
		return r.selectAll(ctx, &detail.Assessed, listSeedAssessments, rows[0].id)
	})
	return detail, others, err
}

// numbers returns numbers by name.
func (c *cells) numbers() map[string]float64 {
	text := c.text()
	if text == "" {
		return nil
	}
	numbers, err := numbersOf(text)
	c.fail(err)
	return numbers
}

// Measured returns how the seed with this id ended, and what it measured.
func (r *Reader) Measured(ctx context.Context, seedID int64) (outcome track.Outcome, values map[string]float64, err error) {
	err = r.each(ctx, getMeasured, []any{seedID}, func(c *cells) { outcome, values = track.Outcome(c.text()), c.numbers() })
	return outcome, values, err
}

// Selection names the seeds that an aggregate is taken over: those of a scenario under some configurations, judged by
// one spec.
type Selection struct {
	Scenario       string
	Configurations []int64
	SpecID         int64
	Seeds          []track.SeedRange // empty for all seeds
}

const (
	inConfigurations = ` seed.scenario_id = (SELECT id FROM scenario WHERE name = $1) AND seed.superseded_at IS NULL
	   AND seed.configuration_id IN ({list})`
	inRange       = `seed.number BETWEEN $1 AND $2`
	inSignedRange = `(seed.number >= $1 OR seed.number BETWEEN $2 AND $3)` // numbers from 2^63 are stored as negative ones, in the same order
)

// of returns a statement of a beginning, the condition that the selection amounts to, and an end.
func (sel Selection) of(before string, args []any, after string) (string, []any) {
	c := clauses{}
	c.add(before, args...)
	c.add(inConfigurations, sel.Scenario, anys(sel.Configurations))
	for i, r := range sel.Seeds {
		c.add([]string{" AND (", " OR "}[min(i, 1)])
		if r.First <= math.MaxInt64 && r.Last > math.MaxInt64 {
			c.add(inSignedRange, r.First, int64(math.MinInt64), r.Last)
		} else {
			c.add(inRange, r.First, r.Last)
		}
	}
	if len(sel.Seeds) > 0 {
		c.add(")")
	}
	c.add(after)
	return c.statement()
}

// Seed is a seed of a selection with its judgement under the spec of the selection.
type Seed struct {
	ID            int64
	ULID          string
	Number        track.SeedNumber
	Configuration int64
	Outcome       track.Outcome
	Message       string
	RecordedAt    time.Time
	Digest        [sha256.Size]byte // of what it measured
	Assessed      bool
	TotalScore    float64 // NaN if it has none
	NWarn, NFail  int
	Repeats       bool                   // it measured exactly what an earlier seed of its configuration did, and not whole numbers alone
	Scores        []float64              // in the order of the spec, NaN if there is none; nil unless asked for, and for a seed without results
	Statuses      []scoring.PackedStatus // likewise; none for a metric without a value

	environment     int64
	numbers, judged string // its values and results, as they are stored
}

const (
	selectJudged = `
	SELECT seed.id, seed.ulid, seed.number, seed.configuration_id, seed.outcome, seed.message, seed.recorded_at, seed.digest, seed.environment_id, seed.numbers,
	       assessment.seed_id IS NOT NULL, assessment.total_score, assessment.n_warn, assessment.n_fail, assessment.results
	  FROM seed LEFT JOIN assessment ON assessment.seed_id = seed.id AND assessment.spec_id = $1
	 WHERE`
	inScanOrder   = ` ORDER BY seed.scenario_id, seed.configuration_id, seed.number, seed.id` // that of the index. Sums depend on it
	inNumberOrder = ` ORDER BY seed.number < 0, seed.number, seed.id`
)

// eachSeed calls visit with each seed of a selection. The seed is valid during the call.
func (r *Reader) eachSeed(ctx context.Context, sel Selection, order string, visit func(*Seed) error) error {
	type result struct {
		configuration int64
		digest        [sha256.Size]byte
	}
	known := map[result]bool{}
	query, args := sel.of(selectJudged, []any{sel.SpecID}, order)
	return r.each(ctx, query, args, func(c *cells) {
		s := Seed{
			ID: c.integer(), ULID: c.text(), Number: c.number(), Configuration: c.integer(), Outcome: track.Outcome(c.text()), Message: c.text(), RecordedAt: c.time(),
			Digest: c.digest(), environment: c.integer(), numbers: c.text(), Assessed: c.isTrue(), TotalScore: c.real(), NWarn: c.count(), NFail: c.count(), judged: c.text(),
		}
		if s.Outcome == track.OutcomeOK {
			key := result{s.Configuration, s.Digest}
			if known[key] {
				s.Repeats = !areWhole(s.numbers)
			}
			known[key] = true
		}
		c.fail(visit(&s))
	})
}

// areWhole reports whether there are values, and none that is not a whole number: counts and flags may well be equal.
func areWhole(numbers string) bool {
	isWhole, n := true, 0
	_ = eachNumber(numbers, func(_ string, x float64) { isWhole, n = isWhole && (x == math.Trunc(x) || math.IsNaN(x)), n+1 }) // whoever needs the values meets the damage
	return isWhole && n > 0
}

// results returns the results of a seed, in the order of the spec.
func (s *Seed) results() ([]storedResult, error) {
	if s.judged == "" {
		return nil, nil
	}
	return appendPackedResults(nil, s.judged)
}

// SeedScores returns the seeds of a selection in the order in which they were recorded, with the scores and statuses of
// their metrics if withMetrics is set.
func (r *Reader) SeedScores(ctx context.Context, sel Selection, withMetrics bool) (seeds []Seed, err error) {
	err = r.eachSeed(ctx, sel, inScanOrder, func(s *Seed) error {
		one := *s
		one.numbers, one.judged = "", ""
		if withMetrics {
			results, err := s.results()
			if err != nil {
				return err
			}
			for _, result := range results {
				one.Scores, one.Statuses = append(one.Scores, result.score), append(one.Statuses, result.packedStatus())
			}
		}
		seeds = append(seeds, one)
		return nil
	})
	slices.SortStableFunc(seeds, func(a, b Seed) int {
		if order := a.RecordedAt.Compare(b.RecordedAt); order != 0 {
			return order
		}
		return int(min(max(a.ID-b.ID, -1), 1))
	})
	return seeds, err
}

// Distinct returns the seeds that count: one of those that repeat each other.
func Distinct(seeds []Seed) []Seed {
	return slices.DeleteFunc(slices.Clone(seeds), func(s Seed) bool { return s.Repeats })
}

// values returns what a seed measured, and what was computed from its series when it was judged: they may be pruned
// since.
func (s *Seed) values(names []string) (map[string]float64, error) {
	values, err := numbersOf(s.numbers)
	if err != nil {
		return nil, err
	}
	results, err := s.results()
	for i, result := range results {
		if result.hasComputed() && i < len(names) {
			values[names[i]] = result.value
		}
	}
	return values, err
}

// MeasuredValues returns, by the id of the seed, what the seeds of a selection that ran well measured of the metrics of
// the spec, and what was computed from their series.
func (r *Reader) MeasuredValues(ctx context.Context, sel Selection) (map[int64]map[string]float64, error) {
	names, err := r.specNames(ctx, sel.SpecID)
	if err != nil {
		return nil, err
	}
	values := map[int64]map[string]float64{}
	return values, r.eachSeed(ctx, sel, inScanOrder, func(s *Seed) error {
		if s.Outcome != track.OutcomeOK {
			return nil
		}
		all, err := s.values(names)
		of := map[string]float64{}
		for _, name := range names {
			if x, known := all[name]; known {
				of[name] = x
			}
		}
		if len(of) > 0 {
			values[s.ID] = of
		}
		return err
	})
}

// OneMeasured returns, by the id of the seed, the values of one metric as [Reader.MeasuredValues] does for all. The
// spec may not have it.
func (r *Reader) OneMeasured(ctx context.Context, sel Selection, name string) (map[int64]float64, error) {
	names, err := r.specNames(ctx, sel.SpecID)
	if err != nil {
		return nil, err
	}
	values := map[int64]float64{}
	return values, r.eachSeed(ctx, sel, inScanOrder, func(s *Seed) error {
		if s.Outcome != track.OutcomeOK {
			return nil
		}
		all, err := s.values(names)
		if x, known := all[name]; known {
			values[s.ID] = x
		}
		return err
	})
}

// MeasuredSeed is a seed with what it measured, and how a spec judges that.
type MeasuredSeed struct {
	*Seed
	Metrics []MeasuredMetric // of the spec, in its order, and then the others by name
}

// MeasuredMetric is a metric of a seed.
type MeasuredMetric struct {
	Name     string
	HasValue bool
	Value    float64
	Status   scoring.Status // empty if it was not judged
	Score    float64        // NaN if it has none
}

// VisitMeasured calls visit for each seed of a selection of one configuration, by number. The seed is valid during the
// call. A selection without a spec has no judgements.
func (r *Reader) VisitMeasured(ctx context.Context, sel Selection, visit func(*MeasuredSeed) error) error {
	return r.Snapshot(ctx, func(r *Reader) error {
		names, err := r.specNames(ctx, sel.SpecID)
		if err != nil {
			return err
		}
		return r.eachSeed(ctx, sel, inNumberOrder, func(s *Seed) error {
			values, err := s.values(names)
			if err != nil {
				return err
			}
			results, err := s.results()
			if err != nil {
				return err
			}
			m := MeasuredSeed{Seed: s}
			for i, name := range names {
				metric := MeasuredMetric{Name: name, Score: math.NaN()}
				metric.Value, metric.HasValue = values[name]
				delete(values, name)
				if i < len(results) && results[i].isJudged {
					metric.Score, metric.Status = results[i].score, statusOf(results[i].status)
				}
				m.Metrics = append(m.Metrics, metric)
			}
			for _, name := range slices.Sorted(maps.Keys(values)) {
				m.Metrics = append(m.Metrics, MeasuredMetric{Name: name, HasValue: true, Value: values[name], Score: math.NaN()})
			}
			return visit(&m)
		})
	})
}

const (
	listConfigurationHashes = `SELECT id, hash FROM configuration WHERE id IN ({list})`
	whichDidNotPass         = ` AND (assessment.total_score IS NULL OR assessment.n_fail > 0)`
)

// FailingSeeds returns the seeds of a selection that did not pass, by number, with the metrics that failed, in the
// order of the spec. The reason of a seed is the message that it was recorded with.
func (r *Reader) FailingSeeds(ctx context.Context, sel Selection) (failing []track.FailingSeed, err error) {
	names, err := r.specNames(ctx, sel.SpecID)
	if err != nil {
		return nil, err
	}
	hashes := map[int64]string{}
	var c clauses
	c.add(listConfigurationHashes, anys(sel.Configurations))
	query, args := c.statement()
	if err := r.each(ctx, query, args, func(c *cells) { hashes[c.integer()] = c.text() }); err != nil {
		return nil, err
	}
	failing = []track.FailingSeed{}
	return failing, r.eachSeed(ctx, sel, whichDidNotPass+inNumberOrder, func(s *Seed) error {
		f := track.FailingSeed{Number: s.Number, Configuration: hashes[s.Configuration], Outcome: s.Outcome, Reason: s.Message}
		if s.NFail > 0 {
			if f.Metrics, err = s.failingMetrics(names); err != nil {
				return err
			}
		}
		failing = append(failing, f)
		return nil
	})
}

func (s *Seed) failingMetrics(names []string) (list []track.FailingMetric, err error) {
	values, err := numbersOf(s.numbers)
	if err != nil {
		return nil, err
	}
	results, err := s.results()
	for i, result := range results {
		if !result.isJudged || statusOf(result.status) != scoring.Fail || i >= len(names) {
			continue
		}
		value, known := values[names[i]]
		if !known {
			value = math.NaN()
		}
		list = append(list, track.FailingMetric{Name: names[i], Value: value, Missing: math.IsNaN(result.score)})
	}
	return list, err
}

// Totals is the aggregate over a [Selection], and what a reader has to know of it.
type Totals struct {
	scoring.SeedTotals
	NUnassessed   int // seeds that ran well but were never judged under the spec
	NEnvironments int // different environments among the seeds
}

// SeedTotals aggregates the total scores of a selection.
func (r *Reader) SeedTotals(ctx context.Context, sel Selection) (Totals, error) {
	of, err := r.totals(ctx, sel, func(*Seed) int64 { return 0 })
	return of[0].totals(), err
}

// TotalsByConfiguration is [Reader.SeedTotals] of each configuration of a selection, in their order.
func (r *Reader) TotalsByConfiguration(ctx context.Context, sel Selection) (list []Totals, err error) {
	of, err := r.totals(ctx, sel, func(s *Seed) int64 { return s.Configuration })
	for _, c := range sel.Configurations {
		list = append(list, of[c].totals())
	}
	return list, err
}

// seedSums sums up seeds. Those that repeat others count once.
type seedSums struct {
	Totals
	scores       []float64
	environments map[int64]bool
}

func (r *Reader) totals(ctx context.Context, sel Selection, by func(*Seed) int64) (map[int64]*seedSums, error) {
	of := map[int64]*seedSums{}
	return of, r.eachSeed(ctx, sel, inScanOrder, func(s *Seed) error {
		t := of[by(s)]
		if t == nil {
			t = &seedSums{environments: map[int64]bool{}}
			of[by(s)] = t
		}
		t.environments[s.environment] = true
		if s.Repeats {
			t.NIdentical++
			return nil
		}
		t.NSeeds++
		if s.Outcome == track.OutcomeOK {
			if t.NOK++; !s.Assessed {
				t.NUnassessed++
			}
		}
		if math.IsNaN(s.TotalScore) {
			return nil
		}
		if t.scores = append(t.scores, s.TotalScore); s.NFail == 0 {
			t.NPassed++
		}
		if s.TotalScore == 0 || s.TotalScore == 1 {
			t.NSaturated++
		}
		return nil
	})
}

func (s *seedSums) totals() Totals {
	if s == nil {
		s = &seedSums{}
	}
	s.NEnvironments = len(s.environments)
	s.Score, s.Shape = scoring.MomentsOf(s.scores), scoring.NewShape(s.scores)
	return s.Totals
}

// MetricTotals aggregates each metric of a selection, in the order of the spec. Only the values of seeds that were
// judged count: a failed seed may carry values.
func (r *Reader) MetricTotals(ctx context.Context, sel Selection) ([]scoring.MetricTotals, error) {
	names, err := r.specNames(ctx, sel.SpecID)
	if err != nil {
		return nil, err
	}
	type sum struct {
		notFailed int
		score     scoring.Accumulator
		value     scoring.ValueAccumulator
		computed  []float64 // from series, which are added behind the values that were given
	}
	sums, at := make([]sum, len(names)), make(map[string]int, len(names))
	for i, name := range names {
		at[name] = i
	}
	var results []storedResult
	err = r.eachSeed(ctx, sel, inScanOrder, func(s *Seed) (err error) {
		if s.Repeats || s.judged == "" {
			return nil
		}
		if results, err = appendPackedResults(results[:0], s.judged); err != nil {
			return err
		}
		for i, result := range results[:min(len(results), len(sums))] {
			if !result.isJudged {
				continue
			}
			if statusOf(result.status) != scoring.Fail {
				sums[i].notFailed++
			}
			if !math.IsNaN(result.score) {
				sums[i].score.Add(result.score)
			}
			if result.hasComputed() {
				sums[i].computed = append(sums[i].computed, result.value)
			}
		}
		return eachNumber(s.numbers, func(name string, x float64) {
			if i, known := at[name]; known {
				sums[i].value.Add(x)
			}
		})
	})
	totals := make([]scoring.MetricTotals, len(sums))
	for i := range sums {
		for _, x := range sums[i].computed {
			sums[i].value.Add(x)
		}
		totals[i] = scoring.MetricTotals{NNotFailed: sums[i].notFailed, Score: sums[i].score.Moments()}
		sums[i].value.Fill(&totals[i])
	}
	return totals, err
}

// OneMetricTotals aggregates one metric of a selection.
func (r *Reader) OneMetricTotals(ctx context.Context, sel Selection, name string) (scoring.MetricTotals, error) {
	names, err := r.specNames(ctx, sel.SpecID)
	if err != nil {
		return scoring.MetricTotals{}, err
	}
	i := slices.Index(names, name)
	if i < 0 {
		return scoring.MetricTotals{}, fmt.Errorf("metric %s: %w", name, track.ErrNotFound)
	}
	totals, err := r.MetricTotals(ctx, sel)
	if err != nil {
		return scoring.MetricTotals{}, err
	}
	return totals[i], nil
}

const listSeedResults = `
	SELECT assessment.results, seed.numbers FROM seed JOIN assessment ON assessment.seed_id = seed.id WHERE seed.ulid = $1 AND assessment.spec_id = $2`

// Results returns the stored results of the seed with this ULID under a spec, by metric.
func (r *Reader) Results(ctx context.Context, ulid string, specID int64) (map[string]scoring.Result, error) {
	names, err := r.specNames(ctx, specID)
	if err != nil {
		return nil, err
	}
	results := map[string]scoring.Result{}
	return results, r.each(ctx, listSeedResults, []any{ulid, specID}, func(c *cells) {
		stored, err := appendPackedResults(nil, c.text())
		c.fail(err)
		values := c.numbers()
		for i, one := range stored[:min(len(stored), len(names))] {
			if !one.isJudged {
				continue
			}
			if value, given := values[names[i]]; !one.isComputed {
				if one.value = value; !given {
					one.value = math.NaN()
				}
			}
			results[names[i]] = one.result(names[i])
		}
	})
}

// result returns a result as package scoring has it. Its value is given or computed.
func (r storedResult) result(name string) scoring.Result {
	one := scoring.Result{Name: name, Status: statusOf(r.status), Score: r.score, Value: r.value}
	switch {
	case r.reason != "":
		one.Reason = scoring.ReasonMissing + ": " + r.reason
	case math.IsNaN(r.score):
		one.Reason = scoring.ReasonMissing
	case math.IsNaN(one.Value) || math.IsInf(one.Value, 0):
		one.Reason = scoring.ReasonNonFinite
	}
	if math.IsNaN(r.score) {
		one.Score = 0
	}
	if one.Missing() {
		one.Value = 0
	}
	return one
}

// StoredSeed is a seed to be judged again: its values, and how it was judged last. Its SpecVersion is the version of
// Previous.
type StoredSeed struct {
	track.RecordedSeed
	RowID    int64
	Previous map[string]scoring.Status // under the newest other spec; empty if there is none
	Current  bool                      // it is assessed under the requested spec
}

const listStoredSeeds = `
	SELECT seed.id, seed.ulid, seed.number, configuration.label, configuration.hash, seed.numbers,
	       EXISTS (SELECT 1 FROM assessment WHERE seed_id = seed.id AND spec_id = $1), coalesce(spec.id, 0), spec.version, assessment.results
	  FROM seed
	  JOIN configuration ON configuration.id = seed.configuration_id
	  LEFT JOIN assessment ON assessment.seed_id = seed.id AND assessment.spec_id = (SELECT max(spec_id) FROM assessment WHERE seed_id = seed.id AND spec_id <> $1)
	  LEFT JOIN spec ON spec.id = assessment.spec_id
	 WHERE seed.scenario_id = (SELECT id FROM scenario WHERE name = $2) AND seed.superseded_at IS NULL AND seed.outcome = 'ok'
	   AND seed.id > $3
	 ORDER BY seed.id LIMIT $4`

// StoredSeeds returns the next seeds of a scenario that ran well, by id after the one given, and at most limit.
func (r *Reader) StoredSeeds(ctx context.Context, scenario string, specID, after int64, limit int) (seeds []StoredSeed, err error) {
	err = r.Snapshot(ctx, func(r *Reader) error {
		var specs []int64
		var results [][]storedResult
		err := r.each(ctx, listStoredSeeds, []any{specID, scenario, after, limit}, func(c *cells) {
			s := StoredSeed{RowID: c.integer(), Previous: map[string]scoring.Status{}, RecordedSeed: track.RecordedSeed{ID: c.text(), Number: c.number()}}
			s.Configuration.Label, s.Configuration.Hash, s.Values, s.Current = c.text(), c.text(), c.numbers(), c.isTrue()
			specs = append(specs, c.integer())
			s.SpecVersion = c.count()
			var stored []storedResult
			if text := c.text(); text != "" {
				stored, err = appendPackedResults(nil, text)
				c.fail(err)
			}
			seeds, results = append(seeds, s), append(results, stored)
		})
		known := map[int64][]string{}
		for i := range seeds {
			names, read := known[specs[i]]
			if !read && err == nil {
				names, err = r.specNames(ctx, specs[i])
				known[specs[i]] = names
			}
			for k, one := range results[i][:min(len(results[i]), len(names))] {
				if one.isJudged {
					seeds[i].Previous[names[k]] = statusOf(one.status)
				}
			}
		}
		return err
	})
	return seeds, err
}

// SeedTrial is a seed of a configuration as evidence.
type SeedTrial struct {
	Configuration Configuration
	Number        track.SeedNumber
	At            time.Time // started, or recorded if the start is unknown
	Outcome       track.Outcome
	Assessed      bool
	TotalScore    *float64 // 0 to 1; nil if a metric is missing
}

// A join in the order in which it is written, for SQLite: few configurations have the parameters.
const listSeedTrials = `
	SELECT ` + configurationColumns + `, seed.number, coalesce(seed.started_at, seed.recorded_at) AS at, seed.outcome,
	       assessment.seed_id IS NOT NULL, assessment.total_score
	  FROM scenario_configuration CROSS JOIN configuration CROSS JOIN seed
	  LEFT JOIN assessment ON assessment.seed_id = seed.id AND assessment.spec_id = $1
	 WHERE scenario_configuration.scenario_id = (SELECT id FROM scenario WHERE name = $2) AND configuration.id = scenario_configuration.configuration_id
	   AND seed.scenario_id = scenario_configuration.scenario_id AND seed.configuration_id = configuration.id AND seed.superseded_at IS NULL
	   AND configuration.params IN ({list})
	 ORDER BY scenario_configuration.id, at, seed.id`

// SeedTrials returns the seeds of a scenario by the parameters of their configurations, which are canonical JSON:
// configuration by configuration, in the order in which these were first recorded.
func (r *Reader) SeedTrials(ctx context.Context, scenario string, specID int64, params ...string) (map[string][]SeedTrial, error) {
	trials := make(map[string][]SeedTrial, len(params))
	var c clauses
	c.add(listSeedTrials, specID, scenario, anys(params))
	query, args := c.statement()
	return trials, r.each(ctx, query, args, func(c *cells) {
		trial := SeedTrial{c.configuration(), c.number(), c.time(), track.Outcome(c.text()), c.isTrue(), c.realOrNil()}
		key := string(trial.Configuration.Params.JSON())
		trials[key] = append(trials[key], trial)
	})
}

const (
	listSeedIDs   = `SELECT seed.ulid, seed.number FROM seed WHERE`
	listOutcomes  = `SELECT seed.number, seed.outcome FROM seed WHERE`
	countRecorded = `SELECT count(*) FROM seed WHERE`
	listRecorded  = `
	SELECT seed.number, seed.outcome FROM seed
	 WHERE seed.scenario_id = (SELECT id FROM scenario WHERE name = $1) AND seed.superseded_at IS NULL
	   AND seed.configuration_id = (SELECT id FROM configuration WHERE hash = $2)`
	findRecorded = listRecorded + ` AND seed.number = $3`
	countSeeds   = `SELECT count(*) FROM seed WHERE scenario_id = (SELECT id FROM scenario WHERE name = $1)`
)

// SeedIDs returns the identifiers and numbers of the seeds of a selection, by number. The spec of the selection does
// not matter.
func (r *Reader) SeedIDs(ctx context.Context, sel Selection) ([]track.RecordedSeed, error) {
	query, args := sel.of(listSeedIDs, nil, inNumberOrder)
	return list(ctx, r, query, args, func(c *cells) track.RecordedSeed {
		return track.RecordedSeed{ID: c.text(), Number: c.number(), Scenario: sel.Scenario}
	})
}

// RecordedOutcomes returns the outcomes of the recorded seeds of a configuration, by number.
func (r *Reader) RecordedOutcomes(ctx context.Context, scenario, configuration string) (map[track.SeedNumber]track.Outcome, error) {
	return r.outcomes(ctx, listRecorded, scenario, configuration)
}

// RecordedOutcome returns the outcome of a recorded seed; empty if the seed is not recorded.
func (r *Reader) RecordedOutcome(ctx context.Context, scenario, configuration string, number track.SeedNumber) (track.Outcome, error) {
	outcomes, err := r.outcomes(ctx, findRecorded, scenario, configuration, number)
	return outcomes[number], err
}

func (r *Reader) outcomes(ctx context.Context, query string, args ...any) (map[track.SeedNumber]track.Outcome, error) {
	outcomes := map[track.SeedNumber]track.Outcome{}
	return outcomes, r.each(ctx, query, args, func(c *cells) { outcomes[c.number()] = track.Outcome(c.text()) })
}

// RecordedNumbers lists the seeds of a configuration, in no order.
func (r *Reader) RecordedNumbers(ctx context.Context, scenario string, configuration int64) ([]track.SeedNumber, error) {
	query, args := Selection{Scenario: scenario, Configurations: []int64{configuration}}.of(listOutcomes, nil, "")
	return list(ctx, r, query, args, (*cells).number)
}

// CountRecorded counts the seeds of a selection.
func (r *Reader) CountRecorded(ctx context.Context, sel Selection) (n int, err error) {
	query, args := sel.of(countRecorded, nil, "")
	return n, r.get(ctx, &n, query, args...)
}

// CountSeeds counts the seeds of a scenario, including superseded ones.
func (r *Reader) CountSeeds(ctx context.Context, scenario string) (n int, err error) {
	return n, r.get(ctx, &n, countSeeds, scenario)
}

const (
	getRunTimes = `
	SELECT min(seed.started_at), max(seed.started_at), count(seed.started_at), coalesce(sum(seed.duration_us), 0), count(seed.duration_us) FROM seed WHERE`
	listEnvironments = `
	SELECT environment.document, used.n
	  FROM (SELECT seed.environment_id, count(*) AS n FROM seed WHERE`
	usedEnvironments = ` GROUP BY seed.environment_id) AS used
	  JOIN environment ON environment.id = used.environment_id
	 ORDER BY used.n DESC, environment.document`
	listSweepUses = `
	SELECT sweep.ulid, sweep.plan, used.n
	  FROM (SELECT run.sweep_id, count(*) AS n FROM seed JOIN run ON run.seed_id = seed.id WHERE`
	usedSweeps = ` GROUP BY run.sweep_id) AS used
	  JOIN sweep ON sweep.id = used.sweep_id
	 ORDER BY used.n DESC, sweep.ulid`
)

// Runs returns where and when the seeds of a selection ran.
func (r *Reader) Runs(ctx context.Context, sel Selection) (runs track.Runs, err error) {
	query, args := sel.of(getRunTimes, nil, "")
	err = r.each(ctx, query, args, func(c *cells) {
		runs = track.Runs{First: c.time(), Last: c.time(), NStarted: c.count(), Duration: time.Duration(c.integer()) * time.Microsecond, NTimed: c.count()}
	})
	if err != nil {
		return track.Runs{}, err
	}
	if runs.Environments, err = r.Environments(ctx, sel); err != nil {
		return track.Runs{}, err
	}
	query, args = sel.of(listSweepUses, nil, usedSweeps)
	runs.Sweeps, err = list(ctx, r, query, args, func(c *cells) track.SweepUse { return track.SweepUse{ID: c.text(), Plan: c.text(), NSeeds: c.count()} })
	return runs, err
}

// Environments returns where the seeds of a selection ran, most seeds first.
func (r *Reader) Environments(ctx context.Context, sel Selection) ([]track.EnvironmentUse, error) {
	query, args := sel.of(listEnvironments, nil, usedEnvironments)
	return list(ctx, r, query, args, func(c *cells) (use track.EnvironmentUse) {
		c.json("environment", &use.Environment)
		use.NSeeds = c.count()
		return use
	})
}
