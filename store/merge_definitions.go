package store

import (
	"context"
	"fmt"
	"slices"
	"strings"
)

// createMergeTables makes what a merger remembers. A table of two ids says which row there (o) is which here (h): NULL where it is not here,
// because this is a dry run, or another stands in its place.
const createMergeTables = `
	CREATE TEMP TABLE merge_scenario_name (name TEXT PRIMARY KEY);
	CREATE TEMP TABLE merge_lineage_name (name TEXT PRIMARY KEY);
	CREATE TEMP TABLE merge_scenario (o INTEGER PRIMARY KEY, h INTEGER);
	CREATE TEMP TABLE merge_spec (o INTEGER PRIMARY KEY, h INTEGER);
	CREATE TEMP TABLE merge_metric (o INTEGER PRIMARY KEY, h INTEGER);
	CREATE TEMP TABLE merge_configuration (o INTEGER PRIMARY KEY, h INTEGER);
	CREATE TEMP TABLE merge_environment (o INTEGER PRIMARY KEY, h INTEGER);
	CREATE TEMP TABLE merge_series_name (o INTEGER PRIMARY KEY, h INTEGER);
	CREATE TEMP TABLE merge_attachment (o INTEGER PRIMARY KEY, h INTEGER);
	CREATE TEMP TABLE merge_sweep (o INTEGER PRIMARY KEY, h INTEGER);
	CREATE TEMP TABLE merge_baseline (o INTEGER PRIMARY KEY, h INTEGER);
	CREATE TEMP TABLE merge_lineage (o INTEGER PRIMARY KEY, h INTEGER);
	CREATE TEMP TABLE merge_version (o INTEGER PRIMARY KEY, h INTEGER, conflict INTEGER NOT NULL DEFAULT 0);
	CREATE TEMP TABLE merge_tool (o INTEGER PRIMARY KEY, h INTEGER);
	CREATE TEMP TABLE merge_newest (scenario_id INTEGER PRIMARY KEY, spec_id INTEGER NOT NULL);
	CREATE TEMP TABLE merge_seed (o INTEGER PRIMARY KEY, h INTEGER, c INTEGER, class INTEGER NOT NULL);
	CREATE TEMP TABLE merge_fresh (n INTEGER PRIMARY KEY, o INTEGER NOT NULL);
	CREATE TEMP TABLE merge_judged (o INTEGER, o_spec INTEGER, h INTEGER, h_spec INTEGER, PRIMARY KEY (o, o_spec)) WITHOUT ROWID;
	CREATE TEMP TABLE merge_content (o INTEGER PRIMARY KEY, h INTEGER);
	CREATE TEMP TABLE merge_superseded_here (scenario_id INTEGER, configuration_id INTEGER, number INTEGER, digest BLOB,
	       PRIMARY KEY (scenario_id, configuration_id, number, digest)) WITHOUT ROWID;
	CREATE TEMP TABLE merge_superseded_there (scenario_id INTEGER, configuration_id INTEGER, number INTEGER, digest BLOB,
	       PRIMARY KEY (scenario_id, configuration_id, number, digest)) WITHOUT ROWID;
	CREATE TEMP TABLE merge_execution (o INTEGER PRIMARY KEY, h INTEGER, c INTEGER, class INTEGER NOT NULL, ulid TEXT, recorded_at INTEGER);
	CREATE TEMP TABLE merge_scored (o INTEGER, h INTEGER, rubric TEXT, PRIMARY KEY (o, rubric)) WITHOUT ROWID;
	CREATE TEMP TABLE merge_first (id INTEGER PRIMARY KEY, at INTEGER NOT NULL);`

// LeftOut are the tables that a merge leaves alone, and why.
func LeftOut() map[string]string {
	return map[string]string{
		"hook_event":       "what hooks told and is no history yet becomes executions where it was told, and those are merged",
		"hook_arrival":     "counts what came to the hooks of one machine",
		"goose_db_version": "the schema of the file itself",
	}
}

