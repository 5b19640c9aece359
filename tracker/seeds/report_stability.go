package seeds

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"maps"
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
	r.NRevisions = 0 // a report is the same whether its configuration was named by its hash or is the newest
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
	if r.Report.Artifacts, err = failingArtifacts(ctx, st, selection, r.Report.Stability.FailingSeeds); err != nil {
		return r, err
	}
	if r.Report.Runs, err = runsOf(ctx, st, selection); err != nil {
		return r, err
	}
	if r.Report.Drifts, err = driftsOf(ctx, st, selection, r.Spec); err != nil {
		return r, err
	}
	if r.Report.Differing, err = differingOf(ctx, st, r.Choice); err != nil {
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
// outcome, values, series and files in hexadecimal.
func seedsSHA256(rows []store.Seed) string {
	byNumber := slices.SortedFunc(slices.Values(rows), func(a, b store.Seed) int { return cmp.Compare(a.Number, b.Number) })
	h := sha256.New()
	for _, row := range byNumber {
		fmt.Fprintf(h, "%s %x\n", row.Number, row.Digest)
	}
	return hex.EncodeToString(h.Sum(nil))
}

func reportedSeeds(ctx context.Context, st *store.Reader, sel store.Selection) (seeds []answer.SeedStatuses, hash string, err error) {
	rows, err := st.SeedScores(ctx, sel, true)
	if err != nil {
		return nil, "", err
	}
	seeds = make([]answer.SeedStatuses, len(rows))
	for i, row := range rows {
		scored := !math.IsNaN(row.TotalScore)
		seeds[i] = answer.SeedStatuses{
			Number: row.Number, Outcome: row.Outcome, Scored: scored, Passed: scored && row.NFail == 0, Score: row.TotalScore, Statuses: row.Statuses,
		}
	}
	slices.SortFunc(seeds, func(a, b answer.SeedStatuses) int { return cmp.Compare(a.Number, b.Number) })
	return seeds, seedsSHA256(rows), nil
}

// differingOf returns the parameters of a configuration that differ among the configurations of its label.
func differingOf(ctx context.Context, st *store.Reader, choice Choice) (list []answer.Parameter, err error) {
	own := choice.Configurations[0]
	alike, err := st.ListCandidates(ctx, store.Candidates{Scenario: choice.Scenario, Label: &own.Label}, true, allConfigurations)
	if err != nil {
		return nil, err
	}
	params := []track.Params{own.Params}
	for _, c := range alike {
		params = append(params, c.Params)
	}
	differing, err := differingParameters(params)
	if err != nil {
		return nil, err
	}
	for _, name := range slices.Sorted(maps.Keys(differing[0])) {
		list = append(list, answer.Parameter{Name: name, Value: string(differing[0][name])})
	}
	return list, nil
}

// comparePrevious compares a configuration with the one of the same parameters whose first seed came before its own,
// and if there are any, of the same label; nil if there is none.
func comparePrevious(ctx context.Context, st *store.Reader, choice Choice, specVersion int, ranges []track.SeedRange) (*Compared, error) {
	own := choice.Configurations[0]
	candidates := store.Candidates{Scenario: choice.Scenario, Params: []string{string(own.Params.JSON())}, Before: own.ID, Label: &own.Label}
	list, err := listed(ctx, st, candidates, 1)
	if err == nil && len(list) == 0 {
		candidates.Label = nil
		list, err = listed(ctx, st, candidates, 1)
	}
	if err != nil || len(list) == 0 {
		return nil, err
	}
	before := answer.Selector{Scenario: choice.Scenario, Configuration: list[0].Hash}
	compared, err := compare(ctx, st, choice, answer.PairedQuestion{Baseline: &before, Spec: specVersion, Judging: answer.Judging{Seeds: ranges}}, "")
	return &compared, err
}
