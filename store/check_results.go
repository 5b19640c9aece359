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
	SELECT seed.ulid, seed.number, scenario.name, spec.version,` + assessmentChecked + `
	  FROM assessment LEFT JOIN seed ON seed.id = assessment.seed_id LEFT JOIN scenario ON scenario.id = seed.scenario_id
	  LEFT JOIN spec ON spec.id = assessment.spec_id
	  LEFT JOIN packed_result ON packed_result.seed_id = assessment.seed_id AND packed_result.spec_id = assessment.spec_id
	 WHERE (assessment.seed_id, assessment.spec_id) > ($1, $2) ORDER BY assessment.seed_id, assessment.spec_id LIMIT 1000`
	listOrphanResults = `
	SELECT seed_id, spec_id FROM packed_result
	 WHERE NOT EXISTS (SELECT 1 FROM assessment WHERE assessment.seed_id = packed_result.seed_id AND assessment.spec_id = packed_result.spec_id)
	 ORDER BY seed_id, spec_id`
)

// CheckResults compares every assessment, with its results, with its checksum. done is called now and then.
func (r *Reader) CheckResults(ctx context.Context, found func(Damage), done func(CheckCounts)) (counts CheckCounts, err error) {
	for seed, spec, n := int64(math.MinInt64), int64(0), 1; err == nil && n > 0; done(counts) {
		n = 0
		err = r.stream(ctx, listCheckedAssessments, []any{seed, spec}, func(row []driver.Value) {
			checked := row[4:]
			seed, spec, n = asInt(checked[0]), asInt(checked[1]), n+1
			counts.Assessments++
			counts.Results += int(asInt(checked[3]) + asInt(checked[4]) + asInt(checked[5]))
			if !isSound(checked) {
				found(Damage{"assessment", "its row or its results differ from its checksum", fmt.Sprintf("seed %s of %s (%s), spec version %d",
					track.SeedNumber(asInt(row[1])), asText(row[2]), asText(row[0]), asInt(row[3]))})
			}
		})
	}
	if err == nil {
		err = r.stream(ctx, listOrphanResults, nil, func(row []driver.Value) {
			found(Damage{"packed_result", "its assessment does not exist", fmt.Sprintf("row %d of seed, row %d of spec", asInt(row[0]), asInt(row[1]))})
		})
	}
	return counts, explain(err)
}
