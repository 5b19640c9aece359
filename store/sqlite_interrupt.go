package store

import (
	"context"
	"reflect"

	"github.com/jmoiron/sqlx"
	"modernc.org/libc"
	"modernc.org/sqlite"
	sqlite3 "modernc.org/sqlite/lib"
)

// interruptAtEnd ends the statement that runs on a connection when ctx ends: the driver does so only until the first
// row of a statement. Release must be called before anybody else gets the connection.
func interruptAtEnd(ctx context.Context, conn *sqlx.Conn) (release func()) {
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
	interrupted := make(chan struct{})
	stop := context.AfterFunc(ctx, func() {
		defer close(interrupted)
		tls := libc.NewTLS()
		defer tls.Close()
		sqlite3.Xsqlite3_interrupt(tls, handle)
	})
	return func() {
		if !stop() {
			<-interrupted
		}
	}
}

// limitValues refuses texts and BLOBs of more bytes on a connection until release is called.
func limitValues(conn *sqlx.Conn, largest int) (release func(), err error) {
	before, err := sqlite.Limit(conn.Conn, sqlite3.SQLITE_LIMIT_LENGTH, largest)
	if err != nil {
		return nil, err
	}
	return func() { _, _ = sqlite.Limit(conn.Conn, sqlite3.SQLITE_LIMIT_LENGTH, before) }, nil
}