// definition is a table of what records refer to by a natural key.
type definition struct {
	table, key string
	columns    []string // others, that are taken over as they are
	narrowed   string   // which rows a choice of scenarios and lineages needs
	dated      bool     // has created_at, of which the earlier counts
}

const (
	chosenScenarios = `(SELECT o FROM temp.merge_scenario)`
	chosenLineages  = `(SELECT o FROM temp.merge_lineage)`
)

// definitions are in an order in which each refers to those before it.
func definitions() []definition {
	return []definition{
		{"scenario", "name", []string{"created_at"}, `o.name IN (SELECT name FROM temp.merge_scenario_name)`, true},
		{"lineage", "name", []string{"keep_text", "created_at"}, `o.name IN (SELECT name FROM temp.merge_lineage_name)`, true},
		{"metric", "name", nil, `o.id IN (
			SELECT spec_metric.metric_id FROM other.spec JOIN other.spec_metric ON spec_metric.spec_id = spec.id WHERE spec.scenario_id IN ` + chosenScenarios + `
			 UNION SELECT value.metric_id FROM other.seed CROSS JOIN other.value ON value.seed_id = seed.id WHERE seed.scenario_id IN ` + chosenScenarios + `)`, false},
		{"configuration", "hash", []string{"label", "params", "commit_id", "dirty", "diff_hash", "created_at"}, `o.id IN (
			SELECT configuration_id FROM other.scenario_configuration WHERE scenario_id IN ` + chosenScenarios + `
			 UNION SELECT configuration_id FROM other.baseline WHERE scenario_id IN ` + chosenScenarios + `
			 UNION SELECT sweep_configuration.configuration_id FROM other.sweep JOIN other.sweep_configuration ON sweep_configuration.sweep_id = sweep.id
			        WHERE sweep.scenario_id IN ` + chosenScenarios + `)`, true},
		{"environment", "hash", []string{"document"}, `o.id IN (
			SELECT environment_id FROM other.seed WHERE scenario_id IN ` + chosenScenarios + `
			 UNION SELECT environment_id FROM other.sweep WHERE scenario_id IN ` + chosenScenarios + `)`, false},
		{"series_name", "name", nil, `o.id IN (
			SELECT seed_series.name_id FROM other.seed CROSS JOIN other.seed_series ON seed_series.seed_id = seed.id WHERE seed.scenario_id IN ` + chosenScenarios + `)`, false},
		{"attachment", "hash", []string{"n_bytes", "data"}, `o.id IN (
			SELECT changes_id FROM other.sweep WHERE scenario_id IN ` + chosenScenarios + `
			 UNION SELECT libraries_id FROM other.sweep WHERE scenario_id IN ` + chosenScenarios + `
			 UNION SELECT run.stderr_id FROM other.seed CROSS JOIN other.run ON run.seed_id = seed.id WHERE seed.scenario_id IN ` + chosenScenarios + `)`, false},
		{"tool", "name", nil, `o.id IN (
			SELECT call.tool_id FROM other.execution CROSS JOIN other.call ON call.execution_id = execution.id WHERE execution.lineage_id IN ` + chosenLineages + `)`, false},
	}
}

// Definitions brings in all that seeds and executions refer to. describe checks a spec, and says what its metrics are.
func (m *Merger) Definitions(ctx context.Context, describe func(Spec) ([]SpecMetric, error)) error {
	return m.in(ctx, func(tx *Tx) (err error) {
		if m.lastSeed, err = tx.lastID("seed"); err != nil {
			return err
		}
		if m.lastExecution, err = tx.lastID("execution"); err != nil {
			return err
		}
		for _, d := range definitions() {
			if err := m.define(tx, d); err != nil {
				return err
			}
		}
		for _, step := range []func(*Tx) error{
			func(tx *Tx) error { return m.specs(tx, describe) }, m.sweeps, m.baselines, m.looks, m.versions,
		} {
			if err := step(tx); err != nil {
				return err
			}
		}
		return tx.runAll(`
			INSERT INTO temp.merge_newest (scenario_id, spec_id)
			SELECT scenario_id, max(id) FROM main.spec WHERE scenario_id IN (SELECT h FROM temp.merge_scenario) GROUP BY scenario_id`)
	})
}

