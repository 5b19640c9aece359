package main

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/go-json-experiment/json"

	"track/answer"
)

// served is a server in a process of its own, on a database with the example's spec.
type served struct {
	command *exec.Cmd
	url     string
	token   string
	client  *http.Client
	lines   string // the path that seeds are sent to
}

// startServer starts a server on the database at path.
func (b bench) startServer(path string) (*served, error) {
	text, err := exec.CommandContext(b.ctx, b.track, "token", "add", fmt.Sprint("bench-", time.Now().UnixNano()), "--scope", "read,record", "--db", path, "--format", "json").Output()
	if err != nil {
		return nil, err
	}
	var added answer.AddedToken
	if err := json.Unmarshal(text, &added); err != nil {
		return nil, err
	}
	command := exec.CommandContext(b.ctx, b.track, "serve", "--addr", "127.0.0.1:0", "--db", path)
	command.Env = append(os.Environ(), "XDG_CONFIG_HOME="+b.dir)
	return started(command, string(added.Secret))
}

// started starts a server, which says at which address it listens.
func started(command *exec.Cmd, token string) (*served, error) {
	s := &served{command: command, token: token, lines: "lines", client: &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: 64, DisableCompression: true}}}
	log, err := s.command.StderrPipe()
	if err != nil {
		return nil, err
	}
	if err := s.command.Start(); err != nil {
		return nil, err
	}
	reader := bufio.NewReader(log)
	for last := ""; s.url == ""; {
		line, err := reader.ReadString('\n')
		if err != nil {
			return nil, errors.Join(fmt.Errorf("%s: %w", last, err), s.stop())
		}
		last = strings.TrimSpace(line)
		s.url = regexp.MustCompile(`http://[0-9.:]+`).FindString(line)
	}
	go func() { _, _ = io.Copy(io.Discard, reader) }() // its log
	return s, nil
}

// stop stops the server.
func (s *served) stop() error {
	s.client.CloseIdleConnections()
	if err := s.command.Process.Signal(syscall.SIGTERM); err != nil {
		return err
	}
	return s.command.Wait()
}

// kill ends a server that need not finish anything.
func (s *served) kill() error {
	s.client.CloseIdleConnections()
	err := s.command.Process.Kill()
	_ = s.command.Wait() // it was killed
	return err
}

// ask sends a request, and returns the answer's tag and how long it took.
func (s *served) ask(ctx context.Context, method, path, tag string, body []byte, status int) (string, time.Duration, error) {
	request, err := http.NewRequestWithContext(ctx, method, s.url+"/api/v1/"+path, bytes.NewReader(body))
	if err != nil {
		return "", 0, err
	}
	request.Header.Set("Authorization", "Bearer "+s.token)
	if tag != "" {
		request.Header.Set("If-None-Match", tag)
	}
	started := time.Now()
	response, err := s.client.Do(request)
	if err != nil {
		return "", 0, err
	}
	defer func() { _ = response.Body.Close() }()
	text, err := io.ReadAll(response.Body)
	took := time.Since(started)
	if err == nil && (response.StatusCode != status || bytes.Contains(text, []byte(`"rejected":1`))) {
		err = fmt.Errorf("%s: %d: %s", path, response.StatusCode, text)
	}
	return response.Header.Get("ETag"), took, err
}

// record sends seeds one by one.
func (s *served) record(ctx context.Context, lines [][]byte) (all timings, err error) {
	for _, line := range lines {
		_, took, err := s.ask(ctx, http.MethodPost, s.lines, "", line, http.StatusOK)
		if err != nil {
			return nil, err
		}
		all = append(all, took)
	}
	return all, nil
}

// recordTogether lets clients send seeds one by one at the same time, and returns how long all took.
func (s *served) recordTogether(ctx context.Context, clients int, lines [][]byte) (time.Duration, error) {
	started := time.Now()
	failures := make([]error, clients)
	var sending sync.WaitGroup
	for c := range clients {
		sending.Go(func() {
			share := len(lines) / clients
			_, failures[c] = s.record(ctx, lines[c*share:(c+1)*share])
		})
	}
	sending.Wait()
	return time.Since(started), errors.Join(failures...)
}

// The scenarios that are recorded, with a spec each: 66 metrics, and the first few of them.
const (
	allValues  = 66
	fewValues  = 15
	allMetrics = "growth_plus"
	fewMetrics = "few"
)

// fewNames returns the names of the metrics of the small scenario.
func fewNames(examples []map[string]float64) []string {
	return slices.Sorted(maps.Keys(examples[0]))[:fewValues]
}

// addSmallSpec adds the spec of the small scenario.
func (b bench) addSmallSpec(path string) error {
	examples, err := b.exampleValues()
	if err != nil {
		return err
	}
	var text strings.Builder
	fmt.Fprintf(&text, "scenario: %s\nmetrics:\n", fewMetrics)
	for _, name := range fewNames(examples) {
		fmt.Fprintf(&text, "  - {name: %s, type: RANGE, weight: 1, min: -1000, max: 1000}\n", name)
	}
	file := filepath.Join(b.dir, "few.yaml")
	if err := os.WriteFile(file, []byte(text.String()), 0o600); err != nil {
		return err
	}
	return b.command("spec", "add", file, "--db", path)
}

