package answer

import (
	"fmt"
	"strconv"

	"track"
	"track/answer/param"
	"track/scoring/format"
)

// TableQuestion asks for the seeds of a scenario as a table for analysis elsewhere.
type TableQuestion struct {
	Of          Selector // without a configuration, all of them
	SpecVersion int
	Seeds       []track.SeedRange
	Series      bool
	Wide        bool // one row for each seed
	Partition   bool
	To          string // csv or parquet
	SafeCSV     bool   // no cell of CSV is a formula
}

func (q *TableQuestion) Params() param.List {
	return param.List{
		scenarioParam(&q.Of, "export the seeds of all configurations, or of one"),
		specParam(&q.SpecVersion, "take statuses and scores from this `VERSION` of the spec"),
		seedsParam(&q.Seeds),
		{Name: "series", Help: "write one row for each value of each series, instead of metrics", Value: param.Switch(&q.Series)},
		{Name: "wide", Help: "write one row for each seed, with a column for each value and each score", Value: param.Switch(&q.Wide)},
		{Name: "partition", Help: "write a folder with one file for each configuration", Value: param.Switch(&q.Partition)},
		{Name: "to", Unit: "FORMAT", Help: "write this `FORMAT` (default: what the name of the file says; csv without a name, parquet in a folder)", Enum: []string{"csv", "parquet"}, Value: param.Text(&q.To)},
		{Name: "safe-csv", Help: "write no cell of CSV that a spreadsheet would run", Value: param.Switch(&q.SafeCSV)},
	}
}

// TableExported says that a table was written.
type TableExported struct {
	Scenario        string `json:"scenario"`
	Path            string `json:"path"`         // file or folder
	SpecVersion     int    `json:"spec_version"` // 0 if the scenario has no spec, and for series
	NConfigurations int    `json:"n_configurations"`
	NSeeds          int    `json:"n_seeds"`
	NRows           int    `json:"n_rows"`
	NFiles          int    `json:"n_files"`
	Bytes           int64  `json:"bytes"`
	NUnassessed     int    `json:"n_unassessed"` // seeds that ran well and were never judged under the spec
	NPruned         int    `json:"n_pruned"`     // series whose numbers were pruned
}

func (a TableExported) Lead() []Sentence {
	lead := []Sentence{{Kind: Heading, Text: fmt.Sprintf("wrote %s: %s of %s in %s of %s, %d bytes", a.Path, format.Counted(a.NRows, "row"),
		format.Counted(a.NSeeds, "seed"), format.Counted(a.NConfigurations, "configuration"), a.Scenario, a.Bytes)}}
	if a.NUnassessed > 0 {
		hint := track.NewHint("score them", "rescore", a.Scenario).With("spec", strconv.Itoa(a.SpecVersion))
		lead = append(lead, Sentence{Kind: Warning, Hint: &hint,
			Text: fmt.Sprintf("%s not scored under version %d of the spec, so without status and score", format.Counted(a.NUnassessed, "seed"), a.SpecVersion)})
	}
	if a.NPruned > 0 {
		lead = append(lead, Sentence{Kind: Warning, Text: fmt.Sprintf("%d series pruned, so not in the table", a.NPruned)})
	}
	return lead
}

func (a TableExported) Tables() []Table {
	return []Table{{Name: "export", ForPrograms: true,
		Columns: columns("scenario", "path", "spec_version", "n_configurations", "n_seeds", "n_rows", "n_files", "bytes", "n_unassessed", "n_pruned"),
		Rows:    [][]any{{a.Scenario, a.Path, a.SpecVersion, a.NConfigurations, a.NSeeds, a.NRows, a.NFiles, a.Bytes, a.NUnassessed, a.NPruned}}}}
}
