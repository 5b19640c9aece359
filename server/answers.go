package server

import (
	"bytes"
	"compress/gzip"
	"context"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"fmt"
	"mime"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"track"
	"track/answer"
	"track/ask"
	"track/reports/render"
)

// answer asks a question and writes the answer in the format that the client accepts.
func (s *Server) answer(w http.ResponseWriter, r *http.Request, q ask.Question) error {
	forms := formsOf(q)
	form, ok := chooseForm(r.Header.Get("Accept"), forms)
	if !ok {
		refuse(w, http.StatusNotAcceptable, fmt.Errorf("%w: this answer is %s", track.ErrInvalid, strings.Join(mediaTypes(forms), ", ")))
		return nil
	}
	params, err := paramsOf(r)
	if err != nil {
		return err
	}
	grant := grantOf(r.Context())
	if err := checkNames(grant, q, q.Names(params)); err != nil {
		return err
	}
	st, release, err := s.database.use(r.Context())
	if err != nil {
		return err
	}
	defer release()
	w.Header().Set("Vary", "Accept, Authorization, Accept-Encoding")
	if s.notModified(w, r, q.IsPosted() || q.Live || params.Has("since"), form.media, q.Name, params.Encode()) {
		return nil
	}
	if q.Pages != nil {
		return s.sendPages(w, r, q, st, form, params)
	}
	text, err := s.compute(r, q, ask.Source{Store: st, Actor: grant.Name}, form, params)
	if err == nil {
		text.write(w)
	}
	return err
}

// compute computes an answer when it is its turn.
func (s *Server) compute(r *http.Request, q ask.Question, from ask.Source, form form, params url.Values) (written, error) {
	if q.Long {
		select {
		case s.long <- struct{}{}:
			defer func() { <-s.long }()
		default:
			return written{}, errBusy
		}
	}
	leave, err := s.queue.enter(r.Context())
	if err != nil {
		return written{}, err
	}
	defer leave()
	if form.format == "" {
		text, err := mediaText(r, q, from, form, params)
		return text.compressedFor(r, gzip.BestSpeed), err
	}
	a, err := q.Ask(r.Context(), from, params)
	if err != nil {
		return written{}, err
	}
	if tries, _ := strconv.ParseBool(params.Get("dry-run")); q.Writes && !tries {
		about := []any{"names", textsOf(q.Names(params))}
		if strings.HasPrefix(q.Name, "token ") {
			about = []any{"token", params.Get("name")}
		}
		s.logChange(r.Context(), q.Name, about...)
	}
	text, err := answerText(r, a, form)
	if q.Writes { // it can hold a new token, of which the compressed length would tell
		return text, err
	}
	return text.compressedFor(r, gzip.BestSpeed), err
}

// written is an answer as it is sent.
type written struct {
	header [][2]string
	body   []byte
}

func (a written) write(w http.ResponseWriter) {
	for _, field := range a.header {
		w.Header().Set(field[0], field[1])
	}
	w.Header().Set("Content-Length", strconv.Itoa(len(a.body)))
	_, _ = w.Write(a.body) // the client has gone
}

// compressedFor returns the answer, compressed with gzip at a level if the client reads that and if it gains by that.
func (a written) compressedFor(r *http.Request, level int) written {
	if !acceptsGzip(r) {
		return a
	}
	packed, ok := compressed(a.body, level)
	if !ok {
		return a
	}
	return written{append(a.header, [2]string{"Content-Encoding", "gzip"}), packed}
}

// mediaText returns a document or a picture that answers a question.
func mediaText(r *http.Request, q ask.Question, from ask.Source, form form, params url.Values) (written, error) {
	var body bytes.Buffer
	err := q.WriteAs(r.Context(), from, params, form.media, &body)
	return written{[][2]string{{"Content-Security-Policy", styledPolicy}, {"Content-Type", form.contentType()}}, body.Bytes()}, err
}

// styledPolicy lets a browser show a document or a picture with the styles in it, and run or load nothing.
const styledPolicy = "default-src 'none'; style-src 'unsafe-inline'; img-src data:; frame-ancestors 'none'; sandbox"

func writeAnswer(w http.ResponseWriter, r *http.Request, a answer.Answer, form form) error {
	text, err := answerText(r, a, form)
	if err == nil {
		text.write(w)
	}
	return err
}

func answerText(r *http.Request, a answer.Answer, form form) (written, error) {
	var body bytes.Buffer
	write := func() error { return render.Write(&body, a, renderOptions(r, form)) }
	if form.format == render.JSON { // without indentation, which would go into the JSON that an answer holds as such
		write = func() error { return render.WriteJSON(&body, a) }
	}
	if err := write(); err != nil {
		return written{}, err
	}
	header := [][2]string{{"Track-Conclusion", string(answer.ConclusionOf(a))}, {"Content-Type", form.contentType()}}
	if l, ok := a.(answer.LimitedAnswer); ok && l.Limited() != nil {
		header = append(header, [2]string{limitedHeader, l.Limited().Text})
	}
	if list, ok := a.(answer.Listing); ok && list.NextPage() != "" {
		next := r.URL.Query()
		next.Set("after", list.NextPage())
		header = append(header, [2]string{"Link", fmt.Sprintf(`<?%s>; rel="next"`, next.Encode())})
	}
	return written{header, body.Bytes()}, nil
}

