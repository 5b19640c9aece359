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

	"track"
	"track/access"
	"track/answer"
	"track/importer/lines"
	"track/tracker/exchange"
	"track/tracker/names"
)

// The limits of lines that are sent together.
const (
	maxLinesBody     = 16 << 20 // as they are sent
	maxUnpackedLines = 64 << 20
	listedProblems   = 50 // of the lines of a request, with their reasons
)

// recordLines records the lines of a request: seeds, executions, sweeps without a spec, notes and tags. What the answer
// counts is on the disk. Sent again, lines are duplicates. Requests with few lines share a transaction with others that
// come at the same time.
func (s *Server) recordLines(w http.ResponseWriter, r *http.Request) error {
	r.Body = begun(r)
	body, err := unpacked(w, r)
	if err != nil {
		return err
	}
	leave, err := s.recording.enter(r.Context())
	if err != nil {
		return err
	}
	defer leave()
	_, release, err := s.database.use(r.Context())
	if err != nil {
		return err
	}
	defer release()
	grant := grantOf(r.Context())
	a := answer.NewRecordedLines("")
	entries := admitted(grant, lines.ReadSent(body, s.blobs.reader(grant.Name)))
	summary, err := s.database.group.RecordAll(r.Context(), names.New(names.Warn), entries, exchange.BatchObserver{
		Problem: func(p exchange.BatchProblem) {
			if len(a.Errors) < listedProblems {
				a.AddProblem(p.LineProblem)
			} else {
				a.OmitProblem(p.Line)
			}
		},
	}, s.queue.enter)
	if summary.AddTo(&a); a.Recorded+a.Replaced > 0 {
		s.logChange(r.Context(), "lines", "recorded", a.Recorded, "replaced", a.Replaced, "rejected", a.Rejected, "conflicts", a.Conflicts)
	}
	if err != nil {
		return inputError(err)
	}
	return writeAnswer(w, r, a, jsonForm())
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
