package track

import (
	"database/sql/driver"
	"fmt"
	"strconv"
)

// SeedNumber is the seed of a random number generator. It is a string in JSON, since many readers of JSON round integers
// above 2^53, and a signed 64-bit integer with the same bits in SQL.
type SeedNumber uint64

// ParseSeedNumber reads a decimal number from 0 to 18446744073709551615.
func ParseSeedNumber(s string) (SeedNumber, error) {
	n, err := strconv.ParseUint(s, 10, 64)
	if err != nil {
		return 0, fmt.Errorf("%q is not a whole number from 0 to 18446744073709551615", s)
	}
	return SeedNumber(n), nil
}

func (n SeedNumber) String() string { return strconv.FormatUint(uint64(n), 10) }

// MarshalText writes the decimal number.
func (n SeedNumber) MarshalText() ([]byte, error) { return []byte(n.String()), nil }

// UnmarshalText reads the decimal number.
func (n *SeedNumber) UnmarshalText(text []byte) error {
	parsed, err := ParseSeedNumber(string(text))
	*n = parsed
	return err
}

// Value implements [driver.Valuer].
func (n SeedNumber) Value() (driver.Value, error) { return int64(n), nil }

// Scan implements [database/sql.Scanner].
func (n *SeedNumber) Scan(src any) error {
	stored, ok := src.(int64)
	if !ok {
		return fmt.Errorf("seed number: cannot scan %T", src)
	}
	*n = SeedNumber(stored)
	return nil
}
