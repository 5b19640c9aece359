package main

import (
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptrace"
	"net/url"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/go-json-experiment/json"

	"track/answer"
)

// The aims for pages.
const (
	aimFirstByte     = 60 * time.Millisecond
	aimConfiguration = 150 * time.Millisecond // of 1,000 seeds
	aimWire          = 150_000                // bytes
)

// address is a page, or what one fetches.
type address struct {
	name, path string
	aim        time.Duration // until the first byte
}

// pages measures the pages of a server, by HTTP and in a browser.
func (b bench) pages() error {
	path, err := b.pagesDatabase()
	if err != nil {
		return err
	}
	list, err := b.pageAddresses(path)
	if err != nil {
		return err
	}
	if err := b.pagesByHTTP(path, list); err != nil {
		return err
	}
	return b.pagesInBrowser(path, list)
}

// pageAddresses returns what is measured.
func (b bench) pageAddresses(path string) ([]address, error) {
	var sweeps answer.Sweeps
	var executions answer.Executions
	if err := errors.Join(b.askInto(path, &sweeps, "sweep", "list"), b.askInto(path, &executions, "executions", "--lineage", traceName)); err != nil {
		return nil, err
	}
	if len(sweeps.Items) == 0 || len(executions.Items) == 0 {
		return nil, errors.New("the database has no sweep, or no long execution")
	}
	return []address{
		{"home", "/", aimFirstByte},
		{"scenario", "/history?scenario=large", aimFirstByte},
		{"configuration, 1,000 seeds of 66 values", "/stability?scenario=growth_plus@c1", aimConfiguration},
		{"configuration, 1,000 seeds of 100 values", wholeHeatMap, aimConfiguration},
		{"heat map of 10⁵ cells, 1,000 seeds", "/matrix?scenario=wide", aimConfiguration},
		{"the same, its data", "/api/v1/matrix?scenario=wide&order=failures", aimConfiguration},
		{"seed", "/show/seed?scenario=growth_plus@c1&seed=7", aimFirstByte},
		{"compare, 1,000 seeds a side", "/compare?scenario=growth_plus@c0&scenario=growth_plus@c1", aimFirstByte},
		{"seeds", "/seeds?scenario=large", aimFirstByte},
		{"sweep of 1,000 seeds", "/sweep/show?sweep=" + sweeps.Items[0].ID, aimFirstByte},
		{"lineage", "/lineage/show?lineage=" + treeName, aimFirstByte},
		{"tree of the lineage", wholeTree, aimFirstByte},
		{"the same, its versions", wholeTree + "&part.page=whole-tree", time.Second},
		{"mutation", "/mutation/show?mutation=500&lineage=" + treeName, aimFirstByte},
		{"mutations", "/mutation/list?lineage=" + treeName, aimFirstByte},
		{"executions", "/executions", aimFirstByte},
		{"search of names", "/search?text=large", aimFirstByte},
		{"trace of 10⁴ calls", "/show/execution?id=" + executions.Items[0].ID, aimFirstByte},
		{"sql, the 20 newest seeds", "/query?sql=" + url.QueryEscape("SELECT scenario, seed, outcome FROM v_seed LIMIT 20"), aimFirstByte},
		{"sql, 10⁵ rows", manyRows, aimFirstByte},
	}, nil
}

// The pages that are measured in a browser too.
const (
	wholeHeatMap = "/stability?scenario=wide"
	wholeTree    = "/lineage/tree?lineage=" + treeName
	manyRows     = "/query?limit=0&sql=WITH+RECURSIVE+n(i)+AS+(SELECT+1+UNION+ALL+SELECT+i+%2B+1+FROM+n+WHERE+i+%3C+100000)+SELECT+i%2C+i+%25+3+AS+rest+FROM+n"
)

// askInto asks the program a question.
func (b bench) askInto(path string, into any, question ...string) error {
	text, err := b.output(append(question, "--db", path, "--format", "json")...)
	if err != nil {
		return err
	}
	return json.Unmarshal(text, into)
}

