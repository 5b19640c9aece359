package param

import (
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"

	"golang.org/x/text/unicode/norm"

	"track"
	"track/scoring"
)

// parsed is a value of any type that can be read from text.
type parsed[T any] struct {
	to     *T
	kind   string
	parse  func(string) (T, error)
	format func(T) string
}

func (v parsed[T]) Set(text string) (err error) {
	value, err := v.parse(text)
	if err == nil {
		*v.to = value
	}
	return err
}

func (v parsed[T]) String() string {
	if v.to == nil { // package flag asks the zero value
		return ""
	}
	return v.format(*v.to)
}

func (v parsed[T]) Type() string { return v.kind }

// Parsed returns a value that is read by parse and written by format, which returns the empty string for no value.
func Parsed[T any](to *T, parse func(string) (T, error), format func(T) string) Value {
	return parsed[T]{to, "string", parse, format}
}

// Text returns a value that is any text but the empty one.
func Text(to *string) Value {
	return Parsed(to, nonempty, same)
}

func nonempty(text string) (string, error) {
	if text == "" { // a variable of a script that was never set
		return "", errors.New("empty")
	}
	return text, nil
}

func same(text string) string { return text }

// Name returns a value that is the name of a scenario, a metric, a series or a label, in Unicode's form NFC as names
// are recorded.
func Name(to *string) Value {
	return Parsed(to, func(text string) (string, error) {
		_, err := nonempty(text)
		return norm.NFC.String(text), err
	}, same)
}

// Whole returns a value that is a whole number of at least that.
func Whole(to *int, least int) Value {
	return parsed[int]{to, "integer", func(text string) (int, error) {
		n, err := strconv.Atoi(text)
		switch {
		case err != nil:
			return 0, fmt.Errorf("%q is not a whole number", text)
		case n < least:
			return 0, fmt.Errorf("%d: must be at least %d", n, least)
		}
		return n, nil
	}, func(n int) string {
		if n < least { // not given
			return ""
		}
		return strconv.Itoa(n)
	}}
}

// Float returns a value that is a finite number.
func Float(to *float64) Value {
	return parsed[float64]{to, "number", parseFloat, formatFloat}
}

// OptionalFloat returns a value that is a finite number, or nil if none is given.
func OptionalFloat(to **float64) Value {
	return parsed[*float64]{to, "number", func(text string) (*float64, error) {
		x, err := parseFloat(text)
		return &x, err
	}, func(x *float64) string {
		if x == nil {
			return ""
		}
		return formatFloat(*x)
	}}
}

func parseFloat(text string) (float64, error) {
	x, err := strconv.ParseFloat(text, 64)
	if err != nil || math.IsNaN(x) || math.IsInf(x, 0) {
		return 0, fmt.Errorf("%q is not a number", text)
	}
	return x, nil
}

func formatFloat(x float64) string { return strconv.FormatFloat(x, 'g', -1, 64) }

// Switch returns a value that is on or off.
func Switch(to *bool) Value { return toggle{to} }

type toggle struct{ to *bool }

func (v toggle) Set(text string) error {
	on, err := strconv.ParseBool(text)
	if err != nil {
		return fmt.Errorf("%q is not true or false", text)
	}
	*v.to = on
	return nil
}

func (v toggle) String() string {
	if v.to == nil || !*v.to {
		return ""
	}
	return "true"
}

func (v toggle) Type() string     { return "boolean" }
func (v toggle) IsBoolFlag() bool { return true }

// Repeated returns a value that may be given several times, each read by parse and written by format.
func Repeated[T any](to *[]T, parse func(string) (T, error), format func(T) string) Value {
	return repeated[T]{to, parse, format}
}

type repeated[T any] struct {
	to     *[]T
	parse  func(string) (T, error)
	format func(T) string
}

func (v repeated[T]) Set(text string) error {
	value, err := v.parse(text)
	if err == nil {
		*v.to = append(*v.to, value)
	}
	return err
}

// Texts returns what was set.
func (v repeated[T]) Texts() (list []string) {
	if v.to != nil { // package flag asks the zero value
		for _, value := range *v.to {
			list = append(list, v.format(value))
		}
	}
	return list
}

func (v repeated[T]) String() string { return strings.Join(v.Texts(), ",") }
func (v repeated[T]) Type() string   { return "array" }

// Texts returns a value that is any text but the empty one, and may be given several times.
func Texts(to *[]string) Value { return Repeated(to, nonempty, same) }

// Seeds returns a value that is a list of seed numbers and ranges, as in 0..99,200.
func Seeds(to *[]track.SeedRange) Value {
	return Parsed(to, func(text string) ([]track.SeedRange, error) {
		if text == "" {
			return nil, errors.New("empty: name seeds as in 0..99,200, or leave it out for all")
		}
		return track.ParseSeedRanges(text)
	}, func(ranges []track.SeedRange) string { return track.SeedRanges(ranges).String() })
}

// Outcome returns a value that is how a seed's run ended.
func Outcome(to *track.Outcome) Value {
	return Parsed(to, track.ParseOutcome, func(o track.Outcome) string { return string(o) })
}

// Outcomes returns the names of the outcomes of seeds.
func Outcomes() []string {
	return []string{string(track.OutcomeOK), string(track.OutcomeError), string(track.OutcomeTimeout), string(track.OutcomeCollapsed)}
}

// Status returns a value that is a status of a metric or a seed, in any case of letters.
func Status(to *scoring.Status) Value {
	return Parsed(to, func(text string) (scoring.Status, error) { return scoring.Status(strings.ToUpper(text)), nil },
		func(s scoring.Status) string { return string(s) })
}

// Statuses returns the names of the statuses.
func Statuses() []string {
	return []string{string(scoring.Pass), string(scoring.Warn), string(scoring.Fail)}
}

// longestAge is the longest length of time that [Age] reads: more than any record is old, and far from what a
// [time.Duration] can hold.
const longestAge = 36525 * 24 * time.Hour

// Age returns a value that is a length of time above 0 and of at most 100 years, in Go's notation or in days: 12h, 90d.
func Age(to *time.Duration) Value {
	return Parsed(to, parseAge, func(d time.Duration) string {
		if d == 0 {
			return ""
		}
		return d.String()
	})
}

func parseAge(text string) (age time.Duration, err error) {
	if days, ok := strings.CutSuffix(text, "d"); ok {
		var n uint64
		n, err = strconv.ParseUint(days, 10, 16)
		age = time.Duration(n) * 24 * time.Hour
	} else {
		age, err = time.ParseDuration(text)
	}
	if err != nil || age <= 0 || age > longestAge {
		return 0, fmt.Errorf("%q is not a time above 0 and of at most 100 years, such as 90d or 12h", text)
	}
	return age, nil
}

// Duration returns a value that is a length of time, in Go's notation or as a bare number of seconds, as simulations
// print it.
func Duration(to *time.Duration) Value {
	return Parsed(to, ParseDuration, func(d time.Duration) string {
		if d == 0 {
			return ""
		}
		return d.String()
	})
}

// ParseDuration reads 1.5s, 2m, or a bare number of seconds.
func ParseDuration(text string) (time.Duration, error) {
	unit := text
	if _, err := strconv.ParseFloat(text, 64); err == nil {
		unit += "s"
	}
	d, err := time.ParseDuration(unit)
	if err != nil || d < 0 {
		return 0, fmt.Errorf("%q is not a duration such as 1.5s or 2m", text)
	}
	return d, nil
}
