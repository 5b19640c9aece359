package main

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync/atomic"
)

// bareServer is what a server needs at least: a handler of net/http that reads the body and inserts rows that are ready,
// with prepared statements. Requests that come at the same time share a transaction, which waits for the disk.
type bareServer struct {
	conn       *sql.Conn
	statements map[string]*sql.Stmt
	rows       map[int][][][]any // by the number of their values, the rows of seeds for each of the tables
	next       map[int]*atomic.Int64
	waiting    chan bareInsert
}

type bareInsert struct {
	rows [][]any
	done chan error
}

// serveBare serves until the process is told to end. It inserts the rows of the database at from into the one at to.
func serveBare(ctx context.Context, from, to string) error {
	s := &bareServer{statements: map[string]*sql.Stmt{}, rows: map[int][][][]any{}, next: map[int]*atomic.Int64{}, waiting: make(chan bareInsert, 64)}
	recorded, err := readSeeds(ctx, from)
	if err != nil {
		return err
	}
	for _, seed := range recorded {
		n := len(seed[1]) / 3
		if s.rows[n] = append(s.rows[n], seed); s.next[n] == nil {
			s.next[n] = new(atomic.Int64)
		}
	}
	const pragmas = "?_pragma=busy_timeout(10000)&_pragma=foreign_keys(1)&_pragma=synchronous(FULL)&_pragma=cache_size(-16384)"
	db, err := sql.Open("sqlite", "file:"+filepath.ToSlash(to)+pragmas)
	if err != nil {
		return err
	}
	if s.conn, err = db.Conn(ctx); err != nil {
		return err
	}
	if err := copySmallTables(ctx, s.conn, from); err != nil {
		return err
	}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	fmt.Fprintf(os.Stderr, "http://%s\n", listener.Addr())
	go s.insertAll(ctx)
	return http.Serve(listener, s)
}

// ServeHTTP answers once the rows of a seed are on the disk.
func (s *bareServer) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	n, err := strconv.Atoi(r.URL.Query().Get("values"))
	if err == nil {
		_, err = io.Copy(io.Discard, r.Body)
	}
	if err == nil {
		done := make(chan error, 1)
		s.waiting <- bareInsert{s.rows[n][s.next[n].Add(1)-1], done}
		err = <-done
	}
	if err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
		return
	}
	_, _ = io.WriteString(w, `{"recorded":1}`)
}

// insertAll inserts what waits, all of it in each transaction.
func (s *bareServer) insertAll(ctx context.Context) {
	for first := range s.waiting {
		together := []bareInsert{first}
		for len(s.waiting) > 0 {
			together = append(together, <-s.waiting)
		}
		err := s.transact(ctx, together)
		for _, one := range together {
			one.done <- err
		}
	}
}

func (s *bareServer) transact(ctx context.Context, together []bareInsert) error {
	if _, err := s.conn.ExecContext(ctx, "BEGIN IMMEDIATE"); err != nil {
		return err
	}
	for _, one := range together {
		for t, table := range tables() {
			if err := insert(ctx, s.conn, s.statements, table.name, table.columns, one.rows[t]); err != nil {
				return err
			}
		}
	}
	_, err := s.conn.ExecContext(ctx, "COMMIT")
	return err
}

// startBare starts a bare server in a process of its own on a new database. It inserts what the database at from has.
func (b bench) startBare(from string) (*served, error) {
	to, err := b.newDatabase("serve-bare.db")
	if err == nil {
		err = b.addSmallSpec(to)
	}
	if err != nil {
		return nil, err
	}
	program, err := os.Executable()
	if err != nil {
		return nil, err
	}
	return started(exec.CommandContext(b.ctx, program, "-bare", strings.Join([]string{from, to}, string(os.PathListSeparator))), "")
}

// runBare is the process of a bare server. Files are those of [bench.startBare].
func runBare(ctx context.Context, files string) error {
	from, to, found := strings.Cut(files, string(os.PathListSeparator))
	if !found {
		return errors.New("-bare needs two files")
	}
	return serveBare(ctx, from, to)
}
