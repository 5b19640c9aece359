package answer

import (
	"fmt"
	"strings"

	"track"
	"track/answer/param"
	"track/scoring/format"
)

// SeriesBandsQuestion asks how a series runs over the seeds of a configuration.
type SeriesBandsQuestion struct {
	Of     Selector
	Name   string // of the series; empty for the first one
	Seeds  []track.SeedRange
	Points int
}

func (q *SeriesBandsQuestion) Params() param.List {
	q.Points = 200
	return param.List{
		scenarioParam(&q.Of, "show a series of the seeds of this scenario"),
		{Name: "series", Arg: true, Unit: "NAME", Help: "show this series (default: the first one)", Value: param.Name(&q.Name)},
		seedsParam(&q.Seeds),
		{Name: "points", Unit: "N", Help: "show the values at `N` points of it", Value: param.Whole(&q.Points, 2)},
	}
}

// SeriesBands is a series over the seeds of a configuration: what most seeds do, and what each does.
type SeriesBands struct {
	Scenario      string             `json:"scenario"`
	Configuration string             `json:"configuration"` // hash
	Label         string             `json:"label,omitempty"`
	Name          string             `json:"series"` // empty if no seed has one
	Names         []string           `json:"names"`  // of all series of the seeds
	N             int                `json:"n"`      // values of the longest
	Points        []BandPoint        `json:"points"`
	Seeds         []BandSeed         `json:"seeds"`             // at most 200, by number
	NOthers       int                `json:"n_others"`          // seeds that are not among them
	Without       []track.SeedNumber `json:"without,omitempty"` // seeds that have no such series
}

// BandPoint summarises the values of all seeds at one point. Its numbers are null if no seed has a finite value there.
type BandPoint struct {
	At     int     `json:"at"` // index in the series, from 0
	N      int     `json:"n"`  // seeds with a finite value
	Low    float64 `json:"low"`
	Q1     float64 `json:"q1"` // quartiles of type 7 of Hyndman and Fan (1996)
	Median float64 `json:"median"`
	Q3     float64 `json:"q3"`
	High   float64 `json:"high"`
}

// BandSeed is the series of one seed at the points.
type BandSeed struct {
	Seed   track.SeedNumber `json:"seed"`
	Values []float64        `json:"values"` // null for none
}

func (a SeriesBands) Lead() []Sentence {
	if a.Name == "" {
		return []Sentence{{Kind: Heading, Text: a.Scenario + ": the seeds have no series"}}
	}
	text := fmt.Sprintf("%s, series %s: %s", a.Scenario, a.Name, format.Counted(len(a.Seeds), "seed"))
	lead := []Sentence{{Kind: Heading, Text: text}}
	add := func(format string, args ...any) {
		lead = append(lead, Sentence{Kind: Note, Text: fmt.Sprintf(format, args...), Joined: true})
	}
	if len(a.Points) < a.N {
		add("values at %d of %d points", len(a.Points), a.N)
	}
	if a.NOthers > 0 {
		add("%s not shown", format.Counted(a.NOthers, "other seed"))
	}
	if len(a.Without) > 0 {
		add("%s without this series", format.Counted(len(a.Without), "seed"))
	}
	if len(a.Names) > 1 {
		add("series: %s", strings.Join(a.Names, ", "))
	}
	return lead
}

func (a SeriesBands) Tables() []Table {
	t := Table{Name: "band", Empty: "no seed has a series", Columns: columns("at", "n", "low", "q1", "median", "q3", "high"), Shown: 50}
	for _, p := range a.Points {
		t.Rows = append(t.Rows, []any{p.At, p.N, shortCell(p.Low), shortCell(p.Q1), shortCell(p.Median), shortCell(p.Q3), shortCell(p.High)})
	}
	return []Table{t}
}

// shortCell returns a cell with a number in a few digits; nil for NaN.
func shortCell(x float64) any {
	if defined(x) == nil {
		return nil
	}
	return numberCell(x, format.Short)
}
