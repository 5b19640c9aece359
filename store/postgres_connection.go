package store

import (
	"context"
	"database/sql"
	"io"
	"net/url"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgproto3"
	"github.com/jackc/pgx/v5/stdlib"
	"github.com/jmoiron/sqlx"
)

// connectTimeout is how long a server may take to answer.
const connectTimeout = 5 * time.Second

// IsServer reports whether a database is named by the URL of a PostgreSQL server, and not by the path of a file.
func IsServer(name string) bool {
	return strings.HasPrefix(name, "postgres://") || strings.HasPrefix(name, "postgresql://")
}

// postgresSchema is the engine of a schema of PostgreSQL: the first one of the search path.
type postgresSchema struct {
	config *pgx.ConnConfig
	name   string // the URL without its password
}

func newPostgres(name string) (postgresSchema, error) {
	config, err := pgx.ParseConfig(name)
	if err != nil {
		return postgresSchema{}, wrongURL(err)
	}
	if config.ConnectTimeout == 0 || config.ConnectTimeout > connectTimeout {
		config.ConnectTimeout = connectTimeout
	}
	if config.RuntimeParams["application_name"] == "" {
		config.RuntimeParams["application_name"] = "track"
	}
	config.RuntimeParams["client_encoding"] = "UTF8" // the driver takes every text for it, whatever the role has
	if config.DefaultQueryExecMode == pgx.QueryExecModeSimpleProtocol {
		config.DefaultQueryExecMode = pgx.QueryExecModeExec // works behind PgBouncer too, and takes one statement at a time
	}
	config.BuildFrontend = func(r io.Reader, w io.Writer) *pgproto3.Frontend {
		frontend := pgproto3.NewFrontend(r, w)
		frontend.SetMaxBodyLen(largestRow)
		return frontend
	}
	return postgresSchema{config, WithoutPassword(name)}, nil
}

// largestRow is how many bytes a row of a server may have, which the driver reads as a whole.
const largestRow = 128 << 20

// WithoutPassword returns the name of a database as it may be shown.
func WithoutPassword(name string) string {
	if !IsServer(name) {
		return name
	}
	u, err := url.Parse(name)
	if err != nil {
		scheme, _, _ := strings.Cut(name, "://")
		return scheme + "://…"
	}
	if u.User != nil {
		u.User = url.User(u.User.Username())
	}
	if values := u.Query(); values.Has("password") || values.Has("sslpassword") {
		values.Del("password")
		values.Del("sslpassword")
		u.RawQuery = values.Encode()
	}
	return u.String()
}

func (p postgresSchema) openPool() *sqlx.DB {
	return sqlx.NewDb(sql.OpenDB(postgresConnector{stdlib.GetConnector(*p.config)}), "pgx")
}

// openReaders implements [engine].
func (p postgresSchema) openReaders() (*sqlx.DB, error) {
	db := p.openPool()
	db.SetMaxOpenConns(mostIdle) // a process asks few questions at once, and a server has few connections
	db.SetMaxIdleConns(mostIdle)
	return db, nil
}

// openWriter implements [engine].
func (p postgresSchema) openWriter(ctx context.Context) (*writer, error) {
	return newWriter(ctx, p, p.openPool())
}

// lock implements [engine]: the server keeps writers apart.
func (postgresSchema) lock(context.Context) (unlock func(), err error) { return func() {}, nil }

// Most pages that a question reads are in memory, or on a disk without heads. With its default of 4 the server reads whole
// tables for the seeds of one configuration.
const beginPostgresRead = `BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY; SET LOCAL random_page_cost = 1.1`

// beginReading implements [engine].
func (postgresSchema) beginReading() string { return beginPostgresRead }

// interruptAtEnd implements [engine].
func (postgresSchema) interruptAtEnd(ctx context.Context, conn *sqlx.Conn) (release func()) {
	var server *pgconn.PgConn
	_ = conn.Raw(func(driverConn any) error {
		if c, ok := driverConn.(*postgresConn); ok {
			server = c.Conn.Conn().PgConn()
		}
		return nil
	})
	if server == nil || ctx.Done() == nil {
		return func() {}
	}
	done := make(chan struct{})
	stop := context.AfterFunc(ctx, func() {
		defer close(done)
		asking, cancel := context.WithTimeout(context.WithoutCancel(ctx), connectTimeout)
		defer cancel()
		_ = server.CancelRequest(asking) // the statement ends by itself if the server cannot be asked
	})
	return func() {
		if !stop() {
			<-done
		}
	}
}
