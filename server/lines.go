package server

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"iter"
	"net/http"
	"strconv"
	"strings"

	"github.com/oklog/ulid/v2"

	"track"
	"track/access"
	"track/answer"
	"track/importer/lines"
	"track/store"
	"track/tracker/exchange"
	"track/tracker/names"
)

// The limits of lines that are sent together.
const (
	maxLinesBody     = 72 << 20 // as they are sent; the longest line has 64 MiB
	maxUnpackedLines = 72 << 20
	listedProblems   = 50 // of the lines of a request, with their reasons
)

// recordLines records the lines of a request: seeds, executions, sweeps without a spec, notes and tags. What the answer
// counts is on the disk. Sent again, lines are duplicates. Requests with few lines share a transaction with others that
// come at the same time.
func (s *Server) recordLines(w http.ResponseWriter, r *http.Request) error {
	a, err := s.takeLines(w, r, nil)
	if err != nil {
		return err
	}
	return writeAnswer(w, r, a.RecordedLines, jsonForm())
}

// takeLines records the lines of a request, which are a part of a spool unless part is nil.
func (s *Server) takeLines(w http.ResponseWriter, r *http.Request, part *exchange.SpoolPart) (a answer.SentLines, err error) {
	a.RecordedLines = answer.NewRecordedLines("")
	r.Body = begun(r)
	body, err := unpacked(w, r)
	if err != nil {
		return a, err
	}
	leave, err := s.recording.enter(r.Context())
	if err != nil {
		return a, err
	}
	defer leave()
	st, release, err := s.database.use(r.Context())
	if err != nil {
		return a, err
	}
	defer release()
	counted := &countingReader{Reader: body}
	entries := admitted(grantOf(r.Context()), lines.ReadSent(counted))
	observer := exchange.BatchObserver{Problem: func(p exchange.BatchProblem) {
		if part != nil || len(a.Errors) < listedProblems {
			a.AddProblem(p.LineProblem)
		} else {
			a.OmitProblem(p.Line)
		}
	}}
	var summary exchange.BatchSummary
	if part == nil {
		summary, err = s.database.group.RecordAll(r.Context(), names.New(names.Warn), entries, observer, s.queue.enter)
	} else {
		var p store.SpoolPosition
		part.Lines = counted.lines
		summary, a.Skipped, p, err = s.database.group.RecordSpool(r.Context(), *part, names.New(names.Warn), entries, observer, s.queue.enter)
		a.Through, a.Refused = p.Through, p.Refused
	}
	if summary.AddTo(&a.RecordedLines); a.Recorded+a.Replaced > 0 {
		s.logChange(r.Context(), "lines", "recorded", a.Recorded, "replaced", a.Replaced, "rejected", a.Rejected, "conflicts", a.Conflicts)
	}
	if err == nil {
		a.ServerEpoch, err = st.Epoch(r.Context())
	}
	return a, inputError(err)
}

// countingReader counts lines, the last one also if it does not end.
type countingReader struct {
	io.Reader
	n    int64
	last byte
}

// Read implements [io.Reader].
func (c *countingReader) Read(p []byte) (n int, err error) {
	if n, err = c.Reader.Read(p); n > 0 {
		c.n, c.last = c.n+int64(bytes.Count(p[:n], []byte{'\n'})), p[n-1]
	}
	return n, err
}

func (c *countingReader) lines() int64 {
	if c.last != 0 && c.last != '\n' {
		return c.n + 1
	}
	return c.n
}

// firstBytes is how much of a body has come before it takes the place of another.
const firstBytes = 16 << 10

// begun waits for the beginning of a body, which is the whole of most: a slow sender keeps nobody from recording.
func begun(r *http.Request) io.ReadCloser {
	type body struct {
		io.Reader
		io.Closer
	}
	if r.ContentLength < 0 || r.ContentLength > firstBytes {
		first := bufio.NewReaderSize(r.Body, firstBytes)
		_, _ = first.Peek(firstBytes) // an error comes again when it is read
		return body{first, r.Body}
	}
	whole := make([]byte, r.ContentLength)
	if n, err := io.ReadFull(r.Body, whole); err != nil {
		return body{io.MultiReader(bytes.NewReader(whole[:n]), failing{err}), r.Body}
	}
	return struct {
		*bytes.Reader // of a length that is known
		io.Closer
	}{bytes.NewReader(whole), r.Body}
}

// failing is what cannot be read.
type failing struct{ err error }

func (f failing) Read([]byte) (int, error) { return 0, f.err }

// inputError returns an error of what was sent as one of the sender.
func inputError(err error) error {
	if errors.Is(err, gzip.ErrHeader) || errors.Is(err, gzip.ErrChecksum) || errors.Is(err, io.ErrUnexpectedEOF) {
		return fmt.Errorf("%w: %w", track.ErrInvalid, err)
	}
	return err
}

// unpacked returns the body of a request, of limited size, without its compression.
func unpacked(w http.ResponseWriter, r *http.Request) (io.Reader, error) {
	switch encoding := r.Header.Get("Content-Encoding"); encoding {
	case "", "identity":
		return r.Body, nil
	case "gzip":
		z, err := gzip.NewReader(r.Body)
		if err != nil {
			return nil, fmt.Errorf("%w: the body is not gzip: %w", track.ErrInvalid, err)
		}
		return http.MaxBytesReader(w, z, maxUnpackedLines), nil
	default:
		return nil, fmt.Errorf("%w: Content-Encoding %q: use gzip, or none", track.ErrInvalid, encoding)
	}
}

// admitted refuses lines that are no facts, and those about what the token is not for.
func admitted(grant access.Grant, records iter.Seq2[lines.Record, error]) iter.Seq2[lines.Record, error] {
	return func(yield func(lines.Record, error) bool) {
		for record, err := range records {
			if err == nil && record.Err == nil {
				if problem := notAdmitted(grant, record); problem != nil {
					problem.Line = record.Line
					record = lines.Record{Line: record.Line, Err: problem}
				}
			}
			if !yield(record, err) {
				return
			}
		}
	}
}

// notAdmitted says why a record is refused; nil if it is not.
func notAdmitted(grant access.Grant, record lines.Record) *track.FieldError {
	field, name, may := "scenario", "", grant.MayNameScenario
	switch {
	case record.Withdrawal != nil || record.Lineage != nil || record.IsRecorded():
		return &track.FieldError{Field: "kind", Message: "a server takes facts alone: withdraw by the question, and merge lineages into the database"}
	case record.Sweep != nil && record.Sweep.Spec != "" && !grant.Allows(access.Spec):
		return &track.FieldError{Field: "spec", Message: fmt.Sprintf("the token %s does not allow to declare specs: it needs the scope %s", grant.Name, access.Spec)}
	case record.Sweep != nil:
		name = record.Sweep.Scenario
	case record.Annotation != nil:
		name = record.Annotation.Scenario
	case record.Execution != nil:
		field, name, may = "lineage", record.Execution.Lineage, grant.MayNameLineage
	default:
		name = record.Seed.Scenario
	}
	if !may(name) {
		return &track.FieldError{Field: field, Message: fmt.Sprintf("the token %s is not for %s", grant.Name, name)}
	}
	return nil
}

// LinesPath is where lines are sent to.
const LinesPath = apiPath + "lines"

// The paths of the spools of clients.
const (
	spoolPath      = apiPath + "spools/{ulid}"
	spoolLinesPath = spoolPath + "/lines"
)

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
	a, err := s.takeLines(w, r, &exchange.SpoolPart{ID: id, Sender: grantOf(r.Context()), From: from})
	if err != nil {
		return err
	}
	return writeValue(w, a)
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
