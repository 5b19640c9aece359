package store

import (
	"crypto/sha256"
	"database/sql/driver"
	"encoding/hex"
	"slices"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"track"
)

// Two transactions that add a scenario at once take the same id, so that one of them runs again and finds the name that
// the other has added. Metrics and lineages are added so too.
const (
	findScenario      = `SELECT id FROM scenario WHERE name = $1`
	insertScenario    = `INSERT INTO scenario (id, name, created_at) VALUES ((SELECT coalesce(max(id), 0) + 1 FROM scenario), $1, $2) RETURNING id`
	findActor         = `SELECT id FROM actor WHERE name = $1`
	insertActor       = `INSERT INTO actor (name) VALUES ($1) RETURNING id`
	findMetric        = `SELECT id FROM metric WHERE name = $1`
	insertMetric      = `INSERT INTO metric (id, name) VALUES ((SELECT coalesce(max(id), 0) + 1 FROM metric), $1) RETURNING id`
	findConfiguration = `SELECT id FROM configuration WHERE hash = $1`
	insertConfig      = `
	INSERT INTO configuration (hash, label, params, commit_id, dirty, diff_hash, files_hash, state_unknown, created_at)
	VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9) RETURNING id`
	findEnvironment   = `SELECT id FROM environment WHERE hash = $1`
	insertEnvironment = `INSERT INTO environment (hash, document) VALUES ($1, $2) RETURNING id`
	listSpecMetricIDs = `
	SELECT metric.name, metric.id FROM spec_metric JOIN metric ON metric.id = spec_metric.metric_id
	 WHERE spec_metric.spec_id = $1`
)

func (t *Tx) scenarioID(name string) (int64, error) {
	return cachedID(t.ids.scenarios, name, func() (int64, error) {
		return t.upsertName("scenario", name, findScenario, insertScenario, t.now)
	})
}

// actorID returns the id of an actor; nil if it is not known who.
func (t *Tx) actorID(name string) (*int64, error) {
	if name == "" {
		return nil, nil
	}
	id, err := t.upsertName("actor", name, findActor, insertActor)
	return &id, err
}

func (t *Tx) metricID(name string) (int64, error) {
	if id, ok := t.ids.metrics[name]; ok { // asked for each value of each seed
		return id, nil
	}
	return cachedID(t.ids.metrics, name, func() (int64, error) {
		return t.upsertName("metric", name, findMetric, insertMetric)
	})
}

// namesAtOnce is how many names of metrics one statement finds or adds.
const namesAtOnce = 1000

const (
	findMetrics   = `SELECT name, id FROM metric WHERE name IN (`
	lastMetric    = `SELECT coalesce(max(id), 0) FROM metric`
	insertMetrics = `INSERT INTO metric (id, name) VALUES `
)

// learnMetrics learns the ids of metrics, and adds those that are new. One line of a batch may bring hundreds of
// thousands.
func (t *Tx) learnMetrics(names []string) error {
	slices.Sort(names) // the order of the index
	for chunk := range slices.Chunk(names, namesAtOnce) {
		if err := t.findMetrics(chunk); err != nil {
			return err
		}
		if err := t.addMetrics(chunk); err != nil {
			return err
		}
	}
	return nil
}

// findMetrics learns the ids of metrics that are there, for at most namesAtOnce names.
func (t *Tx) findMetrics(names []string) error {
	learn := func(row []driver.Value) { t.ids.metrics[asText(row[0])] = asInt(row[1]) }
	return t.stream(t.ctx, findMetrics+inList(len(names))+`)`, anys(names), learn)
}

// addMetrics adds the metrics that are not known yet.
func (t *Tx) addMetrics(names []string) error {
	args, last := t.arguments(), int64(0)
	for _, name := range names {
		if _, known := t.ids.metrics[name]; known {
			continue
		}
		if err := t.checkName("metric", name); err != nil {
			return err
		}
		if len(args.values) == 0 {
			if err := t.get(&last, lastMetric); err != nil {
				return err
			}
		}
		last++
		args.add(last, name)
		t.ids.metrics[name] = last
	}
	return t.insertRows(insertMetrics, 2, args)
}

// PreloadMetrics learns the ids of all metrics of a spec in one query.
func (t *Tx) PreloadMetrics(specID int64) error {
	var rows []struct {
		Name string `db:"name"`
		ID   int64  `db:"id"`
	}
	if err := t.selectAll(&rows, listSpecMetricIDs, specID); err != nil {
		return err
	}
	for _, row := range rows {
		t.ids.metrics[row.Name] = row.ID
	}
	return nil
}

// configurationKey tells configurations apart, faster than their hash.
func configurationKey(c track.Configuration) string {
	r := c.Revision
	return strings.Join([]string{c.Label, string(c.Params), r.Commit, strconv.FormatBool(r.Dirty), r.DiffHash, r.FilesHash, r.Unknown}, "\x00")
}

func (t *Tx) configurationID(c track.Configuration) (int64, error) {
	return cachedID(t.ids.configurations, configurationKey(c), func() (int64, error) {
		if err := t.admit(&c); err != nil {
			return 0, err
		}
		hash, r := c.Hash(), c.Revision
		return t.upsert(findConfiguration, hash, insertConfig,
			hash, nullText(c.Label), string(c.Params.JSON()), nullText(r.Commit), r.Dirty, nullText(r.DiffHash), nullText(r.FilesHash), nullText(r.Unknown),
			t.now)
	})
}

// pair is a scenario with one of its configurations.
type pair struct{ scenario, configuration int64 }

// count notes that a scenario has n more seeds of a configuration.
func (t *Tx) count(scenario, configuration, n int64) {
	p := pair{scenario, configuration}
	if _, known := t.counts[p]; !known {
		t.pairs = append(t.pairs, p)
	}
	t.counts[p] += n
}

// storeCounts stores what was counted, in the order of the first seeds.
func (t *Tx) storeCounts() error {
	for _, p := range t.pairs {
		if err := t.engine.count(t, p, t.counts[p]); err != nil {
			return err
		}
	}
	return nil
}

func (t *Tx) environmentID(e track.Environment) (int64, error) {
	given, err := environmentDocument(e)
	if err != nil {
		return 0, err
	}
	return cachedID(t.ids.environments, string(given), func() (int64, error) {
		clean, err := t.freeEnvironment(e)
		if err != nil {
			return 0, err
		}
		document, err := environmentDocument(clean)
		if err != nil {
			return 0, err
		}
		sum := sha256.Sum256(document)
		hash := hex.EncodeToString(sum[:])
		return t.upsert(findEnvironment, hash, insertEnvironment, hash, string(document))
	})
}

func environmentDocument(e track.Environment) ([]byte, error) {
	if len(e) == 0 {
		return []byte("{}"), nil
	}
	return json.Marshal(map[string]string(e), json.Deterministic(true), jsontext.AllowInvalidUTF8(true))
}
