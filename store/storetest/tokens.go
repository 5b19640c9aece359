package storetest

import (
	"errors"
	"testing"
	"time"

	"track"
	"track/access"
	"track/store"
)

// A finder sees each change of a token at once.
func testTokens(t *testing.T, st *store.Store) {
	finder := st.TokenFinder()
	defer func() {
		if err := finder.Close(); err != nil {
			t.Error(err)
		}
	}()
	hash := []byte("hash of a secret")
	if _, err := finder.FindToken(t.Context(), hash); !errors.Is(err, track.ErrNotFound) {
		t.Errorf("before it was added: %v", err)
	}
	update(t, st, func(tx *store.Tx) error {
		return tx.AddToken(store.Token{Grant: access.Grant{Name: "ci", Scopes: []access.Scope{access.Record}}, Hash: hash, Actor: "ana", CreatedAt: time.UnixMicro(1)})
	})
	for range 2 {
		token, err := finder.FindToken(t.Context(), hash)
		if err != nil || token.Name != "ci" || !token.Allows(access.Record) || !token.RevokedAt.IsZero() {
			t.Errorf("%+v, %v", token, err)
		}
	}
	update(t, st, func(tx *store.Tx) error {
		_, err := tx.RevokeToken("ci", time.UnixMicro(2))
		return err
	})
	if token, err := finder.FindToken(t.Context(), hash); err != nil || !token.RevokedAt.Equal(time.UnixMicro(2)) {
		t.Errorf("after it was revoked: %+v, %v", token, err)
	}
}
