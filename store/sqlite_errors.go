package store

import (
	"cmp"
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"strings"
	"syscall"

	"github.com/jackc/pgx/v5/pgproto3"
	"modernc.org/libc"
	"modernc.org/sqlite"
	sqlite3 "modernc.org/sqlite/lib"

	"track"
)

func freeSpace() track.Hint {
	return track.Hint{Text: "free some space and try again; everything acknowledged before is safe"}
}

// otherDatabase returns a hint to name another database.
func otherDatabase(text string) track.Hint { return track.Hint{Text: text}.With("db", "FILE") }

// openError explains what opening or creating the database at path met.
func openError(path string, err error) error {
	switch {
	case err == nil, errors.Is(err, track.ErrNotFound):
		return err
	case errors.Is(err, fs.ErrPermission), errors.Is(err, syscall.EROFS):
		return track.WithHint(fmt.Errorf("open %s: %w: %w", path, track.ErrDatabase, err), otherDatabase("check the permissions of the folder, or name another file"))

	case errors.Is(err, syscall.ENOSPC), errors.Is(err, syscall.EDQUOT):
		return track.WithHint(fmt.Errorf("open %s: %w: the disk is full (%w)", path, track.ErrDatabase, err), freeSpace())
	}
	if isNoDatabase(err) {
		return fmt.Errorf("open %s: %w", path, notSQLite(path, err))
	}
	return fmt.Errorf("open %s: %w", path, explain(err))
}

// notSQLite returns the error of a file that SQLite takes for none of its own. If it begins like one, it is damaged.
func notSQLite(path string, err error) error {
	switch {
	case startsWith(path, "{"):
		return track.WithHint(wrongFile("the file is not a SQLite database; it looks like JSON lines"), track.NewHint("record them", "ingest", path))
	case startsWith(path, "\x1f\x8b"): // gzip
		return track.WithHint(wrongFile("the file is compressed"), track.NewHint("record it into another database", "merge", path))
	case !startsWith(path, "SQLite format 3\x00"):
		return track.WithHint(wrongFile("the file is not a SQLite database"), otherDatabase("name another file; nothing was changed"))
	}
	return explain(err)
}

// checkRegular refuses what is no file that SQLite can keep a database in. A log belongs to one name of a file: records
// that are written under two names get lost.
func checkRegular(path string, info fs.FileInfo) error {
	switch {
	case !info.Mode().IsRegular():
		return notAFile(info.Mode())
	case isTooShort(path, info.Size()):
		return tooShort()
	case links(info) > 1:
		return track.WithHint(wrongFile("the file has %d names (hard links): SQLite keeps a log for each of them, and records get lost", links(info)),
			track.Hint{Text: "stop what uses it, and remove the other names, or copy it with its -wal to a name of its own"})
	}
	return nil
}

// isTooShort reports whether a file is neither empty nor as long as a SQLite database. SQLite takes some of them for
// empty ones, and would write over them.
func isTooShort(path string, size int64) bool {
	return size > 0 && size < headSize && !startsWith(path, "SQLite format 3\x00")
}

func tooShort() error {
	return track.WithHint(wrongFile("the file is not a SQLite database"), otherDatabase("name another file; nothing was changed"))
}

// nothingIn returns the error of a file that is read before anything was recorded in it.
func nothingIn(path string) error {
	return track.WithHint(wrongFile("there is nothing in it"), track.NewHint("make it a database", "init").With("db", path))
}

// wrongFile returns the error of a file that is no database of this program. It is the user's input that is wrong, not
// a database of ours that fails.
func wrongFile(format string, args ...any) error {
	return &inputError{fmt.Errorf("%w: "+format, append([]any{track.ErrDatabase}, args...)...)}
}

// inputError is a [track.ErrInvalid] that does not say so.
type inputError struct{ error }

func (e *inputError) Unwrap() []error { return []error{e.error, track.ErrInvalid} }

// isNoDatabase reports whether a file is neither empty nor a SQLite database.
func isNoDatabase(err error) bool {
	var failure *sqlite.Error
	return errors.As(err, &failure) && failure.Code()&0xff == sqlite3.SQLITE_NOTADB
}

// isDamaged reports whether a file cannot be read as the SQLite database that it is.
func isDamaged(err error) bool {
	return errors.Is(explain(err), track.ErrDamaged) || isNoDatabase(err)
}

// notAFile returns the error of a folder, pipe or device in the place of a database. Opening one might never end.
func notAFile(mode fs.FileMode) error {
	err := wrongFile("it is a %s", kindOf(mode))
	if mode.IsDir() {
		return track.WithHint(err, track.Hint{Text: "name the file in it"})
	}
	return track.WithHint(err, otherDatabase("name a regular file"))
}

func kindOf(mode fs.FileMode) string {
	switch {
	case mode.IsDir():
		return "folder"
	case mode&fs.ModeNamedPipe != 0:
		return "pipe"
	case mode&fs.ModeSocket != 0:
		return "socket"
	}
	return "device"
}

