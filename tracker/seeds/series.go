package seeds

import (
	"cmp"
	"context"
	"crypto/sha256"
	"fmt"
	"math"
	"slices"
	"strings"

	"track"
	"track/answer"
	"track/internal/admission"
	"track/scoring"
	"track/scoring/stats"
	"track/series"
	"track/store"
)

// Prepared is a seed with what can be computed before a transaction.
type Prepared struct {
	track.Seed
	digest [sha256.Size]byte
	series []store.EncodedSeries
}

// Prepare masks the free text of a seed, and computes what can be computed before a transaction. An error is about a
// name that the rules refuse.
func Prepare(seed track.Seed, rules *admission.Rules) (Prepared, error) {
	if _, problem := rules.Admit(&seed); problem != nil {
		return Prepared{}, problem
	}
	p := Prepared{Seed: seed, digest: seed.Digest()}
	for _, s := range seed.Series {
		encoded := store.EncodedSeries{Name: s.Name, Hash: s.Hash(), N: len(s.Values)}
		for _, chunk := range series.Encode(s.Values) {
			encoded.Chunks = append(encoded.Chunks, store.SeriesChunk(chunk))
		}
		p.series = append(p.series, encoded)
	}
	return p, nil
}

// source returns a function that finds the series of the seed by name; nil if the seed has none.
func (p Prepared) source() func(name string) ([]float64, bool) {
	if len(p.Series) == 0 {
		return nil
	}
	return func(name string) ([]float64, bool) {
		for _, s := range p.Series {
			if s.Name == name {
				return s.Values, true
			}
		}
		return nil, false
	}
}

// loadSeries returns one series of the seed with this ULID. It returns [track.ErrNotFound] if the seed has no series of
// that name or it was pruned.
func loadSeries(ctx context.Context, st *store.Reader, ulid, name string) ([]float64, error) {
	list, err := st.Series(ctx, ulid)
	if err != nil {
		return nil, err
	}
	var names []string
	for _, info := range list {
		if info.Name != name {
			names = append(names, info.Name)
			continue
		}
		if !info.PrunedAt.IsZero() {
			return nil, fmt.Errorf("series %s: %w: its numbers were pruned on %s", name, track.ErrNotFound, info.PrunedAt.Format("2006-01-02"))
		}
		return decodeSeries(ctx, st, ulid, info)
	}
	err = fmt.Errorf("series %s: %w", name, track.ErrNotFound)
	if len(names) == 0 {
		return nil, track.WithHint(err, track.Hint{Text: "the seed was recorded without series"})
	}
	err = didYouMean(err, name, names)
	return nil, track.WithHint(err, track.Hint{Text: "the series of the seed are: " + strings.Join(names, ", ")})
}

func decodeSeries(ctx context.Context, st *store.Reader, ulid string, info store.SeriesInfo) ([]float64, error) {
	chunks, err := st.SeriesChunks(ctx, ulid, info.Name)
	if err != nil {
		return nil, err
	}
	values := make([]float64, 0, info.N)
	for i, chunk := range chunks {
		if values, err = series.AppendDecoded(values, series.Chunk(chunk)); err != nil {
			return nil, fmt.Errorf("series %s, chunk %d: %w: %w", info.Name, i, track.ErrDamaged, err)
		}
	}
	if len(values) != info.N {
		return nil, fmt.Errorf("series %s: %w: only %d of its %d numbers are stored", info.Name, track.ErrDamaged, len(values), info.N)
	}
	return values, nil
}

// storedSeries finds the series of a stored seed, and remembers what it has read.
type storedSeries struct {
	store *store.Reader
	ulid  string
	infos map[string]store.SeriesInfo // nil until something is asked for
	read  map[string][]float64
	err   error // the first error but ErrNotFound
}

func (s *storedSeries) find(ctx context.Context, name string) ([]float64, bool) {
	if values, ok := s.read[name]; ok {
		return values, true
	}
	if s.infos == nil && s.err == nil {
		s.infos, s.read = map[string]store.SeriesInfo{}, map[string][]float64{}
		var list []store.SeriesInfo
		list, s.err = s.store.Series(ctx, s.ulid)
		for _, info := range list {
			s.infos[info.Name] = info
		}
	}
	info, ok := s.infos[name]
	if !ok || s.err != nil || !info.PrunedAt.IsZero() {
		return nil, false
	}
	values, err := decodeSeries(ctx, s.store, s.ulid, info)
	if err != nil {
		s.err = err
		return nil, false
	}
	s.read[name] = values
	return values, true
}

