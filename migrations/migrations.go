// Package migrations holds the schema of the database as goose migrations, one folder per SQL dialect with the same numbers and
// names in each.
package migrations

import (
	"embed"
	"io/fs"
)

//go:embed sqlite/*.sql
var files embed.FS

// SQLite returns the migrations for SQLite.
func SQLite() (fs.FS, error) { return fs.Sub(files, "sqlite") }

// Latest is the version of the newest migration. Opening a database compares it with PRAGMA user_version.
const Latest = 10
