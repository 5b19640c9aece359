package main

import (
	"fmt"
	"io"
	"strings"
	"sync/atomic"
	"time"
)

// progress shows how far a long command is: a bar on a terminal, nothing elsewhere.
type progress struct {
	out   io.Writer // nil where nothing is shown
	verb  string
	noun  string // what is counted
	total int64  // bytes, 0 where unknown
	read  atomic.Int64
	began time.Time
	drawn time.Time
	now   func() time.Time
}

func (p *program) newProgress(verb, noun string, total int64) *progress {
	bar := &progress{verb: verb, noun: noun, total: total, began: p.now(), now: p.now}
	if isTerminal(p.screen) && !p.shared.quiet {
		bar.out = p.screen
	}
	return bar
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
	now := b.now()
	if b.out == nil || now.Sub(b.drawn) < interval {
		return
	}
	b.drawn = now
	rate := float64(done) / now.Sub(b.began).Seconds()
	line := fmt.Sprintf("%s %d %s, %.0f/s", b.verb, done, b.noun, rate)
	if b.total > 0 {
		const width = 24
		share := min(float64(b.read.Load())/float64(b.total), 1)
		filled := int(share * width)
		line = fmt.Sprintf("%s %s%s %3.0f%%", line, strings.Repeat("█", filled), strings.Repeat("░", width-filled), 100*share)
	}
	fmt.Fprintf(b.out, "\r\x1b[K%s", line)
}

// clear takes the bar away so that a line can be written in its place.
func (b *progress) clear() {
	if b.out != nil && !b.drawn.IsZero() {
		fmt.Fprint(b.out, "\r\x1b[K")
		b.drawn = time.Time{}
	}
}