func (t *Tx) lastID(table string) (int64, error) {
	n, err := t.count(`SELECT coalesce(max(id), 0) FROM other.` + table)
	return int64(n), err
}

func (m *Merger) define(tx *Tx, d definition) error {
	pick := `INSERT INTO temp.merge_` + d.table + ` (o) SELECT o.id FROM other.` + d.table + ` AS o`
	if m.options.narrowed() {
		pick += ` WHERE ` + d.narrowed
	}
	match := `
		UPDATE temp.merge_` + d.table + ` SET h = (
		       SELECT h.id FROM other.` + d.table + ` AS o JOIN main.` + d.table + ` AS h ON h.` + d.key + ` = o.` + d.key + ` WHERE o.id = merge_` + d.table + `.o)
		 WHERE h IS NULL`
	if err := tx.runAll(pick, match); err != nil {
		return err
	}
	known, err := tx.count(`SELECT count(h) FROM temp.merge_` + d.table)
	if err != nil {
		return err
	}
	all, err := tx.count(`SELECT count(*) FROM temp.merge_` + d.table)
	if err != nil {
		return err
	}
	switch d.table {
	case "scenario":
		m.counts.Scenarios = MergeCount{Recorded: all - known, Known: known}
	case "configuration":
		m.counts.Configurations = MergeCount{Recorded: all - known, Known: known}
	}
	if m.options.DryRun {
		return nil
	}
	columns := append([]string{d.key}, d.columns...)
	statements := []string{`
		INSERT INTO main.` + d.table + ` (` + strings.Join(columns, ", ") + `)
		SELECT o.` + strings.Join(columns, ", o.") + ` FROM temp.merge_` + d.table + ` AS m CROSS JOIN other.` + d.table + ` AS o ON o.id = m.o WHERE m.h IS NULL ORDER BY o.id`, match}
	if d.dated {
		statements = append(statements, earlier(d.table))
	}
	return tx.runAll(statements...)
}

// earlier gives rows of a table the time at which they were made first, here or there.
func earlier(table string) string {
	return `
		UPDATE main.` + table + ` AS h SET created_at = o.created_at FROM temp.merge_` + table + ` AS m CROSS JOIN other.` + table + ` AS o ON o.id = m.o
		 WHERE h.id = m.h AND o.created_at < h.created_at`
}

const listOtherSpecs = `
	SELECT spec.id, scenario.name AS scenario, spec.version, spec.hash, spec.title, spec.document, spec.created_at
	  FROM temp.merge_scenario AS m CROSS JOIN other.scenario ON scenario.id = m.o CROSS JOIN other.spec ON spec.scenario_id = m.o
	 ORDER BY scenario.name, spec.version`

// specs adds the versions that follow on those that are here. Where both sides went on otherwise, what is here stands.
func (m *Merger) specs(tx *Tx, describe func(Spec) ([]SpecMetric, error)) error {
	var rows []specRow
	if err := tx.selectAll(&rows, listOtherSpecs); err != nil {
		return err
	}
	for _, list := range byScenario(rows) {
		var here []string
		if err := tx.selectAll(&here, `SELECT hash FROM main.spec WHERE scenario_id = (SELECT id FROM main.scenario WHERE name = ?) ORDER BY version`, list[0].Scenario); err != nil {
			return err
		}
		goesOn := true // what is here is the beginning of what is there
		for i, hash := range here {
			goesOn = goesOn && i < len(list) && list[i].Hash == hash
		}
		for _, row := range list {
			if err := m.spec(tx, row, slices.Contains(here, row.Hash), goesOn, describe); err != nil {
				return err
			}
		}
	}
	if m.options.DryRun {
		return nil
	}
	return tx.runAll(earlier("spec"))
}

