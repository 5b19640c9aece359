package store

import (
	"path/filepath"
	"runtime"
	"testing"
	"time"
	"unsafe"

	sqlite3 "modernc.org/sqlite/lib"
)

func TestWriterSyncsData(t *testing.T) {
	path := filepath.Join(t.TempDir(), "x.db")
	if _, err := Init(t.Context(), path); err != nil {
		t.Fatal(err)
	}
	st, err := OpenForUpdate(t.Context(), path, time.Now)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = st.Close() }()
	d := registerDataSyncs()
	if d == nil {
		t.Fatal("SQLite does not take the access to files")
	}
	file := at[sqlite3.Tsqlite3_file](fileOf(t, st.writer))
	if own := d.methods[d.replaced(file.FpMethods)]; own == nil || own.FxSync != *(*uintptr)(unsafe.Pointer(&d.sync)) {
		t.Error("the connection that writes syncs in another way")
	}
}

// fileOf returns the address of the file that a connection has open.
func fileOf(t *testing.T, w *writer) (file uintptr) {
	t.Helper()
	err := w.conn.Raw(func(conn any) error {
		db := connectionOf(conn)
		tree := at[sqlite3.TBtree](at[sqlite3.TDb](db.FaDb).FpBt)
		file = at[sqlite3.TPager](at[sqlite3.TBtShared](tree.FpBt).FpPager).Ffd
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return file
}

// replaced returns the address of the methods that those at an address replace; 0 if they replace none.
func (d *dataSyncs) replaced(address uintptr) uintptr {
	for others, own := range d.methods {
		if uintptr(unsafe.Pointer(own)) == address {
			return others
		}
	}
	return 0
}

func TestSyncFileTellsErrors(t *testing.T) {
	closed := &sqlite3.TunixFile{Fh: -1}
	t.Cleanup(func() { runtime.KeepAlive(closed) }) // and it stays where it is
	if code := new(dataSyncs).syncFile(nil, uintptr(unsafe.Pointer(closed)), 0); code != sqlite3.SQLITE_IOERR_FSYNC {
		t.Errorf("code %d", code)
	}
}
