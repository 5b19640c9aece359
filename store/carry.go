package store

import (
	"crypto/sha256"
	"database/sql"
	"database/sql/driver"
	"errors"
	"fmt"
	"math"
	"time"
)

// errDangling is the error of a row that refers to a row that does not exist.
var errDangling = errors.New("it refers to rows that it does not hold")

func isNoRows(err error) bool { return errors.Is(err, sql.ErrNoRows) }

// The values that the driver returns of a column.

func asInt(v driver.Value) int64 {
	if v == nil {
		return 0
	}
	return v.(int64)
}

func asText(v driver.Value) string {
	switch v := v.(type) {
	case string:
		return v
	case []byte:
		return string(v)
	case nil:
		return ""
	}
	panic(impossible(fmt.Sprintf("%v stands where a text belongs", v)))
}

// asFloat returns a number as a value of a seed has it: NULL is NaN.
func asFloat(v driver.Value) float64 {
	switch v := v.(type) {
	case float64:
		return v
	case int64:
		return float64(v)
	}
	return math.NaN()
}

func asNullFloat(v driver.Value) sql.NullFloat64 {
	return sql.NullFloat64{Float64: asFloat(v), Valid: v != nil}
}

func asTime(v driver.Value) time.Time {
	if v == nil {
		return time.Time{}
	}
	return fromMicros(asInt(v))
}

func asDuration(v driver.Value) *time.Duration {
	if v == nil {
		return nil
	}
	d := time.Duration(asInt(v)) * time.Microsecond
	return &d
}

func asDigest(v driver.Value) (digest [sha256.Size]byte) {
	b, _ := v.([]byte)
	copy(digest[:], b)
	return digest
}

// timeOrNull returns a time as the driver takes it.
func timeOrNull(t time.Time) driver.Value {
	if t.IsZero() {
		return nil
	}
	return micros(t)
}

func durationOrNull(d *time.Duration) driver.Value {
	if d == nil {
		return nil
	}
	return d.Microseconds()
}

func floatOrNull(f sql.NullFloat64) driver.Value {
	if !f.Valid {
		return nil
	}
	return f.Float64
}

// LeftOut returns the tables that are not copied between databases, and why.
func LeftOut() map[string]string {
	const index = "is made from the texts of executions when they are searched"
	return map[string]string{
		"text_index": index, "text_index_data": index, "text_index_idx": index, "text_index_docsize": index, "text_index_config": index, "unindexed": index,
		"hook_event":       "events become executions where the hooks reported them, and those are carried",
		"damage":           "names files of one machine",
		"token":            "lets somebody ask one server",
		"spool":            "says what clients have sent to one server",
		"epoch":            "names one database",
		"hook_arrival":     "counts the events that the hooks of one machine reported",
		"goose_db_version": "describes the schema of the file itself",
	}
}
