package store

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"time"

	"github.com/jmoiron/sqlx"
	"modernc.org/libc"
	"modernc.org/sqlite"
	sqlite3 "modernc.org/sqlite/lib"
)

// interruptAtEnd implements [engine]: the driver ends a statement only until its first row.
func (sqliteFile) interruptAtEnd(ctx context.Context, conn *sqlx.Conn) (release func()) {
	handle := handleOf(conn)
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

// handleOf returns SQLite's handle of a connection, which the driver keeps to itself; 0 if it is not found, as a test
// would tell.
func handleOf(conn *sqlx.Conn) (handle uintptr) {
	_ = conn.Raw(func(driverConn any) error {
		if field := reflect.Indirect(reflect.ValueOf(driverConn)).FieldByName("db"); field.Kind() == reflect.Uintptr {
			handle = uintptr(field.Uint())
		}
		return nil
	})
	return handle
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
	statements := context.WithoutCancel(ctx)
	if err := w.relax(statements, relaxed); err != nil {
		return err
	}
	const patience = 50 * time.Millisecond // between two looks at ctx
	for waited := time.Duration(0); ; waited += patience {
		err := w.beginWithin(statements, patience)
		switch {
		case !isBusy(err) || waited >= busyTimeout:
			return err
		case ctx.Err() != nil:
			return ctx.Err()
		}
	}
}

// beginWithin begins a transaction that writes, and waits for a while at most.
func (w *writer) beginWithin(ctx context.Context, while time.Duration) error {
	if _, err := w.conn.ExecContext(ctx, fmt.Sprintf("PRAGMA busy_timeout = %d", while.Milliseconds())); err != nil {
		return err
	}
	_, err := w.conn.ExecContext(ctx, beginWrite)
	_, resetErr := w.conn.ExecContext(ctx, fmt.Sprintf("PRAGMA busy_timeout = %d", busyTimeout.Milliseconds()))
	return errors.Join(err, resetErr)
}

// commit implements [engine].
func (sqliteFile) commit(ctx context.Context, w *writer) error {
	_, err := w.conn.ExecContext(ctx, "COMMIT")
	return err
}

// isLost implements [engine]: a file needs no connection.
func (sqliteFile) isLost(*writer) bool { return false }

// isCommitted implements [engine].
func (sqliteFile) isCommitted(context.Context, commitment) (bool, error) { return false, nil }

// confine implements [engine]: the connection only reads, and knows no other file.
func (sqliteFile) confine(_ context.Context, conn *sqlx.Conn) (release func(), err error) {
	before, err := sqlite.Limit(conn.Conn, sqlite3.SQLITE_LIMIT_LENGTH, largestValue)
	if err != nil {
		return nil, err
	}
	return func() { _, _ = sqlite.Limit(conn.Conn, sqlite3.SQLITE_LIMIT_LENGTH, before) }, nil
}
