package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptrace"
	"os"
	"os/exec"
	"regexp"
	"strings"
	"sync"
	"syscall"
	"time"
)

// server is a process of track serve.
type server struct {
	command    *exec.Cmd
	url, token string
	client     *http.Client
}

// start starts a server on a database, and waits until it has opened it.
func (b bench) start(p program, path string) (*server, error) {
	text, err := b.command(p, "token", "add", fmt.Sprint("bench-", time.Now().UnixNano()), "--scope", "read,record", "--db", path, "--format", "json").Output()
	if err != nil {
		return nil, err
	}
	var added struct{ Token string }
	if err := json.Unmarshal(text, &added); err != nil {
		return nil, err
	}
	s := &server{command: b.command(p, "serve", "--addr", "127.0.0.1:0", "--db", path), token: added.Token}
	s.client = &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: 64, DisableCompression: true}}
	s.command.Env = append(os.Environ(), "XDG_CONFIG_HOME="+p.dir)
	log, err := s.command.StderrPipe()
	if err != nil {
		return nil, err
	}
	if err := s.command.Start(); err != nil {
		return nil, err
	}
	reader, address := bufio.NewReader(log), regexp.MustCompile(`http://[0-9.:]+`)
	for s.url == "" {
		line, err := reader.ReadString('\n')
		if err != nil {
			return nil, errors.Join(fmt.Errorf("%s: %w", strings.TrimSpace(line), err), s.stop())
		}
		s.url = address.FindString(line)
	}
	go func() { _, _ = io.Copy(io.Discard, reader) }() // its log
	if _, err := s.fetch(http.MethodGet, "/api/v1/spec/list", nil); err != nil {
		return nil, errors.Join(err, s.stop())
	}
	return s, nil
}

func (s *server) stop() error {
	s.client.CloseIdleConnections()
	if err := s.command.Process.Signal(syscall.SIGTERM); err != nil {
		return err
	}
	return s.command.Wait()
}

// fetch sends a request, and returns how long the first byte of the answer took.
func (s *server) fetch(method, path string, body []byte) (firstByte time.Duration, err error) {
	request, err := http.NewRequest(method, s.url+path, bytes.NewReader(body))
	if err != nil {
		return 0, err
	}
	began := time.Now()
	request = request.WithContext(httptrace.WithClientTrace(request.Context(), &httptrace.ClientTrace{GotFirstResponseByte: func() { firstByte = time.Since(began) }}))
	request.Header.Set("Authorization", "Bearer "+s.token)
	request.Header.Set("Accept-Encoding", "gzip")
	response, err := s.client.Do(request)
	if err != nil {
		return 0, err
	}
	defer func() { _ = response.Body.Close() }()
	text, err := io.ReadAll(response.Body)
	if err == nil && (response.StatusCode != http.StatusOK || bytes.Contains(text, []byte(`"rejected":1`))) {
		err = fmt.Errorf("%s: %s: %s", path, response.Status, text)
	}
	return firstByte, err
}

// pages measures pages of a server on the database of [bench.growth], with the trace of an execution of 10,000 calls:
// the first byte after a start, and again.
func (b bench) pages() error {
	trace, err := b.writeTrace(10_000)
	if err != nil {
		return err
	}
	executions := make([]string, len(b.programs))
	for i, p := range b.programs {
		path := p.file("grown.db")
		if _, err := os.Stat(path); err != nil { // only pages are measured
			if err := b.grow(0, b.largest); err != nil {
				return err
			}
		}
		if err := b.do(p, []string{"lineage", "set", "traced", "keep_text=on", "--db", path}, []string{"record", "batch", trace, "--db", path}); err != nil {
			return err
		}
		text, err := b.command(p, "executions", "--lineage", "traced", "--db", path, "--format", "json").Output()
		if err != nil {
			return err
		}
		var list struct{ Items []struct{ ID string } }
		if err := json.Unmarshal(text, &list); err != nil || len(list.Items) != 1 {
			return fmt.Errorf("%s: %w", text, err)
		}
		executions[i] = list.Items[0].ID
	}
	heading(fmt.Sprintf("Pages of a server on %d seeds of 66 values, first byte", b.largest))
	for _, page := range []struct{ name, path string }{
		{"home", "/"},
		{"scenario", "/history?scenario=growth_plus"},
		{"configuration of 1,000 seeds", "/stability?scenario=growth_plus@c1"},
		{"comparison of 1,000 seeds a side", "/compare?scenario=growth_plus@c0&scenario=growth_plus@c1"},
		{"seeds", "/seeds?scenario=growth_plus"},
		{"seed", "/show/seed?scenario=growth_plus@c1&seed=7"},
		{"trace of 10,000 calls", "/show/execution?id="},
	} {
		again := make([]runs, len(b.programs))
		first, err := b.inTurns(b.rounds, func(p program, _ int, r *runs) error {
			i := b.index(p)
			path := page.path
			if strings.HasSuffix(path, "id=") {
				path += executions[i]
			}
			return b.openPage(p, path, r, &again[i])
		})
		if err != nil {
			return err
		}
		b.rows(page.name, first, 0)
		b.rows(page.name+", again", again, 0)
	}
	return nil
}

// openPage asks a new server for a page twice.
func (b bench) openPage(p program, path string, first, again *runs) error {
	s, err := b.start(p, p.file("grown.db"))
	if err != nil {
		return err
	}
	for _, r := range []*runs{first, again} {
		took, err := s.fetch(http.MethodGet, path, nil)
		if err != nil {
			return errors.Join(err, s.stop())
		}
		r.wall = append(r.wall, took)
	}
	return s.stop()
}

// serve measures requests that record a seed each, from one client and from 16 at once.
func (b bench) serve() error {
	heading("A server: seeds of 66 values by request, each on the disk before its answer")
	for _, load := range []struct{ clients, seeds int }{{1, 1000}, {16, 8000}} {
		lines, err := b.seedLines(0, load.seeds, perConfiguration)
		if err != nil {
			return err
		}
		var list [][]byte
		for line := range lines {
			list = append(list, line)
		}
		for _, p := range b.programs {
			r, took, err := b.recordByRequest(p, load.clients, list)
			if err != nil {
				return err
			}
			row(fmt.Sprintf("%d at a time", load.clients), p.name, r, 0)
			fmt.Printf("| the same, all | %s | %s | | | | %.0f |\n", p.name, duration(took), float64(len(list))/took.Seconds())
		}
	}
	return nil
}

// recordByRequest lets clients record lines at the same time, in a new database. It returns how long each request took, and all.
func (b bench) recordByRequest(p program, clients int, lines [][]byte) (each runs, took time.Duration, err error) {
	path, err := b.newDatabase(p, fmt.Sprintf("serve-%d.db", clients))
	if err != nil {
		return each, 0, err
	}
	s, err := b.start(p, path)
	if err != nil {
		return each, 0, err
	}
	times, failures := make([]time.Duration, len(lines)), make([]error, clients)
	var sending sync.WaitGroup
	began := time.Now()
	for c := range clients {
		sending.Go(func() {
			for i := c; i < len(lines) && failures[c] == nil; i += clients {
				times[i], failures[c] = s.fetch(http.MethodPost, "/api/v1/lines", lines[i])
			}
		})
	}
	sending.Wait()
	took = time.Since(began)
	return runs{wall: times}, took, errors.Join(append(failures, s.stop())...)
}
