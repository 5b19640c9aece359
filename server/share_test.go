package server

import (
	"context"
	"errors"
	"strconv"
	"testing"
	"testing/synctest"
)

// asking is requests for one answer, whose computations wait until they are let go.
type asking struct {
	t        *testing.T
	shared   shared
	computed int
	letGo    chan struct{}
	answers  chan string
}

func newAsking(t *testing.T) *asking {
	return &asking{t: t, shared: shared{most: 2, answers: map[string]*computation{}}, letGo: make(chan struct{}), answers: make(chan string, 10)}
}

// ask begins a request, and waits until it waits.
func (a *asking) ask(ctx context.Context) {
	a.t.Helper()
	go func() {
		answer, err := a.shared.do(ctx, "key", func() (written, error) {
			a.computed++ // one at a time
			number := strconv.Itoa(a.computed)
			<-a.letGo
			return written{body: []byte(number)}, ctx.Err()
		})
		text := string(answer.body)
		if err != nil {
			text = err.Error()
		}
		a.answers <- text
	}()
	synctest.Wait()
}

// finish lets a computation end, and returns n answers.
func (a *asking) finish(n int) (list []string) {
	a.letGo <- struct{}{}
	synctest.Wait()
	for range n {
		list = append(list, <-a.answers)
	}
	return list
}

// Requests share an answer that is begun after they came, and never one that was begun before.
func TestSharedAnswers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		a := newAsking(t)
		for range 4 {
			a.ask(t.Context())
		}
		if got := <-a.answers; got != errBusy.Error() {
			t.Errorf("the request that is too many got %q", got)
		}
		if got := a.finish(1); got[0] != "1" {
			t.Errorf("the first request got %q", got)
		}
		if got := a.finish(2); got[0] != "2" || got[1] != "2" {
			t.Errorf("those who came meanwhile got %q", got)
		}
		if len(a.shared.answers) != 0 {
			t.Errorf("%d answers are kept", len(a.shared.answers))
		}
	})
}

// If the request that computes goes, another one computes for those who wait.
func TestSharedAnswerIsAbandoned(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		a := newAsking(t)
		computing, leave := context.WithCancel(t.Context())
		next, leaveNext := context.WithCancel(t.Context())
		a.ask(computing)
		a.ask(next)
		a.ask(t.Context())
		leaveNext()
		synctest.Wait()
		if got := <-a.answers; !errors.Is(next.Err(), context.Canceled) || got != context.Canceled.Error() {
			t.Errorf("the request that has gone got %q", got)
		}
		leave()
		if got := a.finish(1); got[0] != context.Canceled.Error() {
			t.Errorf("the first request got %q", got)
		}
		if got := a.finish(1); got[0] != "2" {
			t.Errorf("the one that stayed got %q", got)
		}
		if len(a.shared.answers) != 0 {
			t.Errorf("%d answers are kept", len(a.shared.answers))
		}
	})
}