// fetched is what a request for a page gave.
type fetched struct {
	firstByte   time.Duration
	used        time.Duration // processor time of the server
	wire, bytes int           // compressed, and not
}

// opening is an address for which a server opens its database, which it does by itself when it starts.
const opening = "/api/v1/spec/list"

// pagesByHTTP asks a new server for each page when it has opened its database, then again. Each is asked until its
// last byte.
func (b bench) pagesByHTTP(path string, list []address) error {
	heading(fmt.Sprintf("Pages, by HTTP: %d seeds, %d mutations", b.pageSeeds, b.mutations),
		"page", "first byte, new server", "first byte", "aim", "processor time, new server", "processor time", "over the wire", "of", "aim")
	for _, page := range list {
		var cold, warm []fetched
		for range min(b.rounds, 3) {
			s, err := b.startServer(path)
			if err != nil {
				return err
			}
			if _, err := s.fetch(b.ctx, opening); err != nil {
				return errors.Join(err, s.kill())
			}
			for i := range 1 + b.rounds {
				one, err := s.fetch(b.ctx, page.path)
				if err != nil {
					return errors.Join(err, s.kill())
				}
				if i == 0 {
					cold = append(cold, one)
				} else {
					warm = append(warm, one)
				}
			}
			if err := s.stop(); err != nil {
				return err
			}
		}
		first, used := mediansOf(cold)
		firstAgain, usedAgain := mediansOf(warm)
		row(page.name, first, firstAgain, fmt.Sprintf("%d ms", page.aim.Milliseconds()), used, usedAgain, kilobytes(warm[0].wire), kilobytes(warm[0].bytes), kilobytes(aimWire))
	}
	return nil
}

func kilobytes(n int) string { return fmt.Sprintf("%.1f kB", float64(n)/1000) }

func mediansOf(list []fetched) (firstByte, used timings) {
	for _, one := range list {
		firstByte, used = append(firstByte, one.firstByte), append(used, one.used)
	}
	return firstByte, used
}

// fetch asks for a page as a browser does.
func (s *served) fetch(ctx context.Context, path string) (f fetched, err error) {
	before := s.processorTimeExactly()
	began := time.Now()
	ctx = httptrace.WithClientTrace(ctx, &httptrace.ClientTrace{GotFirstResponseByte: func() { f.firstByte = time.Since(began) }})
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, s.url+path, nil)
	if err != nil {
		return f, err
	}
	request.Header.Set("Authorization", "Bearer "+s.token)
	request.Header.Set("Accept-Encoding", "gzip")
	if strings.HasPrefix(path, "/api/") {
		request.Header.Set("Accept", "application/json")
	}
	response, err := s.client.Do(request)
	if err != nil {
		return f, err
	}
	defer func() { _ = response.Body.Close() }()
	counted := &counter{from: response.Body}
	var body io.Reader = counted
	if response.Header.Get("Content-Encoding") == "gzip" {
		if body, err = gzip.NewReader(counted); err != nil {
			return f, err
		}
	}
	n, err := io.Copy(io.Discard, body)
	f.wire, f.bytes, f.used = counted.n, int(n), s.processorTimeExactly()-before
	if err == nil && response.StatusCode != http.StatusOK {
		err = fmt.Errorf("%s: %s", path, response.Status)
	}
	return f, err
}

// counter counts the bytes that are read.
type counter struct {
	from io.Reader
	n    int
}

func (c *counter) Read(p []byte) (int, error) {
	n, err := c.from.Read(p)
	c.n += n
	return n, err
}

// processorTimeExactly returns what the threads of the server have used so far, in nanoseconds. It leaves out threads
// that have ended, of which a server has few.
func (s *served) processorTimeExactly() (sum time.Duration) {
	files, _ := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/schedstat", s.command.Process.Pid)) // the pattern is good
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil { // the thread has ended
			continue
		}
		used, _, _ := strings.Cut(string(text), " ")
		ns, _ := strconv.ParseInt(used, 10, 64) // the kernel wrote it
		sum += time.Duration(ns)
	}
	return sum
}
