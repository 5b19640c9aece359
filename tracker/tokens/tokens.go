// Package tokens keeps the tokens with which people and programs use a server.
package tokens

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"slices"
	"time"

	"track"
	"track/access"
	"track/answer"
	"track/store"
)

// Add adds a token. Its name must be new: what a holder changes is recorded under it, so a name is not given again.
func Add(ctx context.Context, st *store.Store, q answer.AddTokenQuestion) (a answer.AddedToken, err error) {
	if err := track.CheckName(q.Grant.Name); err != nil {
		return a, &track.FieldError{Field: "name", Message: err.Error()}
	}
	secret, err := access.NewSecret(rand.Reader)
	if err != nil {
		return a, err
	}
	hash := secret.Hash()
	token := store.Token{Grant: q.Grant, Hash: hash[:], Actor: q.Actor}
	err = st.Update(ctx, func(tx *store.Tx) error {
		switch _, err := find(ctx, tx.Reader, q.Grant.Name); {
		case err == nil:
			err = fmt.Errorf("%w: a token %s was added before; names of tokens are not given again", track.ErrConflict, q.Grant.Name)
			return track.WithHint(err, track.NewHint("see all tokens", "token list"))
		case !errors.Is(err, track.ErrNotFound):
			return err
		}
		token.CreatedAt = tx.Now()
		if q.Expires > 0 {
			token.ExpiresAt = token.CreatedAt.Add(q.Expires)
		}
		return tx.AddToken(token)
	})
	return answer.AddedToken{Token: newToken(token, token.CreatedAt), Secret: secret}, err
}

// List returns all tokens.
func List(ctx context.Context, r *store.Reader, _ answer.TokensQuestion) (a answer.Tokens, err error) {
	list, err := r.Tokens(ctx)
	if err != nil {
		return a, err
	}
	for _, t := range list {
		a.Items = append(a.Items, newToken(t, r.Now()))
	}
	return a, nil
}

// Set changes when a token ends. What a token allows stays: who has it may rely on that.
func Set(ctx context.Context, st *store.Store, q answer.SetTokenQuestion) (a answer.ChangedToken, err error) {
	err = st.Update(ctx, func(tx *store.Tx) error {
		token, err := find(ctx, tx.Reader, q.Name)
		if err != nil {
			return err
		}
		if !token.RevokedAt.IsZero() {
			err := fmt.Errorf("%w: the token %s is revoked, and stays so", track.ErrConflict, q.Name)
			return track.WithHint(err, track.NewHint("add another one", "token add"))
		}
		token.ExpiresAt = time.Time{}
		if *q.Expires > 0 {
			token.ExpiresAt = tx.Now().Add(*q.Expires)
		}
		a.Token = newToken(token, tx.Now())
		return tx.SetToken(token)
	})
	return a, err
}

// Revoke ends a token for good.
func Revoke(ctx context.Context, st *store.Store, q answer.RevokeTokenQuestion) (a answer.RevokedToken, err error) {
	err = st.Update(ctx, func(tx *store.Tx) error {
		if _, err := find(ctx, tx.Reader, q.Name); err != nil {
			return err
		}
		if _, err := tx.RevokeToken(q.Name, tx.Now()); err != nil {
			return err
		}
		token, err := find(ctx, tx.Reader, q.Name)
		a = answer.RevokedToken{Token: newToken(token, tx.Now())}
		return err
	})
	return a, err
}

func find(ctx context.Context, r *store.Reader, name string) (store.Token, error) {
	list, err := r.Tokens(ctx)
	if err != nil {
		return store.Token{}, err
	}
	i := slices.IndexFunc(list, func(t store.Token) bool { return t.Name == name })
	if i < 0 {
		return store.Token{}, track.WithHint(fmt.Errorf("%w: token %s", track.ErrNotFound, name), track.NewHint("see all tokens", "token list"))
	}
	return list[i], nil
}

// finder finds a token by the hash of its secret: a [store.Reader] or a [store.TokenFinder].
type finder interface {
	FindToken(ctx context.Context, hash []byte) (store.Token, error)
}

// Authenticate returns what the holder of a secret may do; [track.ErrNotFound] if the secret is of no token that is
// valid now. The secret is looked up by its hash, so how long that takes tells nothing of other secrets.
func Authenticate(ctx context.Context, from finder, secret access.Secret, now time.Time) (access.Grant, error) {
	hash := secret.Hash()
	token, err := from.FindToken(ctx, hash[:])
	if err == nil && state(token, now) != stateValid {
		err = fmt.Errorf("%w: the token %s is %s", track.ErrNotFound, token.Name, state(token, now))
	}
	return token.Grant, err
}

const stateValid, stateExpired, stateRevoked = "valid", "expired", "revoked"

func state(t store.Token, now time.Time) string {
	switch {
	case !t.RevokedAt.IsZero():
		return stateRevoked
	case !t.ExpiresAt.IsZero() && !now.Before(t.ExpiresAt):
		return stateExpired
	}
	return stateValid
}

func newToken(t store.Token, now time.Time) answer.Token {
	return answer.Token{
		Name: t.Name, Scopes: t.Scopes, Scenarios: t.Scenarios, Lineages: t.Lineages, State: state(t, now),
		AddedBy: t.Actor, AddedAt: t.CreatedAt, ExpiresAt: t.ExpiresAt, RevokedAt: t.RevokedAt, UsedAt: t.UsedAt,
	}
}
