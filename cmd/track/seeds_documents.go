package main

import (
	"strings"

	"track"
	"track/scoring"
	"track/store"
	"track/tracker/seeds"
)

type metricDocument struct {
	Name      string       `json:"name"`
	Type      scoring.Type `json:"type"`
	Weight    float64      `json:"weight"`
	Group     string       `json:"group"`
	N         int          `json:"n"`
	MeanValue *float64     `json:"mean_value"`
	StdValue  *float64     `json:"std_value"`
	MeanScore *float64     `json:"mean_score"`
	StdScore  *float64     `json:"std_score"`
	ScoreCI   ci           `json:"score_ci"` // 95 % t interval of mean_score
	PassRate  *float64     `json:"pass_rate"`
	Flag      string       `json:"flag"`
}

const populationStd = "population"

func newMetricDocument(m scoring.MetricStability) metricDocument {
	return metricDocument{
		m.Name, m.Type, m.Weight, m.Group, m.N, (*float64)(m.MeanValue), (*float64)(m.StdValue),
		m.MeanScore, m.StdScore, newCI(m.ScoreCI), m.PassRate, string(m.Flag),
	}
}

// describe names a configuration for people.
func describe(c store.Configuration) string {
	parts := []string{seeds.ShortHash(c.Hash)}
	if c.Label != "" {
		parts = append(parts, "label "+c.Label)
	}
	if c.Revision != (track.Revision{}) {
		parts = append(parts, "revision "+c.Revision.String())
	}
	if c.Params != "" {
		parts = append(parts, "params "+string(c.Params))
	}
	return strings.Join(parts, ", ")
}

// shorten keeps a message from making a table wider than any screen; --format json has it whole.
func shorten(s string) string {
	const longest = 80
	if runes := []rune(s); len(runes) > longest {
		return string(runes[:longest-1]) + "…"
	}
	return s
}
