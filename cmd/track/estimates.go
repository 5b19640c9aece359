package main

import (
	"fmt"
	"strings"

	"track/scoring/format"
	"track/scoring/stats"
	"track/scoring/verdict"
)

// ci is an interval in JSON: its two ends, null where there is none.
type ci *[2]float64

func newCI(i stats.Interval) ci {
	if !i.Defined() {
		return nil
	}
	return &[2]float64{i.Lo, i.Hi}
}

// estimateDocument is a number that was computed from seeds, with all that it takes to trust it.
type estimateDocument struct {
	Value  *float64 `json:"value"`
	N      int      `json:"n"`
	CI     ci       `json:"ci"`
	Method string   `json:"method"`
}

// estimatesDocument are the aggregates of a configuration. Its sd is that of a sample (n-1), unlike std_score.
type estimatesDocument struct {
	Confidence float64          `json:"confidence"`
	Mean       estimateDocument `json:"mean"`
	SD         estimateDocument `json:"sd"`
	PassRate   estimateDocument `json:"pass_rate"`
	Combined   estimateDocument `json:"combined"`
}

type warningDocument struct {
	Code    string `json:"code"`
	Message string `json:"message"`
}

func newEstimates(e verdict.Estimates) estimatesDocument {
	return estimatesDocument{
		Confidence: e.Mean.Interval.Confidence,
		Mean:       estimateDocument{number(e.Mean.Value, e.NScored), e.NScored, newCI(e.Mean.Interval), e.Mean.Interval.Method},
		SD:         estimateDocument{number(e.SD.Value, max(0, e.NScored-1)), e.NScored, newCI(e.SD.Interval), e.SD.Interval.Method},
		PassRate:   estimateDocument{number(e.PassRate.Value, e.NSeeds), e.NSeeds, newCI(e.PassRate.Interval), e.PassRate.Interval.Method},
		Combined:   estimateDocument{number(e.Combined.Value, e.NScored), e.NScored, newCI(e.Combined.Interval), e.Combined.Interval.Method},
	}
}

func newWarnings(list []verdict.Warning) []warningDocument {
	documents := []warningDocument{}
	for _, w := range list {
		documents = append(documents, warningDocument(w))
	}
	return documents
}

// intervalText shows an interval by its ends; nil, shown as a dash, where there is none.
func intervalText(i stats.Interval, text func(float64) string) any {
	if !i.Defined() {
		return nil
	}
	return format.Interval(i, text)
}

func confidencePercent(c float64) string { return format.Confidence(c) }

// footnotes numbers warnings under a table; empty where there are none.
func footnotes(list []verdict.Warning) string {
	var b strings.Builder
	for i, w := range list {
		if i > 0 {
			b.WriteByte('\n')
		}
		fmt.Fprintf(&b, "[%d] %s", i+1, w.Message)
	}
	return b.String()
}

// sentences writes a verdict's reasons and needs, one on a line.
func sentences(reasons, needs []string) string {
	var b strings.Builder
	for _, reason := range reasons {
		b.WriteString("\n  " + reason)
	}
	for _, need := range needs {
		b.WriteString("\n  needed: " + need)
	}
	return b.String()
}
