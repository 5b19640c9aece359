package main

import (
	"context"
	"fmt"
	"io"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"track"
)

// progress shows how far a long command is: a bar on a terminal, nothing elsewhere.
type progress struct {
	out   io.Writer // nil where nothing is shown
	verb  string
	noun  string // what is counted
	total int64  // bytes, 0 where unknown
	read  atomic.Int64
	began time.Time
	now   func() time.Time

	mu      sync.Mutex // of what follows
	done    int
	counted time.Time // when done was told, or the bar taken away
	drawn   time.Time // zero where it is not to be seen
}

func (p *program) newProgress(verb, noun string, total int64) *progress {
	bar := &progress{verb: verb, noun: noun, total: total, began: p.now(), now: p.now}
	bar.counted = bar.began
	if isTerminal(p.screen) && !p.shared.quiet {
		bar.out = p.screen
	}
	return bar
}

// showProgress returns a context in which long computations draw a bar; end takes it away.
func (p *program) showProgress(ctx context.Context, words [2]string) (_ context.Context, end func()) {
	if words == [2]string{} {
		return ctx, func() {}
	}
	bar := p.newProgress(words[0], words[1], 0)
	return track.WithProgress(ctx, func(done, total int) {
		bar.total = int64(total)
		bar.read.Store(int64(done))
		if bar.update(done); done == total {
			bar.clear() // the answer follows
		}
	}), bar.clear
}

// reader counts the bytes that are read through it.
func (b *progress) reader(r io.Reader) io.Reader { return &countingReader{r, &b.read} }

type countingReader struct {
	io.Reader
	n *atomic.Int64
}

func (r *countingReader) Read(buffer []byte) (int, error) {
	n, err := r.Reader.Read(buffer)
	r.n.Add(int64(n))
	return n, err
}

// update draws the bar at most ten times a second.
func (b *progress) update(done int) {
	const interval = 100 * time.Millisecond
	b.mu.Lock()
	defer b.mu.Unlock()
	now := b.now()
	if b.done, b.counted = done, now; b.out != nil && now.Sub(b.drawn) >= interval {
		b.draw(now)
	}
}

// watch draws the bar every second while nothing is counted, until stop is called: one line can take seconds.
func (b *progress) watch() (stop func()) {
	if b.out == nil {
		return func() {}
	}
	ticker, stopped := time.NewTicker(time.Second), make(chan struct{})
	go func() {
		for {
			select {
			case <-ticker.C:
				b.redraw()
			case <-stopped:
				ticker.Stop()
				return
			}
		}
	}()
	return func() { close(stopped) }
}

// redraw draws the bar if nothing was counted, and nothing else written, for a second.
func (b *progress) redraw() {
	b.mu.Lock()
	defer b.mu.Unlock()
	if now := b.now(); now.Sub(b.counted) >= time.Second {
		b.draw(now)
	}
}

func (b *progress) draw(now time.Time) {
	b.drawn = now
	rate := float64(b.done) / now.Sub(b.began).Seconds()
	line := fmt.Sprintf("%s %d %s, %.0f/s", b.verb, b.done, b.noun, rate)
	if b.total > 0 {
		const width = 24
		share := min(float64(b.read.Load())/float64(b.total), 1)
		filled := int(share * width)
		line = fmt.Sprintf("%s %s%s %3.0f%%", line, strings.Repeat("█", filled), strings.Repeat("░", width-filled), 100*share)
	}
	if waited := now.Sub(b.counted); waited >= time.Second {
		line += fmt.Sprintf(", %.0f s since the last", waited.Seconds())
	}
	fmt.Fprintf(b.out, "\r\x1b[K%s", line)
}

// clear takes the bar away so that a line can be written in its place.
func (b *progress) clear() {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.counted = b.now(); b.out != nil && !b.drawn.IsZero() {
		fmt.Fprint(b.out, "\r\x1b[K")
		b.drawn = time.Time{}
	}
}
