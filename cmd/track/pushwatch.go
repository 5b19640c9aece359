package main

import (
	"context"
	"errors"
	"time"

	"track/answer"
	"track/remote"
)

// How long track push --watch waits between two looks at the spool, and at most for a server that is away.
const (
	leastPushPause = 100 * time.Millisecond
	mostPushPause  = time.Minute
)

// watchPush sends what comes into a spool until ctx ends. The answer is about all that it sent.
func (p *program) watchPush(ctx context.Context, client *remote.Client, dir string, every time.Duration) error {
	p.notice("sending what is recorded for %s, each %s", client.Address(), every)
	w := pushWatch{program: p, client: client, pusher: client.NewPusher(dir), every: every, pause: every, total: answer.NewPushed(client.Address())}
	err := w.run(ctx)
	w.total.Watched = true
	return errors.Join(p.writeAnswer(w.total), err)
}

// pushWatch sends a spool again and again.
type pushWatch struct {
	*program
	client *remote.Client
	pusher *remote.Pusher
	every  time.Duration
	pause  time.Duration // until the next look: longer than every while the server is away
	told   string        // why the last sending failed; empty if it did not
	total  answer.Pushed
}

// run returns when ctx ends, or if the server refuses the token.
func (w *pushWatch) run(ctx context.Context) error {
	timer := time.NewTimer(0)
	defer timer.Stop()
	for {
		select {
		case <-ctx.Done():
			return nil
		case <-timer.C:
		}
		a, err := w.pusher.Push(ctx, 1)
		w.tell(a)
		if ctx.Err() != nil {
			return nil // what was not acknowledged is sent again
		}
		if errors.Is(err, remote.ErrRefused) {
			return err
		}
		w.await(err)
		timer.Reset(w.pause)
	}
}

// tell says what was sent, and adds it to the answer.
func (w *pushWatch) tell(a answer.Pushed) {
	w.total.Merge(a)
	if err := w.sentError(w.client, a); err != nil {
		w.notice("%v", err)
	}
	if a.Recorded+a.Duplicates+a.Conflicts+a.Rejected > 0 {
		w.notice("%s", a.Counts())
	}
}

// await chooses when to look again. A server that is away is told of once.
func (w *pushWatch) await(err error) {
	if err == nil {
		if w.told != "" {
			w.notice("%s answers again", w.total.Server)
		}
		w.told, w.pause = "", w.every
		return
	}
	if text := err.Error(); text != w.told {
		w.notice("not sent, and tried again: %s", text)
		w.told = text
	}
	w.pause = min(2*w.pause, mostPushPause)
}
