package remote

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"time"
)

// The times of a stream of events.
const (
	silentTime     = time.Minute // without a sign of a server, which gives one every 15 s
	leastFollow    = 100 * time.Millisecond
	longestFollow  = 30 * time.Second // between two attempts to reach a server that is away
	maxEvent       = 16 << 20         // bytes of a line
	eventData      = "data:"
	eventMediaType = "text/event-stream"
)

// Event says what was recorded on a server.
type Event struct {
	All     bool `json:"all"` // anything can have changed
	Changed []struct {
		Kind    string `json:"kind"`
		Lineage string `json:"lineage"`
	} `json:"changed"`
}

// Concerns reports whether something of a kind can have changed.
func (e Event) Concerns(kind string) bool {
	for _, c := range e.Changed {
		if c.Kind == kind {
			return true
		}
	}
	return e.All
}

// Follow calls changed once it is connected to the server, and then for each event, until ctx ends or changed fails. If
// the server is away or busy, also for changed, it says so and connects again.
func (c *Client) Follow(ctx context.Context, changed func(Event) error, say func(text string)) error {
	pause, told := leastFollow, ""
	for {
		err := c.followOnce(ctx, func(e Event) error {
			err := changed(e)
			if err == nil && told != "" {
				say(c.Address() + " answers again")
			}
			if err == nil {
				pause, told = leastFollow, ""
			}
			return err
		})
		if ctx.Err() != nil {
			return ctx.Err()
		}
		away := new(awayError)
		if !errors.As(err, away) {
			return err
		}
		if text := err.Error(); text != told {
			say("waiting for the server: " + text)
			told = text
		}
		if !goesOn(ctx, max(pause, away.wait)) {
			return ctx.Err()
		}
		pause = min(2*pause, longestFollow)
	}
}

// followOnce reads one stream of events until it ends.
func (c *Client) followOnce(ctx context.Context, changed func(Event) error) error {
	stream, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	silence := time.AfterFunc(silentTime, func() { cancel(fmt.Errorf("it has said nothing for %s", silentTime)) })
	defer silence.Stop()
	request, err := http.NewRequestWithContext(stream, http.MethodGet, c.address.JoinPath("api", "v1", "events").String(), nil)
	if err != nil {
		return err
	}
	request.Header.Set("Accept", eventMediaType)
	response, err := c.do(request)
	if err != nil {
		return err
	}
	defer func() { _ = response.Body.Close() }()
	if err := changed(Event{All: true}); err != nil { // before, nobody listened
		return err
	}
	lines := bufio.NewScanner(response.Body)
	lines.Buffer(nil, maxEvent)
	for lines.Scan() {
		silence.Reset(silentTime)
		text, isData := strings.CutPrefix(lines.Text(), eventData)
		if !isData {
			continue
		}
		var e Event
		if err := json.Unmarshal([]byte(text), &e); err != nil {
			return fmt.Errorf("%s sends an event that this version of track does not understand: %w", c.address, err)
		}
		if err := changed(e); err != nil {
			return err
		}
	}
	err = lines.Err()
	if cause := context.Cause(stream); cause != nil {
		err = cause
	}
	if err == nil {
		err = io.ErrUnexpectedEOF
	}
	return awayError{fmt.Errorf("%s: the stream of events has ended: %w", c.address, err), 0}
}
