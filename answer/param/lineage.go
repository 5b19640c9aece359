package param

import (
	"encoding/hex"
	"fmt"
	"time"

	"track"
)

// Time returns a value that is a time.
func Time(to *time.Time) Value {
	return Parsed(to, func(text string) (time.Time, error) {
		t, err := time.Parse(time.RFC3339Nano, text)
		if err != nil {
			return t, fmt.Errorf("%q is not a time such as 2026-01-02T15:04:05Z", text)
		}
		return t, nil
	}, func(t time.Time) string {
		if t.IsZero() {
			return ""
		}
		return t.UTC().Format(time.RFC3339Nano)
	})
}

// Hex returns a value of n bytes in hexadecimal.
func Hex(to *[]byte, n int) Value {
	return Parsed(to, func(text string) ([]byte, error) {
		b, err := hex.DecodeString(text)
		if err != nil || len(b) != n {
			return nil, fmt.Errorf("%q is not %d bytes in hexadecimal", text, n)
		}
		return b, nil
	}, hex.EncodeToString)
}

// Seed returns a value that is a seed number; nil if none is given.
func Seed(to **uint64) Value {
	return Parsed(to, func(text string) (*uint64, error) {
		seed, err := track.ParseSeedNumber(text)
		return (*uint64)(&seed), err
	}, func(seed *uint64) string {
		if seed == nil {
			return ""
		}
		return fmt.Sprint(*seed)
	})
}

// Content returns a value that is any text, also the empty one; nil if none is given.
func Content(to **string) Value { return content{to} }

type content struct{ to **string }

func (v content) Set(text string) error {
	*v.to = &text
	return nil
}

func (v content) String() string {
	if v.to == nil || *v.to == nil {
		return ""
	}
	return **v.to
}

func (v content) Type() string { return "string" }

// Texts returns the content, if one was given.
func (v content) Texts() []string {
	if *v.to == nil {
		return nil
	}
	return []string{**v.to}
}
