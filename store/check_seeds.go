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
	SELECT seed.id, scenario.name, packed_value.numbers, ` + seedChecked + `
	  FROM seed LEFT JOIN scenario ON scenario.id = seed.scenario_id LEFT JOIN packed_value ON packed_value.seed_id = seed.id
	 WHERE seed.id > $1 ORDER BY seed.id LIMIT 1000`

const listOrphanValues = `SELECT seed_id FROM packed_value WHERE seed_id NOT IN (SELECT id FROM seed) ORDER BY seed_id`

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
	numbers   string // its values
	series    []byte // name, zero and hash of each of its series
	artifacts []byte // what each of its artifacts adds to the digest
}

// seedCheck compares seeds with their values.
type seedCheck struct {
	*Reader
	ctx     context.Context
	found   func(Damage)
	counts  CheckCounts
	metrics map[int64]string

	ids    []int64 // of the values of a seed
	values []float64
	order  digestOrder
	buffer []byte
}

// CheckSeeds compares the values of every seed with its digest. done is called now and then.
func (r *Reader) CheckSeeds(ctx context.Context, found func(Damage), done func(CheckCounts)) (CheckCounts, error) {
	c := &seedCheck{Reader: r, ctx: ctx, found: found, metrics: map[int64]string{}}
	err := r.stream(ctx, listMetrics, nil, func(row []driver.Value) { c.metrics[asInt(row[0])] = asText(row[1]) })
	for last := int64(math.MinInt64); err == nil; {
		var page []checkedSeed
		if page, err = c.readPage(last); err != nil || len(page) == 0 {
			break
		}
		for i := range page {
			c.check(&page[i])
		}
		last = page[len(page)-1].id
		done(c.counts)
	}
	if err == nil {
		err = r.stream(ctx, listOrphanValues, nil, func(row []driver.Value) {
			found(Damage{"packed_value", "its seed does not exist", fmt.Sprintf("row %d of seed", asInt(row[0]))})
		})
	}
	return c.counts, explain(err)
}

// check compares a seed with its values.
func (c *seedCheck) check(s *checkedSeed) {
	c.ids, c.values = c.ids[:0], c.values[:0]
	if s.numbers != "" {
		err := eachValue(s.numbers, func(metric int64, value float64) { c.ids, c.values = append(c.ids, metric), append(c.values, value) })
		if err != nil {
			c.found(Damage{"packed_value", "it cannot be decoded", s.name()})
		}
	}
	c.counts.Values += len(c.ids)
	c.compare(s, c.ids, c.values)
}

// readPage reads the seeds behind a row.
func (c *seedCheck) readPage(after int64) (page []checkedSeed, err error) {
	err = c.stream(c.ctx, listCheckedSeeds, []any{after}, func(row []driver.Value) {
		numbers, checked := asText(row[2]), row[3:]
		ulid, number, scenario := asText(checked[0]), track.SeedNumber(asInt(checked[3])), asText(row[1])
		name := func() string { return fmt.Sprintf("seed %s of %s (%s)", number, scenario, ulid) }
		s := checkedSeed{id: asInt(row[0]), name: name, outcome: asText(checked[4]), numbers: numbers}
		if !isSound(checked) {
			c.found(Damage{"seed", "its row differs from its checksum", name()})
		}
		s.digest, _ = checked[6].([]byte)
		page = append(page, s)
	})
	if err != nil || len(page) == 0 {
		return nil, err
	}
	first, last, i := page[0].id, page[len(page)-1].id, 0
	err = c.stream(c.ctx, listCheckedSeries, []any{first, last}, func(row []driver.Value) {
		for i < len(page)-1 && page[i].id < asInt(row[0]) {
			i++
		}
		hash := asDigest(row[2])
		page[i].series = append(append(append(page[i].series, asText(row[1])...), 0), hash[:]...)
	})
	if err != nil {
		return nil, err
	}
	i = 0
	err = c.stream(c.ctx, listCheckedArtifacts, []any{first, last}, func(row []driver.Value) {
		for i < len(page)-1 && page[i].id < asInt(row[0]) {
			i++
		}
		page[i].artifacts = appendArtifactDigest(page[i].artifacts, row[1:])
	})
	return page, err
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
		c.found(Damage{"packed_value", "its metric does not exist", fmt.Sprintf("metric %d, %s", unknown, s.name())})
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
