// Package migrations holds the schema of the database: the tables as goose migrations, one folder for each SQL
// dialect with the same numbers and names in each, and the views, which are made anew after each migration.
package migrations

import (
	"embed"
	"io/fs"
)

//go:embed sqlite/*.sql
var files embed.FS

//go:embed views_sqlite.sql
var sqliteViews string

//go:embed schema_sqlite.sql
var sqliteSchema string

// SQLiteSchema returns the statements of a new database, with a record separator and a line feed between them. A test
// of package store holds it to the migrations and the views.
func SQLiteSchema() string { return sqliteSchema }

// SQLite returns the migrations for SQLite.
func SQLite() (fs.FS, error) { return fs.Sub(files, "sqlite") }

// SQLiteViews returns the statements that create the views. Constants of package scoring are named in braces.
func SQLiteViews() string { return sqliteViews }

// Latest is the version of the newest migration. Opening a database compares it with the version of its schema. A
// change of a view needs a new migration as well, which may be empty.
const Latest = 9
