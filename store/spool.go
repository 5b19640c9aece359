package store

import (
	"context"
	"crypto/rand"
	"database/sql"
	"errors"
)

const (
	findSpool    = `SELECT through, refused FROM spool WHERE ulid = $1`
	advanceSpool = `
	INSERT INTO spool (ulid, through, refused, actor, changed_at) VALUES ($1, $2, $3, $4, $5)
	    ON CONFLICT (ulid) DO UPDATE SET through = CASE WHEN spool.through < excluded.through THEN excluded.through ELSE spool.through END,
	       refused = spool.refused + excluded.refused, actor = excluded.actor, changed_at = excluded.changed_at`
	findEpoch   = `SELECT name FROM epoch WHERE id = 1`
	insertEpoch = `INSERT INTO epoch (id, name, made_at) VALUES (1, $1, $2) ON CONFLICT (id) DO NOTHING`
	deleteEpoch = `DELETE FROM epoch`
)

// SpoolPosition says how far the lines of a spool are recorded.
type SpoolPosition struct {
	Through int64 `db:"through"` // lines that the database has, or has refused
	Refused int64 `db:"refused"` // of them, lines that are not recorded
}

// SpoolPosition returns the position of a spool; zero for one that is not known.
func (r *Reader) SpoolPosition(ctx context.Context, id string) (p SpoolPosition, err error) {
	err = r.read().GetContext(ctx, &p, findSpool, id)
	if errors.Is(err, sql.ErrNoRows) {
		return SpoolPosition{}, nil
	}
	return p, explain(err)
}

// AdvanceSpool sets the position of a spool to p.Through, unless it is there, and adds p.Refused. Actor is who sent the
// lines.
func (t *Tx) AdvanceSpool(id, actor string, p SpoolPosition) error {
	by, err := t.actor(actor)
	if err != nil {
		return err
	}
	_, err = t.exec(advanceSpool, id, p.Through, p.Refused, by, t.now)
	return err
}

// Epoch returns what tells the database from a new one at the same place, and from one that was restored from a backup.
// It is made when it is first asked for.
func (s *Store) Epoch(ctx context.Context) (name string, err error) {
	if name, err = s.findEpoch(ctx); !errors.Is(err, sql.ErrNoRows) {
		return name, explain(err)
	}
	err = s.Update(ctx, func(tx *Tx) error {
		_, err := tx.exec(insertEpoch, rand.Text(), micros(s.Now()))
		return err
	})
	if err != nil {
		return "", err
	}
	name, err = s.findEpoch(ctx)
	return name, explain(err)
}

func (s *Store) findEpoch(ctx context.Context) (name string, err error) {
	err = s.read().GetContext(ctx, &name, findEpoch)
	return name, err
}
