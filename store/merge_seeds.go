package store

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"track"
)

// What a record of the other database is to this one.
const (
	mergeNew      = 0 // nothing stands in its place
	mergeKnown    = 1 // it is here
	mergeConflict = 2 // another stands in its place
	mergeReplaces = 3 // it takes the place of what is here, as it did there
	mergeBygone   = 5 // the same was recorded here, and is replaced since
	mergeEarlier  = 4 // the same was recorded here too, and later: the record that was first counts, in whatever order databases are merged
)

var errDamagedRows = errors.New("it refers to what it does not hold")

const (
	hasSeedSeries = `SELECT EXISTS (SELECT 1 FROM other.seed_series)`
	hasRuns       = `SELECT EXISTS (SELECT 1 FROM other.run) OR EXISTS (SELECT 1 FROM other.repetition)`
	// A seed of the same id is the same seed. Without one, the place that it would take decides: its scenario, configuration and number.
	classifySeeds = `
	INSERT INTO temp.merge_seed (o, h, c, class)
	SELECT o.id, k.id, c.id,
	       CASE WHEN k.id IS NOT NULL THEN CASE WHEN k.digest = o.digest THEN 1 ELSE 2 END
	            WHEN o.superseded_at IS NOT NULL OR c.id IS NULL THEN 0
	            WHEN c.digest <> o.digest THEN CASE WHEN EXISTS (SELECT 1 FROM other.seed AS s WHERE s.ulid = c.ulid AND s.superseded_at IS NOT NULL) THEN 3 ELSE 2 END
	            WHEN (o.recorded_at, o.ulid) < (c.recorded_at, c.ulid) THEN 4
	            ELSE 1 END
	  FROM other.seed AS o
	 CROSS JOIN temp.merge_scenario AS ms ON ms.o = o.scenario_id
	  LEFT JOIN temp.merge_configuration AS mc ON mc.o = o.configuration_id
	  LEFT JOIN main.seed AS k ON k.ulid = o.ulid
	  LEFT JOIN main.seed AS c ON c.scenario_id = ms.h AND c.configuration_id = mc.h AND c.number = o.number
	        AND c.superseded_at IS NULL AND o.superseded_at IS NULL
	 WHERE o.id > ? AND o.id <= ?`
	sameSeeds = `UPDATE temp.merge_seed SET h = coalesce(h, c) WHERE class IN (1, 4)`
	// What was replaced on one side stays replaced, wherever else the same was measured; replaced by each other, they are a conflict.
	learnSupersededHere = `
	INSERT OR IGNORE INTO temp.merge_superseded_here (scenario_id, configuration_id, number, digest)
	SELECT scenario_id, configuration_id, number, digest FROM main.seed WHERE superseded_at IS NOT NULL AND scenario_id IN (SELECT h FROM temp.merge_scenario)`
	learnSupersededThere = `
	INSERT OR IGNORE INTO temp.merge_superseded_there (scenario_id, configuration_id, number, digest)
	SELECT ms.h, mc.h, o.number, o.digest FROM other.seed AS o
	  JOIN temp.merge_scenario AS ms ON ms.o = o.scenario_id JOIN temp.merge_configuration AS mc ON mc.o = o.configuration_id
	 WHERE o.superseded_at IS NOT NULL AND ms.h IS NOT NULL AND mc.h IS NOT NULL`
	settleSuperseded = `
	UPDATE temp.merge_seed SET class = settled.class
	  FROM (SELECT m.o, CASE WHEN replaced_here AND NOT replaced_there THEN 5 WHEN replaced_there AND NOT replaced_here THEN 3 ELSE 2 END AS class
	          FROM (SELECT m.o,
	                       EXISTS (SELECT 1 FROM temp.merge_superseded_here AS s WHERE s.scenario_id = c.scenario_id AND s.configuration_id = c.configuration_id
	                                  AND s.number = c.number AND s.digest = o.digest) AS replaced_here,
	                       EXISTS (SELECT 1 FROM temp.merge_superseded_there AS s WHERE s.scenario_id = c.scenario_id AND s.configuration_id = c.configuration_id
	                                  AND s.number = c.number AND s.digest = c.digest) AS replaced_there
	                  FROM temp.merge_seed AS m CROSS JOIN other.seed AS o ON o.id = m.o CROSS JOIN main.seed AS c ON c.id = m.c
	                 WHERE m.class IN (2, 3) AND m.h IS NULL) AS m) AS settled
	 WHERE settled.o = merge_seed.o`
	countSeedClass  = `SELECT count(*) FROM temp.merge_seed WHERE class = ?`
	supersedeMerged = `
	UPDATE main.seed AS h SET superseded_at = coalesce(
	       (SELECT s.superseded_at FROM other.seed AS s WHERE s.ulid = h.ulid), (SELECT o.recorded_at FROM other.seed AS o WHERE o.id = m.o))
	  FROM temp.merge_seed AS m WHERE m.class = 3 AND h.id = m.c`
	pickFresh    = `INSERT INTO temp.merge_fresh (o) SELECT o FROM temp.merge_seed WHERE class IN (0, 3) ORDER BY o`
	countFresh   = `SELECT count(*) FROM temp.merge_fresh`
	lastSeedHere = `SELECT coalesce(max(id), 0) FROM main.seed`
	freshIDs     = `UPDATE temp.merge_seed SET h = ? + f.n FROM temp.merge_fresh AS f WHERE f.o = merge_seed.o`
	insertSeeds  = `
	INSERT INTO main.seed (id, ulid, scenario_id, configuration_id, number, outcome, message, digest, environment_id, started_at, duration_us, recorded_at, superseded_at)
	SELECT ? + f.n, o.ulid, (SELECT m.h FROM temp.merge_scenario AS m WHERE m.o = o.scenario_id), (SELECT m.h FROM temp.merge_configuration AS m WHERE m.o = o.configuration_id),
	       o.number, o.outcome, o.message, o.digest, (SELECT m.h FROM temp.merge_environment AS m WHERE m.o = o.environment_id),
	       o.started_at, o.duration_us, o.recorded_at, o.superseded_at
	  FROM temp.merge_fresh AS f CROSS JOIN other.seed AS o ON o.id = f.o`
	insertPairs = `
	INSERT INTO main.scenario_configuration (scenario_id, configuration_id)
	SELECT seed.scenario_id, seed.configuration_id FROM main.seed WHERE seed.id > ? GROUP BY +seed.scenario_id, +seed.configuration_id ORDER BY min(seed.id)
	    ON CONFLICT (scenario_id, configuration_id) DO NOTHING`
	countUnjudged = `
	SELECT scenario.name, count(*) AS n
	  FROM temp.merge_fresh AS f CROSS JOIN main.seed ON seed.id = ? + f.n
	 CROSS JOIN temp.merge_newest AS newest ON newest.scenario_id = seed.scenario_id
	 CROSS JOIN main.scenario ON scenario.id = seed.scenario_id
	 WHERE seed.outcome = 'ok' AND seed.superseded_at IS NULL
	   AND NOT EXISTS (SELECT 1 FROM main.assessment AS a WHERE a.seed_id = seed.id AND a.spec_id = newest.spec_id)
	 GROUP BY scenario.name`
)