// limitedHeader says that an answer has fewer rows than there are: a trailer of one that is sent in pages.
const limitedHeader = "Track-Limited"

type spreadsheetKey struct{}

// forSpreadsheets marks an answer as a download of a person, who opens CSV in a program that calculates.
func forSpreadsheets(ctx context.Context) context.Context {
	return context.WithValue(ctx, spreadsheetKey{}, true)
}

func renderOptions(r *http.Request, form form) render.Options {
	return render.Options{Format: form.format, SafeCSV: r.Context().Value(spreadsheetKey{}) != nil}
}

// form is a media type that an answer has.
type form struct {
	media  string
	format render.Format // empty for a document or a picture
}

// jsonForm is the form of an answer that programs read.
func jsonForm() form { return form{"application/json", render.JSON} }

func (f form) contentType() string {
	if strings.HasPrefix(f.media, "text/") {
		return f.media + "; charset=utf-8"
	}
	return f.media
}

// formsOf returns the forms of the answer of a question, the preferred one first.
func formsOf(q ask.Question) (list []form) {
	if q.Ask != nil {
		list = []form{
			jsonForm(), {"application/x-ndjson", render.JSONL}, {"text/csv", render.CSV}, {"text/markdown", render.Markdown}, {"text/plain", render.Table},
		}
	}
	for _, media := range q.Media {
		list = append(list, form{media: media})
	}
	return list
}

func mediaTypes(forms []form) (list []string) {
	for _, f := range forms {
		list = append(list, f.media)
	}
	return list
}

// chooseForm returns the first form that a client accepts, in the order of its header; weights are not compared.
func chooseForm(accept string, forms []form) (form, bool) {
	if accept == "" {
		return forms[0], true
	}
	for part := range strings.SplitSeq(accept, ",") {
		media, params, err := mime.ParseMediaType(part)
		if err != nil || params["q"] == "0" {
			continue
		}
		for _, f := range forms {
			if major, all := strings.CutSuffix(media, "*"); media == f.media || all && (major == "*/" || strings.HasPrefix(f.media, major)) {
				return f, true
			}
		}
	}
	return form{}, false
}

// paramsOf returns the parameters of a question: those of the address for GET; of the body, a form or a JSON object,
// for POST.
func paramsOf(r *http.Request) (url.Values, error) {
	query, err := url.ParseQuery(r.URL.RawQuery)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", track.ErrInvalid, err)
	}
	if r.Method == http.MethodGet {
		return query, nil
	}
	if len(query) > 0 {
		return nil, fmt.Errorf("%w: parameters of a request that changes something stand in its body", track.ErrInvalid)
	}
	media, _, err := mime.ParseMediaType(r.Header.Get("Content-Type"))
	switch {
	case err == nil && media == "application/json":
		return jsonParams(r)
	case err == nil && media == "application/x-www-form-urlencoded":
		var body bytes.Buffer
		if _, err := body.ReadFrom(r.Body); err != nil {
			return nil, err
		}
		if query, err = url.ParseQuery(body.String()); err != nil {
			return nil, fmt.Errorf("%w: %w", track.ErrInvalid, err)
		}
		return query, nil
	}
	return nil, fmt.Errorf("%w: the body is application/json or application/x-www-form-urlencoded, as its Content-Type says", track.ErrInvalid)
}

// jsonParams reads parameters from a JSON object: of texts, numbers and booleans, and lists of them.
func jsonParams(r *http.Request) (url.Values, error) {
	var object map[string]jsontext.Value
	if err := json.UnmarshalRead(r.Body, &object); err != nil {
		var tooLarge *http.MaxBytesError
		if errors.As(err, &tooLarge) {
			return nil, tooLarge
		}
		return nil, fmt.Errorf("%w: the body is no JSON object: %w", track.ErrInvalid, err)
	}
	params := url.Values{}
	for name, value := range object {
		values := []jsontext.Value{value}
		if value.Kind() == '[' {
			if err := json.Unmarshal(value, &values); err != nil {
				return nil, err
			}
		}
		for _, v := range values {
			text, err := paramText(v)
			if err != nil {
				return nil, fmt.Errorf("%w: %s: %w", track.ErrInvalid, name, err)
			}
			params.Add(name, text)
		}
	}
	return params, nil
}

func paramText(v jsontext.Value) (text string, err error) {
	switch v.Kind() {
	case '"':
		err = json.Unmarshal(v, &text)
		return text, err
	case '0', 't', 'f':
		return string(v), nil
	}
	return "", fmt.Errorf("%s is not a text, a number or a boolean", v)
}

