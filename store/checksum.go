package store

import (
	"crypto/sha256"
	"database/sql/driver"
	"encoding/binary"
	"fmt"
	"math"
)

// A bit that flips in an id or a time is still an id or a time to SQLite. Rows therefore carry a checksum of their
// columns, which [Reader.CheckSeeds] and the like compare, and a configuration carries the number of its seeds, because a
// page of an index that is lost leaves no gap.

// Checksum returns the checksum of the columns of a row: int64, float64, string, []byte, or nil.
func Checksum(columns ...driver.Value) int64 { return checksumOf(columns) }

func checksumOf[T any](columns []T) int64 {
	return sumOf(appendColumns(make([]byte, 0, 256), columns))
}

// sumOf returns the checksum of what [appendColumns] has written.
func sumOf(buffer []byte) int64 {
	sum := sha256.Sum256(buffer)
	return int64(binary.BigEndian.Uint64(sum[:8]))
}

// appendColumns appends columns for a checksum.
func appendColumns[T any](buffer []byte, columns []T) []byte {
	for _, column := range columns {
		switch x := any(column).(type) {
		case nil:
			buffer = appendNull(buffer)
		case int64:
			buffer = appendInteger(buffer, x)
		case float64:
			buffer = appendFloat(buffer, x)
		case string:
			buffer = appendBytes(buffer, ofText, x)
		case []byte:
			buffer = appendBytes(buffer, ofBlob, x)
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

func appendNull(buffer []byte) []byte { return append(buffer, ofNull) }

func appendInteger(buffer []byte, x int64) []byte {
	return binary.BigEndian.AppendUint64(append(buffer, ofInteger), uint64(x))
}

func appendFloat(buffer []byte, x float64) []byte {
	return binary.BigEndian.AppendUint64(append(buffer, ofFloat), math.Float64bits(x+0)) // SQLite does not keep the sign of zero
}

func appendBytes[T string | []byte](buffer []byte, kind byte, x T) []byte {
	return append(binary.BigEndian.AppendUint32(append(buffer, kind), uint32(len(x))), x...)
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
