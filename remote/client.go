// Package remote asks the questions of package ask of a server.
package remote

import (
	"bytes"
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"mime"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"track"
	"track/access"
	"track/answer"
	"track/ask"
)

// connectTime is how long a server may take until it answers, beyond what it may compute.
const connectTime = 5 * time.Second

// maxAnswer bounds an answer in bytes.
const maxAnswer = 1 << 30

// Client asks a server.
type Client struct {
	address *url.URL
	name    string // that the user gave the server, and that brought the secret; empty for none
	secret  access.Secret
	http    *http.Client

	patience time.Duration // how long a question waits in all for a server that is busy
}

// New returns a client of the server at an address such as https://track.example.org/base. Without a secret it has the
// token of whoever started the server, if that is this user: another one after each start.
func New(address string, secret access.Secret) (*Client, error) {
	u, err := url.Parse(address)
	if err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" || u.RawQuery != "" || u.Fragment != "" {
		return nil, fmt.Errorf("%w: %q is not the address of a server, such as https://track.example.org", track.ErrInvalid, withoutPassword(address))
	}
	if u.User != nil {
		return nil, fmt.Errorf("%w: %s: the address of a server has no user; the token stands in TRACK_TOKEN", track.ErrInvalid, u.Redacted())
	}
	transport := http.DefaultTransport.(*http.Transport).Clone()
	transport.ResponseHeaderTimeout = 0 // an answer may take long to compute; ctx ends it
	transport.TLSHandshakeTimeout = connectTime
	return &Client{address: u, secret: secret, patience: patience, http: &http.Client{Transport: transport, CheckRedirect: refuseRedirect}}, nil
}

// withoutPassword hides what stands before @ in an address that cannot be parsed.
func withoutPassword(address string) string {
	if i := strings.LastIndexByte(address, '@'); i >= 0 {
		return "…" + address[i:]
	}
	return address
}

// refuseRedirect keeps a token from being sent elsewhere.
func refuseRedirect(r *http.Request, _ []*http.Request) error {
	return fmt.Errorf("it sends requests on to %s: name that address", r.URL.Redacted())
}

// Source returns the server as what answers questions.
func (c *Client) Source() ask.Source {
	return ask.Source{Fetch: c.fetch, FetchAs: c.fetchAs, FetchFiles: c.fetchFiles}
}

// Address returns the address of the server.
func (c *Client) Address() string { return c.address.String() }

func (c *Client) fetch(ctx context.Context, question string, params url.Values, into any) error {
	return c.ask(ctx, question, params, "application/json", func(body io.Reader) error {
		if err := answer.Decode(body, into); err != nil {
			return fmt.Errorf("%s answers %q with what this version of track does not understand: %w", c.address, question, err)
		}
		return nil
	})
}

// fetchAs writes an answer as the server sends it, once it is there as a whole.
func (c *Client) fetchAs(ctx context.Context, question string, params url.Values, media string, w io.Writer) error {
	return c.ask(ctx, question, params, media, func(body io.Reader) error {
		var text bytes.Buffer
		if _, err := text.ReadFrom(body); err != nil {
			return c.unreachable(ctx, err)
		}
		_, err := text.WriteTo(w)
		return err
	})
}

// ask sends a question, and hands over the body of the answer.
func (c *Client) ask(ctx context.Context, question string, params url.Values, media string, read func(body io.Reader) error) error {
	response, err := c.answered(ctx, question, params, media)
	if err != nil {
		return err
	}
	defer func() { _ = response.Body.Close() }()
	return read(io.LimitReader(response.Body, maxAnswer))
}

// answered sends a question, and returns an answer that is no error. Its body must be closed. A question that records
// nothing waits for a server that is busy.
func (c *Client) answered(ctx context.Context, question string, params url.Values, media string) (*http.Response, error) {
	all := slices.Concat(ask.All(), ask.Reports(), ask.Exports())
	i := slices.IndexFunc(all, func(q ask.Question) bool { return q.Name == question })
	if i < 0 {
		return nil, fmt.Errorf("%w: there is no question %q", track.ErrInvalid, question)
	}
	send := func() (*http.Response, error) {
		request, err := c.request(ctx, all[i], params)
		if err != nil {
			return nil, err
		}
		request.Header.Set("Accept", media)
		return c.do(request)
	}
	if all[i].Writes {
		return send()
	}
	return c.patiently(ctx, send)
}

func (c *Client) authorize(request *http.Request) {
	if secret := c.currentSecret(); secret != "" {
		request.Header.Set("Authorization", "Bearer "+string(secret))
	}
}

func (c *Client) currentSecret() access.Secret {
	if c.secret != "" {
		return c.secret
	}
	return ownerSecret(c.Address())
}

func (c *Client) request(ctx context.Context, q ask.Question, params url.Values) (*http.Request, error) {
	address := c.address.JoinPath("api", "v1", q.Path)
	if !q.IsPosted() {
		address.RawQuery = params.Encode()
		return http.NewRequestWithContext(ctx, http.MethodGet, address.String(), nil)
	}
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, address.String(), strings.NewReader(params.Encode()))
	if err == nil {
		request.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	}
	return request, err
}

// unreachable explains why there was no answer at all.
func (c *Client) unreachable(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	var failed *url.Error
	if errors.As(err, &failed) {
		err = failed.Err
	}
	hint := "check the address, and that track serve runs there"
	if errors.As(err, new(*tls.CertificateVerificationError)) {
		hint = "if the certificate is of an authority of your own, set SSL_CERT_FILE to the file with its certificate"
	}
	return track.WithHint(fmt.Errorf("%s cannot be asked: %w", c.address, err), track.Hint{Text: hint})
}

// problem returns the error that a server answered with.
func (c *Client) problem(response *http.Response, body io.Reader) error {
	var text bytes.Buffer
	if _, err := text.ReadFrom(io.LimitReader(body, 1<<20)); err != nil {
		return c.unreachable(response.Request.Context(), err)
	}
	var p struct {
		Title  string `json:"title"`
		Status int    `json:"status"`
		Detail string `json:"detail"`

		answer.Problem `json:",embed"`
	}
	media, _, _ := mime.ParseMediaType(response.Header.Get("Content-Type"))
	if media != "application/problem+json" || answer.Decode(&text, &p) != nil || p.Kind == "" {
		return fmt.Errorf("%s answers with %s: is it a server of track?", c.address, response.Status)
	}
	switch response.StatusCode {
	case http.StatusTooManyRequests:
		return fmt.Errorf("%w: %s: %s", track.ErrInvalid, c.address, p.Message)
	case http.StatusUnauthorized:
		hint := track.Hint{Text: "set TRACK_TOKEN to a token of that server"}
		if c.name != "" {
			hint.Text = fmt.Sprintf("the name %s brings its own token: track remote remove %s, and add it again with another token", c.name, c.name)
		}
		return track.WithHint(fmt.Errorf("%w: %s: %s", track.ErrInvalid, c.address, p.Message), hint)
	case http.StatusForbidden, http.StatusMethodNotAllowed:
		return fmt.Errorf("%w: %s: %s", track.ErrInvalid, c.address, p.Message)
	}
	return p.Err()
}
