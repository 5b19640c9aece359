package importer

import (
	"bufio"
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"track/internal/gunzip"
	"track/internal/jsonio"
)

// Scanner takes one value after the other out of a JSON text that is too large for memory. It knows where values end,
// and nothing else of JSON: whether they are any is for whoever decodes them.
type Scanner struct {
	r       *bufio.Reader
	Line    int   // of what is read next, from 1
	offset  int64 // of what is read next, in bytes
	damaged int64 // offset of the damage that was found last
}

// NewScanner returns a scanner of r.
func NewScanner(r *bufio.Reader) *Scanner { return &Scanner{r: r, Line: 1} }

var errTooLong = errors.New("longer than 64 MiB")

// chunk returns some of the bytes that are next, at least one.
func (s *Scanner) chunk() ([]byte, error) {
	if _, err := s.r.Peek(1); err != nil {
		return nil, err
	}
	return s.r.Peek(s.r.Buffered())
}

// advance goes on behind the next n bytes of a chunk.
func (s *Scanner) advance(chunk []byte, n int) {
	s.Line += bytes.Count(chunk[:n], []byte("\n"))
	s.offset += int64(n)
	_, _ = s.r.Discard(n) // they are buffered
}

// Damage makes the item of the damage that [Scanner.Elements] tells skip of. Its offset tells it from damage that is on
// the same line.
func (s *Scanner) Damage(line int, reason string) Item {
	item := Skipf(line, "%s", reason)
	item.Skip.Offset = s.damaged
	return item
}

// Next returns the next byte that is no white space, without going behind it.
func (s *Scanner) Next() (byte, error) {
	for {
		chunk, err := s.chunk()
		if err != nil {
			return 0, err
		}
		i := 0
		for i < len(chunk) && (chunk[i] == ' ' || chunk[i] == '\n' || chunk[i] == '\r' || chunk[i] == '\t') {
			i++
		}
		if i < len(chunk) {
			c := chunk[i]
			s.advance(chunk, i)
			return c, nil
		}
		s.advance(chunk, i)
	}
}

// Take goes behind the next byte that is no white space if it is c, and says whether it was.
func (s *Scanner) Take(c byte) (bool, error) {
	next, err := s.Next()
	if err != nil || next != c {
		return false, err
	}
	chunk, err := s.chunk()
	if err == nil {
		s.advance(chunk, 1)
	}
	return true, err
}

// Value returns the value that begins with the next byte that is no white space, and the line where it does. Unless
// keep is set, it goes behind it and returns nothing, as of a value that is too long.
func (s *Scanner) Value(keep bool) (raw []byte, line int, err error) {
	if _, err := s.Next(); err != nil {
		return nil, s.Line, err
	}
	line = s.Line
	state, isTooLong := valueState{}, false
	for {
		chunk, err := s.chunk()
		if errors.Is(err, io.EOF) {
			if state.literal {
				return raw, line, nil
			}
			return raw, line, io.ErrUnexpectedEOF
		}
		if err != nil {
			return raw, line, err
		}
		n, done := state.scan(chunk)
		if isTooLong = isTooLong || keep && len(raw)+n > LongestRecord; isTooLong {
			raw = nil
		} else if keep {
			raw = append(raw, chunk[:n]...)
		}
		s.advance(chunk, n)
		switch {
		case done && isTooLong:
			return nil, line, errTooLong
		case done:
			return raw, line, nil
		}
	}
}

// valueState is where in a value a scanner is.
type valueState struct {
	depth                      int
	inString, escaped, literal bool
}

