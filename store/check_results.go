package store

import (
	"context"
	"database/sql/driver"
	"fmt"
	"math"

	"track"
)

const (
	listCheckedAssessments = `
	SELECT ` + assessmentChecked + `, seed.ulid, seed.number, scenario.name, spec.version, packed_result.results
	  FROM assessment LEFT JOIN seed ON seed.id = assessment.seed_id LEFT JOIN scenario ON scenario.id = seed.scenario_id
	  LEFT JOIN spec ON spec.id = assessment.spec_id
	  LEFT JOIN packed_result ON packed_result.seed_id = assessment.seed_id AND packed_result.spec_id = assessment.spec_id
	 WHERE (assessment.seed_id, assessment.spec_id) > ($1, $2) ORDER BY assessment.seed_id, assessment.spec_id LIMIT 1000`
	listOrphanResults = `
	SELECT seed_id, spec_id FROM packed_result
	 WHERE NOT EXISTS (SELECT 1 FROM assessment WHERE assessment.seed_id = packed_result.seed_id AND assessment.spec_id = packed_result.spec_id)
	 ORDER BY seed_id, spec_id`
	listCheckedWeights = `SELECT spec_id, metric_id, weight FROM spec_metric ORDER BY spec_id, position`
)

// resultCheck compares assessments with their results.
type resultCheck struct {
	found  func(Damage)
	counts CheckCounts
	specs  map[int64]*checkedSpec
}

// checkedSpec is what the total score under a spec is computed from.
type checkedSpec struct {
	positions map[int64]int // by metric
	weights   []float64
	scores    []float64 // of one seed; NaN for none
}

// CheckResults compares every assessment with its results: how many passed, and the total score. done is called now and
// then.
func (r *Reader) CheckResults(ctx context.Context, found func(Damage), done func(CheckCounts)) (CheckCounts, error) {
	c := &resultCheck{found: found, specs: map[int64]*checkedSpec{}}
	err := r.stream(ctx, listCheckedWeights, nil, c.addWeight)
	for seed, spec, n := int64(math.MinInt64), int64(0), 1; err == nil && n > 0; done(c.counts) {
		n = 0
		err = r.stream(ctx, listCheckedAssessments, []any{seed, spec}, func(row []driver.Value) {
			n++
			seed, spec = asInt(row[0]), asInt(row[1])
			c.check(row)
		})
	}
	if err == nil {
		err = r.stream(ctx, listOrphanResults, nil, func(row []driver.Value) {
			found(Damage{"packed_result", "its assessment does not exist", fmt.Sprintf("row %d of seed, row %d of spec", asInt(row[0]), asInt(row[1]))})
		})
	}
	return c.counts, explain(err)
}

func (c *resultCheck) addWeight(row []driver.Value) {
	spec := asInt(row[0])
	s := c.specs[spec]
	if s == nil {
		s = &checkedSpec{positions: map[int64]int{}}
		c.specs[spec] = s
	}
	s.positions[asInt(row[1])] = len(s.weights)
	s.weights, s.scores = append(s.weights, asFloat(row[2])), append(s.scores, math.NaN())
}

// check takes a row of [listCheckedAssessments].
func (c *resultCheck) check(row []driver.Value) {
	c.counts.Assessments++
	ulid, number, scenario, version := asText(row[8]), track.SeedNumber(asInt(row[9])), asText(row[10]), asInt(row[11])
	name := fmt.Sprintf("seed %s of %s (%s), spec version %d", number, scenario, ulid, version)
	if !isSound(row[:assessmentColumns]) {
		c.found(Damage{"assessment", "its row differs from its checksum", name})
	}
	if row[12] == nil {
		c.found(Damage{"assessment", "its results are missing", name})
		return
	}
	spec := c.specs[asInt(row[1])]
	if spec == nil {
		spec = &checkedSpec{}
	}
	counts, problem, unknown := c.readResults(spec, asText(row[12]))
	stored := [3]int{int(asInt(row[3])), int(asInt(row[4])), int(asInt(row[5]))}
	total, storedTotal := spec.total(), asNullFloat(row[2])
	switch {
	case unknown != nil:
		c.found(Damage{"packed_result", "its spec does not have its metric", fmt.Sprintf("metric %d, %s", *unknown, name)})
	case problem != "":
		c.found(Damage{"packed_result", problem, name})
	case stored != counts:
		c.found(Damage{"assessment", "its counts differ from its results", fmt.Sprintf("%s: %v stored, %v counted", name, stored, counts)})
	case math.IsNaN(total) == storedTotal.Valid || storedTotal.Valid && total != storedTotal.Float64:
		c.found(Damage{"assessment", "its total score differs from its results", fmt.Sprintf("%s: %v stored, %v computed", name, storedTotal.Float64, total)})
	}
}

// readResults counts results by status, and keeps their scores. It says what is wrong with them, and which metric is
// unknown.
func (c *resultCheck) readResults(spec *checkedSpec, text string) (counts [3]int, problem string, unknown *int64) {
	for i := range spec.scores {
		spec.scores[i] = math.NaN()
	}
	err := eachResult(text, func(r storedResult) {
		c.counts.Results++
		at, known := spec.positions[r.metric]
		switch {
		case !known:
			unknown = &r.metric
		case r.status < 0 || r.status > 2:
			problem = "its status is out of range"
		default:
			spec.scores[at] = r.score
			counts[r.status]++
		}
	})
	if err != nil {
		problem = "it cannot be decoded"
	}
	return counts, problem, unknown
}

// total returns the weighted mean of the scores, summed up in the order of the spec; NaN if one is missing.
func (s *checkedSpec) total() float64 {
	var sum, weights float64
	for i, weight := range s.weights {
		sum += float64(s.scores[i] * weight)
		weights += weight
	}
	return sum / weights
}
