package main

import (
	"strconv"
	"time"

	"track"
	"track/scoring"
)

func optionalNumber(flag, text string) (*float64, error) {
	if text == "" {
		return nil, nil
	}
	x, err := strconv.ParseFloat(text, 64)
	if err != nil {
		return nil, usage("%s: %q is not a number", flag, text)
	}
	return &x, nil
}

// parseSince reads a date, a time, or a duration before now.
func parseSince(text string, now time.Time) (time.Time, error) {
	if text == "" {
		return time.Time{}, nil
	}
	if ago, err := time.ParseDuration(text); err == nil {
		return now.Add(-ago), nil
	}
	for _, layout := range []string{time.RFC3339Nano, time.DateOnly} {
		if t, err := time.Parse(layout, text); err == nil {
			return t, nil
		}
	}
	return time.Time{}, usage("--since: %q is neither a time such as 2026-01-02T15:04:05Z nor a duration such as 24h", text)
}

type seedDocument struct {
	Scenario      string                `json:"scenario"`
	Seed          track.SeedNumber      `json:"seed"`
	Configuration configurationDocument `json:"configuration"`
	Outcome       track.Outcome         `json:"outcome"`
	Message       string                `json:"message"`
	SpecVersion   *int                  `json:"spec_version"`
	Status        *scoring.Status       `json:"status"`
	TotalScore    *float64              `json:"total_score"`
	NPass         int                   `json:"n_pass"`
	NWarn         int                   `json:"n_warn"`
	NFail         int                   `json:"n_fail"`
	StartedAt     string                `json:"started_at,omitempty"`
	Duration      *float64              `json:"duration_s"`
	RecordedAt    string                `json:"recorded_at"`
	ID            string                `json:"id"`
}

func newSeedDocument(s track.RecordedSeed) seedDocument {
	d := seedDocument{
		Scenario: s.Scenario, Seed: s.Number, Configuration: newConfigurationDocument(s.Configuration.Hash, s.Configuration.Configuration),
		Outcome: s.Outcome, Message: s.Message, TotalScore: s.TotalScore, NPass: s.NPass, NWarn: s.NWarn, NFail: s.NFail,
		StartedAt: timeText(s.StartedAt), Duration: seconds(s.Duration), RecordedAt: timeText(s.RecordedAt), ID: s.ID,
	}
	if s.SpecVersion > 0 {
		d.SpecVersion = &s.SpecVersion
	}
	if status := s.Status; status != "" {
		d.Status = &status
	}
	return d
}

// people writes a time as people read it.
func people(t time.Time) string { return t.UTC().Format("2006-01-02 15:04:05Z") }
