package store

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"reflect"
	"unsafe"

	"github.com/jmoiron/sqlx"
	"modernc.org/sqlite"
	sqlite3 "modernc.org/sqlite/lib"
)

// openPool returns a pool of connections that take no mutex of SQLite.
func openPool(source string) (*sqlx.DB, error) {
	base, err := sqlite.NewConnector(source)
	if err != nil {
		return nil, err
	}
	return sqlx.NewDb(sql.OpenDB(connector{base}), driverName), nil
}

// connector opens connections without their mutex. The driver opens each with SQLITE_OPEN_FULLMUTEX and offers no
// choice, so that each call for a cell of a row locks and unlocks. database/sql uses a connection from one goroutine at
// a time anyway. See docs/adr/0047.
type connector struct{ driver.Connector }

// Connect implements [driver.Connector].
func (c connector) Connect(ctx context.Context) (driver.Conn, error) {
	conn, err := c.Connector.Connect(ctx)
	if err == nil {
		if db := connectionOf(conn); db != nil {
			db.Fmutex = 0 // what SQLITE_OPEN_NOMUTEX leaves there
		}
	}
	return conn, err
}

// connectionOf returns SQLite's own record of a connection, or nil if a later driver keeps it elsewhere: its
// connections are then slower, and as right.
func connectionOf(conn any) *sqlite3.Tsqlite3 {
	value := reflect.ValueOf(conn)
	if value.Kind() != reflect.Pointer || value.Elem().Kind() != reflect.Struct {
		return nil
	}
	field := value.Elem().FieldByName("db")
	if !field.IsValid() || field.Kind() != reflect.Uintptr {
		return nil
	}
	return *(**sqlite3.Tsqlite3)(unsafe.Pointer(field.UnsafeAddr()))
}
