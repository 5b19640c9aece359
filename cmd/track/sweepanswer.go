package main

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"track"
	"track/scoring"
	"track/scoring/format"
	"track/sweep"
	"track/tracker/sweeps"
)

type sweptDocument struct {
	Kind          string           `json:"kind"` // seed or repetition
	Scenario      string           `json:"scenario"`
	Seed          track.SeedNumber `json:"seed"`
	Configuration string           `json:"configuration"`
	Outcome       track.Outcome    `json:"outcome"`
	Message       string           `json:"message,omitempty"`
	Disposition   string           `json:"disposition,omitempty"`
	Status        scoring.Status   `json:"status,omitempty"`
	TotalScore    *float64         `json:"total_score"`
	DurationS     *float64         `json:"duration_s"`
	Run           runDocument      `json:"run"`
	Differences   []string         `json:"differences,omitempty"`
}

// runDocument is how the command of a seed ended.
type runDocument struct {
	Sweep    string   `json:"sweep,omitempty"`
	Attempts int      `json:"attempts"`
	ExitCode *int     `json:"exit_code"`
	Signal   string   `json:"signal,omitempty"`
	CPUS     *float64 `json:"cpu_s"`
	RSSBytes *int64   `json:"rss_bytes"`
	Stderr   string   `json:"stderr,omitempty"`
}

func newRunDocument(r track.Run) runDocument {
	d := runDocument{Sweep: r.Sweep, Attempts: r.Attempts, ExitCode: r.ExitCode, Signal: r.Signal, RSSBytes: r.MaxRSS, Stderr: r.Stderr}
	if r.CPU != nil {
		seconds := r.CPU.Seconds()
		d.CPUS = &seconds
	}
	return d
}

func newSweptDocument(swept sweeps.SweptSeed) sweptDocument {
	seed := swept.Seed
	d := sweptDocument{
		Kind: "seed", Scenario: seed.Scenario, Seed: seed.Number, Configuration: seed.Configuration.Hash(), Outcome: seed.Outcome, Message: seed.Message,
		Differences: swept.Differences, Run: newRunDocument(*seed.Run),
	}
	d.Run.Stderr = "" // track show seed has it
	if seed.Duration != nil {
		seconds := seed.Duration.Seconds()
		d.DurationS = &seconds
	}
	if swept.Repeated {
		d.Kind = "repetition"
		return d
	}
	if d.Disposition = dispositionName(swept.Result.Disposition); swept.Result.Disposition == track.Conflict {
		d.Disposition = "conflict"
	}
	if seed.Outcome != track.OutcomeOK {
		d.Status = scoring.Fail
	}
	if a := swept.Result.Assessment; a != nil {
		if a.Scored {
			d.TotalScore = &a.TotalScore
		}
		for _, r := range a.Results {
			d.Status = scoring.WorstStatus(d.Status, r.Status)
		}
	}
	return d
}

type sweepDocument struct {
	Kind           string                       `json:"kind"` // sweep
	ID             string                       `json:"id"`
	Scenario       string                       `json:"scenario"`
	Shard          int                          `json:"shard,omitzero"`
	NShards        int                          `json:"n_shards,omitzero"`
	Ending         track.SweepEnding            `json:"ending"`
	NRan           int                          `json:"n_ran"`
	NKnown         int                          `json:"n_known"`
	NFailed        int                          `json:"n_failed"`
	NRetried       int                          `json:"n_retried"`
	NConflicts     int                          `json:"n_conflicts"`
	NElsewhere     int                          `json:"n_elsewhere"`
	NRepeated      int                          `json:"n_repeated"`
	NDiffering     int                          `json:"n_differing"`
	Configurations []sweptConfigurationDocument `json:"configurations"`
	Halving        []halvedDocument             `json:"halving,omitempty"`
}

type sweptConfigurationDocument struct {
	configurationDocument `json:",inline"`
	Planned               string        `json:"planned"`
	NPlanned              int           `json:"n_planned"`
	NSeeds                int           `json:"n_seeds"`
	NFailed               int           `json:"n_failed"`
	NBeyond               int           `json:"n_beyond"`
	Dropped               bool          `json:"dropped"`
	Decision              *stopDocument `json:"decision"`
}

type stopDocument struct {
	N       int             `json:"n"`
	Reason  string          `json:"reason"`
	Verdict scoring.Verdict `json:"verdict,omitempty"`
}

type halvedDocument struct {
	sweep.Tier `json:",inline"`
	Ranked     []rankedDocument `json:"ranked"`
}

type rankedDocument struct {
	Configuration string  `json:"configuration"`
	MeanScore     float64 `json:"mean_score"`
	NSeeds        int     `json:"n_seeds"`
	NScored       int     `json:"n_scored"`
	Kept          bool    `json:"kept"`
}