// copied is a table whose rows belong to a seed.
type copied struct {
	table        string
	spec, metric bool // it has these ids, besides that of the seed
	columns      string
}

func copiedTables() []copied {
	return []copied{
		{"value", false, true, "value"},
		{"assessment", true, false, "total_score, n_pass, n_warn, n_fail, assessed_at"},
		{"result", true, true, "status, score"},
		{"computed_value", true, true, "value, reason"},
	}
}

// shortcuts are what makes copying the rows of a chunk cheap: they lie in one range, and ids are the same on both sides.
type shortcuts struct{ ranged, sameSpecs, sameMetrics bool }

// query copies the rows of new seeds. Its arguments are what ids of seeds are raised by, and of a range where it begins and ends.
func (c copied) query(by shortcuts) string {
	into, from := "seed_id", `? + f.n`
	if by.ranged {
		from = `? + o.seed_id`
	}
	if c.spec {
		into += ", spec_id"
		if by.sameSpecs {
			from += ", o.spec_id"
		} else {
			from += ", s.h"
		}
	}
	if c.metric {
		into += ", metric_id"
		if by.sameMetrics {
			from += ", CASE WHEN o.metric_id BETWEEN 1 AND (SELECT count(*) FROM temp.merge_metric) THEN o.metric_id END" // NULL is refused
		} else {
			from += ", (SELECT m.h FROM temp.merge_metric AS m WHERE m.o = o.metric_id)"
		}
	}
	query := "INSERT INTO main." + c.table + " (" + into + ", " + c.columns + ") SELECT " + from + ", o." + strings.ReplaceAll(c.columns, ", ", ", o.")
	if by.ranged {
		query += " FROM other." + c.table + " AS o"
	} else {
		query += " FROM temp.merge_fresh AS f CROSS JOIN other." + c.table + " AS o ON o.seed_id = f.o"
	}
	if c.spec && !by.sameSpecs {
		query += " CROSS JOIN temp.merge_spec AS s ON s.o = o.spec_id"
	}
	query += " WHERE 1"
	if by.ranged {
		query += " AND o.seed_id > ? AND o.seed_id <= ?"
	}
	if c.spec && by.sameSpecs { // one that came since is left for the next time, as its spec is
		query += " AND o.spec_id BETWEEN 1 AND (SELECT count(*) FROM temp.merge_spec)"
	}
	return query
}

