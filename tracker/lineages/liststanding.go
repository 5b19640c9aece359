package lineages

import (
	"context"
	"errors"
	"slices"

	"track"
	"track/answer"
	"track/evolution"
	"track/store"
)

// newestOfList names the lineages with a ledger of which a list says how they stand.
func newestOfList(list []store.LineageSummary) map[string]bool {
	withLedger := slices.DeleteFunc(slices.Clone(list), func(l store.LineageSummary) bool { return l.Subject == "" })
	slices.SortStableFunc(withLedger, func(a, b store.LineageSummary) int { return b.Last.Compare(a.Last) })
	names := map[string]bool{}
	for _, l := range withLedger[:min(len(withLedger), answer.MostStanding)] {
		names[l.Lineage] = true
	}
	return names
}

// listStanding returns how far a lineage has come, and whether its ledger replays. A ledger that is damaged is a
// problem of this lineage alone.
func listStanding(ctx context.Context, r *store.Reader, name string) (*answer.LineageStanding, error) {
	l, err := Load(ctx, r, name)
	if errors.Is(err, track.ErrDamaged) || errors.Is(err, track.ErrInvalid) {
		return &answer.LineageStanding{Problem: "damaged"}, nil
	}
	if err != nil {
		return nil, err
	}
	s := answer.LineageStanding{Scale: l.Settings.Scale}
	if l.End.Number <= answer.MostReplayed {
		report, err := Replay(ctx, r, name, ReplayOptions{})
		if err != nil {
			return nil, err
		}
		s.Replayed, s.Decisions, s.Verified, s.Differences = true, report.Decisions, report.Verified, len(report.Differences)
	}
	err = addGain(ctx, r, l, &s)
	if errors.Is(err, evolution.ErrEvidence) || errors.Is(err, track.ErrInvalid) || errors.Is(err, track.ErrNotFound) {
		err = nil // the page of the lineage says why its trials cannot be compared
	}
	return &s, err
}

// addGain compares the trials of the active version with those of the root, as the report of the lineage does.
func addGain(ctx context.Context, r *store.Reader, l Lineage, s *answer.LineageStanding) error {
	creations, err := r.Entries(ctx, l.Evolving, store.EntryFilter{Kinds: []evolution.Kind{evolution.KindCreation}})
	if err != nil || len(creations) == 0 || l.Head == "" {
		return err
	}
	var creation evolution.Creation
	if err := creations[0].Decode(&creation); err != nil || creation.Root == nil {
		return err
	}
	s.Root = creation.Root.Label
	if s.Root == l.Head {
		return nil
	}
	looked, err := lookedAt(ctx, r, l)
	if err != nil {
		return err
	}
	trials, err := loadTrials(ctx, r, l, l.Head, s.Root)
	if err != nil {
		return err
	}
	head, err := trials.of(l.Head)
	if err != nil {
		return err
	}
	root, err := trials.of(s.Root)
	if err != nil {
		return err
	}
	worst := l.Settings.Failures.Worst(l.Settings.Scale, head.Trials, root.Trials)
	counted := func(v VersionTrials, looked map[string]bool) []evolution.Trial {
		return evolution.Count(evolution.WithFailures(v.Trials, worst), looked).Trials
	}
	return compareGain(s, counted(head, looked), counted(root, nil))
}

// compareGain fills in the gain of the active version over the root.
func compareGain(s *answer.LineageStanding, head, root []evolution.Trial) error {
	s.NHead, s.NRoot = len(head), len(root)
	gain, err := evolution.NewVersionGain(head, root, s.Scale)
	if err != nil || gain == nil {
		return err
	}
	s.Gain, s.CI = &gain.Mean, gain.Interval
	return nil
}

// lookedAt returns the IDs of the trials of the active version that the decisions that accepted it looked at.
func lookedAt(ctx context.Context, r *store.Reader, l Lineage) (map[string]bool, error) {
	mutations, err := r.Mutations(ctx, l.Evolving, store.MutationFilter{Child: l.Head})
	if err != nil || len(mutations) == 0 {
		return nil, err
	}
	keys := make([]string, len(mutations))
	for i, m := range mutations {
		keys[i] = m.Key
	}
	entries, err := r.Entries(ctx, l.Evolving, store.EntryFilter{Kinds: []evolution.Kind{evolution.KindDecision}, Mutations: keys})
	looked := map[string]bool{}
	for _, e := range entries {
		var record evolution.Record
		if err := e.Decode(&record); err != nil {
			return nil, err
		}
		if record.Decision.Accepted {
			for _, t := range record.Evidence.Child {
				looked[t.ID] = true
			}
		}
	}
	return looked, err
}
