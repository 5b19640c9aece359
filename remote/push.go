package remote

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math/rand/v2"
	"net/http"
	"os"
	"strconv"
	"time"

	"track"
	"track/answer"
	"track/internal/spool"
)

// What is sent together; a line that is longer goes alone.
const (
	sentBytes = 1 << 20
	sentLines = 1000
)

// Push sends the lines of a spool, and moves the files whose lines are all recorded out of the way. Lines that were sent
// before are duplicates there. After an error, a says what was sent until then.
func (c *Client) Push(ctx context.Context, dir string, attempts int) (a answer.Pushed, err error) {
	return c.NewPusher(dir).Push(ctx, attempts)
}

// Pusher sends a spool again and again, and what it has sent only once.
type Pusher struct {
	client *Client
	dir    string
	sent   map[string]sentFile // by the path of a file once it is closed
}

// sentFile is what was sent of a file.
type sentFile struct {
	bytes   int64
	lines   int
	refused bool // the server did not record all of them
	written time.Time
}

// NewPusher returns what sends the spool in dir.
func (c *Client) NewPusher(dir string) *Pusher {
	return &Pusher{client: c, dir: dir, sent: map[string]sentFile{}}
}

// Push sends the lines of the spool that were not sent, as [Client.Push] does.
func (p *Pusher) Push(ctx context.Context, attempts int) (a answer.Pushed, err error) {
	a = answer.NewPushed(p.client.Address())
	files, err := spool.Files(p.dir)
	if err != nil || len(files) == 0 {
		return a, err
	}
	KeepAddress(p.dir, p.client.Address()) // other programs put lines there too
	sent := map[string]sentFile{}
	for _, f := range files {
		if err == nil {
			err = p.pushFile(ctx, f, attempts, &a)
		} else {
			a.Unsent++
		}
		if done, known := p.sent[f.Closed()]; known {
			sent[f.Closed()] = done
		}
	}
	p.sent = sent
	keepOutcome(p.dir, a, err)
	return a, err
}

func (p *Pusher) pushFile(ctx context.Context, f spool.File, attempts int, a *answer.Pushed) error {
	err := p.pushLines(ctx, f, attempts, a)
	if errors.Is(err, fs.ErrNotExist) {
		return nil // another process has sent it meanwhile
	}
	if err != nil {
		a.Unsent++
		return err
	}
	switch {
	case p.sent[f.Closed()].refused:
		a.Refused++
	case f.Open:
		a.Open++
	default:
		_, err = f.Done()
		a.Files++
	}
	return err
}

// pushLines sends the whole lines of a file that were not sent. A file that somebody corrected is sent from its start.
func (p *Pusher) pushLines(ctx context.Context, f spool.File, attempts int, a *answer.Pushed) error {
	file, err := os.Open(f.Path)
	if err != nil {
		return err
	}
	defer func() { _ = file.Close() }()
	text, size, _, err := spool.Lines(file)
	if err != nil {
		return err
	}
	info, err := file.Stat()
	if err != nil {
		return err
	}
	done := p.sent[f.Closed()]
	if size < done.bytes || done.refused && !f.Open && !info.ModTime().Equal(done.written) {
		done = sentFile{}
	}
	done.written = info.ModTime()
	reader := bufio.NewReader(io.NewSectionReader(text, done.bytes, size-done.bytes))
	for {
		chunk, n, err := nextLines(reader)
		if n == 0 || err != nil {
			return err
		}
		answered, err := p.client.send(ctx, chunk, attempts)
		if err != nil {
			return err
		}
		for _, problem := range answered.Errors {
			problem.Line += done.lines
			problem.Message += " (" + f.Path + ")"
			a.AddProblem(problem)
		}
		a.Add(answered)
		done.bytes += int64(len(chunk))
		done.lines += n
		done.refused = done.refused || answered.Rejected+answered.Conflicts > 0
		p.sent[f.Closed()] = done
	}
}

// nextLines reads what is sent together. At the end there are no lines.
func nextLines(r *bufio.Reader) (text []byte, n int, err error) {
	for len(text) < sentBytes && n < sentLines {
		line, err := r.ReadBytes('\n')
		if len(text)+len(line) > 0 {
			text = append(text, line...)
		}
		if errors.Is(err, io.EOF) {
			return text, n, nil
		}
		if err != nil {
			return nil, 0, err
		}
		n++
	}
	return text, n, nil
}

// send sends lines, again if the server is away or busy.
func (c *Client) send(ctx context.Context, text []byte, attempts int) (a answer.RecordedLines, err error) {
	var packed bytes.Buffer
	z := gzip.NewWriter(&packed)
	if _, err := z.Write(text); err != nil {
		return a, err
	}
	if err := z.Close(); err != nil {
		return a, err
	}
	for pause := 100 * time.Millisecond; ; pause *= 2 {
		attempts--
		wait, err := c.sendOnce(ctx, packed.Bytes(), &a)
		if err == nil || wait < 0 || attempts <= 0 || ctx.Err() != nil {
			return a, err
		}
		timer := time.NewTimer(max(wait, pause/2+rand.N(pause)))
		select {
		case <-timer.C:
		case <-ctx.Done():
			timer.Stop()
			return a, err
		}
	}
}

// sendOnce sends lines. If sending them again may help, wait is how long to wait at least; else it is negative.
func (c *Client) sendOnce(ctx context.Context, packed []byte, into *answer.RecordedLines) (wait time.Duration, err error) {
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, c.address.JoinPath("api", "v1", "lines").String(), bytes.NewReader(packed))
	if err != nil {
		return -1, err
	}
	request.Header.Set("Content-Type", "application/x-ndjson")
	request.Header.Set("Content-Encoding", "gzip")
	c.authorize(request)
	response, err := c.http.Do(request)
	if err != nil {
		return 0, c.unreachable(ctx, err)
	}
	defer func() { _ = response.Body.Close() }()
	switch response.StatusCode {
	case http.StatusOK:
		*into = answer.RecordedLines{}
		if err := answer.Decode(io.LimitReader(response.Body, maxAnswer), into); err != nil {
			return 0, fmt.Errorf("%s: the answer was cut off: %w", c.address, err)
		}
		return 0, nil
	case http.StatusRequestTimeout, http.StatusTooManyRequests, http.StatusBadGateway, http.StatusServiceUnavailable, http.StatusGatewayTimeout:
		seconds, _ := strconv.Atoi(response.Header.Get("Retry-After"))
		return time.Duration(min(max(seconds, 0), 60)) * time.Second, c.problem(response, response.Body)
	case http.StatusUnauthorized, http.StatusForbidden:
		return -1, fmt.Errorf("%w: %w", ErrRefused, c.problem(response, response.Body))
	}
	return -1, c.problem(response, response.Body)
}

// ErrRefused is wrapped by the error for a token that does not allow to record.
var ErrRefused = fmt.Errorf("%w: the server does not let this token record", track.ErrInvalid)
