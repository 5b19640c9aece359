package store

import (
	"context"
	"crypto/sha256"
	"database/sql"
	"errors"
	"fmt"
	"time"

	"github.com/go-json-experiment/json"

	"track"
	"track/scoring"
)

// Spec is a version of a scenario's spec as it is stored.
type Spec struct {
	ID        int64
	Scenario  string
	Version   int
	Hash      string // hex SHA-256 of Document
	Title     string
	Document  []byte // canonical JSON
	CreatedAt time.Time
}

// SpecMetric is what queries need to know of a metric of a spec.
type SpecMetric struct {
	Name, Type, Group string
	Weight            float64
	Computed          bool // the spec computes its value from a series
}

const (
	selectSpec = `
	SELECT spec.id, scenario.name, spec.version, spec.hash, spec.title, spec.document, spec.created_at
	  FROM spec JOIN scenario ON scenario.id = spec.scenario_id`
	getSpecNewest   = selectSpec + ` WHERE scenario.name = $1 ORDER BY spec.version DESC LIMIT 1`
	getSpecVersion  = selectSpec + ` WHERE scenario.name = $1 AND spec.version = $2`
	getSpecByHash   = selectSpec + ` WHERE scenario.name = $1 AND spec.hash = $2`
	listSpecs       = selectSpec + ` ORDER BY scenario.name, spec.version`
	getNewestSpecID = `SELECT spec.id FROM spec JOIN scenario ON scenario.id = spec.scenario_id WHERE scenario.name = $1 ORDER BY spec.version DESC LIMIT 1`
	listSpecHashes  = `SELECT spec.id, spec.hash FROM spec JOIN scenario ON scenario.id = spec.scenario_id WHERE scenario.name = $1 ORDER BY spec.version`
	listSpecMetrics = `SELECT name, type, metric_group, weight, computed FROM spec_metric WHERE spec_id = $1 ORDER BY position`
	insertSpec      = `
	INSERT INTO spec (scenario_id, version, hash, title, document, created_at)
	VALUES ($1, (SELECT coalesce(max(version), 0) + 1 FROM spec WHERE scenario_id = $1), $2, $3, $4, $5)`
	insertSpecMetric = `INSERT INTO spec_metric (spec_id, position, name, type, weight, metric_group, computed) VALUES ($1, $2, $3, $4, $5, $6, $7)`
	setSpecAdded     = `UPDATE spec SET version = $1, created_at = $2 WHERE id = $3`
	earlierSpec      = `UPDATE spec SET created_at = $1 WHERE id = $2 AND created_at > $1`
)

func (c *cells) spec() Spec {
	return Spec{c.integer(), c.text(), c.count(), c.text(), c.text(), []byte(c.text()), c.time()}
}

// Spec returns a version of a scenario's spec, the newest for version 0.
func (r *Reader) Spec(ctx context.Context, scenario string, version int) (Spec, error) {
	query, args, name := getSpecVersion, []any{scenario, version}, fmt.Sprintf("%s@%d", scenario, version)
	if version == 0 {
		query, args, name = getSpecNewest, args[:1], scenario
	}
	spec, err := first(ctx, r, query, args, (*cells).spec)
	if err == nil && spec == nil {
		err = fmt.Errorf("spec %s: %w", name, track.ErrNotFound)
		err = track.WithHint(track.WithHint(err, track.NewHint("list the specs", "spec list")), track.NewHint("add one", "spec add", "FILE"))
	}
	if err != nil {
		return Spec{}, err
	}
	return *spec, nil
}

// IsNewestSpec reports whether the spec with this id is the newest version of a scenario. It costs less than to read
// it.
func (t *Tx) IsNewestSpec(scenario string, id int64) (bool, error) {
	var newest int64
	err := t.getID(&newest, getNewestSpecID, scenario)
	if errors.Is(err, sql.ErrNoRows) {
		return false, nil
	}
	return newest == id, explain(err)
}

// Specs returns all versions of all scenarios, by scenario and version.
func (r *Reader) Specs(ctx context.Context) ([]Spec, error) {
	return list(ctx, r, listSpecs, nil, (*cells).spec)
}

// SpecMetrics returns the metrics of a spec as queries use them.
func (r *Reader) SpecMetrics(ctx context.Context, specID int64) ([]SpecMetric, error) {
	return list(ctx, r, listSpecMetrics, []any{specID}, func(c *cells) SpecMetric {
		return SpecMetric{c.text(), c.text(), c.text(), c.real(), c.isTrue()}
	})
}

// SpecHash names a version of a spec by its content.
type SpecHash struct {
	ID   int64
	Hash string
}

// SpecHashes returns the specs of a scenario by their versions.
func (r *Reader) SpecHashes(ctx context.Context, scenario string) ([]SpecHash, error) {
	return list(ctx, r, listSpecHashes, []any{scenario}, func(c *cells) SpecHash { return SpecHash{c.integer(), c.text()} })
}

