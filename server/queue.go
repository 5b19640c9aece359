package server

import (
	"context"
	"errors"
	"sync"
)

// errBusy is the error for a request that would wait behind too many others.
var errBusy = errors.New("too many requests are waiting: try again")

// atOnce bounds what somebody does at once, and what all do.
type atOnce struct {
	own, all int

	mu  sync.Mutex
	of  map[string]int
	sum int
}

// enter lets somebody in. Leave must be called once unless there is an error.
func (b *atOnce) enter(name string) (leave func(), err error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.of[name] >= b.own || b.sum >= b.all {
		return nil, errBusy
	}
	if b.of == nil {
		b.of = map[string]int{}
	}
	b.of[name]++
	b.sum++
	return func() {
		b.mu.Lock()
		defer b.mu.Unlock()
		b.sum--
		if b.of[name]--; b.of[name] == 0 {
			delete(b.of, name)
		}
	}, nil
}

// queue bounds how many answers are computed at once, and how many requests wait for that.
type queue struct{ places, computing chan struct{} }

func newQueue(computing, waiting int) queue {
	return queue{places: make(chan struct{}, computing+waiting), computing: make(chan struct{}, computing)}
}

// enter waits for a turn. Leave must be called once unless there is an error.
func (q queue) enter(ctx context.Context) (leave func(), err error) {
	select {
	case q.places <- struct{}{}:
	default:
		return nil, errBusy
	}
	select {
	case q.computing <- struct{}{}:
		return func() { <-q.computing; <-q.places }, nil
	case <-ctx.Done():
		<-q.places
		return nil, ctx.Err()
	}
}
