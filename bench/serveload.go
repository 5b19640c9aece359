package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net/http"
	"os"
	"strconv"
	"sync"
	"sync/atomic"
	"time"
)

// The load of a server over a long time.
const (
	loadClients = 16
	loadStreams = 20
	loadRows    = 12 // that are printed
)

// serveLoad lets clients record, ask and listen for a long time, and prints how much memory the server has.
func (b bench) serveLoad() error {
	return b.served(func(s *served, _ string) error {
		heading(fmt.Sprintf("A server: %s of %d clients that record seeds of %d values, one that asks, and %d streams of events", b.load, loadClients, fewValues, loadStreams),
			"after", "seeds recorded", "resident memory", "open files", "threads")
		ctx, stop := context.WithTimeout(b.ctx, b.load)
		defer stop()
		wait, err := s.listen(ctx, loadStreams)
		if err != nil {
			return err
		}
		var recorded atomic.Int64
		var working sync.WaitGroup
		failures := make([]error, loadClients+1)
		for c := range loadClients {
			working.Go(func() {
				failures[c] = b.keepRecording(ctx, s, c, &recorded)
				stop() // one failure ends all
			})
		}
		working.Go(func() { failures[loadClients] = s.keepAsking(ctx, &recorded) })
		started := time.Now()
		ticker := time.NewTicker(b.load / loadRows)
		defer ticker.Stop()
		for ctx.Err() == nil {
			row(time.Since(started).Round(time.Second), recorded.Load(), fmt.Sprintf("%d MB", s.status("VmRSS")>>10), s.openFiles(), s.status("Threads"))
			select {
			case <-ticker.C:
			case <-ctx.Done():
			}
		}
		working.Wait()
		wait()
		row(time.Since(started).Round(time.Second), recorded.Load(), fmt.Sprintf("%d MB", s.status("VmRSS")>>10), s.openFiles(), s.status("Threads"))
		return errors.Join(failures...)
	})
}

// keepRecording records seeds in one configuration after the other until ctx ends.
func (b bench) keepRecording(ctx context.Context, s *served, client int, recorded *atomic.Int64) error {
	for round := 0; ; round++ {
		list, err := b.seedLines(fmt.Sprintf("load%d-%d", client, round), 1000, fewValues, 1000)
		if err != nil {
			return err
		}
		for _, line := range list {
			_, _, err := s.ask(ctx, http.MethodPost, s.lines, "", line, http.StatusOK)
			if ctx.Err() != nil {
				return nil
			}
			if err != nil {
				return err
			}
			recorded.Add(1)
		}
	}
}

// keepAsking asks one question a second until ctx ends.
func (s *served) keepAsking(ctx context.Context, recorded *atomic.Int64) error {
	ticker := time.NewTicker(time.Second)
	defer ticker.Stop()
	questions := []string{"stability?scenario=few@load0-0-0", "seeds?scenario=few&limit=100", "history?scenario=few&limit=20"}
	for i := 0; ; i++ {
		select {
		case <-ctx.Done():
			return nil
		case <-ticker.C:
		}
		if recorded.Load() < loadClients { // the first seeds are not there
			continue
		}
		if _, _, err := s.ask(ctx, http.MethodGet, questions[i%len(questions)], "", nil, http.StatusOK); err != nil && ctx.Err() == nil {
			return err
		}
	}
}

// status returns a number of the status of the server's process, 0 if it is not known.
func (s *served) status(name string) int64 {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", s.command.Process.Pid))
	if err != nil {
		return 0 // not Linux
	}
	_, rest, _ := bytes.Cut(text, []byte("\n"+name+":"))
	number, _, _ := bytes.Cut(bytes.TrimSpace(rest), []byte("\n"))
	number, _, _ = bytes.Cut(number, []byte(" "))
	n, _ := strconv.ParseInt(string(number), 10, 64)
	return n
}

func (s *served) openFiles() int {
	files, _ := os.ReadDir(fmt.Sprintf("/proc/%d/fd", s.command.Process.Pid))
	return len(files)
}
