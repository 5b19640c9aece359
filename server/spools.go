package server

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"strings"

	"github.com/oklog/ulid/v2"

	"track"
	"track/answer"
	"track/importer/lines"
	"track/store"
	"track/tracker/exchange"
	"track/tracker/names"
)

// The paths of the spools of clients.
const (
	spoolPath      = apiPath + "spools/{ulid}"
	spoolLinesPath = spoolPath + "/lines"
)

// smallBody is the largest body in bytes that many requests at once may hold in memory.
const smallBody = 1 << 20

// mostSpooled is the largest number of lines of a spool.
const mostSpooled = 1 << 50

// spoolPosition says how far the lines of a spool are recorded.
func (s *Server) spoolPosition(w http.ResponseWriter, r *http.Request) error {
	id, err := spoolID(r)
	if err != nil {
		return err
	}
	st, release, err := s.database.use(r.Context())
	if err != nil {
		return err
	}
	defer release()
	p, err := st.SpoolPosition(r.Context(), id)
	if err != nil {
		return err
	}
	epoch, err := st.Epoch(r.Context())
	if err != nil {
		return err
	}
	return writeValue(w, answer.SpoolPosition{ServerEpoch: epoch, Through: p.Through, Refused: p.Refused})
}

// recordSpool records lines of a spool, and with them its position. Lines below the position are not recorded again.
func (s *Server) recordSpool(w http.ResponseWriter, r *http.Request) error {
	id, err := spoolID(r)
	if err != nil {
		return err
	}
	from, err := spoolFrom(r)
	if err != nil {
		return err
	}
	r.Body = begun(r)
	leave, err := s.recording.enter(r.Context())
	if err != nil {
		return err
	}
	defer leave()
	enter := s.queue.enter
	if r.ContentLength < 0 || r.ContentLength > smallBody {
		leave, err := s.queue.enter(r.Context())
		if err != nil {
			return err
		}
		defer leave()
		enter = entered
	}
	part := exchange.SpoolPart{ID: id, Sender: grantOf(r.Context()), From: from}
	body, err := s.spoolBody(w, r, &part)
	if err != nil {
		return err
	}
	st, release, err := s.database.use(r.Context())
	if err != nil {
		return err
	}
	defer release()
	return s.recordPart(w, r, st, part, body, enter)
}

// recordPart records a part of a spool.
func (s *Server) recordPart(w http.ResponseWriter, r *http.Request, st *store.Store, part exchange.SpoolPart, body []byte, enter func(context.Context) (func(), error)) error {
	text, err := unpackedBody(w, r, body)
	if err != nil {
		return err
	}
	grant := grantOf(r.Context())
	a := answer.SentLines{RecordedLines: answer.NewRecordedLines("")}
	summary, skipped, p, err := s.database.group.RecordSpool(r.Context(), part, names.New(names.Warn), admitted(grant, lines.ReadSent(text, s.blobs.reader(grant.Name))), exchange.BatchObserver{
		Problem: func(p exchange.BatchProblem) { a.AddProblem(p.LineProblem) },
	}, enter)
	if summary.AddTo(&a.RecordedLines); a.Recorded+a.Replaced > 0 {
		s.logChange(r.Context(), "lines", "recorded", a.Recorded, "replaced", a.Replaced, "rejected", a.Rejected, "conflicts", a.Conflicts)
	}
	if err != nil {
		return inputError(err)
	}
	epoch, err := st.Epoch(r.Context())
	if err != nil {
		return err
	}
	a.Skipped, a.SpoolPosition = skipped, answer.SpoolPosition{ServerEpoch: epoch, Through: p.Through, Refused: p.Refused}
	return writeValue(w, a)
}

