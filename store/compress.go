package store

import (
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"math"

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
	return decompressWithin(data, math.MaxInt64-1)
}

// decompressWithin is [decompress] for at most so many bytes.
func decompressWithin(data []byte, most int64) (string, error) {
	r, err := gzip.NewReader(bytes.NewReader(data))
	if err != nil {
		return "", fmt.Errorf("%w: compressed text: %w", track.ErrDamaged, err)
	}
	text, err := io.ReadAll(io.LimitReader(r, most+1))
	if err == nil && int64(len(text)) > most {
		err = fmt.Errorf("more than %d bytes", most)
	}
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

// environmentRow is an environment as it is stored.
type environmentRow struct {
	Hash     string `db:"hash"`
	Document string `db:"document"`
}

func (r environmentRow) environment() (e track.Environment, err error) {
	return e, decodeStored("environment", []byte(r.Document), &e)
}
