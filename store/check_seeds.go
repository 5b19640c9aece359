package store

import (
	"bytes"
	"context"
	"crypto/sha256"
	"database/sql/driver"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"math"
	"slices"
	"strings"

	"track"
)

// Damage is a record that is not as it was stored.
type Damage struct {
	Table   string
	Problem string // the same for all records that are damaged alike
	Record  string // which one
}

// CheckCounts counts what a check has read.
type CheckCounts struct{ Seeds, Values, Assessments, Results int }

const listCheckedSeeds = `
	SELECT seed.id, scenario.name, ` + seedChecked + `
	  FROM seed LEFT JOIN scenario ON scenario.id = seed.scenario_id WHERE seed.id > $1 ORDER BY seed.id LIMIT 5000`

const listCheckedSeries = `
	SELECT seed_series.seed_id, series_name.name, series_content.hash
	  FROM seed_series ORDERED JOIN series_name ON series_name.id = seed_series.name_id ORDERED JOIN series_content ON series_content.id = seed_series.content_id
	 WHERE seed_series.seed_id BETWEEN $1 AND $2 ORDER BY seed_series.seed_id, series_name.name`

// checkedSeed is a seed whose values are compared with its digest.
type checkedSeed struct {
	id        int64
	name      func() string
	outcome   string
	digest    []byte // nil while it runs
	series    []byte // name, zero and hash of each of its series
	artifacts []byte // what each of its artifacts adds to the digest
}

// seedCheck compares seeds with their values, both in the order of the rows of seeds.
type seedCheck struct {
	*Reader
	ctx     context.Context
	found   func(Damage)
	done    func(CheckCounts)
	counts  CheckCounts
	metrics map[int64]string
	page    []checkedSeed // the seeds that follow
	last    int64         // the last seed of all pages so far
	ended   bool

	seed   int64 // whose values were gathered
	ids    []int64
	values []float64
	order  digestOrder
	buffer []byte
}

// CheckSeeds compares the values of every seed with its digest. done is called now and then.
func (r *Reader) CheckSeeds(ctx context.Context, found func(Damage), done func(CheckCounts)) (CheckCounts, error) {
	c := &seedCheck{Reader: r, ctx: ctx, found: found, done: done, metrics: map[int64]string{}}
	err := r.stream(ctx, listMetrics, nil, func(row []driver.Value) { c.metrics[asInt(row[0])] = asText(row[1]) })
	if err == nil {
		err = r.pool.engine.scanTable(ctx, r, "value", found, c.value)
	}
	if err == nil {
		err = c.finish()
	}
	for err == nil && !c.ended {
		err = c.pass(math.MaxInt64)
	}
	return c.counts, explain(err)
}

// value takes a row of values.
func (c *seedCheck) value(row packedRow) error {
	seed, metric := row.integer(), row.integer()
	value, _ := row.number()
	if seed != c.seed {
		if err := c.finish(); err != nil {
			return err
		}
		c.seed, c.ids, c.values = seed, c.ids[:0], c.values[:0]
	}
	c.counts.Values++
	c.ids, c.values = append(c.ids, metric), append(c.values, value)
	return nil
}

// finish compares the gathered values with the digest of their seed.
func (c *seedCheck) finish() error {
	if len(c.ids) == 0 {
		return nil
	}
	if err := c.pass(c.seed); err != nil {
		return err
	}
	if len(c.page) == 0 || c.page[0].id != c.seed {
		c.found(Damage{"value", "its seed does not exist", fmt.Sprintf("row %d of seed", c.seed)})
		return nil
	}
	c.compare(&c.page[0], c.ids, c.values)
	c.page = c.page[1:]
	return nil
}

// pass compares the seeds before a row: they have no values. It leaves the page at that row, or reads the next page.
func (c *seedCheck) pass(row int64) error {
	for {
		for len(c.page) > 0 && c.page[0].id < row {
			c.compare(&c.page[0], nil, nil)
			c.page = c.page[1:]
		}
		if len(c.page) > 0 || c.ended {
			return nil
		}
		if err := c.readPage(); err != nil {
			return err
		}
	}
}

