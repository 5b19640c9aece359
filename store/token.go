package store

import (
	"context"
	"crypto/rand"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"track"
	"track/access"
)

// Token is a token as it is stored: the secret itself is not.
type Token struct {
	access.Grant
	Hash      []byte // SHA-256 of the secret
	Actor     string // who added it
	CreatedAt time.Time
	ExpiresAt time.Time // zero for never
	RevokedAt time.Time // zero if it was not
	UsedAt    time.Time // about when it was last used; zero for never
}

const (
	selectTokens = `
	SELECT token.name, token.hash, token.scopes, token.scenarios, token.lineages, token.actor,
	       token.created_at, token.expires_at, token.revoked_at, token.used_at
	  FROM token`
	listTokens     = selectTokens + ` ORDER BY token.created_at, token.name`
	findToken      = selectTokens + ` WHERE token.hash = $1`
	insertToken    = `INSERT INTO token (name, hash, scopes, scenarios, lineages, actor, created_at, expires_at) VALUES ($1, $2, $3, $4, $5, $6, $7, $8)`
	updateToken    = `UPDATE token SET expires_at = $2 WHERE name = $1`
	revokeToken    = `UPDATE token SET revoked_at = $2 WHERE name = $1 AND revoked_at IS NULL`
	updateTokenUse = `UPDATE token SET used_at = $2 WHERE hash = $1 AND (used_at IS NULL OR used_at < $2)`
)

func (c *cells) token() Token {
	t := Token{Grant: access.Grant{Name: c.text()}, Hash: c.bytes()}
	c.json("scopes of a token", &t.Scopes)
	c.json("scenarios of a token", &t.Scenarios)
	c.json("lineages of a token", &t.Lineages)
	t.Actor, t.CreatedAt, t.ExpiresAt, t.RevokedAt, t.UsedAt = c.text(), c.time(), c.time(), c.time(), c.time()
	return t
}

// Tokens returns all tokens, the oldest first.
func (r *Reader) Tokens(ctx context.Context) ([]Token, error) {
	return list(ctx, r, listTokens, nil, (*cells).token)
}

// FindToken returns the token whose secret has this hash; [track.ErrNotFound] if there is none.
func (r *Reader) FindToken(ctx context.Context, hash []byte) (Token, error) {
	token, err := first(ctx, r, findToken, []any{hash}, (*cells).token)
	if err == nil && token == nil {
		err = fmt.Errorf("%w: token", track.ErrNotFound)
	}
	return orZero(token), err
}

// TokenFinder finds tokens for each request of a server, on connections of its own: questions do not hold it up.
type TokenFinder struct{ *Reader }

// TokenFinder returns what finds tokens. It must be closed.
func (s *Store) TokenFinder() TokenFinder {
	return TokenFinder{&Reader{now: s.now, texts: s.texts, pool: &pool{engine: s.pool.engine, path: s.path}}}
}

// Close gives the connections back.
func (f TokenFinder) Close() error { return f.pool.close() }

// AddToken stores a token, whose name must be new.
func (t *Tx) AddToken(token Token) error {
	actor, err := t.actor(token.Actor)
	if err != nil {
		return err
	}
	row := []any{token.Name, token.Hash}
	for _, list := range []any{token.Scopes, token.Scenarios, token.Lineages} {
		text, err := json.Marshal(list)
		if err != nil {
			return err
		}
		row = append(row, string(text))
	}
	_, err = t.exec(insertToken, append(row, actor, micros(token.CreatedAt), nullTime(token.ExpiresAt))...)
	return err
}

// SetToken changes when a token ends.
func (t *Tx) SetToken(token Token) error {
	_, err := t.exec(updateToken, token.Name, nullTime(token.ExpiresAt))
	return err
}

// RevokeToken ends a token for good, and reports whether it was valid.
func (t *Tx) RevokeToken(name string, at time.Time) (revoked bool, err error) {
	n, err := t.change(revokeToken, name, micros(at))
	return n > 0, err
}

// NoteTokenUse notes when a token was used.
func (t *Tx) NoteTokenUse(hash []byte, at time.Time) error {
	_, err := t.exec(updateTokenUse, hash, micros(at))
	return err
}

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
