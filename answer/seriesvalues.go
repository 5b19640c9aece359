package answer

import (
	"strings"

	"track"
	"track/answer/param"
	"track/scoring/format"
)

// SeriesValues holds series of one seed with all of their values.
type SeriesValues struct {
	SeedRef
	Series []track.Series
}

// SeriesPlotQuestion asks for a picture of one series of several seeds.
type SeriesPlotQuestion struct {
	Of    Selector
	Seed  track.SeedNumber // of the configuration, if none is named
	Name  string
	Seeds []track.SeedRange
}

func (q *SeriesPlotQuestion) Params() param.List {
	seed := seedParam(&q.Seed)
	seed.Help = "draw seeds of the configuration of this seed"
	return param.List{
		scenarioParam(&q.Of, "draw a series of seeds of this scenario"), seed,
		{Name: "series", Required: true, Unit: "NAME", Help: "draw this series", Value: param.Name(&q.Name)},
		seedsParam(&q.Seeds),
	}
}

// SeriesPlotted says which seeds are not in a picture of several.
type SeriesPlotted struct {
	NSeeds  int                `json:"n_seeds"`
	Without []track.SeedNumber `json:"without"` // recorded without the series
}

func (a SeriesPlotted) Lead() []Sentence {
	lead := []Sentence{{Kind: Heading, Text: "drew " + format.Counted(a.NSeeds, "seed")}}
	if text := a.Missing(); text != "" {
		lead = append(lead, Sentence{Kind: Warning, Text: text})
	}
	return lead
}

// Missing says which seeds are not in the picture; empty if all of them are.
func (a SeriesPlotted) Missing() string {
	if len(a.Without) == 0 {
		return ""
	}
	var numbers []string
	for _, n := range a.Without {
		numbers = append(numbers, n.String())
	}
	return "without this series, so not in the band: seeds " + strings.Join(numbers, ", ")
}

func (a SeriesPlotted) Tables() []Table { return nil }

// SeriesBand holds one series of several seeds of a configuration.
type SeriesBand struct {
	Scenario string
	Name     string // of the series
	Seeds    []track.SeedRange
	Values   [][]float64        // by seed
	Without  []track.SeedNumber // seeds that were recorded without the series
}
