package main

import (
	"time"

	"track"
	"track/scoring"
)

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

// people writes a time as people read it.
func people(t time.Time) string { return t.UTC().Format("2006-01-02 15:04:05Z") }
