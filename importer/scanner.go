package importer

import (
	"bufio"
	"bytes"
	"errors"
	"io"
	"regexp"
)

// Scanner takes one value after the other out of a JSON text that is too large for memory. It knows where values end,
// and nothing else of JSON: whether they are any is for whoever decodes them.
type Scanner struct {
	r       *bufio.Reader
	pending []byte // read already, and to be read again before r
	Line    int    // of what is read next, from 1
	offset  int64  // of what is read next, in bytes
	damaged int64  // offset of the damage that was found last
	lost    bool   // an element was damaged, so that brackets say nothing until one is whole
}

// NewScanner returns a scanner of r.
func NewScanner(r *bufio.Reader) *Scanner { return &Scanner{r: r, Line: 1} }

var errTooLong = errors.New("longer than 64 MiB")

// chunk returns some of the bytes that are next, at least one.
func (s *Scanner) chunk() ([]byte, error) {
	if len(s.pending) > 0 {
		return s.pending, nil
	}
	if _, err := s.r.Peek(1); err != nil {
		return nil, err
	}
	return s.r.Peek(s.r.Buffered())
}

// advance goes on behind the next n bytes of a chunk.
func (s *Scanner) advance(chunk []byte, n int) {
	s.Line += bytes.Count(chunk[:n], []byte("\n"))
	s.offset += int64(n)
	if len(s.pending) > 0 {
		s.pending = s.pending[n:]
		return
	}
	_, _ = s.r.Discard(n) // they are buffered
}

// back lets bytes that were read be read again.
func (s *Scanner) back(text []byte) {
	s.Line -= bytes.Count(text, []byte("\n"))
	s.offset -= int64(len(text))
	s.pending = append(bytes.Clone(text), s.pending...)
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
// keep is set, it goes behind it and returns nothing. A kept value that is too long is cut, and said to be so.
func (s *Scanner) Value(keep bool) (raw []byte, line int, err error) {
	if _, err := s.Next(); err != nil {
		return nil, s.Line, err
	}
	line = s.Line
	state := valueState{}
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
		if keep && len(raw)+n > LongestRecord {
			n = LongestRecord - len(raw)
			raw = append(raw, chunk[:n]...)
			s.advance(chunk, n)
			return raw, line, errTooLong
		}
		if keep {
			raw = append(raw, chunk[:n]...)
		}
		s.advance(chunk, n)
		if done {
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

// Elements hands the elements of an array, of which the scanner is behind the bracket, to use; each must be an
// object. Where one is damaged it goes on at the next that begins as marker says, and tells skip what it left out,
// with the line. It ends behind the array's closing bracket, with an error of reading, or where use or skip return
// false.
func (s *Scanner) Elements(marker *regexp.Regexp, use func(raw []byte, line int) (ok bool, err error), skip func(line int, reason string) bool) error {
	for s.lost = false; ; {
		next, err := s.Next()
		if errors.Is(err, io.EOF) {
			s.damaged = 0 // it is cut off elsewhere when it has grown
			skip(s.Line, "the array is cut off")
			return nil
		}
		if err != nil {
			return err
		}
		switch {
		case next == ',':
			_, _ = s.Take(',')
		case next == ']' && s.lost: // it may stand anywhere
			if found, err := s.seek(marker); !found || err != nil {
				return err
			}
		case next == ']':
			_, err := s.Take(']')
			return err
		case next == '{':
			more, err := s.element(marker, use, skip)
			if !more || err != nil {
				return err
			}
		default:
			more, err := s.resume(marker, skip)
			if !more || err != nil {
				return err
			}
		}
	}
}

// element hands over the next element, or what can be saved of it and those behind.
func (s *Scanner) element(marker *regexp.Regexp, use func([]byte, int) (bool, error), skip func(int, string) bool) (more bool, err error) {
	begin := s.offset
	raw, line, scanErr := s.Value(true)
	var problem error
	switch {
	case scanErr == nil:
		ok, err := use(raw, line)
		if err == nil {
			s.lost = false
			return ok, nil
		}
		problem = err
	case errors.Is(scanErr, io.ErrUnexpectedEOF):
		problem = errors.New("cut off")
	case errors.Is(scanErr, errTooLong):
		problem = scanErr
	default:
		return false, scanErr
	}
	s.lost, s.damaged = true, begin
	if !skip(line, Reason(problem)) {
		return false, nil
	}
	return s.salvage(raw, line, marker, use, skip, scanErr == nil)
}

// salvage looks for elements that begin within a damaged one, whose end was not seen. The last of them is read again,
// since more of it may follow.
func (s *Scanner) salvage(raw []byte, line int, marker *regexp.Regexp, use func([]byte, int) (bool, error), skip func(int, string) bool, whole bool) (more bool, err error) {
	starts, begin := marker.FindAllIndex(raw, -1), s.damaged
	if len(starts) > 0 && starts[0][0] == 0 {
		starts = starts[1:]
	}
	for i, start := range starts {
		if i == len(starts)-1 {
			s.back(raw[start[0]:])
			return true, nil
		}
		piece := raw[start[0]:starts[i+1][0]]
		at := line + bytes.Count(raw[:start[0]], []byte("\n"))
		state := valueState{}
		n, done := state.scan(piece)
		problem := errors.New("cut off")
		s.damaged = begin + int64(start[0])
		if done {
			var ok bool
			if ok, problem = use(piece[:n], at); problem == nil && !ok {
				return false, nil
			}
		}
		if problem != nil && !skip(at, Reason(problem)) {
			return false, nil
		}
	}
	if whole {
		return true, nil
	}
	return s.seek(marker)
}

// resume goes to the next element from a place where none begins.
func (s *Scanner) resume(marker *regexp.Regexp, skip func(int, string) bool) (more bool, err error) {
	s.damaged = s.offset
	if !skip(s.Line, "no record begins here") {
		return false, nil
	}
	return s.seek(marker)
}

// seek goes to the next place where the marker begins. It says false where there is none.
func (s *Scanner) seek(marker *regexp.Regexp) (found bool, err error) {
	const longestMarker = 512
	var window []byte
	for {
		chunk, err := s.chunk()
		if errors.Is(err, io.EOF) {
			return false, nil
		}
		if err != nil {
			return false, err
		}
		window = append(window[max(0, len(window)-longestMarker):], chunk...)
		s.advance(chunk, len(chunk))
		if at := marker.FindIndex(window); at != nil {
			s.back(window[at[0]:])
			return true, nil
		}
	}
}

// Seek goes to the next place where the marker begins, from where nothing is certain. It says false where there is
// none.
func (s *Scanner) Seek(marker *regexp.Regexp) (bool, error) { return s.seek(marker) }
