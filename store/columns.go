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