// seedLines returns lines of n seeds with so many values each, in configurations whose labels begin with label.
func (b bench) seedLines(label string, n, values, perConfiguration int) (list [][]byte, err error) {
	examples, err := b.exampleValues()
	if err != nil {
		return nil, err
	}
	scenario := allMetrics
	if values == fewValues {
		scenario = fewMetrics
	}
	for i := range n {
		some := examples[i%len(examples)]
		if scenario == fewMetrics {
			some = map[string]float64{}
			for _, name := range fewNames(examples) {
				some[name] = examples[i%len(examples)][name]
			}
		}
		line, err := json.Marshal(map[string]any{
			"kind": "seed", "scenario": scenario, "seed": fmt.Sprint(i % perConfiguration), "values": some,
			"configuration": map[string]any{"label": fmt.Sprintf("%s-%d", label, i/perConfiguration), "commit": "303e61f"},
		})
		if err != nil {
			return nil, err
		}
		list = append(list, append(line, '\n'))
	}
	return list, nil
}

// serve measures a server on loopback, with a token that is looked up for each request.
func (b bench) serve() error {
	return b.served(func(s *served, path string) error {
		return errors.Join(b.serveRecording(s, path), b.serveStreams(s), b.serveBatch(s), b.serveReading(s, path))
	})
}

// serveRequests measures the requests that record alone.
func (b bench) serveRequests() error {
	return b.served(func(s *served, path string) error { return b.serveRecording(s, path) })
}

// served measures a server on a new database with two specs.
func (b bench) served(measure func(s *served, path string) error) error {
	path, err := b.newDatabase("serve.db")
	if err != nil {
		return err
	}
	if err := b.addSmallSpec(path); err != nil {
		return err
	}
	s, err := b.startServer(path)
	if err != nil {
		return err
	}
	err = measure(s, path)
	used := errors.Join(s.stop(), err)
	state := s.command.ProcessState
	fmt.Printf("\nThe server used %.1f s of processor time in all.\n", (state.UserTime() + state.SystemTime()).Seconds())
	return used
}

// recordings are the requests that are measured.
func recordings() []recording {
	return []recording{{1, allValues, 1000}, {16, fewValues, 16_000}, {16, allValues, 8_000}}
}

type recording struct{ clients, values, seeds int }

// serveRecording measures a server, and a bare one with the same rows.
func (b bench) serveRecording(s *served, path string) error {
	heading("A server: seeds by request, each durable", "what", "median", "p99", "seeds/s", "processor time of the server for a seed", "of the clients")
	for _, r := range recordings() {
		if err := b.measureRecording(s, r, ""); err != nil {
			return err
		}
	}
	bare, err := b.startBare(path)
	if err != nil {
		return err
	}
	for _, r := range recordings() {
		if err = b.measureRecording(bare, r, ", a bare handler that inserts the same rows"); err != nil {
			break
		}
	}
	return errors.Join(err, bare.kill())
}

func (b bench) measureRecording(s *served, r recording, what string) error {
	list, err := b.seedLines(fmt.Sprintf("clients%d-%d", r.clients, r.values), r.seeds, r.values, 1000)
	if err != nil {
		return err
	}
	if what != "" {
		s.lines = fmt.Sprintf("lines?values=%d", r.values)
	}
	server, clients := s.processorTime(), ownProcessorTime()
	median, last := "", ""
	started := time.Now()
	if r.clients == 1 {
		all, err := s.record(b.ctx, list)
		if err != nil {
			return err
		}
		median, last = all.String(), p99(all)
	} else if _, err := s.recordTogether(b.ctx, r.clients, list); err != nil {
		return err
	}
	took := time.Since(started)
	each := func(used time.Duration) string { return fmt.Sprintf("%.2f ms", milliseconds(used)/float64(r.seeds)) }
	row(fmt.Sprintf("%d clients, %d values%s", r.clients, r.values, what), median, last, fmt.Sprintf("%.0f", float64(r.seeds)/took.Seconds()),
		each(s.processorTime()-server), each(ownProcessorTime()-clients))
	return nil
}

// ownProcessorTime returns what this process has used so far.
func ownProcessorTime() time.Duration {
	var used syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &used); err != nil {
		return 0
	}
	return time.Duration(used.Utime.Nano() + used.Stime.Nano())
}

// serveBatch compares one body of lines with track record batch on the same file.
func (b bench) serveBatch(s *served) error {
	heading("A server: a file of 4,000 seeds of 66 values", "what", "median")
	var sent, batch timings
	for round := range b.rounds {
		lines, err := b.seedLines(fmt.Sprint("batch", round), 4000, 66, 1000)
		if err != nil {
			return err
		}
		text := slices.Concat(lines...)
		_, took, err := s.ask(b.ctx, http.MethodPost, "lines", "", text, http.StatusOK)
		if err != nil {
			return err
		}
		sent = append(sent, took)
		file := filepath.Join(b.dir, "sent.jsonl")
		if err := os.WriteFile(file, text, 0o600); err != nil {
			return err
		}
		db, err := b.newDatabase(fmt.Sprintf("sent-%d.db", round))
		if err != nil {
			return err
		}
		if took, err = b.timed("record", "batch", file, "--db", db); err != nil {
			return err
		}
		batch = append(batch, took)
	}
	row("track record batch", batch)
	row("POST /api/v1/lines", sent)
	fmt.Printf("\nThe server's rate is %s of the command's.\n", ratio(batch, sent))
	return nil
}

// processorTime returns what the server has used so far.
func (s *served) processorTime() time.Duration {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", s.command.Process.Pid))
	if err != nil {
		return 0 // not Linux
	}
	fields := strings.Fields(string(text[bytes.LastIndexByte(text, ')')+1:]))
	user, _ := strconv.ParseInt(fields[11], 10, 64)
	system, _ := strconv.ParseInt(fields[12], 10, 64)
	const tick = 10 * time.Millisecond
	return time.Duration(user+system) * tick
}
