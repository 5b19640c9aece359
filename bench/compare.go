package main

import (
	"errors"
	"fmt"
	"time"

	"track/answer"
	"track/store"
	"track/tracker/seeds"
)

// compare measures the comparison of two configurations of 1,000 seeds, pair by pair, beside the stability of one of
// them, alone and among 100,000 other seeds of the scenario; then the stability of one configuration of very many
// seeds.
func (b bench) compare() error {
	const others = 100_000
	file, err := b.writeBatch("compare.jsonl", 2*perConfiguration, perConfiguration)
	if err != nil {
		return err
	}
	path, err := b.newDatabase("compare.db")
	if err != nil {
		return err
	}
	if err := b.command("record", "batch", file, "--db", path); err != nil {
		return err
	}
	heading("A comparison of 66 metrics over 1,000 pairs, in one process", "other seeds", "stability of one side", "comparison", "times as long")
	for _, size := range []int{2 * perConfiguration, 2*perConfiguration + min(others, b.largest)} {
		if err := grow(path, size); err != nil {
			return err
		}
		stability, comparison, err := b.stabilityAndComparison(path)
		if err != nil {
			return err
		}
		row(size-2*perConfiguration, stability, comparison, ratio(comparison, stability))
	}
	heading("Stability of one configuration, in one process", "its seeds", "all", "totals of its seeds")
	for size := 10_000; size <= min(others, b.largest); size *= 10 {
		if err := b.largeConfiguration(size); err != nil {
			return err
		}
	}
	return nil
}

// stabilityAndComparison measures in turns the two questions to the database at path.
func (b bench) stabilityAndComparison(path string) (stability, comparison timings, err error) {
	st, err := store.Open(b.ctx, path, time.Now)
	if err != nil {
		return nil, nil, err
	}
	defer func() { err = errors.Join(err, st.Close()) }()
	candidate, baseline := answer.Selector{Scenario: "growth_plus", Configuration: "c1"}, answer.Selector{Scenario: "growth_plus", Configuration: "c0"}
	question := answer.PairedQuestion{Candidate: candidate, Baseline: &baseline}
	for range 3 * b.rounds {
		stability = append(stability, clock(func() { _, err = seeds.Stability(b.ctx, st.Reader, candidate, seeds.StabilityOptions{}) }))
		if err != nil {
			return nil, nil, err
		}
		var report seeds.Compared
		comparison = append(comparison, clock(func() { report, err = seeds.Compare(b.ctx, st.Reader, question, "") }))
		if err == nil && report.NPairs != perConfiguration {
			err = fmt.Errorf("%d pairs", report.NPairs)
		}
		if err != nil {
			return nil, nil, err
		}
	}
	return stability, comparison, nil
}

// largeConfiguration measures the stability of one configuration of size seeds, and how much of it the totals of its
// seeds take.
func (b bench) largeConfiguration(size int) (err error) {
	file, err := b.writeBatch("large.jsonl", size, size)
	if err != nil {
		return err
	}
	path, err := b.newDatabase(fmt.Sprintf("large-%d.db", size))
	if err != nil {
		return err
	}
	if err := b.command("record", "batch", file, "--db", path); err != nil {
		return err
	}
	st, err := store.Open(b.ctx, path, time.Now)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, st.Close()) }()
	var all, totals timings
	for range b.rounds {
		var report seeds.StabilityReport
		all = append(all, clock(func() {
			report, err = seeds.Stability(b.ctx, st.Reader, answer.Selector{Scenario: "growth_plus", Configuration: "c0"}, seeds.StabilityOptions{})
		}))
		if err != nil {
			return err
		}
		sel := store.Selection{Scenario: "growth_plus", Configurations: []int64{report.Configurations[0].ID}, SpecID: report.Stored.ID}
		totals = append(totals, clock(func() { _, err = st.SeedTotals(b.ctx, sel) }))
		if err != nil {
			return err
		}
	}
	row(size, all, totals)
	return nil
}
