package tracker_test

import (
	"errors"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"track"
	"track/access"
	"track/answer"
	"track/internal/testdb"
	"track/tracker/tokens"
)

func TestTokens(t *testing.T) {
	st := testdb.New(t)
	grant := access.Grant{Name: "ci", Scopes: []access.Scope{access.Record, access.Read}, Scenarios: []access.Pattern{"bam/*"}}
	added, err := tokens.Add(t.Context(), st, answer.AddTokenQuestion{Grant: grant, Expires: time.Hour, Author: answer.Author{Actor: "ana"}})
	if err != nil {
		t.Fatal(err)
	}
	got, err := tokens.Authenticate(t.Context(), st.Reader, added.Secret, added.AddedAt)
	if diff := cmp.Diff(grant, got, cmp.Comparer(func(a, b []access.Pattern) bool { return len(a) == len(b) && (len(a) == 0 || a[0] == b[0]) })); err != nil || diff != "" {
		t.Errorf("%v (-added +found):\n%s", err, diff)
	}
	if _, err := tokens.Add(t.Context(), st, answer.AddTokenQuestion{Grant: grant}); !errors.Is(err, track.ErrConflict) {
		t.Errorf("a name that is taken: %v", err)
	}
	for _, name := range []string{"", " ", "x\ny"} {
		if _, err := tokens.Add(t.Context(), st, answer.AddTokenQuestion{Grant: access.Grant{Name: name}}); !errors.Is(err, track.ErrInvalid) {
			t.Errorf("%q as a name: %v", name, err)
		}
	}
	another, err := access.NewSecret(zeros{})
	if err != nil {
		t.Fatal(err)
	}
	for what, now := range map[string]time.Time{"a token that has expired": added.ExpiresAt, "a secret of no token": added.AddedAt} {
		secret := added.Secret
		if what == "a secret of no token" {
			secret = another
		}
		if _, err := tokens.Authenticate(t.Context(), st.Reader, secret, now); !errors.Is(err, track.ErrNotFound) {
			t.Errorf("%s: %v", what, err)
		}
	}
	if _, err := tokens.Revoke(t.Context(), st, answer.RevokeTokenQuestion{Name: "nobody"}); !errors.Is(err, track.ErrNotFound) {
		t.Errorf("revoking what is not there: %v", err)
	}
	for range 2 { // again is no error
		revoked, err := tokens.Revoke(t.Context(), st, answer.RevokeTokenQuestion{Name: "ci"})
		if err != nil || revoked.State != "revoked" {
			t.Errorf("revoked: %+v, %v", revoked, err)
		}
	}
	if _, err := tokens.Authenticate(t.Context(), st.Reader, added.Secret, added.AddedAt); !errors.Is(err, track.ErrNotFound) {
		t.Errorf("a revoked token: %v", err)
	}
	list, err := tokens.List(t.Context(), st.Reader, answer.TokensQuestion{})
	if err != nil || len(list.Items) != 1 || list.Items[0].State != "revoked" || list.Items[0].AddedBy != "ana" || !list.Items[0].ExpiresAt.Equal(list.Items[0].AddedAt.Add(time.Hour)) {
		t.Errorf("%+v, %v", list, err)
	}
}

// zeros are bytes that nobody draws.
type zeros struct{}

func (zeros) Read(b []byte) (int, error) { return len(b), nil }
