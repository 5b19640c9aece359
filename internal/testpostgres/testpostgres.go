// Package testpostgres runs a real PostgreSQL server for tests.
package testpostgres

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net"
	"net/url"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
)

// Variable names a server that runs already, by its URL. Tests that can use either database take PostgreSQL if it is
// set.
const Variable = "TRACK_TEST_POSTGRES"

// binariesVariable names the folder of the programs of a server to be started, instead of the newest one installed.
const binariesVariable = "TRACK_TEST_POSTGRES_BINARIES"

// Server is a server in a folder of its own, which listens on loopback alone.
type Server struct {
	URL      string
	folder   string
	binaries string
	args     []string
	command  *exec.Cmd
}

// Binaries returns the folder of the newest server that is installed as Debian does it.
func Binaries() (string, error) {
	if folder := os.Getenv(binariesVariable); folder != "" {
		return folder, nil
	}
	found, err := filepath.Glob("/usr/lib/postgresql/*/bin/initdb")
	if err != nil || len(found) == 0 {
		return "", errors.Join(err, errors.New("no PostgreSQL in /usr/lib/postgresql"))
	}
	version := func(path string) int {
		n, _ := strconv.Atoi(filepath.Base(filepath.Dir(filepath.Dir(path))))
		return n
	}
	newest := slices.MaxFunc(found, func(a, b string) int { return version(a) - version(b) })
	return filepath.Dir(newest), nil
}

// Start creates and starts a server of the binaries in a folder, with more settings such as
// default_transaction_isolation=serializable.
func Start(binaries string, settings ...string) (_ *Server, err error) {
	folder, err := os.MkdirTemp("", "track-postgres-")
	if err != nil {
		return nil, err
	}
	s := &Server{folder: folder, binaries: binaries}
	defer func() {
		if err != nil {
			_ = os.RemoveAll(folder)
		}
	}()
	attributes, err := s.unprivileged()
	if err != nil {
		return nil, err
	}
	data := filepath.Join(folder, "data")
	create := exec.Command(filepath.Join(binaries, "initdb"), "--pgdata", data, "--username", "track", "--auth", "trust", "--encoding", "UTF8", "--locale", "C", "--no-sync")
	create.SysProcAttr, create.Dir = attributes, folder
	if output, err := create.CombinedOutput(); err != nil {
		return nil, fmt.Errorf("initdb: %w: %s", err, output)
	}
	port, err := freePort()
	if err != nil {
		return nil, err
	}
	s.args = []string{"-D", data, "-p", strconv.Itoa(port), "-h", "127.0.0.1", "-k", "", "-c", "fsync=off", "-c", "max_connections=500"}
	for _, setting := range settings {
		s.args = append(s.args, "-c", setting)
	}
	s.URL = fmt.Sprintf("postgres://track@127.0.0.1:%d/postgres?sslmode=disable", port)
	if err := s.start(attributes); err != nil {
		return nil, err
	}
	return s, nil
}

func (s *Server) start(attributes *syscall.SysProcAttr) error {
	s.command = exec.Command(filepath.Join(s.binaries, "postgres"), s.args...)
	s.command.SysProcAttr, s.command.Dir = attributes, s.folder
	var log bytes.Buffer
	s.command.Stderr = &log
	if err := s.command.Start(); err != nil {
		return err
	}
	if err := s.waitUntilReady(); err != nil {
		return fmt.Errorf("%w: %s", errors.Join(err, s.Stop()), log.String())
	}
	return nil
}

// Crash ends the server with SIGKILL and starts it again, once its processes have let go of its memory.
func (s *Server) Crash() error {
	if err := s.command.Process.Kill(); err != nil {
		return err
	}
	_ = s.command.Wait() // it was killed; the last of its processes closes the pipe of its log
	return s.Resume()
}

// Halt ends the server and all of its connections, until [Server.Resume].
func (s *Server) Halt() error {
	if err := s.command.Process.Signal(syscall.SIGINT); err != nil {
		return err
	}
	return s.command.Wait()
}

// Resume starts a server that was halted.
func (s *Server) Resume() error {
	attributes, err := s.unprivileged()
	if err != nil {
		return err
	}
	return s.start(attributes)
}

// BecomeStandby restarts the server as a standby, which reads and does not write.
func (s *Server) BecomeStandby() error {
	if err := s.Halt(); err != nil {
		return err
	}
	if err := os.WriteFile(filepath.Join(s.folder, "data", "standby.signal"), nil, 0o644); err != nil {
		return err
	}
	return s.Resume()
}

