package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io/fs"
	"strings"

	"github.com/pressly/goose/v3"
	"github.com/pressly/goose/v3/database"

	"track/migrations"
	"track/scoring"
)

// dialectMigrations are the migrations of a dialect, and its views.
type dialectMigrations struct {
	dialect   goose.Dialect
	files     func() (fs.FS, error)
	listViews string // lists the names of the views that are made anew
	views     string // creates them
}

// withRules returns the statements of views with the limits and the formula of package scoring in them.
func withRules(views string) string {
	return strings.NewReplacer("{stable_min_pass_rate}", fmt.Sprint(scoring.StableMinPassRate), "{stable_max_std}", fmt.Sprint(scoring.StableMaxStd),
		"{combined_score}", scoring.CombinedFormula).Replace(views)
}

// create runs all migrations, creates the views and runs last, in one transaction: nobody sees a part of it, and if the
// process dies, there is nothing. goose would commit each migration on its own.
func (m dialectMigrations) create(ctx context.Context, db *sql.DB, last string) error {
	statements, err := m.upStatements()
	if err != nil {
		return err
	}
	versions, err := database.NewStore(m.dialect, goose.DefaultTablename)
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
	for version := range int64(migrations.Latest + 1) {
		if err := versions.Insert(ctx, tx, database.InsertRequest{Version: version}); err != nil {
			return err
		}
	}
	for _, text := range []string{statements, m.views, last} {
		if _, err := tx.ExecContext(ctx, text); err != nil {
			return fmt.Errorf("create the tables: %w", err)
		}
	}
	return tx.Commit()
}

// upStatements returns the statements of all migrations.
func (m dialectMigrations) upStatements() (string, error) {
	files, err := m.files()
	if err != nil {
		return "", err
	}
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

func (m dialectMigrations) provider(db *sql.DB) (*goose.Provider, error) {
	files, err := m.files()
	if err != nil {
		return nil, err
	}
	return goose.NewProvider(m.dialect, db, files)
}

// upgrade runs the migrations that are missing, makes the views anew and runs last. If it is cut short, the next one
// goes on.
func (m dialectMigrations) upgrade(ctx context.Context, db *sql.DB, last string) error {
	provider, err := m.provider(db)
	if err != nil {
		return err
	}
	if err := m.dropViews(ctx, db); err != nil {
		return fmt.Errorf("drop the views: %w", err)
	}
	if _, err := provider.Up(ctx); err != nil {
		return fmt.Errorf("migrate: %w", err)
	}
	if _, err := db.ExecContext(ctx, "BEGIN;"+m.views+";"+last+";COMMIT"); err != nil {
		return fmt.Errorf("create the views: %w", err)
	}
	return nil
}

func (m dialectMigrations) dropViews(ctx context.Context, db *sql.DB) error {
	rows, err := db.QueryContext(ctx, m.listViews)
	if err != nil {
		return err
	}
	defer func() { _ = rows.Close() }()
	var names []string
	for rows.Next() {
		var name string
		if err := rows.Scan(&name); err != nil {
			return err
		}
		names = append(names, name)
	}
	if err := errors.Join(rows.Err(), rows.Close()); err != nil {
		return err
	}
	for _, name := range names {
		if _, err := db.ExecContext(ctx, `DROP VIEW "`+name+`"`); err != nil {
			return err
		}
	}
	return nil
}