const (
	// All of a table are here under the same ids, which have no gap.
	hasSameMetrics = `SELECT count(*) > 0 AND count(*) = max(o) AND min(o) = 1 AND total(h IS NOT o) = 0 AND count(*) = (SELECT count(*) FROM other.metric) FROM temp.merge_metric`
	hasSameSpecs   = `SELECT count(*) > 0 AND count(*) = max(o) AND min(o) = 1 AND total(h IS NOT o) = 0 AND count(*) = (SELECT count(*) FROM other.spec) FROM temp.merge_spec`
	hasOneSpec     = `SELECT count(*) = count(DISTINCT scenario_id) FROM main.spec WHERE scenario_id IN (SELECT h FROM temp.merge_scenario)`
	firstFresh     = `SELECT min(o) FROM temp.merge_fresh`
	lastFresh      = `SELECT max(o) FROM temp.merge_fresh`
)

// What becomes of seeds that are here already.
const (
	takeEarlier = `
	UPDATE main.seed AS h SET ulid = o.ulid, message = o.message, environment_id = (SELECT m.h FROM temp.merge_environment AS m WHERE m.o = o.environment_id),
	       started_at = o.started_at, duration_us = o.duration_us, recorded_at = o.recorded_at
	  FROM temp.merge_seed AS m CROSS JOIN other.seed AS o ON o.id = m.o WHERE m.class = 4 AND h.id = m.h`
	dropLaterRuns = `
	DELETE FROM main.run WHERE seed_id IN (SELECT m.h FROM temp.merge_seed AS m CROSS JOIN other.run AS o ON o.seed_id = m.o WHERE m.class = 4)`
	copyRuns = `
	INSERT INTO main.run (seed_id, sweep_id, attempts, exit_code, signal, stderr_id, cpu_us, rss_bytes)
	SELECT m.h, (SELECT s.h FROM temp.merge_sweep AS s WHERE s.o = o.sweep_id), o.attempts, o.exit_code, o.signal,
	       (SELECT a.h FROM temp.merge_attachment AS a WHERE a.o = o.stderr_id), o.cpu_us, o.rss_bytes
	  FROM temp.merge_seed AS m CROSS JOIN other.run AS o ON o.seed_id = m.o WHERE m.class IN (0, 1, 3, 4)
	    ON CONFLICT (seed_id) DO NOTHING`
	countRepetitions = `
	SELECT count(*) FROM temp.merge_seed AS m CROSS JOIN other.repetition AS o ON o.seed_id = m.o
	 WHERE m.class IN (0, 1, 3, 4) AND EXISTS (SELECT 1 FROM main.repetition AS h WHERE h.ulid = o.ulid) = ?`
	copyRepetitions = `
	INSERT INTO main.repetition (ulid, seed_id, sweep_id, digest, differences, repeated_at)
	SELECT o.ulid, m.h, (SELECT s.h FROM temp.merge_sweep AS s WHERE s.o = o.sweep_id), o.digest, o.differences, o.repeated_at
	  FROM temp.merge_seed AS m CROSS JOIN other.repetition AS o ON o.seed_id = m.o
	 WHERE m.class IN (0, 1, 3, 4) AND (o.sweep_id IS NULL OR EXISTS (SELECT 1 FROM temp.merge_sweep AS s WHERE s.o = o.sweep_id))
	 ORDER BY o.id
	    ON CONFLICT (ulid) DO NOTHING`
	pickJudged = `
	INSERT INTO temp.merge_judged (o, o_spec, h, h_spec)
	SELECT m.o, a.spec_id, m.h, s.h
	  FROM temp.merge_seed AS m CROSS JOIN other.assessment AS a ON a.seed_id = m.o CROSS JOIN temp.merge_spec AS s ON s.o = a.spec_id
	 WHERE m.class IN (1, 4) AND (s.h IS NULL OR NOT EXISTS (SELECT 1 FROM main.assessment AS h WHERE h.seed_id = m.h AND h.spec_id = s.h))`
	copyJudged = `
	INSERT INTO main.assessment (seed_id, spec_id, total_score, n_pass, n_warn, n_fail, assessed_at)
	SELECT j.h, j.h_spec, a.total_score, a.n_pass, a.n_warn, a.n_fail, a.assessed_at
	  FROM temp.merge_judged AS j CROSS JOIN other.assessment AS a ON a.seed_id = j.o AND a.spec_id = j.o_spec`
	copyJudgedResults = `
	INSERT INTO main.result (seed_id, spec_id, metric_id, status, score)
	SELECT j.h, j.h_spec, (SELECT m.h FROM temp.merge_metric AS m WHERE m.o = r.metric_id), r.status, r.score
	  FROM temp.merge_judged AS j CROSS JOIN other.result AS r ON r.seed_id = j.o AND r.spec_id = j.o_spec`
	copyJudgedComputed = `
	INSERT INTO main.computed_value (seed_id, spec_id, metric_id, value, reason)
	SELECT j.h, j.h_spec, (SELECT m.h FROM temp.merge_metric AS m WHERE m.o = r.metric_id), r.value, r.reason
	  FROM temp.merge_judged AS j CROSS JOIN other.computed_value AS r ON r.seed_id = j.o AND r.spec_id = j.o_spec`
)

