package seeds

import (
	"context"
	"crypto/sha256"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	"track"
	"track/scoring/format"
	"track/store"
)

// Difference is a value in which two records of one seed differ; nil if a record has none.
type Difference struct {
	Metric        string
	Recorded, New *float64
}

// conflict describes how a seed differs from the one that is recorded under its identity.
func conflict(ctx context.Context, tx *store.Tx, recordedID int64, seed track.Seed) (RecordResult, error) {
	outcome, recorded, err := tx.Measured(ctx, recordedID)
	if err != nil {
		return RecordResult{}, err
	}
	hashes, err := tx.ArtifactHashes(ctx, recordedID)
	given := map[string][sha256.Size]byte{}
	for _, a := range seed.Artifacts {
		given[a.Name] = a.Hash()
	}
	return RecordResult{
		Disposition: track.Conflict, Differences: Differences(recorded, seed.Values), Files: DifferingFiles(hashes, given), Outcome: outcome,
	}, err
}

// DifferingFiles returns the names of files whose hashes differ, or that only one of two records of a seed has.
func DifferingFiles(recorded, given map[string][sha256.Size]byte) (names []string) {
	both := maps.Clone(recorded)
	maps.Copy(both, given)
	for name := range both {
		a, inRecorded := recorded[name]
		if b, inGiven := given[name]; !inRecorded || !inGiven || a != b {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return names
}

// Differences returns the values in which two records of one seed differ, by metric.
func Differences(recorded, given map[string]float64) (list []Difference) {
	names := maps.Clone(recorded)
	maps.Copy(names, given)
	for _, name := range slices.Sorted(maps.Keys(names)) {
		a, inRecorded := recorded[name]
		b, inGiven := given[name]
		if inRecorded && inGiven && (math.Float64bits(a) == math.Float64bits(b) || math.IsNaN(a) && math.IsNaN(b)) {
			continue
		}
		d := Difference{Metric: name}
		if inRecorded {
			d.Recorded = &a
		}
		if inGiven {
			d.New = &b
		}
		list = append(list, d)
	}
	return list
}

// DescribeConflict returns in one line how a seed differs from the recorded one.
func (r RecordResult) DescribeConflict(given track.Outcome) string {
	const shown = 3
	var parts []string
	if r.Outcome != given {
		parts = append(parts, fmt.Sprintf("outcome: recorded %s, now %s", r.Outcome, given))
	}
	for i, d := range r.Differences {
		if i == shown {
			parts = append(parts, fmt.Sprintf("and %d more %s", len(r.Differences)-shown, format.Plural(len(r.Differences)-shown, "value")))
			break
		}
		parts = append(parts, fmt.Sprintf("%s: recorded %s, now %s", d.Metric, FormatValue(d.Recorded), FormatValue(d.New)))
	}
	if len(r.Files) > 0 {
		files := strings.Join(r.Files[:min(shown, len(r.Files))], ", ")
		if n := len(r.Files) - shown; n > 0 {
			files += fmt.Sprintf(" and %d more", n)
		}
		parts = append(parts, "other files: "+files)
	}
	return strings.Join(parts, "; ")
}

// FormatValue writes a value, or "nothing" for nil.
func FormatValue(x *float64) string {
	if x == nil {
		return "nothing"
	}
	switch {
	case math.IsInf(*x, 1):
		return "Infinity"
	case math.IsInf(*x, -1):
		return "-Infinity"
	}
	return fmt.Sprint(*x)
}
