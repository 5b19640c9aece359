package store_test

import (
	"errors"
	"testing"

	"track/store"
)

func TestCheckSQL(t *testing.T) {
	for _, tt := range []struct {
		text    string
		unknown bool // the schema is
		wrong   bool // SQLite refuses it
	}{
		{"SELECT 1", false, false},
		{"-- nothing\n/* at ; all */ ;;", false, false},
		{"CREATE TABLE t (a INTEGER, b TEXT DEFAULT ';'); SELECT ';' AS \";\"", false, false},
		{"SELECT a FROM t WHERE a > 1", true, false},
		{"INSERT INTO t (a) VALUES (1); SELECT 1", true, false},
		{"CREATE TRIGGER x AFTER INSERT ON t BEGIN DELETE FROM t; SELECT 1; END; SELECT 1", true, false},
		{"SELEC 1", false, true},
		{"SELECT FROM WHERE", false, true},
		{"SELECT a FROM t; SELECT (1", false, true},
		{"SELECT 'open", false, true},
		{"ATTACH 'x.db' AS other; CREATE TABLE other.t (a)", true, false}, // compiled, not run
	} {
		err := store.CheckSQL(t.Context(), tt.text)
		if unknown := errors.Is(err, store.ErrUnknownSchema); unknown != tt.unknown || (err != nil && !unknown) != tt.wrong {
			t.Errorf("%q: %v", tt.text, err)
		}
	}
}

func FuzzCheckSQL(f *testing.F) {
	for _, seed := range []string{"SELECT 1;", "/* ' */ x '", "create trigger t begin select 1; end;", "[a]];\"b\"\""} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		_ = store.CheckSQL(t.Context(), text) // it ends, and never panics
	})
}