// Series of the seeds of a chunk. Numbers that were pruned on one side alone are there again: until its chunks came, a content counts as pruned.
const (
	pickContents = `
	INSERT OR IGNORE INTO temp.merge_content (o)
	SELECT s.content_id FROM temp.merge_seed AS m CROSS JOIN other.seed_series AS s ON s.seed_id = m.o WHERE m.class IN (0, 1, 3, 4)`
	insertContents = `
	INSERT INTO main.series_content (hash, n, pruned_at)
	SELECT o.hash, o.n, coalesce(o.pruned_at, -1) FROM temp.merge_content AS m CROSS JOIN other.series_content AS o ON o.id = m.o
	 WHERE NOT EXISTS (SELECT 1 FROM main.series_content AS h WHERE h.hash = o.hash)`
	matchContents = `
	UPDATE temp.merge_content SET h = (
	       SELECT h.id FROM other.series_content AS o JOIN main.series_content AS h ON h.hash = o.hash WHERE o.id = merge_content.o)`
	copyChunks = `
	INSERT INTO main.series_chunk (content_id, position, n, data)
	SELECT m.h, o.position, o.n, o.data
	  FROM temp.merge_content AS m CROSS JOIN main.series_content AS h ON h.id = m.h AND h.pruned_at IS NOT NULL
	 CROSS JOIN other.series_content AS c ON c.id = m.o AND c.pruned_at IS NULL
	 CROSS JOIN other.series_chunk AS o ON o.content_id = m.o`
	restoreContents = `
	UPDATE main.series_content AS h SET pruned_at = NULL
	  FROM temp.merge_content AS m CROSS JOIN other.series_content AS o ON o.id = m.o WHERE h.id = m.h AND h.pruned_at IS NOT NULL AND o.pruned_at IS NULL`
	copySeedSeries = `
	INSERT INTO main.seed_series (seed_id, name_id, content_id)
	SELECT m.h, (SELECT n.h FROM temp.merge_series_name AS n WHERE n.o = s.name_id), (SELECT c.h FROM temp.merge_content AS c WHERE c.o = s.content_id)
	  FROM temp.merge_seed AS m CROSS JOIN other.seed_series AS s ON s.seed_id = m.o WHERE m.class IN (0, 1, 3, 4)
	    ON CONFLICT (seed_id, name_id) DO NOTHING`
)