// describeContradictions names the given values that the series contradict, as a field and a message.
func describeContradictions(list []scoring.Contradiction) *track.FieldError {
	c := list[0]
	message := fmt.Sprintf("given as %v, but the series say %v", c.Given, c.Computed)
	if len(list) > 1 {
		message += fmt.Sprintf(" (and %d more values differ)", len(list)-1)
	}
	return &track.FieldError{Field: "values." + c.Metric, Message: message}
}

// ListSeries lists the series of a seed.
func ListSeries(ctx context.Context, r *store.Reader, q answer.SeriesListQuestion) (a answer.SeriesList, err error) {
	seed, ref, err := findSeedRef(ctx, r, q.Of, q.Seed)
	if err != nil {
		return a, err
	}
	a.SeedRef, a.Items = ref, []answer.StoredSeries{}
	infos, err := r.Series(ctx, seed.ID)
	for _, info := range infos {
		a.Items = append(a.Items, answer.StoredSeries{Name: info.Name, N: info.N, Bytes: info.Bytes, Hash: info.Hash, PrunedAt: info.PrunedAt})
	}
	return a, err
}

// SummarizeSeries summarizes series of a seed.
func SummarizeSeries(ctx context.Context, r *store.Reader, q answer.SeriesQuestion) (a answer.SeriesSummaries, err error) {
	seed, ref, err := findSeedRef(ctx, r, q.Of, q.Seed)
	if err != nil {
		return a, err
	}
	list, err := loadAllSeries(ctx, r, seed.ID, q.Names)
	a.SeedRef, a.Items, a.Skip = ref, []answer.SeriesSummary{}, q.Skip
	for _, s := range list {
		sum := series.Summarize(s.Values)
		item := answer.SeriesSummary{Name: s.Name, N: sum.N, NNaN: sum.NNaN, Min: sum.Min, Mean: sum.Mean, Max: sum.Max, Last: sum.Last, Outline: series.Outline(s.Values, 40)}
		if sum.N == sum.NNaN {
			item.Min, item.Mean, item.Max = math.NaN(), math.NaN(), math.NaN()
		}
		if sum.N == 0 {
			item.Last = math.NaN()
		}
		if xs := finiteAfter(s.Values, q.Skip); len(xs) > 0 {
			if c, err := stats.NewConvergence(xs); err == nil { // else there are too few, or their squares overflow
				item.Convergence, item.SkipMore = &c, stats.SkipFor(xs)
			}
		}
		a.Items = append(a.Items, item)
	}
	return a, err
}

func findSeedRef(ctx context.Context, r *store.Reader, of answer.Selector, number track.SeedNumber) (track.RecordedSeed, answer.SeedRef, error) {
	seed, others, err := findSeed(ctx, r, of, number)
	return seed, answer.SeedRef{Scenario: seed.Scenario, Seed: seed.Number, Configuration: seed.Configuration.Hash, NOthers: len(others)}, err
}

// loadAllSeries returns the series of the seed with this ULID that have these names, or all of them if none is named.
func loadAllSeries(ctx context.Context, r *store.Reader, ulid string, names []string) ([]track.Series, error) {
	if len(names) == 0 {
		infos, err := r.Series(ctx, ulid)
		if err != nil {
			return nil, err
		}
		for _, info := range infos {
			names = append(names, info.Name)
		}
	}
	var list []track.Series
	for _, name := range names {
		values, err := loadSeries(ctx, r, ulid, name)
		if err != nil {
			return nil, err
		}
		list = append(list, track.Series{Name: name, Values: values})
	}
	return list, nil
}

// bandSeeds is the largest number of seeds in a band: each is a line of its own.
const bandSeeds = 200

