// Package migrations holds the schema of the database: the tables as goose migrations, one folder for each SQL
// dialect, numbered on its own, and the views, which are made anew after each migration.
package migrations

import (
	"embed"
	"io/fs"
)

//go:embed sqlite/*.sql postgres/*.sql
var files embed.FS

//go:embed schema_sqlite.sql
var sqliteSchema string

// SQLiteSchema returns the statements of a new database, with a record separator and a line feed between them. A test
// of package store holds it to the migrations and the views.
func SQLiteSchema() string { return sqliteSchema }

// SQLite returns the migrations for SQLite.
func SQLite() (fs.FS, error) { return fs.Sub(files, "sqlite") }

// Postgres returns the migrations for PostgreSQL. Each has one statement, because some databases that speak its
// protocol change their schema outside of transactions.
func Postgres() (fs.FS, error) { return fs.Sub(files, "postgres") }

// Latest is the version of the newest migration. Opening a database compares it with the version of its schema. A
// change of a view needs a new migration as well, which may be empty.
const Latest = 14

// LatestPostgres is the version of the newest migration for PostgreSQL.
const LatestPostgres = 99