// Seeds brings in the seeds that were recorded there when the definitions were read, chunk by chunk.
func (m *Merger) Seeds(ctx context.Context) error {
	chunk := int64(mergeChunk)
	err := m.in(ctx, func(tx *Tx) error {
		return errors.Join(tx.get(&m.series, hasSeedSeries), tx.get(&m.runs, hasRuns), tx.get(&m.by.sameMetrics, hasSameMetrics), tx.get(&m.by.sameSpecs, hasSameSpecs), tx.get(&m.oneSpec, hasOneSpec))
	})
	if err != nil {
		return err
	}
	if m.series {
		chunk = mergeChunkSeries
	}
	if m.options.Chunk > 0 {
		chunk = int64(m.options.Chunk)
	}
	for from := int64(0); from < m.lastSeed; from += chunk {
		err := m.in(ctx, func(tx *Tx) error { return m.seeds(tx, from, min(from+chunk, m.lastSeed)) })
		if err != nil {
			return err
		}
		m.progress(m.counts.Seeds.Recorded + m.counts.Seeds.Known + m.counts.Seeds.Conflicts)
	}
	return m.order(ctx)
}

func (m *Merger) seeds(tx *Tx, from, to int64) error {
	err := tx.runAll(`DELETE FROM temp.merge_seed`, `DELETE FROM temp.merge_fresh`, `DELETE FROM temp.merge_judged`, `DELETE FROM temp.merge_content`)
	if err == nil {
		_, err = tx.exec(classifySeeds, from, to)
	}
	if err == nil {
		err = m.settle(tx)
	}
	if err == nil {
		err = tx.runAll(sameSeeds, pickFresh)
	}
	if err != nil {
		return err
	}
	classes, err := m.countSeeds(tx)
	if err != nil {
		return err
	}
	if classes[mergeConflict] > 0 {
		if err := m.seedConflicts(tx); err != nil {
			return err
		}
	}
	if m.options.DryRun {
		return nil
	}
	if err := m.freshSeeds(tx); err != nil {
		return err
	}
	if m.series {
		if err := tx.runAll(pickContents, insertContents, matchContents, copyChunks, restoreContents, copySeedSeries); err != nil {
			return err
		}
	}
	if classes[mergeEarlier] > 0 {
		if err := tx.runAll(takeEarlier, dropLaterRuns); err != nil {
			return err
		}
	}
	if m.runs {
		if err := tx.runAll(copyRuns, copyRepetitions); err != nil {
			return err
		}
	}
	return tx.runAll(copyJudged, copyJudgedResults, copyJudgedComputed)
}

// settle looks at what was replaced on either side, where that makes a difference.
func (m *Merger) settle(tx *Tx) error {
	differ, err := tx.count(`SELECT count(*) FROM temp.merge_seed WHERE class IN (2, 3)`)
	if err != nil || differ == 0 {
		return err
	}
	if !m.replaced {
		if err := tx.runAll(learnSupersededHere, learnSupersededThere); err != nil {
			return err
		}
		m.replaced = true
	}
	return tx.runAll(settleSuperseded)
}

