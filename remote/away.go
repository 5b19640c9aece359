package remote

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"time"

	"track"
)

// patience is how long a question waits in all for a server that is busy.
const patience = time.Minute

// awayError is the error of a server that is away or busy: the same request may succeed later.
type awayError struct {
	error
	wait time.Duration // that the server asks for; 0 if it does not say
}

// Unwrap returns what is wrong.
func (e awayError) Unwrap() error { return e.error }

// do sends a request, and returns an answer that is no error. Its body must be closed.
func (c *Client) do(request *http.Request) (*http.Response, error) {
	c.authorize(request)
	secret := c.currentSecret()
	response, err := c.http.Do(request)
	if err != nil {
		return nil, awayError{c.unreachable(request.Context(), err), 0}
	}
	if response.StatusCode == http.StatusOK {
		return response, nil
	}
	defer func() { _ = response.Body.Close() }()
	err = c.problem(response, response.Body)
	switch response.StatusCode {
	case http.StatusRequestTimeout, http.StatusTooManyRequests, http.StatusBadGateway, http.StatusServiceUnavailable, http.StatusGatewayTimeout:
		return nil, awayError{err, retryAfter(response)}
	case http.StatusUnauthorized:
		if c.currentSecret() != secret { // the server was started again meanwhile
			return nil, awayError{err, 0}
		}
	}
	return nil, err
}

// retryAfter returns how long a server asks to wait; 0 if it does not say.
func retryAfter(response *http.Response) time.Duration {
	seconds, _ := strconv.Atoi(response.Header.Get("Retry-After"))
	return time.Duration(max(seconds, 0)) * time.Second
}

// patiently sends a request again as long as a server that is busy asks for that, up to a time in all.
func (c *Client) patiently(ctx context.Context, send func() (*http.Response, error)) (*http.Response, error) {
	for waited := time.Duration(0); ; {
		response, err := send()
		away := new(awayError)
		if err == nil || !errors.As(err, away) || away.wait == 0 {
			return response, err
		}
		if waited+away.wait > c.patience {
			if waited == 0 {
				return nil, err
			}
			return nil, track.WithHint(fmt.Errorf("%w; it was asked again for %s", err, waited), track.Hint{Text: "try again when it is less busy"})
		}
		if !goesOn(ctx, away.wait) {
			return nil, context.Cause(ctx)
		}
		waited += away.wait
	}
}

// goesOn waits, and reports whether ctx goes on then.
func goesOn(ctx context.Context, d time.Duration) bool {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return true
	case <-ctx.Done():
		return false
	}
}