// ShowSeriesBands returns a series over the seeds of a configuration.
func ShowSeriesBands(ctx context.Context, r *store.Reader, q answer.SeriesBandsQuestion) (a answer.SeriesBands, err error) {
	choice, err := Choose(ctx, r, q.Of, false)
	if err != nil {
		return a, err
	}
	c := choice.Configurations[0]
	a = answer.SeriesBands{Scenario: q.Of.Scenario, Configuration: c.Hash, Label: c.Label, Name: q.Name, Names: []string{}, Points: []answer.BandPoint{}, Seeds: []answer.BandSeed{}}
	list, err := r.SeedIDs(ctx, store.Selection{Scenario: q.Of.Scenario, Configurations: []int64{c.ID}, Seeds: q.Seeds})
	if err != nil {
		return a, err
	}
	slices.SortFunc(list, func(x, y track.RecordedSeed) int { return cmp.Compare(x.Number, y.Number) })
	if len(list) > bandSeeds {
		a.NOthers, list = len(list)-bandSeeds, list[:bandSeeds]
	}
	values, err := bandValues(ctx, r, list, &a)
	if err != nil {
		return a, err
	}
	fillBand(&a, values, q.Points)
	return a, nil
}

// bandValues reads the series of the seeds, and notes their names, and which seeds have none.
func bandValues(ctx context.Context, r *store.Reader, list []track.RecordedSeed, a *answer.SeriesBands) (values [][]float64, err error) {
	for _, seed := range list {
		infos, err := r.Series(ctx, seed.ID)
		if err != nil {
			return nil, err
		}
		found := false
		for _, info := range infos {
			if !slices.Contains(a.Names, info.Name) {
				a.Names = append(a.Names, info.Name)
			}
			if a.Name == "" {
				a.Name = info.Name
			}
			if info.Name != a.Name || !info.PrunedAt.IsZero() {
				continue
			}
			decoded, err := decodeSeries(ctx, r, seed.ID, info)
			if err != nil {
				return nil, err
			}
			found = true
			values, a.N = append(values, decoded), max(a.N, len(decoded))
			a.Seeds = append(a.Seeds, answer.BandSeed{Seed: seed.Number})
		}
		if !found {
			a.Without = append(a.Without, seed.Number)
		}
	}
	slices.Sort(a.Names)
	if len(values) == 0 && a.Name != "" && !slices.Contains(a.Names, a.Name) {
		return nil, didYouMean(fmt.Errorf("series %s: %w", a.Name, track.ErrNotFound), a.Name, a.Names)
	}
	return values, nil
}

// fillBand fills in the values at some points, evenly spaced, and what they have in common.
func fillBand(a *answer.SeriesBands, values [][]float64, points int) {
	points = min(points, a.N)
	for k := range points {
		at := 0
		if points > 1 {
			at = k * (a.N - 1) / (points - 1)
		}
		var there []float64
		for i, series := range values {
			value := math.NaN()
			if at < len(series) {
				value = series[at]
			}
			a.Seeds[i].Values = append(a.Seeds[i].Values, value)
			if !math.IsNaN(value) && !math.IsInf(value, 0) {
				there = append(there, value)
			}
		}
		slices.Sort(there)
		a.Points = append(a.Points, answer.BandPoint{
			At: at, N: len(there), Low: quantile(there, 0), Q1: quantile(there, 0.25), Median: quantile(there, 0.5), Q3: quantile(there, 0.75), High: quantile(there, 1),
		})
	}
}

// quantile interpolates between order statistics (type 7 of Hyndman and Fan 1996); NaN for none.
func quantile(sorted []float64, q float64) float64 {
	if len(sorted) == 0 {
		return math.NaN()
	}
	position := float64(q * float64(len(sorted)-1))
	i := int(position)
	t := position - float64(i)
	if t == 0 {
		return sorted[i]
	}
	return max(sorted[i], min(sorted[i+1], float64(sorted[i]*(1-t))+float64(sorted[i+1]*t)))
}

// LoadSeriesValues returns the series of a seed with all of their values.
func LoadSeriesValues(ctx context.Context, r *store.Reader, q answer.SeriesQuestion) (v answer.SeriesValues, err error) {
	seed, ref, err := findSeedRef(ctx, r, q.Of, q.Seed)
	if err != nil {
		return v, err
	}
	v.SeedRef = ref
	v.Series, err = loadAllSeries(ctx, r, seed.ID, q.Names)
	return v, err
}
