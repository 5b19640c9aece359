package remote

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"context"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math/rand/v2"
	"net/http"
	"net/url"
	"os"
	"strconv"
	"time"

	"track/answer"
	"track/internal/spool"
)

// What is sent together; a line that is longer goes alone.
const (
	sentBytes = 1 << 20
	sentLines = 1000
)

// abandonedAfter is when a file that its process has not closed counts as closed. A process that writes to it after all
// goes on in another file.
const abandonedAfter = 24 * time.Hour

// Push sends the lines of a spool, and moves the files that were sent out of the way. Lines that were sent before are
// duplicates there; those that the server refuses are kept in a folder of their own. After an error, a says what was
// sent until then. It does not find out what the server has lost, as [Pusher.Push] does.
func (c *Client) Push(ctx context.Context, dir string, attempts int) (a answer.Pushed, err error) {
	p := c.NewPusher(dir)
	p.unchecked = false
	return p.Push(ctx, attempts)
}

// Pusher sends a spool again and again, and what it has sent only once.
type Pusher struct {
	client *Client
	dir    string
	sent   map[string]sentFile // by the path of a file once it is closed

	unchecked bool // whether the server still has what it acknowledged
	plain     bool // the server is older, and knows no positions
}

// sentFile is what was sent of a file.
type sentFile struct {
	position
	plain   bool // sent without its position: its lines may be others than those of the position
	refused []spool.RefusedLine
	size    int64 // bytes, those of a line that has not ended among them
	written time.Time
}

// NewPusher returns what sends the spool in dir.
func (c *Client) NewPusher(dir string) *Pusher {
	return &Pusher{client: c, dir: dir, sent: map[string]sentFile{}, unchecked: true}
}

