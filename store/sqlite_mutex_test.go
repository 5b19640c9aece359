package store

import (
	"path/filepath"
	"testing"
)

// A later driver may keep its connections elsewhere. Then nothing else would show that they lock again.
func TestConnectionsTakeNoMutex(t *testing.T) {
	db, err := openPool(dataSource(filepath.Join(t.TempDir(), "x.db"), "mode=rwc"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = db.Close() })
	conn, err := db.Conn(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = conn.Close() })
	if err := conn.Raw(func(driverConn any) error {
		switch record := connectionOf(driverConn); {
		case record == nil:
			t.Error("the driver does not keep its connection in a field db")
		case record.Fmutex != 0:
			t.Error("the connection has a mutex")
		}
		return nil
	}); err != nil {
		t.Fatal(err)
	}
}
