package server

import (
	"context"
	"errors"
)

// errBusy is the error for a request that would wait behind too many others.
var errBusy = errors.New("too many requests are waiting: try again")

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
