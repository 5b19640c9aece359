package answer

import (
	"fmt"
	"math"
	"strings"
	"time"

	"track"
	"track/answer/param"
	"track/reports/chart"
	"track/scoring/format"
	"track/scoring/stats"
)

// SeriesQuestion asks about the series of a seed.
type SeriesQuestion struct {
	Of    Selector
	Seed  track.SeedNumber
	Names []string // empty for all
	Skip  int      // values at the beginning that the check of convergence leaves out
}

func (q *SeriesQuestion) Params() param.List {
	return param.List{
		{Name: "scenario", Arg: true, Required: true, Unit: "SCENARIO[@CONFIGURATION]", Help: "show series of a seed of this scenario", Value: selectorValue(&q.Of)},
		seedParam(&q.Seed),
		{Name: "series", Arg: true, Unit: "NAME", Help: "show this series", Value: param.Texts(&q.Names)},
		{Name: "skip", Unit: "N", Help: "leave out the first `N` values in the check of convergence", Value: param.Whole(&q.Skip, 1)},
	}
}

// SeriesListQuestion asks which series a seed has.
type SeriesListQuestion struct {
	Of   Selector
	Seed track.SeedNumber
}

func (q *SeriesListQuestion) Params() param.List {
	return param.List{
		{Name: "scenario", Arg: true, Required: true, Unit: "SCENARIO[@CONFIGURATION]", Help: "list the series of a seed of this scenario", Value: selectorValue(&q.Of)},
		seedParam(&q.Seed),
	}
}

// SeedRef names one record of a seed.
type SeedRef struct {
	Scenario      string           `json:"scenario"`
	Seed          track.SeedNumber `json:"seed"`
	Configuration string           `json:"configuration"` // hash
	NOthers       int              `json:"n_other_configurations"`
}

func (r SeedRef) lead() []Sentence {
	if r.NOthers == 0 {
		return nil
	}
	return []Sentence{{Kind: Note, Text: r.Ambiguity()}}
}

// Ambiguity says under how many other configurations the seed is recorded; empty for none.
func (r SeedRef) Ambiguity() string {
	if r.NOthers == 0 {
		return ""
	}
	return fmt.Sprintf("seed %s is also recorded under %s; this is %s",
		r.Seed, format.Counted(r.NOthers, "other configuration"), Selector{r.Scenario, track.ShortHash(r.Configuration)})
}

// StoredSeries describes a series as it is stored.
type StoredSeries struct {
	Name     string    `json:"name"`
	N        int       `json:"n"`
	Bytes    int64     `json:"bytes"`
	Hash     string    `json:"hash"` // hex SHA-256, see [track.Series.Hash]
	PrunedAt time.Time `json:"pruned_at,omitzero"`
}

// SeriesList is the series of a seed.
type SeriesList struct {
	SeedRef            `json:",embed"`
	List[StoredSeries] `json:",embed"`
}

func (a SeriesList) Lead() []Sentence { return a.lead() }

func (a SeriesList) Tables() []Table {
	t := Table{Name: "series", Columns: columns("name", "n", "bytes", "hash", "pruned").drop("hash", "pruned"), Empty: noSeries(a.SeedRef.Seed)}
	for _, s := range a.Items {
		t.Rows = append(t.Rows, []any{s.Name, s.N, s.Bytes, hashCell(s.Hash), timeCell(s.PrunedAt)})
	}
	return []Table{t}
}

func noSeries(seed track.SeedNumber) string {
	return fmt.Sprintf("seed %s was recorded without series", seed)
}

// SeriesSummary is a series at a glance.
type SeriesSummary struct {
	Name    string    `json:"name"`
	N       int       `json:"n"`
	NNaN    int       `json:"n_nan"`
	Min     float64   `json:"min"` // null, like the others, if there is no number
	Mean    float64   `json:"mean_of_values"`
	Max     float64   `json:"max"`
	Last    float64   `json:"last"`
	Outline []float64 `json:"outline"` // its course in at most 40 numbers, see [series.Outline]
	// Convergence is of the finite values after the first Skip, taken to be in order of time; nil if they are too few.
	Convergence *stats.Convergence `json:"convergence"`
	SkipMore    int                `json:"skip_more"` // values to leave out besides, so that no drift is seen; -1 if half of the rest is not enough
}

// SeriesSummaries is series of a seed at a glance.
type SeriesSummaries struct {
	SeedRef             `json:",embed"`
	Skip                int `json:"skip"`
	List[SeriesSummary] `json:",embed"`
}

func (a SeriesSummaries) Lead() []Sentence { return a.lead() }

func (a SeriesSummaries) Tables() []Table {
	t := Table{Name: "series", Empty: noSeries(a.SeedRef.Seed), Columns: Columns{
		{Name: "name", Head: "series"}, {Name: "n"}, {Name: "n_nan", Head: "NaN"}, {Name: "min"}, {Name: "mean_of_values", Head: "mean"}, {Name: "max"}, {Name: "last"},
		{Name: "ess", Head: "ESS"}, {Name: "mcse", Head: "MCSE"}, {Name: "drift"}, {Name: "z", For: ForData}, {Name: "p", For: ForData},
		{Name: "outline", Head: "over time", For: ForPeople},
	}.drop("outline", "last", "n_nan")}
	for _, s := range a.Items {
		row := []any{s.Name, s.N, s.NNaN, defined(s.Min), defined(s.Mean), defined(s.Max), defined(s.Last)}
		if c := s.Convergence; c != nil {
			row = append(row, numberCell(c.ESS, essText), numberCell(c.MCSE, format.Short), string(c.Verdict), defined(c.Z), defined(c.P))
			switch c.Verdict {
			case stats.TooShort:
				t.Notes = append(t.Notes, Sentence{Kind: Note, Joined: len(t.Notes) > 0, Text: s.Name + ": too short for its autocorrelation to tell whether the mean drifts"})
			case stats.Drifts:
				t.Notes = append(t.Notes, Sentence{Kind: Warning, Text: driftText(s.Name, a.Skip, c.Drift) + skipText(s.SkipMore)})
			}
		} else {
			row = append(row, nil, nil, nil, nil, nil)
		}
		t.Rows = append(t.Rows, append(row, chart.Sparkline(s.Outline, 0)))
	}
	if len(a.Items) > 0 {
		t.Notes = append(t.Notes, Sentence{Kind: Note, Joined: len(t.Notes) > 0, Text: "ESS: effective sample size of the mean; MCSE: its Monte Carlo standard error; drift: the beginning against the second half (Geweke); for series over time"})
	}
	return []Table{t}
}

func essText(x float64) string {
	if math.IsNaN(x) {
		return "-"
	}
	return format.Fixed(x, 0)
}

// driftText says that a mean over time, after skip values, depends on where it begins.
func driftText(series string, skip int, d stats.Drift) string {
	return fmt.Sprintf("mean over t = %d … of %s drifts: %s %s, second half %s, z = %s, p %s",
		skip, series, d.Part, format.Short(d.Early), format.Short(d.Late), format.Fixed(d.Z, 1), format.PValue(d.P))
}

// skipText says how many values more to leave out.
func skipText(more int) string {
	if more <= 0 {
		return "; no skip up to half of it helps"
	}
	return fmt.Sprintf("; skip %d more", more)
}

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

// SeriesValues holds series of one seed with all of their values.
type SeriesValues struct {
	SeedRef
	Series []track.Series
}
