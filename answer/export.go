package answer

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"track"
	"track/answer/param"
	"track/scoring/format"
)

// LinesQuestion asks for a database as lines: scenarios and lineages, with all that belongs to them.
type LinesQuestion struct {
	Scenarios, Lineages []string // both empty for everything
	Gzip                bool
}

func (q *LinesQuestion) Params() param.List {
	return param.List{
		{Name: "scenario", Unit: "NAME", Help: "include the scenario `NAME`; may be repeated", Value: param.Texts(&q.Scenarios)},
		{Name: "lineage", Unit: "NAME", Help: "include the lineage `NAME`; may be repeated", Value: param.Texts(&q.Lineages)},
		{Name: "gzip", Help: "compress the lines", Value: param.Switch(&q.Gzip)},
	}
}

// LineageFileQuestion asks for a lineage with its ledger, to import it elsewhere.
type LineageFileQuestion struct {
	Lineage  string // empty for the only one
	Manifest bool   // what the lineage is checked against later, instead
}

func (q *LineageFileQuestion) Params() param.List {
	return param.List{
		{Name: "lineage", Arg: true, Unit: "LINEAGE", Help: "export this lineage (default: the only one)", Value: param.Text(&q.Lineage)},
		{Name: "manifest", Help: "write hashes to check the lineage against later, instead of its lines", Value: param.Switch(&q.Manifest)},
	}
}

// LineageExported says that a lineage was written.
type LineageExported struct {
	Bytes int64 `json:"bytes"`
}

func (a LineageExported) Lead() []Sentence {
	return []Sentence{{Kind: Heading, Text: fmt.Sprintf("wrote %d bytes", a.Bytes)}}
}

func (a LineageExported) Tables() []Table { return nil }

// ArtifactFilesQuestion asks for files of a seed.
type ArtifactFilesQuestion struct {
	Of   Selector
	Seed track.SeedNumber
	Name string // empty for all files
}

func (q *ArtifactFilesQuestion) Params() param.List {
	seed := seedParam(&q.Seed)
	seed.Help = "write files of this seed"
	return param.List{
		scenarioParam(&q.Of, "write files of a seed of this scenario"), seed,
		{Name: "name", Unit: "NAME", Help: "write the file of this `NAME` (default: all files)", Value: param.Text(&q.Name)},
	}
}

// SeriesFileQuestion asks for series of a seed as a file.
type SeriesFileQuestion struct {
	Of    Selector
	Seed  track.SeedNumber
	Names []string // empty for all
	To    string   // csv, parquet or json
}

func (q *SeriesFileQuestion) Params() param.List {
	q.To = "csv"
	seed := seedParam(&q.Seed)
	seed.Help = "write series of this seed"
	return param.List{
		scenarioParam(&q.Of, "write series of a seed of this scenario"), seed,
		{Name: "series", Arg: true, Unit: "NAME", Help: "write this series", Value: param.Texts(&q.Names)},
		{Name: "to", Unit: "FORMAT", Help: "write this `FORMAT`", Enum: []string{"csv", "parquet", "json"}, Value: param.Text(&q.To)},
	}
}

// SeriesExported says whose series were written.
type SeriesExported struct {
	SeedRef `json:",embed"`
	NSeries int `json:"n_series"`
}

func (a SeriesExported) Lead() []Sentence { return a.lead() }

func (a SeriesExported) Tables() []Table { return nil }

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

// ArtifactsQuestion asks which files were kept of seeds.
type ArtifactsQuestion struct {
	Of    Selector
	Seeds []track.SeedRange // empty for all
}

func (q *ArtifactsQuestion) Params() param.List {
	return param.List{
		{Name: "scenario", Arg: true, Required: true, Unit: "SCENARIO[@CONFIGURATION]", Help: "list the files of the seeds of this scenario", Value: selectorValue(&q.Of)},
		{Name: "seed", Unit: "SEED", Help: "list only the files of this `SEED`, or of seeds as in 0..9", Value: param.Seeds(&q.Seeds)},
	}
}