func byScenario(rows []specRow) (lists [][]specRow) {
	for _, row := range rows {
		if n := len(lists); n > 0 && lists[n-1][0].Scenario == row.Scenario {
			lists[n-1] = append(lists[n-1], row)
			continue
		}
		lists = append(lists, []specRow{row})
	}
	return lists
}

const (
	mapSpec         = `INSERT INTO temp.merge_spec (o, h) VALUES (?, (SELECT id FROM main.spec WHERE scenario_id = (SELECT id FROM main.scenario WHERE name = ?) AND hash = ?))`
	setSpecVersion  = `UPDATE main.spec SET version = ?, created_at = ? WHERE id = ?`
	specConflictWhy = "both sides added a version after the last one that they share; its judgements are left out"
)

func (m *Merger) spec(tx *Tx, row specRow, known, goesOn bool, describe func(Spec) ([]SpecMetric, error)) error {
	switch {
	case known:
		m.counts.Specs.Known++
	case !goesOn:
		m.counts.Specs.Conflicts++
		m.conflict(MergeConflict{Kind: "spec", Scenario: row.Scenario, Name: fmt.Sprint(row.Version), Reason: specConflictWhy})
		return nil
	default:
		metrics, err := describe(row.spec())
		if err != nil {
			return err
		}
		m.counts.Specs.Recorded++
		if m.options.DryRun {
			break
		}
		stored, _, err := tx.AddSpec(row.spec(), metrics)
		if err == nil {
			_, err = tx.exec(setSpecVersion, row.Version, row.CreatedAt, stored.ID)
		}
		if err != nil {
			return err
		}
	}
	_, err := tx.exec(mapSpec, row.ID, row.Scenario, row.Hash)
	return err
}

// mapBy fills the table of ids of a table whose rows have a ULID, and returns how many of them are here.
func (m *Merger) mapBy(tx *Tx, table string) (c MergeCount, err error) {
	pick := `INSERT INTO temp.merge_` + table + ` (o) SELECT o.id FROM other.` + table + ` AS o WHERE o.scenario_id IN ` + chosenScenarios
	if err := tx.runAll(pick, matchULID(table)); err != nil {
		return c, err
	}
	if c.Known, err = tx.count(`SELECT count(h) FROM temp.merge_` + table); err != nil {
		return c, err
	}
	all, err := tx.count(`SELECT count(*) FROM temp.merge_` + table)
	c.Recorded = all - c.Known
	return c, err
}

func matchULID(table string) string {
	return `
		UPDATE temp.merge_` + table + ` SET h = (SELECT h.id FROM other.` + table + ` AS o JOIN main.` + table + ` AS h ON h.ulid = o.ulid WHERE o.id = merge_` + table + `.o)
		 WHERE h IS NULL`
}

