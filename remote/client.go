// Package remote asks the questions of package ask of a server, and sends it what is recorded for it.
package remote

import (
	"bytes"
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"mime"
	"mime/multipart"
	"net/http"
	"net/url"
	"path/filepath"
	"slices"
	"strconv"
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
	return &Client{address: u, secret: secret, http: &http.Client{Transport: transport, CheckRedirect: refuseRedirect}}, nil
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

// patience is how long a question waits in all for a server that is busy.
const patience = time.Minute

// busyError is the error of a server that is away or busy: the same request may succeed later.
type busyError struct {
	error
	wait time.Duration // that the server asks for; 0 if it does not say
}

// Unwrap returns what is wrong.
func (e busyError) Unwrap() error { return e.error }

// do sends a request, and returns an answer that is no error. Its body must be closed.
func (c *Client) do(request *http.Request) (*http.Response, error) {
	if secret := c.currentSecret(); secret != "" {
		request.Header.Set("Authorization", "Bearer "+string(secret))
	}
	response, err := c.http.Do(request)
	if err != nil {
		return nil, busyError{c.unreachable(request.Context(), err), 0}
	}
	if response.StatusCode == http.StatusOK {
		return response, nil
	}
	defer func() { _ = response.Body.Close() }()
	err = c.problem(response, response.Body)
	switch response.StatusCode {
	case http.StatusRequestTimeout, http.StatusTooManyRequests, http.StatusBadGateway, http.StatusServiceUnavailable, http.StatusGatewayTimeout:
		seconds, _ := strconv.Atoi(response.Header.Get("Retry-After"))
		return nil, busyError{err, time.Duration(max(seconds, 0)) * time.Second}
	case http.StatusUnauthorized, http.StatusForbidden:
		return nil, tokenRefused{err}
	}
	return nil, err
}

// ErrRefused is wrapped by the error for a token that does not allow a request.
var ErrRefused = errors.New("the server refuses this token")

// tokenRefused is such an error, which says itself what the token lacks.
type tokenRefused struct{ error }

// Unwrap returns ErrRefused and what is wrong.
func (e tokenRefused) Unwrap() []error { return []error{ErrRefused, e.error} }

// patiently sends a request again as long as a server that is busy asks for that, up to a time in all.
func (c *Client) patiently(ctx context.Context, send func() (*http.Response, error)) (*http.Response, error) {
	for waited := time.Duration(0); ; {
		response, err := send()
		busy := new(busyError)
		if err == nil || !errors.As(err, busy) || busy.wait == 0 {
			return response, err
		}
		if waited+busy.wait > patience {
			if waited == 0 {
				return nil, err
			}
			return nil, track.WithHint(fmt.Errorf("%w; it was asked again for %s", err, waited), track.Hint{Text: "try again when it is less busy"})
		}
		if !goesOn(ctx, busy.wait) {
			return nil, context.Cause(ctx)
		}
		waited += busy.wait
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

// seedsAtOnce is how many seeds a server lists in an answer.
const seedsAtOnce = 1000

// Seeds returns the seeds of configurations that the server has, without their values.
func (c *Client) Seeds(ctx context.Context, scenario string, configurations []track.Configuration) (all []track.Seed, err error) {
	for _, configuration := range configurations {
		q := answer.SeedsQuestion{Of: answer.Selector{Scenario: scenario, Configuration: configuration.Hash()}, Page: answer.Page{Limit: seedsAtOnce}}
		for page, err := range ask.Seeds().Pages(ctx, c.Source(), q) {
			if errors.Is(err, track.ErrNotFound) {
				break
			}
			if err != nil {
				return nil, err
			}
			for _, s := range page.Items {
				all = append(all, track.Seed{Scenario: scenario, Configuration: configuration, Number: s.Number, Outcome: s.Outcome})
			}
		}
	}
	return all, nil
}

// fetchFiles has create begin each file of an answer, and writes it as it comes. The answer is the last part, so that
// one that was cut off is an error.
func (c *Client) fetchFiles(ctx context.Context, question string, params url.Values, create ask.Create, into any) error {
	response, err := c.answered(ctx, question, params, ask.Multipart)
	if err != nil {
		return err
	}
	defer func() { _ = response.Body.Close() }()
	_, fields, err := mime.ParseMediaType(response.Header.Get("Content-Type"))
	if err != nil || fields["boundary"] == "" {
		return fmt.Errorf("%s answers %q without files: is it a server of track?", c.address, question)
	}
	received := receivedFiles{ctx, c}
	parts := multipart.NewReader(response.Body, fields["boundary"])
	for {
		part, err := parts.NextRawPart()
		if err != nil {
			return received.cut(err)
		}
		switch part.Header.Get("Content-Type") {
		case "application/json":
			if err := answer.Decode(part, into); err != nil {
				return received.cut(err)
			}
			return nil
		case "application/problem+json":
			return c.problem(&http.Response{Header: http.Header(part.Header), Request: response.Request}, part)
		}
		if err := received.file(part, create); err != nil {
			return err
		}
	}
}

// receivedFiles are the files of an answer.
type receivedFiles struct {
	ctx    context.Context
	client *Client
}

// cut explains why there is no more of an answer.
func (f receivedFiles) cut(err error) error {
	if f.ctx.Err() != nil {
		return context.Cause(f.ctx)
	}
	err = fmt.Errorf("%w: %s: the answer was cut off, and nothing of it is kept: %w", track.ErrDatabase, f.client.address, err)
	return track.WithHint(err, track.Hint{Text: "ask again"})
}

// file writes a file. Its name is the server's, so it must lead nowhere else.
func (f receivedFiles) file(part *multipart.Part, create ask.Create) error {
	_, fields, err := mime.ParseMediaType(part.Header.Get("Content-Disposition"))
	if err != nil || !filepath.IsLocal(filepath.FromSlash(fields["filename"])) {
		return fmt.Errorf("%s sends a file with the name %q", f.client.address, fields["filename"])
	}
	out, err := create(fields["filename"])
	if err != nil {
		return err
	}
	noted := &notedErrors{Writer: out}
	if _, err = io.Copy(noted, part); err != nil && noted.err == nil {
		return f.cut(err)
	}
	return err
}

// notedErrors tells an error of the file from one of the network.
type notedErrors struct {
	io.Writer
	err error
}

// Write implements [io.Writer].
func (n *notedErrors) Write(data []byte) (count int, err error) {
	count, n.err = n.Writer.Write(data)
	return count, n.err
}
