package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync"
	"time"

	"track/answer"
	"track/ask"
	"track/store"
)

const largeStability = "stability?scenario=growth_plus@large-0"

func readQuestions() []string {
	return []string{largeStability, "seeds?scenario=growth_plus&limit=100", "history?scenario=growth_plus"}
}

// serveReading measures questions, and requests that record while one is asked.
func (b bench) serveReading(s *served, path string) error {
	large, err := b.seedLines("large", 10_000, allValues, 10_000)
	if err != nil {
		return err
	}
	for part := range slices.Chunk(large, 5000) {
		if _, _, err := s.ask(b.ctx, http.MethodPost, "lines", "", slices.Concat(part...), http.StatusOK); err != nil {
			return err
		}
	}
	if err := b.serveRecordingWhileAsked(s); err != nil {
		return err
	}
	return b.serveQuestions(s, path)
}

func p99(t timings) string { return fmt.Sprintf("%.2f ms", milliseconds(t.percentile(99))) }

// serveRecordingWhileAsked lets one client record while a question about many seeds is asked ten times a second, whether
// the last one is answered or not.
func (b bench) serveRecordingWhileAsked(s *served) error {
	list, err := b.seedLines("load", 1000, allValues, 1000)
	if err != nil {
		return err
	}
	asking, stop := context.WithCancel(b.ctx)
	var answering sync.WaitGroup
	var answered timings
	var mu sync.Mutex
	asked := 0
	answering.Go(func() {
		ticker := time.NewTicker(time.Second / 10)
		defer ticker.Stop()
		for ; asking.Err() == nil; <-ticker.C {
			asked++
			answering.Go(func() {
				_, took, err := s.ask(asking, http.MethodGet, largeStability, "", nil, http.StatusOK)
				if err == nil { // else it ended with the measurement
					mu.Lock()
					defer mu.Unlock()
					answered = append(answered, took)
				}
			})
		}
	})
	began := time.Now()
	all, err := s.record(b.ctx, list)
	took := time.Since(began)
	stop()
	answering.Wait()
	if err != nil {
		return err
	}
	heading("A server: a seed of 66 values by request while stability of 10,000 seeds is asked ten times a second", "what", "median", "p99", "a second")
	row("recorded", all, p99(all), fmt.Sprintf("%.0f", float64(len(all))/took.Seconds()))
	if len(answered) > 0 {
		row(fmt.Sprintf("stability, asked %.1f times a second", float64(asked)/took.Seconds()), answered, p99(answered), fmt.Sprintf("%.1f", float64(len(answered))/took.Seconds()))
	}
	return nil
}

// serveQuestions asks in turns: by request after a seed was recorded, by the same request again, by one with the tag of
// the last answer, and of the database itself.
func (b bench) serveQuestions(s *served, path string) (err error) {
	st, err := store.Open(b.ctx, path, time.Now)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, st.Close()) }()
	const rounds = 30
	heading("A server: questions", "question", "by request after a commit", "p99", "the use case itself", "p99", "difference of the medians", "asked again", "p99", "not modified", "p99")
	for _, q := range readQuestions() {
		name, _, _ := strings.Cut(q, "?")
		commits, err := b.seedLines("before-"+name, rounds, fewValues, rounds)
		if err != nil {
			return err
		}
		var asked, again, hits, itself timings
		for i := range rounds {
			if _, err := s.record(b.ctx, commits[i:i+1]); err != nil {
				return err
			}
			_, took, err := s.ask(b.ctx, http.MethodGet, q, "", nil, http.StatusOK)
			if err != nil {
				return err
			}
			asked = append(asked, took)
			tag, took, err := s.ask(b.ctx, http.MethodGet, q, "", nil, http.StatusOK)
			if err != nil {
				return err
			}
			again = append(again, took)
			if _, took, err = s.ask(b.ctx, http.MethodGet, q, tag, nil, http.StatusNotModified); err != nil {
				return err
			}
			hits = append(hits, took)
			if took, err = b.useCase(st, q); err != nil {
				return err
			}
			itself = append(itself, took)
		}
		row(name, asked, p99(asked), itself, p99(itself), fmt.Sprintf("%.2f ms", milliseconds(asked.median()-itself.median())), again, p99(again), hits, p99(hits))
	}
	return nil
}

// useCase asks a question of the database itself.
func (b bench) useCase(st *store.Store, asked string) (time.Duration, error) {
	name, text, _ := strings.Cut(asked, "?")
	params, err := url.ParseQuery(text)
	if err != nil {
		return 0, err
	}
	all := ask.All()
	q := all[slices.IndexFunc(all, func(q ask.Question) bool { return q.Path == name })]
	started := time.Now()
	a, err := q.Ask(b.ctx, ask.Source{Store: st}, params)
	if err == nil {
		err = answer.Encode(io.Discard, a)
	}
	return time.Since(started), err
}

// serveStreams measures what streams of events that are open cost those who record, in turns.
func (b bench) serveStreams(s *served) error {
	const nStreams, seeds = 100, 500
	times := map[int]timings{}
	used := map[int]time.Duration{}
	for round := range b.rounds {
		for _, n := range []int{0, nStreams} {
			list, err := b.seedLines(fmt.Sprintf("streams%d-%d", n, round), seeds, allValues, seeds)
			if err != nil {
				return err
			}
			listening, leave := context.WithCancel(b.ctx)
			wait, err := s.listen(listening, n)
			if err == nil {
				before := s.processorTime()
				var all timings
				all, err = s.record(b.ctx, list)
				times[n], used[n] = append(times[n], all...), used[n]+s.processorTime()-before
			}
			leave()
			wait()
			if err != nil {
				return err
			}
		}
	}
	heading("A server: a seed of 66 values by request while streams of events are open", "streams", "median", "p99", "processor time of the server for a seed")
	for _, n := range []int{0, nStreams} {
		row(n, times[n], p99(times[n]), fmt.Sprintf("%.2f ms", milliseconds(used[n])/float64(len(times[n]))))
	}
	return nil
}

// listen opens n streams of events, which are read until ctx ends. Wait waits for that.
func (s *served) listen(ctx context.Context, n int) (wait func(), err error) {
	var reading sync.WaitGroup
	for range n {
		request, err := http.NewRequestWithContext(ctx, http.MethodGet, s.url+"/api/v1/events", nil)
		if err != nil {
			return reading.Wait, err
		}
		request.Header.Set("Authorization", "Bearer "+s.token)
		response, err := s.client.Do(request)
		if err != nil {
			return reading.Wait, err
		}
		reading.Go(func() {
			_, _ = io.Copy(io.Discard, response.Body) // it ends with ctx
			_ = response.Body.Close()
		})
		if response.StatusCode != http.StatusOK {
			return reading.Wait, fmt.Errorf("events: %s", response.Status)
		}
	}
	return reading.Wait, nil
}
