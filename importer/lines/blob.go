package lines

import (
	"crypto/sha256"
	"encoding/base64"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"track"
	"track/series"
)

// Blob is a large content that is sent before the line that names it.
type Blob struct {
	Digest  string // as [BlobDigest] returns it
	Content []byte
}

const digestPrefix = "sha256:"

// BlobDigest returns the name of a content: sha256: and the SHA-256 in hexadecimal digits.
func BlobDigest(content []byte) string {
	hash := sha256.Sum256(content)
	return digestPrefix + hex.EncodeToString(hash[:])
}

// CheckBlobDigest returns an error for a text that is not "sha256:" and 64 digits.
func CheckBlobDigest(digest string) error {
	digits, found := strings.CutPrefix(digest, digestPrefix)
	hash, err := hex.DecodeString(digits)
	if !found || err != nil || len(hash) != sha256.Size || digits != strings.ToLower(digits) {
		return fmt.Errorf("%w: %q is not a digest: sha256: and 64 hexadecimal digits in lower case", track.ErrInvalid, digest)
	}
	return nil
}

// ErrNoBlob is wrapped by the error of a line that names a blob which is not there, or not any more.
var ErrNoBlob = fmt.Errorf("%w: a blob is missing", track.ErrNotFound)

// content returns a blob that a line names.
func (o outside) content(digest string) ([]byte, error) {
	if o.blob == nil {
		return nil, errors.New("only lines that are sent to a server name blobs: give the content itself, or a file")
	}
	if err := CheckBlobDigest(digest); err != nil {
		return nil, err
	}
	return o.blob(digest)
}

// readBlob returns a blob that a line names. One that is missing ends the reading.
func (p *parser) readBlob(digest string) ([]byte, error) {
	content, err := p.blob(digest)
	if errors.Is(err, ErrNoBlob) {
		p.missing = err
	}
	return content, err
}

// seriesOfBlobs returns the series whose numbers are blobs: their little-endian IEEE 754 bits.
func (l seedLine) seriesOfBlobs(from outside) (all []track.Series, problem *track.FieldError) {
	for _, name := range slices.Sorted(maps.Keys(l.SeriesBlobs)) {
		content, err := readSeriesBlob(from, l.SeriesBlobs[name])
		if err != nil {
			return nil, &track.FieldError{Field: "series_blobs." + name, Message: err.Error()}
		}
		values := make([]float64, len(content)/8)
		for i := range values {
			values[i] = math.Float64frombits(binary.LittleEndian.Uint64(content[8*i:]))
		}
		all = append(all, track.Series{Name: name, Values: values})
	}
	return all, nil
}

func readSeriesBlob(from outside, digest string) ([]byte, error) {
	content, err := from.content(digest)
	if err == nil && len(content)%8 != 0 {
		err = fmt.Errorf("%d bytes are not numbers of 8 bytes", len(content))
	}
	return content, err
}

// Detach returns a line with its series and files of at least so many bytes as blobs, which it names. A line that has
// none, or that cannot be read, stays as it is.
func Detach(line []byte, least int) (rest []byte, blobs []Blob) {
	var object map[string]jsontext.Value
	err := unmarshal(line, func(text []byte) error {
		object = nil
		return json.Unmarshal(text, &object)
	})
	if err != nil || kindOf(line) != "" && kindOf(line) != kindSeed {
		return line, nil
	}
	blobs = append(detachArtifacts(object, least), detachSeries(object, least)...)
	if len(blobs) == 0 {
		return line, nil
	}
	rest, err = json.Marshal(object, json.Deterministic(true))
	if err != nil {
		return line, nil
	}
	return append(rest, '\n'), blobs
}

func detachArtifacts(object map[string]jsontext.Value, least int) (blobs []Blob) {
	var list []artifact
	if json.Unmarshal(object["artifacts"], &list) != nil {
		return nil
	}
	for i, a := range list {
		content := []byte(nil)
		switch {
		case a.Text != nil && a.Base64 == nil:
			content = []byte(*a.Text)
		case a.Base64 != nil && a.Text == nil:
			content, _ = base64.StdEncoding.DecodeString(*a.Base64) // what is wrong stays in the line
		}
		if len(content) < least || a.File+a.Blob+a.LeftOut != "" {
			continue
		}
		blobs = append(blobs, Blob{BlobDigest(content), content})
		list[i] = artifact{Name: a.Name, Blob: BlobDigest(content)}
	}
	text, err := json.Marshal(list)
	if err != nil || len(blobs) == 0 {
		return nil
	}
	object["artifacts"] = text
	return blobs
}

func detachSeries(object map[string]jsontext.Value, least int) (blobs []Blob) {
	var arrays map[string]jsontext.Value
	if object["series_blobs"] != nil || json.Unmarshal(object["series"], &arrays) != nil {
		return nil
	}
	names := map[string]string{}
	for name, array := range arrays {
		if len(array) < least {
			continue
		}
		one, err := json.Marshal(map[string]jsontext.Value{name: array})
		if err != nil {
			continue
		}
		read, problem := series.ParseJSON(one)
		if problem != nil || len(read) != 1 {
			continue // the server says what is wrong
		}
		content := make([]byte, 0, 8*len(read[0].Values))
		for _, value := range read[0].Values {
			content = binary.LittleEndian.AppendUint64(content, math.Float64bits(value))
		}
		blobs = append(blobs, Blob{BlobDigest(content), content})
		names[name] = BlobDigest(content)
		delete(arrays, name)
	}
	rest, restErr := json.Marshal(arrays)
	named, namesErr := json.Marshal(names)
	if errors.Join(restErr, namesErr) != nil || len(blobs) == 0 {
		return nil
	}
	if object["series_blobs"] = named; len(arrays) == 0 {
		delete(object, "series")
	} else {
		object["series"] = rest
	}
	return blobs
}
