// Package migrations holds the schema of the database: the tables as goose migrations, one folder for each SQL dialect
// with the same numbers and names in each, and the views, which are made anew after each migration.
package migrations

import (
	"embed"
	"io/fs"
)

//go:embed sqlite/*.sql postgres/*.sql
var files embed.FS

// SQLiteViews and PostgresViews create the views. Constants of package scoring are named in braces.
var (
	//go:embed views_sqlite.sql
	SQLiteViews string
	//go:embed views_postgres.sql
	PostgresViews string
)

// SQLite returns the migrations for SQLite.
func SQLite() (fs.FS, error) { return fs.Sub(files, "sqlite") }

// Postgres returns the migrations for PostgreSQL.
func Postgres() (fs.FS, error) { return fs.Sub(files, "postgres") }

// Latest is the version of the newest migration. Opening a database compares it with the version of its schema. A
// change of a view needs a new migration as well, which may be empty.
const Latest = 1
