package store

import (
	"context"
	"crypto/sha256"
	"database/sql/driver"
	"encoding/binary"
	"fmt"
	"math"

	"track"
)

// A bit that flips in an id or a time is still an id or a time to SQLite. Rows that lists print therefore carry a
// checksum of their columns, and a configuration carries the number of its seeds, because a page of an index that is
// lost leaves no gap.

// Checksum returns the checksum of the columns of a row: int64, float64, string, []byte, or nil.
func Checksum(columns ...driver.Value) int64 { return checksumOf(columns) }

func checksumOf[T any](columns []T) int64 {
	buffer := make([]byte, 0, 256)
	for _, column := range columns {
		switch x := any(column).(type) {
		case nil:
			buffer = append(buffer, 0)
		case int64:
			buffer = binary.BigEndian.AppendUint64(append(buffer, 1), uint64(x))
		case float64:
			buffer = binary.BigEndian.AppendUint64(append(buffer, 2), math.Float64bits(x+0)) // SQLite does not keep the sign of zero
		case string:
			buffer = append(binary.BigEndian.AppendUint32(append(buffer, 3), uint32(len(x))), x...)
		case []byte:
			buffer = append(binary.BigEndian.AppendUint32(append(buffer, 4), uint32(len(x))), x...)
		default:
			panic(impossible(fmt.Sprintf("a column is %T", x)))
		}
	}
	sum := sha256.Sum256(buffer)
	return int64(binary.BigEndian.Uint64(sum[:8]))
}

// The columns that checksums cover, each followed by the checksum.
const (
	seedChecked = `
	seed.ulid, seed.scenario_id, seed.configuration_id, seed.number, seed.outcome, seed.message, seed.digest, seed.environment_id,
	seed.started_at, seed.duration_us, seed.recorded_at, seed.checksum`
	assessmentChecked = `
	assessment.seed_id, assessment.spec_id, assessment.total_score, assessment.n_pass, assessment.n_warn, assessment.n_fail,
	assessment.assessed_at, assessment.checksum`
	seedColumns, assessmentColumns = 12, 8
)

// isSound reports whether the last of some columns is the checksum of those before it.
func isSound(columns []driver.Value) bool {
	last := len(columns) - 1
	sum, ok := columns[last].(int64)
	return ok && sum == checksumOf(columns[:last])
}

// Results without an assessment show that the page of the assessment is lost.
const listSelectedRows = `
	SELECT ` + seedChecked + `, ` + assessmentChecked + `,
	       CASE WHEN assessment.seed_id IS NULL THEN EXISTS (SELECT 1 FROM result WHERE seed_id = seed.id AND spec_id = $1) ELSE 0 END
	  FROM seed LEFT JOIN assessment ON assessment.seed_id = seed.id AND assessment.spec_id = $1
	 WHERE {selection}`

// checkSelected returns an error of damage unless the seeds of a selection are all there, as they were stored. A
// snapshot checks a selection once.
func (r *Reader) checkSelected(ctx context.Context, sel Selection) error {
	key := fmt.Sprintf("%q %v %d %v", sel.Scenario, sel.Configurations, sel.SpecID, sel.Seeds)
	if r.sound[key] {
		return nil
	}
	err := r.Snapshot(ctx, func(r *Reader) error { return r.checkRows(ctx, sel) })
	if err == nil && r.sound != nil {
		r.sound[key] = true
	}
	return err
}

func (r *Reader) checkRows(ctx context.Context, sel Selection) error {
	n, damage := 0, ""
	err := r.streamSelected(ctx, sel, listSelectedRows, []any{sel.SpecID}, func(row []driver.Value) {
		n++
		switch assessment := row[seedColumns : seedColumns+assessmentColumns]; {
		case damage != "":
		case !isSound(row[:seedColumns]):
			damage = "the row of seed " + asText(row[0]) + " differs from its checksum"
		case assessment[0] != nil && !isSound(assessment):
			damage = "the assessment of seed " + asText(row[0]) + " differs from its checksum"
		case asInt(row[len(row)-1]) != 0:
			damage = "the assessment of seed " + asText(row[0]) + " is lost"
		}
	})
	if err == nil && damage != "" {
		err = fmt.Errorf("%w: %s", track.ErrDamaged, damage)
	}
	if err == nil && len(sel.Seeds) == 0 {
		err = r.checkNumber(ctx, sel.Scenario, sel.Configurations, n, 0)
	}
	return err
}

const (
	countStored = `SELECT coalesce(sum(n_seeds), 0) FROM scenario_configuration WHERE scenario_id = (SELECT id FROM scenario WHERE name = $1)`
	ofStored    = ` AND configuration_id IN ({list})`
)

// checkNumber compares how many seeds of configurations, or of all if there are none, were found with how many are
// stored. A list ends at a limit; 0 for none. A transaction stores the numbers at its end, so it does not compare them.
func (r *Reader) checkNumber(ctx context.Context, scenario string, configurations []int64, found, limit int) error {
	if r.tx != nil {
		return nil
	}
	c := clauses{}
	c.add(countStored, scenario)
	if len(configurations) > 0 {
		c.addList(ofStored, anys(configurations)...)
	}
	stored := 0
	query, args := c.statement()
	err := r.read().GetContext(ctx, &stored, query, args...)
	if limit > 0 {
		stored = min(stored, limit)
	}
	if err == nil && stored != found {
		err = fmt.Errorf("%w: %d of %d seeds of %s can be found", track.ErrDamaged, found, stored, scenario)
	}
	return err
}
