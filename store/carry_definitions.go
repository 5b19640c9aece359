package store

import (
	"cmp"
	"context"
	"database/sql"
	"slices"
	"time"

	"track"
)

// ScenarioRecord is a scenario with all versions of its spec.
type ScenarioRecord struct {
	Name      string
	CreatedAt time.Time
	Specs     []Spec
}

const (
	listScenarioRows = `SELECT name, created_at FROM scenario ORDER BY id`
	carryScenario    = `
	INSERT INTO scenario (id, name, created_at) VALUES ((SELECT coalesce(max(id), 0) + 1 FROM scenario), $1, $2)
	ON CONFLICT (name) DO UPDATE SET created_at = excluded.created_at WHERE excluded.created_at < scenario.created_at`
	carryLineage = `
	INSERT INTO lineage (id, name, keep_text, created_at, checksum) VALUES ((SELECT coalesce(max(id), 0) + 1 FROM lineage), $1, $2, $3, $4) RETURNING id`
	earlierLineage  = `UPDATE lineage SET created_at = $1 WHERE id = $2 AND created_at > $1`
	setSpecVersion  = `UPDATE spec SET version = $1, created_at = $2 WHERE id = $3`
	earlierSpec     = `UPDATE spec SET created_at = $1 WHERE id = $2 AND created_at > $1`
	listLineageRows = `SELECT name, keep_text, created_at FROM lineage ORDER BY id`
)

type namedRow struct {
	Name      string `db:"name"`
	KeepText  bool   `db:"keep_text"`
	CreatedAt int64  `db:"created_at"`
}

// ScenarioRecords returns all scenarios with their specs.
func (r *Reader) ScenarioRecords(ctx context.Context) ([]ScenarioRecord, error) {
	var rows []namedRow
	if err := r.read().SelectContext(ctx, &rows, listScenarioRows); err != nil {
		return nil, explain(err)
	}
	specs, err := r.Specs(ctx)
	if err != nil {
		return nil, err
	}
	records := make([]ScenarioRecord, len(rows))
	for i, row := range rows {
		records[i] = ScenarioRecord{Name: row.Name, CreatedAt: fromMicros(row.CreatedAt)}
		for _, s := range specs {
			if s.Scenario == row.Name {
				records[i].Specs = append(records[i].Specs, s)
			}
		}
	}
	return records, nil
}

const (
	hasScenario      = `SELECT EXISTS (SELECT 1 FROM scenario WHERE name = $1)`
	listSpecHashes   = `SELECT spec.hash FROM spec JOIN scenario ON scenario.id = spec.scenario_id WHERE scenario.name = $1 ORDER BY spec.version`
	hasConfiguration = `SELECT EXISTS (SELECT 1 FROM configuration WHERE hash = $1)`
)

// ScenarioSpecs returns the hashes of the specs of a scenario by their versions, and whether the scenario is known.
func (r *Reader) ScenarioSpecs(ctx context.Context, name string) (hashes []string, known bool, err error) {
	if err = r.read().GetContext(ctx, &known, hasScenario, name); err == nil {
		err = r.read().SelectContext(ctx, &hashes, listSpecHashes, name)
	}
	return hashes, known, explain(err)
}

// HasConfiguration reports whether a configuration of a hash is here.
func (r *Reader) HasConfiguration(ctx context.Context, hash string) (has bool, err error) {
	return has, explain(r.read().GetContext(ctx, &has, hasConfiguration, hash))
}

// CarryScenario stores a scenario of another database. Of the times at which it was made, the earlier one counts.
func (t *Tx) CarryScenario(s ScenarioRecord) error {
	if err := t.checkName("scenario", s.Name); err != nil {
		return err
	}
	_, err := t.exec(carryScenario, s.Name, micros(s.CreatedAt))
	return err
}

// CarrySpec stores a version of a spec of another database under the number that it has there. Of one that is here, the
// earlier time counts.
func (t *Tx) CarrySpec(s Spec, metrics []SpecMetric) error {
	stored, added, err := t.AddSpec(s, metrics)
	if err != nil {
		return err
	}
	if added {
		_, err = t.exec(setSpecVersion, s.Version, micros(s.CreatedAt), stored.ID)
	} else {
		_, err = t.exec(earlierSpec, micros(s.CreatedAt), stored.ID)
	}
	return err
}

const (
	sweepState     = `SELECT ended_at FROM sweep WHERE ulid = $1`
	carrySweepEnd  = `UPDATE sweep SET ended_at = $1, ending = $2, code_changed = $3 WHERE ulid = $4`
	carrySwept     = `INSERT INTO sweep_configuration (sweep_id, configuration_id, position) VALUES ($1, $2, $3) ON CONFLICT DO NOTHING`
	hasSweepOfULID = `SELECT EXISTS (SELECT 1 FROM sweep WHERE ulid = $1)`
	hasPinOfULID   = `SELECT EXISTS (SELECT 1 FROM baseline WHERE ulid = $1)`
)

// HasSweep reports whether a sweep is here.
func (r *Reader) HasSweep(ctx context.Context, id string) (has bool, err error) {
	return has, explain(r.read().GetContext(ctx, &has, hasSweepOfULID, id))
}

// HasPin reports whether a pin is here.
func (r *Reader) HasPin(ctx context.Context, id string) (has bool, err error) {
	return has, explain(r.read().GetContext(ctx, &has, hasPinOfULID, id))
}

