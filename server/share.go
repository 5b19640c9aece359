package server

import (
	"context"
	"errors"
	"sync"
)

// shared lets requests for the same answer share the work. Of each answer one is computed at a time. Requests that come
// meanwhile wait for the next one, which is begun after they came, and so sees all that was committed before.
type shared struct {
	most int // requests that wait for one answer

	mu      sync.Mutex
	answers map[string]*computation // the running one of each key
}

// computation computes an answer for all who wait for it.
type computation struct {
	next    *computation  // that begins when this one ends; nil if nobody waits
	waiting int           // requests, whoever computes included
	turn    chan struct{} // closed when it may begin
	done    chan struct{} // closed when it has ended
	answer  written
	err     error
}

func newComputation() *computation {
	return &computation{turn: make(chan struct{}), done: make(chan struct{}), err: errAbandoned}
}

// errAbandoned is the error of a computation whose request has gone before it ended.
var errAbandoned = errors.New("the answer was given up")

// do returns what compute returns, for this request or for another one with the same key.
func (s *shared) do(ctx context.Context, key string, compute func() (written, error)) (written, error) {
	for {
		c, computes, err := s.join(key)
		if err != nil {
			return written{}, err
		}
		if computes {
			return s.compute(ctx, key, c, compute)
		}
		select {
		case <-ctx.Done():
			return written{}, ctx.Err()
		case <-c.done:
		}
		if !errors.Is(c.err, errAbandoned) {
			return c.answer, c.err
		}
	}
}

// join returns the computation that a request waits for, and whether that request computes it.
func (s *shared) join(key string) (c *computation, computes bool, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	running := s.answers[key]
	switch {
	case running == nil:
		c = newComputation()
		close(c.turn)
		s.answers[key] = c
		return c, true, nil
	case running.next == nil:
		running.next = newComputation()
		computes = true
	case running.next.waiting == s.most:
		return nil, false, errBusy
	}
	running.next.waiting++
	return running.next, computes, nil
}

// compute waits for its turn and computes an answer. Others compute it again if this request goes before.
func (s *shared) compute(ctx context.Context, key string, c *computation, compute func() (written, error)) (written, error) {
	defer s.end(key, c)
	select {
	case <-ctx.Done():
		return written{}, ctx.Err()
	case <-c.turn:
	}
	answer, err := compute()
	if ctx.Err() == nil {
		c.answer, c.err = answer, err
	}
	return answer, err
}

// end lets the next computation begin.
func (s *shared) end(key string, c *computation) {
	s.mu.Lock()
	defer s.mu.Unlock()
	close(c.done)
	switch running := s.answers[key]; {
	case running != c: // it never began
		running.next = nil
	case c.next == nil:
		delete(s.answers, key)
	default:
		s.answers[key] = c.next
		close(c.next.turn)
	}
}
