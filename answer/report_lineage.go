package answer

import (
	"track/evolution"
	"track/scoring/stats"
)

// LineageReport is everything that a report of a lineage shows.
type LineageReport struct {
	Name        string                 `json:"lineage"`
	Subject     string                 `json:"subject"` // agent, or scenario:NAME
	Seed        string                 `json:"seed"`
	Entries     []evolution.Entry      `json:"entries"`
	Replayed    evolution.Replayed     `json:"replayed"` // what Entries come to
	End         evolution.Head         `json:"end"`
	SHA256      string                 `json:"sha256"`      // of the export of the lineage, in hexadecimal
	Schema      int                    `json:"schema"`      // version of the database's schema
	Differences []evolution.Difference `json:"differences"` // between the ledger, its tables, and the evidence and what is recorded now
	Missing     []evolution.Difference `json:"missing"`     // evidence that is not recorded here
	Compared    int                    `json:"n_compared"`  // trials of evidence that were compared with what is recorded now, including Missing
	Settings    evolution.Settings     `json:"settings"`    // the active ones
	Versions    []ReportedVersion      `json:"versions"`    // in the order in which they came into being
	Operators   []ReportedOperator     `json:"operators"`
	Totals      LineageTotals          `json:"totals"`
}

// ReportedVersion is a version with its content and its trials.
type ReportedVersion struct {
	Label       string            `json:"version"`
	ContentID   string            `json:"content_id,omitempty"` // empty if the content is not recorded
	Content     *string           `json:"content"`
	Status      string            `json:"status,omitempty"` // in the words of its source
	SourceScore *float64          `json:"source_score,omitempty"`
	Trials      []evolution.Trial `json:"trials"`            // the oldest first
	Holdout     []evolution.Trial `json:"holdout,omitempty"` // trials of holdout tasks, which never decide
}

// ReportedOperator says how an operator did.
type ReportedOperator struct {
	Name         string            `json:"operator"`
	Risk         evolution.Risk    `json:"risk"`
	Proposed     int               `json:"n_proposed"` // the sum of the five below
	Accepted     int               `json:"n_accepted"`
	Rejected     int               `json:"n_rejected"`
	Refused      int               `json:"n_refused"`
	Withdrawn    int               `json:"n_withdrawn"`
	Open         int               `json:"n_open"`
	RolledBack   int               `json:"n_rolled_back"`
	Rate         *stats.Proportion `json:"accept_rate,omitempty"` // of those accepted or rejected; nil for none
	Delta        *stats.Mean       `json:"delta,omitempty"`       // of the last decisions; nil for none
	NCost        int               `json:"n_cost"`                // mutations whose cost is known
	CostUSD      *float64          `json:"cost_usd,omitempty"`
	CostPerPoint *float64          `json:"cost_per_point,omitempty"`
}

// LineageTotals are sums over the executions of a lineage, or over the seeds of a scenario.
type LineageTotals struct {
	Executions   int     `json:"n"`
	Failed       int     `json:"n_failed"`
	CostUSD      float64 `json:"cost_usd"`
	NCost        int     `json:"n_cost"` // executions whose cost is known
	TokensInput  int64   `json:"tokens_input"`
	TokensOutput int64   `json:"tokens_output"`
	NTokens      int     `json:"n_tokens"`
	Seconds      float64 `json:"seconds"`
	NSeconds     int     `json:"n_seconds"`
}
