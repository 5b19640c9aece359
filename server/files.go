package server

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"mime"
	"mime/multipart"
	"net/http"
	"net/textproto"
	"net/url"
	"path"
	"strconv"
	"time"

	"track"
	"track/answer"
	"track/ask"
	"track/tracker/seeds"
)

// The limits of answers that are files.
const (
	fileBuffer = 64 << 10
	fileTime   = 30 * time.Second // for a client to read so much
)

// sendFiles answers a question with files, as they are made: the only one as it is, or as many as there are in parts.
// The last part is the answer, or an error. So a client that reads parts knows whether it has everything, whatever
// stands between it and the server.
func (s *Server) sendFiles(w http.ResponseWriter, r *http.Request, q ask.Question) error {
	form, ok := chooseForm(r.Header.Get("Accept"), formsOf(q))
	params, err := paramsOf(r)
	if err != nil {
		return err
	}
	if err := checkNames(grantOf(r.Context()), q, q.Names(params)); err != nil {
		return err
	}
	if !ok || form.media != ask.Multipart && q.Several(params) {
		refuse(w, http.StatusNotAcceptable, fmt.Errorf("%w: accept %s: this answer can be several files", track.ErrInvalid, ask.Multipart))
		return nil
	}
	sender := newFileSender(w, form.media == ask.Multipart)
	if q.Small {
		return sender.end(s, r, s.sendSmall(r, q, params, sender))
	}
	select {
	case s.exports <- struct{}{}:
		defer func() { <-s.exports }()
	default:
		return errBusy
	}
	return sender.end(s, r, s.writeFiles(r, q, params, sender))
}

// writeFiles asks a store of its own: nobody waits for this one to be closed.
func (s *Server) writeFiles(r *http.Request, q ask.Question, params url.Values, sender *fileSender) (err error) {
	st, err := s.config.Open(r.Context())
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, st.Close()) }()
	a, err := q.WriteFiles(r.Context(), ask.Source{Store: st}, params, sender.create)
	if err != nil {
		return err
	}
	return sender.answer(a)
}

// sendSmall sends files once all of them are made, so that nobody waits for the client.
func (s *Server) sendSmall(r *http.Request, q ask.Question, params url.Values, sender *fileSender) error {
	held, a, err := s.makeSmall(r, q, params)
	if err != nil {
		return err
	}
	for _, f := range held {
		out, err := sender.create(f.name)
		if err == nil {
			_, err = f.data.WriteTo(out)
		}
		if err != nil {
			return err
		}
	}
	return sender.answer(a)
}

// heldFile is a file in memory.
type heldFile struct {
	name string
	data *bytes.Buffer
}

// makeSmall makes files when it is their turn.
func (s *Server) makeSmall(r *http.Request, q ask.Question, params url.Values) (held []heldFile, a answer.Answer, err error) {
	st, release, err := s.database.use(r.Context())
	if err != nil {
		return nil, nil, err
	}
	defer release()
	leave, err := s.queue.enter(r.Context())
	if err != nil {
		return nil, nil, err
	}
	defer leave()
	a, err = q.WriteFiles(r.Context(), ask.Source{Store: st}, params, func(name string) (io.Writer, error) {
		held = append(held, heldFile{name, &bytes.Buffer{}})
		return held[len(held)-1].data, nil
	})
	return held, a, err
}

// fileSender sends files one after the other.
type fileSender struct {
	w     http.ResponseWriter
	out   *bufio.Writer     // to the client, which gets nothing before it is full
	parts *multipart.Writer // nil for a file alone
	sent  bool              // something
}

func newFileSender(w http.ResponseWriter, inParts bool) *fileSender {
	f := &fileSender{w: w}
	f.out = bufio.NewWriterSize(deadlined{f}, fileBuffer)
	if inParts {
		f.parts = multipart.NewWriter(f.out)
	}
	return f
}

// deadlined writes what a client has to read soon.
type deadlined struct{ *fileSender }