// sweeps also tells of one that was known while it ran how it ended.
func (m *Merger) sweeps(tx *Tx) (err error) {
	if m.counts.Sweeps, err = m.mapBy(tx, "sweep"); err != nil || m.options.DryRun {
		return err
	}
	return tx.runAll(`
		INSERT INTO main.sweep (ulid, scenario_id, plan, shard, n_shards, environment_id, changes_id, libraries_id, started_at, ended_at, ending, code_changed, note)
		SELECT o.ulid, (SELECT s.h FROM temp.merge_scenario AS s WHERE s.o = o.scenario_id), o.plan, o.shard, o.n_shards,
		       (SELECT e.h FROM temp.merge_environment AS e WHERE e.o = o.environment_id),
		       (SELECT a.h FROM temp.merge_attachment AS a WHERE a.o = o.changes_id), (SELECT a.h FROM temp.merge_attachment AS a WHERE a.o = o.libraries_id),
		       o.started_at, o.ended_at, o.ending, o.code_changed, o.note
		  FROM temp.merge_sweep AS m CROSS JOIN other.sweep AS o ON o.id = m.o WHERE m.h IS NULL ORDER BY o.id`, matchULID("sweep"), `
		UPDATE main.sweep AS h SET ended_at = o.ended_at, ending = o.ending, code_changed = o.code_changed, note = o.note FROM temp.merge_sweep AS m CROSS JOIN other.sweep AS o ON o.id = m.o
		 WHERE h.id = m.h AND (h.ended_at IS NULL AND o.ended_at IS NOT NULL OR h.ending <> 'withdrawn' AND o.ending = 'withdrawn')`, `
		INSERT INTO main.sweep_configuration (sweep_id, configuration_id, position, seeds, n)
		SELECT m.h, (SELECT c.h FROM temp.merge_configuration AS c WHERE c.o = o.configuration_id), o.position, o.seeds, o.n
		  FROM temp.merge_sweep AS m CROSS JOIN other.sweep_configuration AS o ON o.sweep_id = m.o WHERE 1
		    ON CONFLICT (sweep_id, configuration_id) DO NOTHING`)
}

func (m *Merger) baselines(tx *Tx) (err error) {
	if m.counts.Baselines, err = m.mapBy(tx, "baseline"); err != nil || m.options.DryRun {
		return err
	}
	return tx.runAll(`
		INSERT INTO main.baseline (ulid, scenario_id, configuration_id, previous_id, reason, actor, set_at)
		SELECT o.ulid, (SELECT s.h FROM temp.merge_scenario AS s WHERE s.o = o.scenario_id),
		       (SELECT c.h FROM temp.merge_configuration AS c WHERE c.o = o.configuration_id), NULL, o.reason, o.actor, o.set_at
		  FROM temp.merge_baseline AS m CROSS JOIN other.baseline AS o ON o.id = m.o WHERE m.h IS NULL ORDER BY o.id`, matchULID("baseline"), `
		UPDATE main.baseline AS h SET previous_id = p.h
		  FROM temp.merge_baseline AS m CROSS JOIN other.baseline AS o ON o.id = m.o CROSS JOIN temp.merge_baseline AS p ON p.o = o.previous_id
		 WHERE h.id = m.h AND h.previous_id IS NULL`)
}

// looks are hashes that name no scenario: all of them come. Of one that both sides took, the earlier counts.
func (m *Merger) looks(tx *Tx) error {
	const unknown = `FROM other.look AS o WHERE NOT EXISTS (SELECT 1 FROM main.look AS h WHERE h.question = o.question AND h.evidence = o.evidence AND h.plan = o.plan)
		   AND NOT EXISTS (SELECT 1 FROM main.look AS h WHERE h.ulid = o.ulid)`
	all, err := tx.count(`SELECT count(*) FROM other.look`)
	if err != nil {
		return err
	}
	if m.counts.Looks.Recorded, err = tx.count(`SELECT count(*) ` + unknown); err != nil {
		return err
	}
	m.counts.Looks.Known = all - m.counts.Looks.Recorded
	if m.options.DryRun {
		return nil
	}
	return tx.runAll(`
		UPDATE main.look AS h SET ulid = o.ulid, kind = o.kind, n = o.n, anytime = o.anytime, verdict = o.verdict, looked_at = o.looked_at
		  FROM other.look AS o WHERE h.question = o.question AND h.evidence = o.evidence AND h.plan = o.plan AND (o.looked_at, o.ulid) < (h.looked_at, h.ulid)
		   AND NOT EXISTS (SELECT 1 FROM main.look WHERE ulid = o.ulid)`, `
		INSERT INTO main.look (ulid, kind, question, evidence, n, plan, anytime, verdict, looked_at)
		SELECT o.ulid, o.kind, o.question, o.evidence, o.n, o.plan, o.anytime, o.verdict, o.looked_at `+unknown+` ORDER BY o.id`)
}