func newSweepDocument(s sweeps.Summary) sweepDocument {
	d := sweepDocument{
		Kind: "sweep", ID: s.Sweep.ID, Scenario: s.Sweep.Scenario, Shard: s.Sweep.Shard, NShards: s.Sweep.NShards, Ending: s.Sweep.Ending, NRan: s.NRan, NKnown: s.NKnown,
		NFailed: s.NFailed, NRetried: s.NRetried, NConflicts: s.NConflicts, NElsewhere: s.NElsewhere, NRepeated: s.NRepeated, NDiffering: len(s.Differing),
		Configurations: []sweptConfigurationDocument{},
	}
	for _, c := range s.Configurations {
		doc := sweptConfigurationDocument{
			configurationDocument: newConfigurationDocument(c.Hash, c.Configuration), Planned: c.Planned.String(), NPlanned: c.Planned.Len(), NSeeds: c.NSeeds,
			NFailed: c.NFailed, NBeyond: c.NBeyond, Dropped: c.Dropped,
		}
		if c.Decision != nil {
			doc.Decision = &stopDocument{c.Decision.N, c.Decision.Reason, c.Decision.Verdict}
		}
		d.Configurations = append(d.Configurations, doc)
	}
	for _, tier := range s.Halved {
		doc := halvedDocument{Tier: tier.Tier}
		for i, r := range tier.Ranked {
			doc.Ranked = append(doc.Ranked, rankedDocument{r.Hash, r.Mean, r.NSeeds, r.NScored, i < tier.Kept})
		}
		d.Halving = append(d.Halving, doc)
	}
	return d
}

// sweepAnswer tells what became of a sweep; interrupted says that its user ended it.
func (p *program) sweepAnswer(s sweeps.Summary, problem error, interrupted bool) error {
	if problem != nil {
		if s.NRan == 0 {
			return fmt.Errorf("sweep %s: %w", s.Sweep.Scenario, problem)
		}
		return fmt.Errorf("sweep %s: %w; recorded before that: %s", s.Sweep.Scenario, problem, format.Counted(s.NRan, "seed"))
	}
	p.sweepNotices(s)
	d := newSweepDocument(s)
	rows := grid{columns: []string{"configuration", "label", "parameters", "planned", "recorded", "failed", "end"}}
	for i, c := range s.Configurations {
		rows.cells = append(rows.cells, []any{track.ShortHash(c.Hash), c.Label, paramsShort(c.Params), d.Configurations[i].NPlanned, c.NSeeds, c.NFailed, endText(c)})
	}
	head := fmt.Sprintf("sweep %s of %s: %s; %s ran, %d failed, %d recorded before", shortID(s.Sweep.ID), s.Sweep.Scenario, s.Sweep.Ending, format.Counted(s.NRan, "seed"), s.NFailed, s.NKnown)
	if s.NRepeated > 0 {
		head += fmt.Sprintf("; %d repeated, %d of them differ", s.NRepeated, len(s.Differing))
	}
	if err := p.write(view{document: d, lines: []any{d}, rows: rows, page: []any{head, rows}}); err != nil {
		return err
	}
	switch {
	case interrupted:
		return track.WithHint(interruption("sweep "+s.Sweep.Scenario+": interrupted"), track.Hint{Text: "the same command goes on where it stopped"})
	case allFailed(s):
		return verdictExit(exitFail)
	}
	return nil
}

// interruption is the error of a command that its user interrupted.
type interruption string

func (i interruption) Error() string { return string(i) }

func (interruption) Unwrap() error { return context.Canceled }

// shortID is the part of an id that people read; its beginning is the time, which many share.
func shortID(id string) string { return track.ShortID(id) }

func endText(c sweeps.SweptConfiguration) string {
	switch {
	case c.Decision != nil:
		text := fmt.Sprintf("after %d: %s", c.Decision.N, c.Decision.Reason)
		if c.NBeyond > 0 {
			text += fmt.Sprintf("; %d more are kept", c.NBeyond)
		}
		return text
	case c.Dropped:
		return fmt.Sprintf("dropped after %d", c.Planned.Len())
	case c.NSeeds == c.Planned.Len():
		return "finished"
	}
	if missing := c.Planned.Len() - c.NSeeds; missing > 1 {
		return fmt.Sprintf("%d seeds are missing", missing)
	}
	return "1 seed is missing"
}

func (p *program) sweepNotices(s sweeps.Summary) {
	if len(s.Unknown) > 0 {
		p.notice("not in the spec, stored but not scored: %s", shortList(s.Unknown))
	}
	if s.NConflicts > 0 {
		p.notice("%s recorded meanwhile by another process, with other values: the simulation is not deterministic, or something that differs is no parameter", format.Counted(s.NConflicts, "seed"))
	}
	if s.NElsewhere > 0 {
		p.notice("%s still run in another process", format.Counted(s.NElsewhere, "seed"))
	}
	if n := len(s.Differing); n > 0 {
		p.notice("NOT DETERMINISTIC: %d of %d repeated seeds gave something else", n, s.NRepeated)
	}
	if allFailed(s) {
		p.notice("every seed failed: track show seed %s SEED shows the end of its standard error", s.Sweep.Scenario)
	}
	if last := len(s.Halved) - 1; last >= 0 && s.Halved[last].Configurations > 1 {
		p.notice("the best of %d configurations looks better than it is: fresh seeds say how good", s.Halved[0].Configurations)
	}
	if names := comparedNames(s); len(names) > 1 && !s.WithoutSpec {
		p.notice("track compare %s shows the configurations side by side", strings.Join(names, " "))
	}
}

// allFailed says that no planned seed ran well, now or before.
func allFailed(s sweeps.Summary) bool {
	ran := 0
	for _, c := range s.Configurations {
		if ran += c.NSeeds; c.NFailed < c.NSeeds {
			return false
		}
	}
	return ran > 0
}

func comparedNames(s sweeps.Summary) (names []string) {
	const most = 6
	for _, c := range s.Configurations {
		if !c.Dropped {
			names = append(names, s.Sweep.Scenario+"@"+track.ShortHash(c.Hash))
		}
	}
	return slices.Clip(names[:min(len(names), most)])
}