// Standby starts a standby of the server, which follows it and only reads.
func (s *Server) Standby() (_ *Server, err error) {
	folder, err := os.MkdirTemp("", "track-postgres-")
	if err != nil {
		return nil, err
	}
	standby := &Server{folder: folder, binaries: s.binaries}
	defer func() {
		if err != nil {
			_ = os.RemoveAll(folder)
		}
	}()
	attributes, err := standby.unprivileged()
	if err != nil {
		return nil, err
	}
	data := filepath.Join(folder, "data")
	copying := exec.Command(filepath.Join(s.binaries, "pg_basebackup"), "--pgdata", data, "--dbname", s.URL, "--checkpoint", "fast", "--write-recovery-conf", "--no-sync")
	copying.SysProcAttr, copying.Dir = attributes, folder
	if output, err := copying.CombinedOutput(); err != nil {
		return nil, fmt.Errorf("pg_basebackup: %w: %s", err, output)
	}
	u, err := url.Parse(s.URL)
	if err != nil {
		return nil, err
	}
	port, err := freePort()
	if err != nil {
		return nil, err
	}
	u.Host = net.JoinHostPort(u.Hostname(), strconv.Itoa(port))
	standby.URL, standby.args = u.String(), slices.Clone(s.args)
	standby.args[1], standby.args[3] = data, strconv.Itoa(port)
	return standby, standby.start(attributes)
}

// WaitFor waits until the server, a standby, has everything that another one has written until now.
func (s *Server) WaitFor(other *Server) error {
	ctx := context.Background()
	from, err := pgx.Connect(ctx, other.URL)
	if err != nil {
		return err
	}
	defer func() { _ = from.Close(ctx) }()
	to, err := pgx.Connect(ctx, s.URL)
	if err != nil {
		return err
	}
	defer func() { _ = to.Close(ctx) }()
	var written string
	if err := from.QueryRow(ctx, "SELECT CAST(pg_current_wal_insert_lsn() AS text)").Scan(&written); err != nil {
		return err
	}
	deadline := time.Now().Add(30 * time.Second)
	for isThere := false; !isThere; {
		if time.Now().After(deadline) {
			return errors.New("the standby does not follow")
		}
		if err := to.QueryRow(ctx, "SELECT pg_last_wal_replay_lsn() >= CAST($1 AS pg_lsn)", written).Scan(&isThere); err != nil {
			return err
		}
	}
	return nil
}

// unprivileged returns the attributes of a process that a server may be, which refuses to run as root, and gives the
// folder to its user.
func (s *Server) unprivileged() (*syscall.SysProcAttr, error) {
	if os.Getuid() != 0 {
		return nil, nil
	}
	account, err := user.Lookup("postgres")
	if err != nil {
		account, err = user.Lookup("nobody")
	}
	if err != nil {
		return nil, err
	}
	uid, uidErr := strconv.ParseUint(account.Uid, 10, 32)
	gid, gidErr := strconv.ParseUint(account.Gid, 10, 32)
	if err := errors.Join(uidErr, gidErr, os.Chown(s.folder, int(uid), int(gid))); err != nil {
		return nil, err
	}
	return &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: uint32(uid), Gid: uint32(gid)}}, nil
}

func freePort() (int, error) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return 0, err
	}
	return listener.Addr().(*net.TCPAddr).Port, listener.Close()
}

func (s *Server) waitUntilReady() (err error) {
	deadline := time.Now().Add(30 * time.Second)
	for time.Now().Before(deadline) {
		if err = s.Exec("SELECT 1"); err == nil {
			return nil
		}
		time.Sleep(20 * time.Millisecond) // the server says nowhere that it is ready
	}
	return err
}

// Exec runs statements on the server.
func (s *Server) Exec(statements string) (err error) { return Exec(s.URL, statements) }

// Exec runs statements on the server at a URL.
func Exec(server, statements string) (err error) {
	ctx := context.Background()
	conn, err := pgx.Connect(ctx, server)
	if err != nil {
		return err
	}
	_, err = conn.Exec(ctx, statements)
	return errors.Join(err, conn.Close(ctx))
}

// CreateDatabase creates a database on the server at a URL, unless it exists, and returns its URL.
func CreateDatabase(server, name string) (string, error) {
	err := Exec(server, "CREATE DATABASE "+name+" TEMPLATE template0 ENCODING 'UTF8'")
	const exists, existsNow = "42P04", "23505" // the latter while another connection creates it
	if failure := (*pgconn.PgError)(nil); errors.As(err, &failure) && (failure.Code == exists || failure.Code == existsNow) {
		err = nil
	}
	return withDatabase(server, name), err
}

