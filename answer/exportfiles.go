package answer

import (
	"fmt"

	"track"
	"track/answer/param"
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