const (
	pickVersions  = `INSERT INTO temp.merge_version (o) SELECT o.id FROM temp.merge_lineage AS m CROSS JOIN other.version AS o ON o.lineage_id = m.o`
	matchVersions = `
		UPDATE temp.merge_version SET h = (
		       SELECT h.id FROM other.version AS o JOIN temp.merge_lineage AS l ON l.o = o.lineage_id JOIN main.version AS h ON h.lineage_id = l.h AND h.name = o.name
		        WHERE o.id = merge_version.o)
		 WHERE h IS NULL`
	findVersionConflicts = `
		UPDATE temp.merge_version SET conflict = 1 WHERE EXISTS (
		       SELECT 1 FROM other.version AS o JOIN main.version AS h ON h.id = merge_version.h
		        WHERE o.id = merge_version.o AND o.content_digest IS NOT NULL AND h.content_digest IS NOT NULL AND o.content_digest <> h.content_digest)`
	listVersionConflicts = `
		SELECT lineage.name AS lineage, version.name FROM temp.merge_version AS m CROSS JOIN other.version ON version.id = m.o CROSS JOIN other.lineage ON lineage.id = version.lineage_id
		 WHERE m.conflict = 1 ORDER BY lineage.name, version.id`
)

// versions of which nothing is known here come as they are; where something is, they fill the gaps. A content never changes.
func (m *Merger) versions(tx *Tx) error {
	if err := tx.runAll(pickVersions, matchVersions, findVersionConflicts); err != nil {
		return err
	}
	var rows []struct {
		Lineage string `db:"lineage"`
		Name    string `db:"name"`
	}
	if err := tx.selectAll(&rows, listVersionConflicts); err != nil {
		return err
	}
	for _, r := range rows {
		m.conflict(MergeConflict{Kind: "version", Scenario: r.Lineage, Name: r.Name, Reason: "it has another content here; its executions are left out"})
	}
	all, err := tx.count(`SELECT count(*) FROM temp.merge_version`)
	if err != nil {
		return err
	}
	here, err := tx.count(`SELECT count(h) FROM temp.merge_version`)
	if err != nil {
		return err
	}
	m.counts.Versions = MergeCount{Recorded: all - here, Known: here - len(rows), Conflicts: len(rows)}
	if m.options.DryRun {
		return nil
	}
	return tx.runAll(`
		INSERT INTO main.version (lineage_id, name, created_at)
		SELECT l.h, o.name, o.created_at FROM temp.merge_version AS m CROSS JOIN other.version AS o ON o.id = m.o CROSS JOIN temp.merge_lineage AS l ON l.o = o.lineage_id
		 WHERE m.h IS NULL ORDER BY o.id`, matchVersions, earlier("version"), `
		UPDATE main.version AS h SET content = coalesce(h.content, o.content), content_digest = coalesce(h.content_digest, o.content_digest),
		       operator = CASE h.operator WHEN '' THEN o.operator ELSE h.operator END, status = CASE h.status WHEN '' THEN o.status ELSE h.status END,
		       note = CASE h.note WHEN '' THEN o.note ELSE h.note END, source = CASE h.source WHEN '' THEN o.source ELSE h.source END,
		       source_score = coalesce(h.source_score, o.source_score), source_parent_score = coalesce(h.source_parent_score, o.source_parent_score),
		       source_created_at = coalesce(h.source_created_at, o.source_created_at),
		       parent_id = coalesce(h.parent_id, (SELECT p.h FROM temp.merge_version AS p WHERE p.o = o.parent_id AND p.conflict = 0))
		  FROM temp.merge_version AS m CROSS JOIN other.version AS o ON o.id = m.o WHERE h.id = m.h AND m.conflict = 0`)
}
