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
	"track/scoring/verdict"
	"track/store"
	"track/sweep"
)

// Subject is a configuration whose seeds a report is about, under a version of a spec.
type Subject struct {
	choice Choice
	spec   specInUse
	ranges []track.SeedRange
}

// NewSubject finds the configuration that a selector names, and a version of the spec; 0 is the newest.
func NewSubject(ctx context.Context, r *store.Reader, sel answer.Selector, version int, ranges []track.SeedRange) (s Subject, err error) {
	s.ranges = ranges
	if s.choice, err = Choose(ctx, r, sel, false); err == nil {
		s.spec, err = loadSpecInUse(ctx, r, sel.Scenario, version)
	}
	return s, err
}

// Selector names the configuration for good.
func (s Subject) Selector() answer.Selector {
	return answer.Selector{Scenario: s.choice.Scenario, Configuration: s.choice.Configurations[0].Hash}
}

// SpecVersion returns the version of the spec.
func (s Subject) SpecVersion() int { return s.spec.stored.Version }

func (s Subject) selection() store.Selection {
	sel := s.choice.selection(s.ranges)
	sel.SpecID = s.spec.stored.ID
	return sel
}

// Provenance returns where the numbers about subjects come from. Names are those of the sides.
func Provenance(ctx context.Context, r *store.Reader, names []string, subjects ...Subject) (a answer.Provenance, err error) {
	a.Spec, a.Schema = scenarioSpec(subjects[0].spec.stored), store.SchemaVersion
	for i, s := range subjects {
		side := answer.ProvenanceSide{Role: names[i], Side: answer.Side{Scenario: s.choice.Scenario, Configuration: recordedConfiguration(s.choice.Configurations[0])}}
		if side.Annotations, err = annotationsOf(ctx, r, s.choice); err != nil {
			return a, err
		}
		rows, err := r.SeedScores(ctx, s.selection(), false)
		if err != nil {
			return a, err
		}
		for _, row := range rows {
			side.Seeds = append(side.Seeds, row.Number)
		}
		side.SHA256 = seedsSHA256(rows)
		if side.Runs, err = runsOf(ctx, r, s.selection()); err != nil {
			return a, err
		}
		if side.Drifts, err = driftsOf(ctx, r, s.selection(), s.spec.decoded); err != nil {
			return a, err
		}
		a.Sides = append(a.Sides, side)
	}
	return a, nil
}

// runsOf returns where and when seeds ran, with the commands of their sweeps.
func runsOf(ctx context.Context, r *store.Reader, selection store.Selection) (track.Runs, error) {
	runs, err := r.Runs(ctx, selection)
	if err != nil {
		return runs, err
	}
	for i, use := range runs.Sweeps {
		plan, err := sweep.ReadPlan("plan of sweep "+use.ID, []byte(use.Plan))
		if err != nil {
			return runs, err
		}
		runs.Sweeps[i].Command = plan.Command
	}
	return runs, nil
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

// Scores returns the seeds of a subject with the status of each metric.
func (s Subject) Scores(ctx context.Context, r *store.Reader) (a answer.SeedScores, err error) {
	a.Seeds, err = seedStatuses(ctx, r, s.selection())
	return a, err
}

// seedStatuses returns the seeds of a selection by number, with the status of each metric.
func seedStatuses(ctx context.Context, r *store.Reader, sel store.Selection) ([]answer.SeedStatuses, error) {
	rows, err := r.SeedScores(ctx, sel, true)
	if err != nil {
		return nil, err
	}
	seeds := make([]answer.SeedStatuses, len(rows))
	for i, row := range rows {
		scored := !math.IsNaN(row.TotalScore)
		seeds[i] = answer.SeedStatuses{
			Number: row.Number, Outcome: row.Outcome, Scored: scored, Passed: scored && row.NFail == 0, Score: row.TotalScore, Statuses: row.Statuses,
		}
	}
	slices.SortFunc(seeds, func(a, b answer.SeedStatuses) int { return cmp.Compare(a.Number, b.Number) })
	return seeds, nil
}

// FailingFiles returns the files that were kept of failing seeds.
func (s Subject) FailingFiles(ctx context.Context, r *store.Reader, failing []track.FailingSeed) (a answer.Artifacts, err error) {
	a.Items, err = failingArtifacts(ctx, r, s.selection(), failing)
	return a, err
}

// Previous returns the configuration of the same parameters whose first seed came before those of the subject, of the
// same label if there is any; nil for none.
func (s Subject) Previous(ctx context.Context, r *store.Reader) (*answer.Selector, error) {
	own := s.choice.Configurations[0]
	candidates := store.Candidates{Scenario: s.choice.Scenario, Params: []string{string(own.Params.JSON())}, Before: own.ID, Label: &own.Label}
	list, err := listed(ctx, r, candidates, 1)
	if err == nil && len(list) == 0 {
		candidates.Label = nil
		list, err = listed(ctx, r, candidates, 1)
	}
	if err != nil || len(list) == 0 {
		return nil, err
	}
	return &answer.Selector{Scenario: s.choice.Scenario, Configuration: list[0].Hash}, nil
}

// Subjects returns the two sides of a comparison, the candidate first.
func (c Compared) Subjects(ranges []track.SeedRange) (candidate, baseline Subject) {
	return Subject{c.candidate, c.spec, ranges}, Subject{c.baseline, c.spec, ranges}
}

// PairedScores returns the total scores of the seeds that both sides have.
func (c Compared) PairedScores() (a answer.PairedScores) {
	baseline := make(map[uint64]verdict.JudgedSeed, len(c.baselineSeeds))
	for _, s := range c.baselineSeeds {
		baseline[s.Number] = s
	}
	for _, s := range c.candidateSeeds {
		if other, both := baseline[s.Number]; both {
			a.Pairs = append(a.Pairs, answer.PairedScore{Number: s.Number, Baseline: other.Total, Candidate: s.Total, BaselineFailed: other.Failed, CandidateFailed: s.Failed})
		}
	}
	slices.SortFunc(a.Pairs, func(x, y answer.PairedScore) int { return cmp.Compare(x.Number, y.Number) })
	return a
}