// AddSpec stores spec as the next version of its scenario and returns it with ID, Version and CreatedAt. If the
// scenario has a version of the same hash, it returns that one and false.
func (t *Tx) AddSpec(spec Spec, metrics []SpecMetric) (stored Spec, added bool, err error) {
	here, err := first(t.ctx, t.Reader, getSpecByHash, []any{spec.Scenario, spec.Hash}, (*cells).spec)
	if err != nil {
		return Spec{}, false, err
	}
	if here != nil {
		return *here, false, nil
	}
	scenario, err := t.scenarioID(spec.Scenario)
	if err == nil {
		err = t.checkText("spec", string(spec.Document))
	}
	if err == nil {
		_, err = t.exec(insertSpec, scenario, spec.Hash, t.free(spec.Title), string(spec.Document), t.now)
	}
	if err == nil {
		here, err = first(t.ctx, t.Reader, getSpecByHash, []any{spec.Scenario, spec.Hash}, (*cells).spec)
	}
	if err != nil {
		return Spec{}, false, err
	}
	for i, m := range metrics {
		if err := t.checkName("metric", m.Name); err != nil {
			return Spec{}, false, err
		}
		if _, err := t.exec(insertSpecMetric, here.ID, i, m.Name, m.Type, m.Weight, nullText(m.Group), m.Computed); err != nil {
			return Spec{}, false, err
		}
	}
	return *here, true, nil
}

// AddSpecAs stores a version of a spec of another database under the number that it has there. Of one that is here, the
// earlier time counts.
func (t *Tx) AddSpecAs(s Spec, metrics []SpecMetric) error {
	stored, added, err := t.AddSpec(s, metrics)
	switch {
	case err != nil:
		return err
	case added:
		_, err = t.exec(setSpecAdded, s.Version, micros(s.CreatedAt), stored.ID)
	default:
		_, err = t.exec(earlierSpec, micros(s.CreatedAt), stored.ID)
	}
	return err
}

// LookKind is what was decided at a look.
type LookKind string

// The kinds.
const (
	LookGate        LookKind = "gate"
	LookImprovement LookKind = "improvement"
)

// Look is a decision on one set of seeds.
type Look struct {
	ULID     string
	Kind     LookKind
	Question [sha256.Size]byte // of what was asked
	Evidence [sha256.Size]byte // of the seeds that were looked at
	N        int               // seeds, or pairs
	Plan     []int
	Anytime  bool
	Verdict  scoring.Verdict
	LookedAt time.Time
}

const (
	selectLooks  = `SELECT ulid, kind, question, evidence, n, plan, anytime, verdict, looked_at FROM look`
	listLooks    = selectLooks + ` WHERE question = $1 ORDER BY looked_at, id`
	listAllLooks = selectLooks + ` ORDER BY id`
	hasLook      = `SELECT 1 FROM look WHERE ulid = $1`
	// Of two looks at the same evidence, the earlier one counts.
	insertLook = `
	INSERT INTO look (ulid, kind, question, evidence, n, plan, anytime, verdict, looked_at) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)
	ON CONFLICT (question, evidence, plan) DO UPDATE SET ulid = excluded.ulid, kind = excluded.kind, n = excluded.n, anytime = excluded.anytime,
	       verdict = excluded.verdict, looked_at = excluded.looked_at
	       WHERE excluded.looked_at < look.looked_at OR excluded.looked_at = look.looked_at AND excluded.ulid < look.ulid`
)

func (c *cells) look() Look {
	l := Look{ULID: c.text(), Kind: LookKind(c.text()), Question: c.digest(), Evidence: c.digest(), N: c.count()}
	if c.json("plan of an interim analysis", &l.Plan); len(l.Plan) == 0 {
		l.Plan = nil
	}
	l.Anytime, l.Verdict, l.LookedAt = c.isTrue(), scoring.Verdict(c.text()), c.time()
	return l
}

// Looks returns the looks at a question, in the order in which they were recorded.
func (r *Reader) Looks(ctx context.Context, question [sha256.Size]byte) ([]Look, error) {
	return list(ctx, r, listLooks, []any{question[:]}, (*cells).look)
}

// AllLooks returns the looks at all questions, in the order in which they were recorded here.
func (r *Reader) AllLooks(ctx context.Context) ([]Look, error) {
	return list(ctx, r, listAllLooks, nil, (*cells).look)
}

// HasLook reports whether a look is here.
func (r *Reader) HasLook(ctx context.Context, id string) (bool, error) {
	return r.exists(ctx, hasLook, id)
}

// AddLook records a look, unless the question was asked of this evidence before, under the same plan. It reports
// whether it did.
func (t *Tx) AddLook(l Look) (added bool, err error) {
	plan := []byte("[]") // part of a unique key, which NULL would not be
	if len(l.Plan) > 0 {
		if plan, err = json.Marshal(l.Plan); err != nil {
			return false, err
		}
	}
	if err := t.checkNames(fields{{"kind", string(l.Kind)}, {"verdict", string(l.Verdict)}}); err != nil {
		return false, err
	}
	n, err := t.change(insertLook, l.ULID, string(l.Kind), l.Question[:], l.Evidence[:], l.N, string(plan), l.Anytime, string(l.Verdict), micros(l.LookedAt))
	if n > 0 {
		t.added(findLookByULID, l.ULID)
	}
	return n > 0, err
}