func (c *seedCheck) readPage() error {
	err := c.stream(c.ctx, listCheckedSeeds, []any{c.last}, func(row []driver.Value) {
		ulid, number, scenario := asText(row[2]), track.SeedNumber(asInt(row[5])), asText(row[1])
		name := func() string { return fmt.Sprintf("seed %s of %s (%s)", number, scenario, ulid) }
		s := checkedSeed{id: asInt(row[0]), name: name, outcome: asText(row[6])}
		if !isSound(row[2:]) {
			c.found(Damage{"seed", "its row differs from its checksum", name()})
		}
		if digest, ok := row[8].([]byte); ok {
			s.digest = bytes.Clone(digest)
		}
		c.page = append(c.page, s)
	})
	if c.ended = len(c.page) == 0; err != nil || c.ended {
		return err
	}
	first, i := c.page[0].id, 0
	c.last = c.page[len(c.page)-1].id
	err = c.stream(c.ctx, listCheckedSeries, []any{first, c.last}, func(row []driver.Value) {
		for i < len(c.page)-1 && c.page[i].id < asInt(row[0]) {
			i++
		}
		hash := asDigest(row[2])
		c.page[i].series = append(append(append(c.page[i].series, asText(row[1])...), 0), hash[:]...)
	})
	if err != nil {
		return err
	}
	i = 0
	err = c.stream(c.ctx, listCheckedArtifacts, []any{first, c.last}, func(row []driver.Value) {
		for i < len(c.page)-1 && c.page[i].id < asInt(row[0]) {
			i++
		}
		c.page[i].artifacts = appendArtifactDigest(c.page[i].artifacts, row[1:])
	})
	c.done(c.counts)
	return err
}

// compare compares what a seed measured with its digest.
func (c *seedCheck) compare(s *checkedSeed, ids []int64, values []float64) {
	c.counts.Seeds++
	if s.outcome == "" && s.digest == nil && len(ids) == 0 {
		return
	}
	if s.outcome == "" || len(s.digest) != sha256.Size {
		c.found(Damage{"seed", "its outcome, values and digest are not all there", s.name()})
		return
	}
	if unknown, ok := c.order.sort(ids, c.metrics); !ok {
		c.found(Damage{"value", "its metric does not exist", fmt.Sprintf("metric %d, %s", unknown, s.name())})
		return
	}
	c.buffer = append(append(c.buffer[:0], s.outcome...), 0)
	for i, at := range c.order.positions {
		c.buffer = append(append(c.buffer, c.order.names[i]...), 0)
		value := values[at]
		if math.IsNaN(value) {
			value = math.NaN()
		}
		c.buffer = binary.BigEndian.AppendUint64(c.buffer, math.Float64bits(value))
	}
	if len(s.series) > 0 {
		c.buffer = append(append(c.buffer, 0), s.series...)
	}
	if len(s.artifacts) > 0 {
		c.buffer = append(append(c.buffer, 1), s.artifacts...)
	}
	if sum := sha256.Sum256(c.buffer); !bytes.Equal(sum[:], s.digest) {
		c.found(Damage{"seed", "its outcome, values, series or files differ from its digest", s.name() + ": digest " + hex.EncodeToString(s.digest[:5])})
	}
}

// digestOrder is the order in which the values of a seed enter its digest: by the names of their metrics. Most seeds
// have the metrics of the seed before.
type digestOrder struct {
	ids       []int64
	positions []int    // of the values
	names     []string // of their metrics
}

// sort orders values by the names of metrics. It returns false, and the id, if a metric has no name.
func (o *digestOrder) sort(ids []int64, metrics map[int64]string) (unknown int64, ok bool) {
	if slices.Equal(o.ids, ids) && len(o.positions) == len(ids) {
		return 0, true
	}
	o.ids = append(o.ids[:0], ids...)
	o.positions, o.names = o.positions[:0], o.names[:0]
	for i, id := range ids {
		if metrics[id] == "" {
			o.ids, o.positions, o.names = nil, nil, nil
			return id, false
		}
		o.positions = append(o.positions, i)
	}
	slices.SortFunc(o.positions, func(a, b int) int { return strings.Compare(metrics[ids[a]], metrics[ids[b]]) })
	for _, at := range o.positions {
		o.names = append(o.names, metrics[ids[at]])
	}
	return 0, true
}
