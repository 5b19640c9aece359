package access_test

import (
	"bytes"
	"crypto/rand"
	"strings"
	"testing"

	"track/access"
)

func TestGrant(t *testing.T) {
	reader := access.Grant{Scopes: []access.Scope{access.Read}, Scenarios: []access.Pattern{"bam/*"}}
	admin := access.Grant{Scopes: []access.Scope{access.Admin}}
	for _, tt := range []struct {
		what      string
		got, want bool
	}{
		{"a reader reads", reader.Allows(access.Read), true},
		{"a reader does not record", reader.Allows(access.Record), false},
		{"an administrator records", admin.Allows(access.Record), true},
		{"a name that fits", reader.MayNameScenario("bam/growth"), true},
		{"a name that begins alike", reader.MayNameScenario("bam"), false},
		{"a name with the pattern within", reader.MayNameScenario("x/bam/growth"), false},
		{"a lineage, which no pattern names", reader.MayNameLineage("bam/growth"), false},
		{"any lineage without patterns", admin.MayNameLineage("bam/growth"), true},
	} {
		if tt.got != tt.want {
			t.Errorf("%s: %t", tt.what, tt.got)
		}
	}
}

func TestParsePattern(t *testing.T) {
	for text, fits := range map[string]bool{"bam/*": true, "bam": true, "*": true, "": false, "*x": false, "a*b*": false} {
		if _, err := access.ParsePattern(text); (err == nil) != fits {
			t.Errorf("%q: %v", text, err)
		}
	}
}

func TestSecret(t *testing.T) {
	for range 100 {
		secret, err := access.NewSecret(rand.Reader)
		if err != nil {
			t.Fatal(err)
		}
		if got, err := access.ParseSecret(string(secret)); err != nil || got != secret {
			t.Fatalf("%s: %v", secret, err)
		}
		for i := range secret {
			wrong := []byte(secret)
			wrong[i] ^= 1
			if _, err := access.ParseSecret(string(wrong)); err == nil {
				t.Fatalf("%s is taken for a token", wrong)
			}
		}
	}
	least, err := access.NewSecret(bytes.NewReader(make([]byte, 32)))
	if err != nil || !strings.HasPrefix(string(least), "trk_"+strings.Repeat("0", 43)) || len(least) != 53 {
		t.Errorf("%s, %v", least, err)
	}
	if _, err := access.NewSecret(bytes.NewReader(make([]byte, 31))); err == nil {
		t.Error("a secret of 31 bytes")
	}
}

func FuzzParseSecret(f *testing.F) {
	secret, err := access.NewSecret(bytes.NewReader(bytes.Repeat([]byte{7}, 32)))
	if err != nil {
		f.Fatal(err)
	}
	f.Add(string(secret))
	f.Add("trk_")
	f.Fuzz(func(t *testing.T, text string) {
		if got, err := access.ParseSecret(text); err == nil && string(got) != text {
			t.Errorf("%q became %q", text, got)
		}
	})
}