// Push sends the lines of the spool that were not sent, as [Client.Push] does. What the server has lost, because it was
// restored from an older copy, is sent again.
func (p *Pusher) Push(ctx context.Context, attempts int) (a answer.Pushed, err error) {
	a = answer.NewPushed(p.client.Address())
	if p.unchecked {
		if a.Restored, err = p.recover(ctx, attempts); err != nil {
			keepOutcome(p.dir, err)
		}
	}
	files, filesErr := spool.Files(p.dir)
	if filesErr != nil || len(files) == 0 {
		return a, errors.Join(err, filesErr)
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
	p.unchecked = p.unchecked || err != nil
	keepOutcome(p.dir, err)
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
	done := p.sent[f.Closed()]
	if f.Open && time.Since(done.written) < abandonedAfter {
		a.Open++
		return done.position.keep(f.Closed())
	}
	delete(p.sent, f.Closed()) // it may come back
	if !done.Refused {
		a.Files++
		return keepSent(f, done)
	}
	a.Refused++
	a.RefusedFolder = spool.RefusedFolder(p.dir)
	if err := spool.KeepRefused(p.dir, f, done.refused); err != nil {
		return err
	}
	return keepSent(f, done)
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
	done := p.sentOf(f, size, info.ModTime())
	done.size = info.Size()
	p.sent[f.Closed()] = done
	reader := bufio.NewReader(io.NewSectionReader(text, done.Bytes, size-done.Bytes))
	for {
		chunk, n, err := nextLines(reader)
		if n == 0 || err != nil {
			return err
		}
		answered, again, err := p.sendChunk(ctx, f, &done, chunk, text, attempts)
		if err != nil {
			return err
		}
		if again {
			reader = bufio.NewReader(io.NewSectionReader(text, done.Bytes, size-done.Bytes))
			continue
		}
		done.refused = append(done.refused, refusedLines(chunk, answered)...)
		for _, problem := range answered.Errors {
			problem.Line += int(done.Lines)
			a.AddProblem(problem)
		}
		a.Add(answered)
		done.Bytes += int64(len(chunk))
		done.Lines += int64(n)
		done.Refused = done.Refused || answered.Rejected+answered.Conflicts > 0
		p.sent[f.Closed()] = done
	}
}

// sentOf returns what was sent of a file. One that somebody corrected is sent from its start, without its position.
func (p *Pusher) sentOf(f spool.File, size int64, written time.Time) sentFile {
	done, isKnown := p.sent[f.Closed()]
	if !isKnown {
		done.position = positionOf(f.Closed())
		if done.Refused { // its lines may have been corrected since
			done = sentFile{plain: true}
		}
	}
	if size < done.Bytes || done.Refused && !f.Open && !written.Equal(done.written) {
		done = sentFile{plain: true}
	}
	if _, ok := spool.ID(f.Path); !ok || p.plain {
		done.plain = true
	}
	done.written = written
	return done
}

// sendChunk sends lines of a file behind those that are done. It says again if it has changed done, because the server
// stands elsewhere.
func (p *Pusher) sendChunk(ctx context.Context, f spool.File, done *sentFile, chunk []byte, text io.ReaderAt, attempts int) (a answer.RecordedLines, again bool, err error) {
	if done.plain {
		a, err = p.client.send(ctx, chunk, attempts)
		return a, false, err
	}
	id, _ := spool.ID(f.Path)
	sent, err := p.client.sendSpool(ctx, id, done.Lines, chunk, attempts)
	switch {
	case errors.As(err, new(notThere)):
		p.plain, done.plain = true, true
		return a, true, nil
	case errors.Is(err, errGap):
		p.unchecked = true
		done.position, err = p.positionAt(ctx, id, done.Lines, text, attempts)
		return a, true, err
	case err != nil:
		return a, false, err
	case sent.Through < done.Lines+int64(bytes.Count(chunk, []byte{'\n'})):
		return a, false, fmt.Errorf("%s answers about lines up to %d of the spool, and %d were sent: try again", p.client.address, sent.Through, done.Lines+int64(bytes.Count(chunk, []byte{'\n'})))
	case sent.Skipped > 0 && sent.Refused > 0: // which of them, and why, was in an answer that was lost
		*done = sentFile{plain: true, size: done.size, written: done.written}
		return a, true, nil
	}
	if !keepEpoch(p.dir, sent.ServerEpoch) {
		p.unchecked = true
	}
	sent.Duplicates += int(sent.Skipped)
	return sent.RecordedLines, false, nil
}

// positionAt returns the position of a spool on the server, which has fewer lines than this.
func (p *Pusher) positionAt(ctx context.Context, id string, lines int64, text io.ReaderAt, attempts int) (position, error) {
	there, err := p.client.spoolPosition(ctx, id, attempts)
	if err != nil {
		return position{}, err
	}
	if there.Through >= lines {
		return position{}, fmt.Errorf("%s has lines up to %d of the spool %s, and refuses those from %d: try again", p.client.address, there.Through, id, lines)
	}
	return lineAt(text, there.Through)
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
	err = c.post(ctx, c.address.JoinPath("api", "v1", "lines"), text, attempts, func() any { a = answer.RecordedLines{}; return &a })
	return a, err
}

// sendSpool sends the lines of a spool behind the first ones, as [Client.send] does.
func (c *Client) sendSpool(ctx context.Context, id string, from int64, text []byte, attempts int) (a answer.SentLines, err error) {
	address := c.address.JoinPath("api", "v1", "spools", id, "lines")
	address.RawQuery = url.Values{"from": {strconv.FormatInt(from, 10)}}.Encode()
	err = c.post(ctx, address, text, attempts, func() any { a = answer.SentLines{}; return &a })
	return a, err
}

// spoolPosition asks how far the lines of a spool are recorded.
func (c *Client) spoolPosition(ctx context.Context, id string, attempts int) (p answer.SpoolPosition, err error) {
	address := c.address.JoinPath("api", "v1", "spools", id)
	err = again(ctx, attempts, func() (time.Duration, error) {
		request, err := http.NewRequestWithContext(ctx, http.MethodGet, address.String(), nil)
		if err != nil {
			return -1, err
		}
		return c.try(request, &p)
	})
	return p, err
}

// postLines sends lines. Into makes what an answer is read into.
func (c *Client) postLines(ctx context.Context, address *url.URL, text []byte, attempts int, into func() any) error {
	var packed bytes.Buffer
	z := gzip.NewWriter(&packed)
	if _, err := z.Write(text); err != nil {
		return err
	}
	if err := z.Close(); err != nil {
		return err
	}
	hash := sha256.Sum256(packed.Bytes())
	digest := "sha-256=:" + base64.StdEncoding.EncodeToString(hash[:]) + ":"
	return again(ctx, attempts, func() (time.Duration, error) {
		request, err := http.NewRequestWithContext(ctx, http.MethodPost, address.String(), bytes.NewReader(packed.Bytes()))
		if err != nil {
			return -1, err
		}
		request.Header.Set("Content-Type", "application/x-ndjson")
		request.Header.Set("Content-Encoding", "gzip")
		request.Header.Set("Content-Digest", digest)
		return c.try(request, into())
	})
}

// longestWait is how long a command waits at most because a server asks for it.
const longestWait = time.Minute

// again tries up to as many times as attempts says. Wait is how long to wait at least before the next time; negative if
// there is no use in it.
func again(ctx context.Context, attempts int, try func() (wait time.Duration, err error)) error {
	for pause := 100 * time.Millisecond; ; pause *= 2 {
		attempts--
		wait, err := try()
		if err == nil || wait < 0 || attempts <= 0 || ctx.Err() != nil {
			return err
		}
		if !goesOn(ctx, max(wait, pause/2+rand.N(pause))) {
			return err
		}
	}
}

// try sends a request about lines. If sending it again may help, wait is how long to wait at least; else it is
// negative.
func (c *Client) try(request *http.Request, into any) (wait time.Duration, err error) {
	c.authorize(request)
	response, err := c.http.Do(request)
	if err != nil {
		return 0, c.unreachable(request.Context(), err)
	}
	defer func() { _ = response.Body.Close() }()
	switch response.StatusCode {
	case http.StatusOK, http.StatusCreated:
		if err := answer.Decode(io.LimitReader(response.Body, maxAnswer), into); err != nil {
			return 0, fmt.Errorf("%s: the answer was cut off: %w", c.address, err)
		}
		return 0, nil
	case http.StatusNotFound:
		return -1, notThere{c.problem(response, response.Body)}
	case http.StatusFailedDependency:
		return -1, fmt.Errorf("%w: %w", errBlobMissing, c.problem(response, response.Body))
	case http.StatusConflict:
		return -1, fmt.Errorf("%w: %w", errGap, c.problem(response, response.Body))
	case http.StatusRequestTimeout, http.StatusTooManyRequests, http.StatusBadGateway, http.StatusServiceUnavailable, http.StatusGatewayTimeout:
		wait := retryAfter(response)
		if wait > longestWait {
			wait = -1
		}
		return wait, c.problem(response, response.Body)
	case http.StatusUnauthorized, http.StatusForbidden:
		return -1, tokenRefused{c.problem(response, response.Body)}
	}
	return -1, c.problem(response, response.Body)
}

// notThere is the error of a path that the server does not have, because it is older.
type notThere struct{ error }

func (e notThere) Unwrap() error { return e.error }

// errGap is wrapped by the error of a server that lacks lines before those that were sent.
var errGap = errors.New("the server lacks lines of this spool")

// ErrRefused is wrapped by the error for a token that does not allow to record.
var ErrRefused = errors.New("the server does not let this token record")

// tokenRefused is such an error, which says itself what the token lacks.
type tokenRefused struct{ error }

func (e tokenRefused) Unwrap() []error { return []error{ErrRefused, e.error} }
