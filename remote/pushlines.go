package remote

import (
	"context"

	"track/answer"
)

// LineSender sends lines together, as [Client.Push] does, without a spool.
type LineSender struct {
	client   *Client
	attempts int
	text     []byte
	names    []string // of what the lines are about
	answer   answer.RecordedLines
}

// NewLineSender returns what sends lines, each time up to as many times as attempts says.
func (c *Client) NewLineSender(attempts int) *LineSender {
	return &LineSender{client: c, attempts: attempts, answer: answer.NewRecordedLines("")}
}

// Answer says what became of the lines that were sent.
func (s *LineSender) Answer() answer.RecordedLines { return s.answer }

// Add sends a line, together with others.
func (s *LineSender) Add(ctx context.Context, name string, line []byte) error {
	if len(s.text)+len(line) > sentBytes || len(s.names) == sentLines {
		if err := s.Flush(ctx); err != nil {
			return err
		}
	}
	s.text, s.names = append(s.text, line...), append(s.names, name)
	return nil
}

// Flush sends what was added.
func (s *LineSender) Flush(ctx context.Context) error {
	if len(s.names) == 0 {
		return nil
	}
	sent, err := s.client.send(ctx, s.text, s.attempts)
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