// scan returns how many bytes of the chunk belong to the value, and whether it ends with them.
func (v *valueState) scan(chunk []byte) (n int, done bool) {
	for i := 0; i < len(chunk); i++ {
		c := chunk[i]
		switch {
		case v.escaped:
			v.escaped = false
		case v.inString:
			skip := bytes.IndexAny(chunk[i:], `"\`)
			if skip < 0 {
				return len(chunk), false
			}
			i += skip
			v.escaped = chunk[i] == '\\'
			v.inString = v.escaped
			if !v.inString && v.depth == 0 {
				return i + 1, true
			}
		case v.literal:
			if c <= ' ' || c == ',' || c == ']' || c == '}' || c == ':' {
				return i, true
			}
		case c == '"':
			v.inString = true
		case c == '{' || c == '[':
			v.depth++
		case c == '}' || c == ']':
			if v.depth--; v.depth <= 0 {
				return i + 1, true
			}
		case v.depth == 0:
			v.literal = true
		}
	}
	return len(chunk), false
}

// Elements calls use for each element of an array, of which the scanner is behind the bracket; each must be an object.
// If one is damaged, it calls skip with the line and the reason, and continues with the next. Where no element begins
// it returns [ErrNoObject], since nothing is certain behind it. It ends behind the array's closing bracket, with an
// error of reading, or where use or skip return false.
func (s *Scanner) Elements(use func(raw []byte, line int) (ok bool, err error), skip func(line int, reason string) bool) error {
	for {
		next, err := s.Next()
		if errors.Is(err, io.EOF) {
			s.damaged = 0 // it is cut off elsewhere when it has grown
			skip(s.Line, "the array is cut off")
			return nil
		}
		if err != nil {
			return err
		}
		switch next {
		case ',':
			_, err = s.Take(',')
		case ']':
			_, err = s.Take(']')
			return err
		case '{':
			begin := s.offset
			raw, line, problem := s.Value(true)
			ok := true
			switch {
			case errors.Is(problem, io.ErrUnexpectedEOF):
				problem = errors.New("cut off")
			case problem != nil && !errors.Is(problem, errTooLong):
				return problem
			case problem == nil:
				ok, problem = use(raw, line)
			}
			if problem != nil {
				s.damaged = begin
				ok = skip(line, Reason(problem))
			}
			if !ok {
				return nil
			}
		default:
			s.damaged = s.offset
			return ErrNoObject
		}
		if err != nil {
			return err
		}
	}
}

// lenient reads logs, which are other programs' to get right: invalid UTF-8 becomes U+FFFD, the last of two members
// counts.
var lenient = json.JoinOptions(jsontext.AllowInvalidUTF8(true), jsontext.AllowDuplicateNames(true))

// Unmarshal reads a JSON value of a log leniently. A number that JSON does not have, such as NaN, is null: it costs
// that value, and no other.
func Unmarshal(text []byte, into any) error {
	err := json.Unmarshal(text, into, lenient)
	if err == nil {
		return nil
	}
	text, found := jsonio.NullNonFiniteIn(text)
	if found {
		err = json.Unmarshal(text, into, lenient)
	}
	const most = 100 // such values in strings
	var semantic *json.SemanticError
	for range most {
		if !errors.As(err, &semantic) {
			break
		}
		if text, found = nullWord(text, semantic.JSONPointer); !found {
			break
		}
		err = json.Unmarshal(text, into, lenient)
	}
	return err
}

// nullWord puts null in the place of a string at a pointer that is a number which JSON does not have.
func nullWord(text []byte, at jsontext.Pointer) (changed []byte, found bool) {
	decoder := jsontext.NewDecoder(bytes.NewReader(text), lenient)
	for {
		token, err := decoder.ReadToken()
		if err != nil {
			return text, false
		}
		if token.Kind() != '"' || decoder.StackPointer() != at || !jsonio.IsNonFinite(token.String()) {
			continue
		}
		end := decoder.InputOffset()
		begin := int64(bytes.LastIndexByte(text[:end-1], '"'))
		return slices.Concat(text[:begin], []byte("null"), text[end:]), true
	}
}

// Canonical returns a JSON value in one form for all ways to write it: members sorted, no white space, numbers with
// all their digits. Of what is not JSON it returns the text.
func Canonical(value jsontext.Value) string {
	canonical := value.Clone()
	if err := canonical.Canonicalize(jsontext.CanonicalizeRawInts(false), lenient); err != nil {
		return strings.ToValidUTF8(string(value), "\uFFFD")
	}
	return string(canonical)
}

// CanonicalText is [Canonical] of JSON that stands in a string.
func CanonicalText(text string) string { return Canonical(jsontext.Value(text)) }

// LeftOut stands for a text that is too long to be kept. It is no digest: what is left out was not masked.
func LeftOut(text string) string { return "[" + strconv.Itoa(len(text)) + " bytes left out]" }

// Digest stands for an identity that is too long for a name: different identities have different digests.
func Digest(text string) string {
	sum := sha256.Sum256([]byte(text))
	return "sha256:" + hex.EncodeToString(sum[:])
}

// Shape identifies a JSON value without what its strings say: a digest of its structure, its numbers and the lengths of
// its strings. Nobody can guess a secret from it, and it does not depend on what is masked.
func Shape(value []byte) string {
	hash := sha256.New()
	decoder := jsontext.NewDecoder(bytes.NewReader(value), lenient)
	for {
		token, err := decoder.ReadToken()
		if err != nil { // the end; of a damaged value, the beginning counts
			return hex.EncodeToString(hash.Sum(nil))[:16]
		}
		text := token.String()
		if token.Kind() == '"' {
			text = strconv.Itoa(len(text))
		}
		hash.Write(append([]byte(text), 0))
	}
}

// String returns the text of a JSON string, and of any other value nothing.
func String(value jsontext.Value) string {
	if value.Kind() != '"' {
		return ""
	}
	text, err := jsontext.AppendUnquote(nil, value)
	if err != nil { // invalid UTF-8, which it replaces
		return strings.ToValidUTF8(string(text), "\uFFFD")
	}
	return string(text)
}

// Time reads a time of RFC 3339; of anything else, and of a year beyond 1970 to 9999, it returns the zero time.
func Time(text string) time.Time {
	t, err := time.Parse(time.RFC3339Nano, text)
	if err != nil || t.Year() < 1970 || t.Year() > 9999 {
		return time.Time{}
	}
	return t.UTC()
}

// TimeOrUTC is [Time], and reads a time without a zone as UTC.
func TimeOrUTC(text string) time.Time {
	for _, layout := range []string{"2006-01-02T15:04:05.999999999", "2006-01-02 15:04:05.999999999"} {
		if t, err := time.Parse(layout, text); err == nil {
			return Time(t.Format(time.RFC3339Nano))
		}
	}
	return Time(text)
}

// UnixSeconds returns the time so many seconds after 1970, to the microsecond; of a year beyond 9999 the zero time.
func UnixSeconds(s float64) time.Time {
	const longest = 250_000_000_000 // seconds, beyond the year 9890
	if !(s > 0 && s < longest) {
		return time.Time{}
	}
	return time.UnixMicro(int64(math.Round(s * 1e6))).UTC()
}

// Seconds returns a duration, in the microseconds of the store; nil of what cannot be one.
func Seconds(s float64) *time.Duration {
	const longest = 100 * 365 * 24 * 3600
	if !(s >= 0 && s <= longest) {
		return nil
	}
	d := time.Duration(math.Round(s*1e6)) * time.Microsecond
	return &d
}

// Between returns the time from start to end; nil where one is unknown or the clock went backwards.
func Between(start, end time.Time) *time.Duration {
	if start.IsZero() || end.IsZero() || end.Before(start) {
		return nil
	}
	d := end.Sub(start)
	return &d
}

// Reason puts an error into a few words of a Skip.
func Reason(err error) string {
	var syntactic *jsontext.SyntacticError
	if errors.As(err, &syntactic) {
		return "not JSON: " + strings.TrimPrefix(syntactic.Err.Error(), "jsontext: ")
	}
	var semantic *json.SemanticError
	if errors.As(err, &semantic) {
		if at := strings.ReplaceAll(strings.TrimPrefix(string(semantic.JSONPointer), "/"), "/", "."); at != "" {
			return abbreviate(at, 100) + " is not what this format has there"
		}
		return "a line of this format holds something else"
	}
	return err.Error()
}

const headSize = 64 << 10 // what Detect gets to see

// Decompress returns r, decompressed where it is gzip.
func Decompress(r io.Reader) (*bufio.Reader, error) {
	reader := bufio.NewReaderSize(r, 1<<20)
	if !gunzip.IsGzip(reader) {
		return reader, nil
	}
	unzipped, err := gunzip.NewReader(reader)
	if err != nil {
		return nil, err
	}
	return bufio.NewReaderSize(unzipped, 1<<20), nil
}

// Open decompresses r where it is gzip, and refuses what is clearly of another format than the one that is named.
func Open(format, file string, r io.Reader) (*bufio.Reader, error) {
	reader, err := Decompress(r)
	if err != nil {
		return nil, fmt.Errorf("read %s: %w", file, err)
	}
	head, _ := reader.Peek(headSize) // an error comes again with the first read
	if err := Refuse(format, file, head); err != nil {
		return nil, err
	}
	return reader, nil
}
