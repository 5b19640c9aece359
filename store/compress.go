package store

import (
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"io"

	"github.com/go-json-experiment/json"

	"track"
)

// compressor compresses texts one after the other.
type compressor struct {
	gzip *gzip.Writer // made when it is first needed: it takes most of a megabyte
}

func (c *compressor) compress(text string) ([]byte, error) {
	var b bytes.Buffer
	if c.gzip == nil {
		c.gzip = gzip.NewWriter(&b)
	} else {
		c.gzip.Reset(&b)
	}
	_, err := io.WriteString(c.gzip, text)
	err = errors.Join(err, c.gzip.Close())
	return b.Bytes(), err
}

// decompress returns the text that compress was given. Nothing is the empty text.
func decompress(data []byte) (string, error) {
	if len(data) == 0 {
		return "", nil
	}
	r, err := gzip.NewReader(bytes.NewReader(data))
	if err != nil {
		return "", fmt.Errorf("%w: compressed text: %w", track.ErrDamaged, err)
	}
	text, err := io.ReadAll(r)
	if err != nil {
		return "", fmt.Errorf("%w: compressed text: %w", track.ErrDamaged, err)
	}
	return string(text), nil
}

// decodeStored decodes the JSON of a column.
func decodeStored(what string, text []byte, into any) error {
	if err := json.Unmarshal(text, into); err != nil {
		return fmt.Errorf("%w: %s: %w", track.ErrDamaged, what, err)
	}
	return nil
}
