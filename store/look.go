package store

import (
	"context"
	"crypto/sha256"
	"time"

	"github.com/go-json-experiment/json"

	"track/scoring"
)

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

// noPlan is the plan of a look without one. It is part of a unique key, which NULL would not be.
const noPlan = "[]"

const (
	listLooks = `
	SELECT ulid, kind, question, evidence, n, plan, anytime, verdict, looked_at FROM look WHERE question = $1 ORDER BY looked_at, id`
	listAllLooks = `SELECT ulid, kind, question, evidence, n, plan, anytime, verdict, looked_at FROM look ORDER BY id`
	hasLook      = `SELECT EXISTS (SELECT 1 FROM look WHERE ulid = $1)`
	// Of two looks at the same evidence, the earlier one counts.
	insertLook = `
	INSERT INTO look (ulid, kind, question, evidence, n, plan, anytime, verdict, looked_at) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)
	ON CONFLICT (question, evidence, plan) DO UPDATE SET ulid = excluded.ulid, kind = excluded.kind, n = excluded.n, anytime = excluded.anytime,
	       verdict = excluded.verdict, looked_at = excluded.looked_at
	       WHERE excluded.looked_at < look.looked_at OR excluded.looked_at = look.looked_at AND excluded.ulid < look.ulid`
)

// Looks returns the looks at a question, in the order in which they were recorded.
func (r *Reader) Looks(ctx context.Context, question [sha256.Size]byte) ([]Look, error) {
	var rows []lookRow
	if err := r.read().SelectContext(ctx, &rows, listLooks, question[:]); err != nil {
		return nil, explain(err)
	}
	return looksOf(rows)
}

// AllLooks returns the looks at all questions, in the order in which they were recorded here.
func (r *Reader) AllLooks(ctx context.Context) ([]Look, error) {
	var rows []lookRow
	if err := r.read().SelectContext(ctx, &rows, listAllLooks); err != nil {
		return nil, explain(err)
	}
	return looksOf(rows)
}

// HasLook reports whether a look is here.
func (r *Reader) HasLook(ctx context.Context, id string) (has bool, err error) {
	return has, explain(r.read().GetContext(ctx, &has, hasLook, id))
}

type lookRow struct {
	ULID     string `db:"ulid"`
	Kind     string `db:"kind"`
	Question []byte `db:"question"`
	Evidence []byte `db:"evidence"`
	N        int    `db:"n"`
	Plan     string `db:"plan"`
	Anytime  bool   `db:"anytime"`
	Verdict  string `db:"verdict"`
	LookedAt int64  `db:"looked_at"`
}

func looksOf(rows []lookRow) ([]Look, error) {
	looks := make([]Look, len(rows))
	for i, row := range rows {
		looks[i] = Look{
			ULID: row.ULID, Kind: LookKind(row.Kind), N: row.N, Anytime: row.Anytime, Verdict: scoring.Verdict(row.Verdict), LookedAt: fromMicros(row.LookedAt),
		}
		copy(looks[i].Question[:], row.Question)
		copy(looks[i].Evidence[:], row.Evidence)
		if row.Plan != noPlan {
			if err := decodeStored("plan of an interim analysis", []byte(row.Plan), &looks[i].Plan); err != nil {
				return nil, explain(err)
			}
		}
	}
	return looks, nil
}

// AddLook records a look, unless the question was asked of this evidence before, under the same plan. It reports
// whether it did.
func (t *Tx) AddLook(l Look) (added bool, err error) {
	plan, err := planText(l.Plan)
	if err != nil {
		return false, err
	}
	if err := t.checkNames(fields{{"kind", string(l.Kind)}, {"verdict", string(l.Verdict)}}); err != nil {
		return false, err
	}
	n, err := t.change(insertLook, l.ULID, string(l.Kind), l.Question[:], l.Evidence[:], l.N, plan, l.Anytime, string(l.Verdict), micros(l.LookedAt))
	if n > 0 {
		t.added(findLookByULID, l.ULID)
	}
	return n > 0, err
}

// planText returns a plan of looks as it is stored.
func planText(plan []int) (string, error) {
	if len(plan) == 0 {
		return noPlan, nil
	}
	text, err := json.Marshal(plan)
	return string(text), err
}
