package storetest

import (
	"errors"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"track"
	"track/access"
	"track/store"
)

// A finder sees each change of a token at once, though it keeps what it found.
func testTokens(t *testing.T, st *store.Store) {
	finder, err := st.TokenFinder(t.Context())
	if err != nil {
		t.Fatal(err)
	}
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

// What is counted for a token is counted by day, and by whoever counts.
func testTokenUse(t *testing.T, st *store.Store) {
	update(t, st, func(tx *store.Tx) error {
		return tx.AddToken(store.Token{Grant: access.Grant{Name: "limited", Quota: access.Quota{Records: 5, Bytes: 100}}, Hash: []byte("of limited"), CreatedAt: time.UnixMicro(1)})
	})
	today := time.Date(2026, 3, 1, 23, 59, 0, 0, time.UTC)
	tomorrow := today.Add(time.Minute)
	for _, one := range []struct {
		name, writer string
		at           time.Time
		recorded     access.Quota
	}{
		{"limited", "a", today, access.Quota{Records: 2, Bytes: 30}},
		{"limited", "b", today, access.Quota{Records: 1, Bytes: 10}},
		{"limited", "a", today, access.Quota{Records: 1, Bytes: 5}},
		{"limited", "a", tomorrow, access.Quota{Records: 7, Bytes: 70}},
		{"of nobody", "a", today, access.Quota{Records: 1, Bytes: 1}},
	} {
		update(t, st, func(tx *store.Tx) error { return tx.AddTokenUse(one.name, one.writer, one.at, one.recorded) })
	}
	for at, want := range map[time.Time]access.Quota{
		today: {Records: 4, Bytes: 45}, tomorrow: {Records: 7, Bytes: 70}, tomorrow.Add(24 * time.Hour): {},
	} {
		if use, err := st.TokenUse(t.Context(), "limited", at); err != nil || use != want {
			t.Errorf("%v: %v, %v, want %v", at, use, err, want)
		}
	}
	uses, err := st.TokenUses(t.Context(), today)
	if diff := cmp.Diff(map[string]access.Quota{"limited": {Records: 4, Bytes: 45}}, uses); diff != "" || err != nil {
		t.Errorf("uses (-want +got):\n%s%v", diff, err)
	}
	if token, err := st.FindToken(t.Context(), []byte("of limited")); err != nil || token.Quota != (access.Quota{Records: 5, Bytes: 100}) {
		t.Errorf("%+v, %v", token, err)
	}
}
