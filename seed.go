// Package track holds the facts that the experiment tracker records: seeds of simulations and what was run.
//
// The whole project uses these words. A scenario is a named thing to validate; a seed is one run of its simulation with
// one seed of the random number generator; a configuration is what was run. Packages scoring and evolution judge these
// facts, package store keeps them.
package track

import (
	"crypto/sha256"
	"database/sql/driver"
	"encoding/binary"
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"
	"track/scoring"
)

// Outcome is how a seed's run ended.
type Outcome string

// The outcomes. Everything but OutcomeOK makes a failed seed: kept with whatever it measured, counted, and never
// scored.
const (
	OutcomeOK        Outcome = "ok"
	OutcomeError     Outcome = "error"
	OutcomeTimeout   Outcome = "timeout"
	OutcomeCollapsed Outcome = "collapsed"
)

// ParseOutcome returns the outcome named s; the empty string is OutcomeOK.
func ParseOutcome(s string) (Outcome, error) {
	switch o := Outcome(s); o {
	case "":
		return OutcomeOK, nil
	case OutcomeOK, OutcomeError, OutcomeTimeout, OutcomeCollapsed:
		return o, nil
	}
	return "", fmt.Errorf("unknown outcome %q: use ok, error, timeout or collapsed", s)
}

// Seed is one run of a scenario's simulation. Scenario, Configuration and Number identify it.
type Seed struct {
	ID            string // ULID, given when it is recorded
	Scenario      string
	Number        SeedNumber
	Configuration Configuration
	Outcome       Outcome
	Message       string             // why it failed, for people
	Values        map[string]float64 // what it measured, by metric name; may hold NaN, infinities and -0
	Series        []Series           // names are unique
	Artifacts     []Artifact         // names are unique
	Environment   Environment
	StartedAt     time.Time      // zero if unknown
	Duration      *time.Duration // nil if unknown
	RecordedAt    time.Time      // given when it is recorded
	Run           *Run           // nil if no sweep ran it
}

// Environment is where a seed ran: host, os, arch, versions. It is kept for each seed, but does not identify it.
type Environment map[string]string

// Digest identifies what the seed measured: the SHA-256 over its outcome and its values in the order of their names,
// each as name, a zero byte and the big-endian IEEE 754 bits, every NaN taken as the same one; then, if it has series,
// a zero byte and in the order of their names each name, a zero byte and the [Series.Hash]; then, if it has artifacts,
// a byte that is 1 and in the order of their names what [Artifact.AppendDigest] appends. Two runs of a deterministic
// simulation with one seed and one configuration have the same digest.
func (s Seed) Digest() [sha256.Size]byte {
	h := sha256.New()
	buffer := make([]byte, 0, 64)
	buffer = append(append(buffer, s.Outcome...), 0)
	for _, name := range slices.Sorted(maps.Keys(s.Values)) {
		value := s.Values[name]
		if math.IsNaN(value) {
			value = math.NaN()
		}
		buffer = append(append(buffer, name...), 0)
		buffer = binary.BigEndian.AppendUint64(buffer, math.Float64bits(value))
		h.Write(buffer)
		buffer = buffer[:0]
	}
	h.Write(buffer)
	if len(s.Series) > 0 {
		h.Write([]byte{0})
		byName := slices.SortedFunc(slices.Values(s.Series), func(a, b Series) int { return strings.Compare(a.Name, b.Name) })
		for _, series := range byName {
			hash := series.Hash()
			h.Write(append(append([]byte(series.Name), 0), hash[:]...))
		}
	}
	if len(s.Artifacts) > 0 {
		h.Write([]byte{1})
		for _, a := range SortedArtifacts(s.Artifacts) {
			h.Write(a.AppendDigest(nil, a.Hash()))
		}
	}
	return [sha256.Size]byte(h.Sum(nil))
}

// Validate returns the first error in a seed, or nil if it can be recorded.
func (s Seed) Validate() *FieldError {
	if err := CheckScenarioName(s.Scenario); err != nil {
		return &FieldError{Field: "scenario", Message: err.Error()}
	}
	optional := [...]struct{ field, text string }{
		{"configuration.label", s.Configuration.Label},
		{"configuration.commit", s.Configuration.Revision.Commit},
		{"configuration.diff_hash", s.Configuration.Revision.DiffHash},
		{"configuration.files_hash", s.Configuration.Revision.FilesHash},
		{"configuration.state_unknown", s.Configuration.Revision.Unknown},
	}
	for _, o := range optional {
		if o.text == "" {
			continue
		}
		if err := CheckName(o.text); err != nil {
			return &FieldError{Field: o.field, Message: err.Error()}
		}
	}
	if err := checkMetricNames(s.Values); err != nil {
		return &FieldError{Field: "values", Message: "the name of a metric " + err.Error()}
	}
	seen := map[string]bool{}
	for _, series := range s.Series {
		if err := CheckName(series.Name); err != nil {
			return &FieldError{Field: "series", Message: "the name of a series " + err.Error()}
		}
		if seen[series.Name] {
			return &FieldError{Field: "series." + series.Name, Message: "is duplicated"}
		}
		seen[series.Name] = true
	}
	if problem := checkArtifacts(s.Artifacts); problem != nil {
		return problem
	}
	if s.Outcome == OutcomeOK && len(s.Values) == 0 && len(s.Series) == 0 {
		return &FieldError{Field: "values", Message: `empty: a seed that ran well measured something; set the outcome if it did not`}
	}
	return nil
}

