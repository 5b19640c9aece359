package store

import (
	"bytes"
	"crypto/sha256"
	"database/sql/driver"
	"encoding/binary"
	"fmt"
	"math"
)

// A bit that flips in an id or a time is still an id or a time to a database. A record therefore carries a SHA-256 of
// what was stored with it. It is computed when the record is written, and compared by track check, backup and merge.

// Checksum returns the SHA-256 of columns: int64, float64, string, []byte, or nil.
func Checksum[T any](columns ...T) []byte {
	sum := sha256.Sum256(appendColumns(make([]byte, 0, 256), columns))
	return sum[:]
}

// appendColumns appends columns for a checksum.
func appendColumns[T any](buffer []byte, columns []T) []byte {
	for _, column := range columns {
		switch x := any(column).(type) {
		case nil:
			buffer = append(buffer, ofNull)
		case int64:
			buffer = binary.BigEndian.AppendUint64(append(buffer, ofInteger), uint64(x))
		case float64:
			buffer = binary.BigEndian.AppendUint64(append(buffer, ofFloat), math.Float64bits(x+0)) // SQLite does not keep the sign of zero
		case string:
			buffer = append(appendLength(buffer, ofText, len(x)), x...)
		case []byte:
			buffer = append(appendLength(buffer, ofBlob, len(x)), x...)
		default:
			panic(impossible(fmt.Sprintf("a column is %T", x)))
		}
	}
	return buffer
}

// What a column begins with, by its type.
const (
	ofNull = iota
	ofInteger
	ofFloat
	ofText
	ofBlob
)

func appendLength(buffer []byte, kind byte, n int) []byte {
	return binary.BigEndian.AppendUint32(append(buffer, kind), uint32(n))
}

// The columns that checksums cover, each followed by the checksum.
const (
	seedChecked = `
	seed.ulid, seed.scenario_id, seed.configuration_id, seed.number, seed.outcome, seed.message, seed.digest, seed.environment_id,
	seed.started_at, seed.duration_us, seed.recorded_at, seed.checksum`
	assessmentChecked = `
	assessment.seed_id, assessment.spec_id, assessment.total_score, assessment.n_pass, assessment.n_warn, assessment.n_fail,
	assessment.assessed_at, packed_result.results, assessment.checksum`
)

// isSound reports whether the last of some columns is the checksum of those before it.
func isSound(columns []driver.Value) bool {
	last := len(columns) - 1
	stored, _ := columns[last].([]byte)
	return bytes.Equal(stored, Checksum(columns[:last]...))
}