func (m *Merger) countSeeds(tx *Tx) (n [6]int, err error) {
	for class := range n {
		if n[class], err = tx.count(countSeedClass, class); err != nil {
			return n, err
		}
	}
	c := &m.counts
	c.Seeds.Recorded += n[mergeNew] + n[mergeReplaces]
	c.Seeds.Known += n[mergeKnown] + n[mergeEarlier] + n[mergeBygone]
	c.Seeds.Conflicts += n[mergeConflict]
	c.Superseded += n[mergeReplaces]
	if n[mergeKnown]+n[mergeEarlier] > 0 {
		judged, err := tx.run(pickJudged)
		if err != nil {
			return n, err
		}
		c.Assessments += judged
	}
	if !m.runs {
		return n, nil
	}
	known, err := tx.count(countRepetitions, 1)
	if err != nil {
		return n, err
	}
	fresh, err := tx.count(countRepetitions, 0)
	c.Repetitions.Known += known
	c.Repetitions.Recorded += fresh
	return n, err
}

// freshSeeds stores the seeds that are not here, with all that was measured and judged.
func (m *Merger) freshSeeds(tx *Tx) error {
	want, err := tx.count(countFresh)
	if err != nil || want == 0 {
		return err
	}
	base, err := tx.count(lastSeedHere)
	if err != nil {
		return err
	}
	if err := tx.runAll(supersedeMerged); err != nil {
		return err
	}
	if m.runs || m.series {
		if _, err := tx.exec(freshIDs, base); err != nil {
			return err
		}
	}
	stored, err := tx.run(insertSeeds, base)
	if err != nil {
		return err
	}
	if stored != want {
		return fmt.Errorf("%w: %s: %w", track.ErrInvalid, m.other, errDamagedRows)
	}
	if _, err := tx.exec(insertPairs, base); err != nil {
		return err
	}
	judged, err := m.copySeedRows(tx, base, want)
	if err != nil || judged == want && m.oneSpec {
		return err
	}
	var unjudged []struct {
		Name string `db:"name"`
		N    int    `db:"n"`
	}
	if err := tx.selectAll(&unjudged, countUnjudged, base); err != nil {
		return err
	}
	for _, u := range unjudged {
		m.counts.Unjudged[u.Name] += u.N
	}
	return nil
}

// copySeedRows copies what belongs to the n new seeds, and returns how many judgements there were.
func (m *Merger) copySeedRows(tx *Tx, base, n int) (judged int, err error) {
	first, err := tx.count(firstFresh)
	if err != nil {
		return 0, err
	}
	last, err := tx.count(lastFresh)
	if err != nil {
		return 0, err
	}
	by := m.by
	by.ranged = last-first+1 == n
	args := []any{base}
	if by.ranged {
		args = []any{base + 1 - first, first - 1, last}
	}
	for _, c := range copiedTables() {
		rows, err := tx.run(c.query(by), args...)
		if err != nil {
			return 0, err
		}
		if c.table == "assessment" {
			judged = rows
		}
	}
	return judged, nil
}

const (
	listSeedConflicts = `
	SELECT m.o, m.c, m.h, scenario.name AS scenario, o.number, configuration.hash, configuration.label, o.outcome
	  FROM temp.merge_seed AS m CROSS JOIN other.seed AS o ON o.id = m.o
	 CROSS JOIN other.scenario ON scenario.id = o.scenario_id CROSS JOIN other.configuration ON configuration.id = o.configuration_id
	 WHERE m.class = 2 ORDER BY m.o`
	listOtherValues = `
	SELECT metric.name, value.value FROM other.value CROSS JOIN other.metric ON metric.id = value.metric_id WHERE value.seed_id = ?`
)

