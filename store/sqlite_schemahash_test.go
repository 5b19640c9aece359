package store

import (
	"path/filepath"
	"testing"

	"github.com/jmoiron/sqlx"
)

// A new database has the schema that files are compared with first: if it has not, opening takes longer.
func TestSchemaHash(t *testing.T) {
	path := filepath.Join(t.TempDir(), "track.db")
	if _, err := Init(t.Context(), path); err != nil {
		t.Fatal(err)
	}
	db, err := sqlx.Open(driverName, path)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = db.Close() }()
	var state schemaState
	if err := db.Get(&state, getSchemaState); err != nil {
		t.Fatal(err)
	}
	if got := hashOf(state.Schema); got != schemaHash {
		t.Errorf("schemaHash is %s, want %s", schemaHash, got)
	}
}
