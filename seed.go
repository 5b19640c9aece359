// Package track holds the facts that the experiment tracker records: seeds of simulations and what was run.
//
// The whole project uses these words. A scenario is a named thing to validate; a seed is one run of its simulation with
// one seed of the random number generator; a configuration is what was run. Packages scoring and evolution judge these
// facts, package store keeps them.
package track

import (
	"cmp"
	"crypto/sha256"
	"database/sql/driver"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"iter"
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

// SeedRange is the seed numbers from First to Last, both included.
type SeedRange struct{ First, Last SeedNumber }

// ParseSeedRanges reads a list of seed numbers and ranges such as "0..99,200,300..399".
func ParseSeedRanges(s string) ([]SeedRange, error) {
	var ranges []SeedRange
	for part := range strings.SplitSeq(s, ",") {
		part = strings.TrimSpace(part)
		first, last, isRange := strings.Cut(part, "..")
		if !isRange {
			last = first
		}
		from, err := ParseSeedNumber(first)
		if err != nil {
			return nil, fmt.Errorf("seeds %q: %w", s, err)
		}
		to, err := ParseSeedNumber(last)
		if err != nil {
			return nil, fmt.Errorf("seeds %q: %w", s, err)
		}
		if to < from {
			return nil, fmt.Errorf("seeds %q: %s ends before it begins", s, part)
		}
		ranges = append(ranges, SeedRange{from, to})
	}
	return ranges, nil
}

// Contains reports whether n lies in the range.
func (r SeedRange) Contains(n SeedNumber) bool { return r.First <= n && n <= r.Last }

// SeedRanges are seed numbers in ascending order: ranges that do not touch.
type SeedRanges []SeedRange

// NewSeedRanges puts ranges in order, each number once.
func NewSeedRanges(ranges ...SeedRange) SeedRanges {
	sorted := slices.SortedFunc(slices.Values(ranges), func(a, b SeedRange) int { return cmp.Compare(a.First, b.First) })
	var list SeedRanges
	for _, r := range sorted {
		last := len(list) - 1
		if last < 0 || r.First > list[last].Last && r.First-list[last].Last > 1 {
			list = append(list, r)
			continue
		}
		list[last].Last = max(list[last].Last, r.Last)
	}
	return list
}

// String writes the ranges as [ParseSeedRanges] reads them: 0..99,200.
func (s SeedRanges) String() string {
	words := make([]string, len(s))
	for i, r := range s {
		if words[i] = r.First.String(); r.Last > r.First {
			words[i] += ".." + r.Last.String()
		}
	}
	return strings.Join(words, ",")
}

// Len counts the numbers; what does not fit is math.MaxInt.
func (s SeedRanges) Len() int {
	n := 0
	for _, r := range s {
		if span := uint64(r.Last - r.First); span >= uint64(math.MaxInt-n) {
			return math.MaxInt
		}
		n += int(r.Last-r.First) + 1
	}
	return n
}

// All visits the numbers.
func (s SeedRanges) All() iter.Seq[SeedNumber] {
	return func(yield func(SeedNumber) bool) {
		for _, r := range s {
			for n := r.First; ; n++ {
				if !yield(n) {
					return
				}
				if n == r.Last {
					break
				}
			}
		}
	}
}

// Intersect returns the numbers that are in both.
func (s SeedRanges) Intersect(other SeedRanges) (both SeedRanges) {
	for i, k := 0, 0; i < len(s) && k < len(other); {
		if first, last := max(s[i].First, other[k].First), min(s[i].Last, other[k].Last); first <= last {
			both = append(both, SeedRange{first, last})
		}
		if s[i].Last < other[k].Last {
			i++
		} else {
			k++
		}
	}
	return both
}

// Minus returns the numbers that are not in other.
func (s SeedRanges) Minus(other SeedRanges) (rest SeedRanges) {
	k := 0
	for _, r := range s {
		for ; k < len(other) && other[k].Last < r.First; k++ {
		}
		from, done := r.First, false
		for i := k; i < len(other) && other[i].First <= r.Last; i++ {
			if other[i].First > from {
				rest = append(rest, SeedRange{from, other[i].First - 1})
			}
			if done = other[i].Last >= r.Last; done {
				break
			}
			from = other[i].Last + 1
		}
		if !done {
			rest = append(rest, SeedRange{from, r.Last})
		}
	}
	return rest
}

// Contains reports whether n is one of the numbers.
func (s SeedRanges) Contains(n SeedNumber) bool {
	i, found := slices.BinarySearchFunc(s, n, func(r SeedRange, n SeedNumber) int {
		switch {
		case r.Last < n:
			return -1
		case r.First > n:
			return 1
		}
		return 0
	})
	return found && s[i].Contains(n)
}

// Slice returns the numbers at the positions from, …, to-1; there are fewer where the ranges end before.
func (s SeedRanges) Slice(from, to int) (part SeedRanges) {
	at := 0 // position of the first number of r
	for _, r := range s {
		n := SeedRanges{r}.Len()
		first, last := max(from-at, 0), min(to-at, n) // within r
		if first < last {
			part = append(part, SeedRange{r.First + SeedNumber(first), r.First + SeedNumber(last-1)})
		}
		if at += n; at >= to || at < 0 {
			break
		}
	}
	return part
}

// SeedRecord is what a database knows of a seed beyond what was measured.
type SeedRecord struct {
	ID           string          `json:"id"`
	At           time.Time       `json:"at"`
	Digest       TextDigest      `json:"digest"` // of the seed as it was recorded
	SupersededAt time.Time       `json:"superseded_at,omitzero"`
	IsWithdrawn  bool            `json:"withdrawn,omitzero"`
	Replaces     []TextDigest    `json:"replaces,omitempty"` // digests of the superseded seeds of its place
	Judged       []Judgement     `json:"judged,omitempty"`
	Repetitions  []Repetition    `json:"repetitions,omitempty"`
	Pruned       []PrunedContent `json:"pruned,omitempty"`
}

// Judgement says that a seed was judged under a spec.
type Judgement struct {
	Spec     string                  `json:"spec"`               // its hash
	Computed []scoring.ComputedValue `json:"computed,omitempty"` // of a seed whose series were pruned
}

// PrunedContent is a series or a file of a seed whose content was deleted.
type PrunedContent struct {
	Series string     `json:"series,omitempty"` // its name
	File   string     `json:"file,omitempty"`   // its name
	Digest TextDigest `json:"digest"`
	N      int64      `json:"n"` // numbers or bytes
	At     time.Time  `json:"at"`
}

// WholeExecution is an execution as a database has it: texts that are not kept by their digests, and its scores.
type WholeExecution struct {
	RecordedExecution `json:",embed"`
	Digest            TextDigest `json:"digest"`    // of all that is recorded
	Structure         TextDigest `json:"structure"` // of all but the texts
	Masking           int        `json:"masking"`   // version of the rules that masked the texts
}

// WithdrawnKind says what was withdrawn or restored.
type WithdrawnKind string

// The kinds.
const (
	WithdrawnSeed          WithdrawnKind = "seed"          // one measurement of a seed: another one may take its place
	WithdrawnConfiguration WithdrawnKind = "configuration" // all seeds of a scenario under a configuration, and those to come
	WithdrawnSweep         WithdrawnKind = "sweep"         // the plan of a sweep
)

// WithdrawalAction says what was done.
type WithdrawalAction string

// The actions.
const (
	ActionWithdrawn WithdrawalAction = "withdrawn"
	ActionRestored  WithdrawalAction = "restored"
)

// Withdrawal takes a record back, or restores one that was taken back. What is withdrawn is kept, and does not count.
// Of several withdrawals of one subject, the one with the latest time counts; of equal times, the one with the larger
// ID.
type Withdrawal struct {
	ID            string           `json:"id"` // ULID
	Kind          WithdrawnKind    `json:"kind"`
	Action        WithdrawalAction `json:"action"`
	Scenario      string           `json:"scenario"`
	Configuration string           `json:"configuration,omitempty"` // hash; empty for a sweep
	Seed          *SeedNumber      `json:"seed,omitempty"`          // of a seed
	Digest        string           `json:"digest,omitempty"`        // of what a seed measured, in hexadecimal: see [Seed.Digest]
	Sweep         string           `json:"sweep,omitempty"`         // ULID of a sweep, or of the sweep with which a seed was withdrawn
	Reason        string           `json:"reason"`
	Actor         string           `json:"actor,omitempty"`
	At            time.Time        `json:"at"`
}

// EachText implements [Fact].
func (w *Withdrawal) EachText(v TextVisitor) {
	v.Name("scenario", w.Scenario)
	v.Free("reason", &w.Reason)
	v.Name("actor", w.Actor)
}

// Check returns why the withdrawal cannot be recorded; nil if it can.
func (w *Withdrawal) Check() *FieldError {
	wrong := func(field, format string, args ...any) *FieldError {
		return (&FieldError{Field: field, Message: fmt.Sprintf(format, args...)}).Shorten()
	}
	isSeed, isSweep := w.Kind == WithdrawnSeed, w.Kind == WithdrawnSweep
	digest, digestErr := hex.DecodeString(w.Digest)
	switch {
	case !isULID(w.ID):
		return wrong("id", "%q is not a ULID", w.ID)
	case !isSeed && !isSweep && w.Kind != WithdrawnConfiguration:
		return wrong("subject", "%q is not seed, configuration or sweep", w.Kind)
	case w.Action != ActionWithdrawn && w.Action != ActionRestored:
		return wrong("action", "%q is not withdrawn or restored", w.Action)
	case strings.TrimSpace(w.Reason) == "":
		return wrong("reason", "is empty")
	case isSeed != (w.Seed != nil):
		return wrong("seed", "is given if the subject is a seed, and only then")
	case isSeed && (digestErr != nil || len(digest) != 32):
		return wrong("digest", "%q is not the digest of the measurement, in 64 hexadecimal digits", w.Digest)
	case !isSeed && w.Digest != "":
		return wrong("digest", "is given only if the subject is a seed")
	case isSweep != (w.Configuration == ""):
		return wrong("configuration", "is the hash of the configuration of a seed, or of the configuration; a sweep has none")
	case isSweep && !isULID(w.Sweep) || !isULID(w.Sweep) && w.Sweep != "":
		return wrong("sweep", "%q is not the ULID of a sweep", w.Sweep)
	case w.Kind == WithdrawnConfiguration && w.Sweep != "":
		return wrong("sweep", "is given only if the subject is a sweep, or a seed that was withdrawn with it")
	}
	if hash, err := hex.DecodeString(w.Configuration); err != nil || !isSweep && len(hash) != 32 {
		return wrong("configuration", "%q is not the hash of a configuration, in 64 hexadecimal digits", w.Configuration)
	}
	if err := CheckScenarioName(w.Scenario); err != nil {
		return wrong("scenario", "%v", err)
	}
	return nil
}

// isULID reports whether a text is a ULID.
func isULID(s string) bool {
	return len(s) == 26 && strings.Trim(s, "0123456789ABCDEFGHJKMNPQRSTVWXYZ") == ""
}

// IsAfter reports whether a withdrawal counts rather than another one of the same subject.
func (w Withdrawal) IsAfter(other Withdrawal) bool {
	if w.At.Equal(other.At) {
		return w.ID > other.ID
	}
	return w.At.After(other.At)
}

// Sweep is a command that was run once for each of the planned seeds of some configurations of a scenario.
type Sweep struct {
	ID             string // ULID
	Scenario       string
	Plan           string // JSON: the command and its settings, as package sweep writes them
	Shard, NShards int    // the part of the plan that it is, from 1; 0 for the whole
	Environment    Environment
	Changes        string // of the code since its commit, masked; empty for none
	Libraries      string // what the command printed that lists them, masked; empty if none was asked
	StartedAt      time.Time
	EndedAt        time.Time // zero while it runs, or if it was killed
	Ending         SweepEnding
	CodeChanged    bool           // while it ran, or it may have: its seeds may be of other code than they say
	Planned        []PlannedSeeds // in the order of the grid
	Spec           string         // JSON of the spec that a plan for other machines carries; it is not stored with the sweep
}

// PlannedSeeds are the seeds that a sweep is to run of a configuration. Whatever became of them, they are the
// denominator.
type PlannedSeeds struct {
	Configuration Configuration
	Seeds         SeedRanges
}

// SweepEnding is why a sweep came to its end.
type SweepEnding string

// The endings. One that has none runs, or was killed.
const (
	SweepFinished    SweepEnding = "finished"    // it had no seed left to run
	SweepDecided     SweepEnding = "decided"     // its stopping rule held before all seeds had run
	SweepUndecided   SweepEnding = "undecided"   // its stopping rule held for no configuration, however often it looked
	SweepInterrupted SweepEnding = "interrupted" // by its user
)

// Run is how the command of a seed ended.
type Run struct {
	Sweep    string         `json:"sweep,omitempty"`     // its ID
	Attempts int            `json:"attempts"`            // from 1; the other fields describe the last one
	ExitCode *int           `json:"exit_code,omitempty"` // nil if a signal ended it, or if it never started
	Signal   string         `json:"signal,omitempty"`    // such as SIGKILL
	Stderr   string         `json:"stderr,omitempty"`    // the end of its standard error, masked
	CPU      *time.Duration `json:"cpu_s,omitempty"`     // user and system time; in JSON, seconds
	MaxRSS   *int64         `json:"rss_bytes,omitempty"` // peak memory of its largest process
}

// Repetition is a seed that was run again, to see whether it gives the same.
type Repetition struct {
	ID          string     `json:"id"`              // ULID
	Sweep       string     `json:"sweep,omitempty"` // its ID; empty if somebody asked for this seed alone
	Digest      TextDigest `json:"digest"`
	Differences []string   `json:"differences,omitempty"` // in words, at most a few; empty if the digests are equal
	RepeatedAt  time.Time  `json:"at"`
}

// Runs says where and when seeds ran, as far as it is recorded.
type Runs struct {
	First        time.Time        `json:"first,omitzero"` // the earliest start; zero if none is known
	Last         time.Time        `json:"last,omitzero"`  // the latest start
	NStarted     int              `json:"n_started"`      // seeds whose start is known
	Duration     time.Duration    `json:"duration_s"`     // of all NTimed seeds together
	NTimed       int              `json:"n_timed"`        // seeds whose duration is known
	Environments []EnvironmentUse `json:"environments"`   // most seeds first
	Sweeps       []SweepUse       `json:"sweeps"`         // most seeds first; a seed may have been run by none
}

// EnvironmentUse is an environment with the number of seeds that ran in it.
type EnvironmentUse struct {
	Environment Environment `json:"environment"`
	NSeeds      int         `json:"n_seeds"`
}

// SweepUse is a sweep with the number of seeds that it ran.
type SweepUse struct {
	ID      string   `json:"id"` // ULID
	Plan    string   `json:"-"`  // JSON, see [Sweep]
	Command []string `json:"command"`
	NSeeds  int      `json:"n_seeds"`
}

// ShortID returns the end of a ULID, which people read and select by.
func ShortID(ulid string) string { return strings.ToLower(ulid[max(0, len(ulid)-8):]) }