func (d deadlined) Write(data []byte) (int, error) {
	if !d.sent && d.parts != nil {
		d.w.Header().Set("Content-Type", mime.FormatMediaType(ask.Multipart, map[string]string{"boundary": d.parts.Boundary()}))
	}
	d.sent = true
	if err := http.NewResponseController(d.w).SetWriteDeadline(time.Now().Add(fileTime)); err != nil {
		return 0, err
	}
	return d.w.Write(data)
}

// create is an [ask.Create].
func (f *fileSender) create(name string) (io.Writer, error) {
	named := mime.FormatMediaType("attachment", map[string]string{"filename": name})
	if f.parts != nil {
		return f.parts.CreatePart(textproto.MIMEHeader{"Content-Type": {ask.Binary}, "Content-Disposition": {named}})
	}
	header := f.w.Header()
	header.Set("Content-Type", ask.Binary)
	header.Set("Content-Disposition", mime.FormatMediaType("attachment", map[string]string{"filename": path.Base(name)}))
	return f.out, nil
}

// answer sends what is said of the files as the last part; nothing after a file alone.
func (f *fileSender) answer(a answer.Answer) error {
	if f.parts == nil {
		return nil
	}
	out, err := f.parts.CreatePart(textproto.MIMEHeader{"Content-Type": {"application/json"}})
	if err != nil {
		return err
	}
	return answer.Encode(out, a)
}

// end sends the rest, or why there is none. A client that has a part of a file alone loses its connection.
func (f *fileSender) end(s *Server, r *http.Request, err error) error {
	switch {
	case err != nil && !f.sent:
		f.w.Header().Del("Content-Disposition")
		return err
	case err != nil && f.parts == nil:
		s.config.Log.ErrorContext(r.Context(), "cut off a file", "error", err)
		panic(http.ErrAbortHandler)
	case err != nil:
		f.sendProblem(s, r, err)
	}
	if f.parts != nil {
		_ = f.parts.Close() // the client has gone
	}
	_ = f.out.Flush()
	return nil
}

// sendProblem sends an error as the last part.
func (f *fileSender) sendProblem(s *Server, r *http.Request, err error) {
	p := answer.ProblemOf(err)
	if p.Kind == answer.Internal {
		s.config.Log.ErrorContext(r.Context(), "cannot answer", "error", err)
	}
	out, err := f.parts.CreatePart(textproto.MIMEHeader{"Content-Type": {problemType}})
	if err == nil {
		_ = answer.Encode(out, problemOf(statusOf(p.Kind), p)) // the client has gone
	}
}

const artifactPath = apiPath + "artifact/content"

// sendArtifact sends the content of a file of a seed. A browser saves it, and shows or runs nothing of it: whoever
// recorded the seed chose what is in it.
func (s *Server) sendArtifact(w http.ResponseWriter, r *http.Request) error {
	query := r.URL.Query()
	of, err := answer.ParseSelector(query.Get("scenario"))
	if err != nil {
		return fmt.Errorf("%w: scenario: %w", track.ErrInvalid, err)
	}
	number, err := track.ParseSeedNumber(query.Get("seed"))
	if err != nil {
		return fmt.Errorf("%w: seed: %w", track.ErrInvalid, err)
	}
	name := query.Get("name")
	if err := track.CheckArtifactName(name); err != nil {
		return fmt.Errorf("%w: name: %w", track.ErrInvalid, err)
	}
	if grant := grantOf(r.Context()); !grant.MayNameScenario(of.Scenario) {
		return forbidden(fmt.Sprintf("the token %s is not for %s", grant.Name, of.Scenario))
	}
	leave, err := s.queue.enter(r.Context())
	if err != nil {
		return err
	}
	defer leave()
	st, release, err := s.database.use(r.Context())
	if err != nil {
		return err
	}
	defer release()
	_, files, err := seeds.ArtifactFiles(r.Context(), st.Reader, of, number, name)
	if err != nil {
		return err
	}
	header := w.Header()
	header.Set("Content-Type", "application/octet-stream")
	header.Set("Content-Disposition", mime.FormatMediaType("attachment", map[string]string{"filename": path.Base(name)}))
	header.Set("Content-Length", strconv.Itoa(len(files[0].Content)))
	_, _ = w.Write([]byte(files[0].Content)) // the client has gone
	return nil
}
