package seeds

import (
	"context"
	"crypto/sha256"
	"fmt"
	"strings"

	"track"
	"track/scoring"
	"track/series"
	"track/store"
)

// Prepared is a seed with what can be computed before a transaction.
type Prepared struct {
	track.Seed
	digest [sha256.Size]byte
	series []store.EncodedSeries
}

func Prepare(seed track.Seed) Prepared {
	p := Prepared{Seed: seed, digest: seed.Digest()}
	for _, s := range seed.Series {
		encoded := store.EncodedSeries{Name: s.Name, Hash: s.Hash(), N: len(s.Values)}
		for _, chunk := range series.Encode(s.Values) {
			encoded.Chunks = append(encoded.Chunks, store.SeriesChunk(chunk))
		}
		p.series = append(p.series, encoded)
	}
	return p
}

// source finds the series of the seed by name; nil where it has none.
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

// LoadSeries returns one series of the seed with this ULID. Its error wraps [track.ErrNotFound] where the seed has none of that
// name, or it was pruned.
func LoadSeries(ctx context.Context, st *store.Reader, ulid, name string) ([]float64, error) {
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
			return nil, fmt.Errorf("series %s, chunk %d: %w: %w", info.Name, i, track.ErrDatabase, err)
		}
	}
	if len(values) != info.N {
		return nil, fmt.Errorf("series %s: %w: %d of its %d numbers are there", info.Name, track.ErrDatabase, len(values), info.N)
	}
	return values, nil
}

// storedSeries finds the series of a stored seed, and remembers what it has read.
type storedSeries struct {
	ctx   context.Context
	store *store.Reader
	ulid  string
	infos map[string]store.SeriesInfo // nil until something is asked for
	read  map[string][]float64
	err   error // the first error but ErrNotFound
}

func (s *storedSeries) find(name string) ([]float64, bool) {
	if values, ok := s.read[name]; ok {
		return values, true
	}
	if s.infos == nil && s.err == nil {
		s.infos, s.read = map[string]store.SeriesInfo{}, map[string][]float64{}
		var list []store.SeriesInfo
		list, s.err = s.store.Series(s.ctx, s.ulid)
		for _, info := range list {
			s.infos[info.Name] = info
		}
	}
	info, ok := s.infos[name]
	if !ok || s.err != nil || !info.PrunedAt.IsZero() {
		return nil, false
	}
	values, err := decodeSeries(s.ctx, s.store, s.ulid, info)
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