// CopyDatabase copies the database at a URL, in place of another one if there is one, and returns the URL of the copy.
func CopyDatabase(server, from, to string) (string, error) {
	u, err := url.Parse(from)
	if err != nil {
		return "", err
	}
	err = Exec(server, "DROP DATABASE IF EXISTS "+to+" WITH (FORCE)")
	return withDatabase(server, to), errors.Join(err, Exec(server, "CREATE DATABASE "+to+" TEMPLATE "+strings.TrimPrefix(u.Path, "/")))
}

// Copy returns the URL of a copy of a template, which is dropped when the test ends. If the server at a URL has no such
// template, fill makes it.
func Copy(t testing.TB, server, template string, fill func(database string) error) string {
	t.Helper()
	name := "test_" + strconv.FormatInt(time.Now().UnixNano(), 36) + "_" + strconv.Itoa(os.Getpid())
	from := withDatabase(server, template)
	database, err := CopyDatabase(server, from, name)
	const missing = "3D000"
	if failure := (*pgconn.PgError)(nil); errors.As(err, &failure) && failure.Code == missing {
		err = makeTemplate(server, template, name+"_template", fill)
		if err == nil {
			database, err = CopyDatabase(server, from, name)
		}
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := Exec(server, "DROP DATABASE "+name+" WITH (FORCE)"); err != nil {
			t.Error(err)
		}
	})
	return database
}

// makeTemplate fills a database under another name first, since others may make the same one.
func makeTemplate(server, template, name string, fill func(database string) error) error {
	database, err := CreateDatabase(server, name)
	if err != nil {
		return err
	}
	if err := fill(database); err != nil {
		return err
	}
	if err := Exec(server, "ALTER DATABASE "+name+" RENAME TO "+template); err != nil {
		return Exec(server, "DROP DATABASE "+name+" WITH (FORCE)") // another process was first
	}
	return nil
}

// withDatabase returns the URL of another database on the server at a URL.
func withDatabase(server, name string) string {
	u, err := url.Parse(server)
	if err != nil {
		return name // connecting says what is wrong
	}
	u.Path = name
	return u.String()
}

// DropDatabases drops the databases of a server whose names begin with a prefix.
func DropDatabases(server, prefix string) (err error) {
	ctx := context.Background()
	conn, err := pgx.Connect(ctx, server)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, conn.Close(ctx)) }()
	rows, err := conn.Query(ctx, "SELECT datname FROM pg_database WHERE starts_with(datname, $1)", prefix)
	if err != nil {
		return err
	}
	names, err := pgx.CollectRows(rows, pgx.RowTo[string])
	for _, name := range names {
		_, dropErr := conn.Exec(ctx, "DROP DATABASE "+name+" WITH (FORCE)")
		err = errors.Join(err, dropErr)
	}
	return err
}

// HasTable reports whether there is a table in the database at a URL.
func HasTable(database, table string) (exists bool, err error) {
	ctx := context.Background()
	conn, err := pgx.Connect(ctx, database)
	if err != nil {
		return false, err
	}
	err = conn.QueryRow(ctx, "SELECT to_regclass($1) IS NOT NULL", table).Scan(&exists)
	return exists, errors.Join(err, conn.Close(ctx))
}

// Stop stops the server at once and removes its folder.
func (s *Server) Stop() error {
	_ = s.command.Process.Signal(syscall.SIGINT)
	err := s.command.Wait()
	var exit *exec.ExitError
	if errors.As(err, &exit) {
		err = nil // however it ended
	}
	return errors.Join(err, os.RemoveAll(s.folder))
}

// Schema creates a schema on the server at a URL, which is dropped when the test ends, and returns the URL of the
// schema.
func Schema(t testing.TB, server string) string {
	t.Helper()
	name := "test_" + strconv.FormatInt(time.Now().UnixNano(), 36) + "_" + strconv.Itoa(os.Getpid())
	if err := Exec(server, "CREATE SCHEMA "+name); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := Exec(server, "SET client_min_messages = warning; DROP SCHEMA "+name+" CASCADE"); err != nil {
			t.Error(err)
		}
	})
	u, err := url.Parse(server)
	if err != nil {
		t.Fatal(err)
	}
	query := u.Query()
	query.Set("search_path", name)
	u.RawQuery = query.Encode()
	return u.String()
}
