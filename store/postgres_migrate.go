package store

import (
	"context"
	"database/sql"
	"errors"
	"time"

	"github.com/jackc/pgx/v5/stdlib"
	"github.com/jmoiron/sqlx"
	"github.com/pressly/goose/v3"
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
		return true, errors.Join(postgresMigrations().create(ctx, db, ""), p.letQuery(ctx))
	case state.Version == migrations.Latest && state.HasViews:
		return false, nil // another process was faster
	}
	return false, errors.Join(postgresMigrations().upgrade(ctx, db, ""), p.letQuery(ctx))
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

func postgresMigrations() dialectMigrations {
	const listViews = `SELECT viewname FROM pg_catalog.pg_views WHERE schemaname = current_schema() AND viewname LIKE 'v\_%'`
	return dialectMigrations{goose.DialectPostgres, migrations.Postgres, listViews, withRules(migrations.PostgresViews)}
}
