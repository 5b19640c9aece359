package store

import (
	"path/filepath"
	"sync"
	"syscall"
	"unsafe"

	"modernc.org/libc"
	sqlite3 "modernc.org/sqlite/lib"
)

const dataSyncsName = "unix-fdatasync"

// writeMode returns the mode of the connection that writes.
func writeMode() string {
	if registerDataSyncs() == nil {
		return "mode=rw"
	}
	return "mode=rw&vfs=" + dataSyncsName
}

// registerDataSyncs makes [dataSyncs] known to SQLite, which keeps its address. It returns nil if SQLite refuses it.
var registerDataSyncs = sync.OnceValue(func() *dataSyncs {
	tls := libc.NewTLS()
	defer tls.Close()
	unix := sqlite3.Xsqlite3_vfs_find(tls, 0)
	name, err := libc.CString(dataSyncsName)
	if unix == 0 || err != nil {
		return nil
	}
	d := &dataSyncs{vfs: *at[sqlite3.Tsqlite3_vfs](unix), methods: map[uintptr]*sqlite3.Tsqlite3_io_methods{}}
	d.open, d.sync = d.openFile, d.syncFile
	d.openUnix = *(*openFunc)(unsafe.Pointer(&struct{ uintptr }{d.vfs.FxOpen}))
	d.vfs.FxOpen = *(*uintptr)(unsafe.Pointer(&d.open))
	d.vfs.FpNext, d.vfs.FzName = 0, name
	if sqlite3.Xsqlite3_vfs_register(tls, uintptr(unsafe.Pointer(&d.vfs)), 0) != sqlite3.SQLITE_OK {
		return nil
	}
	return d
})

type (
	openFunc = func(tls *libc.TLS, vfs, name, file uintptr, flags int32, outFlags uintptr) int32
	syncFunc = func(tls *libc.TLS, file uintptr, flags int32) int32
)

// dataSyncs is SQLite's access to files with fdatasync in place of fsync. The sqlite3 program has it so; the driver is
// compiled without it. Both wait until the content and the length of a file are on the disk, and fsync also until the
// time of its last change is, for which file systems write their own log. See docs/adr/0048.
type dataSyncs struct {
	vfs      sqlite3.Tsqlite3_vfs
	openUnix openFunc
	open     openFunc
	sync     syncFunc
	mutex    sync.Mutex
	methods  map[uintptr]*sqlite3.Tsqlite3_io_methods // by the address of those that they replace
}

func (d *dataSyncs) openFile(tls *libc.TLS, vfs, name, file uintptr, flags int32, outFlags uintptr) int32 {
	code := d.openUnix(tls, vfs, name, file, flags, outFlags)
	if opened := at[sqlite3.TunixFile](file); code == sqlite3.SQLITE_OK && opened.FpMethod != 0 {
		opened.FpMethod = d.methodsFor(opened.FpMethod)
	}
	return code
}

// methodsFor returns the address of methods that differ from others in how they sync.
func (d *dataSyncs) methodsFor(others uintptr) uintptr {
	d.mutex.Lock()
	defer d.mutex.Unlock()
	own := d.methods[others]
	if own == nil {
		copied := *at[sqlite3.Tsqlite3_io_methods](others)
		own = &copied
		own.FxSync = *(*uintptr)(unsafe.Pointer(&d.sync))
		d.methods[others] = own
	}
	return uintptr(unsafe.Pointer(own))
}

func (d *dataSyncs) syncFile(_ *libc.TLS, file uintptr, _ int32) int32 {
	f := at[sqlite3.TunixFile](file)
	if err := syncData(int(f.Fh)); err != nil {
		return sqlite3.SQLITE_IOERR_FSYNC
	}
	if f.FctrlFlags&sqlite3.UNIXFILE_DIRSYNC != 0 { // the file is new: sync its entry in the folder, once
		f.FctrlFlags &^= sqlite3.UNIXFILE_DIRSYNC
		if folder, err := syscall.Open(filepath.Dir(libc.GoString(f.FzPath)), syscall.O_RDONLY|syscall.O_CLOEXEC, 0); err == nil {
			_ = syncData(folder) // not every file system can, and SQLite goes on too
			_ = syscall.Close(folder)
		}
	}
	return sqlite3.SQLITE_OK
}

func syncData(file int) error {
	for {
		if err := syscall.Fdatasync(file); err != syscall.EINTR {
			return err
		}
	}
}

// at returns what lies at an address that SQLite gave.
func at[T any](address uintptr) *T { return *(**T)(unsafe.Pointer(&address)) }
