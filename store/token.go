package store

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/jmoiron/sqlx"

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
	SELECT token.name, token.hash, token.scopes, token.scenarios, token.lineages, coalesce(actor.name, '') AS actor,
	       token.created_at, token.expires_at, token.revoked_at, token.used_at
	  FROM token
	  LEFT JOIN actor ON actor.id = token.actor_id`
	listTokens     = selectTokens + ` ORDER BY token.created_at, token.name`
	findToken      = selectTokens + ` WHERE token.hash = $1`
	insertToken    = `INSERT INTO token (name, hash, scopes, scenarios, lineages, actor_id, created_at, expires_at) VALUES ($1, $2, $3, $4, $5, $6, $7, $8)`
	updateToken    = `UPDATE token SET expires_at = $2 WHERE name = $1`
	revokeToken    = `UPDATE token SET revoked_at = $2 WHERE name = $1 AND revoked_at IS NULL`
	updateTokenUse = `UPDATE token SET used_at = $2 WHERE hash = $1 AND (used_at IS NULL OR used_at < $2)`
)

type tokenRow struct {
	Name      string        `db:"name"`
	Hash      []byte        `db:"hash"`
	Scopes    string        `db:"scopes"`
	Scenarios string        `db:"scenarios"`
	Lineages  string        `db:"lineages"`
	Actor     string        `db:"actor"`
	CreatedAt int64         `db:"created_at"`
	ExpiresAt sql.NullInt64 `db:"expires_at"`
	RevokedAt sql.NullInt64 `db:"revoked_at"`
	UsedAt    sql.NullInt64 `db:"used_at"`
}

func (r tokenRow) token() (Token, error) {
	t := Token{
		Grant: access.Grant{Name: r.Name}, Hash: r.Hash, Actor: r.Actor,
		CreatedAt: fromMicros(r.CreatedAt), ExpiresAt: nullableTime(r.ExpiresAt), RevokedAt: nullableTime(r.RevokedAt), UsedAt: nullableTime(r.UsedAt),
	}
	for _, list := range []struct {
		text string
		to   any
	}{{r.Scopes, &t.Scopes}, {r.Scenarios, &t.Scenarios}, {r.Lineages, &t.Lineages}} {
		if err := json.Unmarshal([]byte(list.text), list.to); err != nil {
			return Token{}, fmt.Errorf("%w: token %s: %w", track.ErrDamaged, r.Name, err)
		}
	}
	return t, nil
}

// Tokens returns all tokens, the oldest first.
func (r *Reader) Tokens(ctx context.Context) ([]Token, error) {
	var rows []tokenRow
	if err := r.read().SelectContext(ctx, &rows, listTokens); err != nil {
		return nil, explain(err)
	}
	list := make([]Token, len(rows))
	for i, row := range rows {
		var err error
		if list[i], err = row.token(); err != nil {
			return nil, err
		}
	}
	return list, nil
}

// FindToken returns the token whose secret has this hash; [track.ErrNotFound] if there is none.
func (r *Reader) FindToken(ctx context.Context, hash []byte) (Token, error) {
	var row tokenRow
	err := r.read().GetContext(ctx, &row, findToken, hash)
	return foundToken(row, err)
}

func foundToken(row tokenRow, err error) (Token, error) {
	if errors.Is(err, sql.ErrNoRows) {
		return Token{}, fmt.Errorf("%w: token", track.ErrNotFound)
	}
	if err != nil {
		return Token{}, explain(err)
	}
	return row.token()
}

// TokenFinder finds tokens for each request of a server: it keeps connections, and the statement prepared on one. In
// a file it keeps what it found as well, until somebody changes the database.
type TokenFinder struct {
	db      *sqlx.DB
	find    *sqlx.Stmt
	changes *Changes // nil on a server

	mu     sync.Mutex
	known  map[string]Token // by hash, found since the cursor was at
	cursor int64
}

// mostTokens bounds the tokens that are kept.
const mostTokens = 1024

// TokenFinder returns what finds tokens. It must be closed.
func (s *Store) TokenFinder(ctx context.Context) (*TokenFinder, error) {
	db, err := s.pool.engine.openReaders()
	if err != nil {
		return nil, explain(err)
	}
	db.SetMaxOpenConns(1)
	find, err := db.PreparexContext(ctx, s.pool.engine.words(findToken))
	if err != nil {
		return nil, errors.Join(explain(err), db.Close())
	}
	f := &TokenFinder{db: db, find: find, known: map[string]Token{}}
	changes, err := s.Changes(ctx)
	if err == nil && changes.isQuick {
		f.changes = changes
	} else if err == nil { // asking whether something changed takes as long as asking for the token
		err = changes.Close()
	}
	if err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return f, nil
}

// FindToken is [Reader.FindToken]. It sees each commit at once.
func (f *TokenFinder) FindToken(ctx context.Context, hash []byte) (Token, error) {
	if f.changes == nil {
		return f.lookUp(ctx, hash)
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	cursor, err := f.changes.Cursor(ctx)
	if err != nil {
		return Token{}, err
	}
	if cursor != f.cursor || len(f.known) >= mostTokens {
		clear(f.known)
		f.cursor = cursor // of a state before that of every token that is kept
	}
	token, isKnown := f.known[string(hash)]
	if isKnown {
		return token, nil
	}
	if token, err = f.lookUp(ctx, hash); err == nil {
		f.known[string(hash)] = token
	}
	return token, err
}

func (f *TokenFinder) lookUp(ctx context.Context, hash []byte) (Token, error) {
	var row tokenRow
	err := f.find.QueryRowContext(ctx, hash).Scan(&row.Name, &row.Hash, &row.Scopes, &row.Scenarios, &row.Lineages, &row.Actor, &row.CreatedAt, &row.ExpiresAt, &row.RevokedAt, &row.UsedAt)
	err = scanError(ctx, err)
	return foundToken(row, err)
}

// Close gives the connections back.
func (f *TokenFinder) Close() error {
	err := errors.Join(f.find.Close(), f.db.Close())
	if f.changes != nil {
		err = errors.Join(err, f.changes.Close())
	}
	return err
}

// AddToken stores a token, whose name must be new.
func (t *Tx) AddToken(token Token) error {
	actor, err := t.actorID(token.Actor)
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
	_, err = t.exec(insertToken, append(row, actor, micros(token.CreatedAt), ending(token.ExpiresAt))...)
	return err
}

// SetToken changes when a token ends.
func (t *Tx) SetToken(token Token) error {
	_, err := t.exec(updateToken, token.Name, ending(token.ExpiresAt))
	return err
}

// ending returns the column of the time when a token ends.
func ending(at time.Time) sql.NullInt64 {
	if at.IsZero() {
		return sql.NullInt64{}
	}
	return sql.NullInt64{Int64: micros(at), Valid: true}
}

// RevokeToken ends a token for good, and reports whether it was valid.
func (t *Tx) RevokeToken(name string, at time.Time) (revoked bool, err error) {
	result, err := t.exec(revokeToken, name, micros(at))
	if err != nil {
		return false, err
	}
	n, err := result.RowsAffected()
	return n > 0, err
}

// NoteTokenUse notes when a token was used.
func (t *Tx) NoteTokenUse(hash []byte, at time.Time) error {
	_, err := t.exec(updateTokenUse, hash, micros(at))
	return err
}
