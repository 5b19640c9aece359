package remote

import (
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"time"

	"track"
	"track/answer"
	"track/importer/lines"
)

// Lines that are longer than detachFrom bytes are sent without their files and series of at least blobBytes, which go
// before them.
const (
	detachFrom = 256 << 10
	blobBytes  = 64 << 10
)

// detachLines returns lines that name their large contents, and these contents, each once.
func detachLines(text []byte) (rest []byte, blobs []lines.Blob) {
	if len(text) < detachFrom {
		return text, nil
	}
	seen := map[string]bool{}
	for line := range bytes.Lines(text) {
		if len(line) < detachFrom {
			rest = append(rest, line...)
			continue
		}
		short, detached := lines.Detach(line, blobBytes)
		rest = append(rest, short...)
		for _, blob := range detached {
			if !seen[blob.Digest] {
				seen[blob.Digest] = true
				blobs = append(blobs, blob)
			}
		}
	}
	return rest, blobs
}

// errBlobMissing is wrapped by the error for lines that name a blob which the server does not have any more.
var errBlobMissing = errors.New("the server lacks a blob")

// mostBlobRounds is how often blobs are sent before the lines that name them.
const mostBlobRounds = 3

// post sends lines, and their large contents before them. Into makes what an answer is read into.
func (c *Client) post(ctx context.Context, address *url.URL, text []byte, attempts int, into func() any) error {
	rest, blobs := detachLines(text)
	for round := 1; ; round++ {
		err := c.putBlobs(ctx, blobs, attempts)
		if errors.As(err, new(notThere)) { // an older server takes the lines as they are
			return c.postLines(ctx, address, text, attempts, into)
		}
		if err == nil {
			err = c.postLines(ctx, address, rest, attempts, into)
		}
		if !errors.Is(err, errBlobMissing) || round == mostBlobRounds {
			return err
		}
	}
}

// putBlobs sends the blobs that the server does not have.
func (c *Client) putBlobs(ctx context.Context, blobs []lines.Blob, attempts int) error {
	for _, blob := range blobs {
		address := c.address.JoinPath("api", "v1", "blobs", blob.Digest)
		err := again(ctx, attempts, func() (time.Duration, error) {
			isThere, err := c.hasBlob(ctx, address)
			if err != nil || isThere {
				return 0, err
			}
			return c.putBlob(ctx, address, blob.Content)
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// hasBlob asks whether the server has a blob. Another answer than yes means no: sending it tells why.
func (c *Client) hasBlob(ctx context.Context, address *url.URL) (bool, error) {
	request, err := http.NewRequestWithContext(ctx, http.MethodHead, address.String(), nil)
	if err != nil {
		return false, err
	}
	c.authorize(request)
	response, err := c.http.Do(request)
	if err != nil {
		return false, c.unreachable(ctx, err)
	}
	return response.StatusCode == http.StatusOK, response.Body.Close()
}

// putBlob sends a blob once.
func (c *Client) putBlob(ctx context.Context, address *url.URL, content []byte) (wait time.Duration, err error) {
	var packed bytes.Buffer
	z := gzip.NewWriter(&packed)
	if _, err := z.Write(content); err != nil {
		return -1, err
	}
	if err := z.Close(); err != nil {
		return -1, err
	}
	request, err := http.NewRequestWithContext(ctx, http.MethodPut, address.String(), &packed)
	if err != nil {
		return -1, err
	}
	request.Header.Set("Content-Encoding", "gzip")
	var a answer.Blob
	wait, err = c.try(request, &a)
	if err == nil && a.Bytes != int64(len(content)) {
		err = fmt.Errorf("%w: %s has %d bytes of a blob of %d", track.ErrInvalid, c.address, a.Bytes, len(content))
		wait = -1
	}
	return wait, err
}