// CarrySweep stores a sweep of another database. One that is here learns how it ended.
func (t *Tx) CarrySweep(s track.Sweep) error {
	added, err := t.AddSweep(s)
	if err != nil || added {
		return err
	}
	var endedHere sql.NullInt64
	if err := t.get(&endedHere, sweepState, s.ID); err != nil {
		return err
	}
	if !endedHere.Valid && !s.EndedAt.IsZero() {
		if _, err := t.exec(carrySweepEnd, nullTime(s.EndedAt), nullText(string(s.Ending)), s.CodeChanged, s.ID); err != nil {
			return err
		}
	}
	var id int64
	if err := t.getID(&id, findSweep, s.ID); err != nil {
		return err
	}
	for i, p := range s.Planned {
		configuration, err := t.configurationID(p.Configuration)
		if err != nil {
			return err
		}
		result, err := t.exec(carrySwept, id, configuration, i)
		if err != nil {
			return err
		}
		if n, err := result.RowsAffected(); err != nil {
			return err
		} else if n == 0 { // it is planned here, and may have been cut short
			continue
		}
		if err := t.addPlanned(id, configuration, p.Seeds); err != nil {
			return err
		}
	}
	return nil
}

const (
	listPinRows = `
	SELECT previous.ulid AS previous_ulid, pin.*
	  FROM (` + selectBaselines + `) AS pin JOIN baseline AS own ON own.ulid = pin.ulid LEFT JOIN baseline AS previous ON previous.id = own.previous_id
	 ORDER BY own.id`
	carryPin = `
	INSERT INTO baseline (ulid, scenario_id, configuration_id, previous_id, reason, actor_id, set_at) VALUES ($1, $2, $3, NULL, $4, $5, $6)
	ON CONFLICT (ulid) DO NOTHING`
	carryPreviousPin = `UPDATE baseline SET previous_id = (SELECT id FROM baseline WHERE ulid = $1) WHERE ulid = $2 AND previous_id IS NULL`
)

const (
	listLookRows = `SELECT ulid, kind, question, evidence, n, plan, anytime, verdict, looked_at FROM look ORDER BY id`
	findLook     = `SELECT ulid, looked_at FROM look WHERE question = $1 AND evidence = $2 AND plan = $3`
	hasLook      = `SELECT EXISTS (SELECT 1 FROM look WHERE ulid = $1)`
	earlierLook  = `UPDATE look SET ulid = $1, kind = $2, n = $3, anytime = $4, verdict = $5, looked_at = $6 WHERE ulid = $7`
)

const (
	listVersionRecords = `
	SELECT version.name, coalesce(version.operator, '') AS operator, version.content, version.content_digest, coalesce(version.masking, 0) AS masking, coalesce(version.status, '') AS status,
	       coalesce(version.note, '') AS note, coalesce(version.source, '') AS source, version.source_score,
	       version.source_parent_score, version.source_created_at, coalesce(parent.name, '') AS parent, version.created_at
	  FROM version LEFT JOIN version AS parent ON parent.id = version.parent_id
	 WHERE version.lineage_id = (SELECT id FROM lineage WHERE name = $1) ORDER BY version.id`
	earlierVersion = `UPDATE version SET created_at = $1 WHERE id = $2 AND created_at > $1`
)

const (
	countPairs  = `SELECT count(*) FROM scenario_configuration WHERE scenario_id = (SELECT id FROM scenario WHERE name = $1)`
	listFirst   = `SELECT configuration_id, min(recorded_at) AS at FROM seed WHERE scenario_id = (SELECT id FROM scenario WHERE name = $1) GROUP BY configuration_id`
	listPairs   = `SELECT id, configuration_id FROM scenario_configuration WHERE scenario_id = (SELECT id FROM scenario WHERE name = $1) ORDER BY id`
	setPair     = `UPDATE scenario_configuration SET id = $1 WHERE id = $2`
	negatePairs = `UPDATE scenario_configuration SET id = -id WHERE id < 0`
)

type pairRow struct {
	ID            int64 `db:"id"`
	Configuration int64 `db:"configuration_id"`
}

// PairOrder says where the pairs of a scenario and its configurations have to be, so that they are in the order of
// their first seeds.
type PairOrder struct{ from, to []int64 }

// PairOrder compares the order of the configurations of a scenario with that of their first seeds; nil if they agree.
func (r *Reader) PairOrder(ctx context.Context, scenario string) (*PairOrder, error) {
	n := 0
	if err := r.read().GetContext(ctx, &n, countPairs, scenario); err != nil || n < 2 {
		return nil, explain(err)
	}
	var first []struct {
		Configuration int64 `db:"configuration_id"`
		At            int64 `db:"at"`
	}
	var pairs []pairRow
	err := r.Snapshot(ctx, func(r *Reader) error {
		if err := r.read().SelectContext(ctx, &first, listFirst, scenario); err != nil {
			return err
		}
		return r.read().SelectContext(ctx, &pairs, listPairs, scenario)
	})
	if err != nil {
		return nil, explain(err)
	}
	at := make(map[int64]int64, len(first))
	for _, f := range first {
		at[f.Configuration] = f.At
	}
	pairs = slices.DeleteFunc(pairs, func(p pairRow) bool {
		_, has := at[p.Configuration]
		return !has
	})
	order := &PairOrder{}
	for _, p := range pairs {
		order.to = append(order.to, p.ID) // ascending
	}
	sorted := slices.Clone(pairs)
	slices.SortStableFunc(sorted, func(a, b pairRow) int { return cmp.Compare(at[a.Configuration], at[b.Configuration]) })
	for _, p := range sorted {
		order.from = append(order.from, p.ID)
	}
	if slices.Equal(order.from, order.to) {
		return nil, nil
	}
	return order, nil
}

// Reorder gives pairs the ids that their order asks for.
func (t *Tx) Reorder(o PairOrder) error {
	for i, from := range o.from {
		if _, err := t.exec(setPair, -o.to[i], from); err != nil {
			return err
		}
	}
	_, err := t.exec(negatePairs)
	return err
}
