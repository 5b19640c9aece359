package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io/fs"
	"strings"
	"time"

	"github.com/jackc/pgx/v5/stdlib"
	"github.com/jmoiron/sqlx"
	"github.com/pressly/goose/v3"
	"github.com/pressly/goose/v3/database"
	"github.com/pressly/goose/v3/lock"

	"track/migrations"
)

// migrateUp creates the tables, or brings them up to date. Of several processes one does it, and the others wait. It reports whether
// it was the one that created them.
func (p postgresSchema) migrateUp(ctx context.Context) (created bool, err error) {
	const interval, attempts = 50 * time.Millisecond, 1200                                    // a minute: longer than the lease of a process that ended
	locker, err := lock.NewPostgresTableLocker(lock.WithTableLockTimeout(interval, attempts)) // a row, which works behind PgBouncer too
	if err != nil {
		return false, err
	}
	db := sql.OpenDB(stdlib.GetConnector(*p.config))
	defer func() { err = errors.Join(err, db.Close()) }()
	if err := mayCreate(ctx, db); err != nil { // the locker would try for a minute
		return false, err
	}
	if err := locker.Lock(ctx, db); err != nil {
		return false, err
	}
	defer func() { err = errors.Join(err, locker.Unlock(ctx, db)) }()
	state, err := p.state(ctx, sqlx.NewDb(db, "pgx"))
	switch {
	case err != nil:
		return false, err
	case state.Version == 0:
		return true, createPostgres(ctx, db)
	case state.Version == migrations.LatestPostgres && state.HasViews:
		return false, nil // another process was faster
	}
	return false, upgradePostgres(ctx, db)
}

// mayCreate returns the error of the server for a user who may not create tables. It leaves nothing behind.
func mayCreate(ctx context.Context, db *sql.DB) error {
	tx, err := db.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	_, err = tx.ExecContext(ctx, "CREATE TABLE track_may_create ()")
	return errors.Join(err, tx.Rollback())
}

// createPostgres creates everything at once, so that nobody sees a part of it.
func createPostgres(ctx context.Context, db *sql.DB) error {
	files, err := migrations.Postgres()
	if err != nil {
		return err
	}
	statements, err := upStatements(files)
	if err != nil {
		return err
	}
	versions, err := database.NewStore(database.DialectPostgres, goose.DefaultTablename)
	if err != nil {
		return err
	}
	tx, err := db.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer func() { _ = tx.Rollback() }()
	if err := versions.CreateVersionTable(ctx, tx); err != nil {
		return err
	}
	const insertVersions = "INSERT INTO goose_db_version (version_id, is_applied) SELECT n, true FROM generate_series(0, %d) AS n"
	for _, text := range []string{fmt.Sprintf(insertVersions, migrations.LatestPostgres), statements, withRules(migrations.PostgresViews())} {
		if _, err := tx.ExecContext(ctx, text); err != nil {
			return fmt.Errorf("create the tables: %w", err)
		}
	}
	return tx.Commit()
}

// upStatements returns the statements of all migrations.
func upStatements(files fs.FS) (string, error) {
	names, err := fs.Glob(files, "*.sql")
	if err != nil {
		return "", err
	}
	var all strings.Builder
	for _, name := range names {
		text, err := fs.ReadFile(files, name)
		if err != nil {
			return "", err
		}
		up, _, _ := strings.Cut(string(text), "-- +goose Down")
		all.WriteString(up)
	}
	return all.String(), nil
}

// upgradePostgres runs the migrations that are missing, and makes the views anew.
func upgradePostgres(ctx context.Context, db *sql.DB) error {
	files, err := migrations.Postgres()
	if err != nil {
		return err
	}
	provider, err := goose.NewProvider(goose.DialectPostgres, db, files)
	if err != nil {
		return err
	}
	if err := dropPostgresViews(ctx, db); err != nil {
		return fmt.Errorf("drop the views: %w", err)
	}
	if _, err := provider.Up(ctx); err != nil {
		return fmt.Errorf("migrate: %w", err)
	}
	if _, err := db.ExecContext(ctx, "BEGIN;"+withRules(migrations.PostgresViews())+";COMMIT"); err != nil {
		return fmt.Errorf("create the views: %w", err)
	}
	return nil
}

// listPostgresViews lists the views that are made anew: those of the tables' own numbers come from migrations.
const listPostgresViews = `
	SELECT 'DROP VIEW ' || quote_ident(viewname) FROM pg_catalog.pg_views WHERE schemaname = current_schema() AND viewname LIKE 'v\_%'`

func dropPostgresViews(ctx context.Context, db *sql.DB) error {
	rows, err := db.QueryContext(ctx, listPostgresViews)
	if err != nil {
		return err
	}
	defer func() { _ = rows.Close() }()
	var statements []string
	for rows.Next() {
		var statement string
		if err := rows.Scan(&statement); err != nil {
			return err
		}
		statements = append(statements, statement)
	}
	if err := rows.Err(); err != nil {
		return err
	}
	for _, statement := range statements {
		if _, err := db.ExecContext(ctx, statement); err != nil {
			return err
		}
	}
	return nil
}