// notModified tells a client that it has the newest answer, and reports whether it did. The header has the tag of the
// answer in any case, unless the answer depends on more than the database. The tag differs after each commit, each
// start of the server, with another version of the program, another token, and what else the answer is about. It is
// made before the answer, so an answer can be newer than its tag, never older.
func (s *Server) notModified(w http.ResponseWriter, r *http.Request, isLive bool, about ...string) bool {
	state := s.state(r)
	if isLive || state == "" {
		return false
	}
	sum := sha256.Sum256(fmt.Appendf(nil, "%s %q", state, []any{
		s.epoch, s.config.Version, acceptsGzip(r), r.Context().Value(spreadsheetKey{}), about,
	}))
	tag := `"` + base64.RawURLEncoding.EncodeToString(sum[:16]) + `"`
	w.Header().Set("ETag", tag)
	w.Header().Set("Cache-Control", "private, no-cache")
	if slices.Contains(strings.FieldsFunc(r.Header.Get("If-None-Match"), isBetweenTags), tag) {
		w.WriteHeader(http.StatusNotModified)
		return true
	}
	return false
}

// state names the state of the database for whoever asks; empty if that is not known.
func (s *Server) state(r *http.Request) string {
	cursor, err := s.database.changes.Cursor(r.Context())
	if err != nil {
		return ""
	}
	grant := grantOf(r.Context())
	return fmt.Sprintf("%d %q", cursor, []any{grant.Name, grant.Scopes, grant.Scenarios, grant.Lineages})
}

func isBetweenTags(c rune) bool { return c == ',' || c == ' ' }

// writtenPage returns a page as it is sent: well compressed, as it is sent again and again.
func writtenPage(r *http.Request, page []byte) written {
	return written{[][2]string{{"Content-Type", pageType}}, page}.compressedFor(r, gzip.DefaultCompression)
}

// onePacket is the number of bytes that fit into one packet: compressing fewer gains nothing.
const onePacket = 1400

// writeCompressed writes a body, compressed if the client reads that. It is for bodies without secrets: with one next
// to a text of somebody else, the compressed length tells of the secret.
func writeCompressed(w http.ResponseWriter, r *http.Request, status int, body []byte) {
	w.Header().Set("Vary", "Accept-Encoding")
	if acceptsGzip(r) {
		if packed, ok := compressed(body, gzip.DefaultCompression); ok {
			w.Header().Set("Content-Encoding", "gzip")
			body = packed
		}
	}
	w.Header().Set("Content-Length", strconv.Itoa(len(body)))
	w.WriteHeader(status)
	_, _ = w.Write(body) // the reader has gone
}

// compressed returns a body compressed with gzip at a level, and false if that gains nothing.
func compressed(body []byte, level int) ([]byte, bool) {
	if len(body) <= onePacket {
		return nil, false
	}
	var packed bytes.Buffer
	z, err := gzip.NewWriterLevel(&packed, level)
	if err != nil {
		return nil, false
	}
	if _, err := z.Write(body); err != nil {
		return nil, false
	}
	if err := z.Close(); err != nil || packed.Len() >= len(body) {
		return nil, false
	}
	return packed.Bytes(), true
}

// acceptsGzip reports whether a client reads gzip; it may say so with a weight.
func acceptsGzip(r *http.Request) bool {
	for part := range strings.SplitSeq(r.Header.Get("Accept-Encoding"), ",") {
		name, weight, _ := strings.Cut(strings.ReplaceAll(part, " ", ""), ";")
		if strings.EqualFold(name, "gzip") {
			return weight != "q=0"
		}
	}
	return false
}

// mostKept is how many large answers are kept for pages. Each can have some 10 MB.
const mostKept = 4

// keeper keeps the large answers that pages asked for last, until the database changes.
type keeper struct {
	mu   sync.Mutex
	list []keptAnswer // the one used last at the end
}

type keptAnswer struct {
	state, key string
	answer     answer.Answer
}

func (k *keeper) get(state, key string) (answer.Answer, bool) {
	k.mu.Lock()
	defer k.mu.Unlock()
	i := slices.IndexFunc(k.list, func(a keptAnswer) bool { return a.state == state && a.key == key })
	if i < 0 {
		return nil, false
	}
	found := k.list[i]
	k.list = append(slices.Delete(k.list, i, i+1), found)
	return found.answer, true
}

func (k *keeper) put(a keptAnswer) {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.list = slices.DeleteFunc(k.list, func(old keptAnswer) bool { return old.key == a.key })
	if len(k.list) == mostKept {
		k.list = slices.Delete(k.list, 0, 1)
	}
	k.list = append(k.list, a)
}

// pageKeeper is what one request sees of the answers that are kept. The state is read before the answer, so an answer
// can be newer than its state, never older.
type pageKeeper struct {
	kept  *keeper
	state string // of the database, for whoever asks; empty if nothing can be kept
}

func (k pageKeeper) Kept(key string) (answer.Answer, bool) {
	if k.state == "" {
		return nil, false
	}
	return k.kept.get(k.state, key)
}

func (k pageKeeper) Keep(key string, a answer.Answer) {
	if k.state != "" {
		k.kept.put(keptAnswer{k.state, key, a})
	}
}
