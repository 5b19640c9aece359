package testpostgres

import (
	"bytes"
	"errors"
	"fmt"
	"net"
	"net/url"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// BouncerProgram returns the path of PgBouncer, which Debian keeps where only root looks.
func BouncerProgram() (string, error) {
	path, err := exec.LookPath("pgbouncer")
	if err == nil {
		return path, nil
	}
	path, otherErr := exec.LookPath("/usr/sbin/pgbouncer")
	if otherErr != nil {
		return "", errors.New("no pgbouncer: install it with: apt-get install pgbouncer")
	}
	return path, nil
}

// Bouncer starts PgBouncer in transaction mode before the server at a URL, and returns the URL of the same database
// through it, for one user. All share so many connections to the server. It ends with the test.
func Bouncer(t testing.TB, program, database, user string, connections int, settings ...string) string {
	t.Helper()
	u, err := url.Parse(database)
	if err != nil {
		t.Fatal(err)
	}
	port, err := freePort()
	if err != nil {
		t.Fatal(err)
	}
	lines := append([]string{
		"[databases]",
		fmt.Sprintf("* = host=%s port=%s user=%s", u.Hostname(), u.Port(), user),
		"[pgbouncer]",
		"listen_addr = 127.0.0.1",
		fmt.Sprintf("listen_port = %d", port),
		"unix_socket_dir =",
		"auth_type = any",
		"pool_mode = transaction",
		fmt.Sprintf("default_pool_size = %d", connections),
		"log_connections = 0",
		"log_disconnections = 0",
	}, settings...)
	folder := Files(t, map[string][]byte{"pgbouncer.ini": []byte(strings.Join(lines, "\n") + "\n")})
	command := exec.Command(program, filepath.Join(folder, "pgbouncer.ini"))
	var log bytes.Buffer
	command.Stderr, command.Dir = &log, folder
	if command.SysProcAttr, err = (&Server{folder: folder}).unprivileged(); err != nil {
		t.Fatal(err)
	}
	if err := command.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = command.Process.Kill()
		_ = command.Wait() // killed
		if t.Failed() {
			t.Logf("PgBouncer: %s", log.String())
		}
	})
	u.Host, u.User = net.JoinHostPort("127.0.0.1", fmt.Sprint(port)), url.User(user)
	through := With(t, u.String(), map[string]string{"search_path": ""})
	deadline := time.Now().Add(30 * time.Second)
	for err = errors.New("not asked"); err != nil && time.Now().Before(deadline); {
		if err = Exec(through, "SELECT 1"); err != nil {
			time.Sleep(20 * time.Millisecond) // it says nowhere that it is ready
		}
	}
	if err != nil {
		t.Fatalf("%v: %s", err, log.String())
	}
	return through
}
