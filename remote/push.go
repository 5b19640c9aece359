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
	"net/url"
	"os"
	"slices"
	"strconv"
	"strings"
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

// Pusher sends the spool in a folder. The server keeps the position of each file, so nothing is sent twice.
type Pusher struct {
	Client   *Client
	Dir      string
	Attempts int

	sent map[string]sentFile // of files that stay, by path
}

// sentFile is what was sent of a file.
type sentFile struct {
	bytes, lines int64
	refused      []spool.RefusedLine
}

// Push sends the lines of the spool, and moves the files that were sent out of the way. Those that the server refuses
// are kept in a folder of their own. After an error, a says what was sent until then.
func (p *Pusher) Push(ctx context.Context) (a answer.Pushed, err error) {
	a = answer.NewPushed(p.Client.Address())
	files, err := spool.Files(p.Dir)
	if err != nil || len(files) == 0 {
		return a, err
	}
	KeepAddress(p.Dir, p.Client.Address()) // other programs put lines there too
	for _, f := range files {
		if err == nil {
			err = p.pushFile(ctx, f, &a)
		}
		if err != nil {
			a.Unsent++
		}
	}
	keepOutcome(p.Dir, err)
	return a, err
}

func (p *Pusher) pushFile(ctx context.Context, f spool.File, a *answer.Pushed) error {
	file, err := os.Open(f.Path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil // another process has sent it meanwhile
	}
	if err != nil {
		return err
	}
	defer func() { _ = file.Close() }()
	text, size, left, err := spool.Lines(file)
	if err != nil {
		return err
	}
	info, err := file.Stat()
	if err != nil {
		return err
	}
	done, err := p.pushLines(ctx, f, text, size, a)
	isOpen := f.Open && time.Since(info.ModTime()) < abandonedAfter
	if delete(p.sent, f.Closed()); err == nil && isOpen || errors.As(err, new(busyError)) {
		if p.sent == nil {
			p.sent = map[string]sentFile{}
		}
		p.sent[f.Closed()] = done
	}
	switch {
	case err != nil:
		return err
	case isOpen:
		a.Open++
		return nil
	case len(done.refused) > 0:
		a.Refused++
		a.RefusedFolder = spool.RefusedFolder(p.Dir)
		if err := spool.KeepRefused(p.Dir, f, done.refused); err != nil {
			return err
		}
	default:
		a.Files++
	}
	return keepSent(f, size+left)
}

// pushLines sends the lines of a file that the server does not have. A file whose name is no ULID may be another one
// later, and has no position. If the server has refused lines before, all are sent again without a position: duplicates
// change nothing, and the answer says which it refused, and why.
func (p *Pusher) pushLines(ctx context.Context, f spool.File, text io.ReaderAt, size int64, a *answer.Pushed) (done sentFile, err error) {
	id, _ := spool.ID(f.Path)
	done, known := p.sent[f.Closed()]
	if id != "" && !known && size > sentBytes {
		there, err := p.Client.spoolPosition(ctx, id, p.Attempts)
		if err != nil {
			return done, err
		}
		if done, err = lineAt(text, size, there.Through); err != nil || there.Refused > 0 {
			id, done = "", sentFile{}
		}
	}
	total := answer.NewPushed("")
	defer func() { a.RecordedLines.Add(total.RecordedLines) }()
	reader := bufio.NewReader(io.NewSectionReader(text, done.bytes, size-done.bytes))
	for {
		chunk, n, err := nextLines(reader)
		if n == 0 || err != nil {
			return done, err
		}
		sent, err := p.Client.send(ctx, id, done.lines, chunk, p.Attempts)
		switch {
		case err != nil:
			return done, err
		case id != "" && sent.Through < done.lines+int64(n):
			return done, fmt.Errorf("%s answers about lines up to %d of the spool, and %d were sent: try again", p.Client.address, sent.Through, done.lines+int64(n))
		case id != "" && sent.Skipped > 0 && sent.Refused > 0:
			id, done, total = "", sentFile{}, answer.NewPushed("")
			reader = bufio.NewReader(io.NewSectionReader(text, 0, size))
			continue
		}
		if id != "" {
			keepEpoch(p.Dir, sent.ServerEpoch)
		}
		sent.Duplicates += int(sent.Skipped)
		done.refused = append(done.refused, refusedLines(chunk, sent.RecordedLines)...)
		for i := range sent.Errors {
			sent.Errors[i].Line += int(done.lines)
		}
		total.RecordedLines.Add(sent.RecordedLines)
		done.lines, done.bytes = done.lines+int64(n), done.bytes+int64(len(chunk))
	}
}