// checkMetricNames returns the error of the first name, in alphabetical order, that is not valid.
func checkMetricNames(values map[string]float64) (problem error) {
	first := ""
	for name := range values {
		if err := CheckName(name); err != nil && (problem == nil || name < first) {
			first, problem = name, err
		}
	}
	return problem
}

// SeedNumber is the seed of a random number generator. It is a string in JSON, since many readers of JSON round
// integers above 2^53, and a signed 64-bit integer with the same bits in SQL.
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

// RecordedSeed is a seed as it is read back, judged by the newest version of the spec that it was assessed under. What
// a list does not need is left out there.
type RecordedSeed struct {
	ID            string                `json:"id"`
	Scenario      string                `json:"scenario"`
	Number        SeedNumber            `json:"seed"`
	Configuration RecordedConfiguration `json:"configuration"`
	Outcome       Outcome               `json:"outcome"`
	Message       string                `json:"message,omitempty"`
	SpecVersion   int                   `json:"spec_version,omitzero"` // 0 if the seed was never assessed
	Withdrawn     *Withdrawal           `json:"withdrawn,omitempty"`   // nil if the seed counts
	Status        scoring.Status        `json:"status,omitempty"`      // the worst of its metrics; FAIL for a failed seed; empty if never assessed
	TotalScore    *float64              `json:"total_score,omitempty"` // 0..1; nil if it has none
	NPass         int                   `json:"n_pass"`
	NWarn         int                   `json:"n_warn"`
	NFail         int                   `json:"n_fail"`
	StartedAt     time.Time             `json:"started_at,omitzero"`
	Duration      *time.Duration        `json:"duration_s,omitempty"` // in JSON, seconds
	RecordedAt    time.Time             `json:"recorded_at"`

	Environment Environment        `json:"environment,omitempty"`
	Values      map[string]float64 `json:"values,omitempty"`
	Assessed    []int              `json:"assessed_under,omitempty"` // versions of the spec, ascending
}

// FailingSeed is a seed that did not pass.
type FailingSeed struct {
	Number        SeedNumber      `json:"seed"`
	Configuration string          `json:"configuration,omitempty"` // its hash, if several are mixed
	Outcome       Outcome         `json:"outcome"`
	Reason        string          `json:"reason"`  // why it did not pass, in a few words
	Metrics       []FailingMetric `json:"metrics"` // that failed, the one that is farthest outside of its target first
}

// FailingMetric is a metric that a seed failed.
type FailingMetric struct {
	Name    string  `json:"name"`
	Value   float64 `json:"value"`
	Missing bool    `json:"missing,omitzero"` // the seed has no value for it
	// Outside is how far Value lies outside of what the metric accepts, as a share of the width of the accepted range, or
	// of its limit; see scoring.Outside. Nil if there is no value, or none that is finite.
	Outside *float64 `json:"outside"`
}

// SeedStatus returns the status of a seed as a whole.
func SeedStatus(outcome Outcome, assessed bool, nWarn, nFail int) scoring.Status {
	switch {
	case outcome != OutcomeOK || nFail > 0:
		return scoring.Fail
	case !assessed:
		return ""
	case nWarn > 0:
		return scoring.Warn
	}
	return scoring.Pass
}

// Disposition says what became of a record that was handed over.
type Disposition string

// The dispositions.
const (
	Recorded     Disposition = "recorded"     // stored, and judged if its scenario has a spec
	Duplicate    Disposition = "duplicate"    // the same is already recorded; nothing was stored
	Conflict     Disposition = "conflict"     // something else is recorded under the same identity; nothing was stored
	Replaced     Disposition = "replaced"     // stored in place of another record
	Contradicted Disposition = "contradicted" // its values are not the ones that its series give; nothing was stored
	Misnamed     Disposition = "misnamed"     // a name is not known, although names like it are; nothing was stored
	Withdrawn    Disposition = "withdrawn"    // the same was recorded and withdrawn; nothing was stored
	Scored       Disposition = "scored"       // judged as if it were recorded; nothing was stored
)
