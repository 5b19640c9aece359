package answer

import (
	"fmt"
	"time"

	"track"
	"track/scoring/format"
	"track/scoring/stats"
)

// SweepProgress says how far a sweep is. Its times are those of the recorded seeds, so that it is the same whenever it
// is asked.
type SweepProgress struct {
	NPlanned       int                     `json:"n_planned"`
	NLeft          int                     `json:"n_left"`               // planned seeds that are neither recorded nor withdrawn
	NWithdrawn     int                     `json:"n_withdrawn,omitzero"` // planned seeds that were withdrawn and not replaced
	NRunning       int                     `json:"n_running,omitzero"`   // planned seeds that processes run now, of this sweep or another
	PerMinute      float64                 `json:"seeds_per_minute"`     // from the start to the last recorded seed; null without seeds
	Left           time.Duration           `json:"left_s"`               // at this rate; 0 if it is unknown
	Last           time.Time               `json:"last_seed,omitzero"`   // when the last seed was recorded
	Until          string                  `json:"until,omitempty"`      // the rule by which it ends early
	Configurations []ConfigurationProgress `json:"configurations"`       // at most 20, in the order of the plan
	NOthers        int                     `json:"n_others,omitzero"`    // configurations that are not among them
}

// ConfigurationProgress is how far a sweep is with a configuration.
type ConfigurationProgress struct {
	Configuration string             `json:"configuration"` // hash
	Label         string             `json:"label,omitempty"`
	NPlanned      int                `json:"n_planned"`
	NRecorded     int                `json:"n_recorded"`           // of the planned seeds
	NFailed       int                `json:"n_failed"`             // of these
	NWithdrawn    int                `json:"n_withdrawn,omitzero"` // of the planned seeds, withdrawn and not replaced
	Running       []track.SeedNumber `json:"running,omitempty"`    // planned seeds that processes run now, of this sweep or another
	StopRule      string             `json:"stop_rule,omitempty"`  // what the rule by which the sweep ends early says of the seeds so far
	Scores        []ScoreSoFar       `json:"scores"`               // as seeds were recorded, at most 40 steps, the last one now
}

// ScoreSoFar is the score of the first seeds of a configuration, in the order in which they were recorded.
type ScoreSoFar struct {
	N        int            `json:"n"`
	Mean     float64        `json:"score"`
	Interval stats.Interval `json:"ci"` // as if nobody had looked before
}

// NRecorded counts the planned seeds that are recorded.
func (p SweepProgress) NRecorded() int { return p.NPlanned - p.NLeft - p.NWithdrawn }

// table shows how far a sweep is with each configuration.
func (p SweepProgress) table() Table {
	t := Table{Name: "progress", Title: "progress", HiddenIfEmpty: true, Columns: columns("configuration", "label", "recorded", "running", "planned", "failed", "score", "interval", "n", "stop_rule").drop("label", "planned", "interval").wrap("stop_rule")}
	t.Columns[7].Head, t.Columns[9].Head = "95% interval", "stop rule: "+p.Until
	if p.Until == "" {
		t.Columns[9].For = ForData
	}
	if p.NRunning == 0 {
		t.Columns[3].For = ForData
	}
	for _, c := range p.Configurations {
		row := []any{hashCell(c.Configuration), c.Label, c.NRecorded, len(c.Running), c.NPlanned, c.NFailed, nil, nil, nil, c.StopRule}
		if len(c.Scores) > 0 {
			last := c.Scores[len(c.Scores)-1]
			row[6], row[7], row[8] = numberCell(last.Mean, format.Four), intervalCell(last.Interval, format.Four), last.N
		}
		t.Rows = append(t.Rows, row)
	}
	if text := p.text(); text != "" {
		t.Notes = []Sentence{{Kind: Note, Text: text}}
	}
	return t
}

// text says how fast it goes, and what is left.
func (p SweepProgress) text() string {
	if p.NPlanned == 0 {
		return ""
	}
	text := fmt.Sprintf("%d of %s left", p.NLeft, format.Counted(p.NPlanned, "planned seed"))
	if p.NWithdrawn > 0 {
		text += fmt.Sprintf("; %d withdrawn", p.NWithdrawn)
	}
	if p.NRunning > 0 {
		text += fmt.Sprintf("; %d running", p.NRunning)
	}
	if defined(p.PerMinute) != nil {
		text += fmt.Sprintf("; %s a minute", format.Short(p.PerMinute))
	}
	if p.Left > 0 {
		text += fmt.Sprintf(", so about %v more", p.Left.Round(time.Second))
	}
	if p.Until != "" {
		text += "; it ends early when " + p.Until
	}
	return text
}