// lineAt returns the position behind n lines of a text.
func lineAt(text io.ReaderAt, size, n int64) (p sentFile, err error) {
	reader := bufio.NewReader(io.NewSectionReader(text, 0, size))
	for p.lines < n {
		part, err := reader.ReadSlice('\n')
		p.bytes += int64(len(part))
		switch {
		case err == nil:
			p.lines++
		case !errors.Is(err, bufio.ErrBufferFull):
			return p, fmt.Errorf("the server has %d lines of a spool with %d: %w", n, p.lines, err)
		}
	}
	return p, nil
}

// nextLines reads what is sent together. At the end there are no lines.
func nextLines(r *bufio.Reader) (text []byte, n int, err error) {
	for len(text) < sentBytes && n < sentLines {
		line, err := r.ReadBytes('\n')
		text = append(text, line...)
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

// refusedLines returns the lines of a text that an answer does not count as recorded.
func refusedLines(text []byte, sent answer.RecordedLines) (list []spool.RefusedLine) {
	if len(sent.Errors) == 0 {
		return nil
	}
	lines, problems := bytes.SplitAfter(text, []byte{'\n'}), slices.Clone(sent.Errors)
	for _, line := range sent.Unlisted {
		problems = append(problems, answer.LineProblem{Line: line, Message: "the server gave the reasons of earlier lines alone: correct these, and send again"})
	}
	for _, p := range problems {
		if p.Line >= 1 && p.Line <= len(lines) {
			list = append(list, spool.RefusedLine{Text: lines[p.Line-1], Why: strings.TrimPrefix(p.Field+": "+p.Message, ": ")})
		}
	}
	return list
}

// send sends lines: those of a spool behind its first ones, or lines without a position if id is empty.
func (c *Client) send(ctx context.Context, id string, from int64, text []byte, attempts int) (a answer.SentLines, err error) {
	address := c.address.JoinPath("api", "v1", "lines")
	if id != "" {
		address = c.address.JoinPath("api", "v1", "spools", id, "lines")
		address.RawQuery = url.Values{"from": {strconv.FormatInt(from, 10)}}.Encode()
	}
	var packed bytes.Buffer
	z := gzip.NewWriter(&packed)
	if _, err := z.Write(text); err != nil {
		return a, err
	}
	if err := z.Close(); err != nil {
		return a, err
	}
	err = again(ctx, attempts, func() error {
		request, err := http.NewRequestWithContext(ctx, http.MethodPost, address.String(), bytes.NewReader(packed.Bytes()))
		if err != nil {
			return err
		}
		request.Header.Set("Content-Type", "application/x-ndjson")
		request.Header.Set("Content-Encoding", "gzip")
		a = answer.SentLines{}
		return c.read(request, &a)
	})
	return a, err
}

// spoolPosition asks how far the lines of a spool are recorded.
func (c *Client) spoolPosition(ctx context.Context, id string, attempts int) (p answer.SpoolPosition, err error) {
	address := c.address.JoinPath("api", "v1", "spools", id)
	err = again(ctx, attempts, func() error {
		request, err := http.NewRequestWithContext(ctx, http.MethodGet, address.String(), nil)
		if err != nil {
			return err
		}
		return c.read(request, &p)
	})
	return p, err
}

// read sends a request, and reads the answer.
func (c *Client) read(request *http.Request, into any) error {
	response, err := c.do(request)
	if err != nil {
		return err
	}
	defer func() { _ = response.Body.Close() }()
	if err := answer.Decode(io.LimitReader(response.Body, maxAnswer), into); err != nil {
		return busyError{fmt.Errorf("%s: the answer was cut off: %w", c.address, err), 0}
	}
	return nil
}

// again tries up to as many times as attempts says, as long as the server is away or busy.
func again(ctx context.Context, attempts int, try func() error) error {
	for pause := 100 * time.Millisecond; ; pause *= 2 {
		attempts--
		err := try()
		busy := new(busyError)
		if err == nil || !errors.As(err, busy) || busy.wait > patience || attempts <= 0 || ctx.Err() != nil {
			return err
		}
		if !goesOn(ctx, max(busy.wait, pause/2+rand.N(pause))) {
			return err
		}
	}
}
