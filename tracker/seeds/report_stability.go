package seeds

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"math"
	"slices"

	"track"
	"track/answer"
	"track/scoring"
	"track/scoring/verdict"
	"track/store"
)

// ReportedSeed is a seed of a configuration with the statuses of its metrics.
type ReportedSeed struct {
	Number   track.SeedNumber
	Outcome  track.Outcome
	Scored   bool
	Passed   bool             // scored, and no metric failed
	Score    float64          // NaN where it has none
	Statuses []scoring.Status // in the order of the spec, empty where there is no value; nil for a seed that did not run well
}

// ReportedStability is all that a report tells of one configuration.
type ReportedStability struct {
	StabilityReport
	Gate     verdict.Gate
	Seeds    []ReportedSeed // by number
	SHA256   string         // of the seeds: see seedsSHA256
	Runs     store.Runs
	Previous *ImprovementReport // over the configuration that was recorded before it; nil for the first
	Looks    []store.Look       // to be recorded
}

// LoadStabilityReport collects what a report tells of the configuration that a selector names: its stability, the verdict of the gate of
// the spec, its seeds one by one, and what changed since the configuration before.
func LoadStabilityReport(ctx context.Context, st *store.Reader, sel answer.Selector, options StabilityOptions) (report ReportedStability, err error) {
	err = st.Snapshot(ctx, func(st *store.Reader) error {
		report, err = reportedStability(ctx, st, sel, options)
		return err
	})
	return report, err
}

func reportedStability(ctx context.Context, st *store.Reader, sel answer.Selector, options StabilityOptions) (report ReportedStability, err error) {
	options.AllowMixed = false
	if report.StabilityReport, err = stability(ctx, st, sel, options); err != nil {
		return report, err
	}
	configuration := report.Configurations[0]
	sel.Configuration = configuration.Hash
	gated, err := gate(ctx, st, []answer.Selector{sel}, GateOptions{Seeds: options.Seeds, SpecVersion: report.Stored.Version})
	if err != nil {
		return report, err
	}
	report.Gate, report.Looks = gated.Gate, gated.Looks
	selection := store.Selection{Scenario: sel.Scenario, Configurations: []int64{configuration.ID}, SpecID: report.Stored.ID, Seeds: options.Seeds}
	if report.Seeds, report.SHA256, err = reportedSeeds(ctx, st, selection); err != nil {
		return report, err
	}
	if report.Runs, err = st.Runs(ctx, selection); err != nil {
		return report, err
	}
	if report.Previous, err = comparePrevious(ctx, st, report.Choice, report.Stored.Version, options.Seeds); err == nil && report.Previous != nil {
		report.Looks = append(report.Looks, report.Previous.Look)
	}
	return report, err
}

// seedsSHA256 identifies seeds by what they are and what they measured, wherever and in whatever order they were recorded: it is the SHA-256 of
// a line for each in the order of their numbers, the number, a space and the digest of outcome, values and series in hexadecimal.
func seedsSHA256(rows []store.SeedScore) string {
	byNumber := slices.SortedFunc(slices.Values(rows), func(a, b store.SeedScore) int { return cmp.Compare(a.Number, b.Number) })
	h := sha256.New()
	for _, row := range byNumber {
		fmt.Fprintf(h, "%s %x\n", row.Number, row.Digest)
	}
	return hex.EncodeToString(h.Sum(nil))
}

func reportedSeeds(ctx context.Context, st *store.Reader, sel store.Selection) (seeds []ReportedSeed, hash string, err error) {
	rows, err := st.SeedScores(ctx, sel, false)
	if err != nil {
		return nil, "", err
	}
	statuses, err := st.SeedStatuses(ctx, sel)
	if err != nil {
		return nil, "", err
	}
	seeds = make([]ReportedSeed, len(rows))
	for i, row := range rows {
		scored := !math.IsNaN(row.TotalScore)
		seeds[i] = ReportedSeed{
			Number: row.Number, Outcome: row.Outcome, Scored: scored, Passed: scored && row.NFail == 0, Score: row.TotalScore, Statuses: statuses[row.ID],
		}
	}
	slices.SortFunc(seeds, func(a, b ReportedSeed) int { return cmp.Compare(a.Number, b.Number) })
	return seeds, seedsSHA256(rows), nil
}

// comparePrevious compares a configuration with the one of its scenario whose first seed came before its own; nil where there is none.
func comparePrevious(ctx context.Context, st *store.Reader, choice Choice, specVersion int, ranges []track.SeedRange) (*ImprovementReport, error) {
	newestFirst, _, err := st.Configurations(ctx, choice.Scenario, allConfigurations)
	if err != nil {
		return nil, err
	}
	at := slices.IndexFunc(newestFirst, func(c store.Configuration) bool { return c.ID == choice.Configurations[0].ID })
	if at < 0 || at == len(newestFirst)-1 {
		return nil, nil
	}
	report, err := compare(ctx, st, choice, ImprovementOptions{
		Baseline: &answer.Selector{Scenario: choice.Scenario, Configuration: newestFirst[at+1].Hash}, SpecVersion: specVersion, Seeds: ranges,
		Confidence: scoring.DefaultConfidence,
	})
	return &report, err
}
