package store

import (
	"context"
	"reflect"
	"time"

	"github.com/jmoiron/sqlx"
	"modernc.org/libc"
	"modernc.org/sqlite"
	sqlite3 "modernc.org/sqlite/lib"
)

// interruptAtEnd implements [engine]: the driver ends a statement only until its first row.
func (sqliteFile) interruptAtEnd(ctx context.Context, conn *sqlx.Conn) (release func()) {
	handle := uintptr(0)
	_ = conn.Raw(func(driverConn any) error {
		// The driver keeps the handle to itself. A test fails if it is no longer found here.
		if field := reflect.Indirect(reflect.ValueOf(driverConn)).FieldByName("db"); field.Kind() == reflect.Uintptr {
			handle = uintptr(field.Uint())
		}
		return nil
	})
	if handle == 0 {
		return func() {}
	}
	released, done := make(chan struct{}), make(chan struct{})
	stop := context.AfterFunc(ctx, func() {
		defer close(done)
		keepInterrupting(handle, released)
	})
	return func() {
		if !stop() {
			close(released)
			<-done
		}
	}
}

// keepInterrupting interrupts statements until it is told to end: SQLite forgets an interruption before the first step
// of a statement.
func keepInterrupting(handle uintptr, end <-chan struct{}) {
	tls := libc.NewTLS()
	defer tls.Close()
	again := time.NewTicker(20 * time.Millisecond)
	defer again.Stop()
	for {
		sqlite3.Xsqlite3_interrupt(tls, handle)
		select {
		case <-end:
			return
		case <-again.C:
		}
	}
}

// begin implements [engine]. It waits for other programs that hold the database, until ctx ends.
func (sqliteFile) begin(ctx context.Context, w *writer, relaxed bool) error {
	if err := w.relax(context.WithoutCancel(ctx), relaxed); err != nil {
		return err
	}
	const patience = 50 * time.Millisecond // between two looks at ctx
	db := (*sqlite3.Tsqlite3)(nil)
	_ = w.conn.Raw(func(driverConn any) error {
		db = connectionOf(driverConn)
		return nil
	})
	if db != nil {
		before := db.FbusyTimeout
		db.FbusyTimeout = int32(patience.Milliseconds())
		defer func() { db.FbusyTimeout = before }()
	}
	begin, err := w.direct(context.WithoutCancel(ctx), beginWrite)
	if err != nil {
		return err
	}
	for waited := time.Duration(0); ; waited += patience {
		_, err := begin.ExecContext(context.WithoutCancel(ctx), nil)
		switch {
		case !isBusy(err) || db == nil || waited >= busyTimeout:
			return err
		case ctx.Err() != nil:
			return ctx.Err()
		}
	}
}

// commit implements [engine].
func (sqliteFile) commit(ctx context.Context, w *writer) error {
	commit, err := w.direct(ctx, "COMMIT")
	if err == nil {
		_, err = commit.ExecContext(ctx, nil)
	}
	return err
}

// isLost implements [engine]: a file needs no connection.
func (sqliteFile) isLost(*writer) bool { return false }

// isCommitted implements [engine].
func (sqliteFile) isCommitted(context.Context, commitment) (bool, error) { return false, nil }

// limitValues implements [engine].
func (sqliteFile) limitValues(conn *sqlx.Conn, largest int) (release func(), err error) {
	before, err := sqlite.Limit(conn.Conn, sqlite3.SQLITE_LIMIT_LENGTH, largest)
	if err != nil {
		return nil, err
	}
	return func() { _, _ = sqlite.Limit(conn.Conn, sqlite3.SQLITE_LIMIT_LENGTH, before) }, nil
}
