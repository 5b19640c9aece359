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
	"track/store"
)

// ReportedStability is the report of one configuration, with what it was made of.
type ReportedStability struct {
	StabilityReport
	Report answer.StabilityReport
	Looks  []store.Look // to be recorded
}

// LoadStabilityReport returns the report of the configuration that a selector names.
func LoadStabilityReport(ctx context.Context, st *store.Reader, sel answer.Selector, options StabilityOptions) (report ReportedStability, err error) {
	err = st.Snapshot(ctx, func(st *store.Reader) error {
		report, err = reportedStability(ctx, st, sel, options)
		return err
	})
	return report, err
}

func reportedStability(ctx context.Context, st *store.Reader, sel answer.Selector, options StabilityOptions) (r ReportedStability, err error) {
	options.AllowMixed = false
	if r.StabilityReport, err = stability(ctx, st, sel, options); err != nil {
		return r, err
	}
	configuration := r.Configurations[0]
	sel.Configuration = configuration.Hash
	gated, err := gate(ctx, st, answer.GateQuestion{Of: []answer.Selector{sel}, Judging: answer.Judging{Seeds: options.Seeds}}, r.Stored.Version)
	if err != nil {
		return r, err
	}
	r.Looks = gated.Looks
	r.Report = answer.StabilityReport{
		Side: r.Choice.side(), Spec: specVersionOf(r.Stored, r.Spec), Ranges: track.SeedRanges(options.Seeds).String(),
		Stability: r.Answer(), Gate: gated.Gate.Gate,
	}
	if r.Report.Annotations, err = annotationsOf(ctx, st, r.Choice); err != nil {
		return r, err
	}
	selection := store.Selection{Scenario: sel.Scenario, Configurations: []int64{configuration.ID}, SpecID: r.Stored.ID, Seeds: options.Seeds}
	if r.Report.Seeds, r.Report.SHA256, err = reportedSeeds(ctx, st, selection); err != nil {
		return r, err
	}
	if r.Report.Runs, err = runsOf(ctx, st, selection); err != nil {
		return r, err
	}
	if r.Report.Drifts, err = driftsOf(ctx, st, selection, r.Spec); err != nil {
		return r, err
	}
	previous, err := comparePrevious(ctx, st, r.Choice, r.Stored.Version, options.Seeds)
	if err != nil || previous == nil {
		return r, err
	}
	r.Looks = append(r.Looks, previous.Look)
	reported, err := previous.report(options.Seeds)
	r.Report.Previous = &reported
	return r, err
}

// seedsSHA256 identifies seeds by what they are and what they measured, wherever and in whatever order they were
// recorded: it is the SHA-256 of a line for each in the order of their numbers, the number, a space and the digest of
// outcome, values and series in hexadecimal.
func seedsSHA256(rows []store.SeedScore) string {
	byNumber := slices.SortedFunc(slices.Values(rows), func(a, b store.SeedScore) int { return cmp.Compare(a.Number, b.Number) })
	h := sha256.New()
	for _, row := range byNumber {
		fmt.Fprintf(h, "%s %x\n", row.Number, row.Digest)
	}
	return hex.EncodeToString(h.Sum(nil))
}

func reportedSeeds(ctx context.Context, st *store.Reader, sel store.Selection) (seeds []answer.SeedStatuses, hash string, err error) {
	rows, err := st.SeedScores(ctx, sel, false)
	if err != nil {
		return nil, "", err
	}
	statuses, err := st.SeedStatuses(ctx, rows, sel.SpecID)
	if err != nil {
		return nil, "", err
	}
	seeds = make([]answer.SeedStatuses, len(rows))
	for i, row := range rows {
		scored := !math.IsNaN(row.TotalScore)
		seeds[i] = answer.SeedStatuses{
			Number: row.Number, Outcome: row.Outcome, Scored: scored, Passed: scored && row.NFail == 0, Score: row.TotalScore, Statuses: statuses[row.ID],
		}
	}
	slices.SortFunc(seeds, func(a, b answer.SeedStatuses) int { return cmp.Compare(a.Number, b.Number) })
	return seeds, seedsSHA256(rows), nil
}

// comparePrevious compares a configuration with the one of its scenario whose first seed came before its own; nil if
// there is none.
func comparePrevious(ctx context.Context, st *store.Reader, choice Choice, specVersion int, ranges []track.SeedRange) (*Compared, error) {
	newestFirst, _, err := st.Configurations(ctx, choice.Scenario, allConfigurations)
	if err != nil {
		return nil, err
	}
	at := slices.IndexFunc(newestFirst, func(c store.Configuration) bool { return c.ID == choice.Configurations[0].ID })
	if at < 0 || at == len(newestFirst)-1 {
		return nil, nil
	}
	before := answer.Selector{Scenario: choice.Scenario, Configuration: newestFirst[at+1].Hash}
	compared, err := compare(ctx, st, choice, answer.PairedQuestion{Baseline: &before, Spec: specVersion, Judging: answer.Judging{Seeds: ranges}}, "")
	return &compared, err
}
