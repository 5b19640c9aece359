package answer

import "track"

// SeriesValues holds series of one seed with all of their values.
type SeriesValues struct {
	SeedRef
	Series []track.Series
}

// SeriesBand holds one series of several seeds of a configuration.
type SeriesBand struct {
	Scenario string
	Name     string // of the series
	Seeds    []track.SeedRange
	Values   [][]float64        // by seed
	Without  []track.SeedNumber // seeds that were recorded without the series
}
