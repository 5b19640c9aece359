package server

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"sync"
	"time"

	"track"
	"track/answer"
	"track/importer/lines"
)

// blobPath is where large contents are sent to before the lines that name them.
const blobPath = apiPath + "blobs/{digest}"

// The limits of blobs.
const (
	maxBlob         = 64 << 20
	maxBlobs        = 4 << 30   // of all blobs that no line has named yet
	maxNamedBlobs   = 128 << 20 // that the lines of one request can name
	blobTime        = time.Hour // without a request about it
	blobFolderNames = "track-blobs-"
)

// errNoRoom is the error for a blob while others take all the room.
var errNoRoom = fmt.Errorf("%w: blobs that wait for their lines take all the room there is", errBusy)

// blobs are contents that were sent, and that lines may name. A token has its own: the digest of a content is no right to
// read it. They lie in a temporary folder, and end with the server: whoever sent them sends them again.
type blobs struct {
	now func() time.Time

	mu    sync.Mutex
	dir   string // empty as long as there are none
	held  map[blobKey]*heldBlob
	bytes int64
}

type blobKey struct{ holder, digest string }

type heldBlob struct {
	bytes int64
	used  time.Time
}

func newBlobs(now func() time.Time) *blobs {
	return &blobs{now: now, held: map[blobKey]*heldBlob{}}
}

// path returns the file of a blob.
func (b *blobs) path(key blobKey) string {
	name := sha256.Sum256([]byte(key.holder + "\x00" + key.digest))
	return filepath.Join(b.dir, hex.EncodeToString(name[:]))
}

// size returns how large a blob is, and keeps it for longer.
func (b *blobs) size(key blobKey) (bytes int64, found bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.expire()
	one := b.held[key]
	if one == nil {
		return 0, false
	}
	one.used = b.now()
	return one.bytes, true
}

// expire removes what nobody has asked for lately.
func (b *blobs) expire() {
	for key, one := range b.held {
		if b.now().Sub(one.used) >= blobTime {
			_ = os.Remove(b.path(key)) // the folder is removed at the end
			b.bytes -= one.bytes
			delete(b.held, key)
		}
	}
}

// create returns a file for a new blob.
func (b *blobs) create() (file *os.File, err error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.expire()
	if b.dir == "" {
		if b.dir, err = os.MkdirTemp("", blobFolderNames); err != nil {
			return nil, err
		}
	}
	if b.bytes+maxBlob > maxBlobs {
		return nil, errNoRoom
	}
	return os.CreateTemp(b.dir, "new-")
}

// keep gives a file the place of a blob.
func (b *blobs) keep(key blobKey, file string, bytes int64) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	if err := os.Rename(file, b.path(key)); err != nil {
		return err
	}
	if b.held[key] == nil {
		b.bytes += bytes
	}
	b.held[key] = &heldBlob{bytes, b.now()}
	return nil
}

// end removes all blobs.
func (b *blobs) end() error {
	b.mu.Lock()
	defer b.mu.Unlock()
	clear(b.held)
	if b.dir == "" {
		return nil
	}
	return os.RemoveAll(b.dir)
}

// reader returns what reads the blobs that the lines of a request name.
func (b *blobs) reader(holder string) func(digest string) ([]byte, error) {
	left := int64(maxNamedBlobs)
	return func(digest string) ([]byte, error) {
		key := blobKey{holder, digest}
		bytes, found := b.size(key)
		if !found {
			return nil, missingBlob(digest)
		}
		if left -= bytes; left < 0 {
			return nil, fmt.Errorf("the lines of a request can name blobs of %d MiB together", maxNamedBlobs>>20)
		}
		content, err := os.ReadFile(b.path(key))
		if err == nil && lines.BlobDigest(content) != digest {
			err = errors.New("is damaged")
		}
		if err != nil {
			return nil, fmt.Errorf("%w: %s: %w", lines.ErrNoBlob, digest, err)
		}
		return content, nil
	}
}

// checkBlobs returns an error if lines name a blob that is not here: nothing of them is to be recorded then.
func (s *Server) checkBlobs(text io.Reader, holder string) error {
	isHere := func(digest string) ([]byte, error) {
		if _, found := s.blobs.size(blobKey{holder, digest}); !found {
			return nil, missingBlob(digest)
		}
		return nil, nil
	}
	for _, err := range lines.ReadSent(text, isHere) {
		if err != nil {
			return err
		}
	}
	return nil
}

func missingBlob(digest string) error {
	return fmt.Errorf("%w: %s: send it, and then the line again", lines.ErrNoBlob, digest)
}

// blobKeyOf returns the blob that a request names.
func blobKeyOf(r *http.Request) (blobKey, error) {
	digest := r.PathValue("digest")
	return blobKey{grantOf(r.Context()).Name, digest}, lines.CheckBlobDigest(digest)
}

// showBlob says whether a blob is here that the holder of the token has sent. It does not send it back.
func (s *Server) showBlob(w http.ResponseWriter, r *http.Request) error {
	key, err := blobKeyOf(r)
	if err != nil {
		return err
	}
	bytes, found := s.blobs.size(key)
	if !found {
		return fmt.Errorf("%w: blob %s", track.ErrNotFound, key.digest)
	}
	return writeValue(w, answer.Blob{Digest: key.digest, Bytes: bytes})
}

// takeBlob keeps a content until lines name it.
func (s *Server) takeBlob(w http.ResponseWriter, r *http.Request) error {
	key, err := blobKeyOf(r)
	if err != nil {
		return err
	}
	if bytes, found := s.blobs.size(key); found {
		return writeValue(w, answer.Blob{Digest: key.digest, Bytes: bytes})
	}
	leave, err := s.recording.enter(r.Context())
	if err != nil {
		return err
	}
	defer leave()
	body, err := unpacked(w, r)
	if err != nil {
		return err
	}
	bytes, err := s.blobs.take(key, http.MaxBytesReader(w, io.NopCloser(body), maxBlob))
	if err != nil {
		return inputError(err)
	}
	return writeCreated(w, answer.Blob{Digest: key.digest, Bytes: bytes})
}

// take reads a content, which must have the digest.
func (b *blobs) take(key blobKey, from io.Reader) (bytes int64, err error) {
	file, err := b.create()
	if err != nil {
		return 0, err
	}
	defer func() { _ = os.Remove(file.Name()) }() // unless it has its place
	sum := sha256.New()
	bytes, err = io.Copy(io.MultiWriter(file, sum), from)
	if err = errors.Join(err, file.Close()); err != nil {
		return 0, err
	}
	if got := "sha256:" + hex.EncodeToString(sum.Sum(nil)); got != key.digest {
		return 0, fmt.Errorf("%w: the content has the digest %s", track.ErrInvalid, got)
	}
	return bytes, b.keep(key, file.Name(), bytes)
}

// writeCreated answers that something new is here.
func writeCreated(w http.ResponseWriter, v any) error {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(http.StatusCreated)
	return answer.Encode(w, v)
}