// SeedArtifact is a file that was kept of a seed.
type SeedArtifact struct {
	Name     string    `json:"name"` // relative path
	Bytes    int64     `json:"bytes"`
	Hash     string    `json:"hash,omitempty"`     // hex SHA-256 of the content; empty if that was left out
	LeftOut  string    `json:"left_out,omitempty"` // why the content was not kept
	PrunedAt time.Time `json:"pruned_at,omitzero"`
}

// ListedArtifact is a file with its seed.
type ListedArtifact struct {
	Seed         track.SeedNumber `json:"seed"`
	Outcome      track.Outcome    `json:"outcome"`
	SeedArtifact `json:",embed"`
}

// Artifacts are the files of seeds of a configuration, by seed and name.
type Artifacts struct {
	Side                 `json:",embed"`
	List[ListedArtifact] `json:",embed"`
}

func (a Artifacts) Lead() []Sentence { return a.Newest.note(a.Side) }

func (a Artifacts) Tables() []Table {
	t := Table{Name: "artifacts", Columns: columns("seed", "outcome", "name", "bytes", "hash", "left_out", "pruned").drop("pruned", "hash", "outcome").wrap("name", "left_out"),
		Empty: "no files were kept of these seeds"}
	for _, f := range a.Items {
		t.Rows = append(t.Rows, []any{f.Seed, string(f.Outcome), f.Name, f.size(), hashCell(f.Hash), f.LeftOut, timeCell(f.PrunedAt)})
	}
	return []Table{t}
}

// size returns the number of bytes; nil for a file that was left out.
func (f SeedArtifact) size() any {
	if f.LeftOut != "" {
		return nil
	}
	return f.Bytes
}

// text describes the file on one line.
func (f SeedArtifact) text() string {
	switch {
	case f.LeftOut != "":
		return fmt.Sprintf("%s (left out: %s)", f.Name, f.LeftOut)
	case !f.PrunedAt.IsZero():
		return fmt.Sprintf("%s (%s, pruned)", f.Name, format.Counted(int(f.Bytes), "byte"))
	}
	return fmt.Sprintf("%s (%s)", f.Name, format.Counted(int(f.Bytes), "byte"))
}

// artifactsText describes files on one line.
func artifactsText(list []SeedArtifact) string {
	const most = 20
	texts := make([]string, min(most, len(list)))
	for i := range texts {
		texts[i] = list[i].text()
	}
	if n := len(list) - most; n > 0 {
		texts = append(texts, fmt.Sprintf("and %d more", n))
	}
	return strings.Join(texts, ", ")
}

// WrittenArtifact is a file of a seed that was written.
type WrittenArtifact struct {
	SeedArtifact `json:",embed"`
	File         string `json:"file"` // path; empty if there is no content to write
}

// WrittenArtifacts says which files of a seed were written.
type WrittenArtifacts struct {
	SeedRef               `json:",embed"`
	List[WrittenArtifact] `json:",embed"`
}

func (a WrittenArtifacts) Lead() []Sentence {
	lead := a.lead()
	for _, f := range a.Items {
		text := fmt.Sprintf("wrote %s (%s)", f.File, format.Counted(int(f.Bytes), "byte"))
		if f.File == "" {
			text = "not written: " + f.text()
		}
		lead = append(lead, Sentence{Kind: Heading, Text: text})
	}
	if len(a.Items) == 0 {
		lead = append(lead, Sentence{Kind: Heading, Text: fmt.Sprintf("no files were kept of seed %s", a.SeedRef.Seed)})
	}
	return lead
}

func (a WrittenArtifacts) Tables() []Table {
	t := Table{Name: "artifacts", ForPrograms: true, Columns: columns("name", "bytes", "hash", "left_out", "file")}
	for _, f := range a.Items {
		t.Rows = append(t.Rows, []any{f.Name, f.size(), hashCell(f.Hash), f.LeftOut, f.File})
	}
	return []Table{t}
}

// PruneArtifactsQuestion asks to delete the contents of the files of old seeds.
type PruneArtifactsQuestion struct{ Pruning }

func (q *PruneArtifactsQuestion) Params() param.List { return q.params("files") }

// PrunedArtifacts says what deleting the contents of files freed.
type PrunedArtifacts struct {
	PrunedSeries `json:",embed"`
}

func (a PrunedArtifacts) Lead() []Sentence {
	return a.lead(format.Counted(a.NContents, "different file"))
}
