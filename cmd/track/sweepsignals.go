package main

import (
	"context"
	"os"
	"os/signal"
	"syscall"
	"time"
)

// sweepSignals turns the first Ctrl-C, which ends ctx, into a stop that lets the running seeds finish. A second one
// ends kill, and with it the running seeds.
func sweepSignals(ctx context.Context, display *sweepDisplay) (kill context.Context, stop chan struct{}, release func()) {
	kill, cancel := context.WithCancel(context.WithoutCancel(ctx))
	stop = make(chan struct{})
	signals := make(chan os.Signal, 3)
	signal.Notify(signals, os.Interrupt, syscall.SIGTERM, syscall.SIGHUP)
	released := make(chan struct{})
	go func() {
		select {
		case <-ctx.Done():
		case <-released:
			return
		}
		display.stopping()
		close(stop)
		select { // the first one came through both channels
		case <-signals:
		case <-time.After(100 * time.Millisecond):
		case <-released:
			return
		}
		select {
		case <-signals:
			cancel()
		case <-released:
		}
	}()
	return kill, stop, func() {
		signal.Stop(signals)
		close(released)
		cancel()
	}
}
