package remote

import (
	"context"
	"errors"
	"fmt"
	"hash/crc32"

	"track/answer"
	"track/internal/spool"
)

// cutEvery is how many lines are sent together on average. Where lines are cut depends on what is in them: so one that
// is added or missing changes the lines that go together with it, and no others.
const cutEvery = 512

// LineSender sends lines together, as [Client.Push] does, without a spool. Lines that go together are a spool of their
// own for the server, named by what is in them. So the server says whether it has them, and whoever sends the same
// lines again goes on where it stands.
type LineSender struct {
	client   *Client
	attempts int
	plain    bool // the server is older, and knows no positions
	text     []byte
	names    []string // of what the lines are about
	answer   answer.RecordedLines
	cutOff   int // lines that the server recorded before it refused the rest of a request
}

// NewLineSender returns what sends lines, each time up to as many times as attempts says.
func (c *Client) NewLineSender(attempts int) *LineSender {
	return &LineSender{client: c, attempts: attempts, answer: answer.NewRecordedLines("")}
}

// Answer says what became of the lines that were sent.
func (s *LineSender) Answer() answer.RecordedLines { return s.answer }

// Acknowledged returns how many lines the server has recorded, those of a request that failed in the middle among them.
func (s *LineSender) Acknowledged() int { return s.answer.Recorded + s.answer.Duplicates + s.cutOff }

// Add sends a line, together with others.
func (s *LineSender) Add(ctx context.Context, name string, line []byte) error {
	if len(s.text)+len(line) > sentBytes || len(s.names) == sentLines {
		if err := s.Flush(ctx); err != nil {
			return err
		}
	}
	s.text, s.names = append(s.text, line...), append(s.names, name)
	if crc32.ChecksumIEEE(line)%cutEvery == 0 {
		return s.Flush(ctx)
	}
	return nil
}

// Flush sends what was added.
func (s *LineSender) Flush(ctx context.Context) error {
	if len(s.names) == 0 {
		return nil
	}
	sent, err := s.send(ctx)
	if err != nil {
		return err
	}
	total := answer.Pushed{RecordedLines: s.answer}
	for _, p := range sent.Errors {
		if p.Line >= 1 && p.Line <= len(s.names) {
			p.Message = s.names[p.Line-1] + ": " + p.Message
		}
		total.AddProblem(p)
	}
	total.Add(sent)
	s.answer, s.text, s.names = total.RecordedLines, s.text[:0], s.names[:0]
	return nil
}

// send sends what was added, unless the server has all of it.
func (s *LineSender) send(ctx context.Context) (a answer.RecordedLines, err error) {
	if s.plain {
		return s.client.send(ctx, s.text, s.attempts)
	}
	id, n := spool.IDOf(s.text), int64(len(s.names))
	there, err := s.client.spoolPosition(ctx, id, s.attempts)
	switch {
	case errors.As(err, new(notThere)):
		s.plain = true
		return s.client.send(ctx, s.text, s.attempts)
	case err != nil:
		return a, err
	case there.Refused > 0: // which of them, and why, must be said again
		return s.client.send(ctx, s.text, s.attempts)
	case there.Through >= n:
		a = answer.NewRecordedLines("")
		a.Duplicates = len(s.names)
		return a, nil
	}
	sent, err := s.client.sendSpool(ctx, id, 0, s.text, s.attempts)
	switch {
	case err != nil:
		if stands, positionErr := s.client.spoolPosition(ctx, id, 1); positionErr == nil {
			s.cutOff = int(stands.Through - stands.Refused)
		}
		return a, err
	case sent.Through < n:
		return a, fmt.Errorf("%s answers about lines up to %d, and %d were sent: try again", s.client.address, sent.Through, n)
	case sent.Skipped > 0 && sent.Refused > 0:
		return s.client.send(ctx, s.text, s.attempts)
	}
	sent.Duplicates += int(sent.Skipped)
	return sent.RecordedLines, nil
}
