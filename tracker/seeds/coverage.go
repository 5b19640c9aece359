package seeds

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"track"
	"track/scoring/verdict"
	"track/store"
)

// coverageOf returns how complete and how repeatable the seeds of a selection are.
func coverageOf(ctx context.Context, st *store.Reader, sel store.Selection) (r verdict.Coverage, err error) {
	for _, configuration := range sel.Configurations {
		planned, err := st.PlannedSeeds(ctx, sel.Scenario, configuration)
		if err != nil {
			return r, err
		}
		if len(sel.Seeds) > 0 {
			planned = planned.Intersect(track.NewSeedRanges(sel.Seeds...))
		}
		withdrawn, err := withdrawnSeeds(ctx, st, sel, configuration)
		if err != nil {
			return r, err
		}
		r.NWithdrawn += withdrawn.Len()
		r.NMissingWithdrawn += planned.Intersect(withdrawn).Len()
		if err := addSweeps(ctx, st, &r, sel.Scenario, configuration); err != nil {
			return r, err
		}
		if len(planned) == 0 {
			continue
		}
		n, err := st.CountRecorded(ctx, store.Selection{Scenario: sel.Scenario, Configurations: []int64{configuration}, Seeds: planned})
		if err != nil {
			return r, err
		}
		r.NPlanned += planned.Len()
		if missing := planned.Len() - n; missing > 0 {
			r.NMissing += missing
			if r.Missing == "" {
				if r.Missing, err = firstMissing(ctx, st, sel.Scenario, configuration, planned); err != nil {
					return r, err
				}
			}
		}
	}
	repeated, err := st.Repetitions(ctx, sel)
	if err != nil {
		return r, err
	}
	addRepeated(&r, repeated)
	return r, nil
}

// withdrawnSeeds returns the seeds of a selection and one of its configurations that were withdrawn.
func withdrawnSeeds(ctx context.Context, st *store.Reader, sel store.Selection, configuration int64) (track.SeedRanges, error) {
	numbers, err := st.WithdrawnNumbers(ctx, sel.Scenario, configuration)
	ranges := rangesOf(numbers)
	if len(sel.Seeds) > 0 {
		ranges = ranges.Intersect(track.NewSeedRanges(sel.Seeds...))
	}
	return ranges, err
}

// withdrawnOf counts the seeds of a selection that were withdrawn, and that no other measurement replaced.
func withdrawnOf(ctx context.Context, st *store.Reader, sel store.Selection) (n int, err error) {
	if all, err := st.Withdrawals(ctx); err != nil || len(all) == 0 {
		return 0, err
	}
	for _, configuration := range sel.Configurations {
		withdrawn, err := withdrawnSeeds(ctx, st, sel, configuration)
		if err != nil {
			return 0, err
		}
		n += withdrawn.Len()
	}
	return n, nil
}

func rangesOf(numbers []track.SeedNumber) track.SeedRanges {
	singles := make([]track.SeedRange, len(numbers))
	for i, n := range numbers {
		singles[i] = track.SeedRange{First: n, Last: n}
	}
	return track.NewSeedRanges(singles...)
}

// addSweeps adds what the sweeps of a configuration recorded: changes of the code, different commands, withdrawn plans.
func addSweeps(ctx context.Context, st *store.Reader, r *verdict.Coverage, scenario string, configuration int64) error {
	sweeps, err := st.SweepsOf(ctx, scenario, configuration)
	if err != nil {
		return err
	}
	commands := map[[2]string]bool{}
	for _, s := range sweeps {
		commands[[2]string{s.Command, s.Env}] = true
		if s.CodeChanged {
			r.NCodeChanged++
		}
		if s.Withdrawn != "" {
			addWithdrawn(r, s.Withdrawn)
		}
	}
	r.NCommands = max(r.NCommands, len(commands))
	return nil
}

func addWithdrawn(r *verdict.Coverage, what string) {
	if r.Withdrawn != "" {
		r.Withdrawn += "; "
	}
	r.Withdrawn += what
}

// firstMissing returns the first planned seeds that are not recorded.
func firstMissing(ctx context.Context, st *store.Reader, scenario string, configuration int64, planned track.SeedRanges) (string, error) {
	const shown = 5 // ranges
	recorded, err := st.RecordedNumbers(ctx, scenario, configuration)
	if err != nil {
		return "", err
	}
	missing := planned.Minus(rangesOf(recorded))
	if len(missing) > shown {
		return missing[:shown].String() + ",…", nil
	}
	return missing.String(), nil
}

func addRepeated(r *verdict.Coverage, repeated []store.RepeatedSeed) {
	const shown = 3
	differing := map[track.SeedNumber][]string{}
	numbers := map[track.SeedNumber]bool{}
	for _, seed := range repeated {
		if numbers[seed.Number] = true; len(seed.Differences) > 0 {
			differing[seed.Number] = seed.Differences
		}
	}
	r.NRepeated, r.NDiffering = len(numbers), len(differing)
	var words []string
	for n, differences := range differing {
		words = append(words, fmt.Sprintf("seed %s: %s", n, differences[0]))
	}
	slices.Sort(words)
	if len(words) > shown {
		words = append(words[:shown], fmt.Sprintf("and %d more", len(words)-shown))
	}
	r.Differing = strings.Join(words, "; ")
}
