package remote

import (
	"context"
	"fmt"
	"io"
	"mime"
	"mime/multipart"
	"net/http"
	"net/url"
	"path/filepath"

	"track"
	"track/answer"
	"track/ask"
)

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
