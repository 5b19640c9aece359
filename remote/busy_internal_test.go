package remote

import (
	"io"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

// servedBy answers the requests of a client.
type servedBy func(*http.Request) (*http.Response, error)

// RoundTrip implements [http.RoundTripper].
func (s servedBy) RoundTrip(r *http.Request) (*http.Response, error) { return s(r) }

func clientOf(t *testing.T, s servedBy) *Client {
	t.Helper()
	c, err := New("http://lab", "")
	if err != nil {
		t.Fatal(err)
	}
	c.http = &http.Client{Transport: s}
	return c
}

func answering(r *http.Request, status int, body io.Reader, header ...string) *http.Response {
	w := &http.Response{StatusCode: status, Status: http.StatusText(status), Header: http.Header{}, Body: io.NopCloser(body), Request: r}
	for i := 0; i < len(header); i += 2 {
		w.Header.Set(header[i], header[i+1])
	}
	return w
}

const busyText = `{"title":"","status":429,"detail":"","kind":"invalid","message":"too many wait"}`

func busy(r *http.Request, after string) *http.Response {
	return answering(r, http.StatusTooManyRequests, strings.NewReader(busyText), "Content-Type", "application/problem+json", "Retry-After", after)
}

// A question waits as long as a busy server asks for, up to a minute in all. One that records something is asked once.
func TestQuestionsWaitForABusyServer(t *testing.T) {
	for _, test := range []struct {
		name, question string
		params         url.Values
		refusals       int // before an answer
		after          string
		asked          int
		waited         time.Duration
		want           string // error; empty for none
	}{
		{"no", "spec list", nil, 0, "", 1, 0, ""},
		{"twice", "spec list", nil, 2, "7", 3, 14 * time.Second, ""},
		{"always", "spec list", nil, 99, "25", 3, 50 * time.Second, "too many wait; it was asked again for 50s"},
		{"until midnight", "spec list", nil, 99, "7200", 1, 0, "too many wait"},
		{"without a time", "spec list", nil, 99, "", 1, 0, "too many wait"},
		{"for a change", "token revoke", url.Values{"name": {"a"}}, 1, "1", 1, 0, "too many wait"},
	} {
		t.Run(test.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				asked, begun := 0, time.Now()
				c := clientOf(t, func(r *http.Request) (*http.Response, error) {
					if asked++; asked <= test.refusals {
						return busy(r, test.after), nil
					}
					return answering(r, http.StatusOK, strings.NewReader("{}")), nil
				})
				err := c.fetchAs(t.Context(), test.question, test.params, "text/csv", io.Discard)
				if asked != test.asked || time.Since(begun) != test.waited || (err == nil) != (test.want == "") || err != nil && !strings.HasSuffix(err.Error(), test.want) {
					t.Errorf("asked %d times within %v, want %d within %v; error %v", asked, time.Since(begun), test.asked, test.waited, err)
				}
			})
		})
	}
}