// spoolBody reads the body of a request, compares it with its digest, and counts its lines. The blobs that they name must
// be here.
func (s *Server) spoolBody(w http.ResponseWriter, r *http.Request, part *exchange.SpoolPart) ([]byte, error) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return nil, inputError(err)
	}
	if err := checkDigest(r.Header, body); err != nil {
		return nil, err
	}
	text, err := unpackedBody(w, r, body)
	if err != nil {
		return nil, err
	}
	lines, namesBlobs, err := countLines(text)
	if part.Lines = lines; err != nil || !namesBlobs {
		return body, inputError(err)
	}
	if text, err = unpackedBody(w, r, body); err != nil {
		return nil, err
	}
	return body, inputError(s.checkBlobs(text, part.Sender.Name))
}

// unpackedBody returns what the body of a request says.
func unpackedBody(w http.ResponseWriter, r *http.Request, body []byte) (io.Reader, error) {
	r.Body = io.NopCloser(bytes.NewReader(body))
	return unpacked(w, r)
}

// digestMark is in each line that names a blob.
const digestMark = `"sha256:`

// countLines counts lines, the last one also if it does not end, and says whether any may name a blob.
func countLines(r io.Reader) (n int64, namesBlobs bool, err error) {
	buffer := make([]byte, 32<<10)
	carried, isWhole := 0, true // bytes of the text before, in which the mark may begin
	for {
		read, err := r.Read(buffer[carried:])
		if read > 0 {
			seen := buffer[:carried+read]
			n += int64(bytes.Count(seen[carried:], []byte{'\n'}))
			isWhole = seen[len(seen)-1] == '\n'
			namesBlobs = namesBlobs || bytes.Contains(seen, []byte(digestMark))
			carried = copy(buffer, seen[max(0, len(seen)-len(digestMark)+1):])
		}
		switch {
		case errors.Is(err, io.EOF) && isWhole:
			return n, namesBlobs, nil
		case errors.Is(err, io.EOF):
			return n + 1, namesBlobs, nil
		case err != nil:
			return n, false, err
		}
	}
}

// checkDigest compares a body as it was sent with the SHA-256 in Content-Digest (RFC 9530), if there is one. Digests of
// other kinds are not looked at.
func checkDigest(header http.Header, body []byte) error {
	for member := range strings.SplitSeq(strings.Join(header.Values("Content-Digest"), ","), ",") {
		kind, value, _ := strings.Cut(strings.TrimSpace(member), "=")
		if kind != "sha-256" {
			continue
		}
		text, isBytes := strings.CutPrefix(value, ":")
		text, isWhole := strings.CutSuffix(text, ":")
		want, err := base64.StdEncoding.DecodeString(text)
		if err != nil || !isBytes || !isWhole {
			return fmt.Errorf("%w: Content-Digest: must be sha-256=:…: with the digest in Base64", track.ErrInvalid)
		}
		if got := sha256.Sum256(body); !bytes.Equal(got[:], want) {
			return fmt.Errorf("%w: the body does not have the SHA-256 of Content-Digest: it was changed on its way; nothing was recorded", track.ErrInvalid)
		}
	}
	return nil
}

// spoolID returns the spool that a request names.
func spoolID(r *http.Request) (string, error) {
	text := r.PathValue("ulid")
	id, err := ulid.ParseStrict(strings.ToUpper(text))
	if err != nil {
		return "", fmt.Errorf("%w: %q is not a ULID", track.ErrInvalid, text)
	}
	return id.String(), nil
}

// spoolFrom returns how many lines of a spool come before those of a request.
func spoolFrom(r *http.Request) (int64, error) {
	text := r.URL.Query().Get("from")
	if text == "" {
		return 0, nil
	}
	from, err := strconv.ParseInt(text, 10, 64)
	if err != nil || from < 0 || from > mostSpooled {
		return 0, fmt.Errorf("%w: from=%q: must be a number of lines", track.ErrInvalid, text)
	}
	return from, nil
}

// entered is the queue of a request that has entered it.
func entered(context.Context) (leave func(), err error) { return func() {}, nil }

// writeValue answers with JSON.
func writeValue(w http.ResponseWriter, v any) error {
	var text bytes.Buffer
	if err := answer.Encode(&text, v); err != nil {
		return err
	}
	text.WriteByte('\n')
	w.Header().Set("Content-Type", "application/json")
	_, _ = text.WriteTo(w) // the client has gone
	return nil
}
