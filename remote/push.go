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
	a = answer.NewPushed(c.Address())
	files, err := spool.Files(dir)
	if err != nil || len(files) == 0 {
		return a, err
	}
	for _, f := range files {
		if err == nil {
			err = c.pushFile(ctx, f, attempts, &a)
		} else {
			a.Unsent++
		}
	}
	keepOutcome(dir, a, err)
	return a, err
}

func (c *Client) pushFile(ctx context.Context, f spool.File, attempts int, a *answer.Pushed) error {
	before := a.Rejected + a.Conflicts
	err := c.pushLines(ctx, f.Path, attempts, a)
	if errors.Is(err, fs.ErrNotExist) {
		return nil // another process has sent it meanwhile
	}
	if err != nil {
		a.Unsent++
		return err
	}
	switch {
	case a.Rejected+a.Conflicts > before:
		a.Refused++
	case f.Open:
		a.Open++
	default:
		_, err = f.Done()
		a.Files++
	}
	return err
}

// pushLines sends the whole lines of a file.
func (c *Client) pushLines(ctx context.Context, path string, attempts int, a *answer.Pushed) error {
	file, err := os.Open(path)
	if err != nil {
		return err
	}
	defer func() { _ = file.Close() }()
	text, _, _, err := spool.Lines(file)
	if err != nil {
		return err
	}
	reader := bufio.NewReader(text)
	for first := 1; ; {
		chunk, n, err := nextLines(reader)
		if n == 0 || err != nil {
			return err
		}
		sent, err := c.send(ctx, chunk, attempts)
		if err != nil {
			return err
		}
		for _, p := range sent.Errors {
			p.Line += first - 1
			p.Message += " (" + path + ")"
			a.AddProblem(p)
		}
		a.Add(sent)
		first += n
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
