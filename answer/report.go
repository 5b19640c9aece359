package answer

import (
	"track"
	"track/scoring"
	"track/scoring/stats"
	"track/scoring/verdict"
)

// ParameterChange is a parameter that differs between two configurations.
type ParameterChange struct {
	Name   string `json:"name"`
	Before string `json:"before,omitempty"` // JSON; empty if the configuration does not have it
	After  string `json:"after,omitempty"`
}

// SpecVersion is a version of a spec with what it declares.
type SpecVersion struct {
	ScenarioSpec
	Declared scoring.Spec `json:"declared"`
}

// Metric returns the metric of this name. If the spec has none, the metric has the name alone.
func (s SpecVersion) Metric(name string) scoring.Metric {
	for _, m := range s.Declared.Metrics {
		if m.Name == name {
			return m
		}
	}
	return scoring.Metric{Name: name}
}

// SeedStatuses is a seed with the status of each of its metrics.
type SeedStatuses struct {
	Number   track.SeedNumber       `json:"seed"`
	Outcome  track.Outcome          `json:"outcome"`
	Scored   bool                   `json:"scored"`
	Passed   bool                   `json:"passed"` // scored, and no metric failed
	Score    float64                `json:"total_score"`
	Statuses []scoring.PackedStatus `json:"statuses"` // in the order of the spec, empty if there is no value; nil if the seed failed
}

// StabilityReport is everything that a report of one configuration shows.
type StabilityReport struct {
	Side
	Spec      SpecVersion        `json:"spec"`
	Ranges    string             `json:"seed_ranges,omitempty"` // of the seeds that were asked for, as in 0..99,200
	Stability Stability          `json:"stability"`
	Gate      verdict.Gate       `json:"gate"`                // of this configuration alone
	Seeds     []SeedStatuses     `json:"seeds"`               // by number
	SHA256    string             `json:"sha256"`              // of the seeds: their numbers and what each measured, in hexadecimal
	Artifacts []ListedArtifact   `json:"artifacts,omitempty"` // files that were kept of the failing seeds
	Runs      track.Runs         `json:"runs"`
	Drifts    []MetricDrift      `json:"drifts"`              // means over series that still drift after their skip
	Differing []Parameter        `json:"differing,omitempty"` // parameters that differ among the configurations of this label
	Previous  *ImprovementReport `json:"previous,omitempty"`  // compared with the previous configuration of the same parameters; nil for the first
}

// ImprovementReport is everything that a report of a candidate and its baseline shows.
type ImprovementReport struct {
	Improvement     `json:"improvement"`
	Declared        []scoring.Metric     `json:"declared"`              // by which both sides were judged
	Ranges          string               `json:"seed_ranges,omitempty"` // of the seeds that were asked for, as in 0..99,200
	CandidateSeeds  []verdict.JudgedSeed `json:"candidate_seeds"`
	BaselineSeeds   []verdict.JudgedSeed `json:"baseline_seeds"`
	Parameters      []ParameterChange    `json:"parameters"` // that differ between the baseline and the candidate
	CandidateSHA256 string               `json:"candidate_sha256"`
	BaselineSHA256  string               `json:"baseline_sha256"`
	CandidateRuns   track.Runs           `json:"candidate_runs"`
	BaselineRuns    track.Runs           `json:"baseline_runs"`
}

// ScenarioReport is everything that a report of one scenario shows.
type ScenarioReport struct {
	Spec        SpecVersion        `json:"spec"`
	NSpecs      int                `json:"n_specs"` // versions of the spec
	History     History            `json:"history"`
	Steps       []*Step            `json:"steps"`                   // to each entry of History; nil for the first, and if the sides have no seed in common
	Limit       int                `json:"limit"`                   // largest number of configurations in the history
	Stability   StabilityReport    `json:"stability"`               // of the named configuration
	Improvement *ImprovementReport `json:"improvement,omitempty"`   // over the baseline
	NoBaseline  string             `json:"no_baseline,omitempty"`   // why there is no Improvement
	Pinned      *Baseline          `json:"pinned,omitempty"`        // nil for none
	NPinsBefore int                `json:"n_pins_before,omitempty"` // replaced pins
	Schema      int                `json:"schema"`                  // version of the database's schema
}

// Step is the change of total scores from one configuration to the next, over the seeds that both have. A seed
// without a score counts as 0.
type Step struct {
	NPairs   int            `json:"n_pairs"`
	Mean     float64        `json:"mean_delta"`
	Interval stats.Interval `json:"interval"`
}

// AgentReport is what an index shows of an agent: a lineage without a ledger.
type AgentReport struct {
	Name        string           `json:"lineage"`
	NExecutions int              `json:"n_executions"`
	NFailed     int              `json:"n_failed"`
	Success     stats.Proportion `json:"success"` // share of executions that did not fail
	Tasks       []TaskSuccess    `json:"tasks"`   // by name
	Newest      string           `json:"newest_version"`
	Fitness     *AgentFitness    `json:"fitness,omitempty"` // of Newest; nil if none of its executions has a score
}

// TaskSuccess is the share of executions of a task that did not fail.
type TaskSuccess struct {
	Name        string           `json:"task"`
	NExecutions int              `json:"n_executions"`
	Success     stats.Proportion `json:"success"`
}

// AgentFitness is the fitness of a version of an agent.
type AgentFitness struct {
	Value float64    `json:"value"`
	Grade string     `json:"grade"`
	NUsed int        `json:"n_used"`
	Mean  stats.Mean `json:"mean_of_used_scores"` // plain, of the scores
}