// seedConflicts names the seeds of a chunk in whose place another stands here.
func (m *Merger) seedConflicts(tx *Tx) error {
	var rows []struct {
		Other         int64            `db:"o"`
		Current       *int64           `db:"c"`
		SameID        *int64           `db:"h"`
		Scenario      string           `db:"scenario"`
		Number        track.SeedNumber `db:"number"`
		Configuration string           `db:"hash"`
		Label         string           `db:"label"`
		Outcome       string           `db:"outcome"`
	}
	if err := tx.selectAll(&rows, listSeedConflicts); err != nil {
		return err
	}
	for _, r := range rows {
		c := MergeConflict{Kind: "seed", Scenario: r.Scenario, Name: r.Number.String(), Configuration: r.Configuration, Label: r.Label}
		here := r.Current
		if r.SameID != nil {
			here, c.Reason = r.SameID, "another seed has its id here"
		}
		there, err := tx.values(tx.ctx, listOtherValues, r.Other)
		if err != nil {
			return err
		}
		c.There = MergedSeed{track.Outcome(r.Outcome), there}
		if here != nil {
			if c.Here.Values, err = tx.Values(tx.ctx, *here); err != nil {
				return err
			}
			if c.Here.Outcome, _, err = tx.Outcome(tx.ctx, *here); err != nil {
				return err
			}
		}
		m.conflict(c)
	}
	return nil
}

const (
	countPairs = `SELECT count(*) FROM main.scenario_configuration WHERE scenario_id = ?`
	learnFirst = `
	INSERT INTO temp.merge_first (id, at) SELECT configuration_id, min(recorded_at) FROM main.seed WHERE scenario_id = ? GROUP BY configuration_id`
	// The ids of the pairs are dealt out anew among them, the lowest to the one whose first seed was recorded first.
	isInOrder = `
	SELECT NOT EXISTS (
	       SELECT 1 FROM (SELECT first.at, lag(first.at) OVER (ORDER BY pair.id) AS before
	                        FROM temp.merge_first AS first JOIN main.scenario_configuration AS pair ON pair.scenario_id = ? AND pair.configuration_id = first.id)
	        WHERE at < before)`
	dealPairs = `
	WITH pair AS (SELECT pair.id, pair.configuration_id, first.at FROM temp.merge_first AS first
	                JOIN main.scenario_configuration AS pair ON pair.scenario_id = ? AND pair.configuration_id = first.id),
	     place AS (SELECT id, row_number() OVER (ORDER BY id) AS n FROM pair),
	     first AS (SELECT configuration_id, row_number() OVER (ORDER BY at, id) AS n FROM pair)
	UPDATE main.scenario_configuration AS h SET id = -place.id FROM first JOIN place ON place.n = first.n
	 WHERE h.scenario_id = ? AND h.configuration_id = first.configuration_id`
	dealtPairs = `UPDATE main.scenario_configuration SET id = -id WHERE id < 0`
)

// order puts the configurations of scenarios in the order of their first seeds, as they are where all seeds are recorded in one database: also
// where nothing is new, for the merge before may have been cut short. The seeds are looked at without keeping others from recording.
func (m *Merger) order(ctx context.Context) error {
	if m.options.DryRun {
		return nil
	}
	var scenarios []int64
	if err := m.look(ctx, func(tx *Tx) error { return tx.selectAll(&scenarios, `SELECT h FROM temp.merge_scenario ORDER BY h`) }); err != nil {
		return err
	}
	for _, scenario := range scenarios {
		pairs, ordered := 0, true
		err := m.look(ctx, func(tx *Tx) (err error) {
			if pairs, err = tx.count(countPairs, scenario); err != nil || pairs < 2 {
				return err
			}
			if err := tx.runAll(`DELETE FROM temp.merge_first`); err != nil {
				return err
			}
			if _, err := tx.exec(learnFirst, scenario); err != nil {
				return err
			}
			return tx.get(&ordered, isInOrder, scenario)
		})
		if err == nil && !ordered {
			err = m.in(ctx, func(tx *Tx) error {
				if _, err := tx.exec(dealPairs, scenario, scenario); err != nil {
					return err
				}
				return tx.runAll(dealtPairs)
			})
		}
		if err != nil {
			return err
		}
	}
	return nil
}