// startsWith reports whether the file at path begins with these bytes.
func startsWith(path, magic string) bool {
	file, err := os.Open(path)
	if err != nil {
		return false
	}
	defer func() { _ = file.Close() }()
	begin := make([]byte, len(magic))
	_, err = io.ReadFull(file, begin)
	return err == nil && string(begin) == magic
}

// isReadOnly reports whether a statement would have written on a connection that only reads.
func isReadOnly(err error) bool {
	var failure *sqlite.Error
	return errors.As(err, &failure) && failure.Code()&0xff == sqlite3.SQLITE_READONLY || postgresCode(err) == codeReadOnly
}

// isTooLarge reports whether a text or BLOB is longer than the connection allows.
func isTooLarge(err error) bool {
	var failure *sqlite.Error
	return errors.As(err, &failure) && failure.Code()&0xff == sqlite3.SQLITE_TOOBIG || errors.As(err, new(*pgproto3.ExceededMaxBodyLenErr))
}

// isHot reports whether a reader met a transaction that was cut short before the database had its write-ahead log:
// while it was created. Only a writer can roll it back.
func isHot(err error) bool {
	var failure *sqlite.Error
	return errors.As(err, &failure) && failure.Code() == sqlite3.SQLITE_READONLY_ROLLBACK
}

// isDriverError reports whether an error is not about the values of a row.
func isDriverError(err error) bool {
	var failure *sqlite.Error
	return errors.As(err, &failure) || postgresCode(err) != "" || isUnreachable(err) || errors.Is(err, driver.ErrBadConn) || errors.Is(err, sql.ErrConnDone) || errors.Is(err, sql.ErrTxDone) ||
		errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded)
}

// isBusy reports whether another program holds the database.
func isBusy(err error) bool {
	var failure *sqlite.Error
	return errors.As(err, &failure) && failure.Code()&0xff == sqlite3.SQLITE_BUSY
}

// isConstraint reports whether a row breaks a rule of its table.
func isConstraint(err error) bool {
	var failure *sqlite.Error
	return errors.As(err, &failure) && failure.Code()&0xff == sqlite3.SQLITE_CONSTRAINT || strings.HasPrefix(postgresCode(err), "23")
}

// isDiskError reports whether the disk is full, or failed. No file is to blame for that.
func isDiskError(err error) bool {
	var failure *sqlite.Error
	return errors.As(err, &failure) && (failure.Code()&0xff == sqlite3.SQLITE_IOERR || failure.Code()&0xff == sqlite3.SQLITE_FULL)
}

// explain is the function explain, for an error of this connection. SQLite calls a quota that is used up a failure of
// the disk.
func (w *writer) explain(err error) error {
	if isDiskError(err) && isQuota(w.systemError()) {
		return track.WithHint(fmt.Errorf("%w: the disk is full: a quota is used up (%w)", track.ErrDatabase, err), freeSpace())
	}
	return explain(err)
}

// isQuota reports whether an error of the system says that the quota of a user or a folder is used up.
func isQuota(code int32) bool { return syscall.Errno(code) == syscall.EDQUOT }

// systemError returns the error of the system that the connection met last.
func (w *writer) systemError() (code int32) {
	if handle := handleOf(w.conn); handle != 0 {
		tls := libc.NewTLS()
		defer tls.Close()
		code = sqlite3.Xsqlite3_system_errno(tls, handle)
	}
	return code
}

// explain puts SQLite's result codes that a user can do something about into words.
func explain(err error) error {
	var failure *sqlite.Error
	if !errors.As(err, &failure) {
		return cmp.Or(explainPostgres(err), err)
	}
	reason, hint := "", track.Hint{}
	code := failure.Code() & 0xff
	if failure.Code() == sqlite3.SQLITE_IOERR_SHMSIZE { // the file next to the write-ahead log could not grow
		code = sqlite3.SQLITE_FULL
	}
	switch code {
	case sqlite3.SQLITE_INTERRUPT:
		return context.Canceled
	case sqlite3.SQLITE_FULL:
		reason, hint = "the disk is full", freeSpace()
	case sqlite3.SQLITE_READONLY:
		reason, hint = "the database or its folder cannot be written", otherDatabase("check their permissions, or use a file on a disk that can be written")
	case sqlite3.SQLITE_NOTADB:
		reason, hint = "the file is not a SQLite database", otherDatabase("name another file; nothing was changed")
	case sqlite3.SQLITE_CORRUPT:
		return fmt.Errorf("%w: %w", track.ErrDamaged, err)
	case sqlite3.SQLITE_CANTOPEN:
		reason, hint = "the file cannot be opened", track.Hint{Text: "check that the folder exists, and its permissions"}
	case sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED:
		reason, hint = fmt.Sprintf("another program has held the database for %v", busyTimeout), track.Hint{Text: "find out which one, or try again"}
	case sqlite3.SQLITE_IOERR:
		reason, hint = "the disk reported an error", track.Hint{Text: "check the disk and its free space; everything acknowledged before is safe"}
	default:
		return err
	}
	return track.WithHint(fmt.Errorf("%w: %s (%w)", track.ErrDatabase, reason, err), hint)
}
