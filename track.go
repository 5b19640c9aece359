// Package track holds the facts that the experiment tracker records: seeds of simulations and what was run.
//
// The words are those of the whole project. A scenario is a named thing to validate; a seed is one run of its simulation with
// one seed of the random number generator; a configuration is what was run. Packages scoring and evolution judge these
// facts, package store keeps them.
package track

import (
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"
	"time"
)

// Outcome is how a seed's run ended.
type Outcome string

// The outcomes. Everything but OutcomeOK makes a failed seed: kept with whatever it measured, counted, and never scored.
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
	Environment   Environment
	StartedAt     time.Time      // zero where unknown
	Duration      *time.Duration // nil where unknown
	RecordedAt    time.Time      // given when it is recorded
	Run           *Run           // nil where it was recorded by itself
}

// Environment is where a seed ran: host, os, arch, versions. It is kept for each seed and is no part of its identity.
type Environment map[string]string

// Digest identifies what the seed measured: the SHA-256 over its outcome and its values in the order of their names, each as
// name, a zero byte and the big-endian IEEE 754 bits, every NaN taken as the same one; then, if it has series, a zero byte and in the
// order of their names each name, a zero byte and the [Series.Hash]. Two runs of a deterministic simulation
// with one seed and one configuration have the same digest.
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
	return [sha256.Size]byte(h.Sum(nil))
}
